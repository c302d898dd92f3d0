//! How the user trades, and by which rules of their own (SPEC S10).

use calm_core::Lang;
use serde::{Deserialize, Serialize};

use super::{ProfileField, SettingError, Settings};

/// Most fields of the user's own.
const MOST_FIELDS: usize = 30;
/// Longest name and longest value of one, in characters.
const LONGEST_NAME: usize = 60;
const LONGEST_VALUE: usize = 500;

/// In the user's own words where they are words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OwnRules {
    /// Trades a day.
    pub max_trades: Option<u16>,
    /// "300", "2 %".
    pub daily_loss_limit: Option<String>,
    /// When trading is over, whatever else.
    pub stop_rule: Option<String>,
}

impl Settings {
    /// In place of the fields that there are.
    ///
    /// # Errors
    /// There are too many, or one is empty or too long.
    pub fn set_profile_fields(&mut self, fields: impl IntoIterator<Item = ProfileField>) -> Result<(), SettingError> {
        let fields: Vec<ProfileField> = fields.into_iter().collect();
        let fits = |text: &str, most: usize| {
            !text.trim().is_empty() && text.chars().count() <= most && !text.chars().any(char::is_control)
        };
        let all = fields.iter().all(|field| fits(&field.name, LONGEST_NAME) && fits(&field.value, LONGEST_VALUE));
        if !all || fields.len() > MOST_FIELDS {
            let expected = "up to 30 fields, each a name of up to 60 characters and a value of up to 500";
            return Err(SettingError::Value { name: "profile_fields", expected });
        }
        self.profile_fields = fields;
        Ok(())
    }

    /// What of the profile may go into a prompt, name and value; nothing where the user has switched that off.
    pub(crate) fn shared_profile(&self) -> Vec<(String, String)> {
        if !self.include_profile_fields {
            return Vec::new();
        }
        let ru = self.language == Lang::Ru;
        let rules = &self.rules;
        let known = [
            (if ru { "опыт" } else { "experience" }, self.experience.clone()),
            (if ru { "рынки" } else { "markets" }, self.markets.clone()),
            (if ru { "часы торговли" } else { "trading hours" }, self.hours.clone()),
            (if ru { "валюта счёта" } else { "account currency" }, self.account_currency.clone()),
            (
                if ru {
                    "своё правило: сделок в день не больше"
                } else {
                    "own rule: most trades a day"
                },
                rules.max_trades.map(|most| most.to_string()),
            ),
            (
                if ru {
                    "своё правило: дневной лимит потерь"
                } else {
                    "own rule: daily loss limit"
                },
                rules.daily_loss_limit.clone(),
            ),
            (
                if ru {
                    "своё правило: когда остановиться"
                } else {
                    "own rule: when to stop"
                },
                rules.stop_rule.clone(),
            ),
        ];
        let known = known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let own = self.profile_fields.iter().filter(|field| field.in_prompts);
        known.chain(own.map(|field| (field.name.clone(), field.value.clone()))).collect()
    }
}
