//! A year of somebody who does not exist, from a seed.
//!
//! Mood, market, discipline and appetite are four latent series, each with a memory of its own (AR(1) by day) and none
//! with an ear for another: where only they are at work, every link that a search finds is a false one. A link is
//! planted by moving the chance of `then` wherever `when` was true, whether or not it was talked about afterwards.

use calm_core::context::SessionResult;
use calm_core::end_session::{Attributes, PlanAdherence, ResultCategory, RiskAppetite, SleepQuality};
use calm_core::session::Kind;
use calm_memory::patterns::{PatternKind, Session};
use jiff::civil::{Date, Weekday, date};
use jiff::{Timestamp, ToSpan};

pub const STRESSORS: [&str; 5] = ["work", "money", "family", "health", "moving house"];

/// How long moods and markets last, and how much they matter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Regime {
    /// Of one day with the next, 0–1.
    pub memory: f64,
    /// In log-odds per standard deviation.
    pub weight: f64,
}

pub const NONE: Regime = Regime { memory: 0.0, weight: 0.0 };
pub const WEEKS: Regime = Regime { memory: 0.85, weight: 0.8 };
pub const MONTHS: Regime = Regime { memory: 0.97, weight: 1.2 };

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    pub regime: Regime,
    pub planted: Option<Planted>,
    /// Mood moves discipline too: a link through the regime, which is a true one.
    pub shared_mood: bool,
    pub weeks: u32,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Planted {
    pub kind: PatternKind,
    /// Added to the chance of `then` where `when` is true; negative for a plan kept less often.
    pub shift: f64,
    /// The first week without it.
    pub until_week: u32,
}

impl Plan {
    pub fn noise(regime: Regime) -> Plan {
        Plan { regime, planted: None, shared_mood: false, weeks: 52 }
    }

    pub fn planted(kind: PatternKind, shift: f64, regime: Regime) -> Plan {
        Plan { planted: Some(Planted { kind, shift, until_week: u32::MAX }), ..Plan::noise(regime) }
    }

    fn shift(&self, kind: PatternKind, week: u32, when: bool) -> f64 {
        match self.planted {
            Some(p) if p.kind == kind && when && week < p.until_week => p.shift,
            _ => 0.0,
        }
    }
}

/// SplitMix64: small, seeded, the same everywhere.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    pub fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn chance(&mut self, p: f64) -> bool {
        self.roll() < p
    }

    fn bell(&mut self) -> f64 {
        let (u, v) = (1.0 - self.roll(), self.roll());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }

    /// What was talked about; `missing` of the time it was not.
    fn told<T>(&mut self, missing: f64, value: T) -> Option<T> {
        (!self.chance(missing)).then_some(value)
    }
}

#[derive(Default)]
struct Latent {
    mood: f64,
    market: f64,
    discipline: f64,
    appetite: f64,
    evening: f64,
}

impl Latent {
    fn step(&mut self, memory: f64, dice: &mut Dice) {
        let fresh = (1.0 - memory * memory).sqrt();
        for latent in [&mut self.mood, &mut self.market, &mut self.discipline, &mut self.appetite, &mut self.evening] {
            *latent = memory * *latent + fresh * dice.bell();
        }
    }
}

/// What is true of a morning, told or not.
struct Morning {
    stress: u8,
    energy: u8,
    readiness: u8,
    sleep: SleepQuality,
    high_risk: bool,
    stressors: Vec<String>,
}

