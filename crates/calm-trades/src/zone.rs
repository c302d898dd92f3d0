//! The clock that a file's times are from. A broker's server time is nobody's local time.

use std::fmt;
use std::str::FromStr;

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use jiff::{Timestamp, ToSpan};

use crate::error::Reason;

/// Server time of most currency brokers is New York's plus seven hours all year: its day ends when New York's does.
const AHEAD: i64 = 7;

/// An IANA zone, an offset, or the server clock that follows New York.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileZone {
    Zone(TimeZone),
    /// `ny+7`: UTC+2 in New York's winter and UTC+3 in its summer, which changes on other days than Europe's.
    NewYorkClose,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be a zone such as Europe/Athens, an offset such as +03:00, utc, or ny+7 (New York's clock plus 7 hours)")]
pub struct NoSuchZone;

impl FromStr for FileZone {
    type Err = NoSuchZone;

    fn from_str(text: &str) -> Result<FileZone, NoSuchZone> {
        let lower = text.trim().to_ascii_lowercase();
        match lower.as_str() {
            "ny+7" => return Ok(FileZone::NewYorkClose),
            "utc" | "gmt" | "z" => return Ok(FileZone::Zone(TimeZone::UTC)),
            _ => {}
        }
        let zone = offset(&lower).map(TimeZone::fixed).or_else(|| TimeZone::get(text.trim()).ok());
        zone.map(FileZone::Zone).ok_or(NoSuchZone)
    }
}

/// `+3`, `+03`, `+03:00`, `utc+3`.
fn offset(text: &str) -> Option<Offset> {
    let text = text.strip_prefix("utc").or_else(|| text.strip_prefix("gmt")).unwrap_or(text);
    let sign = match text.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let (hours, minutes) = text[1..].split_once(':').unwrap_or((&text[1..], "0"));
    let number = |part: &str| part.parse::<i32>().ok().filter(|_| part.bytes().all(|b| b.is_ascii_digit()));
    let (hours, minutes) = (number(hours)?, number(minutes).filter(|m| *m < 60)?);
    Offset::from_seconds(sign * (hours.checked_mul(3600)? + minutes * 60)).ok().filter(|_| hours <= 14)
}

impl fmt::Display for FileZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileZone::NewYorkClose => f.write_str("ny+7"),
            FileZone::Zone(zone) if *zone == TimeZone::UTC => f.write_str("UTC"),
            FileZone::Zone(zone) => match (zone.iana_name(), zone.to_fixed_offset()) {
                (Some(name), _) => f.write_str(name),
                (None, Ok(offset)) => offset.fmt(f),
                (None, Err(_)) => f.write_str("local"),
            },
        }
    }
}

impl FileZone {
    /// The moment, and whether the clock shows that time twice or never.
    ///
    /// Twice: the first. Never: later by the gap.
    pub(crate) fn instant(&self, clock: DateTime) -> Result<(Timestamp, bool), Reason> {
        let (zone, clock) = match self {
            FileZone::Zone(zone) => (zone.clone(), clock),
            FileZone::NewYorkClose => {
                let clock = clock.checked_sub(AHEAD.hours()).map_err(|_| Reason::NoSuchTime)?;
                (TimeZone::get("America/New_York").map_err(|_| Reason::NoSuchTime)?, clock)
            }
        };
        let found = zone.to_ambiguous_timestamp(clock);
        let doubtful = !matches!(found.offset(), AmbiguousOffset::Unambiguous { .. });
        Ok((found.compatible().map_err(|_| Reason::NoSuchTime)?, doubtful))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::winter("Europe/Athens", "2026-01-15T10:00", "2026-01-15T08:00:00Z", false)]
    #[case::summer("Europe/Athens", "2026-07-15T10:00", "2026-07-15T07:00:00Z", false)]
    // Put forward on 29 March at 03:00.
    #[case::gap("Europe/Athens", "2026-03-29T03:30", "2026-03-29T01:30:00Z", true)]
    // Put back on 25 October at 04:00: 03:30 is shown twice.
    #[case::overlap("Europe/Athens", "2026-10-25T03:30", "2026-10-25T00:30:00Z", true)]
    #[case::offset("+03:00", "2026-10-25T03:30", "2026-10-25T00:30:00Z", false)]
    #[case::short_offset("utc-6", "2026-10-25T03:30", "2026-10-25T09:30:00Z", false)]
    #[case::utc("UTC", "2026-03-29T03:30", "2026-03-29T03:30:00Z", false)]
    // New York changes on 8 March, Athens three weeks later.
    #[case::server_before("ny+7", "2026-03-06T10:00", "2026-03-06T08:00:00Z", false)]
    #[case::server_after("ny+7", "2026-03-09T10:00", "2026-03-09T07:00:00Z", false)]
    fn instant_of(#[case] zone: &str, #[case] clock: &str, #[case] expected: &str, #[case] doubtful: bool) {
        let zone: FileZone = zone.parse().unwrap();
        let (found, doubt) = zone.instant(clock.parse().unwrap()).unwrap();
        assert_eq!((found.to_string().as_str(), doubt), (expected, doubtful));
        assert_eq!(zone.to_string().parse(), Ok(zone));
    }

    #[rstest]
    #[case("Mars/Olympus")]
    #[case("+25")]
    #[case("")]
    #[case("ny+8")]
    #[case("+")]
    fn no_zone(#[case] text: &str) {
        assert_eq!(text.parse::<FileZone>(), Err(NoSuchZone));
    }
}
