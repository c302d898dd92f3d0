//! What authors of prompts meet: a set that does not hold together, edits that do not fit it.

use calm_app::prompting::DraftError;
use calm_app::prompts::SetError;
use calm_app::prompts::lint::Lang;

use super::disk;

/// What the reader of TOML says stays English.
pub fn set(error: &SetError) -> String {
    match error {
        SetError::Missing { file } => format!("в наборе промптов нет {file}"),
        SetError::Invalid { file, line, problem } => format!("{file}:{line}: {problem}"),
        SetError::NoVariant { id } => format!("варианта {id} в наборе промптов нет"),
        SetError::Template(error) => error.told(Lang::Ru),
    }
}

pub fn draft(error: &DraftError) -> String {
    match error {
        DraftError::Folder(error) => disk::folder(error),
        DraftError::Overlay(error) => format!("правка {} не ложится: {}", error.file, error.problem.ru),
        DraftError::Set(error) => set(error),
        DraftError::OtherSet { expected } => format!("manifest.toml: id набора должен остаться {expected}"),
        DraftError::NoPrompt { path } => format!("{path}: такого файла в наборе промптов не бывает"),
        DraftError::Helplines => "телефоны доверия проверены по источникам, здесь их не правят".into(),
        DraftError::Write { path, source } => format!("{}: не записать: {}", path.display(), disk::system(source)),
    }
}
