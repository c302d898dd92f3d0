//! `calm doctor`: looks over the machine, changes nothing.

use std::process::ExitCode;

use calm_app::doctor::{self, ENCODER, Finding, Lacking, named};
use calm_app::{KeyPlace, Lang, paths};

use super::House;
use crate::columns::{WIDTH, beside};
use crate::errors;
use crate::failure::Failure;
use crate::output::Output;

/// Exit 1 when something is to be done.
pub fn run(house: &House, out: &Output) -> Result<ExitCode, Failure> {
    let findings = doctor::examine(&house.paths()?, paths::secrets());
    let lang = house.lang();
    for finding in &findings {
        if out.json() {
            out.object(finding);
            continue;
        }
        let (mark, name, detail, advice) = match lang {
            Lang::Ru => (["нет", "ок "], name(finding), detail(finding), advice(finding)),
            Lang::En => (["no ", "ok "], finding.name(), finding.detail(), finding.advice()),
        };
        let mark = mark[usize::from(finding.ok())];
        out.lines(&beside(&format!("{mark} {name}"), 18, WIDTH, &detail));
        if !advice.is_empty() {
            out.lines(&beside("", 18, WIDTH, &format!("→ {advice}")));
        }
    }
    let fine = findings.iter().all(Finding::ok);
    Ok(if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// In Russian, as are the next two.
fn name(finding: &Finding) -> &'static str {
    match finding {
        Finding::ModelsReady { .. } | Finding::ModelsLacking(_) => "модели",
        Finding::Recogniser | Finding::RecogniserFails(_) => "распознавание",
        Finding::MemoryByMeaning | Finding::MemoryByWords => "память",
        Finding::EncoderDamaged | Finding::EncoderFails(_) => "память",
        Finding::NoMicrophone | Finding::Microphones(_) | Finding::MicrophoneFails(_) => "микрофон",
        Finding::Voice | Finding::NoVoice(_) => "голос Calm",
        Finding::NoDatabase { .. } | Finding::Database { .. } => "журнал",
        Finding::DatabaseLocked { .. } | Finding::DatabaseFails(_) => "журнал",
        Finding::Key(_) => "ключ",
        Finding::ExportCutOff { .. } | Finding::ExportUnclear { .. } => "выгрузка",
        Finding::Prompts { .. } => "промпты",
    }
}

fn detail(finding: &Finding) -> String {
    match finding {
        Finding::ModelsReady { folder } => format!("все нужные лежат в {}", folder.display()),
        Finding::ModelsLacking(lacking) => lacking.iter().map(lacks).collect::<Vec<_>>().join(", "),
        Finding::Recogniser => "речь распознаётся, голос измеряется".into(),
        Finding::RecogniserFails(error) => errors::russian(error),
        Finding::MemoryByMeaning => "похожее находится и по смыслу, и по словам".into(),
        Finding::MemoryByWords => "похожее находится по словам".into(),
        Finding::EncoderDamaged => format!("{ENCODER} повреждена"),
        Finding::EncoderFails(error) => errors::model(error),
        Finding::NoMicrophone => "не подключён".into(),
        Finding::Microphones(names) if names.is_empty() => "подключён".into(),
        Finding::Microphones(names) => names.join(", "),
        Finding::MicrophoneFails(error) => errors::microphone(error),
        Finding::Voice => "ответы можно слушать (`calm settings set speak_replies yes`)".into(),
        Finding::NoVoice(error) => format!("ответы вслух не звучат: {}", errors::no_voice(error)),
        Finding::NoDatabase { folder } => format!("пока нет, появится в {} с первым разговором", folder.display()),
        Finding::Database { folder } => format!("зашифрован, открывается, лежит в {}", folder.display()),
        Finding::DatabaseLocked { folder } => format!("закрыт твоей фразой, лежит в {}", folder.display()),
        Finding::DatabaseFails(error) => errors::store(error),
        Finding::Key(KeyPlace::Keychain) => "лежит в хранилище ключей системы".into(),
        Finding::Key(KeyPlace::File(file)) => {
            format!("без хранилища ключей, лежит в {} (файл открыт только тебе)", file.display())
        }
        Finding::Key(KeyPlace::Locked(file)) => format!("лежит в {}, под твоей фразой", file.display()),
        Finding::ExportCutOff { folders } => {
            format!("оборвалась, твои слова лежат там незашифрованными: {}", named(folders))
        }
        Finding::ExportUnclear { folders } => {
            format!("оборвалась, а узнать её или дотянуться до неё сейчас нельзя: {}", named(folders))
        }
        Finding::Prompts { set, version } => format!("{set} {version}"),
    }
}

fn lacks(lacking: &Lacking) -> String {
    match lacking {
        Lacking::Missing(id) => format!("{id} ещё нет"),
        Lacking::Damaged(id) => format!("{id} повреждена"),
        Lacking::Unknown(error) => errors::model(error),
    }
}

fn advice(finding: &Finding) -> String {
    match finding {
        Finding::ModelsLacking(_) => "скачай: `calm models fetch`".into(),
        Finding::RecogniserFails(_) | Finding::EncoderFails(_) => "проверь: `calm models verify`".into(),
        Finding::MemoryByWords => format!("чтобы и по смыслу: `calm models fetch {ENCODER}`"),
        Finding::EncoderDamaged => format!("скачай заново: `calm models fetch {ENCODER}`"),
        Finding::NoMicrophone => "подключи его; писать и слушать записи можно и так".into(),
        Finding::Microphones(names) if names.len() > 1 => "выбрать другой: `calm settings set microphone ID`".into(),
        Finding::MicrophoneFails(_) => "писать и слушать записи можно и так".into(),
        Finding::DatabaseFails(_) => "ничего не изменено; что не так, сказано в строке выше".into(),
        Finding::ExportCutOff { .. } => "её уберёт следующий запуск Calm".into(),
        Finding::ExportUnclear { .. } => "посмотри, там ли она, и удали".into(),
        Finding::ModelsReady { .. }
        | Finding::Recogniser
        | Finding::MemoryByMeaning
        | Finding::Microphones(_)
        | Finding::Voice
        | Finding::NoVoice(_)
        | Finding::NoDatabase { .. }
        | Finding::Database { .. }
        | Finding::DatabaseLocked { .. }
        | Finding::Key(_)
        | Finding::Prompts { .. } => String::new(),
    }
}
