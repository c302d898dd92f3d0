//! Every hypothesis counts the days it says it counts.

use calm_core::context::SessionResult::{self, Breakeven, Loss, Win};
use calm_core::end_session::PlanAdherence::{self, Deviated, Followed, NoPlan, Partially};
use calm_core::end_session::{Attributes, ResultCategory, RiskAppetite, SleepQuality};
use calm_core::session::Kind;
use calm_memory::patterns::{Observed, PatternKind, Session, Table, find, observed};
use jiff::Timestamp;
use jiff::ToSpan;
use jiff::civil::date;
use proptest::prelude::*;
use rstest::rstest;

use crate::simulate::{Plan, WEEKS, year};

/// A diary written line by line: one session an hour, on the day it says.
#[derive(Default)]
struct Diary(Vec<Session>);

impl Diary {
    fn write(mut self, day: i8, kind: Kind, attributes: Attributes) -> Diary {
        let id = self.0.len() as i64 + 1;
        let at = Timestamp::UNIX_EPOCH + (i64::from(day) * 24 + id % 20).hours();
        // 2 March 2026 is a Monday.
        self.0.push(Session { id, day: date(2026, 3, 1 + day), kind, at, attributes });
        self
    }

    fn morning(self, day: i8, attributes: Attributes) -> Diary {
        self.write(day, Kind::CheckIn, attributes)
    }

    fn evening(self, day: i8, attributes: Attributes) -> Diary {
        self.write(day, Kind::CheckOut, attributes)
    }

    fn traded(
        self,
        day: i8,
        result: impl Into<Option<SessionResult>>,
        plan: impl Into<Option<PlanAdherence>>,
    ) -> Diary {
        self.evening(
            day,
            Attributes { session_result: result.into(), plan_adherence: plan.into(), ..Attributes::default() },
        )
    }

    fn of(&self, kind: PatternKind, name: Option<&str>) -> Observed {
        let all = observed(&self.0);
        all.into_iter().find(|o| o.kind == kind && o.name.as_deref() == name).expect("a row of the catalogue")
    }

    /// (k1, n1, k2, n2) and the sessions they rest on.
    fn counts(&self, kind: PatternKind) -> ((u32, u32, u32, u32), Vec<i64>) {
        let seen = self.of(kind, None);
        let table = Table::of(&seen.pairs);
        ((table.with.k, table.with.n, table.without.k, table.without.n), seen.sessions().to_vec())
    }
}

fn stress(level: u8) -> Attributes {
    Attributes { stress_level: Some(level), ..Attributes::default() }
}

#[test]
fn two_losses_in_a_row_across_days() {
    let diary = Diary::default()
        .traded(1, Loss, Followed)
        .traded(2, Loss, Followed)
        .traded(3, Win, Deviated) // 3: after two losses
        .traded(4, Loss, NoPlan) // no plan to keep
        .traded(5, Loss, Followed) // 5: the win two back says no
        .traded(6, None, Followed) // 6: after two losses
        .traded(7, Loss, Followed); // not known what came right before
    let (counts, sessions) = diary.counts(PatternKind::PlanKeptAfterTwoLosses);
    assert_eq!(counts, (1, 2, 1, 1));
    assert_eq!(sessions, [1, 2, 3, 4, 5, 6]);
}

#[test]
fn the_start_of_the_record_is_after_nothing() {
    let diary = Diary::default().traded(1, Loss, Followed).traded(2, Win, Deviated);
    assert_eq!(diary.counts(PatternKind::PlanKeptAfterTwoLosses).0, (0, 0, 0, 0));
    assert_eq!(diary.counts(PatternKind::PlanKeptAfterLoss), ((0, 1, 0, 0), vec![1, 2]));
}

#[test]
fn three_wins_before_and_a_breakeven_between() {
    let diary = Diary::default()
        .traded(1, Win, None)
        .traded(2, Win, None)
        .traded(3, Win, None)
        .traded(4, Breakeven, Partially) // 4
        .traded(5, Win, Followed); // 5: a break-even is no win
    let (counts, sessions) = diary.counts(PatternKind::PlanLeftAfterThreeWins);
    assert_eq!((counts, sessions), ((1, 1, 0, 1), vec![1, 2, 3, 4, 5]));
}

#[rstest]
#[case::above_seven(8, (1, 1, 0, 0))]
#[case::seven_is_not_above(7, (0, 0, 1, 1))]
fn stress_before_a_loss(#[case] level: u8, #[case] expected: (u32, u32, u32, u32)) {
    let diary = Diary::default().morning(1, stress(level)).traded(1, Loss, None);
    assert_eq!(diary.counts(PatternKind::LossHighStress), (expected, vec![1, 2]));
}

