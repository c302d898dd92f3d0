#!/usr/bin/env python3
"""Measures the model on speakers that it was not trained on, and the graph against the training code.

    python3 measure.py --emodb DIR --weights DIR --cache FILE [--model emotion.onnx] [--speech DIR]

Everything but the last two parts leaves one speaker out at a time: ten pairs of heads, each trained on nine speakers and
asked about the tenth, whose clips come as they are and in every variant.
"""

from pathlib import Path

# First: it decides how many threads numpy starts with.
import features  # isort: skip

import numpy as np
import onnxruntime
import soundfile
from scipy.optimize import minimize_scalar
from scipy.stats import rankdata

import emodb
from heads import Heads, arousal_head, arousal_logit
from train import options
from whisper import FEATURES, RATE, Encoder, read_weights

# The program's own constants: calm-voice's emotion.rs and baseline.rs, calm-core's voice.rs.
TEMPERATURE, FLOOR = 1.7, 0.6
ENOUGH, COMMON_DEVIATION, COMMON_WEIGHT = 5, 1.5, 5
CALM_LEVEL, STEPS, HIGH_LEVEL = 4.0, 2.3, 7
JOY = emodb.CLASSES.index("joy")
# A tenth of a normal distribution lies above this many deviations.
TENTH = 1.28
DRAWS = 200
WINDOW_SECONDS = 4.5
# Conditions that are also measured by heads that were trained without them.
NEVER_HEARD = ("noise", "room", "ends", "joined")


class Asked:
    """What the heads say of clips whose speaker they do not know."""

    def __init__(self, speakers, emotions, logits, scores):
        self.speakers, self.emotions, self.logits, self.scores = speakers, emotions, logits, scores

    def are(self, *emotions):
        return np.isin(self.emotions, emotions)

    def probabilities(self, temperature):
        scaled = np.exp((self.scores - self.scores.max(1, keepdims=True)) / temperature)
        return scaled / scaled.sum(1, keepdims=True)

    def auc(self, high, low, only=True):
        """How often a clip of `high` scores above one of `low`."""
        positive, negative = self.are(*high) & only, self.are(*low) & only
        ranks = rankdata(np.concatenate([self.logits[positive], self.logits[negative]]))
        n, m = positive.sum(), negative.sum()
        return (ranks[:n].sum() - n * (n + 1) / 2) / (n * m)


def one_left_out(clips, variants):
    """For each speaker the heads that were trained on the others."""
    speakers, emotions = labels(clips)
    heads = {}
    for speaker in sorted(set(speakers)):
        others = speakers != speaker
        heads[speaker] = Heads([rows[others] for rows in variants.values()], emotions[others])
    return heads


def ask(heads, clips, rows):
    """Each clip, of which `rows` holds the features, is judged by the heads that do not know its speaker."""
    speakers, emotions = labels(clips)
    logits, scores = np.zeros(len(clips)), np.zeros((len(clips), len(emodb.CLASSES)))
    for speaker, own in heads.items():
        of_speaker = speakers == speaker
        logits[of_speaker] = own.arousal_logit(rows[of_speaker])
        scores[of_speaker] = own.classes.scores(rows[of_speaker])
    return Asked(speakers, emotions, logits, scores)


def in_a_condition_left_out(clips, variants, left_out):
    """Arousal alone, by heads that know neither the speaker nor the condition; `left_out` begins a variant's name."""
    speakers, emotions = labels(clips)
    known = [rows for name, rows in variants.items() if not name.startswith(left_out)]
    logits = np.zeros(len(clips))
    for speaker in sorted(set(speakers)):
        others = speakers != speaker
        head = arousal_head([rows[others] for rows in known], emotions[others])
        logits[~others] = arousal_logit(head, variants[left_out][~others])
    return Asked(speakers, emotions, logits, np.zeros((len(clips), len(emodb.CLASSES))))


def labels(clips):
    return np.array([clip.speaker for clip in clips]), np.array([clip.emotion for clip in clips])


def discrimination(asked):
    named = asked.are(*emodb.CLASSES)
    truth = np.array([emodb.CLASSES.index(emotion) for emotion in asked.emotions[named]])
    guess = asked.scores[named].argmax(1)
    recall = [(guess[truth == index] == index).mean() for index in range(len(emodb.CLASSES))]
    return {"UAR": np.mean(recall), **arousal_alone(asked)}


