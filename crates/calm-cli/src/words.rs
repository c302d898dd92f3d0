//! Events in the user's words: aligned, short, in Russian or English.

use calm_app::voice::Notice;
use calm_app::{AppEvent, Kind, Lang};
use serde_json::Value;

pub struct Words {
    pub lang: Lang,
}

/// Width of the first column.
const MARGIN: usize = 9;
/// Where reply text wraps.
const WIDTH: usize = 78;

impl Words {
    pub fn of(lang: Lang) -> Words {
        Words { lang }
    }

    pub fn event(&self, event: &AppEvent) -> Vec<String> {
        match event {
            AppEvent::SessionStarted { session_id, session_type, format, .. } => {
                let kind = match (self.lang, session_type) {
                    (Lang::Ru, Kind::CheckIn) => "чек-ин",
                    (Lang::Ru, Kind::CheckOut) => "чек-аут",
                    (Lang::En, kind) => kind.name(),
                };
                vec![format!("── {kind} · {format} · {session_id} ──")]
            }
            AppEvent::UserTurn { text, voice_analysis, audio_seconds, asr_ms, .. } => {
                let mut lines = block(self.pick("Ты", "You"), text);
                if let (Some(seconds), Some(asr_ms)) = (audio_seconds, asr_ms) {
                    let voice = match voice_analysis {
                        None => String::new(),
                        Some(voice) => match (voice.stress_level, voice.energy_level) {
                            (Some(stress), Some(energy)) => format!(
                                "{} {stress}/10 · {} {energy}/10 · {} {:.2} · ",
                                self.pick("стресс", "stress"),
                                self.pick("энергия", "energy"),
                                voice.primary_emotion,
                                voice.confidence
                            ),
                            _ => format!(
                                "{} · {} {:.2} · ",
                                self.pick("калибровка", "calibrating"),
                                voice.primary_emotion,
                                voice.confidence
                            ),
                        },
                    };
                    let timing = self.pick("с речи, расшифровка", "s recorded, transcribed in");
                    lines.extend(block(
                        self.pick("голос", "voice"),
                        &format!("{voice}{seconds:.1} {timing} {asr_ms} ms"),
                    ));
                }
                lines
            }
            AppEvent::Contour { labels, .. } => block(self.pick("метки", "labels"), labels),
            AppEvent::Reply { text, .. } => {
                let mut lines = vec![String::new()];
                lines.extend(block("Calm", text));
                lines.push(String::new());
                lines
            }
            // The reply has said how the practice goes.
            AppEvent::ToolResult { .. } | AppEvent::Sufler { .. } => Vec::new(),
            AppEvent::SessionEnded { arguments, .. } => {
                let mut lines = block(self.pick("итог", "summary"), &arguments.session_summary);
                let json = serde_json::to_value(arguments.as_ref()).unwrap_or_default();
                lines.extend(block("", &known(&json)));
                lines
            }
            AppEvent::ReplyPart { .. } => Vec::new(),
            AppEvent::HandedOver { code, detail } => block("!", &self.handed_over(code, detail.as_deref())),
            AppEvent::Error { message, .. } => block("!", message),
        }
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

/// The attributes that were discussed and the flags that were raised, by the names that `--json` uses.
fn known(arguments: &Value) -> String {
    let mut parts = Vec::new();
    if let Some(attributes) = arguments["extracted_attributes"].as_object() {
        for (name, value) in attributes.iter().filter(|(_, value)| !value.is_null()) {
            parts.push(format!("{name} {}", plain(value)));
        }
    }
    if let Some(flags) = arguments["risk_flags"].as_object() {
        parts.extend(flags.iter().filter(|(_, set)| **set == Value::Bool(true)).map(|(name, _)| name.clone()));
    }
    parts.push(format!("next {}", plain(&arguments["recommended_next_action"])));
    parts.join(" · ")
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Number(n) if n.is_f64() => format!("{:.2}", n.as_f64().unwrap_or_default()),
        other => other.to_string(),
    }
}

/// A label in the margin and the text beside it, wrapped.
fn block(label: &str, text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > WIDTH - MARGIN {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines.iter().enumerate().map(|(i, line)| format!("{:<MARGIN$}{line}", if i == 0 { label } else { "" })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_wraps_beside_its_label() {
        let lines = block("Calm", &"слово ".repeat(30));
        assert!(lines.len() > 1);
        assert!(lines[0].starts_with("Calm     слово"));
        assert!(lines[1].starts_with("         слово"));
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH));
    }
}
