//! Risk is named, once, without a verdict, and where help is to be found.

use calm_core::context::{SessionResult, Streak, StreakKind};
use calm_core::end_session::{NextAction, PlanAdherence, ResultCategory};
use calm_core::tools::PracticeType;
use calm_core::understand::{Sum, Unit};
use calm_core::{Format, Kind, Lang, Question, ToolCall};
use rstest::rstest;

use crate::session::{Session, check_in, check_out, check_out_after_plan, context, tense_voice};

fn on_a_losing_streak(count: u32) -> Session {
    let mut context = context(Kind::CheckOut, Format::Short);
    context.user.streak = Some(Streak { kind: StreakKind::Losing, count });
    Session::open(Lang::Ru, context)
}

#[test]
fn a_loan_is_named_whatever_else_was_said() {
    let session =
        on_a_losing_streak(4).say("опять закрыл день в минус тысячу, злой как черт, взял кредит чтобы торговать");
    assert_eq!(session.keys()[..3], ["ack_loss", "gambling_harm", "gambling_help"]);
    let ending = session.leave().ending().clone();
    assert!(ending.risk_flags.needs_attention);
    assert_eq!(ending.recommended_next_action, NextAction::SeekSupport);
}

#[test]
fn chasing_once_is_named_and_again_brings_help_once() {
    let medium = Session::open(Lang::Ru, context(Kind::CheckOut, Format::Medium));
    let session = medium.say("закрыл день в минус 300, хочу отыграться");
    assert!(session.keys().contains(&"name_revenge"));
    assert!(!session.keys().contains(&"gambling_help"));
    assert_eq!(session.asks(), Some(Question::Practice), "a pause comes before the other questions");
    let session = session.say("злюсь, надо отбить деньги");
    assert!(session.keys().contains(&"chasing_harm"), "{:?}", session.keys());
    assert!(session.keys().contains(&"gambling_help"), "{:?}", session.keys());
    assert!(!session.keys().contains(&"gambling_harm"), "nobody borrowed anything");
    let session = session.say("хочу отыграться и всё");
    let times = session.everything_said().iter().filter(|k| **k == "gambling_help").count();
    assert_eq!(times, 1);
}

#[test]
fn chasing_in_a_streak_is_chasing_again() {
    let session = on_a_losing_streak(2).say("закрыл день в минус, хочу отыграться");
    assert!(session.keys().contains(&"chasing_harm"));
    assert!(session.keys().contains(&"gambling_help"));
    assert!(!session.everything_said().contains(&"close_loss"));
}

#[test]
fn chasing_that_is_a_known_pattern_is_chasing_again() {
    let mut context = context(Kind::CheckOut, Format::Short);
    context.user.known_patterns = vec!["после минуса хочет отыграться".to_owned()];
    let session = Session::open(Lang::Ru, context).say("минус сто, тянет отыграться");
    assert!(session.keys().contains(&"gambling_help"));
}

#[rstest]
#[case::ru(Lang::Ru, "вчера плюс, меня прёт, хочу увеличить объём вдвое")]
#[case::en(Lang::En, "made 500 dollars yesterday, I can't lose, I want to do more trades")]
fn overconfidence_before_trading_gets_its_reality_check_at_once(#[case] lang: Lang, #[case] said: &str) {
    let session = check_in(lang).say(said);
    assert!(session.keys().contains(&"name_overconfidence"), "{:?}", session.keys());
    assert_eq!(session.asks(), Some(Question::Readiness));
    // No number of readiness changes it: the journal is offered before the market, and no push comes with it.
    let session = session.say("10");
    assert_eq!(session.asks(), Some(Question::Practice));
    assert_eq!(session.state.offered(), Some(PracticeType::Journaling));
}

#[test]
fn a_no_to_the_journal_closes_without_a_verdict() {
    let session =
        check_in(Lang::Ru).say("вчера плюс, меня прёт, хочу увеличить объём вдвое").say("готовность десять").say("нет");
    assert_eq!(session.keys(), ["respect_decline", "close_open"]);
}

#[test]
fn going_on_after_a_win_gets_the_users_own_rule_and_no_verdict() {
    let session = check_out_after_plan(Lang::En, "two trades and done")
        .say("Up a thousand! I can't lose today, I want to do more trades");
    assert!(session.keys().contains(&"name_overconfidence"));
    assert_eq!(session.asks(), Some(Question::GoOn));
    let session = session.say("yeah I'll keep going");
    assert_eq!(session.keys(), ["advice_own_plan", "close_going_on"]);
    assert_eq!(session.slot("plan").as_deref(), Some("two trades and done"));
    assert!(session.ending().risk_flags.overconfidence);
}