def arousal_alone(asked):
    each = [asked.auc(emodb.STRESS, ["neutral"], asked.speakers == one) for one in sorted(set(asked.speakers))]
    return {
        "arousal AUC": asked.auc(emodb.HIGH, emodb.LOW),
        "stress AUC": asked.auc(emodb.STRESS, ["neutral"]),
        "worst speaker's": min(each),
        "fear": asked.auc(["fear"], ["neutral"]),
        "joy": asked.auc(["joy"], ["neutral"]),
    }


def personal_baseline(asked, enrolled=None):
    """Five neutral clips of a speaker are the baseline; the speaker's other neutral clips and stressed ones are judged.

    `enrolled` are the same clips in another variant, where the baseline was recorded under other conditions.
    """
    calm_logits = (enrolled or asked).logits
    random = np.random.default_rng(features.SEED)
    joy = 1 - 0.5 * asked.probabilities(TEMPERATURE)[:, JOY]
    false_alarms, hits, high_alarms, high_hits = {}, {}, {}, {}
    for speaker in sorted(set(asked.speakers)):
        own = asked.speakers == speaker
        neutral, stressed = np.flatnonzero(own & asked.are("neutral")), own & asked.are(*emodb.STRESS)
        if len(neutral) < ENOUGH + 2:
            continue
        rows = []
        for _ in range(DRAWS):
            order = random.permutation(neutral)
            calm, rest = calm_logits[order[:ENOUGH]], order[ENOUGH:]
            own_part = (ENOUGH - 1) * calm.var(ddof=1)
            sigma = np.sqrt((own_part + COMMON_WEIGHT * COMMON_DEVIATION**2) / (ENOUGH + COMMON_WEIGHT - 1))
            u = (asked.logits - calm.mean()) / sigma
            high = np.clip(np.rint(CALM_LEVEL + STEPS * u * joy), 1, 10) > HIGH_LEVEL
            rows.append([(u[rest] > TENTH).mean(), (u[stressed] > TENTH).mean(), high[rest].mean(), high[stressed].mean()])
        false_alarms[speaker], hits[speaker], high_alarms[speaker], high_hits[speaker] = np.mean(rows, 0)
    mean = lambda by_speaker: np.mean(list(by_speaker.values()))
    worst = max(false_alarms, key=false_alarms.get)
    return {
        "speakers": len(hits),
        "false alarms": mean(false_alarms),
        "hits": mean(hits),
        f"worst ({worst})": false_alarms[worst],
        "fewest hits": min(hits.values()),
        "stress > 7, calm": mean(high_alarms),
        "stress > 7, stressed": mean(high_hits),
    }


def calibration(asked):
    """How sure the classes are and how often right: as they come, and at the program's temperature and floor."""
    named = asked.are(*emodb.CLASSES)
    truth = np.array([emodb.CLASSES.index(emotion) for emotion in asked.emotions[named]])
    own = np.arange(len(truth))

    def loss(temperature):
        return -np.log(asked.probabilities(temperature)[named][own, truth] + 1e-12).mean()

    raw, scaled = (asked.probabilities(temperature)[named] for temperature in (1.0, TEMPERATURE))
    right = raw.argmax(1) == truth
    shown = scaled.max(1) >= FLOOR
    return {
        "said": raw.max(1).mean(),
        "right": right.mean(),
        "best temperature": minimize_scalar(loss, bounds=(0.2, 5.0), method="bounded").x,
        f"said at {TEMPERATURE}": scaled.max(1).mean(),
        "shown": shown.mean(),
        "right where shown": right[shown].mean(),
    }


def as_long_as_the_programs(heads, clips, weights):
    """Clips of one speaker and emotion, one after another, in windows of about five seconds."""
    windows = []
    for key in sorted({(clip.speaker, clip.emotion) for clip in clips}):
        rest = np.zeros(0, np.float32)
        for audio in (clip.audio for clip in clips if (clip.speaker, clip.emotion) == key):
            rest = np.concatenate([rest, audio])
            if len(rest) >= WINDOW_SECONDS * RATE:
                windows.append(emodb.Clip(*key, rest))
                rest = np.zeros(0, np.float32)
    encoder = Encoder(read_weights(weights))
    return ask(heads, windows, np.stack([encoder.features(window.audio) for window in windows]))


