#!/usr/bin/env python3
"""What the program makes of EMO-DB when its clips come as other people's files do.

    python3 through_calm.py --emodb DIR --calm PROGRAM

Each clip is written with about a second of a quiet room before and after it, at other rates, quieter, and with a breath;
`calm emotion` reads all of them. The heads know these clips, so nothing is said here about how good they are: only
how far the same speech is moved by the file that it comes in.
"""

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import soundfile
from scipy.signal import butter, resample_poly, sosfilt

import emodb
from whisper import RATE

SEED = 20_052
# Shorter than this the program gives no figure; a little less is enough, because it keeps what surrounds the speech.
LONG_ENOUGH = 1.9
# The spread that a personal baseline starts from (calm-voice's baseline.rs).
COMMON_DEVIATION = 1.5


def with_ends(audio, random, breath=False):
    """A second of a quiet room at either end; the peak at −3 dBFS."""
    audio = audio / np.max(np.abs(audio)) * 0.7
    end = lambda: np.zeros(int(random.uniform(0.6, 1.2) * RATE))
    before, after = end(), end()
    if breath:
        air = sosfilt(butter(2, [500, 4_000], "band", fs=RATE, output="sos"), random.standard_normal(RATE // 2))
        before[: len(air)] += air * np.hanning(len(air)) * 0.02 / np.std(air)
    whole = np.concatenate([before, audio, after])
    return whole + random.standard_normal(len(whole)) * 0.0005


def quieter(audio, decibels):
    return audio * 10 ** (-decibels / 20)


# Name: the recording, and its rate.
FILES = {
    "as it is": lambda clip, random: (clip, RATE),
    "ends": lambda clip, random: (with_ends(clip, random), RATE),
    "ends, 48 kHz": lambda clip, random: (resample_poly(with_ends(clip, random), 3, 1), 3 * RATE),
    "ends, 24 kHz, -30 dB": lambda clip, random: (quieter(resample_poly(with_ends(clip, random), 3, 2), 30), 24_000),
    "ends, -45 dB": lambda clip, random: (quieter(with_ends(clip, random), 45), RATE),
    "ends, breath": lambda clip, random: (with_ends(clip, random, breath=True), RATE),
    "ends, 8 kHz": lambda clip, random: (resample_poly(with_ends(clip, random), 1, 2), 8_000),
}


def read(program, folder):
    """The logit of every file that was long enough, by its name."""
    files = sorted(str(path) for path in folder.glob("*.wav"))
    command = [program, "--data-dir", str(folder / "data"), "emotion", "--json", *files]
    told = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "CALM_KEYCHAIN": "off"})
    events = [json.loads(line) for line in told.stdout.splitlines()]
    return {Path(event["file"]).stem: event["arousal_logit"] for event in events}


def main():
    parser = argparse.ArgumentParser(description="Measures how files move the figures of the program.")
    parser.add_argument("--emodb", required=True, metavar="DIR")
    parser.add_argument("--calm", required=True, metavar="PROGRAM")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth clip")
    args = parser.parse_args()
    clips = [clip for clip in emodb.read(args.emodb) if len(clip.audio) >= LONG_ENOUGH * RATE][:: args.every]
    neutral = np.array([clip.emotion == "neutral" for clip in clips])
    logits = {}
    for number, (name, of) in enumerate(FILES.items()):
        with tempfile.TemporaryDirectory() as folder:
            for index, clip in enumerate(clips):
                audio, rate = of(clip.audio.astype(float), np.random.default_rng([SEED, number, index]))
                soundfile.write(Path(folder) / f"{index:04}.wav", audio, rate, "PCM_16")
            found = read(args.calm, Path(folder))
        z = np.array([np.nan if found.get(f"{index:04}") is None else found[f"{index:04}"] for index in range(len(clips))])
        logits[name] = z
        both = ~np.isnan(z) & ~np.isnan(logits["as it is"])
        off = z - logits["as it is"]
        print(
            f"{name:<22} n {len(z)}  with a figure {np.mean(~np.isnan(z)):.3f}  correlation "
            f"{np.corrcoef(z[both], logits['as it is'][both])[0, 1]:.4f}  neutral moved by {np.nanmean(off[neutral]):+.2f}"
            f" ({np.nanmean(off[neutral]) / COMMON_DEVIATION:+.2f} of 1.5)  the rest by {np.nanmean(off[~neutral]):+.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
