//! Whole sessions as stories: what the user says, what Calm means to say, what is left at the end.

mod session;

#[path = "flows/answers.rs"]
mod answers;
#[path = "flows/asides.rs"]
mod asides;
#[path = "flows/crisis.rs"]
mod crisis;
#[path = "flows/openings.rs"]
mod openings;
#[path = "flows/requests.rs"]
mod requests;
#[path = "flows/risk.rs"]
mod risk;
#[path = "flows/shades.rs"]
mod shades;
#[path = "flows/tact.rs"]
mod tact;
#[path = "flows/waiting.rs"]
mod waiting;

use calm_core::context::{SessionResult, Streak, StreakKind};
use calm_core::end_session::{NextAction, PlanAdherence, SleepQuality};
use calm_core::tools::{PracticeType, Urgency};
use calm_core::{Format, Kind, Lang, Question, ToolCall};

use session::{Session, check_in, check_out, check_out_after_plan, context, tense_voice};

#[test]
fn the_first_session_of_a_day_says_that_this_is_an_ai_and_the_second_does_not() {
    let first = check_in(Lang::Ru);
    assert_eq!(first.keys(), ["greeting", "disclosure", "open_checkin"]);
    assert_eq!(first.asks(), Some(Question::HowAreYou));
    let mut context = context(Kind::CheckIn, Format::Short);
    context.session.session_number_today = 2;
    assert_eq!(Session::open(Lang::Ru, context).keys(), ["greeting", "open_checkin_again"]);
}

#[test]
fn a_spoken_check_in_in_two_turns() {
    let session = check_in(Lang::Ru)
        .say("Привет. Спал плохо, немного волнуюсь после вчерашнего убытка, но план есть: две сделки и стоп по плану.");
    assert_eq!(session.keys(), ["ack_anxiety", "ack_plan", "ask_readiness"]);
    assert_eq!(session.slot("event").as_deref(), Some("после вчерашнего убытка"));
    assert_eq!(session.slot("plan").as_deref(), Some("две сделки и стоп по плану"));

    let session = session.say("Готовность восемь из десяти.");
    assert_eq!(session.keys(), ["ack_readiness", "close_ready"]);
    assert!(!session.forced());
    let ending = session.ending();
    let known = &ending.extracted_attributes;
    assert_eq!(known.trading_readiness, Some(8));
    assert_eq!(known.primary_emotion.as_deref(), Some("anxiety"));
    assert_eq!(known.sleep_quality, Some(SleepQuality::Poor));
    assert_eq!(known.planned_approach.as_deref(), Some("две сделки и стоп по плану"));
    assert_eq!(known.session_result, None);
    assert_eq!(ending.recommended_next_action, NextAction::ProceedToTrade);
    assert_eq!(ending.risk_flags, Default::default());
    assert_eq!(
        ending.session_summary,
        "Перед торговлей тревожно, ночь плохая, готовность 8 из 10. \
         План — «две сделки и стоп по плану»; дальше торговля по своим правилам."
    );
}

#[test]
fn everything_said_at_once_needs_no_question() {
    let session = check_in(Lang::En).say(
        "I slept badly, a bit nervous after yesterday's loss, but I have a plan: two trades and a stop. \
         Readiness eight out of ten.",
    );
    assert_eq!(session.asks(), None);
    assert!(!session.forced());
    assert_eq!(session.ending().extracted_attributes.trading_readiness, Some(8));
    assert!(session.keys().contains(&"close_ready"));
}

#[test]
fn the_closing_reply_carries_the_same_call_that_ends_the_session() {
    let session = check_in(Lang::Ru).say("спокоен").say("семь");
    let call = session.replies.last().and_then(|r| r.tool.clone());
    assert_eq!(call, Some(ToolCall::EndSession(Box::new(session.ending().clone()))));
}

#[test]
fn ready_to_trade_is_not_yet_a_number() {
    let session = check_in(Lang::Ru).say("Да нормально всё, готов торговать");
    assert_eq!(session.asks(), Some(Question::Readiness));
    let session = session.say("ну не знаю, готов и всё");
    assert_eq!(session.ending().extracted_attributes.trading_readiness, None);
    assert_eq!(session.ending().recommended_next_action, NextAction::ProceedToTrade);
}

