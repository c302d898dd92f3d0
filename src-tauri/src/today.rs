//! The day as a line: check-in, market, check-out; and whether this machine can hear.

use calm_app::ears;
use calm_app::models::{Models, State};
use calm_app::voice::mic;
use calm_app::{AppError, Conductor, Kind};

use crate::desk::Desk;
use crate::wire::{ModelsState, StreakType, Today, TodaySession, VoiceState, WireStreak};

pub fn today(conductor: &mut Conductor) -> Result<Today, AppError> {
    let newest = conductor.sessions_today()?;
    let of = |kind: Kind| {
        newest.iter().find(|line| line.session_type == kind).map(|line| TodaySession {
            id: line.session_id.to_string(),
            done: line.ended,
            readiness: line.trading_readiness,
        })
    };
    Ok(Today {
        now_iso: wall_clock(conductor),
        check_in: of(Kind::CheckIn),
        check_out: of(Kind::CheckOut),
        streak: conductor.streak()?.map(|streak| WireStreak {
            kind: match streak.kind {
                calm_app::core::context::StreakKind::Losing => StreakType::Losing,
                calm_app::core::context::StreakKind::Winning => StreakType::Winning,
            },
            count: streak.count,
        }),
        plan: conductor.plan_today()?,
    })
}

/// Looks without loading anything: the window must not wait for models.
pub fn voice(desk: &Desk) -> VoiceState {
    let models = Models::open(&desk.paths().models);
    let settings = desk.with(|conductor| Ok(conductor.settings().clone())).unwrap_or_default();
    let states: Vec<State> = ears::needed(&settings).map(|id| models.state(id).unwrap_or(State::Missing)).collect();
    let models = if states.contains(&State::Damaged) {
        ModelsState::Damaged
    } else if states.contains(&State::Missing) {
        ModelsState::Missing
    } else {
        ModelsState::Ready
    };
    VoiceState { microphone: mic::is_connected(), models, advice: None }
}

/// The user's own time of day, with its offset from UTC.
fn wall_clock(conductor: &Conductor) -> String {
    let zone = conductor.settings().zone();
    let now = conductor.now();
    let offset = zone.to_offset(now);
    let minutes = offset.seconds() / 60;
    let sign = if minutes < 0 { '-' } else { '+' };
    let (hours, minutes) = (minutes.abs() / 60, minutes.abs() % 60);
    format!("{}{sign}{hours:02}:{minutes:02}", offset.to_datetime(now).strftime("%Y-%m-%dT%H:%M:%S"))
}
