//! What a session knows so far: every reading, the newest in force.

use crate::context::SessionResult;
use crate::end_session::{PlanAdherence, ResultCategory, RiskAppetite, SleepQuality};
use crate::session::Kind;
use crate::understand::{self, Felt, Reading, Said, Sign, Strength, Sum};
use crate::voice::VoiceAnalysis;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Gathered {
    pub readiness: Option<Reading<u8>>,
    pub stress: Option<Reading<u8>>,
    pub energy: Option<Reading<u8>>,
    pub regret: Option<Reading<u8>>,
    pub satisfaction: Option<Reading<u8>>,
    pub ready: Option<Reading<bool>>,
    pub sleep: Option<Reading<SleepQuality>>,
    pub feelings: Vec<Reading<Felt>>,
    pub stressors: Vec<String>,
    pub plan: Option<Reading<String>>,
    pub risk_appetite: Option<Reading<RiskAppetite>>,
    pub result: Option<Reading<SessionResult>>,
    pub past_result: Option<Reading<SessionResult>>,
    pub amount: Option<String>,
    /// The same as a number.
    pub sum: Option<Sum>,
    pub result_category: Option<Reading<ResultCategory>>,
    pub plan_adherence: Option<Reading<PlanAdherence>>,
    /// Made today.
    pub trades: Option<Reading<u32>>,
    pub learnings: Option<Reading<String>>,
    pub signs: Vec<Reading<Sign>>,
    pub voice: Option<VoiceAnalysis>,
    pub reflects: bool,
}

/// Above this, stress slows the conversation down (SPEC S5).
const HIGH_STRESS: u8 = 7;
const LOW_ENERGY: u8 = 3;

impl Gathered {
    /// Takes in what an utterance said and tells whether any of it was new.
    pub fn absorb(&mut self, kind: Kind, said: &Said, voice: Option<VoiceAnalysis>) -> bool {
        let before = self.clone();
        newest(&mut self.readiness, &said.readiness);
        newest(&mut self.stress, &said.stress);
        newest(&mut self.energy, &said.energy);
        newest(&mut self.regret, &said.regret);
        newest(&mut self.satisfaction, &said.satisfaction);
        newest(&mut self.ready, &said.ready);
        newest(&mut self.sleep, &said.sleep);
        newest(&mut self.risk_appetite, &said.risk_appetite);
        newest(&mut self.past_result, &said.past_result);
        newest(&mut self.learnings, &said.learnings);
        match kind {
            Kind::CheckIn => {
                // "Half size" in answer to the risk is no other plan.
                if self.plan.is_none() || said.risk_appetite.is_none() {
                    newest(&mut self.plan, &said.plan);
                }
                if self.plan.is_none() {
                    self.plan.clone_from(&said.setup);
                }
                // Before trading, every result is an earlier one.
                newest(&mut self.past_result, &said.result);
            }
            Kind::CheckOut => {
                newest(&mut self.result, &said.result);
                newest(&mut self.amount, &said.amount);
                newest(&mut self.sum, &said.sum);
                newest(&mut self.trades, &said.trades);
                newest(&mut self.result_category, &said.result_category);
                newest(&mut self.plan_adherence, &said.plan_adherence);
            }
        }
        for felt in &said.feelings {
            if !self.feelings.iter().any(|f| f.value.feeling == felt.value.feeling) {
                self.feelings.push(felt.clone());
            }
        }
        for sign in &said.signs {
            if !self.shows(sign.value) {
                self.signs.push(sign.clone());
            }
        }
        for stressor in &said.stressors {
            if !self.stressors.contains(stressor) {
                self.stressors.push(stressor.clone());
            }
        }
        self.reflects |= said.intends(understand::Intent::Reflect);
        let news = *self != before;
        if voice.is_some() {
            self.voice = voice;
        }
        news
    }

