//! Calendars as programs write them, and what they hold for the hours to come.

#![allow(clippy::unwrap_used)]

use calm_knowledge::{CalendarError, LARGEST_CALENDAR, read_calendar};
use jiff::{SignedDuration, ZonedDateTime};
use proptest::prelude::*;
use rstest::rstest;

const MOSCOW: &str = "2026-03-04T12:00[Europe/Moscow]";

fn calendar(events: &[&str]) -> String {
    let events: Vec<String> = events.iter().map(|event| format!("BEGIN:VEVENT\r\n{event}\r\nEND:VEVENT\r\n")).collect();
    format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{}END:VCALENDAR\r\n", events.concat())
}

/// "04 15:30 title" for each event of the hours after `now`.
fn coming(text: &str, now: &str, hours: i64) -> Vec<String> {
    let now: ZonedDateTime = now.parse().unwrap();
    let to = now.checked_add(SignedDuration::from_hours(hours)).unwrap();
    let found = read_calendar(text.as_bytes()).unwrap().between(&now, &to);
    let shown = |event: &calm_knowledge::CalendarEvent| {
        let time = if event.all_day { "day".to_owned() } else { event.starts.strftime("%H:%M").to_string() };
        format!("{} {time} {}", event.starts.strftime("%d"), event.title)
    };
    found.events.iter().map(shown).collect()
}

#[rstest]
#[case::utc("DTSTART:20260304T133000Z\r\nSUMMARY:NFP", &["04 16:30 NFP"])]
#[case::zone("DTSTART;TZID=America/New_York:20260304T083000\r\nSUMMARY:CPI", &["04 16:30 CPI"])]
#[case::quoted_zone("DTSTART;TZID=\"America/New_York\":20260304T083000\r\nSUMMARY:CPI", &["04 16:30 CPI"])]
#[case::zone_of_windows("DTSTART;TZID=Eastern Standard Time:20260304T083000\r\nSUMMARY:CPI", &["04 16:30 CPI"])]
#[case::floating("DTSTART:20260304T153000\r\nSUMMARY:План", &["04 15:30 План"])]
#[case::all_day("DTSTART;VALUE=DATE:20260304\r\nSUMMARY:Holiday", &["04 day Holiday"])]
#[case::folded("DTSTART:20260304T133000Z\r\nSUMMARY:Решение по ста\r\n вке", &["04 16:30 Решение по ставке"])]
#[case::escaped("DTSTART:20260304T133000Z\r\nSUMMARY:GDP\\, q/q\\; \\nfinal\\\\", &["04 16:30 GDP, q/q; final\\"])]
#[case::runs_now("DTSTART:20260304T080000Z\r\nDTEND:20260304T100000Z\r\nSUMMARY:Talk", &["04 11:00 Talk"])]
#[case::over("DTSTART:20260304T060000Z\r\nDURATION:PT1H\r\nSUMMARY:Talk", &[])]
#[case::tomorrow("DTSTART:20260305T133000Z\r\nSUMMARY:Later", &[])]
#[case::cancelled("DTSTART:20260304T133000Z\r\nSTATUS:CANCELLED\r\nSUMMARY:NFP", &[])]
#[case::nothing_hidden("DTSTART:20260304T133000Z\r\nSUMMARY:N\u{202E}F\u{200B}P", &["04 16:30 NFP"])]
#[case::no_title("DTSTART:20260304T133000Z", &["04 16:30 "])]
fn an_event_of_today(#[case] event: &str, #[case] expected: &[&str]) {
    assert_eq!(coming(&calendar(&[event]), MOSCOW, 12), expected);
}

