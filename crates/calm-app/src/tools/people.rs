//! `escalate_to_human`: helplines, the user's own contact and safety plan. It shows; it sends nothing (SPEC T6, H4, H6).

use calm_core::Lang;
use calm_prompts::HelplineKind;
use serde_json::json;

use super::Done;
use crate::caring::{HelpLine, HelpPage};
use crate::conductor::Conductor;
use crate::error::AppError;

impl Conductor {
    pub(super) fn people_to_turn_to(&mut self) -> Result<Done, AppError> {
        let lang = self.language();
        let HelpPage { emergency, lines, .. } = self.help(lang)?;
        let lines: Vec<HelpLine> = lines.into_iter().filter(|line| line.kind == HelplineKind::Crisis).collect();
        let shown: Vec<_> = lines
            .iter()
            .map(|line| {
                json!({
                    "name": line.name,
                    "number": line.number,
                    "hours": line.hours,
                    "source": line.source,
                    "verified": line.verified,
                    "check_this_number": line.check,
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
        // That a number should be checked stands in the list, not in a sentence for a hard hour.
        said.extend(lines.iter().map(|line| format!("{} {}", line.name, line.number)));
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
