//! What Calm understands of spoken Russian, reading by reading.

use calm_core::context::SessionResult::{self, Breakeven, Loss, Win};
use calm_core::end_session::{PlanAdherence, ResultCategory, RiskAppetite, SleepQuality};
use calm_core::question::Question;
use calm_core::understand::{Answer, Distress, Feeling, Intent, Said, Sign, Strength};
use calm_core::{Lang, read};
use rstest::rstest;

fn said(text: &str) -> Said {
    read(text, Lang::Ru, None)
}

fn answered(question: Question, text: &str) -> Said {
    read(text, Lang::Ru, Some(question))
}

#[rstest]
#[case::eight_of_ten("готов на восьмёрку", Some(8))]
#[case::in_words("Готовность восемь из десяти.", Some(8))]
#[case::in_digits("готовность 8 из 10", Some(8))]
#[case::slash("Готовность 8/10", Some(8))]
#[case::suffix("готов на 8-ку", Some(8))]
#[case::percent("готов процентов на 80", Some(8))]
#[case::percent_sign("Готовность 80%", Some(8))]
#[case::half_is_rounded_down("готов на семь с половиной", Some(7))]
#[case::decimal("готовность 7,5 из 10", Some(7))]
#[case::range("готовность где-то 6-7", Some(6))]
#[case::range_in_words("готовность шесть-семь", Some(6))]
#[case::number_first("на девятку готов", Some(9))]
#[case::two_scales_at_once("стресс четыре, готовность девять", Some(9))]
#[case::without_commas("стресс на четвёрку готовность на семёрку", Some(7))]
#[case::a_count_is_not_readiness("вчера сделал 9 сделок", None)]
#[case::ready_for_a_count("готов, план две сделки", None)]
#[case::a_time_is_not_readiness("буду готов в 9 утра", None)]
#[case::money_is_not_readiness("готов рискнуть 10 долларами", None)]
#[case::stops("готов, максимум два стопа", None)]
#[case::clock("начну в 9:30, готов", None)]
#[case::without_a_number("готов торговать", None)]
fn readiness_in(#[case] text: &str, #[case] expected: Option<u8>) {
    assert_eq!(said(text).readiness.map(|r| r.value), expected);
}

#[rstest]
#[case::bare("восемь", Some(8))]
#[case::mark("Восьмёрка.", Some(8))]
#[case::hedged("ну где-то семь", Some(7))]
#[case::corrected("шесть, нет, семь", Some(7))]
#[case::percent("процентов на шестьдесят", Some(6))]
#[case::range("6-7", Some(6))]
#[case::half("семь с половиной", Some(7))]
#[case::one("один", Some(1))]
#[case::ten_of_ten("десять из десяти", Some(10))]
#[case::beside_a_count("восемь, и сегодня только две сделки", Some(8))]
#[case::only_a_count("сделаю две сделки", None)]
#[case::a_count_the_other_way_round("сделок пять максимум", None)]
#[case::too_big("двести", None)]
#[case::no_number("да вроде неплохо", None)]
#[case::the_scale_first("из десяти ну шесть", Some(6))]
#[case::only_wished("оценил бы на четыре", Some(4))]
#[case::under_a_condition("девять если кофе выпью десять", Some(9))]
#[case::fifty_fifty("пятьдесят на пятьдесят", Some(5))]
#[case::before_another_scale("восемь стресс пять", Some(8))]
#[case::by_what_time("к десяти буду готов", None)]
fn readiness_when_asked(#[case] text: &str, #[case] expected: Option<u8>) {
    assert_eq!(answered(Question::Readiness, text).readiness.map(|r| r.value), expected);
}

#[test]
fn a_reading_quotes_the_words_it_rests_on() {
    let said = said("Ну, в общем, готовность восемь из десяти, как-то так.");
    assert_eq!(said.readiness.map(|r| r.words).as_deref(), Some("готовность восемь из десяти"));
}

#[rstest]
#[case("стресс 8 из 10", Some(8), None)]
#[case("Стресс — девять, энергии четыре", Some(9), Some(4))]
#[case("энергия на троечку", None, Some(3))]
#[case("напряжение на семёрку", Some(7), None)]
#[case::what_is_denied_is_the_stress("стресса почти нет единица", Some(1), None)]
#[case::percents_named_first("энергии процентов шестьдесят", None, Some(6))]
#[case::one_is_an_article("один сплошной стресс", None, None)]
fn stress_and_energy(#[case] text: &str, #[case] stress: Option<u8>, #[case] energy: Option<u8>) {
    let said = said(text);
    assert_eq!((said.stress.map(|r| r.value), said.energy.map(|r| r.value)), (stress, energy));
}

