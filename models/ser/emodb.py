"""EMO-DB: which clip is whose, and what was acted in it.

A file's name says it: two characters for the speaker, three for the sentence, one for the emotion, one for the take.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile

from whisper import RATE

CLASSES = ("neutral", "joy", "anger", "sadness", "fear")
EMOTIONS = {"N": "neutral", "F": "joy", "W": "anger", "T": "sadness", "A": "fear", "L": "boredom", "E": "disgust"}
HIGH, LOW = {"joy", "anger", "fear"}, {"neutral", "sadness", "boredom"}
STRESS = {"anger", "fear"}


@dataclass(frozen=True)
class Clip:
    speaker: str
    emotion: str
    audio: np.ndarray


def read(folder):
    """All clips in the order of their names: WAV or FLAC, mono, 16 kHz."""
    files = sorted(path for path in Path(folder).iterdir() if path.suffix.lower() in (".wav", ".flac"))
    if not files:
        raise SystemExit(f"no WAV or FLAC in {folder}")
    return [clip(path) for path in files]


def clip(path):
    if len(path.stem) != 7 or path.stem[5] not in EMOTIONS:
        raise SystemExit(f"{path.name}: not a name of EMO-DB")
    audio, rate = soundfile.read(path, dtype="float32")
    if rate != RATE or audio.ndim != 1:
        raise SystemExit(f"{path.name}: {RATE} Hz and one channel are wanted")
    return Clip(path.stem[:2], EMOTIONS[path.stem[5]], audio)
