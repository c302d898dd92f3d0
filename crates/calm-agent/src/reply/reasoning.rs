//! Takes a model's reasoning, and the marks of its chat template, out of a reply that comes in pieces.

/// What a piece of the reply turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub enum Part<'a> {
    Text(&'a str),
    /// Everything so far was reasoning: only its end was marked.
    Restart,
    /// A call in the form of gpt-oss.
    Call {
        name: String,
        arguments: String,
    },
}

#[derive(Debug, Default)]
pub struct Strip {
    state: State,
    pending: String,
    /// Reasoning with both marks was seen, or the reply began with one.
    pub marked: bool,
    /// Reasoning of any kind was dropped.
    pub stripped: bool,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Start,
    Outside,
    Inside(Closers),
    /// Behind `<|start|>` or `<|channel|>`, up to `<|message|>`.
    Header(String),
    Call {
        name: String,
        arguments: String,
    },
    /// Behind the mark for the end of the reply: small models go on with the other side's lines.
    Over,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Closers {
    /// Any closing tag: models mix them up.
    Tags,
    /// The next mark of a gpt-oss reply; it is read again afterwards.
    Harmony,
    /// The same with the marks taken off by the server: `analysisWe need…assistantfinalHello`.
    Unmarked,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    Open,
    Close,
    Header,
    /// Ends a message of gpt-oss; means nothing else.
    Mark,
    End,
}

const TAGS: &[(&str, Tag)] = &[
    ("<think>", Tag::Open),
    ("</think>", Tag::Close),
    ("<thinking>", Tag::Open),
    ("</thinking>", Tag::Close),
    ("<thought>", Tag::Open),
    ("</thought>", Tag::Close),
    ("<thoughts>", Tag::Open),
    ("</thoughts>", Tag::Close),
    ("<reasoning>", Tag::Open),
    ("</reasoning>", Tag::Close),
    ("<reflection>", Tag::Open),
    ("</reflection>", Tag::Close),
    ("<analysis>", Tag::Open),
    ("</analysis>", Tag::Close),
    ("<seed:think>", Tag::Open),
    ("</seed:think>", Tag::Close),
    ("[think]", Tag::Open),
    ("[/think]", Tag::Close),
    ("◁think▷", Tag::Open),
    ("◁/think▷", Tag::Close),
    ("<|begin_of_thought|>", Tag::Open),
    ("<|end_of_thought|>", Tag::Close),
    ("<|channel>thought", Tag::Open),
    ("<channel|>", Tag::Close),
    ("<|start|>", Tag::Header),
    ("<|channel|>", Tag::Header),
    ("<|message|>", Tag::Mark),
    ("<|end|>", Tag::Mark),
    ("<|call|>", Tag::Mark),
    ("<|return|>", Tag::End),
    ("<|im_end|>", Tag::End),
    ("<|im_start|>", Tag::End),
    ("<|eot_id|>", Tag::End),
    ("<|eom_id|>", Tag::End),
    ("<|endoftext|>", Tag::End),
    ("<end_of_turn>", Tag::End),
    ("<|user|>", Tag::End),
    ("</s>", Tag::End),
];

const HARMONY: &[&str] = &["<|end|>", "<|start|>", "<|channel|>", "<|return|>", "<|call|>"];
const UNMARKED_START: &str = "analysis";
const UNMARKED_END: &str = "assistantfinal";
const LONGEST_HEADER: usize = 256;
const LONGEST_CALL: usize = 32 * 1024;

/// How the beginning of what is there compares with a tag.
enum Match<T> {
    Whole(T, usize),
    /// Only more letters can tell.
    Open,
    No,
}

impl Strip {
    pub fn push(&mut self, piece: &str, part: &mut dyn FnMut(Part<'_>)) {
        self.pending.push_str(piece);
        self.work(false, part);
    }

    pub fn finish(&mut self, part: &mut dyn FnMut(Part<'_>)) {
        self.work(true, part);
        match std::mem::replace(&mut self.state, State::Over) {
            State::Call { name, arguments } => part(Part::Call { name, arguments }),
            State::Inside(_) => self.stripped = true,
            _ => {}
        }
    }

    fn work(&mut self, at_end: bool, part: &mut dyn FnMut(Part<'_>)) {
        let pending = std::mem::take(&mut self.pending);
        let mut at = 0;
        while at < pending.len() {
            let rest = &pending[at..];
            let step = match &mut self.state {
                State::Start => self.start(rest, at_end),
                State::Outside => self.outside(rest, at_end, part),
                State::Inside(closers) => {
                    let closers = *closers;
                    self.inside(closers, rest)
                }
                State::Header(_) | State::Call { .. } => self.harmony(rest, at_end, part),
                State::Over => Some(rest.len()),
            };
            let Some(taken) = step else { break };
            at += taken;
        }
        if !at_end {
            pending[at..].clone_into(&mut self.pending);
        }
    }

    /// Tells `analysisWe need` from a reply that begins with the word. `None`, here and below, waits for more.
    fn start(&mut self, rest: &str, at_end: bool) -> Option<usize> {
        let body = rest.trim_start();
        let blank = rest.len() - body.len();
        if body.is_empty() {
            return Some(blank);
        }
        let unmarked = match body.strip_prefix(UNMARKED_START) {
            Some(behind) => behind.chars().next().map(char::is_uppercase),
            None if UNMARKED_START.starts_with(body) => None,
            None => Some(false),
        };
        if unmarked.is_none() && !at_end {
            return None;
        }
        if unmarked == Some(true) {
            self.marked = true;
            self.state = State::Inside(Closers::Unmarked);
            return Some(blank + UNMARKED_START.len());
        }
        self.state = State::Outside;
        Some(blank)
    }

    fn outside(&mut self, rest: &str, at_end: bool, part: &mut dyn FnMut(Part<'_>)) -> Option<usize> {
        let Some(start) = rest.find(['<', '[', '◁']) else {
            part(Part::Text(rest));
            return Some(rest.len());
        };
        if start > 0 {
            part(Part::Text(&rest[..start]));
            return Some(start);
        }
        match tag_at(rest) {
            Match::Open if !at_end => None,
            Match::Whole(tag, length) => {
                self.tag(tag, rest, part);
                Some(length)
            }
            Match::Open | Match::No => {
                let letter = rest.chars().next().map_or(1, char::len_utf8);
                part(Part::Text(&rest[..letter]));
                Some(letter)
            }
        }
    }

    fn tag(&mut self, tag: Tag, rest: &str, part: &mut dyn FnMut(Part<'_>)) {
        match tag {
            Tag::Open => {
                self.marked = true;
                self.state = State::Inside(Closers::Tags);
            }
            Tag::Close => {
                self.stripped = true;
                part(Part::Restart);
            }
            Tag::Header => {
                // The word behind `<|start|>` is who speaks; behind `<|channel|>`, on which channel.
                let role = rest.as_bytes().get(2) == Some(&b's');
                self.state = State::Header(if role { "role ".to_owned() } else { String::new() });
            }
            Tag::Mark => {}
            Tag::End => self.state = State::Over,
        }
    }

    fn inside(&mut self, closers: Closers, rest: &str) -> Option<usize> {
        self.stripped = true;
        let mut from = 0;
        let first: &[char] = if closers == Closers::Unmarked { &['a'] } else { &['<', '[', '◁'] };
        while let Some(start) = rest[from..].find(first).map(|start| from + start) {
            let here = &rest[start..];
            let found = match closers {
                Closers::Tags => match tag_at(here) {
                    Match::Whole(Tag::Close, length) => Match::Whole((), length),
                    Match::Whole(..) | Match::No => Match::No,
                    Match::Open => Match::Open,
                },
                Closers::Harmony => match one_of(HARMONY, here) {
                    Match::Whole((), _) => Match::Whole((), 0),
                    other => other,
                },
                Closers::Unmarked => one_of(&[UNMARKED_END], here),
            };
            match found {
                Match::Whole((), length) => {
                    self.state = State::Outside;
                    return Some(start + length);
                }
                Match::Open if start == 0 => return None,
                Match::Open => return Some(start),
                Match::No => from = start + here.chars().next().map_or(1, char::len_utf8),
            }
        }
        Some(rest.len())
    }

    fn harmony(&mut self, rest: &str, at_end: bool, part: &mut dyn FnMut(Part<'_>)) -> Option<usize> {
        let start = rest.find('<').unwrap_or(rest.len());
        let longest = if matches!(self.state, State::Header(_)) { LONGEST_HEADER } else { LONGEST_CALL };
        let (State::Header(written) | State::Call { arguments: written, .. }) = &mut self.state else { return None };
        if start > 0 {
            // The rest of what is too long is dropped, wherever the pieces end.
            let room = longest.saturating_sub(written.len());
            let kept = rest[..start].char_indices().map(|(at, letter)| at + letter.len_utf8());
            let kept = kept.take_while(|end| *end <= room).last().unwrap_or(0);
            written.push_str(&rest[..kept]);
            return Some(start);
        }
        match tag_at(rest) {
            Match::Open if !at_end => None,
            Match::Whole(tag @ (Tag::Mark | Tag::Header | Tag::End), length) => {
                let message = rest.starts_with("<|message|>");
                match std::mem::take(&mut self.state) {
                    State::Header(header) if message => self.state = self.channel(&header),
                    // `<|start|>assistant to=functions.x<|channel|>commentary`: both parts count.
                    State::Header(header) if tag == Tag::Header => self.state = State::Header(header + " "),
                    State::Header(_) => {
                        self.state = State::Outside;
                        self.tag(tag, rest, part);
                    }
                    State::Call { name, arguments } => {
                        part(Part::Call { name, arguments });
                        self.state = State::Outside;
                        self.tag(tag, rest, part);
                    }
                    _ => {}
                }
                Some(length)
            }
            _ => {
                // `<|constrain|>` and the like.
                written.push('<');
                Some(1)
            }
        }
    }

    fn channel(&mut self, header: &str) -> State {
        let to = header.split("to=").nth(1).and_then(|to| to.split(['<', ' ', '\n']).next());
        if let Some(name) = to {
            let name = name.trim_start_matches("functions.").to_owned();
            return State::Call { name, arguments: String::new() };
        }
        if header.strip_prefix("role ").is_some_and(|role| !role.trim_start().starts_with("assistant")) {
            return State::Over;
        }
        if header.split_whitespace().any(|word| word == "analysis") {
            self.marked = true;
            return State::Inside(Closers::Harmony);
        }
        State::Outside
    }
}

fn tag_at(rest: &str) -> Match<Tag> {
    let mut open = false;
    for (tag, kind) in TAGS {
        match begins(rest, tag) {
            Some(true) => return Match::Whole(*kind, tag.len()),
            Some(false) => open = true,
            None => {}
        }
    }
    if open { Match::Open } else { Match::No }
}

fn one_of(tags: &[&str], rest: &str) -> Match<()> {
    let mut open = false;
    for tag in tags {
        match begins(rest, tag) {
            Some(true) => return Match::Whole((), tag.len()),
            Some(false) => open = true,
            None => {}
        }
    }
    if open { Match::Open } else { Match::No }
}

/// Whether `rest` begins with `tag`; `Some(false)` while it is too short to tell. Case does not matter.
pub fn begins(rest: &str, tag: &str) -> Option<bool> {
    let shared = rest.len().min(tag.len());
    let same = rest.as_bytes()[..shared].eq_ignore_ascii_case(&tag.as_bytes()[..shared]);
    same.then_some(shared == tag.len())
}