#[test]
fn low_readiness_brings_an_offer_and_a_no_is_respected() {
    let session = check_in(Lang::Ru).say("как-то не очень, вялый").say("четыре");
    assert_eq!(session.asks(), Some(Question::Practice));
    assert!(session.replies.iter().all(|r| r.tool.is_none()), "asked before called");
    let session = session.say("нет, не надо");
    assert_eq!(session.keys(), ["respect_decline", "close_not_ready"]);
    let ending = session.ending();
    assert_eq!(ending.recommended_next_action, NextAction::TakeBreak);
    assert_eq!(ending.recommended_actions.practice_type, None);
    let called = session.replies.iter().filter(|r| matches!(r.tool, Some(ToolCall::SuggestPractice(_))));
    assert_eq!(called.count(), 0);
}

#[test]
fn high_stress_slows_down_and_consent_brings_breathing() {
    let session = check_in(Lang::Ru).say("Стресс девять из десяти, всё валится из рук");
    assert_eq!(session.keys(), ["ack_high_stress", "offer_breathing"]);
    assert_eq!(session.slot("minutes").as_deref(), Some("3"));
    assert_eq!(session.asks(), Some(Question::Practice));

    let session = session.say("давай");
    let Some(ToolCall::SuggestPractice(call)) = session.replies.last().and_then(|r| r.tool.clone()) else {
        panic!("consent brings the practice");
    };
    assert_eq!((call.practice_type, call.urgency), (PracticeType::Breathing, Urgency::Immediate));
    assert_eq!(session.asks(), Some(Question::AfterPractice));

    let session = session.say("стало полегче");
    assert_eq!(session.keys(), ["practice_better", "close_not_ready"], "what was said of it is heard");
    let ending = session.ending();
    assert_eq!(ending.extracted_attributes.stress_level, Some(9));
    assert!(ending.risk_flags.high_stress);
    assert_eq!(ending.risk_flags.evidence.get("high_stress").map(String::as_str), Some("stress_level 9"));
    assert_eq!(ending.recommended_next_action, NextAction::DoPractice);
    assert!(ending.recommended_actions.offer_extended_talk);
}

#[test]
fn telling_more_instead_of_a_yes_is_listened_to() {
    let session =
        check_in(Lang::En).say("stress is nine out of ten").say("my boss yelled at me all morning and I'm scared");
    assert!(session.keys().contains(&"ack_fear"));
    assert!(session.keys().contains(&"close_not_ready"));
    assert_eq!(session.ending().recommended_next_action, NextAction::TakeBreak);
}

#[test]
fn anxiety_before_trading_fits_grounding() {
    let session = check_in(Lang::Ru).say("очень тревожно перед открытием").say("готовность пять");
    assert_eq!(session.keys(), ["ack_readiness_low", "offer_grounding"]);
    let session = session.say("давай попробуем");
    let call = session.replies.last().and_then(|r| r.tool.clone());
    assert!(matches!(
        call,
        Some(ToolCall::SuggestPractice(c))
            if c.practice_type == PracticeType::Grounding && c.urgency == Urgency::BeforeTrading
    ));
}

#[test]
fn fine_words_and_a_tense_voice_are_probed_without_mentioning_the_voice() {
    let session = check_in(Lang::Ru).speak("Да нормально всё", tense_voice(9));
    assert_eq!(session.keys(), ["ack_neutral", "probe_invite", "ask_readiness"]);
    let session = session.speak("семь", tense_voice(9));
    assert_eq!(session.asks(), Some(Question::Practice));
    assert_eq!(session.ending_after_leaving().extracted_attributes.stress_level, Some(9));
}

#[test]
fn the_users_own_number_outweighs_the_voice() {
    let session = check_in(Lang::Ru).speak("Стресс три, готовность восемь", tense_voice(9));
    assert_eq!(session.ending().extracted_attributes.stress_level, Some(3));
    assert_eq!(session.ending().recommended_next_action, NextAction::ProceedToTrade);
}

