//! "Запомни, что…": what the user wants to be known later, in their own words.

use crate::lang::Lang;

/// Longer than this is a story; characters.
const LONGEST: usize = 200;

const OPENINGS_RU: [&str; 5] = ["запомни", "запомните", "запиши себе", "имей в виду", "учти на будущее"];
const OPENINGS_EN: [&str; 5] = ["remember", "please remember", "keep in mind", "note for later", "bear in mind"];
const JOINTS: [&str; 4] = ["что", "that", "пожалуйста", "please"];

/// The words after the wish, where there is one at the beginning of a sentence.
pub fn to_remember(text: &str, lang: Lang) -> Option<String> {
    let openings = match lang {
        Lang::Ru => OPENINGS_RU,
        Lang::En => OPENINGS_EN,
    };
    crate::sentences::of(text).into_iter().find_map(|sentence| {
        let sentence = sentence.trim();
        let lower = sentence.to_lowercase();
        let opening = openings.iter().filter(|opening| lower.starts_with(*opening)).max_by_key(|it| it.len())?;
        // Lower case may be longer or shorter than what was written.
        let rest: String = sentence.chars().skip(opening.chars().count()).collect();
        if rest.starts_with(char::is_alphanumeric) {
            return None;
        }
        let mut rest = rest.trim_start_matches([' ', ',', ':', '—', '-']);
        for joint in JOINTS {
            let after = rest.strip_prefix(joint).filter(|after| after.starts_with([' ', ',']));
            rest = after.map_or(rest, |after| after.trim_start_matches([' ', ',']));
        }
        let rest = rest.trim_end_matches(['.', '!', ' ']);
        let words = rest.split_whitespace().count();
        (words >= 2 && !rest.ends_with('?') && rest.chars().count() <= LONGEST).then(|| rest.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("Запомни, что по пятницам я не торгую.", Lang::Ru, Some("по пятницам я не торгую"))]
    #[case("спал норм. имей в виду: жена в больнице до субботы", Lang::Ru, Some("жена в больнице до субботы"))]
    #[case("запомнил вчерашний день надолго", Lang::Ru, None)]
    #[case("Remember that I never trade the news", Lang::En, Some("I never trade the news"))]
    #[case("remember when I lost it all?", Lang::En, None)]
    #[case("remembering yesterday makes me sick", Lang::En, None)]
    #[case("keep in mind", Lang::En, None)]
    fn wishes(#[case] text: &str, #[case] lang: Lang, #[case] expected: Option<&str>) {
        assert_eq!(to_remember(text, lang).as_deref(), expected);
    }
}
