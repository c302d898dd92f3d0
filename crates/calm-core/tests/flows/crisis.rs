//! Severe distress: asked once, helped, never pushed, closed by nobody but the user.

use calm_core::context::StreakKind;
use calm_core::end_session::NextAction;
use calm_core::{Format, Kind, Lang, Question, ToolCall};
use rstest::rstest;

use crate::session::{Session, check_in, check_out, context};

fn about_trading(key: &str) -> bool {
    let others = ["ask_readiness", "ask_plan", "ask_result", "ask_plan_comparison", "ack_readiness", "ack_loss"];
    others.contains(&key) || key.starts_with("offer_") || key.starts_with("close_") || key.starts_with("advice_")
}

#[rstest]
#[case::ru(Lang::Ru, "не хочу жить", "да я в порядке, забудь", "правда, все нормально")]
#[case::a_joke_ru(Lang::Ru, "хочу умереть", "это была шутка", "ну пошутил я, ложная тревога")]
#[case::en(Lang::En, "I want to die", "I'm fine, forget it", "really, it was just a figure of speech")]
fn one_denial_stays_and_the_second_closes_without_shame(
    #[case] lang: Lang,
    #[case] distress: &str,
    #[case] once: &str,
    #[case] twice: &str,
) {
    let session = check_in(lang).say(distress).say(once);
    assert_eq!(session.keys(), ["crisis_denied", "ask_someone_near"]);
    let session = session.say(twice);
    assert_eq!(session.keys(), ["false_alarm_close"]);
    assert!(!session.forced());
    let ending = session.ending();
    assert!(ending.risk_flags.needs_attention, "the evidence stays");
    assert!(ending.risk_flags.evidence.contains_key("needs_attention"));
    assert_eq!(ending.recommended_next_action, NextAction::SeekSupport);
    assert!(!session.everything_said().iter().any(|k| about_trading(k)));
}

#[test]
fn a_new_sign_after_a_denial_counts_more_than_the_denial() {
    let session = check_out(Lang::Ru).say("не хочу жить").say("забудь, я в порядке").say("не вижу смысла жить");
    assert_eq!(session.keys(), ["crisis_again", "crisis_person", "crisis_helplines", "ask_safety"]);
    let session = session.say("всё нормально");
    assert!(session.end.is_none());
}

/// What it could be done with is near: distance to it, and the number, in the same turn.
#[rstest]
#[case::pills(Lang::Ru, "не хочу жить", "таблетки рядом", true)]
#[case::a_rope(Lang::Ru, "не хочу жить", "верёвка уже есть", true)]
#[case::a_height(Lang::Ru, "не хочу жить", "стою на балконе", true)]
#[case::none(Lang::Ru, "не хочу жить", "нет, таблеток нет", false)]
#[case::another_crisis(Lang::Ru, "всё слил, все деньги семьи, жить не на что", "нож в спину от брокера", false)]
#[case::pills_en(Lang::En, "I want to kill myself", "yes I have pills here", true)]
#[case::a_roof(Lang::En, "I want to kill myself", "I'm on the roof", true)]
fn means_at_hand_are_answered(#[case] lang: Lang, #[case] first: &str, #[case] then: &str, #[case] near: bool) {
    let session = check_out(lang).say(first).say(then);
    let keys = session.keys();
    assert_eq!(keys.contains(&"crisis_means"), near, "{keys:?}");
    assert!(!near || keys.contains(&"crisis_helplines"), "{keys:?}");
    assert!(session.end.is_none());
}

#[rstest]
#[case::ru(Lang::Ru, "не хочу больше жить", "всё, не хочу разговаривать")]
#[case::en(Lang::En, "I want to kill myself", "I don't want to talk")]
fn a_wish_to_stop_is_respected_with_numbers_at_hand(#[case] lang: Lang, #[case] distress: &str, #[case] stop: &str) {
    let session = check_out(lang).say(distress).say(stop);
    assert_eq!(session.keys(), ["crisis_close", "crisis_helplines"]);
    assert_eq!(session.ending().recommended_next_action, NextAction::SeekSupport);
}

