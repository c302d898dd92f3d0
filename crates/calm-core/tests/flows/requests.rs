//! What is asked of Calm on the way, and the way back.

use calm_core::tools::{PracticeType, SetReminder, Urgency};
use calm_core::{Format, Kind, Lang, Question, ToolCall};
use rstest::rstest;

use crate::session::{Session, check_in, check_out, context};

#[rstest]
#[case::history(Lang::Ru, "какая у меня статистика?", "history_answer", "get_user_history")]
#[case::history_en(Lang::En, "how did i do last week?", "history_answer", "get_user_history")]
#[case::calendar(Lang::Ru, "какие сегодня новости?", "calendar_answer", "get_market_context")]
#[case::calendar_en(Lang::En, "any news today?", "calendar_answer", "get_market_context")]
#[case::person(Lang::Ru, "хочу поговорить с живым человеком", "person_answer", "escalate_to_human")]
#[case::person_en(Lang::En, "can I talk to a real person", "person_answer", "escalate_to_human")]
#[case::sum(Lang::Ru, "посчитай, сколько процентов 200 от 10000", "calculation_answer", "calculate")]
fn is_answered_with_the_call_and_the_question_stands(
    #[case] lang: Lang,
    #[case] said: &str,
    #[case] key: &str,
    #[case] tool: &str,
) {
    let calm = if lang == Lang::Ru { "спокоен" } else { "I'm calm" };
    let session = check_in(lang).say(calm).say(said);
    assert_eq!(session.keys().first(), Some(&key), "{:?}", session.keys());
    assert_eq!(session.tool().map(|t| t.name()), Some(tool));
    assert_eq!(session.asks(), Some(Question::Readiness));
    let session = session.say(if lang == Lang::Ru { "восемь" } else { "eight" });
    assert_eq!(session.ending().extracted_attributes.trading_readiness, Some(8));
}

#[test]
fn a_reminder_with_its_time_is_set_at_once() {
    let session = check_in(Lang::Ru).say("напомни через час выпить воды");
    assert!(session.keys().contains(&"reminder_set"), "{:?}", session.keys());
    let Some(ToolCall::SetReminder(SetReminder { text, in_minutes, .. })) = session.tool() else {
        panic!("a reminder is a call")
    };
    assert_eq!((in_minutes, text.as_str()), (Some(60), "выпить воды"));
}

#[rstest]
#[case::ru(Lang::Ru, "напомни мне про чек-аут", "через 5 минут", 5)]
#[case::en(Lang::En, "remind me to check out", "in 5 minutes", 5)]
fn a_reminder_without_a_time_asks_for_it_and_takes_no_level_for_it(
    #[case] lang: Lang,
    #[case] said: &str,
    #[case] time: &str,
    #[case] minutes: u32,
) {
    let calm = if lang == Lang::Ru { "спокоен" } else { "I'm calm" };
    let session = check_in(lang).say(calm).say(said);
    assert_eq!(session.keys(), ["reminder_when"]);
    assert_eq!((session.asks(), session.tool()), (None, None));
    let session = session.say(time);
    assert!(session.keys().contains(&"reminder_set"));
    assert!(matches!(session.tool(), Some(ToolCall::SetReminder(r)) if r.in_minutes == Some(minutes)));
    assert_eq!(session.asks(), Some(Question::Readiness));
    assert_eq!(session.state.known().readiness, None);
}

#[test]
fn a_sum_that_nobody_can_work_out_is_said_to_be_one() {
    let session = check_in(Lang::Ru).say("спокоен").say("посчитай мне что-нибудь");
    assert_eq!(session.keys(), ["calculation_unclear", "ask_readiness"]);
    assert_eq!(session.tool(), None);
}

#[test]
fn what_is_said_along_with_a_request_is_heard_and_nothing_closes_over_it() {
    let session = check_out(Lang::Ru).say("закрыл день в плюс, спокоен. Какая у меня статистика?");
    assert!(session.keys().contains(&"ack_win") && session.keys().contains(&"history_answer"));
    assert!(session.end.is_none(), "one call is enough for a reply");
}