#[rstest]
#[case::daily("FREQ=DAILY", &["04", "05", "06", "07", "08", "09", "10"])]
#[case::every_third_day("FREQ=DAILY;INTERVAL=3", &["06", "09"])]
#[case::working_days("FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR", &["04", "05", "06", "09", "10"])]
#[case::weekly("FREQ=WEEKLY", &["04"])]
#[case::weekly_on_days("FREQ=WEEKLY;BYDAY=MO,FR", &["06", "09"])]
#[case::every_second_week("FREQ=WEEKLY;INTERVAL=2;BYDAY=WE,FR", &["04", "06"])]
#[case::monthly("FREQ=MONTHLY", &["07"])]
#[case::first_friday("FREQ=MONTHLY;BYDAY=1FR", &["06"])]
#[case::last_day("FREQ=MONTHLY;BYMONTHDAY=-26", &["06"])]
#[case::second_working_day("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=6", &["09"])]
#[case::yearly("FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=8", &["08"])]
#[case::until_a_moment("FREQ=DAILY;UNTIL=20260306T090000Z", &["04", "05"])]
#[case::until_a_day("FREQ=DAILY;UNTIL=20260306", &["04", "05", "06"])]
#[case::ended_long_ago("FREQ=DAILY;UNTIL=20250101T000000Z", &[])]
fn a_repetition_in_the_coming_week(#[case] rule: &str, #[case] days: &[&str]) {
    let start = match rule {
        "FREQ=MONTHLY" => "20250107T133000Z",
        rule if rule.starts_with("FREQ=WEEKLY") => "20250108T133000Z",
        _ => "20240101T133000Z",
    };
    let event = format!("DTSTART:{start}\r\nRRULE:{rule}\r\nSUMMARY:x");
    let found: Vec<String> = coming(&calendar(&[&event]), MOSCOW, 24 * 7).iter().map(|at| at[..2].to_owned()).collect();
    assert_eq!(found, days);
}

#[test]
fn a_count_runs_out() {
    let event = "DTSTART:20260301T133000Z\r\nRRULE:FREQ=DAILY;COUNT=5\r\nSUMMARY:x";
    assert_eq!(coming(&calendar(&[event]), MOSCOW, 24 * 7), ["04 16:30 x", "05 16:30 x"]);
}

#[test]
fn an_exception_and_a_moved_instance() {
    let series = "UID:a\r\nDTSTART;TZID=Europe/Moscow:20260301T163000\r\nRRULE:FREQ=DAILY\r\n\
        EXDATE;TZID=Europe/Moscow:20260305T163000\r\nSUMMARY:x";
    let moved =
        "UID:a\r\nRECURRENCE-ID:20260306T133000Z\r\nDTSTART;TZID=Europe/Moscow:20260306T180000\r\nSUMMARY:moved";
    let called_off = "UID:a\r\nRECURRENCE-ID:20260307T133000Z\r\nDTSTART:20260307T133000Z\r\nSTATUS:CANCELLED";
    let found = coming(&calendar(&[series, moved, called_off]), MOSCOW, 24 * 4);
    assert_eq!(found, ["04 16:30 x", "06 18:00 moved"]);
}

#[test]
fn a_time_of_day_stays_when_the_clocks_change() {
    let event = "DTSTART;TZID=America/New_York:20260301T083000\r\nRRULE:FREQ=DAILY\r\nSUMMARY:x";
    let found = coming(&calendar(&[event]), "2026-03-07T12:00[Europe/Moscow]", 48);
    assert_eq!(found, ["07 16:30 x", "08 15:30 x"], "New York's clocks change on the 8th, Moscow's never");
}

#[test]
fn a_zone_that_the_file_describes_itself() {
    let text = calendar(&["DTSTART;TZID=Custom:20260304T153000\r\nSUMMARY:x"]).replace(
        "VERSION:2.0\r\n",
        "VERSION:2.0\r\nBEGIN:VTIMEZONE\r\nTZID:Custom\r\nBEGIN:STANDARD\r\nTZOFFSETTO:+0200\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n",
    );
    assert_eq!(coming(&text, MOSCOW, 12), ["04 16:30 x"]);
}

#[test]
fn an_event_in_an_unknown_zone_is_unread_and_the_rest_is_there() {
    let text =
        calendar(&["DTSTART;TZID=Mars/Olympus:20260304T153000\r\nSUMMARY:a", "DTSTART:20260304T133000Z\r\nSUMMARY:b"]);
    assert_eq!(coming(&text, MOSCOW, 12), ["04 16:30 b"]);
    assert_eq!(read_calendar(text.as_bytes()).unwrap().unread, 1);
}

#[test]
fn an_alarm_inside_an_event_is_not_the_event() {
    let event = "DTSTART:20260304T133000Z\r\nSUMMARY:x\r\nBEGIN:VALARM\r\nSUMMARY:alarm\r\nDURATION:PT9H\r\nEND:VALARM";
    assert_eq!(coming(&calendar(&[event]), MOSCOW, 12), ["04 16:30 x"]);
}

