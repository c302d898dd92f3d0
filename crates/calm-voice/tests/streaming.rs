//! Words while somebody speaks: finished sentences settle, stay as they are, and make up the whole in the end.
#![allow(clippy::unwrap_used)]

mod common;

use calm_voice::endpoint::FRAME;
use calm_voice::{Clip, Draft, Ear, Language, Segmenter, Tongue, Vad, start_onnxruntime};
use common::{clip, models, word_error_rate};

const STATE: &str = "Привет. Спал плохо. Сегодня мне немного тревожно после вчерашнего убытка. Но у меня есть план. \
    Только две сделки, и в каждой будет стоп.";
const READINESS: &str = "Моя готовность сегодня восемь из десяти.";
const CHECK_OUT: &str = "Закрыл день в минус двести долларов. Торговал по плану, стопы не двигал. Я немного злюсь \
    на себя, но спокойно отпускаю этот день.";

#[test]
fn settled_words_stay_and_become_the_whole() {
    let pause = vec![0.0; 20_000];
    let parts = ["checkin_ru_1.flac", "checkin_ru_2.flac", "checkout_ru.flac"].map(clip);
    let whole = Clip { samples: parts.iter().flat_map(|part| [&part.samples, &pause]).flatten().copied().collect() };
    let files = models();
    start_onnxruntime(&files.onnxruntime).unwrap();
    let (mut vad, mut ear) = (Vad::load(&files.vad).unwrap(), Ear::load(&files).unwrap());
    let language = Language::Auto(vec![Tongue::Ru, Tongue::En]);

    let (mut segmenter, mut draft) = (Segmenter::default(), Draft::default());
    let (mut settled, mut looks, mut grew) = (String::new(), 0, 0);
    for (i, frame) in whole.samples.chunks_exact(FRAME).enumerate() {
        let now = &whole.samples[..(i + 1) * FRAME];
        let event = vad.push(frame.try_into().unwrap()).unwrap().event;
        if let Some(range) = segmenter.step(event, now) {
            ear.settle(&mut draft, &now[range.clone()], range.start, &language).unwrap();
            grew += 1;
        } else if let Some(open) = segmenter.unfinished()
            && i % 120 == 0
        {
            draft.glanced(&ear.glance(&Clip { samples: now[open].to_vec() }, Tongue::Ru).unwrap());
            looks += usize::from(draft.text().len() > draft.settled().len());
        }
        assert!(draft.text().starts_with(&settled), "settled words changed");
        settled = draft.settled();
    }
    assert!(grew >= 3 && looks >= 2, "{grew} segments settled, {looks} looks at unfinished ones");

    let rest: Vec<_> = segmenter.finish(whole.samples.len()).into_iter().collect();
    let speech = segmenter.speech(whole.samples.len());
    let live = ear.finish(draft, &whole, &rest, &speech, language.clone()).unwrap();
    assert!(live.transcript.text.starts_with(&settled));
    let spoken = [STATE, READINESS, CHECK_OUT].join(" ");
    let wer = word_error_rate(&spoken, &live.transcript.text);
    let afterwards = ear.hear(&whole, language).unwrap();
    let wer_afterwards = word_error_rate(&spoken, &afterwards.transcript.text);
    println!("word error rate {wer:.3} live in {grew} segments, {wer_afterwards:.3} afterwards");
    assert!(wer <= 0.15, "word error rate {wer:.2}: {}", live.transcript.text);
    let (feeling, later) = (live.emotion.unwrap(), afterwards.emotion.unwrap());
    assert!((feeling.arousal - later.arousal).abs() < 0.01, "{feeling:?} {later:?}");
    let segments = &live.transcript.segments;
    assert!(segments.windows(2).all(|pair| pair[0].end <= pair[1].start + 0.1), "{segments:?}");
}
