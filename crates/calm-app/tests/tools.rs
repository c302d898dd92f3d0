//! What the tools answer, over a real database, real files and a real server on the loopback.
#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use calm_app::core::tools::{
    Calculate, EscalateToHuman, GetMarketContext, GetUserHistory, RunTrigger, SetReminder, ToolCall, When,
};
use calm_app::settings::{CalendarSource, Contact};
use calm_app::tools::Done;
use calm_app::triggers::Action;
use calm_app::{Begin, Clock, Conductor, Format, Kind, Lang, Paths, Secrets, Settings};
use rstest::rstest;

/// A Wednesday, noon in Moscow.
const NOON: &str = "2026-03-04T09:00:00Z";

struct House(tempfile::TempDir);

impl House {
    fn new() -> House {
        House(tempfile::tempdir().unwrap())
    }

    fn at(&self, now: &str) -> Conductor {
        let paths = Paths { data: self.0.path().join("data"), models: self.0.path().join("models") };
        let clock = Clock::Fixed(now.parse().unwrap());
        let mut conductor = Conductor::open(paths, Secrets::File, clock, Box::new(|_| {})).unwrap();
        let settings = conductor.settings().clone();
        let zone = Some("Europe/Moscow".to_owned());
        conductor.save_settings(Settings { language: Lang::Ru, time_zone: zone, ..settings }).unwrap();
        conductor
    }
}

fn reminder(at: &str) -> ToolCall {
    ToolCall::SetReminder(SetReminder {
        text: "выйти из терминала.".into(), at: Some(at.into()), in_minutes: None
    })
}

fn talk(house: &House, at: &str, kind: Kind, said: &[&str]) {
    let mut conductor = house.at(at);
    conductor.begin(&Begin::new(kind, Format::Medium, "terminal").seeded(1)).unwrap();
    for words in said {
        if conductor.running().is_some() {
            conductor.say(words).unwrap();
        }
    }
    conductor.leave().unwrap();
}

fn history(conductor: &mut Conductor) -> Done {
    conductor.carry_out(&ToolCall::GetUserHistory(GetUserHistory { days: Some(7) }))
}

#[test]
fn a_history_of_nothing_is_a_beginning() {
    let done = history(&mut House::new().at(NOON));
    assert_eq!(done.spoken, "за 7 дней пока пусто, история начнётся с этого разговора");
    assert_eq!((done.success, &done.result["sessions"]["n"]), (true, &0.into()));
}

#[test]
fn a_history_counts_what_was_said_and_explains_nothing() {
    let house = House::new();
    for (day, result) in
        [(1, "минус двести, всё по плану"), (2, "минус сто, по плану"), (3, "плюс триста, нарушил план")]
    {
        talk(&house, &format!("2026-03-0{day}T06:00:00Z"), Kind::CheckIn, &["стресс 6, готовность 7"]);
        talk(&house, &format!("2026-03-0{day}T18:00:00Z"), Kind::CheckOut, &[result, "стресс 4"]);
    }
    talk(&house, "2026-02-01T18:00:00Z", Kind::CheckOut, &["минус двести"]);
    let done = history(&mut house.at(NOON));
    assert_eq!(done.result["sessions"]["n"], 6);
    assert_eq!((&done.result["results"]["loss"], &done.result["results"]["win"]), (&2.into(), &1.into()));
    assert_eq!((&done.result["plan"]["n"], &done.result["plan"]["followed_percent"]), (&3.into(), &67.into()));
    assert_eq!((&done.result["stress"]["mean_before"], &done.result["stress"]["n"]), (&"6.0".into(), &3.into()));
    assert_eq!(
        done.spoken,
        "за 7 дней 6 разговоров; дни: 1 в плюс, 2 в минус; по плану 2 из 3; напряжение до торговли 6,0, после 4,0"
    );
    for causal in ["потому", "из-за", "поэтому", "благодаря"] {
        assert!(!done.spoken.contains(causal));
    }
}

#[rstest]
#[case::soon("12:30", "через 30 минут, в 12:30, «выйти из терминала»", "2026-03-04T12:30:00+03:00")]
#[case::later("15:30", "сегодня в 15:30, «выйти из терминала»", "2026-03-04T15:30:00+03:00")]
#[case::passed_today("09:00", "завтра в 9:00, «выйти из терминала»", "2026-03-05T09:00:00+03:00")]
#[case::of_the_two("09:00/21:00", "сегодня в 21:00, «выйти из терминала»", "2026-03-04T21:00:00+03:00")]
#[case::weekday("saturday 10:00", "в субботу в 10:00, «выйти из терминала»", "2026-03-07T10:00:00+03:00")]
fn a_reminder_is_set_in_the_users_zone(#[case] at: &str, #[case] spoken: &str, #[case] moment: &str) {
    let mut conductor = House::new().at(NOON);
    let done = conductor.carry_out(&reminder(at));
    assert_eq!((done.spoken.as_str(), done.result["reminder"]["at"].as_str()), (spoken, Some(moment)));
    assert_eq!(conductor.reminders().unwrap().len(), 1);
}

