//! Whole sessions with a model server that does everything wrong: the session ends, nothing said is lost, and
//! nothing that Calm must not say is seen.
#![allow(clippy::unwrap_used)]

#[path = "../../calm-agent/tests/support/mod.rs"]
mod support;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use calm_app::backend::{Server as ServerSettings, ToolMode};
use calm_app::core::EndSession;
use calm_app::core::context::SessionResult;
use calm_app::{AppEvent, Begin, Clock, Conductor, Format, Kind, Lang, Next, Paths, Secrets, Settings};
use rstest::rstest;
use serde_json::{Value, json};
use support::{
    Answer, Server, call_delta, calls, finish, hangs_up, raw, refuses, says, starts, status, stream, whole,
    whole_message,
};

const SAID: [&str; 3] = ["минус двести, но по плану", "злюсь немного на себя", "понял что спешу со входом"];

const WARM: &str = "Минус двести по плану — это тоже работа. Что сейчас внутри?";

/// Requests that a session of three turns can make at most, retries and all.
const ENOUGH: usize = 60;

struct House {
    _dir: tempfile::TempDir,
    conductor: Conductor,
    events: Arc<Mutex<Vec<AppEvent>>>,
}

impl House {
    fn new(server: &Server) -> House {
        House::with(server, |settings| settings)
    }

    fn with(server: &Server, change: impl FnOnce(ServerSettings) -> ServerSettings) -> House {
        House::at(server, Clock::System, change)
    }

    fn at(server: &Server, clock: Clock, change: impl FnOnce(ServerSettings) -> ServerSettings) -> House {
        let dir = tempfile::tempdir().unwrap();
        let events = Arc::<Mutex<Vec<AppEvent>>>::default();
        let mut conductor = open(&dir, &events, clock);
        conductor.set_language(Lang::Ru);
        let settings = ServerSettings {
            name: "scripted".into(),
            base_url: server.base_url(),
            model: "small".into(),
            patience: 1,
            ..ServerSettings::default()
        };
        conductor.add_server(change(settings)).unwrap();
        House { _dir: dir, conductor, events }
    }

    fn begin(&mut self, kind: Kind, format: Format) {
        self.conductor.begin(&Begin::new(kind, format, "window").seeded(7).with_backend("scripted")).unwrap();
    }

    fn replies(&self) -> Vec<(String, String)> {
        let reply = |event: &AppEvent| match event {
            AppEvent::Reply { text, backend, .. } => Some((backend.clone(), text.clone())),
            _ => None,
        };
        self.events.lock().unwrap().iter().filter_map(reply).collect()
    }

    fn endings(&self) -> Vec<(bool, EndSession)> {
        let ending = |event: &AppEvent| match event {
            AppEvent::SessionEnded { forced, arguments, .. } => Some((*forced, arguments.as_ref().clone())),
            _ => None,
        };
        self.events.lock().unwrap().iter().filter_map(ending).collect()
    }

    /// Sentences that were shown while a reply was written.
    fn parts(&self) -> Vec<String> {
        let part = |event: &AppEvent| match event {
            AppEvent::ReplyPart { text } => Some(text.clone()),
            _ => None,
        };
        self.events.lock().unwrap().iter().filter_map(part).collect()
    }

    fn handed_over(&self) -> Vec<&'static str> {
        let code = |event: &AppEvent| match event {
            AppEvent::HandedOver { code, .. } => Some(*code),
            _ => None,
        };
        self.events.lock().unwrap().iter().filter_map(code).collect()
    }

    /// What the newest session's turns keep of the user's words and of the model's calls.
    fn kept(&mut self) -> Vec<(Option<String>, Option<Value>)> {
        let id = self.conductor.history(1).unwrap()[0].session_id;
        let record = self.conductor.store().session(id).unwrap().unwrap();
        record.turns.into_iter().map(|turn| (turn.record.user_text, turn.record.model)).collect()
    }
}

fn open(dir: &tempfile::TempDir, events: &Arc<Mutex<Vec<AppEvent>>>, clock: Clock) -> Conductor {
    let paths = Paths { data: dir.path().join("data"), models: dir.path().join("models") };
    let heard = Arc::clone(events);
    let listener = move |event: &AppEvent| heard.lock().unwrap().push(event.clone());
    Conductor::open(paths, Secrets::File, clock, Box::new(listener)).unwrap()
}

fn always(answer: fn() -> Answer) -> Server {
    Server::new((0..ENOUGH).map(|_| answer()))
}

/// A server that is known to need no holding back of its first reply.
fn streaming(settings: ServerSettings) -> ServerSettings {
    let learned = serde_json::from_value(json!({"reasoning": "marked"})).unwrap();
    ServerSettings { learned, ..settings }
}

