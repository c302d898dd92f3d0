//! How much of a talk fits into a model's window.

use crate::chat::ChatMessage;

/// Tokens that the frame around each message costs, whatever the model's template.
const PER_MESSAGE: usize = 6;

/// About how many tokens `text` is, rather too many than too few.
///
/// Four ASCII letters a token, two Cyrillic or other alphabetic ones, one for any other sign. Tokenizers of recent
/// models need about a third less for Russian; older ones need this much.
pub fn estimate_tokens(text: &str) -> usize {
    let (mut ascii, mut letters, mut others) = (0usize, 0usize, 0usize);
    for letter in text.chars() {
        match u32::from(letter) {
            0..0x80 => ascii += 1,
            0x80..0x0800 => letters += 1,
            _ => others += 1,
        }
    }
    ascii.div_ceil(4) + letters.div_ceil(2) + others
}

/// `messages` without the oldest talk, so that they take at most `tokens`.
///
/// What stays whatever it takes: the instructions, the last thing the user said, and all that came after it. A call
/// and its result go together.
pub fn fit(messages: &[ChatMessage], tokens: usize) -> Vec<ChatMessage> {
    let mut total: usize = messages.iter().map(cost).sum();
    let last_said = messages.iter().rposition(|message| matches!(message, ChatMessage::User(_)));
    let movable = last_said.unwrap_or(messages.len().saturating_sub(1));
    let mut dropped = vec![false; messages.len()];
    let mut orphans = false;
    for (index, message) in messages.iter().enumerate().take(movable) {
        match message {
            ChatMessage::System(_) => continue,
            ChatMessage::Tool { .. } if orphans => {}
            _ if total <= tokens => break,
            ChatMessage::Assistant { calls, .. } => orphans = !calls.is_empty(),
            ChatMessage::User(_) | ChatMessage::Tool { .. } => orphans = false,
        }
        total -= cost(message);
        dropped[index] = true;
    }
    let kept = messages.iter().zip(dropped).filter(|(_, dropped)| !dropped);
    kept.map(|(message, _)| message.clone()).collect()
}

/// Tokens of a message, its frame included.
pub(crate) fn cost(message: &ChatMessage) -> usize {
    let words = match message {
        ChatMessage::System(text) | ChatMessage::User(text) => estimate_tokens(text),
        ChatMessage::Tool { content, .. } => estimate_tokens(content),
        ChatMessage::Assistant { text, calls } => {
            let called =
                calls.iter().map(|call| estimate_tokens(&call.name) + estimate_tokens(&call.arguments.to_string()));
            estimate_tokens(text) + called.sum::<usize>()
        }
    };
    words + PER_MESSAGE
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;
    use crate::chat::Call;

    #[rstest]
    #[case::nothing("", 0)]
    #[case::english("a calm voice", 3)]
    #[case::russian("спокойный голос", 8)]
    #[case::signs("🙂日本", 3)]
    fn tokens(#[case] text: &str, #[case] expected: usize) {
        assert_eq!(estimate_tokens(text), expected);
    }

    fn talk() -> Vec<ChatMessage> {
        let call = Call { id: "1".into(), name: "get_user_history".into(), arguments: json!({}) };
        vec![
            ChatMessage::System("You are Calm.".into()),
            ChatMessage::Assistant { text: "How are you?".into(), calls: Vec::new() },
            ChatMessage::User("What did I say yesterday?".into()),
            ChatMessage::Assistant { text: String::new(), calls: vec![call] },
            ChatMessage::Tool { call_id: "1".into(), content: "readiness 7".into() },
            ChatMessage::Assistant { text: "A seven.".into(), calls: Vec::new() },
            ChatMessage::User("And today an eight.".into()),
        ]
    }

    #[test]
    fn what_fits_is_left_alone() {
        assert_eq!(fit(&talk(), 10_000), talk());
    }

    #[test]
    fn the_oldest_talk_goes_first_and_a_result_goes_with_its_call() {
        let talk = talk();
        let whole: usize = talk.iter().map(cost).sum();
        let without_three = whole - cost(&talk[1]) - cost(&talk[2]) - 1;
        let kept = fit(&talk, without_three);
        assert_eq!(kept, [talk[0].clone(), talk[5].clone(), talk[6].clone()]);
    }

    #[test]
    fn instructions_and_the_last_words_stay_even_when_nothing_fits() {
        let talk = talk();
        assert_eq!(fit(&talk, 0), [talk[0].clone(), talk[6].clone()]);
        assert_eq!(fit(&[], 0), []);
    }
}
