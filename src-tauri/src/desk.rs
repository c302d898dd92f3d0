//! The one place that the window's commands meet: conductor, ears, and the windows that listen.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use calm_app::aloud::Reader;
use calm_app::core::tools::When;
use calm_app::ears::Ears;
use calm_app::settings::{Consent, Settings};
use calm_app::talking::Cancel;
use calm_app::{
    AppError, AppEvent, Begin, Clock, Conductor, Format, Kind, Lang, Next, Paths, SessionId, Spoken, paths,
};
use tauri::ipc::Channel;

use crate::recovering::recover;
use crate::showing;
use crate::speaking::Speaking;
use crate::today;
use crate::wire::{FeltHeard, VoiceState, WireError, WireEvent, WireSettings};

#[derive(Clone)]
pub struct Desk(Arc<Inner>);

struct Inner {
    /// A database that does not open is shown in the window, not at the terminal.
    conductor: Mutex<Result<Conductor, WireError>>,
    ears: Mutex<Ears>,
    listeners: Listeners,
    speaking: Mutex<Option<Speaking>>,
    /// Says replies aloud where the user wants it.
    reader: Reader,
    /// Cuts off the model that is being waited for.
    thinking: Mutex<Option<Cancel>>,
    last_ended: LastEnded,
    /// What has opened the quick window last.
    quick_door: Mutex<&'static str>,
    /// Reminders that rang while nothing could show them; the next window does.
    unshown: Mutex<Vec<WireEvent>>,
    /// The microphone is being tried out; nothing is kept of it.
    trial: Mutex<Option<Arc<AtomicBool>>>,
    /// Stops the scenarios that are being run.
    sandbox: Mutex<Option<Cancel>>,
    /// Models are fetched one after another.
    fetching: AtomicBool,
    paths: Paths,
}

type LastEnded = Arc<Mutex<Option<SessionId>>>;

/// The windows that subscribed, by their labels: a window that comes again takes the place of its former self.
#[derive(Clone, Default)]
struct Listeners(Arc<Mutex<BTreeMap<String, Channel<WireEvent>>>>);

impl Listeners {
    fn is_empty(&self) -> bool {
        held(&self.0).is_empty()
    }

    fn send(&self, event: &WireEvent) {
        held(&self.0).retain(|_, window| window.send(event.clone()).is_ok());
    }
}

impl Desk {
    pub fn open(paths: Paths) -> Desk {
        let listeners = Listeners::default();
        let last_ended = LastEnded::default();
        let reader = Reader::new(&Settings::default());
        let conductor = open_conductor(&paths, &listeners, &last_ended, &reader);
        conductor.iter().for_each(|conductor| reader.follow(conductor.settings()));
        let analyse = conductor.as_ref().map_or(true, |c| c.settings().voice_analysis);
        let desk = Desk(Arc::new(Inner {
            ears: Mutex::new(Ears::new(&paths.models, analyse)),
            conductor: Mutex::new(conductor.map_err(WireError::from)),
            listeners,
            speaking: Mutex::new(None),
            reader,
            thinking: Mutex::new(None),
            last_ended,
            quick_door: Mutex::new("tray"),
            unshown: Mutex::default(),
            trial: Mutex::default(),
            sandbox: Mutex::default(),
            fetching: AtomicBool::new(false),
            paths,
        }));
        let recovering = desk.clone();
        std::thread::spawn(move || recover(&recovering));
        desk
    }

    pub fn language(&self) -> Lang {
        match &*held(&self.0.conductor) {
            Ok(conductor) => conductor.settings().language,
            Err(_) => Lang::En,
        }
    }

    /// Whether the user has confirmed to be 18 or older.
    pub fn is_adult(&self) -> bool {
        self.with(|conductor| Ok(conductor.settings().adult_confirmed)).unwrap_or(false)
    }

    /// The keys that open the quick check-in.
    pub fn shortcut(&self) -> Option<String> {
        self.with(|conductor| Ok(conductor.settings().shortcut.clone())).ok().flatten()
    }

    pub fn set_shortcut(&self, shortcut: Option<String>) -> Result<(), WireError> {
        self.with(|conductor| conductor.change_settings(|settings| Ok(Settings { shortcut, ..settings })))
    }

    /// Whether a session can still be talked in.
    pub fn is_running(&self) -> bool {
        self.with(|conductor| Ok(conductor.running().is_some())).unwrap_or(false)
    }

