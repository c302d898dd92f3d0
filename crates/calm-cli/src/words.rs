//! Events in the user's words: aligned, short, in Russian or English.

use std::sync::{Arc, OnceLock};

use calm_app::caring::HelpPage;
use calm_app::core::contour::Mood;
use calm_app::prompts::HelplineKind;
use calm_app::settings::Settings;
use calm_app::voice::Notice;
use calm_app::{AppError, AppEvent, Lang};
use serde_json::json;

use crate::bilingual::{rounded, say};
use crate::columns::beside;
use crate::errors;
use crate::terms::Terms;

pub struct Words {
    pub lang: Lang,
    /// Shown along with the first words in a crisis, and whenever somebody to turn to is named.
    people: Arc<OnceLock<Vec<String>>>,
    people_due: bool,
    people_shown: bool,
}

/// Width of the first column.
const MARGIN: usize = 9;
/// Where reply text wraps.
const WIDTH: usize = 78;

impl Words {
    pub fn of(lang: Lang) -> Words {
        Words { lang, people: Arc::default(), people_due: false, people_shown: false }
    }

    /// With the lines of [`Words::people`], which are known only once the user's data is open.
    pub fn with_people(self, people: Arc<OnceLock<Vec<String>>>) -> Words {
        Words { people, ..self }
    }

    pub fn event(&mut self, event: &AppEvent) -> Vec<String> {
        let terms = Terms::of(self.lang);
        match event {
            AppEvent::SessionStarted { session_id, session_type, format, language, .. } => {
                self.lang = *language;
                let terms = Terms::of(self.lang);
                let (kind, format) = (terms.kind(*session_type), terms.format(*format));
                vec![format!("── {kind} · {format} · {session_id} ──")]
            }
            AppEvent::UserTurn { text, voice_analysis, audio_seconds, asr_ms, .. } => {
                let mut lines = block(self.pick("Ты", "You"), text);
                if let (Some(seconds), Some(asr_ms)) = (audio_seconds, asr_ms) {
                    let voice = match voice_analysis {
                        None => String::new(),
                        Some(voice) => match (voice.stress_level, voice.energy_level) {
                            (Some(stress), Some(energy)) => format!(
                                "{} {stress}/10 · {} {energy}/10 · {} {} · ",
                                terms.stress,
                                terms.energy,
                                terms.feeling(&voice.primary_emotion),
                                rounded(voice.confidence.into(), 2, self.lang)
                            ),
                            _ => format!(
                                "{} · {} {} · ",
                                self.pick("калибровка", "calibrating"),
                                terms.feeling(&voice.primary_emotion),
                                rounded(voice.confidence.into(), 2, self.lang)
                            ),
                        },
                    };
                    let seconds = rounded((*seconds).into(), 1, self.lang);
                    let timing = say!(
                        self.lang,
                        "{seconds} с записи, слова за {asr_ms} мс",
                        "{seconds} s recorded, transcribed in {asr_ms} ms"
                    );
                    lines.extend(block(self.pick("голос", "voice"), &format!("{voice}{timing}")));
                }
                lines
            }
            AppEvent::Contour { labels, state, .. } => {
                self.people_due |= !self.people_shown && state["mood"] == json!(Mood::Distressed);
                block(self.pick("метки", "labels"), labels)
            }
            AppEvent::Reply { text, .. } => {
                let mut lines = vec![String::new()];
                lines.extend(block("Calm", text));
                lines.push(String::new());
                if std::mem::take(&mut self.people_due) {
                    lines.extend(self.people_to_turn_to());
                }
                lines
            }
            AppEvent::ToolResult { tool: "escalate_to_human", .. } if !self.people_shown => self.people_to_turn_to(),
            // The reply has said how the practice goes.
            AppEvent::ToolResult { .. } | AppEvent::Sufler { .. } => Vec::new(),
            AppEvent::SessionEnded { arguments, .. } => {
                let mut lines = block(self.pick("итог", "summary"), &arguments.session_summary);
                lines.extend(block("", &terms.left_behind(arguments)));
                lines
            }
            AppEvent::ReplyPart { .. } => Vec::new(),
            AppEvent::HandedOver { code, detail } => block("!", &self.handed_over(code, detail.as_deref())),
            AppEvent::Error { code, message } => block("!", &self.trouble(code, message)),
        }
    }

