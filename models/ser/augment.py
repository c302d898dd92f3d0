"""Rooms, lines, noises and tempi that EMO-DB's studio does not have, and recordings as long as the program's.

Each takes a recording and a random generator. Gain alone changes nothing, because the model sets the loudness itself;
what an overdriven microphone adds is clipping.
"""

from itertools import cycle

import numpy as np
from scipy.signal import butter, fftconvolve, lfilter, resample_poly, sosfilt

from whisper import RATE


def noise(audio, random, quietest=25.0, loudest=5.0):
    """Noise that falls with frequency, 5 to 25 dB under the speech."""
    hiss = lfilter([1.0], [1.0, -0.9], random.standard_normal(len(audio)))
    ratio = 10 ** (random.uniform(loudest, quietest) / 10)
    return audio + hiss * np.sqrt(np.mean(audio**2) / (np.mean(hiss**2) * ratio))


def line(audio, random):
    """From a telephone's band to a poor headset's."""
    band = [random.uniform(80, 300), random.uniform(3_000, 6_500)]
    return sosfilt(butter(4, band, "band", fs=RATE, output="sos"), audio)


def room(audio, random):
    """A room of 0.2 to 0.6 s: a direct sound and a tail of noise that dies away."""
    decay = random.uniform(0.2, 0.6)
    times = np.arange(int(decay * RATE)) / RATE
    response = random.standard_normal(len(times)) * np.exp(-6.9 * times / decay)
    response[0] = random.uniform(5, 12)
    return fftconvolve(audio, response)[: len(audio)]


def clipping(audio, random):
    """Turned up until the peaks, 6 to 18 dB too high, are cut off."""
    return np.clip(audio / np.max(np.abs(audio)) * 10 ** (random.uniform(6, 18) / 20), -1.0, 1.0)


def tempo(audio, random):
    """Played up to a tenth slower or faster, which moves the pitch as well: another speaker, another rate."""
    percent = int(random.choice([90, 94, 106, 110]))
    return resample_poly(audio, 100, percent)


def ends(audio, random):
    """What the program's voice detector leaves before and after speech: up to 0.3 s of a quiet room."""
    before, after = (np.zeros(int(random.uniform(0.05, 0.3) * RATE)) for _ in range(2))
    return quiet_room(np.concatenate([before, audio, after]), random)


def one_after_another(clips, random):
    """Clips with 0 to 0.4 s between them, until there are 2.6 to 5 s; nothing is longer than 5 s."""
    parts, length, enough = [], 0, random.uniform(2.6, 5.0) * RATE
    for clip in cycle(clips):
        if parts:
            parts.append(np.zeros(int(random.uniform(0.0, 0.4) * RATE)))
        parts.append(clip)
        length += sum(map(len, parts[-2:]))
        if length >= enough:
            return quiet_room(np.concatenate(parts)[: 5 * RATE], random)


def quiet_room(audio, random):
    """A floor 35 to 65 dB under the speech, so that a pause is not digital silence."""
    level = np.sqrt(np.mean(audio**2)) * 10 ** (-random.uniform(35, 65) / 20)
    return audio + random.standard_normal(len(audio)) * level


def elsewhere(audio, random):
    """One of the changes above."""
    changes = [noise, lambda *it: noise(line(*it), random), lambda *it: noise(room(*it), random), clipping, tempo]
    return changes[random.integers(len(changes))](ends(audio, random), random)


VARIANTS = {
    "clean": lambda audio, random: audio,
    "noise": noise,
    "line": lambda audio, random: noise(line(audio, random), random),
    "room": lambda audio, random: noise(room(audio, random), random),
    "clipping": clipping,
    "tempo": tempo,
    "ends": ends,
    # Of several clips of one speaker and emotion.
    "joined": lambda audio, random: audio,
    "joined elsewhere": elsewhere,
}
JOINED = ("joined", "joined elsewhere")