#[rstest]
#[case::a_web_page("<html><body>Sign in</body></html>", CalendarError::NoCalendar)]
#[case::nothing("", CalendarError::NoCalendar)]
#[case::cut_off("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:2026", CalendarError::CutOff { line: 1 })]
#[case::unbalanced("BEGIN:VCALENDAR\nEND:VEVENT\nEND:VCALENDAR", CalendarError::Unbalanced { line: 2 })]
#[case::no_times("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:soon\nEND:VEVENT\nEND:VCALENDAR", CalendarError::NoTimes { events: 1 })]
fn a_broken_file_says_what_is_wrong(#[case] text: &str, #[case] expected: CalendarError) {
    assert_eq!(read_calendar(text.as_bytes()).unwrap_err(), expected);
}

#[test]
fn size_and_number_are_bounded() {
    assert_eq!(read_calendar(&vec![b'x'; LARGEST_CALENDAR + 1]).unwrap_err(), CalendarError::TooLarge);
    let many = "BEGIN:VCALENDAR\n".to_owned() + &"BEGIN:VEVENT\nEND:VEVENT\n".repeat(20_001) + "END:VCALENDAR\n";
    assert_eq!(read_calendar(many.as_bytes()).unwrap_err(), CalendarError::TooMany);
    let nested = "BEGIN:VCALENDAR\n".repeat(50_000);
    assert_eq!(read_calendar(nested.as_bytes()).unwrap_err(), CalendarError::Unbalanced { line: 17 });
}

#[test]
fn a_file_full_of_endless_repetitions_is_answered_with_the_first_hundred() {
    let events: Vec<String> = (0..9_000)
        .map(|n| format!("UID:{n}\nDTSTART:19700101T{:02}0000Z\nRRULE:FREQ=DAILY;COUNT=999999\nSUMMARY:e{n}", n % 24))
        .collect();
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let found = read_calendar(calendar(&events).as_bytes()).unwrap();
    let now: ZonedDateTime = MOSCOW.parse().unwrap();
    let coming = found.between(&now, &now.checked_add(SignedDuration::from_hours(12)).unwrap());
    assert!(coming.events.len() <= 100);
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        if let Ok(calendar) = read_calendar(&bytes) {
            prop_assert!(calendar.unread <= bytes.len());
        }
    }

    #[test]
    fn any_properties_give_events_inside_the_window(lines in prop::collection::vec(property(), 0..12)) {
        let text = calendar(&[&lines.join("\n"), "DTSTART:20260304T133000Z"]);
        let now: ZonedDateTime = MOSCOW.parse().unwrap();
        let to = now.checked_add(SignedDuration::from_hours(168)).unwrap();
        if let Ok(calendar) = read_calendar(text.as_bytes()) {
            for event in calendar.between(&now, &to).events {
                prop_assert!(event.starts < to && event.ends >= event.starts);
                prop_assert!(event.title.chars().count() <= 120);
            }
        }
    }
}

fn property() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "DTSTART",
        "DTEND",
        "DURATION",
        "RRULE",
        "EXDATE",
        "RDATE",
        "RECURRENCE-ID",
        "SUMMARY",
        "STATUS",
        "UID",
        "BEGIN",
        "END",
    ]);
    let parameter = prop::sample::select(vec!["", ";VALUE=DATE", ";TZID=Europe/Moscow", ";TZID=\"x:y\"", ";"]);
    let value = prop_oneof![
        prop::sample::select(vec![
            "20260304T133000Z",
            "20260304",
            "99991231T235959",
            "00010101",
            "20260304T246060",
            "FREQ=DAILY",
            "FREQ=WEEKLY;BYDAY=-5MO;INTERVAL=9999",
            "FREQ=MONTHLY;BYMONTHDAY=-128;BYSETPOS=-366",
            "FREQ=YEARLY;COUNT=4294967295",
            "FREQ=DAILY;UNTIL=00010101T000000Z",
            "P99999999W",
            "PT-5H",
            "VALARM",
            "VEVENT",
            "P1D",
            "-P1D",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,30}",
    ];
    (name, parameter, value).prop_map(|(name, parameter, value)| format!("{name}{parameter}:{value}"))
}
