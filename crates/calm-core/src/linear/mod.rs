//! Small linear models of pieces of words, for what no list of words knows.
//!
//! They run in microseconds, need no file and no model server, and the same lines always give the
//! same weights. What a model is asked, and when, is its owner's business: the hints of a crisis
//! (`understand::hints`) and the guard (`guard::learned`).

pub mod features;
pub mod weights;

pub use features::Feature;
pub use weights::{Magic, Weights, likeliest, score, write};
