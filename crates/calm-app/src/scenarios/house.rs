//! A data folder of its own for every scenario, with the past that the scenario tells of.

use calm_core::context::{CheckinFacts, SessionContext, SessionFacts, SessionResult, StreakKind, UserFacts};
use calm_core::end_session::{Attributes, EndSession, NextAction, RecommendedActions, RiskFlags};
use calm_core::{Deltas, Format, Kind, Lang};
use calm_prompts::PromptSet;
use calm_store::{NewSession, PromptStamp, Secrets, Store};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

use super::scenario::Scenario;
use crate::clock::Clock;
use crate::conductor::{Conductor, Listener};
use crate::error::AppError;
use crate::paths::Paths;
use crate::settings::Settings;

pub struct House {
    pub conductor: Conductor,
    _folder: tempfile::TempDir,
}

impl House {
    pub fn of(scenario: &Scenario, set: &PromptSet, now: Timestamp, listener: Listener) -> Result<House, AppError> {
        let folder = tempfile::tempdir().map_err(AppError::Folder)?;
        let paths = Paths { data: folder.path().join("data"), models: folder.path().join("models") };
        let mut conductor = Conductor::open(paths, Secrets::File, Clock::Fixed(now), listener)?;
        // A set without words of its own for the guide is tried with the shipped ones.
        if set.files().keys().any(|path| path.starts_with("guide/")) {
            conductor.try_out(set.clone());
        }
        let user = &scenario.context.user;
        conductor.save_settings(Settings {
            name: user.name.clone(),
            trading_style: user.trading_style.clone(),
            time_zone: Some("UTC".to_owned()),
            adult_confirmed: true,
            ..Settings::fresh(scenario.language)
        })?;
        past(conductor.store(), scenario, now)?;
        Ok(House { conductor, _folder: folder })
    }
}

/// Sessions out of which the store itself gives the streak, the last result and the check-in.
fn past(store: &mut Store, scenario: &Scenario, now: Timestamp) -> Result<(), AppError> {
    let user = &scenario.context.user;
    let results: Vec<SessionResult> = match (user.streak, user.last_session_result) {
        (Some(streak), _) => {
            let each = if streak.kind == StreakKind::Losing { SessionResult::Loss } else { SessionResult::Win };
            vec![each; usize::try_from(streak.count).unwrap_or_default().min(40)]
        }
        (None, last) => last.into_iter().collect(),
    };
    for (days, result) in (1..).zip(results) {
        let said = Attributes { session_result: Some(result), ..Attributes::default() };
        let at = now.saturating_sub((24 * days).hours()).unwrap_or(now);
        add(store, scenario.language, Kind::CheckOut, at, said)?;
    }
    let earlier_today = scenario.context.session_number_today.unwrap_or(1).saturating_sub(1);
    let checkin = scenario.context.previous_checkin.as_ref();
    for _ in u32::from(checkin.is_some())..earlier_today {
        let at = now.saturating_sub(SignedDuration::from_mins(50)).unwrap_or(now);
        add(store, scenario.language, Kind::CheckOut, at, Attributes::default())?;
    }
    if let Some(CheckinFacts { trading_readiness, planned_approach, stress_level, energy_level }) = checkin.cloned() {
        let said =
            Attributes { trading_readiness, planned_approach, stress_level, energy_level, ..Attributes::default() };
        let at = now.saturating_sub(SignedDuration::from_mins(40)).unwrap_or(now);
        add(store, scenario.language, Kind::CheckIn, at, said)?;
    }
    Ok(())
}

fn add(store: &mut Store, language: Lang, kind: Kind, at: Timestamp, said: Attributes) -> Result<(), AppError> {
    let session = SessionFacts { kind, format: Format::Short, has_matching_checkin: false, session_number_today: 1 };
    let stamp = PromptStamp { set: "past".into(), version: "0".into(), variant: None, hash: "0".into() };
    let id = store.begin_session(&NewSession {
        kind,
        format: Format::Short,
        language,
        started_at: at,
        trading_day: TimeZone::UTC.to_datetime(at).date(),
        time_zone: "UTC".to_owned(),
        number_today: 1,
        opened_from: "terminal".to_owned(),
        backend: "guide".to_owned(),
        prompt: stamp,
        seed: 0,
        context: SessionContext { session, user: UserFacts::default(), voice_analysis: None, previous_checkin: None },
        matched_checkin: None,
    })?;
    let ending = EndSession {
        session_type: kind,
        extracted_attributes: said,
        risk_flags: RiskFlags::default(),
        recommended_actions: RecommendedActions::default(),
        session_summary: String::new(),
        recommended_next_action: NextAction::None,
    };
    store.end_session(id, &ending, &Deltas::default(), false, at)?;
    Ok(())
}
