use calm_core::{Lang, Question, read};
fn main() {
    for line in std::io::stdin().lines() {
        let line = line.unwrap_or_default();
        let (asked, text) = line.split_once('|').unwrap_or(("", &line));
        let s = read(text, Lang::Ru, Question::named(asked));
        let mut o = vec![];
        macro_rules! f {
            ($n:ident) => {
                if let Some(r) = &s.$n {
                    o.push(format!("{}={:?}", stringify!($n), r.value));
                }
            };
        }
        f!(readiness);
        f!(stress);
        f!(energy);
        f!(regret);
        f!(satisfaction);
        f!(ready);
        f!(sleep);
        f!(plan);
        f!(risk_appetite);
        f!(result);
        f!(past_result);
        f!(result_category);
        f!(plan_adherence);
        f!(learnings);
        f!(trades);
        f!(answer);
        f!(distress);
        if let Some(a) = &s.amount {
            o.push(format!("amount={a} {:?}", s.sum));
        }
        if !s.stressors.is_empty() {
            o.push(format!("stressors={:?}", s.stressors));
        }
        for x in &s.feelings {
            o.push(format!("feel:{}({})", x.value.feeling.name(), x.words));
        }
        for x in &s.signs {
            o.push(format!("sign:{}({})", x.value.name(), x.words));
        }
        for x in &s.intents {
            o.push(format!("intent:{}({})", x.value.name(), x.words));
        }
        if s.unsure {
            o.push("unsure".into());
        }
        println!("{text}\n    {}", o.join("  "));
    }
}
