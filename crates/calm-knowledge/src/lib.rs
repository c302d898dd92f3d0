//! Knowledge: the user's own documents, and ours, as pieces of text that a search can find and a prompt can hold.
//!
//! Bytes come in, text goes out: no files, no clock, no sockets. [`read`] turns a document into parts that know their
//! place, [`chunks()`] cuts the parts to the size of a search result, and the facts functions read the one section of the
//! user's facts that goes into every prompt. How results are found, and how they are fenced off as data in the prompt,
//! is decided elsewhere; nothing here looks at what a text says.
//!
//! Documents are foreign: each reader has bounds of size, depth and work, and an error says what is wrong and where,
//! without a word of the document in it.

mod calendar;
mod chunks;
mod clean;
mod document;
mod encoding;
mod facts;
mod kind;
mod language;
mod markdown;
mod pairs;
mod pdf;
mod table;

pub use calendar::{Calendar, CalendarError, CalendarEvent, Coming, LARGEST_CALENDAR, read_calendar};
pub use chunks::{CHUNK_CHARACTERS, Chunk, chunks};
pub use document::{
    Document, DocumentError, LARGEST_FILE, LONGEST_QUESTION, LONGEST_TEXT, MOST_PAGES, Part, Place, Warning, read,
};
pub use facts::{ActiveFacts, FACTS_SOFT_LIMIT, FactsWarning, active_facts, facts_to_answers};
pub use pdf::PDF_THREAD;
