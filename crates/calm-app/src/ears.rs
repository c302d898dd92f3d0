//! The models that hear: loaded when first needed, let go when idle.

use std::path::{Path, PathBuf};

use calm_core::Lang;
use calm_models::{Manifest, Models};
use calm_store::{RecordingId, SessionId};
use calm_voice::{
    Clip, Draft, Ear, EarFiles, Emotion, EmotionModel, HearError, Heard, Language, RecognizerFiles, Tongue, Vad,
};

use crate::error::AppError;
use crate::listening::Take;
use crate::settings::{SPEECH_MODEL, Settings};

/// One utterance, heard.
#[derive(Debug)]
pub struct Spoken {
    pub text: String,
    pub emotion: Option<Emotion>,
    /// Length of the recording.
    pub seconds: f32,
    /// How much of it is somebody speaking.
    pub speech_seconds: f32,
    pub asr_ms: u64,
    pub ser_ms: u64,
    /// What the baseline is kept under: the device's name, or `file`.
    pub microphone: String,
    /// The spooled recording that this was heard from.
    pub recording: Option<RecordingId>,
    /// The session that it was recorded for; the one that runs where absent.
    pub session: Option<SessionId>,
}

/// Writes down what is said where the default cannot be loaded.
const INSTEAD: &str = "whisper-base";

/// Ids of the models that write down what is said.
pub fn speech_models() -> impl Iterator<Item = String> {
    let manifest = Manifest::shipped();
    let ids: Vec<String> = manifest.models().map(|model| model.id.clone()).collect();
    ids.into_iter().filter(|id| id.starts_with("whisper"))
}

/// Ids of the models without which these settings hear nothing.
pub fn needed(settings: &Settings) -> impl Iterator<Item = &str> {
    let emotion = settings.voice_analysis.then_some("emotion");
    [settings.speech_model.as_str(), "silero-vad", "onnxruntime"].into_iter().chain(emotion)
}

/// Recordings from files share one baseline.
pub const FROM_FILE: &str = "file";

pub struct Ears {
    models: PathBuf,
    analyse_voice: bool,
    speech_model: String,
    ear: Option<Ear>,
    voice: Option<(Vad, EmotionModel)>,
}

/// What the voice alone gave away.
pub struct Voice {
    /// `None` under two seconds of speech.
    pub emotion: Option<Emotion>,
    pub speech_seconds: f32,
}

impl Ears {
    pub fn new(models: &Path, analyse_voice: bool) -> Ears {
        let speech_model = SPEECH_MODEL.to_owned();
        Ears { models: models.to_owned(), analyse_voice, speech_model, ear: None, voice: None }
    }

    /// Lets another model write down what is said.
    pub fn with_speech_model(self, id: &str) -> Ears {
        Ears { speech_model: id.to_owned(), ear: None, ..self }
    }

    /// Loads the models if they are not loaded yet.
    ///
    /// # Errors
    /// A model that is missing or damaged is an error that says how to get it.
    pub fn load(&mut self) -> Result<&mut Ear, AppError> {
        let ear = match self.ear.take() {
            Some(ear) => ear,
            None => self.wake()?,
        };
        Ok(self.ear.insert(ear))
    }

    /// Looks whether the models are there, without loading them.
    ///
    /// # Errors
    /// As [`Ears::load`].
    pub fn check(&self) -> Result<(), AppError> {
        self.files().map(drop)
    }

    /// Lets the models go; the next recording loads them again.
    pub fn unload(&mut self) {
        self.ear = None;
        self.voice = None;
    }

    /// The user's switch for voice analysis and choice of a model; a change takes effect with the next recording.
    pub fn follow(&mut self, settings: &Settings) {
        if self.analyse_voice != settings.voice_analysis || self.speech_model != settings.speech_model {
            self.analyse_voice = settings.voice_analysis;
            self.speech_model.clone_from(&settings.speech_model);
            self.ear = None;
        }
    }

    /// A voice detector of its own for a recording that is under way.
    pub fn detector(&mut self) -> Result<Vad, AppError> {
        let models = Models::open(&self.models);
        calm_voice::start_onnxruntime(&models.path("onnxruntime")?).map_err(HearError::Vad)?;
        Ok(Vad::load(&models.path("silero-vad")?).map_err(HearError::Vad)?)
    }

    fn wake(&self) -> Result<Ear, AppError> {
        match Ear::load(&self.files()?) {
            // A graph wants operators that not every build of ONNX Runtime has; whisper.cpp wants none.
            Err(HearError::Asr(error)) if self.speech_model == SPEECH_MODEL => {
                let Ok(ggml) = Models::open(&self.models).path(INSTEAD) else {
                    return Err(HearError::Asr(error).into());
                };
                tracing::warn!(%error, instead = INSTEAD, "the default speech model cannot be used here");
                Ok(Ear::load(&EarFiles { recognizer: RecognizerFiles::Ggml(ggml), ..self.files()? })?)
            }
            loaded => Ok(loaded?),
        }
    }

