//! Patterns as a user meets them: what is counted, what is claimed, and for how long.

mod counting;
mod measure;
mod sentences;
mod simulate;
mod years;