#[rstest]
#[case::past("2026-03-04T11:00", "that moment has passed")]
#[case::far("2026-03-20T11:00", "that is more than a week ahead")]
#[case::no_form("перед открытием", "the time must be a local time")]
fn a_reminder_that_cannot_be_is_refused_kindly(#[case] at: &str, #[case] error: &str) {
    let mut conductor = House::new().at(NOON);
    let done = conductor.carry_out(&reminder(at));
    assert!(!done.success && done.result["success"] == false);
    assert!(done.result["error"].as_str().unwrap().starts_with(error), "{:?}", done.result);
    assert!(done.spoken.ends_with('.') && !done.spoken.contains('!'));
    assert!(conductor.reminders().unwrap().is_empty());
}

#[test]
fn a_reminder_rings_once_and_says_when_it_is_late() {
    let house = House::new();
    let mut conductor = house.at(NOON);
    conductor.add_reminder(When::In(10), "вода").unwrap();
    conductor.add_reminder(When::In(60), "план").unwrap();
    assert!(conductor.due().unwrap().is_empty());
    drop(conductor);

    let rings = house.at("2026-03-04T09:10:30Z").due().unwrap();
    assert_eq!((rings.len(), rings[0].words(Lang::Ru).as_str()), (1, "вода"));
    assert!(house.at("2026-03-04T09:11:00Z").due().unwrap().is_empty(), "it has rung");

    let late = house.at("2026-03-04T12:00:00Z").due().unwrap();
    assert_eq!(late[0].words(Lang::Ru), "Пока компьютер спал, подошло напоминание на 13:00: план");
    assert_eq!(late[0].late_minutes, Some(120));
}

#[test]
fn two_processes_ring_it_once() {
    let house = House::new();
    let mut one = house.at(NOON);
    for minute in 1..=20 {
        one.add_reminder(When::In(minute), "вода").unwrap();
    }
    drop(one);
    let later = "2026-03-04T10:00:00Z";
    let (mut window, mut terminal) = (house.at(later), house.at(later));
    let other = std::thread::spawn(move || terminal.due().unwrap().len());
    let rang = window.due().unwrap().len() + other.join().unwrap();
    assert_eq!(rang, 20);
}

const WEEK: &str = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:20260304T133000Z\r\nSUMMARY:Non-farm payrolls.\r\nEND:VEVENT\r\n\
    BEGIN:VEVENT\r\nDTSTART:20260305T100000Z\r\nSUMMARY:CPI\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

fn with_calendar(house: &House, now: &str, source: CalendarSource) -> Conductor {
    let mut conductor = house.at(now);
    let settings = conductor.settings().clone();
    conductor.save_settings(Settings { calendar: Some(source), ..settings }).unwrap();
    conductor
}

fn market(conductor: &mut Conductor, hours: Option<u16>) -> Done {
    conductor.carry_out(&ToolCall::GetMarketContext(GetMarketContext { hours }))
}

#[test]
fn without_a_calendar_it_says_so() {
    let done = market(&mut House::new().at(NOON), None);
    assert_eq!(done.result["error"], "not configured: the user has named no calendar");
    assert_eq!(done.spoken, "Календарь пока не подключён. Его можно указать в настройках.");
}

#[test]
fn a_calendar_from_a_file_in_the_users_time() {
    let house = House::new();
    let path = house.0.path().join("Мой календарь.ics");
    std::fs::write(&path, WEEK).unwrap();
    let mut conductor = with_calendar(&house, NOON, CalendarSource::File(path.clone()));
    let today = market(&mut conductor, None);
    assert_eq!(today.spoken, "16:30 Non-farm payrolls");
    assert_eq!(today.result["events"][0]["at"], "2026-03-04T16:30:00+03:00");
    assert_eq!(market(&mut conductor, Some(48)).spoken, "16:30 Non-farm payrolls; завтра в 13:00 CPI");
    assert_eq!(market(&mut conductor, Some(1)).spoken, "на это время ничего");

    std::fs::write(&path, "<html>Sign in</html>").unwrap();
    let broken = market(&mut conductor, None);
    assert_eq!(broken.result["error"], "it is no iCalendar file: BEGIN:VCALENDAR is missing");
    std::fs::remove_file(&path).unwrap();
    assert!(!market(&mut conductor, None).success);
}

/// Answers as long as `up`, and counts.
fn server(body: &'static str) -> (String, Arc<AtomicUsize>, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/week.ics?key=secret", listener.local_addr().unwrap());
    let (asked, down) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (count, is_down) = (Arc::clone(&asked), Arc::clone(&down));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let read = stream.read(&mut request).unwrap();
            assert!(request[..read].starts_with(b"GET /week.ics?key=secret HTTP/1.1\r\n"));
            count.fetch_add(1, Ordering::SeqCst);
            let answer = if is_down.load(Ordering::SeqCst) > 0 {
                "HTTP/1.1 503 Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned()
            } else {
                format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
            };
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    (address, asked, down)
}