    /// The user's own contact, helplines, the emergency number and the user's plan for a hard hour, a line each.
    pub fn people(lang: Lang, help: &HelpPage, settings: &Settings) -> Vec<String> {
        let words = Words::of(lang);
        let mut lines: Vec<String> =
            settings.trusted_contact.iter().map(|contact| format!("{}: {}", contact.name, contact.how)).collect();
        lines.extend(help.lines.iter().filter(|line| line.kind == HelplineKind::Crisis).map(|line| {
            let check = if line.check {
                words.pick(" (номер стоит проверить)", " (check this number)")
            } else {
                ""
            };
            format!("{}: {}, {}{check}", line.name, line.number, line.hours)
        }));
        lines.push(format!("{}: {}", words.pick("экстренная помощь", "emergency"), help.emergency));
        if !settings.safety_plan.is_empty() {
            let steps = settings.safety_plan.join("; ");
            lines.push(format!("{}: {steps}", words.pick("твой план на такой час", "your own plan for such an hour")));
        }
        lines
    }

    fn people_to_turn_to(&mut self) -> Vec<String> {
        let Some(people) = self.people.get() else { return Vec::new() };
        self.people_shown = true;
        let label = |i: usize| if i == 0 { self.pick("рядом", "people") } else { "" };
        let mut lines: Vec<String> = people.iter().enumerate().flat_map(|(i, line)| block(label(i), line)).collect();
        lines.push(String::new());
        lines
    }

    /// Why the guide answers in place of the model, in one line.
    pub fn handed_over(&self, code: &str, detail: Option<&str>) -> String {
        let why = match code {
            "reply_withheld" => self.pick("ответ модели не подошёл", "the model's answer was not fit"),
            "reply_wrong_language" => self.pick("модель ответила на другом языке", "the model spoke another language"),
            "reply_in_circles" | "reply_empty" => self.pick("модель не нашла слов", "the model found no words"),
            "offline" => self.pick("включён режим без сети", "offline mode is on"),
            "key_refused" => self.pick("сервер не принял ключ", "the server does not take the key"),
            "server_silent" => self.pick("сервер молчит", "the server is silent"),
            "server_busy" => self.pick("сервер занят", "the server is busy"),
            "server_unreachable" => self.pick("до сервера не достучаться", "the server cannot be reached"),
            "ledger_failed" => self.pick("журнал отправленного не пишется", "the ledger cannot be written"),
            _ => self.pick("сервер не ответил как надо", "the server did not answer properly"),
        };
        let goes_on = self.pick("отвечаю сам, всё сказанное на месте", "the guide answers; nothing said is lost");
        match detail {
            // It says the same, and more.
            Some(detail) if self.lang == Lang::En => format!("{detail}: {goes_on}"),
            _ => format!("{why}: {goes_on}"),
        }
    }

    /// What went wrong in a session that goes on.
    fn trouble(&self, code: &str, message: &str) -> String {
        let known = [AppError::NothingHeard, AppError::NoWords].into_iter().find(|error| error.code() == code);
        match (self.lang, known) {
            (Lang::Ru, Some(error)) => errors::russian(&error),
            _ => message.to_owned(),
        }
    }

    /// What is wrong with the sound while the recording goes on, in one line.
    pub fn notice(&self, notice: Notice) -> &'static str {
        match notice {
            Notice::Away => self.pick(
                "микрофон пропал: сказанное сохранено, жду его двадцать секунд",
                "the microphone went away: what was said is kept, and it is waited for, for twenty seconds",
            ),
            Notice::Back => self.pick("микрофон вернулся, запись идёт дальше", "the microphone is back, go on"),
            Notice::OtherDevice => self.pick(
                "выбранного микрофона нет: слушаю тем, что выбрала система",
                "the chosen microphone is not connected: the system's own choice listens",
            ),
            Notice::Silent => self.pick(
                "из микрофона ничего не слышно: проверь, не выключен ли он и пускает ли к нему система",
                "nothing comes from the microphone: see whether it is muted, or withheld by the system",
            ),
            Notice::Clipping => self.pick(
                "слишком громко, звук рвётся: отодвинься или убавь чувствительность микрофона",
                "too loud, the sound is torn: move away, or turn the microphone's level down",
            ),
        }
    }

    fn pick(&self, ru: &'static str, en: &'static str) -> &'static str {
        match self.lang {
            Lang::Ru => ru,
            Lang::En => en,
        }
    }
}

/// A label in the margin and the text beside it, wrapped.
pub fn block(label: &str, text: &str) -> Vec<String> {
    beside(label, MARGIN, WIDTH, text)
}
