//! Rows of the performance table that end in the conductor. Prints one JSON object a row.
//!
//! Bounds are not here: `cargo xtask bench` holds them.

mod contour;
mod insights;
mod prompts;
mod searching;
mod years;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use calm_app::ears::{self, Ears, FROM_FILE};
use calm_app::models::Models;
use calm_app::{Begin, Clock, Conductor, Format, Kind, Lang, Paths, Secrets};
use calm_voice::{Clip, EmotionModel, Language, Recognizer, Tongue, Whisper, WhisperOnnx};
use serde_json::json;

const SAID: [&str; 4] = [
    "Немного тревожно после вчерашнего дня, спал часов шесть",
    "План простой: две сделки и стоп",
    "На работе дедлайн, но настроение ровное",
    "Риск сегодня маленький, хочу отработать план",
];

fn main() {
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with("--"));
    type Row = (&'static str, fn(&str));
    let rows: [Row; 11] = [
        ("guide_reply_p99", guide_reply),
        ("contour_10k_p99", contour::with_experiences),
        ("commit_turn_p99", commit_turn),
        ("ser_5s", emotion),
        ("asr_10s", by_default),
        ("asr_cpp_10s", by_whisper_cpp),
        ("end_to_text_10s", end_to_text),
        ("render_checkin", prompts::rendering),
        ("lint_shipped", prompts::linting),
        ("search_history_p99", searching::history),
        ("insights_10k", insights::over_ten_thousand_sessions),
    ];
    for (id, measure) in rows {
        if wanted.as_ref().is_none_or(|name| id.contains(name.as_str())) {
            measure(id);
        }
    }
}

/// Reading, deciding, wording, labels, guard and score; nothing is written.
fn guide_reply(id: &str) {
    use calm_core::context::{SessionContext, SessionFacts, UserFacts};
    use calm_core::turn::{self, Event, State};
    let prompts = calm_prompts::PromptSet::shipped();
    let phrases = prompts.phrases("ru").expect("Russian");
    let context = SessionContext {
        session: SessionFacts {
            kind: Kind::CheckIn,
            format: Format::Unlimited,
            has_matching_checkin: false,
            session_number_today: 1,
        },
        user: UserFacts::default(),
        voice_analysis: None,
        previous_checkin: None,
    };
    let mut times = Vec::new();
    for seed in 0..250 {
        let mut used = Default::default();
        let (mut state, _) =
            turn::step(State::new(Kind::CheckIn, Format::Unlimited, Lang::Ru, context.clone()), Event::Opened);
        for said in SAID {
            let clock = Instant::now();
            let (next, effects) = turn::step(state, Event::Heard { text: said.to_owned(), voice: None });
            for effect in &effects {
                if let turn::Effect::Reply(reply) = effect {
                    for one in &reply.moves {
                        let mut slots = one.slots.clone();
                        slots.push(("helplines", String::new()));
                        let text = phrases.word(one.key, &slots, seed, &mut used).expect("words");
                        calm_core::guard::check(&text, Lang::Ru);
                        calm_core::sufler::score(said, &text, Lang::Ru);
                    }
                }
            }
            times.push(clock.elapsed());
            state = next;
        }
    }
    print(id, millis(percentile(&mut times, 99)), times.len(), &[]);
}

/// A whole turn through the conductor, committed; beside it the disk alone.
fn commit_turn(id: &str) {
    let dir = tempfile::tempdir().expect("a folder");
    let mut conductor = house(dir.path());
    let mut times = Vec::new();
    for session in 0..60 {
        begin(&mut conductor, session);
        for said in SAID {
            let clock = Instant::now();
            conductor.say(said).expect("a turn");
            times.push(clock.elapsed());
            if conductor.running().is_none() {
                break;
            }
        }
    }
    let ours = percentile(&mut times, 99);
    let mut disk = bare_syncs(dir.path(), times.len());
    let theirs = percentile(&mut disk, 99);
    print(
        id,
        millis(ours),
        times.len(),
        &[("a bare 16 KiB write and fdatasync", ours.as_secs_f64() / theirs.as_secs_f64())],
    );
}