#[test]
fn a_calendar_on_the_network_is_fetched_once_an_hour_and_kept_for_the_time_without_one() {
    let house = House::new();
    let (address, asked, down) = server(WEEK);
    let source = CalendarSource::Url(address);
    let mut conductor = with_calendar(&house, NOON, source.clone());
    assert_eq!(market(&mut conductor, None).spoken, "16:30 Non-farm payrolls");
    let ledger = conductor.store().ledger(10).unwrap();
    assert_eq!(ledger.len(), 1);
    assert!(ledger[0].row.url.ends_with("/week.ics?key=…"), "{}", ledger[0].row.url);
    drop(conductor);

    let mut half_an_hour_later = with_calendar(&house, "2026-03-04T09:30:00Z", source.clone());
    assert!(market(&mut half_an_hour_later, None).success);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    drop(half_an_hour_later);

    let mut later = with_calendar(&house, "2026-03-04T10:30:00Z", source.clone());
    assert!(market(&mut later, None).success);
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    drop(later);

    down.store(1, Ordering::SeqCst);
    let mut offline = with_calendar(&house, "2026-03-04T12:00:00Z", source);
    let done = market(&mut offline, None);
    assert_eq!(done.spoken, "по копии, снятой сегодня в 13:30; 16:30 Non-farm payrolls");
    assert_eq!(done.result["copy_of"], "2026-03-04T13:30:00+03:00");
}

#[test]
fn a_calendar_that_was_never_reached_is_a_kind_refusal() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/a.ics", listener.local_addr().unwrap());
    drop(listener);
    let house = House::new();
    let done = market(&mut with_calendar(&house, NOON, CalendarSource::Url(address)), None);
    assert_eq!(done.spoken, "До календаря сейчас не достучаться, и копии у меня нет.");
    assert!(done.result["error"].as_str().unwrap().starts_with("the server cannot be reached"));
}

#[test]
fn people_to_turn_to_are_there_offline_and_nothing_is_sent() {
    let house = House::new();
    let mut conductor = house.at(NOON);
    let settings = conductor.settings().clone();
    let contact = Some(Contact { name: "Аня".into(), how: "+7 900 000-00-00".into() });
    let safety_plan = vec!["выйти на улицу".into(), "позвонить Ане".into()];
    conductor.save_settings(Settings { trusted_contact: contact, safety_plan, ..settings }).unwrap();
    let done = conductor.carry_out(&ToolCall::EscalateToHuman(EscalateToHuman::default()));
    assert!(done.spoken.starts_with("твой человек Аня: +7 900 000-00-00; "), "{}", done.spoken);
    assert!(done.spoken.contains("экстренная помощь 112"));
    assert!(done.spoken.ends_with("твой план на такой час: выйти на улицу, позвонить Ане"));
    assert_eq!((&done.result["emergency"], &done.result["sent"]), (&"112".into(), &false.into()));
    assert!(conductor.store().ledger(1).unwrap().is_empty());
    let listed = done.result["helplines"].as_array().unwrap();
    assert!(listed.iter().any(|line| line["check_this_number"] == true), "the list says which number is old");
    assert!(listed.iter().all(|line| done.spoken.contains(line["number"].as_str().unwrap())));
    assert!(!done.spoken.contains("проверить"), "what is said is clean: {}", done.spoken);
}

#[test]
fn a_sum_says_its_formula_and_an_impossible_one_what_is_wrong() {
    let mut conductor = House::new().at(NOON);
    let sum = |result: &str, risk: &str| {
        ToolCall::Calculate(Calculate::RMultiple { result: result.into(), risk: risk.into() })
    };
    let done = conductor.carry_out(&sum("-250", "100"));
    assert_eq!((done.spoken.as_str(), &done.result["value"]), ("−250 / 100 = −2,5 R", &"−2,5 R".into()));
    let done = conductor.carry_out(&sum("5", "0"));
    assert_eq!(done.spoken, "На ноль делить не выйдет. Назови числа ещё раз.");
    assert_eq!(done.result["error"], "it would divide by zero");
}

#[test]
fn a_plan_is_carried_out_and_an_unknown_one_refused() {
    let mut conductor = House::new().at(NOON);
    let plan = conductor.add_plan("пауза", "тянет отыграться", &[Action::Pause { minutes: 15 }]).unwrap();
    let run = |id: &str| ToolCall::RunTrigger(RunTrigger { trigger_id: id.into() });
    let done = conductor.carry_out(&run(&plan.id));
    assert_eq!((done.success, done.spoken.as_str()), (true, "пауза на 15 мин"));
    let done = conductor.carry_out(&run("made-up"));
    assert_eq!((done.success, &done.result["success"]), (false, &false.into()));
    assert_eq!(done.spoken, "Этот план сейчас не запустить: его нет или он выключен.");
}
