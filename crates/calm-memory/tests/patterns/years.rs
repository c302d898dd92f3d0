//! Simulated years, in a size that a test run can afford. The whole measurement is `examples/year`.

use calm_memory::patterns::{PatternKind, State, Table, find, observed};

use crate::measure::{Tally, ever_shown, long_run, true_links};
use crate::simulate::{MONTHS, NONE, Plan, Planted, Regime, WEEKS, year};

/// The simulator is what the guarantee is measured on, so it must not plant what it says it does not.
#[test]
fn noise_has_no_links_in_the_long_run() {
    for regime in [NONE, WEEKS, MONTHS] {
        let links = true_links(&long_run(&Plan::noise(regime), 0..300));
        assert!(links.iter().all(|(kind, _)| *kind == PatternKind::StressFalls), "{regime:?}: {links:?}");
    }
}

fn noise(regime: Regime, users: u64) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..users {
        tally.add(&ever_shown(&year(&Plan::noise(regime), seed), 15), &Default::default(), None);
    }
    tally
}

#[test]
fn a_year_of_noise_shows_nothing() {
    let (none, weeks, months) = (noise(NONE, 20), noise(WEEKS, 30), noise(MONTHS, 20));
    assert!(none.misled + weeks.misled + months.misled <= 5, "{none:?}\n{weeks:?}\n{months:?}");
}

#[test]
fn what_is_there_is_found_the_right_way_round() {
    let plan = Plan::planted(PatternKind::PlanLeftHighStress, 0.5, WEEKS);
    let mut found = 0;
    for seed in 0..20 {
        let sessions = year(&plan, seed);
        let Some(pattern) = find(&sessions).into_iter().find(|p| p.kind == PatternKind::PlanLeftHighStress) else {
            continue;
        };
        found += 1;
        let seen = observed(&sessions).into_iter().find(|o| o.kind == pattern.kind).expect("a row of the catalogue");
        let table = Table::of(&seen.pairs);
        assert_eq!((pattern.with, pattern.without, pattern.n as usize), (table.with, table.without, seen.pairs.len()));
        assert!(pattern.effect > 0.2 && pattern.interval.0 > 0.0, "{pattern:?}");
    }
    assert!(found >= 15, "{found} of 20");
}

/// A look after every session shows nothing that a look a week would not: the looks that count are the search's own.
#[test]
fn looking_more_often_shows_no_more() {
    for seed in 0..2 {
        let sessions = year(&Plan::planted(PatternKind::LossHighStress, 0.4, WEEKS), seed);
        let (daily, weekly) = (ever_shown(&sessions, 1), ever_shown(&sessions, 7));
        assert_eq!(daily.keys().collect::<Vec<_>>(), weekly.keys().collect::<Vec<_>>());
    }
}

/// True for a year, then not: half a year later it is fading or gone, for nearly everybody it was shown to.
#[test]
fn what_stopped_half_a_year_ago_is_no_longer_claimed() {
    let kind = PatternKind::PlanLeftHighStress;
    let planted = Some(Planted { kind, shift: 0.5, until_week: 52 });
    let (mut shown, mut standing) = (0, 0);
    for seed in 0..40 {
        let sessions = year(&Plan { planted, weeks: 78, ..Plan::noise(WEEKS) }, seed);
        let year_end = sessions.partition_point(|s| (s.day - sessions[0].day).get_days() < 52 * 7);
        if !find(&sessions[..year_end]).iter().any(|p| p.kind == kind) {
            continue;
        }
        shown += 1;
        standing += u32::from(find(&sessions).iter().any(|p| p.kind == kind && p.state == State::Standing));
    }
    assert!(shown >= 25 && standing * 10 <= shown, "{standing} of {shown} still stand");
}

#[test]
fn what_does_not_come_up_for_four_months_fades() {
    let kind = PatternKind::PlanLeftHighStress;
    let mut sessions = (0..20)
        .map(|seed| year(&Plan::planted(kind, 0.6, NONE), seed))
        .find(|s| find(s).iter().any(|p| p.kind == kind && p.state == State::Standing))
        .expect("one of twenty finds it");
    let mut later = sessions.last().cloned().expect("a year has sessions");
    later.id += 1;
    later.day = later.day.saturating_add(jiff::Span::new().days(150));
    later.at += jiff::Span::new().hours(24 * 150);
    later.attributes = Default::default();
    sessions.push(later);
    assert!(find(&sessions).iter().any(|p| p.kind == kind && p.state == State::Fading));
}
