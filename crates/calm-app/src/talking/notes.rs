//! What a model is told beside its prompt, in the session's language: how to end, and what was wrong.

use calm_core::Lang;

use super::gate::Stop;

/// The format's questions are answered.
pub fn last_reply(lang: Lang) -> &'static str {
    match lang {
        Lang::Ru => {
            "Это последний ответ в разговоре: коротко отзовись на сказанное, попрощайся, ничего не спрашивай и вызови \
             end_session."
        }
        Lang::En => {
            "This is the last reply of the talk: answer what was said in a sentence, say goodbye, ask nothing, and \
             call end_session."
        }
    }
}

/// Why the reply before was stopped, and what to do instead. `begun` says that some of it has been shown.
pub fn repair(lang: Lang, stop: Option<Stop>, begun: bool) -> String {
    let (what, how) = match (lang, stop) {
        (Lang::Ru, Some(Stop::WrongLanguage)) => ("Ответ был не на русском.", "Скажи то же по-русски."),
        (Lang::En, Some(Stop::WrongLanguage)) => ("The reply was not in English.", "Say it in English."),
        (Lang::Ru, Some(Stop::Repeats)) => ("Ответ повторял сам себя.", "Скажи коротко и один раз."),
        (Lang::En, Some(Stop::Repeats)) => ("The reply repeated itself.", "Say it briefly, and once."),
        (Lang::Ru, Some(Stop::Forbidden | Stop::Long)) => (
            "Последнее предложение нарушало правила: никаких советов по сделкам, прогнозов, обещаний, диагнозов, \
             оценок человека, слов о голосе и об устройстве программы.",
            "Обойдись без него: одно-два тёплых предложения о том, что человек сказал, и не больше одного вопроса.",
        ),
        (Lang::En, Some(Stop::Forbidden | Stop::Long)) => (
            "The last sentence broke the rules: no advice about trades, no forecast, promise, diagnosis or judgement \
             of the person, nothing about the voice or how the program works.",
            "Leave it out: one or two warm sentences about what the person said, and at most one question.",
        ),
        (Lang::Ru, None) => ("Ответ был пустым.", "Скажи человеку одно-два предложения."),
        (Lang::En, None) => ("The reply was empty.", "Say one or two sentences to the person."),
    };
    let from = match (lang, begun) {
        (_, false) => "",
        (Lang::Ru, true) => " Начало уже показано, продолжи с того же места, не повторяя его.",
        (Lang::En, true) => " Its beginning has been shown: go on from there without saying it again.",
    };
    format!("{what} {how}{from}")
}

/// What to do with the words of the talk when nobody said goodbye.
pub fn extraction(lang: Lang) -> &'static str {
    match lang {
        Lang::Ru => {
            "Разговор закончен. Ответь только записью для end_session: объект JSON с полями session_type, \
             extracted_attributes, risk_flags, session_summary и recommended_next_action. О чём не говорили, то null."
        }
        Lang::En => {
            "The talk is over. Answer with the record for end_session alone: a JSON object with session_type, \
             extracted_attributes, risk_flags, session_summary and recommended_next_action. What was not discussed \
             is null."
        }
    }
}