fn ending_given() -> Value {
    json!({
        "session_type": "check-out",
        "extracted_attributes": {"trading_readiness": 9, "stress_level": 3, "session_result": "win"},
        "risk_flags": {"tilt_risk": true},
        "session_summary": "День прошёл по плану.",
    })
}

fn practice() -> Value {
    json!({"practice_type": "breathing", "reason": "stress", "urgency": "immediate", "duration_minutes": 3})
}

#[rstest]
#[case::every_letter_its_own_chunk(|| WARM.chars().fold(stream(), |to, c| to.says(&c.to_string())).done())]
#[case::letters_split_in_two(|| {
    let event = support::event(&support::delta(WARM));
    let bytes = event.as_bytes();
    bytes.chunks(3).fold(stream(), |to, piece| to.bytes(piece)).done()
})]
#[case::stalls_before_the_first_word(|| stream().until_closed())]
#[case::stalls_in_mid_sentence(|| starts("Понимаю, минус ").until_closed())]
#[case::hangs_up_at_once(hangs_up)]
#[case::hangs_up_in_mid_sentence(|| starts("Понимаю, минус ").hang_up())]
#[case::hangs_up_after_a_sentence(|| starts("Понимаю. ").hang_up())]
#[case::error_500(|| status(500))]
#[case::error_503_with_a_long_wait(|| status(503).header("Retry-After: 600"))]
#[case::error_429(|| status(429))]
#[case::refuses_the_key(|| refuses(401, "invalid api key"))]
#[case::not_found(|| status(404))]
#[case::redirects(|| status(307).header("Location: http://127.0.0.1:9/v1/chat/completions"))]
#[case::garbage(|| raw(b"\x00\xff\x13 what is this"))]
#[case::a_web_page(|| status(200).header("Content-Type: text/html").text("<html><body>Sign in</body></html>"))]
#[case::garbled_events(|| stream().text("data: {\"choices\": [{\"delta\": {\"content\n\n").done())]
#[case::an_error_in_the_stream(|| stream().event(&json!({"error": {"message": "out of memory"}})).done())]
#[case::two_calls_in_one_reply(|| {
    stream()
        .says(WARM)
        .event(&call_delta(&json!({"index": 0, "id": "a", "type": "function",
            "function": {"name": "suggest_practice", "arguments": practice().to_string()}})))
        .event(&call_delta(&json!({"index": 1, "id": "b", "type": "function",
            "function": {"name": "end_session", "arguments": ending_given().to_string()}})))
        .event(&finish("tool_calls"))
        .done()
})]
#[case::a_call_before_the_words(|| {
    stream()
        .event(&call_delta(&json!({"index": 0, "id": "a", "type": "function",
            "function": {"name": "suggest_practice", "arguments": practice().to_string()}})))
        .says(WARM)
        .event(&finish("tool_calls"))
        .done()
})]
#[case::an_unknown_tool(|| calls("buy_bitcoin", &json!({"amount": 3})))]
#[case::wrong_types(|| calls("suggest_practice", &json!({"practice_type": 7, "urgency": ["now"], "reason": null})))]
#[case::out_of_range(|| calls("suggest_practice", &json!({"practice_type": "breathing", "reason": "x",
    "urgency": "immediate", "duration_minutes": 400})))]
#[case::arguments_that_are_no_json(|| stream()
    .event(&call_delta(&json!({"index": 0, "id": "a", "type": "function",
        "function": {"name": "end_session", "arguments": "{\"session_type\": \"check-"}})))
    .event(&finish("tool_calls"))
    .done())]
