"""Features of every clip in every variant, computed once and kept in a cache file."""

import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

# Before numpy is loaded. One thread each: the processes share the cores, and sums are made in the same order everywhere.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

import emodb
from augment import JOINED, VARIANTS, one_after_another
from whisper import Encoder, read_weights

SEED = 20_051
PROCESSES = 2


def altered(clips, number, variant):
    """The sound of clip `number` in a variant; the same in every run and in any order.

    A joined one begins with this clip and goes on with others of the same speaker and emotion.
    """
    random = np.random.default_rng([SEED, list(VARIANTS).index(variant), number])
    clip = clips[number]
    audio = clip.audio
    if variant in JOINED:
        others = [one for one in clips if one is not clip and (one.speaker, one.emotion) == (clip.speaker, clip.emotion)]
        order = random.permutation(len(others))
        audio = one_after_another([clip.audio, *(others[index].audio for index in order)], random)
    return VARIANTS[variant](audio, random).astype(np.float32)


def _start(weights, clips):
    global encoder, corpus
    encoder, corpus = Encoder(read_weights(weights)), clips


def _features(task):
    variant, number = task
    return encoder.features(altered(corpus, number, variant))


def of_corpus(folder, weights, cache):
    """Clips, and for each variant an array [clips, 2048]."""
    clips = emodb.read(folder)
    path = Path(cache)
    if path.is_file():
        kept = np.load(path)
        if set(kept.files) == set(VARIANTS) and all(len(kept[name]) == len(clips) for name in kept.files):
            return clips, dict(kept)
    tasks = [(variant, number) for variant in VARIANTS for number in range(len(clips))]
    with ProcessPoolExecutor(PROCESSES, initializer=_start, initargs=(weights, clips)) as pool:
        rows = np.stack(list(pool.map(_features, tasks, chunksize=16)))
    arrays = dict(zip(VARIANTS, np.split(rows, len(VARIANTS))))
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        np.savez(file, **arrays)
    return clips, arrays
