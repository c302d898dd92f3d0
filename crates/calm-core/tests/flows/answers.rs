//! Answers as people give them: not knowing, passing, correcting, repeating.

use calm_core::end_session::NextAction;
use calm_core::{Format, Kind, Lang, Question};
use rstest::rstest;

use crate::session::{Session, check_in, check_out, context};

fn medium(kind: Kind, lang: Lang) -> Session {
    Session::open(lang, context(kind, Format::Medium))
}

#[rstest]
#[case::ru(Lang::Ru, "спокоен", "не знаю, сложно сказать")]
#[case::en(Lang::En, "I'm calm", "hard to say")]
fn not_knowing_is_an_answer(#[case] lang: Lang, #[case] first: &str, #[case] unsure: &str) {
    let session = check_in(lang).say(first).say(unsure);
    assert_eq!(session.keys(), ["ack_unsure", "close_open"], "not asked again, not thanked");
    assert_eq!(session.ending().extracted_attributes.trading_readiness, None);
}

#[rstest]
#[case::ru(Lang::Ru, "спокоен, спал хорошо", "не хочу об этом говорить")]
#[case::next_question(Lang::Ru, "спокоен, спал хорошо", "давай дальше")]
#[case::no_comment(Lang::Ru, "спокоен, спал хорошо", "без комментариев")]
#[case::en(Lang::En, "I'm calm, slept well", "I'd rather not say")]
#[case::skip_en(Lang::En, "I'm calm, slept well", "skip that one")]
fn passing_one_question_is_no_refusal_to_talk(#[case] lang: Lang, #[case] first: &str, #[case] passes: &str) {
    let session = medium(Kind::CheckIn, lang).say(first);
    assert_eq!(session.asks(), Some(Question::Stressors));
    let session = session.say(passes);
    assert_eq!(session.keys(), ["ack_refusal_to_answer", "ask_plan"]);
    assert!(session.state.known().stressors.is_empty());
}

#[test]
fn passing_over_the_plan_is_no_broken_plan() {
    let mut context = context(Kind::CheckOut, Format::Medium);
    context.session.has_matching_checkin = true;
    let session = Session::open(Lang::Ru, context).say("закрыл день в плюс, спокоен");
    assert_eq!(session.asks(), Some(Question::PlanComparison));
    let session = session.say("не хочу отвечать");
    assert_eq!(session.state.known().plan_adherence, None);
    assert_eq!(session.keys().first(), Some(&"ack_refusal_to_answer"));
}

#[rstest]
#[case::ru(Lang::Ru, "готовность семь", "нет, не семь, а пять")]
#[case::turned_around(Lang::Ru, "готовность семь", "ой, пять, а не семь")]
#[case::en(Lang::En, "readiness seven", "no, not seven, five")]
fn a_corrected_number_takes_the_place_of_the_first(#[case] lang: Lang, #[case] first: &str, #[case] corrected: &str) {
    let session = medium(Kind::CheckIn, lang).say(first).say(corrected);
    assert_eq!(session.state.known().readiness.as_ref().map(|r| r.value), Some(5));
    assert!(session.keys().contains(&"ack_readiness_low"));
}

#[test]
fn somebody_laconic_is_not_going_in_circles() {
    let session = medium(Kind::CheckIn, Lang::Ru).say("норм").say("норм").say("норм");
    assert!(session.end.is_none());
    assert!(!session.everything_said().contains(&"close_circling"));
}

#[rstest]
#[case::ru(Lang::Ru, "рынок опять сошел с ума сегодня")]
#[case::en(Lang::En, "the market is crazy once more")]
fn the_same_sentence_three_times_is(#[case] lang: Lang, #[case] said: &str) {
    let session = Session::open(lang, context(Kind::CheckIn, Format::Unlimited)).say(said).say(said).say(said);
    assert_eq!(session.keys(), ["close_circling"]);
}

#[test]
fn a_long_story_that_nobody_can_read_is_no_circle() {
    let story = [
        "встретил старого приятеля у метро",
        "он открыл пекарню на углу возле рынка",
        "пахнет оттуда булочками каждый день",
        "вот думаю зайти туда после обеда",
        "а еще купил новый стул",
    ];
    let mut session = Session::open(Lang::Ru, context(Kind::CheckIn, Format::Unlimited));
    for sentence in story {
        session = session.say(sentence);
        assert!(session.end.is_none(), "after {sentence}");
    }
}