pub fn year(plan: &Plan, seed: u64) -> Vec<Session> {
    let mut dice = Dice::new(seed);
    let mut latent = Latent::default();
    latent.step(0.0, &mut dice);
    let mut sessions = Vec::new();
    let mut results: Vec<SessionResult> = Vec::new();
    let start: Date = date(2026, 1, 5);
    for index in 0..plan.weeks * 7 {
        let (week, day) = (index / 7, start.saturating_add(i64::from(index).days()));
        if matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) {
            continue;
        }
        latent.step(plan.regime.memory, &mut dice);
        if !dice.chance(0.88) {
            continue;
        }
        let morning = morning(plan, week, &latent, &results, &mut dice);
        let roll = dice.roll();
        let trades = if roll < 0.66 {
            1
        } else if roll < 0.86 {
            2
        } else if roll < 0.95 {
            3
        } else {
            4
        };
        for number in 1..=trades {
            let hour = 6 + i64::from(number) * 3;
            let checkin = dice.chance(if number == 1 { 0.8 } else { 0.4 });
            if checkin {
                let attributes = tell_morning(&morning, &mut dice);
                push(&mut sessions, day, hour, Kind::CheckIn, attributes);
            }
            let trade = Trade { week, weekday: day.weekday(), number, checkin };
            let (result, attributes) = trade.play(plan, &morning, &latent, &results, &mut dice);
            results.push(result);
            push(&mut sessions, day, hour + 2, Kind::CheckOut, attributes);
        }
    }
    sessions
}

fn push(sessions: &mut Vec<Session>, day: Date, hour: i64, kind: Kind, attributes: Attributes) {
    let id = sessions.len() as i64 + 1;
    let midnight = jiff::tz::TimeZone::UTC.to_timestamp(day.at(0, 0, 0, 0));
    let at = midnight.unwrap_or(Timestamp::UNIX_EPOCH) + hour.hours();
    sessions.push(Session { id, day, kind, at, attributes });
}

fn chance(base: f64, weight: f64, latent: f64, shift: f64) -> f64 {
    let odds = ((base / (1.0 - base)).ln() + weight * latent).exp();
    (odds / (1.0 + odds) + shift).clamp(0.02, 0.98)
}

fn level(middle: f64, spread: f64, latent: f64, regime: Regime, dice: &mut Dice) -> u8 {
    let shared = if regime.weight > 0.0 { 0.6_f64 } else { 0.0 };
    let value = middle + spread * (shared.sqrt() * latent + (1.0 - shared).sqrt() * dice.bell());
    value.round().clamp(1.0, 10.0) as u8
}

fn morning(plan: &Plan, week: u32, latent: &Latent, results: &[SessionResult], dice: &mut Dice) -> Morning {
    let r = plan.regime;
    let after_loss = results.last() == Some(&SessionResult::Loss);
    let tense = plan.shift(PatternKind::HighStressAfterLoss, week, after_loss);
    let mut stress = level(6.2, 2.2, -latent.mood, r, dice);
    if dice.chance(tense) {
        stress = stress.max(8);
    }
    let sleep = match level(5.5, 2.5, latent.mood, r, dice) {
        1..=3 => SleepQuality::Poor,
        4 => SleepQuality::Fair,
        5..=8 => SleepQuality::Good,
        _ => SleepQuality::Excellent,
    };
    let risk = chance(0.25, r.weight, latent.appetite, plan.shift(PatternKind::HighRiskAfterLoss, week, after_loss));
    let named = [0.25, 0.18, 0.12, 0.08, 0.04];
    Morning {
        stress,
        energy: level(5.5, 2.0, latent.mood, r, dice),
        readiness: level(6.5, 1.8, latent.mood, r, dice),
        sleep,
        high_risk: dice.chance(risk),
        stressors: STRESSORS
            .iter()
            .zip(named)
            .filter(|(_, p)| dice.chance(chance(*p, r.weight, -latent.mood, 0.0)))
            .map(|(name, _)| (*name).to_owned())
            .collect(),
    }
}

fn tell_morning(morning: &Morning, dice: &mut Dice) -> Attributes {
    let risk = if morning.high_risk { RiskAppetite::High } else { RiskAppetite::Medium };
    Attributes {
        stress_level: dice.told(0.15, morning.stress),
        energy_level: dice.told(0.3, morning.energy),
        trading_readiness: dice.told(0.1, morning.readiness),
        sleep_quality: dice.told(0.3, morning.sleep),
        risk_appetite: dice.told(0.35, risk),
        external_stressors: dice.told(0.3, morning.stressors.clone()),
        ..Attributes::default()
    }
}

struct Trade {
    week: u32,
    weekday: Weekday,
    number: u32,
    checkin: bool,
}

