//! `escalate_to_human`: helplines, the user's own contact and safety plan. It shows; it sends nothing (SPEC T6, H4, H6).

use calm_core::Lang;
use calm_prompts::{Helpline, HelplineKind};
use serde_json::json;

use super::Done;
use crate::conductor::Conductor;
use crate::error::AppError;

impl Conductor {
    pub(super) fn people_to_turn_to(&mut self) -> Result<Done, AppError> {
        let lang = self.language();
        let country = self.settings().country();
        let today = self.settings().zone().to_datetime(self.now()).date();
        let helplines = self.prompts_now().helplines()?;
        let emergency = helplines.emergency(country).to_owned();
        let lines: Vec<&Helpline> =
            helplines.for_country(country).into_iter().filter(|line| line.kind == HelplineKind::Crisis).collect();

        let shown: Vec<_> = lines
            .iter()
            .map(|line| {
                json!({
                    "name": line.name(lang.code()),
                    "number": line.number,
                    "hours": line.hours(lang.code()),
                    "source": line.source,
                    "verified": line.verified(),
                    "check_this_number": line.needs_checking(today),
                })
            })
            .collect();
        let (ru, settings) = (lang == Lang::Ru, self.settings());
        let mut said: Vec<String> = Vec::new();
        if let Some(contact) = &settings.trusted_contact {
            said.push(format!(
                "{} {}: {}",
                if ru { "твой человек" } else { "your person," },
                contact.name,
                contact.how
            ));
        }
        said.extend(lines.iter().map(|line| {
            let check = match (line.needs_checking(today), ru) {
                (false, _) => "",
                (true, true) => " (номер стоит проверить)",
                (true, false) => " (check this number)",
            };
            format!("{} {}{check}", line.name(lang.code()), line.number)
        }));
        said.push(format!("{} {emergency}", if ru { "экстренная помощь" } else { "emergency" }));
        if !settings.safety_plan.is_empty() {
            let steps = settings.safety_plan.join(", ");
            said.push(format!(
                "{} {steps}",
                if ru { "твой план на такой час:" } else { "your own plan for such an hour:" }
            ));
        }
        Ok(Done::well(
            json!({
                "emergency": emergency,
                "helplines": shown,
                "trusted_contact": settings.trusted_contact,
                "safety_plan": settings.safety_plan,
                "sent": false,
            }),
            said.join("; "),
        ))
    }
}
