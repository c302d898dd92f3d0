//! What Calm can say, as intentions. The wording lives in `prompts/guide/`.

use serde::Serialize;

/// One intention with the values its wording may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Move {
    pub key: &'static str,
    /// Only what is known; a wording that needs more is not eligible.
    pub slots: Vec<(&'static str, String)>,
}

impl Move {
    pub fn new(key: &'static str) -> Move {
        Move { key, slots: Vec::new() }
    }

    pub fn with(mut self, slot: &'static str, value: impl Into<String>) -> Move {
        self.slots.push((slot, value.into()));
        self
    }

    pub fn with_if(self, slot: &'static str, value: Option<impl Into<String>>) -> Move {
        match value {
            Some(value) => self.with(slot, value),
            None => self,
        }
    }

    /// It sends the user off.
    pub fn is_farewell(&self) -> bool {
        self.key.starts_with("close_")
    }
}

/// A move the guide can make, for the people and the tests who look after the wording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveKind {
    pub key: &'static str,
    /// Slots that always have a value.
    pub always: &'static [&'static str],
    /// Slots that have a value when it is known.
    pub perhaps: &'static [&'static str],
    /// Said in a hard moment: no exclamation mark, no cheer.
    pub hard: bool,
    /// Heard often: at least eight wordings.
    pub common: bool,
}

const fn plain(key: &'static str) -> MoveKind {
    MoveKind { key, always: &[], perhaps: &[], hard: false, common: false }
}

impl MoveKind {
    const fn hard(self) -> MoveKind {
        MoveKind { hard: true, ..self }
    }

    const fn common(self) -> MoveKind {
        MoveKind { common: true, ..self }
    }

    const fn always(self, always: &'static [&'static str]) -> MoveKind {
        MoveKind { always, ..self }
    }

    const fn perhaps(self, perhaps: &'static [&'static str]) -> MoveKind {
        MoveKind { perhaps, ..self }
    }
}

