//! What time it is: the conductor asks here, and no rule ever does.

use jiff::Timestamp;

/// Where "now" comes from: the machine, or the `--now` of a script.
#[derive(Debug, Clone, Copy)]
pub enum Clock {
    System,
    Fixed(Timestamp),
}

impl Clock {
    pub fn now(self) -> Timestamp {
        match self {
            Clock::System => Timestamp::now(),
            Clock::Fixed(at) => at,
        }
    }
}