def spread(asked):
    """Of the logit of calm speech, within a speaker."""
    neutral = asked.are("neutral")
    groups = [asked.logits[neutral & (asked.speakers == one)] for one in sorted(set(asked.speakers))]
    within = np.mean([group.var(ddof=1) for group in groups if len(group) > 1])
    return {"n": len(asked.logits), "neutral": neutral.sum(), "mean": asked.logits[neutral].mean(), "within": np.sqrt(within)}


def against_the_graph(clips, clean, model):
    """The shipped graph beside heads.f32 on this code's own features, over all clips."""
    heads = np.fromfile(Path(__file__).resolve().parent / "heads.f32", "<f4").astype(float)
    sizes = np.cumsum([FEATURES, FEATURES, len(emodb.CLASSES) * FEATURES, len(emodb.CLASSES), FEATURES])
    mean, deviation, classes, class_bias, arousal, arousal_bias = np.split(heads, sizes)
    standard = (clean - mean) / deviation
    logits, scores = standard @ arousal + arousal_bias, standard @ classes.reshape(-1, FEATURES).T + class_bias
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    found = [session.run(["probs", "arousal"], {"audio": clip.audio[None]}) for clip in clips]
    graph = np.array([np.log(high / (1 - high)) for _, [high] in found])
    first = np.array([probs[0].argmax() for probs, _ in found])
    off = np.abs(graph - logits)
    return {
        "clips": len(clips),
        "correlation": np.corrcoef(graph, logits)[0, 1],
        "mean off": off.mean(),
        "most off": off.max(),
        "logit's deviation": logits.std(),
        "same first class": (first == scores.argmax(1)).mean(),
    }


def unlabelled(folder, model):
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    for path in sorted(Path(folder).glob("*.wav")):
        audio, rate = soundfile.read(path, dtype="float32")
        if rate != RATE or audio.ndim != 1:
            raise SystemExit(f"{path.name}: {RATE} Hz and one channel are wanted")
        [probs], [arousal] = session.run(["probs", "arousal"], {"audio": audio[None, : 30 * RATE]})
        scaled = probs ** (1 / TEMPERATURE)
        scaled /= scaled.sum()
        yield path.name, {"arousal": arousal, emodb.CLASSES[scaled.argmax()]: scaled.max()}


def show(name, figures):
    print(f"{name:<16}", "  ".join(f"{what} {value:.4g}" for what, value in figures.items()), flush=True)


def main():
    parser = options("Measures the emotion model.")
    parser.add_argument("--model", metavar="FILE", help="emotion.onnx with emotion.bin beside it")
    parser.add_argument("--speech", metavar="DIR", help="recordings without labels: WAV, mono, 16 kHz")
    args = parser.parse_args()
    clips, variants = features.of_corpus(args.emodb, args.weights, args.cache)
    heads = one_left_out(clips, variants)
    asked = {name: ask(heads, clips, rows) for name, rows in variants.items()}
    for part in (discrimination, personal_baseline, calibration):
        print(f"\n{part.__name__.replace('_', ' ')}")
        for name, one in asked.items():
            show(name, part(one))
    print("\nbaseline from clips as they are")
    for name, one in asked.items():
        show(name, personal_baseline(one, asked["clean"]))
    print("\nwindows")
    show("clean", spread(asked["clean"]))
    longer = as_long_as_the_programs(heads, clips, args.weights)
    show("five seconds", {**spread(longer), **discrimination(longer)})
    print("\nwhat no head knows")
    for name in NEVER_HEARD:
        one = in_a_condition_left_out(clips, variants, name)
        show(name, {**arousal_alone(one), **personal_baseline(one)})
    if args.model:
        print("\nagainst the graph")
        show("clean", against_the_graph(clips, variants["clean"], args.model))
    if args.model and args.speech:
        print("\nwithout labels")
        for name, figures in unlabelled(args.speech, args.model):
            show(name, figures)


if __name__ == "__main__":
    main()
