//! Figures into sentences. The words are in `ru.toml` and `en.toml` beside this file.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use calm_core::Lang;
use calm_memory::insights::{Figures, Insight, InsightKind, Reading};
use calm_memory::patterns::Share;
use rust_decimal::Decimal;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sentences {
    /// After what will appear.
    missing: String,
    sentence: BTreeMap<InsightKind, String>,
    /// What will appear.
    waiting: BTreeMap<InsightKind, String>,
}

static RUSSIAN: LazyLock<Sentences> = LazyLock::new(|| read(include_str!("ru.toml")));
static ENGLISH: LazyLock<Sentences> = LazyLock::new(|| read(include_str!("en.toml")));

fn read(text: &str) -> Sentences {
    #[allow(clippy::expect_used, reason = "shipped with the program and read by its tests")]
    toml::from_str(text).expect("the shipped insights can be read")
}

/// One sentence; money is in `currency`.
pub fn of(insight: &Insight, currency: Option<&str>, language: Lang) -> String {
    let words = match language {
        Lang::Ru => &*RUSSIAN,
        Lang::En => &*ENGLISH,
    };
    let text = |of: &BTreeMap<InsightKind, String>| of.get(&insight.kind).cloned().unwrap_or_default();
    match &insight.reading {
        Reading::Missing(missing) => {
            format!("{} {}", text(&words.waiting), words.missing.replace("{missing}", &missing.to_string()))
        }
        Reading::Figures(figures) => {
            let currency = currency.map(|name| format!(" {name}")).unwrap_or_default();
            slots(figures, language).into_iter().fold(text(&words.sentence), |sentence, (slot, value)| {
                sentence.replace(slot, &value).replace("{currency}", &currency)
            })
        }
    }
}

fn slots(figures: &Figures, language: Lang) -> Vec<(&'static str, String)> {
    let tenth = |value: f64| shown(&format!("{value:.1}"), language);
    let signed = |value: f64| sign(&tenth(value));
    let points = |value: f64| sign(&format!("{:.0}", value * 100.0));
    let percent = |value: f64| format!("{:.0}", value * 100.0);
    let of = |share: &Share| [share.k.to_string(), share.n.to_string()];
    let mut slots = vec![("{n}", figures.n().to_string())];
    match figures {
        Figures::Wilson { share, interval } => {
            slots.extend([("{k}", share.k.to_string()), ("{percent}", percent(share.value()))]);
            slots.extend([("{low}", percent(interval.0)), ("{high}", percent(interval.1))]);
        }
        Figures::Newcombe { table, interval } => {
            let ([k1, n1], [k2, n2]) = (of(&table.with), of(&table.without));
            slots.extend([("{k1}", k1), ("{n1}", n1), ("{k2}", k2), ("{n2}", n2)]);
            slots.extend([("{low}", points(interval.0)), ("{high}", points(interval.1))]);
        }
        Figures::T { change, before, after } => {
            slots.extend([("{before}", tenth(*before)), ("{after}", tenth(*after))]);
            slots.extend([("{low}", signed(change.interval.0)), ("{high}", signed(change.interval.1))]);
        }
        Figures::Welch { means } => {
            slots.extend([("{m1}", tenth(means.with.value)), ("{n1}", means.with.n.to_string())]);
            slots.extend([("{m2}", tenth(means.without.value)), ("{n2}", means.without.n.to_string())]);
            slots.extend([("{low}", signed(means.interval.0)), ("{high}", signed(means.interval.1))]);
        }
        Figures::Shuffles { longest, usual, .. } => {
            slots.extend([("{longest}", longest.to_string())]);
            slots.extend([("{low}", usual.0.to_string()), ("{high}", usual.1.to_string())]);
        }
        Figures::OrderStatistics { median, interval, total, .. } => {
            let money = |value: Decimal| sign(&shown(&format!("{:.2}", value.round_dp(2)), language));
            slots.extend([("{median}", money(*median)), ("{total}", money(*total))]);
            slots.extend([("{low}", money(interval.0)), ("{high}", money(interval.1))]);
        }
    }
    slots
}