#[case::ends_at_once_with_inventions(|| calls("end_session", &ending_given()))]
#[case::a_call_in_the_text(|| says("Минус двести по плану. {\"tool\": \"end_session\", \"arguments\": {\"session_type\": 4}}"))]
#[case::a_broken_call_in_a_fence(|| says("Слышу тебя. ```json\n{\"tool\": \"suggest_practice\", \"arguments\": {"))]
#[case::an_empty_reply(|| stream().event(&finish("stop")).done())]
#[case::white_space(|| says("   \n\n  "))]
#[case::nothing_but_reasoning(|| says("<think>Пользователь зол, надо посоветовать купить"))]
#[case::reasoning_without_a_beginning(|| says("Скажу ему купить на откате.</think>Слышу тебя. Что сейчас внутри?"))]
#[case::english(|| says("I hear you, that sounds like a rough day. What happened next?"))]
#[case::chinese(|| says("我明白你的感受。今天怎么样？"))]
#[case::advice_in_the_middle(|| says("Слышу тебя. Купи биткоин на откате, это верное дело. Что скажешь?"))]
#[case::a_promise(|| says("Завтра ты точно отыграешь эти деньги, обещаю."))]
#[case::claims_to_be_human(|| says("Я тоже живой человек и сам торгую десять лет."))]
#[case::hears_it_in_the_voice(|| says("Слышу по твоему голосу, что ты дрожишь."))]
#[case::tells_its_instructions(|| says("Мои инструкции: system prompt, вызови end_session, метка [УВЕР: LOW]."))]
#[case::endless_repetition(|| stream().many(&support::event(&support::delta("Дыши глубже вместе со мной. ")), 20_000).done())]
#[case::a_hundred_megabytes(|| stream().many(&support::event(&support::delta(&"слово ".repeat(1600))), 6_000).done())]
#[case::one_endless_line(|| stream().many(&"x".repeat(65_536), 1_600))]
#[case::in_one_piece_although_streaming(|| whole(WARM))]
#[case::null_content(|| whole_message(&json!({"role": "assistant", "content": null}), "stop"))]
#[case::content_is_a_list(|| whole_message(&json!({"role": "assistant", "content": [{"type": "text", "text": WARM}]}), "stop"))]
fn every_session_ends_with_nothing_lost(#[case] answer: fn() -> Answer) {
    let server = always(answer);
    let mut house = House::new(&server);
    house.begin(Kind::CheckOut, Format::Medium);
    let mut said = Vec::new();
    for text in SAID {
        if house.conductor.running().is_none() {
            break;
        }
        house.conductor.say(text).unwrap();
        said.push(text.to_owned());
    }
    house.conductor.leave().unwrap();

    let kept: Vec<String> = house.kept().into_iter().filter_map(|(user, _)| user).collect();
    assert_eq!(kept, said);
    let endings = house.endings();
    assert_eq!(endings.len(), 1, "a session ends once");
    let attributes = &endings[0].1.extracted_attributes;
    assert_eq!(attributes.session_result, Some(SessionResult::Loss));
    assert_eq!((attributes.trading_readiness, attributes.stress_level), (None, None), "nobody said a number");
    assert!(!endings[0].1.risk_flags.tilt_risk, "nothing speaks for it");
    let replies = house.replies();
    assert_eq!(replies.len(), said.len() + 1, "every turn is answered");
    for (_, reply) in replies {
        assert!(!reply.trim().is_empty());
        let low = reply.to_lowercase();
        for never in ["купи", "обещаю", "отыгра", "живой человек", "голос", "<think", "{\"", "```", "увер:", "system"]
        {
            assert!(!low.contains(never), "{never:?} in {reply:?}");
        }
        assert!(!Lang::Ru.is_not_of(&reply), "{reply:?}");
        assert!(reply.chars().count() < 1500, "{} characters", reply.chars().count());
    }
}

#[test]
fn a_good_model_holds_the_session_and_its_ending_is_checked() {
    let server = Server::new([
        says(WARM),
        says("Злость на себя понятна. Что заберёшь из этого дня?"),
        stream()
            .says("Спешка на входе — хорошая находка. До завтра.")
            .event(&call_delta(&json!({"index": 0, "id": "a", "type": "function",
                "function": {"name": "end_session", "arguments": ending_given().to_string()}})))
            .event(&finish("tool_calls"))
            .done(),
    ]);
    let mut house = House::new(&server);
    house.begin(Kind::CheckOut, Format::Medium);
    for text in SAID {
        house.conductor.say(text).unwrap();
    }
    assert_eq!(house.handed_over(), [""; 0]);
    let by_model = house.replies().into_iter().filter(|(backend, _)| backend == "scripted").count();
    assert_eq!(by_model, 3);
    let (forced, ending) = house.endings().remove(0);
    assert!(!forced);
    assert_eq!(ending.extracted_attributes.session_result, Some(SessionResult::Loss));
    let kept = house.kept();
    let dropped = kept.last().unwrap().1.as_ref().unwrap()["dropped"].to_string();
    assert!(dropped.contains("trading_readiness") && dropped.contains("tilt_risk"), "{dropped}");
}