/// Milliseconds of the emotion model over five seconds of speech.
fn emotion(id: &str) {
    let models = models();
    calm_voice::start_onnxruntime(&models.path("onnxruntime").expect("the models")).expect("ONNX Runtime");
    let mut model = EmotionModel::load(&models.path("emotion").expect("the models")).expect("the emotion model");
    let speech = &clip().samples[..5 * 16_000];
    let mut times = timed(20, || model.measure(speech).map(|_| ()).expect("measured"));
    print(id, millis(percentile(&mut times, 50)), times.len(), &[]);
}

fn by_default(id: &str) {
    let models = models();
    calm_voice::start_onnxruntime(&models.path("onnxruntime").expect("the models")).expect("ONNX Runtime");
    let encoder = models.path("whisper-base-onnx").expect("the models");
    recogniser(id, &mut WhisperOnnx::load(&encoder).expect("Whisper"));
}

fn by_whisper_cpp(id: &str) {
    let model = models().path("whisper-base").expect("the models");
    recogniser(id, &mut Whisper::load(&model).expect("Whisper"));
}

/// Time of a recogniser alone as a share of the clip's length; the language is known.
fn recogniser(id: &str, recognizer: &mut dyn Recognizer) {
    let file = recording();
    let clip = clip();
    let mut times = timed(5, || {
        let heard = recognizer.transcribe(&clip.samples, Language::Fixed(Tongue::Ru)).expect("transcribed");
        assert!(!heard.text.is_empty(), "nothing was heard");
    });
    let seconds = percentile(&mut times, 50).as_secs_f64();
    let clip = json!({"path": file, "language": "ru", "seconds": seconds});
    let value = seconds / f64::from(self::clip().seconds());
    println!("{}", json!({"id": id, "value": value, "n": times.len(), "clip": clip}));
}

fn end_to_text(id: &str) {
    let paths = Paths::find(None).expect("a models folder");
    let clip = clip();
    let mut ears = Ears::new(&paths.models, true);
    let mut times = timed(7, || drop(ears.hear(&clip, FROM_FILE, None).expect("heard")));
    print(id, percentile(&mut times, 50).as_secs_f64(), times.len(), &[]);
}

fn models() -> Models {
    Models::open(Paths::find(None).expect("a models folder").models)
}

fn recording() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/audio/checkout_ru.flac")
}

/// The first ten seconds of a spoken check-out.
fn clip() -> Clip {
    let mut clip = ears::decode(&recording()).expect("the project's recording");
    clip.samples.truncate(10 * 16_000);
    clip
}

/// `n` times, after one that warms up.
fn timed(n: usize, mut work: impl FnMut()) -> Vec<Duration> {
    work();
    (0..n)
        .map(|_| {
            let clock = Instant::now();
            work();
            clock.elapsed()
        })
        .collect()
}

fn house(dir: &Path) -> Conductor {
    let paths = Paths { data: dir.join("data"), models: dir.join("models") };
    let mut conductor = Conductor::open(paths, Secrets::File, Clock::System, Box::new(|_| {})).expect("a new database");
    conductor.set_language(Lang::Ru);
    conductor
}

fn begin(conductor: &mut Conductor, seed: u64) {
    let begin = Begin::new(Kind::CheckIn, Format::Unlimited, "terminal").seeded(seed);
    conductor.begin(&begin).expect("a session");
}

fn bare_syncs(dir: &Path, n: usize) -> Vec<Duration> {
    let mut file = File::create(dir.join("bare")).expect("a file");
    let page = [7_u8; 16 * 1024];
    (0..n)
        .map(|_| {
            let clock = Instant::now();
            file.write_all(&page).and_then(|()| file.sync_data()).expect("written");
            clock.elapsed()
        })
        .collect()
}

fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() * percent / 100).min(times.len() - 1)]
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn print(id: &str, value: f64, n: usize, beside: &[(&str, f64)]) {
    let beside: Vec<_> = beside.iter().map(|(name, ratio)| json!({"name": name, "ratio": ratio})).collect();
    println!("{}", json!({"id": id, "value": value, "n": n, "beside": beside}));
}