/// A figure as the language writes it.
fn shown(figure: &str, language: Lang) -> String {
    match language {
        Lang::Ru => figure.replace('.', ","),
        Lang::En => figure.to_owned(),
    }
}

/// With a plus or a real minus; a rounded zero has neither.
fn sign(figure: &str) -> String {
    let bare = figure.trim_start_matches('-');
    if bare.chars().all(|c| !c.is_ascii_digit() || c == '0') {
        return bare.to_owned();
    }
    if figure.starts_with('-') { format!("−{bare}") } else { format!("+{bare}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calm_memory::insights::{InsightKind, Mean, Means};
    use calm_memory::patterns::Table;
    use rstest::rstest;

    fn figures(kind: InsightKind) -> Figures {
        let share = |k, n| Share { k, n };
        let table = Table { with: share(9, 12), without: share(3, 10) };
        let mean = |value: f64| Mean { n: 11, value, interval: (value - 0.5, value + 0.5) };
        match kind {
            InsightKind::StressChange => Figures::T { change: mean(-1.25), before: 6.04, after: 4.79 },
            InsightKind::ReadinessResult | InsightKind::PlanResult => {
                Figures::Newcombe { table, interval: (-0.004, 0.71) }
            }
            InsightKind::PlanKept | InsightKind::PlusDays => {
                Figures::Wilson { share: share(21, 30), interval: (0.52, 0.83) }
            }
            InsightKind::SleepReadiness => {
                Figures::Welch { means: Means { with: mean(7.5), without: mean(5.0), interval: (0.9, 4.1) } }
            }
            InsightKind::LosingRun => Figures::Shuffles { longest: 4, n: 40, usual: (2, 6) },
            InsightKind::MedianDay => Figures::OrderStatistics {
                n: 30,
                median: Decimal::new(1250, 2),
                interval: (Decimal::new(-4005, 2), Decimal::new(61, 0)),
                total: Decimal::new(-30, 2),
            },
        }
    }

    const ALL: [InsightKind; 8] = [
        InsightKind::StressChange,
        InsightKind::ReadinessResult,
        InsightKind::PlanKept,
        InsightKind::PlanResult,
        InsightKind::SleepReadiness,
        InsightKind::PlusDays,
        InsightKind::LosingRun,
        InsightKind::MedianDay,
    ];

    #[test]
    fn every_insight_has_a_sentence_with_n_an_interval_and_no_because() {
        for (language, words) in [(Lang::Ru, &*RUSSIAN), (Lang::En, &*ENGLISH)] {
            assert_eq!((words.sentence.len(), words.waiting.len()), (ALL.len(), ALL.len()));
            for kind in ALL {
                let told = of(&Insight { kind, reading: Reading::Figures(figures(kind)) }, Some("USD"), language);
                let waits = of(&Insight { kind, reading: Reading::Missing(5) }, None, language);
                for sentence in [&told, &waits] {
                    assert!(!sentence.contains(['{', '}']) && sentence.ends_with('.'), "{sentence}");
                    let lower = sentence.to_lowercase();
                    let causes = [
                        "потому",
                        "из-за",
                        "поэтому",
                        "помога",
                        "влия",
                        "привод",
                        "because",
                        "due to",
                        "cause",
                        "lead",
                        "helps",
                        "thanks to",
                        "always",
                        "всегда",
                        "should",
                        "стоит",
                    ];
                    assert!(!causes.iter().any(|cause| lower.contains(cause)), "{sentence}");
                }
                assert!(told.contains("95 %") || told.contains("95%"), "no interval: {told}");
                assert!(waits.contains('5'), "{waits}");
                for figure in slots(&figures(kind), language) {
                    let named = words.sentence[&kind].contains(figure.0);
                    let split = matches!(
                        kind,
                        InsightKind::ReadinessResult | InsightKind::PlanResult | InsightKind::SleepReadiness
                    );
                    assert!(named || (split && figure.0 == "{n}"), "{kind:?} leaves out {}", figure.0);
                }
            }
        }
    }

    #[rstest]
    #[case("-0.0", "0.0")]
    #[case("-12.50", "−12.50")]
    #[case("3", "+3")]
    fn signs(#[case] figure: &str, #[case] expected: &str) {
        assert_eq!(sign(figure), expected);
    }
}