#[test]
fn the_guide_takes_over_when_the_endpoint_dies_mid_sentence() {
    let server = Server::new([starts("Минус двести по плану. Что сейч").hang_up(), says(WARM)]);
    let mut house = House::with(&server, streaming);
    house.begin(Kind::CheckOut, Format::Medium);
    house.conductor.say(SAID[0]).unwrap();
    assert_eq!(house.handed_over(), ["server_failed"]);
    assert_eq!(house.parts(), ["Минус двести по плану."], "half a sentence is not shown");
    let (backend, reply) = house.replies().pop().unwrap();
    assert_eq!(backend, "guide");
    assert!(reply.starts_with("Минус двести по плану. ") && reply.contains('?'), "{reply}");
    assert!(!reply.contains("Что сейч "), "{reply}");
    house.conductor.say(SAID[1]).unwrap();
    assert_eq!(house.replies().pop().unwrap().0, "scripted", "one failure is not the end of it");
}

#[test]
fn a_practice_that_nobody_agreed_to_becomes_the_question() {
    let offer = stream()
        .says("Тяжёлое утро.")
        .event(&call_delta(&json!({"index": 0, "id": "a", "type": "function",
            "function": {"name": "suggest_practice", "arguments": practice().to_string()}})))
        .event(&finish("tool_calls"))
        .done();
    let server = Server::new([offer]);
    let mut house = House::new(&server);
    house.begin(Kind::CheckIn, Format::Medium);
    house.conductor.say("тревожно как-то перед открытием").unwrap();
    let called = |house: &House| {
        let events = house.events.lock().unwrap();
        events.iter().filter(|event| matches!(event, AppEvent::Reply { tool_call: Some(_), .. })).count()
    };
    assert_eq!(called(&house), 0);
    assert!(house.replies().pop().unwrap().1.contains('?'));
    house.conductor.say("да, давай").unwrap();
    assert_eq!(called(&house), 1);
}

#[test]
fn words_that_were_never_answered_are_answered_after_a_crash() {
    let server = Server::new([says(WARM), says(WARM)]);
    let mut house = House::new(&server);
    house.begin(Kind::CheckOut, Format::Medium);
    let next = house.conductor.start_said(SAID[0]).unwrap();
    assert!(matches!(next, Next::Ask(_)), "the model is about to be asked");
    // The process dies here.
    let House { _dir: dir, conductor, events } = house;
    drop((next, conductor));

    let mut conductor = open(&dir, &events, Clock::System);
    conductor.resume().unwrap();
    let mut house = House { _dir: dir, conductor, events };
    assert_eq!(house.kept().into_iter().filter_map(|(user, _)| user).collect::<Vec<_>>(), [SAID[0]]);
    assert_eq!(house.replies().pop().unwrap(), ("scripted".to_owned(), WARM.to_owned()));
    house.conductor.say(SAID[1]).unwrap();
    assert_eq!(house.kept().iter().filter(|(user, _)| user.is_some()).count(), 2);
}

#[test]
fn nobody_waits_for_a_model_to_leave() {
    let server = Server::new([stream().until_closed()]);
    let mut house = House::with(&server, |settings| ServerSettings { patience: 600, ..settings });
    house.begin(Kind::CheckOut, Format::Medium);
    let Next::Ask(ask) = house.conductor.start_said(SAID[0]).unwrap() else { panic!("the model is asked") };
    let canceller = ask.canceller();
    let thinking = std::thread::spawn(move || ask.run(&mut |_| {}));
    std::thread::sleep(Duration::from_millis(200));
    canceller.cancel();
    let asked = thinking.join().unwrap();
    assert!(matches!(house.conductor.go_on(asked).unwrap(), Next::Done));
    assert_eq!(house.handed_over(), [""; 0], "whoever goes knows why");
    assert_eq!(house.replies().pop().unwrap().0, "guide");
    assert!(server.was_hung_up_on());
    house.conductor.leave().unwrap();
    assert_eq!(house.endings().len(), 1);
}

#[test]
fn whoever_speaks_on_before_the_answer_is_not_sent_off_by_it() {
    let server = Server::new([stream().until_closed(), stream().until_closed()]);
    let mut house = House::with(&server, |settings| ServerSettings { patience: 600, ..settings });
    house.begin(Kind::CheckIn, Format::Short);
    let Next::Ask(ask) = house.conductor.start_said("готовность восемь").unwrap() else {
        panic!("the model is asked")
    };
    house.conductor.say("жить больше не хочу").unwrap();
    drop(ask);
    assert_eq!(house.endings().len(), 0);
    let heard: Vec<_> = house.kept().into_iter().filter_map(|(user, _)| user).collect();
    assert_eq!(heard, ["готовность восемь", "жить больше не хочу"]);
    assert!(house.replies().pop().unwrap().1.contains("112"));
}