    /// 1–10: the user's own number, else the newest voice analysis.
    pub fn stress_level(&self) -> Option<u8> {
        let own = self.stress.as_ref().map(|s| s.value);
        own.or_else(|| self.voice.as_ref()?.stress_level)
    }

    /// 1–10: the user's own number, else the newest voice analysis.
    pub fn energy_level(&self) -> Option<u8> {
        let own = self.energy.as_ref().map(|e| e.value);
        own.or_else(|| self.voice.as_ref()?.energy_level)
    }

    pub fn high_stress(&self) -> bool {
        let spoken = self.stress.is_none() && self.shows(Sign::HighStress);
        spoken || self.stress_level().is_some_and(|s| s > HIGH_STRESS)
    }

    /// The voice alone says high stress, and the words say fine or nothing.
    pub fn sounds_worse_than_said(&self) -> bool {
        let voice_high = self.voice.as_ref().and_then(|v| v.stress_level).is_some_and(|s| s > HIGH_STRESS);
        voice_high && self.stress.is_none() && !self.shows(Sign::HighStress) && !self.is_heavy()
    }

    /// Tilt, or the wish to win it back: no number of readiness outweighs it.
    pub fn hot(&self) -> bool {
        self.shows(Sign::Tilt) || self.shows(Sign::Revenge)
    }

    pub fn tired(&self) -> bool {
        self.shows(Sign::Fatigue) || self.energy_level().is_some_and(|e| e <= LOW_ENERGY)
    }

    /// Flat, neither up nor down: a picture helps to tune in.
    pub fn unfocused(&self) -> bool {
        self.feelings.iter().any(|f| f.value.feeling == crate::understand::Feeling::Boredom)
    }

    pub fn shows(&self, sign: Sign) -> bool {
        self.signs.iter().any(|s| s.value == sign)
    }

    pub fn words_of(&self, sign: Sign) -> Option<&str> {
        self.signs.iter().find(|s| s.value == sign).map(|s| s.words.as_str())
    }

    pub fn main_feeling(&self) -> Option<&Reading<Felt>> {
        understand::main_feeling(&self.feelings)
    }

    pub fn is_heavy(&self) -> bool {
        self.feelings.iter().any(|f| f.value.feeling.is_heavy())
    }

    /// Heavy, not in passing ("немного"), and not already settling.
    pub fn upset(&self) -> bool {
        use crate::understand::Feeling::{Calm, Fatigue, Relief};
        let heavy = self
            .feelings
            .iter()
            .any(|f| f.value.feeling.is_heavy() && f.value.feeling != Fatigue && f.value.strength != Strength::Mild);
        let settling = self.feelings.iter().any(|f| matches!(f.value.feeling, Calm | Relief));
        heavy && !settling
    }

    /// Win + high confidence + wants more (SPEC S5), and the words it rests on.
    pub fn overconfidence(&self) -> Option<String> {
        let won = self.result.as_ref().or(self.past_result.as_ref()).filter(|r| r.value == SessionResult::Win);
        let sure = self.words_of(Sign::Overconfidence).or_else(|| {
            use crate::understand::Feeling::{Confidence, Excitement};
            let felt = self.feelings.iter().find(|f| matches!(f.value.feeling, Confidence | Excitement))?;
            Some(felt.words.as_str())
        })?;
        let more = self.words_of(Sign::WantsMore).or_else(|| {
            let appetite = self.risk_appetite.as_ref().filter(|r| r.value == RiskAppetite::High)?;
            Some(appetite.words.as_str())
        });
        let parts: Vec<&str> = won.map(|w| w.words.as_str()).into_iter().chain([sure]).chain(more).collect();
        let clear = self.shows(Sign::Overconfidence) && parts.len() >= 2 || parts.len() == 3;
        clear.then(|| parts.join("; "))
    }
}

fn newest<T: Clone>(known: &mut Option<T>, said: &Option<T>) {
    if said.is_some() {
        known.clone_from(said);
    }
}
