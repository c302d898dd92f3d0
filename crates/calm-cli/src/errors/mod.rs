//! What goes wrong, in Russian. English is what each error says of itself.
//!
//! A new error does not compile until it has its Russian. Words of the system and of libraries stay in the
//! language they come in.

mod disk;
mod outside;
mod prompts;
mod sound;
mod typed;

use calm_app::AppError;
pub use disk::{folder, store, system};
pub use outside::model;
pub use prompts::set;
pub use sound::{microphone, no_voice};
pub use typed::mapping;

use crate::bilingual::Both;

/// The error in both languages.
pub fn both(error: &AppError) -> Both {
    Both { ru: russian(error), en: error.to_string() }
}

pub fn russian(error: &AppError) -> String {
    match error {
        AppError::NoDataFolder => "система не называет папку для данных: укажи её через --data-dir".into(),
        AppError::BadAudio { path, source } => format!("{path}: {}", sound::undecoded(source)),
        AppError::SessionRunning => "разговор уже идёт в другом окне или терминале: сначала закончи его там".into(),
        AppError::NoOpenSession => "открытого разговора нет: начни новый, `calm session check-in`".into(),
        AppError::SessionOver => "тот разговор уже закончен: запись осталась в зашифрованном журнале".into(),
        AppError::NothingHeard => "речи не слышно: в разговор ничего не добавлено".into(),
        AppError::NoWords => "голос слышно, а слов не разобрать: запись полежит в журнале неделю".into(),
        AppError::Model(error) => outside::model(error),
        AppError::Store(error) => disk::store(error),
        AppError::NotRekeyed(error) => {
            format!("{}: ничего не изменено, журнал открывается тем же, что и раньше", disk::store(error))
        }
        AppError::Encoder(error) => {
            format!("модель памяти повреждена ({error}): скачай её заново, `calm models fetch`")
        }
        AppError::Hear(error) => sound::unheard(error),
        AppError::Mic(error) => sound::microphone(error),
        AppError::Prompts(error) => format!("набор промптов повреждён: {}", prompts::set(error)),
        AppError::Wording(error) => format!("набор промптов повреждён: {error}"),
        AppError::PromptFolder(error) => disk::folder(error),
        AppError::Draft(error) => format!("промпты: {}", prompts::draft(error)),
        AppError::Template(error) => format!("промпты: {}", error.told(calm_app::prompts::lint::Lang::Ru)),
        AppError::BlankMemory => "пустой догадка не бывает: если она лишняя, удали её".into(),
        AppError::NoSuchMemory => "в памяти такого нет".into(),
        AppError::NoEarlierPrompts => "более ранней версии промптов нет".into(),
        AppError::NoSuchPrompts { version } => format!("кроме той, что в работе, версии промптов {version} нет"),
        AppError::BadVersionName { name } => {
            format!("«{name}» не годится в имя версии: подойдут буквы, цифры и . _ + -, до 40 знаков")
        }
        AppError::FactsTooLong { characters, most } => {
            format!("активных фактов {characters} знаков, они вытеснят разговор: можно не больше {most}")
        }
        AppError::Plan(error) => typed::plan(error),
        AppError::Reminder(error) => typed::reminder(error),
        AppError::Setting(error) => typed::setting(error),
        AppError::Correction(error) => typed::correction(error),
        AppError::NoSuchPractice => "такой практики нет: все перечислены в `calm practice list`".into(),
        AppError::BadDocument { path, source } => format!("{path}: {}", typed::document(source)),
        AppError::UnreadFile { path, source } => format!("{path}: {}", disk::system(source)),
        AppError::BadTrades { path, source } => format!("{path}: {}", typed::trades(source)),
        AppError::AlreadyKnown { id } => format!("этот текст в знаниях уже есть, под номером {id}"),
        AppError::BadTerm => "фраза пустая или длиннее 200 знаков".into(),
        AppError::BadSheet { path, source } => format!("{path}: строка {} не из таблицы", source.line),
        AppError::Scenario(error) => format!("сценарий {}: {}", error.file, error.problem.ru),
        AppError::Backend(error) => outside::backend(error),
        AppError::Server(error) => outside::endpoint(error),
        AppError::Export(error) => disk::export(error),
        AppError::Import(error) => disk::import(error),
        AppError::Folder(error) => format!("в папку данных не записать: {}", disk::system(error)),
    }
}