#[test]
fn somebody_who_does_not_want_to_talk_is_left_in_peace() {
    for (lang, words) in [(Lang::Ru, "Не хочу сейчас разговаривать"), (Lang::En, "I don't want to talk")]
    {
        let session = check_out(lang).speak(words, tense_voice(9));
        assert_eq!(session.keys(), ["respect_silence"]);
        assert!(!session.forced());
        let ending = session.ending();
        assert_eq!(ending.extracted_attributes, Default::default(), "only what was said is kept");
        assert_eq!(ending.recommended_next_action, NextAction::None);
    }
}

#[test]
fn a_crisis_is_met_with_help_and_nothing_about_trading() {
    let session = check_out(Lang::Ru).say("Слил всё. Не хочу больше жить");
    assert_eq!(session.keys(), ["crisis_self_harm", "crisis_helplines", "ask_safety"]);
    let session = session.say("да ладно, забудь, всё нормально, готовность восемь");
    assert_eq!(session.keys(), ["crisis_denied", "ask_someone_near"], "one denial does not clear it");
    let session = session.say("брат рядом");
    assert_eq!(session.keys(), ["crisis_stay", "ask_more"]);
    let session = session.say("спасибо, больше ничего");
    assert_eq!(session.keys(), ["crisis_close", "crisis_helplines"]);
    let trading = ["ask_readiness", "close_ready", "close_loss", "ack_loss", "ask_plan_comparison"];
    let said = session.everything_said();
    assert!(said.iter().all(|k| !trading.contains(k) && !k.starts_with("offer_")));
    let ending = session.ending();
    assert!(ending.risk_flags.needs_attention);
    assert_eq!(ending.risk_flags.evidence.get("needs_attention").map(String::as_str), Some("Не хочу больше жить"));
    assert_eq!(ending.recommended_next_action, NextAction::SeekSupport);
    assert_eq!(ending.recommended_actions.practice_type, None);
}

#[test]
fn a_crisis_in_the_middle_of_a_practice_offer_wins() {
    let session = check_in(Lang::En).say("stress ten out of ten").say("yes, I don’t want to be here anymore");
    assert_eq!(session.keys(), ["crisis_self_harm", "crisis_helplines", "ask_safety"]);
    assert_eq!(session.replies.last().and_then(|r| r.tool.clone()), None);
}

#[test]
fn somebody_near_in_a_crisis_is_not_asked_for_again() {
    let session = check_out(Lang::Ru).say("не хочу жить").say("нет").say("сестра рядом");
    assert_eq!(session.keys(), ["crisis_stay", "ask_more"]);
    let session = session.say("хорошо");
    assert_eq!(session.keys(), ["crisis_close", "crisis_helplines"]);
    assert_eq!(session.ending().extracted_attributes.primary_emotion, None, "an okay is no feeling");
}

#[test]
fn being_alone_in_a_crisis_brings_the_numbers_again() {
    let session = check_out(Lang::En).say("I want to die").say("no");
    assert_eq!(session.keys(), ["crisis_stay", "crisis_helplines", "ask_someone_near"]);
    assert!(session.end.is_none());
}

#[test]
fn advice_leads_back_to_the_users_own_plan() {
    let session = check_out_after_plan(Lang::Ru, "две сделки и стоп");
    let session = session.say("Злюсь. Стоит ли мне сейчас закрывать позицию?");
    assert_eq!(session.keys()[..3], ["ack_anger", "advice_boundary", "advice_own_plan"]);
    assert_eq!(session.slot("plan").as_deref(), Some("две сделки и стоп"));
    let session = check_in(Lang::En).say("Should I buy bitcoin now?");
    assert_eq!(session.keys(), ["advice_boundary", "advice_own_rule", "advice_adviser", "open_checkin"]);
}

