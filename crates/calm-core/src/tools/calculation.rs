//! A sum that the user asks for, out of one utterance with their own figures.
//!
//! Each figure needs a part to play (the risk, the limit, the whole); where one is left over, nothing is guessed.

use std::ops::Range;

use rust_decimal::Decimal;

use super::Calculate;
use super::calculate::MOST_AMOUNTS;
use super::figures::figure;
use super::words::Words;
use crate::lang::Lang;

/// `None` where it asks for no sum, or leaves open what is to be done with a figure.
pub fn calculation(text: &str, lang: Lang) -> Option<Calculate> {
    let words = Words::of(text, lang);
    let any = |name: &str| (0..words.len()).any(|at| words.is("asked", name, at));
    let percent = any("percent") || text.contains('%');
    if !any("asking") && !any("sum") && !any("left") {
        return None;
    }
    let figures = figures(&words);
    if let Some(percent) = figures.iter().position(|figure| is_percentage(&words, figure)) {
        return part_of(&figures, percent);
    }
    let asks_r = (0..words.len()).any(|at| words.is("asked", "r", at) && !figures.iter().any(|f| f.at.end == at));
    if asks_r {
        return r_multiple(&figures);
    }
    if any("left")
        && let Some(left) = left_of_limit(&figures)
    {
        return Some(left);
    }
    if percent {
        return percent_of(&figures);
    }
    if any("sum") { sum(&figures, any("asking")) } else { None }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Risk,
    Limit,
    Whole,
    Loss,
    Win,
    Used,
}

#[derive(Debug)]
struct Figure {
    value: Decimal,
    /// Said to be negative or positive; `None` where nothing was said.
    negative: Option<bool>,
    role: Option<Role>,
    at: Range<usize>,
}

impl Figure {
    fn is(&self, role: Role) -> bool {
        self.role == Some(role)
    }

    /// With its sign; a loss is negative however it was said.
    fn signed(&self) -> Decimal {
        let negative = self.negative.unwrap_or(self.is(Role::Loss));
        if negative { -self.value } else { self.value }
    }

    fn written(&self) -> String {
        self.signed().normalize().to_string()
    }
}

fn figures(words: &Words<'_>) -> Vec<Figure> {
    let mut found: Vec<Figure> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let Some((value, end)) = figure(words, at) else {
            at += 1;
            continue;
        };
        let earlier = found.last().map_or(0, |figure| figure.at.end);
        let negative = sign(words, at, earlier);
        let role = role_before(words, earlier, at).or_else(|| role_after(words, end));
        found.push(Figure { value, negative, role, at: at..end });
        at = end;
    }
    found
}

/// "Минус двести", "-200"; a dash inside "5-6" is none.
fn sign(words: &Words<'_>, at: usize, earlier: usize) -> Option<bool> {
    let gap = words.gap_before(at).trim_end().trim_end_matches(['$', '€', '₽', '£']).trim_end();
    let free = |before: &str| {
        before.is_empty() && at == 0 || before.ends_with(|c: char| c.is_whitespace() || "(=:,".contains(c))
    };
    for (mark, negative) in [('-', true), ('−', true), ('–', true), ('+', false)] {
        if gap.strip_suffix(mark).is_some_and(free) {
            return Some(negative);
        }
    }
    let before = at.checked_sub(1).filter(|before| *before >= earlier)?;
    if words.is("figures", "minus", before) {
        return Some(true);
    }
    words.is("figures", "plus", before).then_some(false)
}

const ROLES: [(&str, Role); 6] = [
    ("risk", Role::Risk),
    ("limit", Role::Limit),
    ("whole", Role::Whole),
    ("loss", Role::Loss),
    ("win", Role::Win),
    ("used", Role::Used),
];

fn role(words: &Words<'_>, at: usize) -> Option<Role> {
    ROLES.iter().find(|(name, _)| words.is("role", name, at)).map(|(_, role)| *role)
}

/// The nearest word before a figure that says what it is, not further than the figure before; "stop loss" is a stop.
fn role_before(words: &Words<'_>, earlier: usize, at: usize) -> Option<Role> {
    let reach = earlier.max(at.saturating_sub(4));
    let mut said = (reach..at).rev().filter_map(|at| role(words, at));
    let nearest = said.next()?;
    let next = said.next();
    match (nearest, next) {
        // "Риск от депозита", "limit of 300", "daily loss limit".
        (Role::Whole, Some(other @ (Role::Limit | Role::Risk))) => Some(other),
        (Role::Loss, Some(other @ (Role::Limit | Role::Risk))) => Some(other),
        (nearest, _) => Some(nearest),
    }
}

/// "Сто риска", "2000 deposit".
fn role_after(words: &Words<'_>, end: usize) -> Option<Role> {
    let close = words.gap_before(end).trim().trim_matches(['$', '€', '₽', '£']).is_empty();
    role(words, end).filter(|role| close && matches!(role, Role::Risk | Role::Limit | Role::Loss | Role::Win))
}

fn is_percentage(words: &Words<'_>, figure: &Figure) -> bool {
    words.is("asked", "percent", figure.at.end) || words.gap_before(figure.at.end).trim_start().starts_with('%')
}