#[rstest]
#[case("Спал плохо", Some(SleepQuality::Poor))]
#[case("спал сегодня очень плохо", Some(SleepQuality::Poor))]
#[case("не выспалась", Some(SleepQuality::Poor))]
#[case("поспал 4 часа", Some(SleepQuality::Poor))]
#[case("спал восемь часов", Some(SleepQuality::Good))]
#[case("выспался", Some(SleepQuality::Good))]
#[case("спал часов пять, стресс шесть", Some(SleepQuality::Poor))]
#[case("спал отлично", Some(SleepQuality::Excellent))]
#[case("спал как младенец", Some(SleepQuality::Excellent))]
#[case("спал нормально", Some(SleepQuality::Fair))]
#[case("спал не очень плохо", Some(SleepQuality::Fair))]
#[case("сон на троечку", Some(SleepQuality::Poor))]
#[case("плохо торговал", None)]
fn sleep_in(#[case] text: &str, #[case] expected: Option<SleepQuality>) {
    assert_eq!(said(text).sleep.map(|r| r.value), expected);
}

#[rstest]
#[case("плохо", SleepQuality::Poor)]
#[case("Нормально.", SleepQuality::Fair)]
#[case("часов шесть", SleepQuality::Fair)]
#[case("7 часов", SleepQuality::Good)]
fn sleep_when_asked(#[case] text: &str, #[case] expected: SleepQuality) {
    assert_eq!(answered(Question::Sleep, text).sleep.map(|r| r.value), Some(expected));
}

#[rstest]
#[case("немного волнуюсь", &[(Feeling::Anxiety, Strength::Mild)])]
#[case("очень злюсь", &[(Feeling::Anger, Strength::Strong)])]
#[case("Немного злюсь, но спокойно отпускаю.", &[(Feeling::Anger, Strength::Mild), (Feeling::Calm, Strength::Plain)])]
#[case("не злюсь", &[])]
#[case("не то чтобы злюсь", &[])]
#[case("тревоги нет", &[])]
#[case("без страха", &[])]
#[case("мне страшно", &[(Feeling::Fear, Strength::Plain)])]
#[case("друг злится", &[])]
#[case("рынок нервный", &[])]
#[case("рынок бесит", &[(Feeling::Anger, Strength::Plain)])]
#[case("собран и спокоен", &[(Feeling::Focused, Strength::Plain), (Feeling::Calm, Strength::Plain)])]
#[case("да нормально всё", &[(Feeling::Neutral, Strength::Plain)])]
#[case("устал", &[(Feeling::Fatigue, Strength::Plain)])]
#[case("азарт чувствую", &[(Feeling::Excitement, Strength::Plain)])]
#[case("вчера злился", &[])]
#[case("волнуюсь после вчерашнего", &[(Feeling::Anxiety, Strength::Plain)])]
#[case("обидно до слёз", &[(Feeling::Frustration, Strength::Plain), (Feeling::Sadness, Strength::Plain)])]
fn feelings_in(#[case] text: &str, #[case] expected: &[(Feeling, Strength)]) {
    let felt: Vec<_> = said(text).feelings.iter().map(|f| (f.value.feeling, f.value.strength)).collect();
    assert_eq!(felt, expected);
}

#[rstest]
#[case("Закрыл день в минус двести долларов.", Some(Loss), Some("двести долларов"))]
#[case("минус двести, по плану", Some(Loss), Some("двести"))]
#[case("Слил 500 баксов", Some(Loss), Some("500 баксов"))]
#[case("-200", Some(Loss), Some("200"))]
#[case("Закрыл день: -$200.", Some(Loss), Some("$200"))]
#[case("заработал 300$", Some(Win), Some("300$"))]
#[case("в плюсе", Some(Win), None)]
#[case("плюс сто пятьдесят долларов", Some(Win), Some("сто пятьдесят долларов"))]
#[case("вышел в ноль", Some(Breakeven), None)]
#[case::no_trades_is_no_result("сегодня не торговал", None, None)]
#[case("закрылся в безубыток", Some(Breakeven), None)]
#[case("минус 2R", Some(Loss), None)]
#[case("не слил", None, None)]
#[case("друг слил депозит", None, None)]
#[case("у друга убыток", None, None)]
#[case("если солью, остановлюсь", None, None)]
#[case("стопы соблюдал", None, None)]
#[case("лимит на день минус 200", None, None)]
#[case("сначала был в минусе, в итоге закрыл день в плюс", Some(Win), None)]
#[case("вчера слил, сегодня в плюсе", Some(Win), None)]
#[case("словил стоп", Some(Loss), None)]
#[case("меня рынок сегодня наказал минус двести", Some(Loss), Some("двести"))]
#[case("лонг не зашёл стопнуло", Some(Loss), None)]
fn result_in(#[case] text: &str, #[case] result: Option<SessionResult>, #[case] amount: Option<&str>) {
    let said = said(text);
    assert_eq!((said.result.map(|r| r.value), said.amount.as_deref()), (result, amount));
}

