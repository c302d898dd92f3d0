//! How a session begins: by the hour, by the last days, by the plan.

use calm_core::context::{CheckinFacts, SessionResult, Streak, StreakKind};
use calm_core::{Format, Kind, Lang};
use rstest::rstest;

use crate::session::{Session, check_out_after_plan, context};

#[rstest]
#[case::morning(8, "open_checkin_morning")]
#[case::midday(13, "open_checkin")]
#[case::evening(20, "open_checkin_evening")]
#[case::late(23, "open_checkin_late")]
#[case::deep_night(3, "open_checkin_late")]
#[case::no_such_hour(77, "open_checkin")]
fn a_check_in_opens_by_the_hour(#[case] hour: u8, #[case] opening: &str) {
    let session = Session::open_at(Lang::Ru, context(Kind::CheckIn, Format::Short), hour);
    assert_eq!(session.keys(), ["greeting", "disclosure", opening]);
}

#[test]
fn a_check_in_after_a_losing_day_opens_gently() {
    let mut after_loss = context(Kind::CheckIn, Format::Short);
    after_loss.user.last_session_result = Some(SessionResult::Loss);
    let session = Session::open_at(Lang::En, after_loss.clone(), 9);
    assert_eq!(session.keys().last(), Some(&"open_checkin_after_loss"));
    after_loss.user.streak = Some(Streak { kind: StreakKind::Losing, count: 3 });
    let session = Session::open(Lang::En, after_loss);
    assert_eq!(session.keys().last(), Some(&"open_checkin_gentle"));
}

#[test]
fn a_check_out_remembers_the_plan_and_minds_the_late_hour() {
    let session = check_out_after_plan(Lang::Ru, "две сделки и стоп");
    assert_eq!(session.keys().last(), Some(&"open_checkout_with_plan"));
    assert_eq!(session.slot("plan").as_deref(), Some("две сделки и стоп"));
    let mut late = context(Kind::CheckOut, Format::Short);
    late.previous_checkin =
        Some(CheckinFacts { planned_approach: Some("две сделки".to_owned()), ..Default::default() });
    let session = Session::open_at(Lang::Ru, late, 1);
    assert_eq!(session.keys().last(), Some(&"open_checkout_late"));
}

#[test]
fn the_name_is_said_where_it_is_known() {
    let mut named = context(Kind::CheckIn, Format::Short);
    named.user.name = Some("Аня".to_owned());
    assert_eq!(Session::open(Lang::Ru, named).slot("name").as_deref(), Some("Аня"));
}