/// "Сколько это, два процента от пяти тысяч".
fn part_of(figures: &[Figure], percent: usize) -> Option<Calculate> {
    let [_, _] = figures else { return None };
    let (percent, whole) = (figures.get(percent)?, figures.get(1 - percent)?);
    whole.is(Role::Whole).then(|| Calculate::PartOf {
        percent: percent.value.normalize().to_string(),
        whole: whole.value.normalize().to_string(),
    })
}

fn r_multiple(figures: &[Figure]) -> Option<Calculate> {
    let (risk, result) = of_two(figures, Role::Risk)?;
    Some(Calculate::RMultiple { result: result.written(), risk: risk.value.normalize().to_string() })
}

fn percent_of(figures: &[Figure]) -> Option<Calculate> {
    let (whole, amount) = of_two(figures, Role::Whole)?;
    Some(Calculate::PercentOf { amount: amount.written(), whole: whole.value.normalize().to_string() })
}

fn left_of_limit(figures: &[Figure]) -> Option<Calculate> {
    let (limit, used) = of_two(figures, Role::Limit)?;
    let won = used.is(Role::Win) || used.negative == Some(false);
    let written = |figure: &Figure| figure.value.normalize().to_string();
    (!won).then(|| Calculate::LeftOfLimit { limit: written(limit), used: written(used) })
}

/// Of exactly two figures the one that plays `role`, and the other.
fn of_two(figures: &[Figure], role: Role) -> Option<(&Figure, &Figure)> {
    match figures {
        [a, b] if a.is(role) && !b.is(role) => Some((a, b)),
        [a, b] if b.is(role) && !a.is(role) => Some((b, a)),
        _ => None,
    }
}

/// At least two amounts, one of them at least with a sign or the word for adding up.
fn sum(figures: &[Figure], asked: bool) -> Option<Calculate> {
    let fits = (2..=MOST_AMOUNTS).contains(&figures.len())
        && figures.iter().all(|f| matches!(f.role, None | Some(Role::Loss | Role::Win)))
        && (asked || figures.iter().any(|f| f.negative.is_some() || f.role.is_some()));
    fits.then(|| Calculate::Sum { amounts: figures.iter().map(Figure::written).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn formula(text: &str, lang: Lang) -> String {
        calculation(text, lang).map_or("-".to_owned(), |sum| sum.carry_out(lang).expect("a sum").formula)
    }

    #[rstest]
    #[case("риск сто минус двести пятьдесят сколько это R", "−250 / 100 = −2,5 R")]
    #[case("Риск 50, взял 125, сколько это в R?", "125 / 50 = 2,5 R")]
    #[case("потерял 300 при риске 100, сколько это эр", "−300 / 100 = −3 R")]
    #[case("60 это сколько процентов от 2000", "60 / 2000 × 100 = 3 %")]
    #[case("сколько процентов от депозита 2000 это 60", "60 / 2000 × 100 = 3 %")]
    #[case("депозит две тысячи, потерял шестьдесят, сколько это в процентах", "−60 / 2000 × 100 = −3 %")]
    #[case("лимит 300 потерял 180 сколько осталось", "300 − 180 = 120")]
    #[case("дневной лимит триста, уже минус сто восемьдесят. Сколько осталось?", "300 − 180 = 120")]
    #[case("плюс 40 минус 15 плюс 10 сколько вышло", "40 − 15 + 10 = 35")]
    #[case("посчитай: +40 -15 +10 итого", "40 − 15 + 10 = 35")]
    #[case("заработал 120, потерял 75, сколько в сумме", "120 − 75 = 45")]
    #[case("сколько стоит доллар", "-")]
    #[case("сколько мне рисковать от депозита 2000", "-")]
    #[case("риск 2 процента от депозита 2000, сколько это", "2000 × 2 / 100 = 40")]
    #[case("сколько будет полтора процента от пяти тысяч", "5000 × 1,5 / 100 = 75")]
    #[case("сколько будет 40 - 15 + 10", "40 − 15 + 10 = 35")]
    #[case("риск 2%, лимит 300, сколько осталось", "-")]
    #[case("у меня минус 200", "-")]
    #[case("сколько осталось до открытия", "-")]
    #[case("риск 100, стоп 50, минус 20 сколько это R", "-")]
    fn russian(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(formula(text, Lang::Ru), expected, "{text}");
    }

    #[rstest]
    #[case("risk 100, lost 250, how many R is that", "−250 / 100 = −2.5 R")]
    #[case("I risked fifty and made 125, what is that in R?", "125 / 50 = 2.5 R")]
    #[case("what percent of 2000 is 60", "60 / 2000 × 100 = 3%")]
    #[case("60 is what percentage of my 2,000 account", "60 / 2000 × 100 = 3%")]
    #[case("limit 300, lost 180, how much is left", "300 − 180 = 120")]
    #[case("my daily loss limit is 300 and I'm down 180, what's left?", "300 − 180 = 120")]
    #[case("plus 40 minus 15 plus 10, what does that come to", "40 − 15 + 10 = 35")]
    #[case("made $120, lost $75, how much in total", "120 − 75 = 45")]
    #[case("how much is two percent of five thousand", "5000 × 2 / 100 = 100")]
    #[case("how much should I risk on 2000", "-")]
    #[case("what time is it", "-")]
    fn english(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(formula(text, Lang::En), expected, "{text}");
    }
}