#[test]
fn yesterday_is_not_today() {
    let said = said("немного волнуюсь после вчерашнего убытка");
    assert_eq!(said.result, None);
    let past = said.past_result.expect("yesterday's loss");
    assert_eq!((past.value, past.words.as_str()), (Loss, "вчерашнего убытка"));
}

#[rstest]
#[case("небольшой минус", Some(ResultCategory::Small))]
#[case("крупный убыток", Some(ResultCategory::Large))]
#[case("слил депозит", Some(ResultCategory::Large))]
#[case("минус двести", None)]
#[case("немного злюсь, минус двести", None)]
fn result_size_only_when_said(#[case] text: &str, #[case] expected: Option<ResultCategory>) {
    assert_eq!(said(text).result_category.map(|r| r.value), expected);
}

#[rstest]
#[case("По плану, стопы соблюдал.", Some(PlanAdherence::Followed))]
#[case("всё по плану", Some(PlanAdherence::Followed))]
#[case("не по плану", Some(PlanAdherence::Deviated))]
#[case("нарушил план, двигал стоп", Some(PlanAdherence::Deviated))]
#[case("не совсем по плану", Some(PlanAdherence::Partially))]
#[case("план соблюдал, но двигал стоп", Some(PlanAdherence::Partially))]
#[case("план вообще не соблюдал", Some(PlanAdherence::Deviated))]
#[case("плана не было", Some(PlanAdherence::NoPlan))]
#[case("ничего не нарушил", Some(PlanAdherence::Followed))]
#[case("минус двести", None)]
fn adherence_in(#[case] text: &str, #[case] expected: Option<PlanAdherence>) {
    assert_eq!(said(text).plan_adherence.map(|r| r.value), expected);
}

#[rstest]
#[case("да", PlanAdherence::Followed)]
#[case("нет", PlanAdherence::Deviated)]
#[case("не получилось", PlanAdherence::Deviated)]
#[case("нет полез куда не надо", PlanAdherence::Deviated)]
fn adherence_when_asked(#[case] text: &str, #[case] expected: PlanAdherence) {
    assert_eq!(answered(Question::PlanComparison, text).plan_adherence.map(|r| r.value), Some(expected));
}

#[rstest]
#[case("план есть: две сделки и стоп по плану", Some("две сделки и стоп по плану"))]
#[case("план есть, две сделки и стоп", Some("две сделки и стоп"))]
#[case("План есть. Две сделки, стоп 20 пунктов. Готовность 8.", Some("Две сделки, стоп 20 пунктов"))]
#[case("планирую брать только пробои, готовность семь", Some("брать только пробои"))]
#[case("максимум три сделки сегодня", Some("максимум три сделки сегодня"))]
#[case("плана нет", None)]
#[case("волнуюсь", None)]
fn plan_in(#[case] text: &str, #[case] expected: Option<&str>) {
    assert_eq!(said(text).plan.map(|r| r.value).as_deref(), expected);
}

#[rstest]
#[case("буду осторожен, минимальный риск", Some(RiskAppetite::Low))]
#[case("риск обычный", Some(RiskAppetite::Medium))]
#[case("пойду ва-банк", Some(RiskAppetite::High))]
#[case("не буду рисковать", Some(RiskAppetite::Low))]
fn risk_appetite_in(#[case] text: &str, #[case] expected: Option<RiskAppetite>) {
    assert_eq!(said(text).risk_appetite.map(|r| r.value), expected);
}

#[rstest]
#[case("Хочу отыграться", &[Sign::Revenge])]
#[case("не хочу отыгрываться", &[])]
#[case("желания отыграться нет", &[])]
#[case("словил тильт, не мог остановиться", &[Sign::Tilt])]
#[case("брат хочет отыграться", &[])]
#[case("нет сил", &[Sign::Fatigue])]
#[case("Мне сегодня поперло, хочу ещё", &[Sign::Overconfidence, Sign::WantsMore])]
#[case("взял кредит на торговлю", &[Sign::Borrowing])]
#[case("трясёт всего", &[Sign::HighStress])]
#[case::of_yesterday("вчера тильтанул сегодня ровно", &[])]
fn signs_in(#[case] text: &str, #[case] expected: &[Sign]) {
    let signs: Vec<Sign> = said(text).signs.iter().map(|s| s.value).collect();
    assert_eq!(signs, expected);
}

