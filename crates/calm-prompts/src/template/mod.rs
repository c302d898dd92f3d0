//! The template language of the prompts: values, includes, conditions, comments, and nothing else.
//!
//! A file is parsed once into a syntax tree with spans, checked against the variables there are, and rendered
//! as often as needed. Nothing here reads a file: an include finds its text in the [`Library`] or fails.
//! What the language can say is in `docs/prompts.md`.

mod check;
mod condition;
mod error;
mod library;
mod parse;
mod print;
mod render;
pub mod schema;
mod syntax;
mod tidy;

pub(crate) use error::Mistake;
pub use error::TemplateError;
pub use library::{Condition, Library};
pub use parse::{Dialect, parse};
pub use render::Trace;
pub(crate) use render::one_line;
pub use syntax::{Node, Template};

/// An `{{#if}}` inside an `{{#if}}` inside …, and brackets or `!` in a condition.
pub const DEEPEST_NESTING: usize = 64;
/// A file that includes a file that includes …
pub const DEEPEST_INCLUDE: usize = 16;
/// Includes taken in one rendering.
pub const MOST_INCLUDES: usize = 256;
/// Of a rendered text, in bytes.
pub const LARGEST_OUTPUT: usize = 1024 * 1024;

#[cfg(test)]
mod tests;