    /// The quick window opens; its next session keeps from where.
    pub fn opened_by(&self, door: &'static str) {
        *held(&self.0.quick_door) = door;
    }

    pub fn quick_door(&self) -> &'static str {
        *held(&self.0.quick_door)
    }

    pub fn paths(&self) -> &Paths {
        &self.0.paths
    }

    pub fn ears(&self) -> MutexGuard<'_, Ears> {
        held(&self.0.ears)
    }

    /// For a turn that is heard while it is spoken, a piece at a time.
    pub fn shared_ears(&self) -> &Mutex<Ears> {
        &self.0.ears
    }

    pub fn send(&self, event: &WireEvent) {
        self.0.listeners.send(event);
    }

    /// Tells the windows what went wrong.
    pub fn report(&self, error: WireError) {
        let WireError { code, detail } = error;
        self.send(&WireEvent::Error { code, detail });
    }

    /// What is due rings, in the words of a notification; each once.
    pub fn due(&self) -> Result<Vec<String>, WireError> {
        self.with(|conductor| {
            let language = conductor.settings().language;
            Ok(conductor.due()?.iter().map(|reminder| reminder.words(language)).collect())
        })
    }

    /// The same reminder once more, in so many minutes.
    pub fn remind_again(&self, minutes: u16, text: &str) -> Result<(), WireError> {
        self.with(|conductor| conductor.add_reminder(When::In(minutes.into()), text).map(drop))
    }

    /// A reminder in the window, or in the next one that comes.
    pub fn show_reminder(&self, text: String) {
        let event = WireEvent::Reminder { text };
        self.send(&event);
        if self.0.listeners.is_empty() {
            held(&self.0.unshown).push(event);
        }
    }

    /// Works with the conductor; where the database did not open, the reason is the answer.
    pub fn with<T>(&self, work: impl FnOnce(&mut Conductor) -> Result<T, AppError>) -> Result<T, WireError> {
        match &mut *held(&self.0.conductor) {
            Ok(conductor) => work(conductor).map_err(WireError::from),
            Err(closed) => Err(closed.clone()),
        }
    }

    /// Does what needs the database closed everywhere; it stays closed, with `why` as the answer to everything.
    ///
    /// # Errors
    /// A session runs here; nothing was done then.
    pub fn closed<T>(&self, why: &str, work: impl FnOnce(&Paths) -> Result<T, AppError>) -> Result<T, WireError> {
        self.hush();
        self.end_trial();
        let mut conductor = held(&self.0.conductor);
        if conductor.as_ref().is_ok_and(|conductor| conductor.running().is_some()) {
            return Err(AppError::SessionRunning.into());
        }
        *conductor = Err(WireError { code: why.to_owned(), detail: String::new() });
        work(&self.0.paths).map_err(WireError::from)
    }

    /// Opens the database after it was closed, or makes a new one.
    pub fn reopen(&self) -> Result<(), WireError> {
        let Inner { paths, listeners, last_ended, reader, .. } = &*self.0;
        {
            let mut conductor = held(&self.0.conductor);
            if conductor.is_err() {
                *conductor = open_conductor(paths, listeners, last_ended, reader).map_err(WireError::from);
            }
        }
        let settings = self.with(|conductor| Ok(conductor.settings().clone()))?;
        self.ears().follow(&settings);
        self.0.reader.follow(&settings);
        recover(self);
        Ok(())
    }

    /// What a window's user has changed since it was shown, kept and told to every window.
    pub fn save_settings(&self, shown: &WireSettings, answers: &WireSettings) -> Result<(), WireError> {
        self.with(|conductor| conductor.change_settings(|stored| Ok(answers.onto(shown, &stored)?)))?;
        self.settings_changed()
    }

    /// What the terminal has set meanwhile is gone by here as well.
    pub fn follow_settings(&self) -> Result<(), WireError> {
        if self.with(Conductor::follow_settings)? { self.settings_changed() } else { Ok(()) }
    }

    fn settings_changed(&self) -> Result<(), WireError> {
        let settings = self.with(|conductor| Ok(conductor.settings().clone()))?;
        self.ears().follow(&settings);
        self.0.reader.follow(&settings);
        self.show_everything()
    }

    /// A window comes in: it gets a snapshot first and every event after it.
    pub fn subscribe(&self, label: &str, window: Channel<WireEvent>) -> Result<(), WireError> {
        let voice = today::voice(self);
        self.with(|conductor| {
            // While the conductor is held no event can come in between.
            if window.send(snapshot(conductor, voice)?).is_ok() {
                for waiting in held(&self.0.unshown).drain(..) {
                    window.send(waiting).ok();
                }
                held(&self.0.listeners.0).insert(label.to_owned(), window);
            }
            Ok(())
        })
    }

    /// Goes on with the session that was left open; one that runs here is shown again.
    pub fn resume(&self) -> Result<(), WireError> {
        let next = self.with(|conductor| match conductor.running() {
            Some(_) => Ok(Next::Done),
            None => conductor.start_resumed(),
        })?;
        self.show_everything()?;
        self.see_through(next)
    }

    /// Every window gets a new snapshot.
    pub fn show_everything(&self) -> Result<(), WireError> {
        let voice = today::voice(self);
        self.with(|conductor| {
            self.send(&snapshot(conductor, voice)?);
            Ok(())
        })
    }

    pub fn begin(&self, kind: Kind, format: Format, opened_from: &'static str) -> Result<(), WireError> {
        self.stop_thinking();
        self.end_speaking();
        self.with(|conductor| conductor.begin(&Begin::new(kind, format, opened_from)))
    }

    pub fn felt_heard(&self, answer: FeltHeard) -> Result<(), WireError> {
        let Some(session) = *held(&self.0.last_ended) else { return Ok(()) };
        self.with(|conductor| conductor.felt_heard(session, answer.into()))
    }

    /// Opens the microphone, once the user has agreed to it (SPEC H2).
    pub fn start_speaking(&self) -> Result<(), WireError> {
        let consent = self.with(|conductor| Ok(conductor.settings().voice_consent))?;
        if consent != Consent::Yes {
            return Err(WireError { code: "voice_not_agreed".to_owned(), detail: String::new() });
        }
        self.end_trial();
        self.0.reader.listening(true);
        let mut speaking = held(&self.0.speaking);
        if speaking.as_ref().is_none_or(Speaking::is_over) {
            *speaking = Some(Speaking::start(self.clone()));
        }
        Ok(())
    }

    /// A new trial of the microphone, in place of one under way; it goes on until the flag is set.
    pub fn begin_trial(&self) -> Arc<AtomicBool> {
        let stop = Arc::new(AtomicBool::new(false));
        let before = held(&self.0.trial).replace(Arc::clone(&stop));
        before.iter().for_each(|before| before.store(true, Ordering::Relaxed));
        stop
    }

    /// Whether nobody has begun another trial since this one.
    pub fn was_last_trial(&self, stop: &Arc<AtomicBool>) -> bool {
        held(&self.0.trial).as_ref().is_none_or(|current| Arc::ptr_eq(current, stop))
    }

    pub fn end_trial(&self) {
        if let Some(stop) = held(&self.0.trial).take() {
            stop.store(true, Ordering::Relaxed);
        }
    }

    /// A new run of scenarios, in place of one under way.
    pub fn begin_sandbox(&self) -> Cancel {
        self.stop_sandbox();
        let stop = Cancel::new();
        *held(&self.0.sandbox) = Some(stop.clone());
        stop
    }

    pub fn stop_sandbox(&self) {
        if let Some(stop) = held(&self.0.sandbox).as_ref() {
            stop.cancel();
        }
    }

    /// Whether `stop` was the newest run's, which is over now.
    pub fn end_sandbox(&self, stop: &Cancel) -> bool {
        held(&self.0.sandbox).take_if(|newest| newest.is_of(stop)).is_some()
    }

    /// Runs `fetch` unless another one runs already.
    pub fn fetching(&self, fetch: impl FnOnce() -> Result<(), WireError>) -> Result<(), WireError> {
        if self.0.fetching.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        let fetched = fetch();
        self.0.fetching.store(false, Ordering::Release);
        fetched
    }

    /// Ends the utterance; `keep` says whether it is transcribed.
    pub fn stop_speaking(&self, keep: bool) {
        if let Some(speaking) = held(&self.0.speaking).as_ref() {
            speaking.stop(keep);
        }
    }

    /// Ends the utterance and waits until its words are a turn: nothing half spoken lands in another session.
    fn end_speaking(&self) {
        self.stop_speaking(true);
        let speaking = held(&self.0.speaking).take();
        if let Some(speaking) = speaking {
            speaking.wait();
        }
    }

    /// The microphone is closed; what is answered may be said aloud again.
    pub fn listened(&self) {
        self.0.reader.listening(false);
    }

    /// Whoever types or leaves is not talked over.
    pub fn hush(&self) {
        self.0.reader.hush();
    }

    /// A typed turn.
    pub fn say(&self, text: &str) -> Result<(), WireError> {
        self.speak_on();
        let said = self.with(|conductor| conductor.start_said(text)).and_then(|next| self.see_through(next));
        self.rest_when_over();
        said
    }

    /// Waits for whatever a turn needs; the conductor is free meanwhile, so every other page goes on.
    fn see_through(&self, mut next: Next) -> Result<(), WireError> {
        while let Next::Ask(ask) = next {
            *held(&self.0.thinking) = Some(ask.canceller());
            let asked = ask.run(&mut |text| self.send(&WireEvent::ReplyPart { text: text.to_owned() }));
            next = self.with(|conductor| conductor.go_on(asked))?;
        }
        Ok(())
    }

    /// Whoever speaks or leaves does not wait for a model.
    fn stop_thinking(&self) {
        if let Some(thinking) = held(&self.0.thinking).take() {
            thinking.cancel();
        }
    }

    fn speak_on(&self) {
        held(&self.0.conductor).iter_mut().for_each(Conductor::speaks_on);
        self.stop_thinking();
    }

    /// "That's enough": what is half spoken still becomes a turn, then the session is closed.
    pub fn finish(&self) -> Result<(), WireError> {
        self.hush();
        self.stop_thinking();
        self.end_speaking();
        self.stop_thinking();
        let left = self.with(Conductor::leave);
        self.rest_when_over();
        left
    }

    /// Between sessions nobody needs the models' hundreds of megabytes.
    fn rest_when_over(&self) {
        if !self.is_running() {
            self.ears().unload();
        }
    }

    /// The app goes away: an open session stays open for the next start, and so does a recording under way.
    pub fn put_away(&self) {
        self.hush();
        self.stop_sandbox();
        self.stop_thinking();
        self.stop_speaking(true);
        let mut conductor = held(&self.0.conductor);
        if let Ok(conductor) = &mut *conductor {
            conductor.set_aside();
        }
        // SQLCipher ends before the program does: a thread that still read would fall with it.
        *conductor = Err(WireError { code: "store_locked".to_owned(), detail: String::new() });
    }

    /// A recording becomes a turn; one that nobody spoke in is let go, one that fails stays in the spool. Where `more` are
    /// still to be heard, there is no goodbye yet.
    pub fn hear(
        &self,
        session: Option<SessionId>,
        more: bool,
        words: impl FnOnce(&mut Ears) -> Result<Spoken, AppError>,
    ) -> Result<(), WireError> {
        let mut spoken = words(&mut self.ears())?;
        spoken.session = session;
        self.speak_on();
        let heard = self.with(|conductor| {
            conductor.more_waits(more);
            conductor.start_heard(&spoken)
        });
        let heard = heard.and_then(|next| self.see_through(next));
        self.rest_when_over();
        heard
    }
}