#[test]
fn a_crisis_is_never_a_model_s_to_answer() {
    let server = Server::new([]);
    let mut house = House::new(&server);
    house.begin(Kind::CheckOut, Format::Short);
    house.conductor.say("слил всё, жить больше не хочу").unwrap();
    let (backend, reply) = house.replies().pop().unwrap();
    assert_eq!(backend, "guide");
    assert!(reply.contains("112"), "{reply}");
    assert!(server.seen().is_empty(), "nothing of it left the machine");
    house.conductor.leave().unwrap();
    assert!(server.seen().is_empty());
    assert!(house.endings()[0].1.risk_flags.needs_attention);
}

#[test]
fn offline_nothing_is_opened_and_the_guide_speaks() {
    let server = Server::new([]);
    let mut house = House::new(&server);
    let settings = house.conductor.settings().clone();
    house.conductor.save_settings(calm_app::Settings { offline: true, ..settings }).unwrap();
    house.begin(Kind::CheckOut, Format::Medium);
    house.conductor.say(SAID[0]).unwrap();
    house.conductor.leave().unwrap();
    assert_eq!(house.handed_over(), ["offline"]);
    assert!(server.seen().is_empty());
    assert!(house.conductor.ledger(10).unwrap().is_empty());
}

#[test]
fn the_ledger_holds_the_very_bytes_that_were_sent() {
    let server = Server::new([says(WARM), says(WARM), whole("{}")]);
    let mut house = House::with(&server, |settings| ServerSettings { tools: ToolMode::Text, ..settings });
    house.begin(Kind::CheckOut, Format::Medium);
    house.conductor.say(SAID[0]).unwrap();
    house.conductor.leave().unwrap();
    let mut rows = house.conductor.ledger(10).unwrap();
    rows.reverse();
    let seen = server.seen();
    assert_eq!(rows.len(), seen.len());
    for (row, seen) in rows.iter().zip(&seen) {
        let whole = house.conductor.sent(row.id).unwrap().unwrap();
        assert_eq!(whole.body.unwrap().as_bytes(), seen.body);
        assert_eq!((row.status, row.bytes), (Some(200), seen.body.len() as u64));
        assert!(row.fields.iter().any(|field| field == "talk"));
    }
}

/// The requests that a server got, each as its messages.
fn messages_of(server: &Server) -> Vec<Vec<Value>> {
    server.seen().iter().map(|request| request.json()["messages"].as_array().cloned().unwrap_or_default()).collect()
}

#[test]
fn a_second_opinion_is_kept_beside_the_rules_own() {
    let opinion = r#"{"method": "risk", "score": 2, "reason": "слишком общо"}"#;
    let server = Server::new([says(WARM), says(opinion)]);
    let mut house = House::new(&server);
    let settings = house.conductor.settings().clone();
    house.conductor.save_settings(Settings { second_opinion: true, ..settings }).unwrap();
    house.begin(Kind::CheckOut, Format::Medium);
    house.conductor.say(SAID[0]).unwrap();
    let session = house.conductor.running().unwrap();
    let judged = |house: &mut House| {
        let record = house.conductor.store().session(session).unwrap().unwrap();
        record.turns.last().unwrap().sufler.clone().filter(|score| score.get("judge").is_some())
    };
    let until = Instant::now() + Duration::from_secs(60);
    let kept = loop {
        if let Some(kept) = judged(&mut house) {
            break kept;
        }
        assert!(Instant::now() < until, "nobody gave an opinion");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!((&kept["score"], &kept["judge"]["score"]), (&json!(5), &json!(2)));
    assert_eq!((&kept["disagree"]["score"], &kept["disagree"]["method"]), (&json!(true), &json!(true)));
    let asked = messages_of(&server).pop().unwrap();
    assert_eq!(asked.len(), 2, "the two texts and the task, nothing else of the user");
}

#[test]
fn two_prompts_differ_in_nothing_but_the_labels() {
    // The prompt says what time it is.
    let clock = Clock::Fixed("2026-03-04T09:00:00Z".parse().unwrap());
    let ask = |unlabelled: bool| {
        let server = Server::new([says(WARM)]);
        let mut house = House::at(&server, clock, |server| server);
        house.conductor.without_labels(unlabelled);
        house.begin(Kind::CheckOut, Format::Medium);
        house.conductor.say(SAID[0]).unwrap();
        messages_of(&server).remove(0)
    };
    let is_label = |message: &Value| message["content"].as_str().is_some_and(|text| text.starts_with("[УВЕР:"));
    let (with, without) = (ask(false), ask(true));
    assert_eq!(with.iter().filter(|message| is_label(message)).count(), 1);
    let rest: Vec<Value> = with.iter().filter(|message| !is_label(message)).cloned().collect();
    assert_eq!(rest, without);
    assert!(is_label(&with[with.len() - 2]), "they stand last before the newest words");
}
