//! A session told as a story: events go in, replies and the ending come out.
#![allow(dead_code)]

use calm_core::context::{CheckinFacts, SessionContext, SessionFacts, UserFacts};
use calm_core::contour::{Mind, sense};
use calm_core::{
    Effect, EndSession, Event, Format, Kind, Lang, Question, Reply, State, ToolCall, VoiceAnalysis, read, step,
};

pub struct Session {
    pub state: State,
    pub replies: Vec<Reply>,
    pub end: Option<(bool, EndSession)>,
    /// With `last`, where the newest event asked a model.
    pub model_asked: Option<bool>,
}

pub fn context(kind: Kind, format: Format) -> SessionContext {
    SessionContext {
        session: SessionFacts { kind, format, has_matching_checkin: false, session_number_today: 1 },
        user: UserFacts::default(),
        voice_analysis: None,
        previous_checkin: None,
    }
}

pub fn check_in(lang: Lang) -> Session {
    Session::open(lang, context(Kind::CheckIn, Format::Short))
}

pub fn check_out(lang: Lang) -> Session {
    Session::open(lang, context(Kind::CheckOut, Format::Short))
}

pub fn check_out_after_plan(lang: Lang, plan: &str) -> Session {
    let mut context = context(Kind::CheckOut, Format::Short);
    context.session.has_matching_checkin = true;
    context.previous_checkin =
        Some(CheckinFacts { planned_approach: Some(plan.to_owned()), ..CheckinFacts::default() });
    Session::open(lang, context)
}

pub fn tense_voice(stress: u8) -> VoiceAnalysis {
    VoiceAnalysis {
        stress_level: Some(stress),
        energy_level: Some(5),
        primary_emotion: "fear".to_owned(),
        confidence: 0.8,
        calibrating: false,
    }
}

impl Session {
    pub fn open(lang: Lang, context: SessionContext) -> Session {
        let state = State::new(context.session.kind, context.session.format, lang, context);
        Session { state, replies: Vec::new(), end: None, model_asked: None }.on(Event::Opened)
    }

    pub fn open_at(lang: Lang, context: SessionContext, hour: u8) -> Session {
        let state = State::new(context.session.kind, context.session.format, lang, context).at_hour(hour);
        Session { state, replies: Vec::new(), end: None, model_asked: None }.on(Event::Opened)
    }

    pub fn on(mut self, event: Event) -> Session {
        let (state, effects) = step(self.state, event);
        self.state = state;
        self.model_asked = None;
        for effect in effects {
            match effect {
                Effect::Reply(reply) => self.replies.push(reply),
                Effect::AskModel { last } => self.model_asked = Some(last),
                Effect::End { forced, ending } => {
                    assert!(self.end.is_none(), "a session ends once");
                    self.end = Some((forced, *ending));
                }
            }
        }
        self
    }

    pub fn say(self, text: &str) -> Session {
        self.on(Event::Heard { text: text.to_owned(), voice: None })
    }

    /// Said while more words wait to be heard.
    pub fn say_and_more(mut self, text: &str) -> Session {
        self.state.more_waits(true);
        let mut session = self.say(text);
        session.state.more_waits(false);
        session
    }

    /// The next words are sensed with this mind, as the conductor does it.
    pub fn say_to(mut self, mind: &Mind, text: &str) -> Session {
        let lang = self.state.lang();
        let said = read(text, lang, self.state.pending());
        let background = self.state.background(mind, &said);
        self.state.sensed(Some(sense(text, &said, None, &background)));
        self.say(text)
    }

    pub fn speak(self, text: &str, voice: VoiceAnalysis) -> Session {
        self.on(Event::Heard { text: text.to_owned(), voice: Some(voice) })
    }

    pub fn leave(self) -> Session {
        self.on(Event::Left)
    }

    pub fn keys(&self) -> Vec<&'static str> {
        self.replies.last().map(|r| r.moves.iter().map(|m| m.key).collect()).unwrap_or_default()
    }

    pub fn asks(&self) -> Option<Question> {
        self.replies.last().and_then(|r| r.asks)
    }

    pub fn slot(&self, key: &str) -> Option<String> {
        let moves = &self.replies.last()?.moves;
        let (_, value) = moves.iter().flat_map(|m| &m.slots).find(|(name, _)| *name == key)?;
        Some(value.clone())
    }

    pub fn ending(&self) -> &EndSession {
        &self.end.as_ref().expect("the session has ended").1
    }

    pub fn forced(&self) -> bool {
        self.end.as_ref().expect("the session has ended").0
    }

    pub fn everything_said(&self) -> Vec<&'static str> {
        self.replies.iter().flat_map(|r| r.moves.iter().map(|m| m.key)).collect()
    }

    pub fn ending_after_leaving(self) -> EndSession {
        let session = self.leave();
        assert!(session.forced());
        session.ending().clone()
    }

    /// The user speaks and a model is to answer.
    pub fn tell_model(self, text: &str) -> Session {
        self.on(Event::HeardByModel { text: text.to_owned(), voice: None })
    }

    pub fn model_says(self, text: &str) -> Session {
        self.on(Event::ModelReplied { text: text.to_owned(), call: None })
    }

    pub fn model_calls(self, text: &str, call: ToolCall) -> Session {
        self.on(Event::ModelReplied { text: text.to_owned(), call: Some(call) })
    }

    pub fn tool(&self) -> Option<ToolCall> {
        self.replies.last().and_then(|r| r.tool.clone())
    }
}