#[test]
fn are_you_human_gets_a_straight_answer_and_the_question_again() {
    let session = check_in(Lang::Ru).say("спокоен").say("а ты вообще человек?");
    assert_eq!(session.keys(), ["human_answer", "ask_readiness"]);
    let session = session.say("восемь");
    assert_eq!(session.ending().extracted_attributes.trading_readiness, Some(8));
}

#[test]
fn a_check_out_that_says_everything_closes_at_once() {
    let session = check_out_after_plan(Lang::Ru, "две сделки и стоп по плану")
        .say("Закрыл день в минус двести долларов. По плану, стопы соблюдал. Немного злюсь, но спокойно отпускаю.");
    assert_eq!(session.keys(), ["ack_loss", "ack_followed", "close_loss"]);
    assert_eq!(session.slot("amount").as_deref(), Some("минус двести долларов"));
    let ending = session.ending();
    let known = &ending.extracted_attributes;
    assert_eq!(known.session_result, Some(SessionResult::Loss));
    assert_eq!(known.result_category, None);
    assert_eq!(known.plan_adherence, Some(PlanAdherence::Followed));
    assert_eq!(known.primary_emotion.as_deref(), Some("anger"));
    assert!(!ending.risk_flags.tilt_risk);
    assert_eq!(ending.recommended_next_action, NextAction::None);
}

#[test]
fn a_check_out_asks_about_feelings_first_and_the_plan_only_where_there_was_one() {
    let session = check_out(Lang::En).say("Closed the day down two hundred dollars.");
    assert_eq!(session.asks(), Some(Question::Feelings));
    let session = session.say("calm, I followed my plan");
    assert!(session.end.is_some());

    let session = check_out_after_plan(Lang::En, "two trades");
    assert_eq!(session.slot("plan").as_deref(), Some("two trades"));
    let session = session.say("I'm okay, calm, made 100 dollars");
    assert_eq!(session.asks(), Some(Question::PlanComparison));
    assert_eq!(session.slot("plan"), None, "given back in the first words, and not again");
    let session = session.say("yes");
    assert_eq!(session.ending().extracted_attributes.plan_adherence, Some(PlanAdherence::Followed));

    let session = check_out(Lang::En).say("I'm calm, made 100 dollars");
    assert!(session.end.is_some(), "no check-in, nothing to compare with");
}

#[test]
fn upset_after_a_loss_is_offered_breathing() {
    let session = check_out(Lang::Ru).say("Слил пятьсот баксов, злюсь на себя жутко");
    assert_eq!(session.asks(), Some(Question::Practice));
    let session = session.say("да");
    let call = session.replies.last().and_then(|r| r.tool.clone());
    assert!(matches!(call, Some(ToolCall::SuggestPractice(c)) if c.practice_type == PracticeType::Breathing));
}

#[test]
fn the_wish_to_win_it_back_is_named_and_paused() {
    let session = check_out(Lang::Ru).say("минус 300, злой, хочу отыграться");
    assert!(session.keys().contains(&"name_revenge"));
    assert_eq!(session.asks(), Some(Question::Practice));
    let ending = session.say("нет").ending().clone();
    assert!(ending.risk_flags.revenge_trading_risk);
    assert_eq!(ending.risk_flags.evidence.get("revenge_trading_risk").map(String::as_str), Some("хочу отыграться"));
    assert_eq!(ending.recommended_next_action, NextAction::TakeBreak);
}

#[test]
fn nobody_who_wants_it_back_is_wished_a_good_session() {
    let session = check_in(Lang::Ru).say("вчера минус тысяча, хочу отбить. Готовность девять.");
    assert_eq!(session.keys().last(), Some(&"offer_pause"));
    let session = session.say("нет");
    assert_eq!(session.keys(), ["respect_decline", "close_not_ready"]);
    assert_eq!(session.ending().recommended_next_action, NextAction::TakeBreak);
}