#[test]
fn ten_trades_on_a_plan_of_two_are_off_the_plan() {
    let session =
        check_out_after_plan(Lang::Ru, "две сделки и стоп").say("закрыл день в минус 100, сделал десять сделок");
    assert!(session.keys().contains(&"overtrading"), "{:?}", session.keys());
    assert_ne!(session.asks(), Some(Question::PlanComparison), "the numbers have said it");
    let known = session.leave().ending().extracted_attributes.clone();
    assert_eq!(known.plan_adherence, Some(PlanAdherence::Deviated));
    let angry = check_out_after_plan(Lang::Ru, "две сделки").say("закрыл день в минус 100, девять сделок, бесит");
    assert!(angry.leave().ending().risk_flags.tilt_risk, "a loss off the plan in anger");
    let session = check_out_after_plan(Lang::Ru, "две сделки и стоп").say("закрыл день в минус 100, две сделки");
    assert_ne!(session.leave().ending().extracted_attributes.plan_adherence, Some(PlanAdherence::Deviated));
}

#[test]
fn a_known_pattern_is_a_guess_said_once_and_where_it_fits() {
    let known = |said: &str| {
        let mut context = context(Kind::CheckIn, Format::Medium);
        context.user.known_patterns =
            vec!["тревожность перед важными новостями".to_owned(), "мало спит по понедельникам".to_owned()];
        Session::open(Lang::Ru, context).say(said)
    };
    let session = known("тревожно как-то сегодня");
    assert!(session.keys().contains(&"known_pattern"));
    assert_eq!(session.slot("pattern").as_deref(), Some("тревожность перед важными новостями"));
    let session = session.say("спал нормально, но тревожно");
    let times = session.everything_said().iter().filter(|k| **k == "known_pattern").count();
    assert_eq!(times, 1);
    assert!(!known("все спокойно").everything_said().contains(&"known_pattern"));
}

#[test]
fn fine_words_over_a_tense_voice_are_not_taken_for_fine() {
    let session = check_in(Lang::En).speak("all good", tense_voice(9));
    let ending = session.leave().ending().clone();
    assert_eq!(ending.extracted_attributes.primary_emotion.as_deref(), Some("fear"));
    let mut unclear = tense_voice(9);
    unclear.primary_emotion = "unclear".to_owned();
    let ending = check_in(Lang::En).speak("all good", unclear).leave().ending().clone();
    assert_eq!(ending.extracted_attributes.primary_emotion.as_deref(), Some("neutral"));
    assert!(ending.extracted_attributes.confidence.is_some_and(|sure| sure < 0.5));
}

#[test]
fn regret_satisfaction_and_self_blame_are_heard() {
    let session = check_out(Lang::Ru).say("минус 50, я идиот");
    assert!(session.keys().contains(&"ack_self_blame"), "{:?}", session.keys());
    let session = check_out(Lang::Ru).say("закрыл день в плюс, удовлетворение 8 из 10");
    assert!(session.keys().contains(&"ack_satisfaction"), "{:?}", session.keys());
    let session = check_out(Lang::Ru).say("закрыл день в минус, сожаление 9 из 10");
    assert!(session.keys().contains(&"ack_regret"), "{:?}", session.keys());
}

#[test]
fn a_size_that_was_said_is_given_back() {
    let session = check_out(Lang::Ru).say("потерял много денег");
    assert!(session.keys().contains(&"ack_loss_large"), "{:?}", session.keys());
    let session = check_out(Lang::En).say("a small loss today");
    assert!(session.keys().contains(&"ack_loss_small"), "{:?}", session.keys());
}

#[test]
fn a_sum_is_small_or_large_against_the_users_own_days() {
    let money = |value: i64| Sum { value: value * 100, unit: Unit::Money };
    let days = [100, 90, 110, 100, 120].map(money).to_vec();
    for (said, size, key) in [
        ("закрыл день в минус 500 долларов", ResultCategory::Large, "ack_loss_large"),
        ("закрыл день в минус 100 долларов", ResultCategory::Medium, "ack_loss"),
        ("закрыл день в минус 20 долларов", ResultCategory::Small, "ack_loss"),
    ] {
        let mut session = check_out(Lang::Ru);
        session.state = session.state.with_usual(days.clone());
        let session = session.say(said);
        assert!(session.keys().contains(&key), "{said}: {:?}", session.keys());
        assert_eq!(session.leave().ending().extracted_attributes.result_category, Some(size), "{said}");
    }
    let unknown = check_out(Lang::Ru).say("закрыл день в минус 500 долларов").leave();
    assert_eq!(unknown.ending().extracted_attributes.result_category, None);
}

#[test]
fn the_farewell_of_a_losing_streak_is_about_the_process() {
    let session = on_a_losing_streak(3).say("закрыл день в минус сто").say("держусь, спокойно");
    assert_eq!(session.keys()[session.keys().len() - 2..], ["process_over_result", "close_streak"]);
    assert_eq!(session.ending().extracted_attributes.session_result, Some(SessionResult::Loss));
    assert!(matches!(session.tool(), Some(ToolCall::EndSession(_))));
}
