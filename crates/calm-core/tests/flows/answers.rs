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

#[test]
fn what_was_passed_by_is_asked_once_more() {
    let session = medium(Kind::CheckIn, Lang::En)
        .say("feeling fine, slept well")
        .say("nothing going on")
        .say("two trades on the retest, half size");
    assert_eq!(session.asks(), Some(Question::Readiness));
    let session = session.say("energy is about a six by the way");
    assert_eq!(session.asks(), Some(Question::Readiness), "energy is no readiness");
    let session = session.say("it's cold in here");
    assert!(session.end.is_some(), "and twice is enough");
}

#[rstest]
#[case::mark_for_words(Lang::Ru, "что выносишь", "восьмёрка", Some(8))]
#[case::mark_for_words_en(Lang::En, "what do you take from it", "an eight", Some(8))]
fn a_mark_in_place_of_the_lesson_is_the_mark_of_the_day(
    #[case] lang: Lang,
    #[case] _question: &str,
    #[case] mark: &str,
    #[case] satisfaction: Option<u8>,
) {
    let day = if lang == Lang::Ru { "плюс двести, спокоен" } else { "up two hundred, calm" };
    let session = medium(Kind::CheckOut, lang).say(day);
    assert_eq!(session.asks(), Some(Question::Learnings));
    let known = session.say(mark).state.known().clone();
    assert_eq!(known.satisfaction.map(|s| s.value), satisfaction);
    assert_eq!(known.learnings, None, "a number is no lesson");
}

#[test]
fn the_lesson_may_come_where_the_mark_was_asked() {
    let session = medium(Kind::CheckOut, Lang::En).say("up two hundred, calm").say("up two hundred");
    assert_eq!(session.asks(), Some(Question::Satisfaction));
    let session = session.say("wait for the close of the bar");
    assert_eq!(
        session.state.known().learnings.as_ref().map(|l| l.value.as_str()),
        Some("wait for the close of the bar")
    );
    assert_eq!(session.asks(), Some(Question::Satisfaction), "the mark is still missing");
}

#[rstest]
#[case(Lang::Ru, "мне 15 лет")]
#[case(Lang::Ru, "вообще мне шестнадцать")]
#[case(Lang::Ru, "мне нет восемнадцати")]
#[case(Lang::Ru, "я ещё школьник")]
#[case(Lang::En, "im 15")]
#[case(Lang::En, "I'm sixteen years old and trade with my dad's account")]
#[case(Lang::En, "I'm a minor")]
#[case(Lang::En, "im under 18")]
fn somebody_who_is_not_of_age_is_told_kindly_and_the_talk_ends(#[case] lang: Lang, #[case] said: &str) {
    let session = check_in(lang).say(said);
    assert_eq!(session.keys(), ["adults_only"]);
    assert_eq!(session.ending().recommended_next_action, NextAction::None);
}

#[rstest]
#[case(Lang::Ru, "мне 15 лет назад тоже так говорили")]
#[case(Lang::Ru, "сыну 15 лет")]
#[case(Lang::Ru, "готов на десять")]
#[case(Lang::En, "I'm 15 years in this game")]
#[case(Lang::En, "im 12 dollars up")]
#[case(Lang::En, "my son is fifteen")]
#[case(Lang::En, "I was 16 when I started")]
#[case(Lang::En, "im a ten")]
fn an_age_of_somebody_else_or_none_ends_nothing(#[case] lang: Lang, #[case] said: &str) {
    assert!(!check_in(lang).say(said).keys().contains(&"adults_only"));
}

#[test]
fn a_crisis_comes_before_the_age() {
    let session = check_in(Lang::En).say("im 15 and i want to kill myself");
    assert_eq!(session.keys().first(), Some(&"crisis_self_harm"));
    assert!(session.end.is_none());
}

#[rstest]
#[case(Lang::En, "stop speaking russian")]
#[case(Lang::En, "can you speak english")]
#[case(Lang::Ru, "хватит говорить по-английски")]
#[case(Lang::Ru, "давай на английском")]
fn another_language_is_no_wish_to_stop(#[case] lang: Lang, #[case] said: &str) {
    let session = check_in(lang).say(said);
    assert_eq!(session.keys().first(), Some(&"other_language"));
    assert!(session.end.is_none());
}