/// `helplines` is filled in by the caller, who knows the country.
pub const MOVE_KEYS: &[MoveKind] = &[
    // Opening.
    plain("greeting").perhaps(&["name"]).common(),
    plain("disclosure"),
    plain("open_checkin").common(),
    plain("open_checkin_gentle").hard(),
    plain("open_checkin_morning").common(),
    plain("open_checkin_evening"),
    plain("open_checkin_late"),
    plain("open_checkin_after_loss").perhaps(&["learning"]).hard(),
    plain("open_checkin_after_win"),
    plain("open_checkin_learning").always(&["learning"]),
    plain("open_checkin_stressor").always(&["stressor"]).hard(),
    plain("open_checkin_again"),
    plain("open_checkout").common(),
    plain("open_checkout_gentle").hard(),
    plain("open_checkout_with_plan").always(&["plan"]),
    plain("open_checkout_late"),
    // Acknowledging.
    plain("ack_plain").common(),
    plain("ack_mild").hard().common(),
    plain("ack_nothing"),
    plain("ack_hurry"),
    plain("ack_corrected"),
    plain("ack_anxiety").perhaps(&["event"]).hard().common(),
    plain("ack_fear").hard().common(),
    plain("ack_anger").perhaps(&["event"]).hard().common(),
    plain("ack_frustration").hard().common(),
    plain("ack_sadness").perhaps(&["event"]).hard().common(),
    plain("ack_guilt").hard(),
    plain("ack_self_blame").hard(),
    plain("ack_regret").hard(),
    plain("ack_fatigue").hard().common(),
    plain("ack_energy_low").hard(),
    plain("ack_calm").common(),
    plain("ack_focused"),
    plain("ack_confidence").common(),
    plain("ack_relief"),
    plain("ack_boredom"),
    plain("ack_joy").common(),
    plain("ack_neutral").common(),
    plain("ack_high_stress").perhaps(&["stress"]).hard().common(),
    plain("ack_past_loss").hard(),
    plain("ack_past_win"),
    plain("ack_sleep_poor").hard().common(),
    plain("ack_sleep_good"),
    plain("ack_sleep_fair"),
    plain("ack_stressor").perhaps(&["stressor"]).hard(),
    plain("ack_grief").hard(),
    plain("ack_illness").hard(),
    plain("ack_family").hard(),
    plain("ack_money").hard(),
    plain("ack_work").hard(),
    plain("ack_plan").always(&["plan"]).common(),
    plain("ack_readiness").always(&["readiness"]).common(),
    plain("ack_readiness_low").always(&["readiness"]).hard().common(),
    plain("ack_ready").common(),
    plain("ack_not_ready").hard().common(),
    plain("ack_risk_low"),
    plain("ack_risk_medium"),
    plain("ack_risk_high"),
    plain("ack_size_small").common(),
    plain("ack_win").perhaps(&["amount"]).common(),
    plain("ack_win_large"),
    plain("ack_loss").perhaps(&["amount"]).hard().common(),
    plain("ack_loss_small").hard().common(),
    plain("ack_loss_large").hard().common(),
    plain("ack_breakeven").common(),
    plain("ack_followed").common(),
    plain("ack_partially").hard(),
    plain("ack_deviated").hard().common(),
    plain("ack_no_plan").hard(),
    plain("ack_learning"),
    plain("ack_satisfaction").always(&["satisfaction"]),
    plain("ack_unsure").common(),
    plain("ack_refusal_to_answer"),
    plain("ack_thanks"),
    plain("known_pattern").always(&["pattern"]),
    plain("ack_streak").hard(),
    plain("ack_streak_broken").perhaps(&["amount"]),
    plain("ack_no_trades"),
    plain("name_revenge").hard(),
    plain("name_tilt").hard(),
    plain("name_overconfidence").hard(),
    plain("overtrading").hard(),
    plain("gambling_harm").hard(),
    plain("chasing_harm").hard(),
    plain("gambling_help").always(&["helplines"]).hard(),
    plain("probe_invite"),
    plain("check_hearing").hard(),
    plain("slow_down").hard(),
    plain("will_remember"),
    plain("sum_up").always(&["figures"]),
    plain("not_heard"),
    // Asking.
    plain("ask_readiness").common(),
    plain("ask_sleep"),
    plain("ask_stressors"),
    plain("ask_plan"),
    plain("ask_risk_appetite"),
    plain("ask_result"),
    plain("ask_feelings").common(),
    plain("ask_feelings_day"),
    plain("ask_streak_coping").hard(),
    plain("ask_plan_comparison").perhaps(&["plan"]).common(),
    plain("ask_learnings"),
    plain("ask_satisfaction"),
    plain("ask_probe").hard(),
    plain("ask_go_on"),
    plain("ask_more"),
    plain("ask_tell").hard(),
    // Offering a practice. A yes means the practice; talking is offered in the same breath.
    plain("offer_breathing").always(&["minutes"]).hard(),
    plain("offer_grounding").always(&["minutes"]).hard(),
    plain("offer_visualization").always(&["minutes"]).hard(),
    plain("offer_pause").always(&["minutes"]).hard(),
    plain("offer_physical").always(&["minutes"]).hard(),
    plain("offer_journaling").always(&["minutes"]).hard(),
    plain("practice_asked"),
    plain("practice_none_more").hard(),
    plain("practice_start").hard(),
    plain("after_practice").hard(),
    plain("practice_better").hard(),
    plain("practice_same").hard(),
    plain("respect_decline").hard(),
    // Doing what was asked on the way. Whoever carries the call out fills in `answer`.
    plain("history_answer").perhaps(&["answer"]),
    plain("reminder_set").perhaps(&["answer"]),
    plain("reminder_when"),
    plain("calendar_answer").perhaps(&["answer"]),
    plain("calculation_answer").perhaps(&["answer"]),
    plain("calculation_unclear"),
    plain("person_answer").always(&["helplines"]).perhaps(&["answer"]).hard(),
    // Boundaries.
    plain("advice_boundary").hard().common(),
    plain("advice_adviser").hard(),
    plain("advice_own_plan").always(&["plan"]).hard(),
    plain("advice_own_rule").hard(),
    plain("human_answer"),
    plain("recording_answer"),
    plain("abilities_answer"),
    plain("habit_answer").hard(),
    plain("quit_answer").hard(),
    plain("cannot_answer"),
    plain("redirect"),
    plain("other_language"),
    plain("adults_only").hard(),
    // Crisis.
    plain("crisis_self_harm").hard(),
    plain("crisis_ruin").hard(),
    plain("crisis_panic").hard(),
    plain("crisis_helplines").always(&["helplines"]).hard(),
    plain("ask_safety").hard(),
    plain("crisis_stay").hard(),
    plain("crisis_again").hard(),
    plain("crisis_means").hard(),
    plain("crisis_denied").hard(),
    plain("crisis_person").hard(),
    plain("crisis_grounding").hard(),
    plain("ask_someone_near").hard(),
    plain("crisis_close").hard(),
    plain("false_alarm_close").hard(),
    // Closing.
    plain("close_ready").common(),
    plain("close_not_ready").hard().common(),
    plain("close_open").common(),
    plain("close_win").common(),
    plain("close_loss").hard().common(),
    plain("close_loss_even").hard().common(),
    plain("close_breakeven").common(),
    plain("close_checkout").common(),
    plain("close_no_trades"),
    plain("close_going_on").hard(),
    plain("close_streak").hard(),
    plain("close_after_advice").hard(),
    plain("close_circling").hard(),
    plain("close_forced"),
    plain("close_in_hurry"),
    plain("process_over_result").hard(),
    plain("respect_silence").hard().common(),
];