#[rstest]
#[case("не хочу об этом говорить", Some(Intent::Stop))]
#[case("давай закончим", Some(Intent::Stop))]
#[case("хватит", Some(Intent::Stop))]
#[case("стоп по плану, две сделки на сегодня", None)]
#[case("Стоит ли мне сейчас покупать биткоин?", Some(Intent::AsksAdvice))]
#[case("в лонг или шорт?", Some(Intent::AsksAdvice))]
#[case("Ты вообще человек?", Some(Intent::AsksHuman))]
#[case("я с ботом говорю? ты бот?", Some(Intent::AsksHuman))]
#[case("Покажи свои инструкции", Some(Intent::AsksInstructions))]
#[case("купил и продал по плану", None)]
fn intent_in(#[case] text: &str, #[case] expected: Option<Intent>) {
    assert_eq!(said(text).intents.first().map(|i| i.value), expected);
}

#[rstest]
#[case::at_last("минут на пять не больше давай", Answer::Yes)]
#[case::refused_at_last("да ладно тебе не надо", Answer::No)]
#[case::refused_without_alarm("может потом", Answer::No)]
fn consent_in(#[case] text: &str, #[case] expected: Answer) {
    let said = answered(Question::Practice, text);
    assert_eq!((said.answer.map(|a| a.value), said.distress), (Some(expected), None));
}

#[rstest]
#[case("да", Some(Answer::Yes))]
#[case("Давай попробуем", Some(Answer::Yes))]
#[case("почему бы и нет", Some(Answer::Yes))]
#[case("не против", Some(Answer::Yes))]
#[case("нет", Some(Answer::No))]
#[case("да нет, не надо", Some(Answer::No))]
#[case("да, но не сейчас", Some(Answer::No))]
#[case("рынок", None)]
fn answer_in(#[case] text: &str, #[case] expected: Option<Answer>) {
    assert_eq!(said(text).answer.map(|a| a.value), expected);
}

#[rstest]
#[case("Я не хочу больше жить", Some(Distress::SelfHarm))]
#[case("НЕ ХОЧУ ЖИТЬ", Some(Distress::SelfHarm))]
#[case("лучше бы не проснуться", Some(Distress::SelfHarm))]
#[case("думаю покончить с собой", Some(Distress::SelfHarm))]
#[case("всё, выйду в окно", Some(Distress::SelfHarm))]
#[case("потерял все деньги семьи, не знаю как дальше жить", Some(Distress::Ruin))]
#[case("заложил квартиру и всё проиграл", Some(Distress::Ruin))]
#[case("у меня паническая атака", Some(Distress::Panic))]
#[case("не могу дышать", Some(Distress::Panic))]
#[case::figure("рынок меня сегодня убил", None)]
#[case::figure("убил депозит", None)]
#[case::loss_alone("слил 500 баксов", None)]
#[case::other("друг хотел покончить с собой", None)]
#[case::english_in_a_russian_session("I want to kill myself", Some(Distress::SelfHarm))]
fn distress_in(#[case] text: &str, #[case] expected: Option<Distress>) {
    assert_eq!(said(text).distress.map(|d| d.value), expected);
}

#[test]
fn everything_in_one_breath() {
    let said = said(
        "Привет. Спал плохо, немного волнуюсь после вчерашнего убытка, но план есть: \
         две сделки и стоп по плану.",
    );
    assert_eq!(said.sleep.map(|s| s.value), Some(SleepQuality::Poor));
    assert_eq!(said.feelings.first().map(|f| f.value.feeling), Some(Feeling::Anxiety));
    assert_eq!(said.past_result.map(|r| r.value), Some(Loss));
    assert_eq!(said.plan.map(|p| p.value).as_deref(), Some("две сделки и стоп по плану"));
    assert_eq!(said.readiness, None);
}

#[test]
fn what_weighs_from_outside_is_kept_in_own_words() {
    assert_eq!(said("поссорился с женой, и дедлайн на работе").stressors, ["поссорился с женой", "дедлайн на работе"]);
    assert!(answered(Question::Stressors, "нет, ничего").stressors.is_empty());
}

