//! Running a scenario through the conductor, and the prompts that a model would have been sent on the way.

use std::sync::{Arc, Mutex, PoisonError};

use calm_core::{EndSession, ToolCall};
use calm_prompts::PromptSet;
use calm_prompts::coverage::{self, Coverage};
use calm_prompts::envelope::ENVELOPES;
use calm_prompts::lint::{Lang, Linter, Options, Severity, Surface};
use calm_prompts::template::{Library, Trace};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use super::checks::Checks;
use super::house::House;
use super::scenario::Scenario;
use crate::conductor::Begin;
use crate::error::AppError;
use crate::events::AppEvent;
use crate::prompting::{self, Blocks, Request};
use crate::talking::Cancel;
use crate::transcript;
use crate::trying::{Lent, Trial};

/// What became of a scenario.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    pub id: String,
    pub passed: bool,
    /// Expectations, and the linter's look at every reply.
    pub checks: usize,
    pub failed: Vec<String>,
}

/// An outcome with what it went through.
#[derive(Debug, Clone)]
pub struct Ran {
    pub outcome: Outcome,
    /// What was said, and the answer; the greeting has nothing before it.
    pub transcript: Vec<(Option<String>, String)>,
    /// Sufler's, 1–5, of each reply to the user.
    pub scores: Vec<u8>,
    pub trace: Trace,
}

/// The events of a session, as far as checks need them.
#[derive(Default)]
struct Heard {
    replies: Vec<(String, Option<&'static str>)>,
    sufler: Vec<u8>,
    ending: Option<EndSession>,
    forced: bool,
}

/// How scenarios are run.
#[derive(Clone, Copy)]
pub struct Trying<'a> {
    pub set: &'a PromptSet,
    /// Words nobody may say.
    pub banned: &'a [String],
    /// Who answers; the guide where absent.
    pub backend: Option<&'a Lent>,
    /// Ends the talk early; what came of it then is nothing to go by.
    pub stop: Option<&'a Cancel>,
}

/// Whether the contour's labels are told to whoever answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Labels {
    Told,
    Withheld,
}

/// Runs one scenario with its labels and, where it says whether they matter, without them.
///
/// # Errors
/// As [`run_with`].
pub fn run(id: &str, scenario: &Scenario, trying: Trying<'_>) -> Result<Ran, AppError> {
    let mut ran = run_with(id, scenario, trying, Labels::Told)?;
    // A model says the same thing in other words every time.
    let comparable = scenario.expect.labels_matter.filter(|_| trying.backend.is_none());
    if let Some(matter) = comparable {
        let unlabelled = run_with(id, scenario, trying, Labels::Withheld)?;
        ran.outcome.checks += 1;
        if (ran.transcript != unlabelled.transcript) != matter {
            let what = if matter { "the labels changed no word" } else { "the labels changed a reply" };
            ran.outcome.failed.push(what.to_owned());
            ran.outcome.passed = false;
        }
    }
    Ok(ran)
}

/// Runs one scenario in a data folder of its own, and renders `set` at every turn.
///
/// # Errors
/// The data folder cannot be made, or a prompt cannot be rendered.
pub fn run_with(id: &str, scenario: &Scenario, trying: Trying<'_>, labels: Labels) -> Result<Ran, AppError> {
    let Trying { set, banned, backend, stop } = trying;
    // A Wednesday morning before the European open.
    let now = scenario.now.unwrap_or_else(|| Timestamp::from_second(1_772_611_200).unwrap_or_default());
    let heard = Arc::new(Mutex::new(Heard::default()));
    let ears = Arc::clone(&heard);
    let listener = move |event: &AppEvent| note(event, &mut ears.lock().unwrap_or_else(PoisonError::into_inner));
    let mut house = House::of(scenario, set, now, Box::new(listener))?;
    let conductor = &mut house.conductor;
    let mind = scenario.context.mind.clone().map(Into::into);
    conductor.trial = Trial { mind, without_labels: labels == Labels::Withheld, server: None, stop: stop.cloned() };
    if let Some(lent) = backend {
        conductor.borrow(lent);
    }
    let mut trace = Trace::default();
    let mut transcript = Vec::new();
    let mut checks = Checks::default();

    let begin = Begin::new(scenario.kind, scenario.format, "window").seeded(scenario.seed);
    conductor.begin(&begin)?;
    render(conductor, scenario, set, None, &mut trace)?;
    let replied = |heard: &Arc<Mutex<Heard>>| {
        heard.lock().unwrap_or_else(PoisonError::into_inner).replies.last().cloned().unwrap_or_default()
    };
    transcript.push((None, replied(&heard).0));
    for (turn, given) in (1..).zip(&scenario.turns) {
        if stop.is_some_and(Cancel::is_cancelled) {
            break;
        }
        if conductor.running().is_none() {
            let unasked = given.expect.is_empty();
            checks.check(unasked, || format!("turn {turn}: the talk had ended, and something was expected of it"));
            continue;
        }
        conductor.more_waits(turn < scenario.turns.len());
        conductor.say_as(&given.say, given.voice.clone())?;
        render(conductor, scenario, set, Some(&given.say), &mut trace)?;
        let (reply, tool) = replied(&heard);
        checks.reply(turn, &given.expect, &reply, tool);
        transcript.push((Some(given.say.clone()), reply));
    }
    let by_agent = conductor.running().is_none();
    conductor.leave()?;

    let heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
    checks.check(heard.ending.is_some(), || "the session was never ended".to_owned());
    if let Some(ending) = &heard.ending {
        checks.check(heard.forced != by_agent, || "a forced ending is not marked, or an own one is".to_owned());
        checks.ending(&scenario.expect, ending, by_agent);
    }
    if let Some(least) = scenario.expect.least_sufler {
        let lowest = heard.sufler.iter().min().copied();
        checks.check(lowest.is_none_or(|score| score >= least), || {
            format!("Sufler gave {lowest:?}, not {least} or more")
        });
    }
    lint(scenario, set, banned, &heard.replies, &mut checks);
    let outcome =
        Outcome { id: id.to_owned(), passed: checks.failed.is_empty(), checks: checks.made, failed: checks.failed };
    Ok(Ran { outcome, transcript, scores: heard.sufler.clone(), trace })
}

