//! Sound: recordings, the microphone, and the models that hear.

use std::env::consts::OS;

use calm_app::error::{AloudError, AsrError, DecodeError, HearError, MicError, OnnxError};
use calm_app::voice::decode::LONGEST_MINUTES;

pub fn undecoded(error: &DecodeError) -> String {
    match error {
        DecodeError::Missing => "такого файла нет".into(),
        DecodeError::NotAFile => "это папка или устройство, а не файл".into(),
        DecodeError::Unreadable(error) => super::disk::system(error),
        DecodeError::Empty => "файл пустой".into(),
        DecodeError::NotAudio => "это не звук (читаются WAV, FLAC, MP3, Ogg Vorbis и M4A)".into(),
        DecodeError::Unsupported(what) => format!("{what} не читается: сохрани запись как WAV или FLAC"),
        DecodeError::NoSound => "звука нет: запись длится ноль секунд".into(),
        DecodeError::Truncated { found, promised } => {
            let [found, promised] = [found, promised].map(|seconds| format!("{seconds:.1}").replace('.', ","));
            format!("запись обрывается: из {promised} с на месте {found} с")
        }
        DecodeError::Damaged(_) => "файл повреждён".into(),
        DecodeError::TooLong => format!("запись длиннее {LONGEST_MINUTES} минут"),
    }
}

pub fn microphone(error: &MicError) -> String {
    match error {
        MicError::NoDevice => "микрофон не подключён".into(),
        MicError::UnknownDevice => "выбранный микрофон не подключён".into(),
        MicError::Denied => {
            let what_to_do = match OS {
                "windows" => "разреши доступ в параметрах конфиденциальности, и для классических приложений тоже",
                "macos" => "разреши доступ в настройках конфиденциальности и запусти программу заново",
                _ => "учётной записи может не хватать группы `audio`, а песочнице доступа к микрофону",
            };
            format!("система не пускает к микрофону: {what_to_do}")
        }
        MicError::Busy => "микрофон держит другая программа: закрой её и попробуй ещё раз".into(),
        MicError::Gone => "микрофон перестал передавать звук".into(),
        MicError::Unsupported => "микрофон отдаёт звук в виде, который не читается".into(),
        MicError::System(why) => format!("звук в системе не работает ({why})"),
    }
}

pub fn unheard(error: &HearError) -> String {
    match error {
        HearError::Vad(error) => format!("начало и конец речи не найти: {}", runtime(error)),
        HearError::Asr(AsrError::ModelMissing) => "речевой модели нет на месте".into(),
        HearError::Asr(AsrError::Model(why)) => format!("речевая модель не загружается ({why})"),
        HearError::Asr(AsrError::Run(why)) => format!("речевая модель сбилась ({why})"),
        HearError::Emotion(error) => format!("голос не измерить: {}", runtime(error)),
    }
}

fn runtime(error: &OnnxError) -> String {
    match error {
        OnnxError::LibraryMissing => "нет библиотеки ONNX Runtime".into(),
        OnnxError::Library(why) => format!("библиотека ONNX Runtime не подходит ({why})"),
        OnnxError::NotStarted => "ONNX Runtime не запущен".into(),
        OnnxError::ModelMissing => "файла модели нет на месте".into(),
        OnnxError::Model(why) => format!("модель не загружается ({why})"),
        OnnxError::WrongModel(what) => format!("модель не та: в ней нет `{what}`"),
        OnnxError::Run(why) => format!("модель сбилась ({why})"),
    }
}

pub fn no_voice(error: &AloudError) -> String {
    match error {
        AloudError::NoVoice(_) if OS == "linux" => "поставь speech-dispatcher и голос к нему".into(),
        AloudError::NoVoice(_) => "в системе нет голоса".into(),
        AloudError::Failed(why) => format!("голос системы не отвечает ({why})"),
    }
}