#[rstest]
#[case(PatternKind::LossPoorSleep, Attributes { sleep_quality: Some(SleepQuality::Fair), ..Attributes::default() })]
#[case(PatternKind::LossLowReadiness, Attributes { trading_readiness: Some(5), ..Attributes::default() })]
#[case(PatternKind::LossLowEnergy, Attributes { energy_level: Some(4), ..Attributes::default() })]
#[case(PatternKind::LossHighRisk, Attributes { risk_appetite: Some(RiskAppetite::High), ..Attributes::default() })]
fn a_morning_and_its_loss(#[case] kind: PatternKind, #[case] morning: Attributes) {
    let diary = Diary::default()
        .morning(1, morning.clone())
        .traded(1, Loss, None)
        .morning(2, morning.clone())
        .traded(2, Win, None)
        .morning(3, Attributes::default()) // not talked about
        .traded(3, Loss, None)
        .morning(4, morning.clone())
        .traded(4, None, Followed) // no result told
        .morning(5, morning); // today: not over yet
    assert_eq!(diary.counts(kind), ((1, 2, 0, 0), vec![1, 2, 3, 4]));
}

#[rstest]
#[case(PatternKind::PlanLeftPoorSleep, Attributes { sleep_quality: Some(SleepQuality::Good), ..Attributes::default() })]
#[case(PatternKind::PlanLeftLowReadiness, Attributes { trading_readiness: Some(6), ..Attributes::default() })]
#[case(PatternKind::PlanLeftHighStress, stress(3))]
fn a_good_morning_and_the_plan(#[case] kind: PatternKind, #[case] morning: Attributes) {
    let diary = Diary::default()
        .morning(1, morning.clone())
        .traded(1, None, Partially)
        .morning(2, morning)
        .traded(2, None, Followed);
    assert_eq!(diary.counts(kind), ((0, 0, 1, 2), vec![1, 2, 3, 4]));
}

#[test]
fn a_checkin_of_another_day_or_of_the_session_before_is_none() {
    let diary = Diary::default()
        .morning(1, stress(5))
        .traded(1, None, Followed)
        .traded(1, None, Deviated) // its check-in is used up
        .morning(2, stress(5))
        .traded(3, None, Deviated);
    assert_eq!(diary.counts(PatternKind::PlanLeftNoCheckin), ((2, 2, 0, 1), vec![1, 2, 3, 5]));
}

#[test]
fn the_second_session_of_a_day_is_neither_first_nor_late() {
    let diary = Diary::default()
        .traded(1, Win, Followed)
        .traded(1, Loss, Deviated)
        .traded(1, Loss, Deviated)
        .traded(1, Win, Followed);
    assert_eq!(diary.counts(PatternKind::LossThirdSession), ((1, 2, 0, 1), vec![1, 3, 4]));
    assert_eq!(diary.counts(PatternKind::PlanLeftThirdSession), ((1, 2, 0, 1), vec![1, 3, 4]));
}

#[test]
fn a_large_loss_needs_its_size_and_a_win_needs_none() {
    let sized = |result, category, plan| Attributes {
        session_result: Some(result),
        result_category: category,
        plan_adherence: Some(plan),
        regret_level: Some(if plan == Deviated { 7 } else { 6 }),
        ..Attributes::default()
    };
    let diary = Diary::default()
        .evening(1, sized(Loss, Some(ResultCategory::Large), Deviated))
        .evening(2, sized(Loss, None, Deviated))
        .evening(3, sized(Win, None, Deviated))
        .evening(4, sized(Win, Some(ResultCategory::Large), Followed));
    assert_eq!(diary.counts(PatternKind::LargeLossPlanLeft), ((1, 2, 0, 1), vec![1, 3, 4]));
    assert_eq!(diary.counts(PatternKind::RegretPlanLeft), ((3, 3, 0, 1), vec![1, 2, 3, 4]));
}

#[test]
fn the_morning_after_a_loss() {
    let bold = |risk| Attributes { risk_appetite: Some(risk), stress_level: Some(9), ..Attributes::default() };
    let diary = Diary::default()
        .morning(1, bold(RiskAppetite::High)) // after nothing known
        .traded(1, Loss, None)
        .morning(2, bold(RiskAppetite::High))
        .traded(2, Win, None)
        .morning(3, bold(RiskAppetite::Low));
    assert_eq!(diary.counts(PatternKind::HighRiskAfterLoss), ((1, 1, 0, 1), vec![2, 3, 4, 5]));
    assert_eq!(diary.counts(PatternKind::HighStressAfterLoss), ((1, 1, 1, 1), vec![2, 3, 4, 5]));
}