fn note(event: &AppEvent, heard: &mut Heard) {
    match event {
        AppEvent::Reply { text, tool_call, .. } => {
            let tool = tool_call.as_ref().map(ToolCall::name);
            heard.replies.push((text.clone(), tool));
        }
        AppEvent::Sufler { score, .. } => heard.sufler.push(*score),
        AppEvent::SessionEnded { forced, arguments, .. } => {
            heard.ending = Some(arguments.as_ref().clone());
            heard.forced = *forced;
        }
        _ => {}
    }
}

/// No reply may break a hard rule, whatever else was expected.
fn lint(
    scenario: &Scenario,
    set: &PromptSet,
    banned: &[String],
    replies: &[(String, Option<&'static str>)],
    checks: &mut Checks,
) {
    let prohibited = transcript::prohibited(set, scenario.language);
    let linter = Linter::new(&Options { surface: Surface::Window, banned: banned.to_vec() });
    let language = Lang::from_code(scenario.language.code()).unwrap_or(Lang::En);
    for (turn, (reply, _)) in replies.iter().enumerate() {
        let findings = linter.reply(reply, language, &prohibited);
        let hard = findings.iter().find(|finding| finding.severity == Severity::HardFail);
        checks.check(hard.is_none(), || {
            let (rule, message) = hard.map(|it| (it.rule.name(), it.message.en.as_str())).unwrap_or_default();
            format!("turn {turn}: {rule}: {message} in {reply:?}")
        });
    }
}

fn render(
    conductor: &crate::Conductor,
    scenario: &Scenario,
    set: &PromptSet,
    said: Option<&str>,
    trace: &mut Trace,
) -> Result<(), AppError> {
    let context = context(conductor.prompt_context(), scenario);
    let language = scenario.language.code();
    let options = &scenario.prompt;
    let envelope = options.envelope.as_deref().unwrap_or(language);
    let request = Request {
        context: &context,
        language,
        envelope,
        now: None,
        opened_from: Some("window"),
        task: None,
        said,
        session: None,
        plain: options.plain,
        method: None,
        calendar: Vec::new(),
    };
    let blocks = Blocks::default();
    let around = prompting::around(conductor.settings(), Some((conductor.read_store(), &blocks)), &request)?;
    set.assembly(language, envelope)?.traced(&context, &around, Some(trace))?;
    Ok(())
}

/// The context as the talk has made it, with what the scenario says otherwise.
fn context(live: Option<&Value>, scenario: &Scenario) -> Value {
    let options = &scenario.prompt;
    let mut context = live.cloned().unwrap_or_else(|| json!({}));
    if !scenario.context.user.known_patterns.is_empty() {
        context["user"]["known_patterns"] = json!(scenario.context.user.known_patterns);
    }
    if let Some(said) = &options.said {
        context["said"] = json!(said);
    }
    if let Some(voice) = &options.voice {
        context["voice_analysis"] = json!(voice);
    }
    if let Some(tools) = &options.tools {
        context["backend"] = json!({"tools": tools});
    }
    if options.no_session {
        context["session"] = Value::Null;
    }
    context
}

/// How far running many has come.
#[derive(Debug)]
pub struct Progress<'a> {
    pub id: &'a str,
    /// Of `total`, with this one.
    pub done: usize,
    pub total: usize,
    /// A set that the scenario does not fit fails it like any expectation.
    pub ran: &'a Ran,
}

/// Runs them one after another until `trying` is stopped, and says what they reached of the set together; nothing where
/// they were stopped.
///
/// # Errors
/// The set cannot be read at all.
pub fn run_all(
    list: &[(String, Scenario)],
    trying: Trying<'_>,
    progress: &mut dyn FnMut(&Progress<'_>),
) -> Result<Option<Coverage>, AppError> {
    let mut ran = Vec::with_capacity(list.len());
    for (done, (id, scenario)) in (1..).zip(list) {
        let one = run(id, scenario, trying).unwrap_or_else(|error| Ran::failed(id, &error));
        if trying.stop.is_some_and(Cancel::is_cancelled) {
            return Ok(None);
        }
        progress(&Progress { id, done, total: list.len(), ran: &one });
        ran.push(one);
    }
    Ok(Some(coverage(trying.set, &ran)?))
}

impl Ran {
    fn failed(id: &str, error: &AppError) -> Ran {
        let outcome = Outcome { id: id.to_owned(), passed: false, checks: 1, failed: vec![error.to_string()] };
        Ran { outcome, transcript: Vec::new(), scores: Vec::new(), trace: Trace::default() }
    }
}

/// What all these runs together reached of the set.
pub fn coverage<'a>(set: &PromptSet, ran: impl IntoIterator<Item = &'a Ran>) -> Result<Coverage, AppError> {
    let mut trace = Trace::default();
    for one in ran {
        trace.files.extend(one.trace.files.iter().cloned());
        trace.sides.extend(one.trace.sides.iter().cloned());
    }
    let mut libraries: Vec<Library> = set.languages().iter().map(|language| set.library(language)).collect();
    for envelope in ENVELOPES {
        libraries.push(set.assembly("en", envelope)?.envelope().clone());
    }
    Ok(coverage::coverage(&libraries, &trace))
}
