//! Session types and formats (SPEC S1).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Before trading or after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    CheckIn,
    CheckOut,
}

/// How long the conversation may become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Two questions.
    Short,
    /// About five questions.
    Medium,
    /// Until the user has said enough.
    Unlimited,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::CheckIn => "check-in",
            Kind::CheckOut => "check-out",
        }
    }
}

impl Format {
    pub fn name(self) -> &'static str {
        match self {
            Format::Short => "short",
            Format::Medium => "medium",
            Format::Unlimited => "unlimited",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is none of those the type allows.
#[derive(Debug, thiserror::Error)]
#[error("must be {expected}")]
pub struct UnknownName {
    expected: &'static str,
}

impl FromStr for Kind {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Kind, UnknownName> {
        match name {
            "check-in" => Ok(Kind::CheckIn),
            "check-out" => Ok(Kind::CheckOut),
            _ => Err(UnknownName { expected: "check-in or check-out" }),
        }
    }
}

impl FromStr for Format {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Format, UnknownName> {
        match name {
            "short" => Ok(Format::Short),
            "medium" => Ok(Format::Medium),
            "unlimited" => Ok(Format::Unlimited),
            _ => Err(UnknownName { expected: "short, medium or unlimited" }),
        }
    }
}