#[test]
fn a_medium_talk_never_asks_more_than_six_questions() {
    for kind in [Kind::CheckIn, Kind::CheckOut] {
        let mut context = context(kind, Format::Medium);
        context.session.has_matching_checkin = true;
        let mut session = Session::open(Lang::Ru, context);
        let mut asked = std::collections::BTreeSet::from([session.asks()]);
        for answer in ["так себе", "не знаю", "хз", "сложно сказать", "трудно сказать", "без понятия", "ну не знаю"]
        {
            session = session.say(answer);
            asked.insert(session.asks());
        }
        assert!(session.end.is_some());
        asked.remove(&None);
        assert!(asked.len() <= 6, "{asked:?}");
    }
}

#[test]
fn hello_is_no_answer_and_the_question_stays() {
    for (lang, hello) in [(Lang::Ru, "привет"), (Lang::En, "hi there")] {
        let session = check_in(lang).say(hello);
        assert_eq!(session.keys(), ["open_checkin"]);
        assert_eq!(session.asks(), Some(Question::HowAreYou));
    }
}

#[test]
fn fine_is_no_worry_and_a_loan_is_no_lesson() {
    let session = medium(Kind::CheckIn, Lang::Ru).say("спокоен, спал хорошо").say("да нормально");
    assert!(session.state.known().stressors.is_empty(), "{:?}", session.state.known().stressors);
    let session = medium(Kind::CheckOut, Lang::Ru).say("закрыл день в ноль, спокоен");
    assert_eq!(session.asks(), Some(Question::Learnings));
    let session = session.say("взял кредит на депозит");
    assert!(session.keys().contains(&"gambling_help"));
    assert_eq!(session.state.known().learnings, None);
}

#[test]
fn thanks_are_returned_and_are_no_answer() {
    let session = medium(Kind::CheckIn, Lang::Ru).say("спасибо");
    assert_eq!(session.keys().first(), Some(&"ack_thanks"));
}

#[test]
fn feelings_are_told_apart() {
    for (said, key) in [
        ("мне страшно", "ack_fear"),
        ("скучно", "ack_boredom"),
        ("уверен в себе", "ack_confidence"),
        ("собран, сфокусирован", "ack_focused"),
        ("расстроен", "ack_frustration"),
        ("не готов сегодня торговать", "ack_not_ready"),
    ] {
        let session = medium(Kind::CheckIn, Lang::Ru).say(said);
        let sad = key == "ack_frustration" && session.keys().contains(&"ack_sadness");
        assert!(session.keys().contains(&key) || sad, "{said}: {:?}", session.keys());
    }
}

#[test]
fn a_story_in_answer_to_the_offer_is_listened_to_in_a_longer_talk() {
    let session = medium(Kind::CheckIn, Lang::En).say("stress is nine out of ten, my boss yelled at me");
    assert_eq!(session.asks(), Some(Question::Practice));
    let session = session.say("it's about my father, he is in hospital and I'm scared");
    assert_eq!(session.asks(), Some(Question::More));
    let session = session.say("no, that's all");
    assert_eq!(session.keys(), ["close_not_ready"]);
    assert_eq!(session.ending().recommended_next_action, NextAction::TakeBreak);
}

#[test]
fn after_a_check_out_that_says_nothing_the_record_invents_nothing() {
    let session = check_out(Lang::Ru).say("да так").say("да так").leave();
    assert_eq!(session.ending().extracted_attributes, Default::default());
    assert_eq!(session.ending().session_summary, "Короткий разговор после торговли, почти без слов.");
}

#[rstest]
#[case::ru(Lang::Ru, "про сделки говорить не хочу", "если честно, я хочу покончить с собой")]
#[case::en(Lang::En, "no I don't want to talk about the trades", "I want to kill myself, I have since the close")]
fn who_would_not_talk_about_the_trades_is_still_heard(#[case] lang: Lang, #[case] passed: &str, #[case] then: &str) {
    let opened = Session::open(lang, context(Kind::CheckOut, Format::Medium));
    let session = opened.say("-").say(passed);
    assert!(!session.keys().contains(&"respect_silence"), "{:?}", session.keys());
    let session = session.say(then);
    assert!(session.keys().contains(&"crisis_self_harm"), "{:?}", session.keys());
}

#[rstest]
#[case::own_break("хочу взять перерыв на неделю", NextAction::TakeBreak)]
#[case::refused_break("нет, перерыв мне не нужен", NextAction::None)]
#[case::own_practice("дыхание? да, хочу", NextAction::DoPractice)]
#[case::practice_and_no_break("перерыв не хочу, а вот подышать можно", NextAction::DoPractice)]
fn what_somebody_decides_for_themselves_is_the_next_step(#[case] said: &str, #[case] expected: NextAction) {
    let opened = Session::open(Lang::Ru, context(Kind::CheckOut, Format::Medium));
    let session = opened.say("минус процент, по плану").say(said).leave();
    assert_eq!(session.ending().recommended_next_action, expected);
}
