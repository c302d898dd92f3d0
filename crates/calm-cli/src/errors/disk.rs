//! The disk: the database, its key, files in and out.

use std::io::{self, ErrorKind};

use calm_app::error::StoreError;
use calm_app::exporting::ExportError;
use calm_app::importing::ImportError;
use calm_app::prompt_folder::FolderError;

pub fn store(error: &StoreError) -> String {
    match error {
        StoreError::Folder { path, source } => {
            format!("с папкой данных {} не выходит работать: {}", path.display(), system(source))
        }
        StoreError::DiskFull => "на диске не осталось места".into(),
        StoreError::ReadOnly => "журнал или его папка открыты только для чтения".into(),
        StoreError::KeyMissing { database } => format!(
            "нет ключа от {}: верни calm.key на место или открой там, где ключ лежит в хранилище",
            database.display()
        ),
        StoreError::KeychainClosed { database } => format!(
            "ключа от {} в calm.key нет, а хранилище ключей молчит: разблокируй его или верни calm.key",
            database.display()
        ),
        StoreError::KeyUnreadable { path } => {
            format!("{}: внутри не ключ (нужны 64 шестнадцатеричные цифры)", path.display())
        }
        StoreError::ApiKeysUnreadable { path } => {
            format!("{}: ключи серверов записаны не так, как их пишет Calm. Поправь файл или убери", path.display())
        }
        StoreError::WrongKey { database } => {
            format!("ключ не подходит к {}: он от другого журнала, или начало файла повреждено", database.display())
        }
        StoreError::Damaged => "файл журнала повреждён".into(),
        StoreError::LogWithoutDatabase { database, log } => format!(
            "файла {} нет, а его журнал изменений {} на месте: верни первый или убери второй",
            database.display(),
            log.display()
        ),
        StoreError::NewerDatabase { found, known } => {
            format!("журнал новее программы (версия {found}, а программа знает {known}): обнови Calm")
        }
        StoreError::Busy => "журнал занят другой программой".into(),
        StoreError::InUse => "Calm открыт в другом окне или терминале: сначала закрой его там".into(),
        StoreError::Locked => "журнал закрыт фразой".into(),
        StoreError::WrongPassphrase => "фраза не подошла".into(),
        StoreError::BadPassphrase => "нужна фраза не короче 8 знаков и не длиннее 1024 байт".into(),
        StoreError::NoPassphrase => "фраза не задана".into(),
        StoreError::PassphraseSet => "фраза уже задана: её можно сменить или убрать".into(),
        StoreError::AlreadyMatched => "у этого чек-ина уже есть свой чек-аут".into(),
        StoreError::AlreadyKnown(id) => format!("этот текст уже есть, под номером {id}"),
        StoreError::VersionTaken => "такая версия промптов уже есть, и она другая".into(),
        StoreError::NotAnExport { place } => format!("{place}: Calm так не выгружает. Ничего не добавлено"),
        StoreError::NewerExport { program } => {
            format!("выгрузка сделана более новым Calm ({program}): сначала обнови этот")
        }
        StoreError::NotFound(what) => missing(what),
        StoreError::UnreadableRow => "запись в журнале не такая, какой должна быть".into(),
        StoreError::NoRandomness => "система не даёт случайных чисел".into(),
        StoreError::Database { code } => format!("журнал не отвечает (код {code})"),
    }
}

/// By the name that the store gives to what it was asked for.
fn missing(what: &str) -> String {
    match what {
        "session" => "такого разговора нет",
        "session that has ended" => "такого законченного разговора нет",
        "note" => "такой заметки нет",
        "reminder" => "такого напоминания нет",
        "import" => "такой загрузки нет",
        "memory" => "в памяти такого нет",
        "trigger" => "такого плана нет",
        _ => "такого здесь нет",
    }
    .to_owned()
}

pub fn export(error: &ExportError) -> String {
    match error {
        ExportError::Taken { path } => {
            format!("{} уже есть, а выгрузка ничего не перезаписывает: назови другое место", path.display())
        }
        ExportError::Write { path, source } => format!("{}: {}", path.display(), system(source)),
        ExportError::Store(error) => store(error),
    }
}

pub fn import(error: &ImportError) -> String {
    match error {
        ImportError::Read { path, source } => format!("{}: {}", path.display(), system(source)),
        ImportError::NoManifest { path } => format!("{}: это не выгрузка Calm", path.display()),
        ImportError::Store { path, source } => format!("{}: {}", path.display(), store(source)),
    }
}

pub fn folder(error: &FolderError) -> String {
    match error {
        FolderError::Read { path, source } => format!("{}: {}", path.display(), system(source)),
        FolderError::TooLarge { path } => format!("{}: больше 1 МБ", path.display()),
        FolderError::NotText { path, at } => format!("{}, байт {at}: это не текст в UTF-8", path.display()),
        FolderError::TooMany { path } => format!("{}: слишком много файлов", path.display()),
    }
}

/// What the system says of a file; what is rare stays in its own words.
pub fn system(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "такого файла или папки нет".into(),
        ErrorKind::PermissionDenied => "нет прав".into(),
        ErrorKind::AlreadyExists => "такое имя уже занято".into(),
        ErrorKind::IsADirectory => "это папка, а не файл".into(),
        ErrorKind::NotADirectory => "часть пути не папка".into(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "на диске не осталось места".into(),
        ErrorKind::ReadOnlyFilesystem => "сюда не записать, диск только для чтения".into(),
        ErrorKind::InvalidFilename | ErrorKind::InvalidInput => "такое имя не годится".into(),
        ErrorKind::InvalidData | ErrorKind::UnexpectedEof => "файл повреждён или это не то, что нужно".into(),
        ErrorKind::BrokenPipe => "читать вывод больше некому".into(),
        _ => error.to_string(),
    }
}
