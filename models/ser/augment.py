"""Rooms, lines, noises and tempi that EMO-DB's studio does not have.

Each takes a clip and a random generator. Gain alone changes nothing, because the model sets the loudness itself; what
an overdriven microphone adds is clipping.
"""

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


VARIANTS = {
    "clean": lambda audio, random: audio,
    "noise": noise,
    "line": lambda audio, random: noise(line(audio, random), random),
    "room": lambda audio, random: noise(room(audio, random), random),
    "clipping": clipping,
    "tempo": tempo,
}