#[test]
fn a_losing_streak_changes_the_tone() {
    let mut context = context(Kind::CheckOut, Format::Short);
    context.user.streak = Some(Streak { kind: StreakKind::Losing, count: 3 });
    let session = Session::open(Lang::Ru, context).say("опять минус");
    assert!(session.everything_said().contains(&"open_checkout_gentle"));
    assert_eq!(session.keys(), ["ack_loss", "ack_streak", "ask_streak_coping"]);
    let mut context = self::context(Kind::CheckOut, Format::Short);
    context.user.streak = Some(Streak { kind: StreakKind::Losing, count: 2 });
    let session = Session::open(Lang::Ru, context).say("закрыл день в минус сто");
    assert_eq!(session.keys(), ["ack_loss", "ack_streak", "ask_streak_coping"]);
    let session = session.say("держусь, спокойно");
    assert!(session.keys().contains(&"process_over_result"));
}

#[test]
fn overconfidence_after_a_win_gets_a_reality_check() {
    let session = check_out(Lang::Ru).say("Плюс тысяча! Мне поперло, хочу ещё пару сделок с двойным объёмом");
    assert_eq!(session.asks(), Some(Question::GoOn));
    let ending = session.say("наверное хватит на сегодня").leave().ending().clone();
    assert!(ending.risk_flags.overconfidence);
    assert_eq!(ending.recommended_actions.practice_type, Some(PracticeType::Journaling));
}

#[test]
fn overconfidence_before_trading_is_not_wished_a_good_session() {
    let session = check_in(Lang::Ru).say("вчера плюс, меня прёт, хочу увеличить объём вдвое, готовность 10 из 10");
    assert_eq!(session.keys().last(), Some(&"offer_journaling"));
    let session = session.say("нет");
    assert_eq!(session.keys(), ["respect_decline", "close_open"]);
    assert!(session.ending().risk_flags.overconfidence);
}

#[test]
fn a_calm_win_is_no_overconfidence() {
    let session = check_out(Lang::En).say("Made 300 dollars, feeling calm and confident");
    assert!(!session.ending().risk_flags.overconfidence);
}

#[test]
fn borrowing_to_trade_needs_attention() {
    let session = check_out(Lang::Ru).say("минус тысяча, взял кредит чтобы торговать");
    assert!(session.keys().contains(&"gambling_harm"));
    let ending = session.leave().ending().clone();
    assert!(ending.risk_flags.needs_attention);
    assert_eq!(ending.recommended_next_action, NextAction::SeekSupport);
}

#[test]
fn going_in_circles_is_closed_gently() {
    let session = Session::open(Lang::Ru, context(Kind::CheckIn, Format::Unlimited));
    let session = session.say("бла бла").say("бла бла").say("бла бла");
    assert_eq!(session.keys(), ["close_circling"]);
    assert!(!session.forced());
}

#[test]
fn medium_asks_about_five_things_and_never_what_was_said() {
    let session = Session::open(Lang::Ru, context(Kind::CheckIn, Format::Medium))
        .say("спокоен, спал хорошо")
        .say("нет, ничего")
        .say("две сделки и стоп")
        .say("обычный")
        .say("восемь");
    let asked: Vec<Question> = session.replies.iter().filter_map(|r| r.asks).collect();
    assert_eq!(
        asked,
        [Question::HowAreYou, Question::Stressors, Question::Plan, Question::RiskAppetite, Question::Readiness]
    );
    assert_eq!(session.ending().recommended_next_action, NextAction::ProceedToTrade);
}

#[test]
fn leaving_early_keeps_what_is_known() {
    let session = check_in(Lang::Ru).say("немного нервничаю").leave();
    assert!(session.forced());
    assert_eq!(session.ending().extracted_attributes.primary_emotion.as_deref(), Some("anxiety"));
    let after = session.say("ещё тут?");
    assert_eq!(after.replies.len(), 2, "nothing is said after the end");
}

#[test]
fn replaying_the_turns_rebuilds_the_session() {
    let turns = ["Стресс девять", "давай", "готовность шесть"];
    let live = turns.iter().fold(check_in(Lang::Ru), |session, turn| session.say(turn));
    let again = turns.iter().fold(check_in(Lang::Ru), |session, turn| session.say(turn));
    assert_eq!(live.replies, again.replies);
    assert_eq!(live.state, again.state);
}