    fn files(&self) -> Result<EarFiles, AppError> {
        let models = Models::open(&self.models);
        let emotion = if self.analyse_voice { Some(models.path("emotion")?) } else { None };
        let recognizer = match self.speech_model.as_str() {
            SPEECH_MODEL => RecognizerFiles::Onnx(models.path(SPEECH_MODEL)?),
            ggml => RecognizerFiles::Ggml(models.path(ggml)?),
        };
        Ok(EarFiles { recognizer, vad: models.path("silero-vad")?, emotion, onnxruntime: models.path("onnxruntime")? })
    }

    /// Words and voice of one recording.
    pub fn listen(&mut self, clip: &Clip) -> Result<Heard, AppError> {
        Ok(self.load()?.hear(clip, either())?)
    }

    /// Writes down a finished part of an utterance that goes on; it began at sample `at`.
    pub fn settle(&mut self, draft: &mut Draft, samples: &[f32], at: usize) -> Result<(), AppError> {
        Ok(self.load()?.settle(draft, samples, at, &either())?)
    }

    /// Words and voice of a turn, from what was written down while it was spoken.
    pub fn finish(&mut self, take: &Take) -> Result<Heard, AppError> {
        match &take.draft {
            Some(draft) => Ok(self.load()?.finish(draft.clone(), &take.clip, &take.rest, &take.speech, either())?),
            None => self.listen(&take.clip),
        }
    }

    /// A first look at words that are still being spoken, in the language of the session.
    pub fn glance(&mut self, clip: &Clip, language: Lang) -> Result<String, AppError> {
        let tongue = match language {
            Lang::Ru => Tongue::Ru,
            Lang::En => Tongue::En,
        };
        Ok(self.load()?.glance(clip, tongue)?)
    }

    /// The voice of one recording alone; the recogniser is not loaded for it.
    pub fn measure(&mut self, clip: &Clip) -> Result<Voice, AppError> {
        let loaded = match self.voice.take() {
            Some(loaded) => loaded,
            None => {
                let model = Models::open(&self.models).path("emotion")?;
                (self.detector()?, EmotionModel::load(&model).map_err(HearError::Emotion)?)
            }
        };
        let (vad, model) = self.voice.insert(loaded);
        let ranges = vad.speech(&clip.samples).map_err(HearError::Vad)?;
        let speech: Vec<f32> = ranges.into_iter().flat_map(|range| &clip.samples[range]).copied().collect();
        let emotion = model.measure(&speech).map_err(HearError::Emotion)?;
        Ok(Voice { emotion, speech_seconds: Clip { samples: speech }.seconds() })
    }

    /// One recording as a turn of a session.
    pub fn hear(&mut self, clip: &Clip, microphone: &str, recording: Option<RecordingId>) -> Result<Spoken, AppError> {
        Ok(Spoken::of(self.listen(clip)?, microphone, recording))
    }

    /// What was spoken into the microphone as a turn of a session.
    pub fn take(&mut self, take: &Take, recording: RecordingId) -> Result<Spoken, AppError> {
        Ok(Spoken::of(self.finish(take)?, &take.microphone, Some(recording)))
    }
}

impl Spoken {
    fn of(heard: Heard, microphone: &str, recording: Option<RecordingId>) -> Spoken {
        Spoken {
            text: heard.transcript.text,
            emotion: heard.emotion,
            seconds: heard.seconds,
            speech_seconds: heard.speech_seconds,
            asr_ms: heard.asr_ms,
            ser_ms: heard.ser_ms,
            microphone: microphone.to_owned(),
            recording,
            session: None,
        }
    }
}

/// Whichever of the product's languages is heard.
fn either() -> Language {
    Language::Auto(vec![Tongue::Ru, Tongue::En])
}

/// Decodes a recording; the error names the file and what is wrong with it.
pub fn decode(file: &Path) -> Result<Clip, AppError> {
    calm_voice::decode_file(file).map_err(|source| AppError::BadAudio { path: file.display().to_string(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_voice_that_is_not_looked_at_needs_no_emotion_model_and_nobody_needs_two_recognisers() {
        let listening = |voice_analysis| Settings {
            voice_analysis,
            speech_model: "whisper-small".to_owned(),
            ..Settings::default()
        };
        assert_eq!(needed(&listening(false)).collect::<Vec<_>>(), ["whisper-small", "silero-vad", "onnxruntime"]);
        assert_eq!(needed(&listening(true)).last(), Some("emotion"));
        let manifest = Manifest::shipped();
        assert!(needed(&Settings::default()).all(|id| manifest.required().contains(&id)));
    }
}