#[rstest]
#[case::breathing(Lang::Ru, "давай подышим", PracticeType::Breathing)]
#[case::grounding(Lang::Ru, "помоги заземлиться", PracticeType::Grounding)]
#[case::journal(Lang::Ru, "дай упражнение, хочется что-то записать", PracticeType::Journaling)]
#[case::en(Lang::En, "give me a grounding exercise", PracticeType::Grounding)]
fn a_practice_that_is_asked_for_comes_without_another_question(
    #[case] lang: Lang,
    #[case] said: &str,
    #[case] practice: PracticeType,
) {
    let session = check_in(lang).say(said);
    assert!(session.keys().ends_with(&["practice_asked", "practice_start"]), "{:?}", session.keys());
    assert!(matches!(session.tool(), Some(ToolCall::SuggestPractice(c)) if c.practice_type == practice));
    assert_eq!(session.asks(), Some(Question::AfterPractice));
    let session = session.say(if lang == Lang::Ru { "полегче" } else { "better" });
    assert_eq!(session.keys().first(), Some(&"practice_better"));
    assert_eq!(session.asks(), Some(Question::Readiness), "then the talk goes on");
}

#[test]
fn high_stress_makes_a_practice_that_is_asked_for_urgent() {
    let session = check_in(Lang::Ru).say("стресс девять, давай подышим");
    assert!(session.keys().contains(&"ack_high_stress"));
    assert!(matches!(session.tool(), Some(ToolCall::SuggestPractice(c)) if c.urgency == Urgency::Immediate));
}

#[test]
fn nobody_who_had_a_practice_is_offered_another() {
    let session = check_in(Lang::Ru).say("стресс девять, давай подышим").say("так себе");
    assert_ne!(session.asks(), Some(Question::Practice));
    assert_eq!(session.keys().last(), Some(&"close_not_ready"));
}

#[test]
fn the_third_practice_is_one_too_many() {
    let session = Session::open(Lang::Ru, context(Kind::CheckIn, Format::Unlimited))
        .say("давай подышим")
        .say("полегче")
        .say("давай подышим еще")
        .say("хорошо")
        .say("дай еще упражнение");
    assert!(session.keys().contains(&"practice_none_more"), "{:?}", session.keys());
    assert_eq!(session.tool(), None);
}

#[test]
fn an_offer_that_was_declined_can_still_be_asked_for() {
    let session = Session::open(Lang::Ru, context(Kind::CheckIn, Format::Unlimited))
        .say("стресс девять")
        .say("работа")
        .say("нет, не надо");
    assert!(session.keys().contains(&"respect_decline"), "{:?}", session.keys());
    let session = session.say("хотя давай подышим");
    assert!(matches!(session.tool(), Some(ToolCall::SuggestPractice(_))));
}

#[test]
fn the_third_time_that_advice_is_asked_for_closes_kindly() {
    let session = check_in(Lang::Ru).say("стоит ли мне покупать сбер?");
    assert_eq!(session.keys()[..3], ["advice_boundary", "advice_own_rule", "advice_adviser"]);
    let session = session.say("ну а куда пойдет рынок?");
    assert_eq!(session.keys(), ["advice_boundary", "offer_pause"]);
    assert_eq!(session.slot("minutes").as_deref(), Some("2"));
    let session = session.say("ладно, а в лонг или шорт?");
    assert_eq!(session.keys(), ["advice_boundary", "close_after_advice"]);
    assert!(!session.forced());
}

#[test]
fn whoever_asks_to_remember_hears_that_it_is_kept() {
    let keys = check_in(Lang::Ru).say("запомни, что по пятницам я не торгую").keys();
    assert!(keys.contains(&"will_remember"), "{keys:?}");
    let keys = check_in(Lang::Ru).say("запомнилась мне вчерашняя сделка").keys();
    assert!(!keys.contains(&"will_remember"), "{keys:?}");
}