fn snapshot(conductor: &mut Conductor, voice: VoiceState) -> Result<WireEvent, AppError> {
    Ok(WireEvent::Snapshot {
        settings: Box::new(WireSettings::of(conductor.settings())),
        session: showing::running(conductor)?,
        today: Box::new(today::today(conductor)?),
        voice,
    })
}

fn open_conductor(
    paths: &Paths,
    listeners: &Listeners,
    last_ended: &LastEnded,
    reader: &Reader,
) -> Result<Conductor, AppError> {
    let (listeners, reader) = (listeners.clone(), reader.clone());
    let mut language = Lang::En;
    let last_ended = Arc::clone(last_ended);
    let mut running = None;
    let listen = Box::new(move |event: &AppEvent| {
        match event {
            AppEvent::SessionStarted { session_id, language: spoken, .. } => {
                running = Some(*session_id);
                language = *spoken;
            }
            AppEvent::Reply { text, .. } => reader.say(text, language),
            AppEvent::SessionEnded { .. } => *held(&last_ended) = running.take(),
            _ => {}
        }
        for shown in showing::event(event) {
            listeners.send(&shown);
        }
    });
    Conductor::open(paths.clone(), paths::secrets(), Clock::System, listen)
}

/// A thread that panicked while it held this left data that is still whole: every turn is a transaction.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
