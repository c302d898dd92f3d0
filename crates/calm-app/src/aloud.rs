//! Replies said aloud, for whoever has asked for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use calm_core::Lang;
use calm_voice::{Aloud, Tongue};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use crate::settings::Settings;

enum Order {
    Say(String, Lang),
    Hush,
}

/// Says replies on a thread of its own, where the user has asked for it; nobody waits for a voice.
#[derive(Debug, Clone)]
pub struct Reader {
    orders: Sender<Order>,
    on: Arc<AtomicBool>,
    /// A microphone is open, and would hear the voice.
    listening: Arc<AtomicBool>,
}

impl Reader {
    pub fn new(settings: &Settings) -> Reader {
        let (orders, received) = mpsc::channel();
        thread::spawn(move || serve(&received));
        Reader { orders, on: Arc::new(AtomicBool::new(settings.speak_replies)), listening: Arc::default() }
    }

    /// The user's switch.
    pub fn follow(&self, settings: &Settings) {
        self.on.store(settings.speak_replies, Ordering::Relaxed);
        if !settings.speak_replies {
            self.hush();
        }
    }

    /// While somebody speaks nothing is said: the microphone would hear it.
    pub fn listening(&self, now: bool) {
        self.listening.store(now, Ordering::Relaxed);
        if now {
            self.hush();
        }
    }

    /// Says a reply in place of the one before.
    pub fn say(&self, reply: &str, language: Lang) {
        if self.on.load(Ordering::Relaxed) && !self.listening.load(Ordering::Relaxed) {
            // The thread ends only with the last reader.
            self.orders.send(Order::Say(spoken_form(reply), language)).ok();
        }
    }

    /// Is quiet at once.
    pub fn hush(&self) {
        self.orders.send(Order::Hush).ok();
    }
}

fn serve(orders: &Receiver<Order>) {
    let mut voice: Option<Aloud> = None;
    while let Ok(order) = orders.recv() {
        match order {
            Order::Hush => {
                if let Some(voice) = &mut voice {
                    voice.hush();
                }
            }
            Order::Say(text, language) => {
                let tongue = match language {
                    Lang::Ru => Tongue::Ru,
                    Lang::En => Tongue::En,
                };
                let said = match voice.take() {
                    Some(known) => Ok(known),
                    None => Aloud::find(),
                }
                .and_then(|mut found| found.say(&text, tongue).map(|()| found));
                match said {
                    Ok(found) => voice = Some(found),
                    // The reply is on the screen; `calm doctor` says what to install.
                    Err(error) => tracing::warn!(%error, "a reply was not said aloud"),
                }
            }
        }
    }
}

/// A reply as it is said: without markup, code, objects and labels.
pub fn spoken_form(reply: &str) -> String {
    let mut spoken = String::new();
    let mut unspoken = 0_usize;
    for event in Parser::new(&without_labels(&without_objects(reply))) {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::Image { .. } | Tag::HtmlBlock) => unspoken += 1,
            Event::End(TagEnd::CodeBlock | TagEnd::Image | TagEnd::HtmlBlock) => {
                unspoken = unspoken.saturating_sub(1);
            }
            Event::Text(text) | Event::Code(text) if unspoken == 0 => spoken.push_str(&text),
            Event::End(TagEnd::Heading(_) | TagEnd::Item | TagEnd::Paragraph) => end_sentence(&mut spoken),
            Event::SoftBreak | Event::HardBreak => spoken.push(' '),
            _ => {}
        }
    }
    let plain: String = spoken.replace(['*', '_', '#', '`', '~', '|', '<', '>', '[', ']', '{', '}'], " ");
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A heading or an item of a list ends like a sentence, or it would run into the next.
fn end_sentence(spoken: &mut String) {
    let bare = spoken.trim_end();
    if !bare.is_empty() && !bare.ends_with(['.', '!', '?', '…', ':', ';', ',']) {
        spoken.truncate(bare.len());
        spoken.push('.');
    }
    spoken.push(' ');
}

/// Leaves out everything between braces, inner ones too; an open one hides the rest.
fn without_objects(text: &str) -> String {
    let mut depth = 0_usize;
    let outside = text.chars().filter(|letter| match letter {
        '{' => {
            depth += 1;
            false
        }
        '}' => {
            depth = depth.saturating_sub(1);
            false
        }
        _ => depth == 0,
    });
    outside.collect()
}

/// Leaves out `[CONF: …]` and its like: a name in capitals and a colon.
fn without_labels(text: &str) -> String {
    let mut left = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('[') {
        let inside = &rest[start + 1..];
        let name: String = inside.chars().take_while(|letter| *letter != ':' && *letter != ']').collect();
        let is_label = inside[name.len()..].starts_with(':') && !name.chars().any(char::is_lowercase);
        left.push_str(&rest[..start]);
        match inside.find(']').filter(|_| is_label) {
            Some(end) => rest = &inside[end + 1..],
            None => {
                left.push('[');
                rest = inside;
            }
        }
    }
    left + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case::plain("Слышу: ночь была короткой. Что с планом?", "Слышу: ночь была короткой. Что с планом?")]
    #[case::markup("**Два** вопроса:\n\n- сон\n- _план_\n", "Два вопроса: сон. план.")]
    #[case::a_link("Вот [страница](https://example.org/a?b=c).", "Вот страница.")]
    #[case::code("Подыши.\n```json\n{\"tool\": \"end_session\"}\n```\nЯ рядом.", "Подыши. Я рядом.")]
    #[case::a_bare_object("Хорошо. {\"tool\": {\"a\": 1}} Пока.", "Хорошо. Пока.")]
    #[case::labels("Слышу тебя. [УВЕР: LOW]  [МООД: тревожно]", "Слышу тебя.")]
    #[case::a_heading("# План\nДве сделки", "План. Две сделки.")]
    #[case::nothing("```\nx\n```", "")]
    fn what_is_said(#[case] reply: &str, #[case] expected: &str) {
        assert_eq!(spoken_form(reply), expected);
    }

    proptest! {
        #[test]
        fn no_markup_is_ever_said(reply in "([а-я]{1,5}|[\\[\\]{}*#_`~|<>:\"\n -]|CONF|json){0,60}") {
            let said = spoken_form(&reply);
            prop_assert!(!said.contains(['*', '#', '`', '{', '}', '[', ']', '<', '>', '\n']), "{said}");
        }

        #[test]
        fn plain_words_are_said_as_they_are(words in prop::collection::vec("[а-яё]{1,8}", 1..8)) {
            let sentence = words.join(" ") + ".";
            prop_assert_eq!(spoken_form(&sentence), sentence);
        }
    }
}
