//! Who can be turned to in a hard hour: dated numbers for the user's country, and the emergency number always (SPEC H6).

use calm_core::Lang;
use calm_prompts::HelplineKind;
use jiff::civil::Date;

use crate::conductor::Conductor;
use crate::error::AppError;

/// What is known for a country.
#[derive(Debug, Clone)]
pub struct HelpPage {
    /// ISO 3166-1 alpha-2, lower case; empty where neither place nor time zone tells.
    pub country: &'static str,
    pub emergency: String,
    /// Crisis first, then gambling harm; the emergency number stands apart.
    pub lines: Vec<HelpLine>,
}

#[derive(Debug, Clone)]
pub struct HelpLine {
    pub kind: HelplineKind,
    pub name: String,
    pub number: String,
    pub hours: String,
    pub source: String,
    /// When somebody last compared the number with its source.
    pub verified: Option<Date>,
    /// It was never compared, or long ago: to be shown with "check this number".
    pub check: bool,
}

impl Conductor {
    /// In that language, by the user's place, time zone and clock.
    pub fn help(&self, language: Lang) -> Result<HelpPage, AppError> {
        let country = self.settings().country();
        let today = self.settings().zone().to_datetime(self.now()).date();
        let helplines = self.prompts_now().helplines()?;
        let known = helplines.for_country(country).into_iter();
        let lines = known.filter(|line| line.kind != HelplineKind::Emergency).map(|line| HelpLine {
            kind: line.kind,
            name: line.name(language.code()).to_owned(),
            number: line.number.clone(),
            hours: line.hours(language.code()).to_owned(),
            source: line.source.clone(),
            verified: line.verified(),
            check: line.needs_checking(today),
        });
        Ok(HelpPage { country, emergency: helplines.emergency(country).to_owned(), lines: lines.collect() })
    }
}
