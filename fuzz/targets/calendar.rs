//! A calendar of any content: what it gives lies in the window, and titles have their size.
#![no_main]

use std::sync::LazyLock;

use calm_knowledge::read_calendar;
use jiff::{SignedDuration, ZonedDateTime};

static NOW: LazyLock<ZonedDateTime> =
    LazyLock::new(|| "2026-03-28T12:00[Europe/Berlin]".parse().expect("a moment"));

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let whole = [b"BEGIN:VCALENDAR\nBEGIN:VEVENT\n", bytes, b"\nEND:VEVENT\nEND:VCALENDAR\n"].concat();
    for text in [bytes, &whole] {
        let Ok(calendar) = read_calendar(text) else { continue };
        let to = NOW.saturating_add(SignedDuration::from_hours(168));
        for event in calendar.between(&NOW, &to).events {
            assert!(event.starts < to && event.ends >= event.starts);
            assert!(event.title.chars().count() <= 120);
        }
    }
});