#[test]
fn nothing_about_trading_even_when_asked() {
    let session = check_in(Lang::Ru)
        .say("слил депозит, не хочу жить")
        .say("стоит ли мне закрыть позицию?")
        .say("готовность десять, план две сделки")
        .say("посчитай сколько это процентов от 1000");
    assert!(!session.everything_said().iter().any(|k| about_trading(k)), "{:?}", session.everything_said());
    let ending = session.leave().ending().clone();
    assert_eq!(ending.extracted_attributes.trading_readiness, None);
    assert_eq!(ending.recommended_actions.practice_type, None);
    assert!(!ending.session_summary.contains("10"), "{}", ending.session_summary);
}

#[rstest]
#[case::ru(Lang::Ru, "у меня паническая атака, не могу дышать")]
#[case::en(Lang::En, "I'm having a panic attack, I can't breathe")]
fn panic_is_met_with_something_to_hold_on_to_first(#[case] lang: Lang, #[case] distress: &str) {
    let session = check_in(lang).say(distress);
    assert_eq!(session.keys(), ["crisis_panic", "crisis_grounding", "crisis_helplines", "ask_safety"]);
    assert_eq!(session.tool(), None);
}

#[test]
fn ruin_on_borrowed_money_is_told_where_help_with_that_is() {
    let session = check_out(Lang::Ru).say("взял кредит чтобы торговать и потерял все деньги, это конец");
    assert_eq!(session.keys(), ["crisis_ruin", "crisis_helplines", "gambling_help", "ask_safety"]);
    let session = check_out(Lang::Ru).say("потерял все сбережения");
    assert_eq!(session.keys(), ["crisis_ruin", "crisis_helplines", "ask_safety"]);
}

#[test]
fn asking_for_help_in_a_crisis_brings_grounding_in_words_and_people_by_the_tool() {
    let session = check_in(Lang::Ru).say("не хочу жить").say("помоги успокоиться");
    assert_eq!(session.keys().first(), Some(&"crisis_grounding"));
    assert_eq!(session.tool(), None, "no practice is sold to somebody in a crisis");
    let session = session.say("хочу поговорить с живым человеком");
    assert_eq!(session.keys()[..2], ["crisis_person", "crisis_helplines"]);
    assert!(matches!(session.tool(), Some(ToolCall::EscalateToHuman(_))));
}

#[test]
fn nobody_near_brings_a_person_the_numbers_and_a_foothold() {
    let session = check_out(Lang::En).say("I want to die").say("no").say("nobody");
    assert_eq!(session.keys(), ["crisis_person", "crisis_helplines", "crisis_grounding", "ask_more"]);
    assert!(matches!(session.tool(), Some(ToolCall::EscalateToHuman(_))));
    assert_eq!(session.asks(), Some(Question::More));
}

#[test]
fn an_honest_answer_is_given_in_a_crisis_too() {
    let session = check_in(Lang::En).say("I want to die").say("are you even human?");
    assert_eq!(session.keys().first(), Some(&"human_answer"));
    assert!(session.end.is_none());
}

#[test]
fn code_does_not_close_a_crisis_while_somebody_talks() {
    let mut session = check_out(Lang::Ru).say("не хочу жить");
    for turn in 0..20 {
        session = session.say(&format!("мне просто плохо, вот и все, {turn}"));
        assert!(session.end.is_none());
        assert!(session.asks().is_some());
    }
}

#[test]
fn a_losing_streak_is_no_subject_in_a_crisis() {
    let mut context = context(Kind::CheckOut, Format::Medium);
    context.user.streak = Some(calm_core::context::Streak { kind: StreakKind::Losing, count: 5 });
    let session = Session::open(Lang::Ru, context).say("минус тысяча, незачем жить").say("да").say("не хочу говорить");
    assert!(!session.everything_said()[3..].iter().any(|k| k.contains("streak") || k.contains("process")));
}
