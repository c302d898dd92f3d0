//! From published weights to the files that the recognisers load.
//!
//! Everything here is a pure function from bytes to bytes: no file is opened, nothing is fetched. Input is foreign, so
//! every reader is bounded by the length of what it was given and answers with an error, never a panic.

pub mod ct2;
pub mod external;
pub mod ggml;
pub mod signal;
pub mod vocabulary;
mod whisper;

#[cfg(test)]
mod reading;
#[cfg(test)]
mod synthetic;

/// Weights or tables that cannot be turned into a model.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    #[error("the weights are cut short or are not a CTranslate2 model: {0}")]
    Malformed(&'static str),
    #[error("the weights hold no tensor {0}")]
    Absent(String),
    #[error("tensor {name} has an unexpected {what}")]
    Unexpected { name: String, what: &'static str },
    #[error("the tokenizer's file cannot be read: {0}")]
    Tokenizer(&'static str),
    #[error("line {line} of the table of external tensors cannot be followed")]
    Table { line: usize },
    #[error("failed to write the converted model: {0}")]
    Write(#[from] std::io::Error),
}
