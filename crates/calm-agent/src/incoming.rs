//! The bytes of an answer, whichever way the server chose to send it.

use crate::sse::Events;

/// An answer with more bytes is cut off.
pub const LONGEST: usize = 2 * 1024 * 1024;

#[derive(Debug)]
pub enum Incoming {
    /// Nothing but white space yet.
    Unknown,
    Events(Events),
    /// One JSON object, asked for or not.
    Whole(Vec<u8>),
    /// A web page: a proxy's log-in, or another program's start page.
    Page,
}

impl Incoming {
    pub fn push(&mut self, bytes: &[u8], event: &mut dyn FnMut(&str)) {
        if matches!(self, Self::Unknown) {
            let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
            match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
                None => return,
                Some(b'{' | b'[') => *self = Self::Whole(Vec::new()),
                Some(b'<') => *self = Self::Page,
                Some(_) => *self = Self::Events(Events::default()),
            }
        }
        match self {
            Self::Events(events) => events.push(bytes, event),
            Self::Whole(whole) => whole.extend_from_slice(bytes),
            Self::Unknown | Self::Page => {}
        }
    }

    pub fn finish(&mut self, event: &mut dyn FnMut(&str)) {
        match self {
            Self::Events(events) => events.finish(event),
            Self::Whole(whole) => {
                let whole = std::mem::take(whole);
                event(String::from_utf8_lossy(&whole).trim_start_matches('\u{feff}').trim());
            }
            Self::Unknown | Self::Page => {}
        }
    }
}