impl Trade {
    fn play(
        &self,
        plan: &Plan,
        morning: &Morning,
        latent: &Latent,
        results: &[SessionResult],
        dice: &mut Dice,
    ) -> (SessionResult, Attributes) {
        let (r, shift) = (plan.regime, |kind, when| plan.shift(kind, self.week, when));
        let run = |result: SessionResult, count: usize| {
            results.len() >= count && results.iter().rev().take(count).all(|past| *past == result)
        };
        let poor_sleep = matches!(morning.sleep, SleepQuality::Poor | SleepQuality::Fair);
        let (tense, third) = (morning.stress > 7, self.number >= 3);
        let kept_shift = shift(PatternKind::PlanKeptAfterTwoLosses, run(SessionResult::Loss, 2))
            + shift(PatternKind::PlanKeptAfterLoss, run(SessionResult::Loss, 1))
            - shift(PatternKind::PlanLeftAfterThreeWins, run(SessionResult::Win, 3))
            - shift(PatternKind::PlanLeftHighStress, tense)
            - shift(PatternKind::PlanLeftLowReadiness, morning.readiness < 6)
            - shift(PatternKind::PlanLeftPoorSleep, poor_sleep)
            - shift(PatternKind::PlanLeftNoCheckin, !self.checkin)
            - shift(PatternKind::PlanLeftThirdSession, third);
        let loss_shift = shift(PatternKind::LossPoorSleep, poor_sleep)
            + shift(PatternKind::LossLowReadiness, morning.readiness < 6)
            + shift(PatternKind::LossHighStress, tense)
            + shift(PatternKind::LossLowEnergy, morning.energy < 5)
            + shift(PatternKind::LossHighRisk, morning.high_risk)
            + shift(PatternKind::LossThirdSession, third)
            + shift(PatternKind::LossOnWeekday, self.weekday == Weekday::Monday)
            + shift(PatternKind::LossWithStressor, morning.stressors.iter().any(|s| s == STRESSORS[0]));
        let discipline = if plan.shared_mood { latent.mood } else { latent.discipline };
        let kept = dice.chance(chance(0.65, r.weight, discipline, kept_shift));
        let loss = dice.chance(chance(0.4, r.weight, latent.market, loss_shift));
        let large = dice.chance((0.25 + shift(PatternKind::LargeLossPlanLeft, !kept)).clamp(0.0, 1.0));
        let regret =
            dice.chance((if loss { 0.35 } else { 0.15 } + shift(PatternKind::RegretPlanLeft, !kept)).clamp(0.0, 1.0));
        let falls = plan.planted.is_some_and(|p| p.kind == PatternKind::StressFalls && self.week < p.until_week);
        let drift = if falls { -plan.planted.map_or(0.0, |p| p.shift) } else { 0.0 };
        let change = level(5.5 + drift, 1.5, latent.evening, r, dice);
        let result = match (loss, dice.chance(0.85)) {
            (true, _) => SessionResult::Loss,
            (false, true) => SessionResult::Win,
            (false, false) => SessionResult::Breakeven,
        };
        let adherence = match (kept, dice.roll()) {
            (_, roll) if roll < 0.05 => PlanAdherence::NoPlan,
            (true, _) => PlanAdherence::Followed,
            (false, roll) if roll < 0.5 => PlanAdherence::Partially,
            (false, _) => PlanAdherence::Deviated,
        };
        // Eleven halves are between two whole levels: up and down are as likely as each other.
        let moved = i16::from(change) - if dice.chance(0.5) { 5 } else { 6 };
        // As far as the nearer end of the scale allows, or high stress could hardly do anything but fall.
        let room = i16::from(morning.stress - 1).min(i16::from(10 - morning.stress));
        let evening = i16::from(morning.stress) + moved.clamp(-room, room);
        let attributes = Attributes {
            stress_level: dice.told(0.3, u8::try_from(evening).unwrap_or(1)),
            session_result: dice.told(0.12, result),
            result_category: dice.told(0.3, if large { ResultCategory::Large } else { ResultCategory::Small }),
            plan_adherence: dice.told(0.25, adherence),
            regret_level: dice.told(0.4, if regret { 8 } else { 3 }),
            ..Attributes::default()
        };
        (result, attributes)
    }
}
