//! Memory's arithmetic: what a text is like, which experiences are like it, and what repeats itself over months.
//!
//! Bytes and facts come in, figures go out: no files, no clock, no database. Who is remembered, and for how long, is
//! decided where memories are kept.

mod embedding;
mod encoder;
mod index;
pub mod insights;
mod kernels;
pub mod patterns;

pub use embedding::{DIMENSIONS, EMBEDDING_BYTES, Embedding};
pub use encoder::{Encoder, EncoderError};
pub use index::{Index, Match, Query};
