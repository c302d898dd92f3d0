#!/usr/bin/env python3
"""Trains the two heads on EMO-DB and writes heads.f32 beside this file; build.py then draws them into the graph.

    python3 train.py --emodb DIR --weights DIR --cache FILE

The packages, the data and the order of steps: README.md.
"""

import argparse
from pathlib import Path

# First: it decides how many threads numpy starts with.
import features  # isort: skip

import numpy as np

from heads import Heads

HERE = Path(__file__).resolve().parent


def options(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--emodb", required=True, metavar="DIR", help="EMO-DB's clips: WAV or FLAC, mono, 16 kHz")
    parser.add_argument("--weights", required=True, metavar="DIR", help="the two packages with Whisper-base's weights")
    parser.add_argument("--cache", required=True, metavar="FILE", help="features are kept here (.npz), and found again")
    return parser


def main():
    args = options("Trains the heads of the emotion model.").parse_args()
    clips, variants = features.of_corpus(args.emodb, args.weights, args.cache)
    emotions = np.array([clip.emotion for clip in clips])
    Heads(list(variants.values()), emotions).write(HERE / "heads.f32")
    print(f"heads.f32: {len(clips)} clips in {len(variants)} variants")


if __name__ == "__main__":
    main()
