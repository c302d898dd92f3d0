use calm_core::{Lang, read};
fn main() {
    for l in std::io::stdin().lines() {
        let l = l.unwrap();
        let (a, t) = l.split_once(' ').unwrap();
        let lang = if a == "ru" { Lang::Ru } else { Lang::En };
        println!("{t}\n   {:?}\n   q={:?}", read(t, lang, None), calm_core::understand::question_in(t, lang));
    }
}
