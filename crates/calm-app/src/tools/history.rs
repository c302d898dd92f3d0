//! `get_user_history`: the user's own sessions, counted. Figures stand side by side and explain nothing.

use calm_core::context::{SessionResult, Streak, StreakKind};
use calm_core::end_session::PlanAdherence;
use calm_core::tools::{FEW_DAYS, GetUserHistory};
use calm_core::{Kind, Lang, sentences};
use calm_store::PastSession;
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::Done;
use super::times::counted_in;
use crate::conductor::Conductor;
use crate::error::AppError;

/// Days looked at where nobody says how many.
const DAYS: u16 = 14;
/// More sessions than anybody holds in a year.
const MOST_SESSIONS: u32 = 5000;
/// A mean of fewer says nothing.
const FEWEST: usize = 3;

#[derive(Default)]
struct Sums {
    check_ins: usize,
    check_outs: usize,
    wins: usize,
    losses: usize,
    even: usize,
    followed: usize,
    partly: usize,
    deviated: usize,
    stress_pairs: usize,
    before: u32,
    after: u32,
    /// Newest first.
    results: Vec<SessionResult>,
}

impl Conductor {
    pub(super) fn user_history(&mut self, asked: &GetUserHistory) -> Result<Done, AppError> {
        let days = asked.days.unwrap_or(DAYS).clamp(1, 365);
        let from = self.now().checked_sub(SignedDuration::from_hours(24 * i64::from(days))).unwrap_or(Timestamp::MIN);
        let sessions = self.read_store().ended_since(from, MOST_SESSIONS)?;
        let lang = self.language();
        let sums = Sums::of(&sessions);
        let streak = self.streak()?;
        // Who asks what was said yesterday wants no count.
        let last = if days <= FEW_DAYS { last_talks(&sessions, self.today()) } else { None };
        let spoken = last.unwrap_or_else(|| sums.spoken(days, streak, lang));
        Ok(Done::well(sums.shown(days, streak), spoken))
    }
}

/// How the talks of the newest earlier day were noted down, the first one first.
fn last_talks(newest_first: &[PastSession], today: Date) -> Option<String> {
    let day = newest_first.iter().map(|session| session.trading_day).find(|day| *day < today)?;
    let of_day = newest_first.iter().rev().filter(|session| session.trading_day == day);
    let sentences = of_day.flat_map(|session| sentences::of(&session.arguments.session_summary));
    let noted: Vec<String> = sentences.map(|sentence| lowercased(sentence.trim().trim_end_matches('.'))).collect();
    Some(noted.join("; "))
}

