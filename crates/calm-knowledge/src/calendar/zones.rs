//! The zone that a `TZID` means: an IANA name, a name of Windows, or a fixed distance that the file itself gives.
//!
//! A zone that is none of these leaves its events unread: a time that is an hour wrong is worse than none.

use std::collections::HashMap;

use jiff::tz::{Offset, TimeZone};

use super::lines::Component;

pub struct Zones(HashMap<String, TimeZone>);

impl Zones {
    pub fn of(components: &[Component]) -> Zones {
        let mut own = HashMap::new();
        for component in components.iter().filter(|one| one.kind == "VTIMEZONE") {
            let Some(id) = component.first("TZID").map(|id| id.value.trim().to_owned()) else { continue };
            let named = component.first("X-LIC-LOCATION").and_then(|name| TimeZone::get(name.value.trim()).ok());
            let mut offsets = component.all("TZOFFSETTO").map(|offset| seconds(&offset.value));
            let first = offsets.next().flatten();
            let fixed = first.filter(|_| offsets.all(|other| other == first));
            let fixed = fixed.and_then(|seconds| Offset::from_seconds(seconds).ok()).map(TimeZone::fixed);
            if let Some(zone) = named.or(fixed) {
                own.insert(id, zone);
            }
        }
        Zones(own)
    }

    pub fn get(&self, id: &str) -> Option<TimeZone> {
        let id = id.trim();
        // Some programs write "/example.org/20260101/Europe/Moscow".
        let tail = id.rsplitn(3, '/').take(2).collect::<Vec<_>>();
        let tail = tail.iter().rev().copied().collect::<Vec<_>>().join("/");
        let windows = WINDOWS.iter().find(|(name, _)| name.eq_ignore_ascii_case(id)).map(|(_, iana)| *iana);
        [Some(id), windows, Some(tail.as_str())]
            .into_iter()
            .flatten()
            .find_map(|name| TimeZone::get(name).ok())
            .or_else(|| self.0.get(id).cloned())
    }
}

/// "+0300", "-053000".
fn seconds(offset: &str) -> Option<i32> {
    let offset = offset.trim();
    let (sign, digits) = match offset.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, offset.strip_prefix('+').unwrap_or(offset)),
    };
    if !matches!(digits.len(), 4 | 6) || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let pair = |at: usize| digits.get(at..at + 2).map_or(Some(0), |two| two.parse::<i32>().ok());
    Some(sign * (pair(0)? * 3600 + pair(2)? * 60 + pair(4)?))
}

/// Where traders' calendars come from; source: Unicode CLDR, windowsZones.
const WINDOWS: [(&str, &str); 21] = [
    ("UTC", "UTC"),
    ("Russian Standard Time", "Europe/Moscow"),
    ("Kaliningrad Standard Time", "Europe/Kaliningrad"),
    ("Ekaterinburg Standard Time", "Asia/Yekaterinburg"),
    ("N. Central Asia Standard Time", "Asia/Novosibirsk"),
    ("GMT Standard Time", "Europe/London"),
    ("Greenwich Standard Time", "Atlantic/Reykjavik"),
    ("W. Europe Standard Time", "Europe/Berlin"),
    ("Romance Standard Time", "Europe/Paris"),
    ("Central Europe Standard Time", "Europe/Budapest"),
    ("Central European Standard Time", "Europe/Warsaw"),
    ("FLE Standard Time", "Europe/Kiev"),
    ("Turkey Standard Time", "Europe/Istanbul"),
    ("Eastern Standard Time", "America/New_York"),
    ("Central Standard Time", "America/Chicago"),
    ("Mountain Standard Time", "America/Denver"),
    ("Pacific Standard Time", "America/Los_Angeles"),
    ("China Standard Time", "Asia/Shanghai"),
    ("Tokyo Standard Time", "Asia/Tokyo"),
    ("Singapore Standard Time", "Asia/Singapore"),
    ("AUS Eastern Standard Time", "Australia/Sydney"),
];