#[test]
fn mondays_beside_all_other_days() {
    let diary = Diary::default().traded(1, Loss, None).traded(2, Win, None).traded(8, Loss, None).traded(9, None, None);
    let seen = diary.of(PatternKind::LossOnWeekday, Some("monday"));
    let table = Table::of(&seen.pairs);
    assert_eq!((table.with.k, table.with.n, table.without.n), (2, 2, 1));
}

#[test]
fn stress_that_stays_is_neither_up_nor_down() {
    let diary = Diary::default()
        .morning(1, stress(7))
        .evening(1, stress(4))
        .morning(2, stress(5))
        .evening(2, stress(5))
        .morning(3, stress(3))
        .evening(3, stress(6))
        .evening(4, stress(6));
    assert_eq!(diary.counts(PatternKind::StressFalls), ((1, 2, 0, 0), vec![1, 2, 5, 6]));
}

#[test]
fn a_stressor_is_counted_among_the_checkins_that_spoke_of_stressors() {
    let said = |names: &[&str]| Attributes {
        external_stressors: Some(names.iter().map(|s| (*s).to_owned()).collect()),
        ..Attributes::default()
    };
    let mut diary = Diary::default();
    for day in 1..=12 {
        diary = match day % 3 {
            0 => diary.morning(day, Attributes::default()),
            1 => diary.morning(day, said(&["Ремонт", " ремонт "])),
            _ => diary.morning(day, said(&[])),
        };
    }
    let found = find(&diary.0);
    assert_eq!(found.len(), 1);
    let pattern = &found[0];
    assert_eq!((pattern.kind, pattern.name.as_deref()), (PatternKind::RecurringStressor, Some("ремонт")));
    assert_eq!((pattern.with.k, pattern.with.n, pattern.n, pattern.evidence), (4, 8, 8, None));
    assert_eq!(pattern.sessions, [1, 2, 4, 5, 7, 8, 10, 11]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_order_of_telling_does_not_matter(seed in 0_u64..500, turn in 0_usize..400) {
        let plan = Plan { weeks: 20, ..Plan::planted(PatternKind::LossHighStress, 0.5, WEEKS) };
        let sessions = year(&plan, seed);
        let mut other = sessions.clone();
        other.rotate_left(turn % sessions.len());
        other.swap(0, sessions.len() / 2);
        prop_assert_eq!(find(&sessions), find(&other));
    }

    #[test]
    fn nothing_rests_on_more_than_there_is(seed in any::<u64>(), weeks in 0_u32..60) {
        let sessions = year(&Plan { weeks, ..Plan::planted(PatternKind::PlanLeftHighStress, 0.6, WEEKS) }, seed);
        for pattern in find(&sessions) {
            prop_assert!(pattern.n as usize <= sessions.len());
            prop_assert!(pattern.with.k <= pattern.with.n && pattern.without.k <= pattern.without.n);
            prop_assert!(pattern.interval.0 <= pattern.effect && pattern.effect <= pattern.interval.1);
            prop_assert!((0.0..=1.0).contains(&pattern.strength));
            prop_assert!(pattern.first <= pattern.last && pattern.sessions.len() <= sessions.len());
            prop_assert!(pattern.sessions.iter().all(|id| sessions.iter().any(|s| s.id == *id)));
        }
    }

    #[test]
    fn sessions_that_tell_nothing_change_no_count(seed in 0_u64..500) {
        let sessions = year(&Plan { weeks: 12, ..Plan::noise(WEEKS) }, seed);
        let mut more = sessions.clone();
        // Check-ins late on days without trades: nothing follows them.
        more.extend((0..10).map(|i| Session {
            id: 10_000 + i,
            day: date(2026, 1, 10).saturating_add((7 * i).days()),
            kind: Kind::CheckIn,
            at: sessions[0].at + (24 * (5 + 7 * i)).hours(),
            attributes: Attributes::default(),
        }));
        prop_assert_eq!(observed(&sessions), observed(&more));
    }

    #[test]
    fn what_was_counted_stays_counted(seed in 0_u64..500, cut in 0_usize..300) {
        let sessions = year(&Plan { weeks: 30, ..Plan::noise(WEEKS) }, seed);
        let cut = cut.min(sessions.len());
        for (early, late) in observed(&sessions[..cut]).iter().zip(observed(&sessions)) {
            if early.name == late.name {
                prop_assert_eq!(&early.pairs[..], &late.pairs[..early.pairs.len()]);
            }
        }
    }
}