fn lowercased(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

impl Sums {
    fn of(sessions: &[PastSession]) -> Sums {
        let mut sums = Sums::default();
        for session in sessions {
            let said = &session.arguments.extracted_attributes;
            match session.kind {
                Kind::CheckIn => sums.check_ins += 1,
                Kind::CheckOut => sums.check_outs += 1,
            }
            if session.kind == Kind::CheckOut {
                sums.results.extend(said.session_result);
                match said.plan_adherence {
                    Some(PlanAdherence::Followed) => sums.followed += 1,
                    Some(PlanAdherence::Partially) => sums.partly += 1,
                    Some(PlanAdherence::Deviated) => sums.deviated += 1,
                    Some(PlanAdherence::NoPlan) | None => {}
                }
            }
            if let Some(stress) = session.deltas.stress {
                sums.stress_pairs += 1;
                sums.before += u32::from(stress.before);
                sums.after += u32::from(stress.after);
            }
        }
        let count = |kind: SessionResult| sums.results.iter().filter(|result| **result == kind).count();
        let (wins, losses, even) =
            (count(SessionResult::Win), count(SessionResult::Loss), count(SessionResult::Breakeven));
        Sums { wins, losses, even, ..sums }
    }

    fn with_plan(&self) -> usize {
        self.followed + self.partly + self.deviated
    }

    fn shown(&self, days: u16, streak: Option<Streak>) -> Value {
        let share = (self.with_plan() > 0).then(|| (self.followed * 100 + self.with_plan() / 2) / self.with_plan());
        let mean = |sum: u32| (self.stress_pairs > 0).then(|| tenths(sum, self.stress_pairs));
        json!({
            "days": days,
            "sessions": {"n": self.check_ins + self.check_outs, "check_in": self.check_ins, "check_out": self.check_outs},
            "results": {"n": self.results.len(), "win": self.wins, "loss": self.losses, "breakeven": self.even},
            "plan": {"n": self.with_plan(), "followed": self.followed, "partially": self.partly,
                "deviated": self.deviated, "followed_percent": share},
            "stress": {"n": self.stress_pairs, "mean_before": mean(self.before), "mean_after": mean(self.after)},
            "streak": streak,
            "note": "counts and means of what the user said; they do not say what caused what",
        })
    }

    fn spoken(&self, days: u16, streak: Option<Streak>, lang: Lang) -> String {
        let (ru, n) = (lang == Lang::Ru, self.check_ins + self.check_outs);
        let days = counted_in(lang, usize::from(days), ["день", "дня", "дней"], ["day", "days"]);
        if n == 0 {
            return if ru {
                format!("за {days} пока пусто, история начнётся с этого разговора")
            } else {
                format!("nothing yet for {days}, your history starts with this talk")
            };
        }
        let talks = counted_in(lang, n, ["разговор", "разговора", "разговоров"], ["talk", "talks"]);
        let mut parts = vec![if ru { format!("за {days} {talks}") } else { format!("{talks} in {days}") }];
        if !self.results.is_empty() {
            let of = |n: usize, ru_name: &str, en_name: &str| {
                (n > 0).then(|| format!("{n} {}", if ru { ru_name } else { en_name }))
            };
            let named =
                [of(self.wins, "в плюс", "up"), of(self.losses, "в минус", "down"), of(self.even, "в ноль", "flat")];
            let named: Vec<String> = named.into_iter().flatten().collect();
            parts.push(format!("{} {}", if ru { "дни:" } else { "days:" }, named.join(", ")));
        }
        if self.with_plan() > 0 {
            let (kept, all) = (self.followed, self.with_plan());
            parts.push(if ru {
                format!("по плану {kept} из {all}")
            } else {
                format!("by the plan {kept} of {all}")
            });
        }
        if self.stress_pairs >= FEWEST {
            let (before, after) = (tenths(self.before, self.stress_pairs), tenths(self.after, self.stress_pairs));
            parts.push(if ru {
                format!("напряжение до торговли {}, после {}", before.replace('.', ","), after.replace('.', ","))
            } else {
                format!("tension {before} before trading, {after} after")
            });
        }
        if let Some(streak) = streak.filter(|streak| streak.count >= 2) {
            parts.push(match (streak.kind, ru) {
                (StreakKind::Losing, true) => format!("сейчас минус {} подряд", times(streak.count)),
                (StreakKind::Winning, true) => format!("сейчас плюс {} подряд", times(streak.count)),
                (StreakKind::Losing, false) => format!("{} down in a row now", streak.count),
                (StreakKind::Winning, false) => format!("{} up in a row now", streak.count),
            });
        }
        parts.join("; ")
    }
}

fn times(count: u32) -> String {
    counted_in(Lang::Ru, usize::try_from(count).unwrap_or(usize::MAX), ["раз", "раза", "раз"], ["time", "times"])
}

/// A mean of levels to one decimal place, rounded, as text: no figure is lost to binary fractions.
fn tenths(sum: u32, n: usize) -> String {
    let n = u32::try_from(n).unwrap_or(u32::MAX).max(1);
    let tenths = (sum * 10 + n / 2) / n;
    format!("{}.{}", tenths / 10, tenths % 10)
}