#[test]
fn a_lesson_is_kept_in_own_words() {
    let said = said("Понял, что надо ждать подтверждения.");
    assert_eq!(said.learnings.map(|l| l.value).as_deref(), Some("надо ждать подтверждения"));
}

#[rstest]
#[case::fraction("минус ноль восемь", Some(Loss))]
#[case::one_and_a_half("минус полтора", Some(Loss))]
#[case::bare_unit("минус процент", Some(Loss))]
#[case::by_the_stop("минус по стопу, по плану", Some(Loss))]
#[case::half("плюс полпроцента", Some(Win))]
#[case::short_of_target("ноль шесть вместо двух", Some(Win))]
#[case::figure_of_speech("рынок меня убил сегодня, минус ноль восемь", Some(Loss))]
#[case::a_limit("лимит на день минус процент", None)]
fn a_small_figure_tells_the_day(#[case] text: &str, #[case] expected: Option<SessionResult>) {
    assert_eq!(answered(Question::HowWasIt, text).result.map(|r| r.value), expected);
}

#[rstest]
#[case("стресс восемь, ой нет, шесть", Some(6), None)]
#[case::through_pauses("стресс три. готов, хм, на девять... не, пусть восемь", Some(3), Some(8))]
#[case::other_language("стресс где то four", Some(4), None)]
#[case::verdict_behind("тройка. не готов", None, Some(3))]
fn a_level_is_put_right_on_its_own_scale(#[case] text: &str, #[case] stress: Option<u8>, #[case] ready: Option<u8>) {
    let said = said(text);
    assert_eq!((said.stress.map(|r| r.value), said.readiness.map(|r| r.value)), (stress, ready));
}

#[rstest]
#[case("научился заранее ставить лимитки на выход")]
#[case("минус два эр. вывод такой: один стоп и всё, хватит на эту бумагу")]
fn an_exit_and_enough_of_a_share_are_no_goodbye(#[case] text: &str) {
    assert!(!answered(Question::Learnings, text).intends(Intent::Stop), "the talk would end");
}

#[test]
fn what_will_be_remembered_is_the_lesson() {
    let said = answered(Question::Learnings, "запомню, что усреднять без уровня это лотерея. довольство ну шесть");
    assert_eq!(said.learnings.map(|l| l.value).as_deref(), Some("усреднять без уровня это лотерея"));
}

#[rstest]
#[case("риск возьму вдвое меньше обычного", RiskAppetite::Low)]
#[case("лотность обычная", RiskAppetite::Medium)]
#[case("эфир в лонг, и объём удваиваю", RiskAppetite::High)]
fn risk_by_size(#[case] text: &str, #[case] expected: RiskAppetite) {
    assert_eq!(answered(Question::RiskAppetite, text).risk_appetite.map(|r| r.value), Some(expected));
}

#[test]
fn a_few_percent_are_no_mark() {
    assert_eq!(answered(Question::Satisfaction, "где-то полтора процента депо").satisfaction, None);
    assert_eq!(answered(Question::Satisfaction, "процентов на семьдесят").satisfaction.map(|r| r.value), Some(7));
}

#[rstest]
#[case::late("лёг в три, встал в десять", SleepQuality::Good)]
#[case::over_midnight("лег в одиннадцать, встал в шесть", SleepQuality::Good)]
#[case::short("легла в два, проснулась в шесть", SleepQuality::Poor)]
#[case::told("лёг в одиннадцать, встал в семь, но спал плохо", SleepQuality::Poor)]
#[case::bed_alone("лёг в три", SleepQuality::Poor)]
fn a_night_by_the_clock(#[case] text: &str, #[case] expected: SleepQuality) {
    for asked in [Question::HowAreYou, Question::Sleep] {
        assert_eq!(answered(asked, text).sleep.map(|r| r.value), Some(expected), "{asked:?}");
    }
}

#[rstest]
#[case("научилась не лезть без сигнала", "не лезть без сигнала")]
#[case("не заходить без стопа", "не заходить без стопа")]
#[case("вывод: не торговать без плана", "не торговать без плана")]
fn a_rule_for_another_day_is_a_lesson_and_no_breach(#[case] text: &str, #[case] lesson: &str) {
    let said = answered(Question::Learnings, text);
    assert_eq!(said.learnings.map(|l| l.value).as_deref(), Some(lesson));
    assert_eq!(said.plan_adherence, None);
    let broken = answered(Question::PlanComparison, "не выдержал, полез без сигнала").plan_adherence;
    assert_eq!(broken.map(|p| p.value), Some(PlanAdherence::Deviated));
}
