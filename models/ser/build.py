#!/usr/bin/env python3
"""Draws the graph of the emotion model. It holds no weight of Whisper.

    python3 -m pip install -r requirements.txt
    python3 build.py            # writes emotion.onnx and recipe.tsv beside this file

audio f32[1, n], 16 kHz, 8,000 <= n <= 480,000
  -> loudness set to one level -> log-mel (the DFT is a convolution) -> Whisper-base's encoder, first three layers
  -> mean and deviation over time of layers 2 and 3 -> standardised `emb` f32[1, 2048]
  -> `probs` f32[1, 5] (neutral, joy, anger, sadness, fear) and `arousal` f32[1]

Large tensors are ONNX external data in emotion.bin. recipe.tsv says how each of them is made from the published
weights; the crate calm-models follows it on the user's machine. The heads are ours and lie in heads.f32:
mean[2048], deviation[2048], classes[5][2048], class bias[5], arousal[2048], arousal bias[1], little-endian.
"""

import sys
from pathlib import Path

import numpy as np
from onnx import TensorProto

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from onnx_graph import WIDTH, Graph, convolutions, encoder_layer, log_mel, value  # noqa: E402

LAYERS, POOLED = 3, (2, 3)
CLASSES = 5
FEATURES = 2 * WIDTH * len(POOLED)

# The loudness that the heads were trained at.
TARGET_RMS, SILENCE = 0.05, 1e-6

HEADER = "How emotion.bin is made from Whisper-base's published weights; written by build.py, read by calm-models."


def same_loudness(g, audio):
    power = g.op("ReduceMean", [g.op("Mul", [audio, audio]), g.ints(1)], keepdims=1)
    level = g.op("Add", [g.op("Sqrt", [power]), g.number(SILENCE)])
    return g.op("Mul", [audio, g.op("Div", [g.number(TARGET_RMS), level])])


def pooled(g, x):
    frames = g.op("Slice", [g.op("Shape", [x]), g.ints(1), g.ints(2)])
    degrees = g.op("Cast", [g.op("Sub", [frames, g.ints(1)])], to=TensorProto.FLOAT)
    mean = g.op("ReduceMean", [x, g.ints(1)], keepdims=1)
    off = g.op("Sub", [x, mean])
    squares = g.op("ReduceSum", [g.op("Mul", [off, off]), g.ints(1)], keepdims=0)
    variance = g.op("Add", [g.op("Div", [squares, degrees]), g.number(1e-12)])
    return [g.op("Squeeze", [mean, g.ints(1)]), g.op("Sqrt", [variance])]


def heads(g, features):
    values = np.fromfile(HERE / "heads.f32", "<f4")
    sizes = [FEATURES, FEATURES, CLASSES * FEATURES, CLASSES, FEATURES, 1]
    if values.size != sum(sizes):
        raise SystemExit(f"heads.f32 holds {values.size} numbers, {sum(sizes)} expected")
    mean, deviation, classes, class_bias, arousal, arousal_bias = np.split(values, np.cumsum(sizes)[:-1])
    fixed = lambda array, *shape: g.constant(array.reshape(shape), np.float32)
    emb = g.named("Div", [g.op("Sub", [features, fixed(mean, FEATURES)]), fixed(deviation, FEATURES)], "emb")
    scores = g.op("Gemm", [emb, fixed(classes, CLASSES, FEATURES), fixed(class_bias, CLASSES)], transB=1)
    g.named("Softmax", [scores], "probs", axis=-1)
    score = g.op("Gemm", [emb, fixed(arousal, 1, FEATURES), fixed(arousal_bias, 1)], transB=1)
    g.named("Squeeze", [g.op("Sigmoid", [score]), g.ints(1)], "arousal")


def main():
    g = Graph("emotion.bin")
    x = convolutions(g, log_mel(g, same_loudness(g, "audio")))
    features = []
    for index in range(LAYERS):
        x = encoder_layer(g, x, f"encoder/layer_{index}")
        if index + 1 in POOLED:
            features += pooled(g, x)
    heads(g, g.op("Concat", features, axis=-1))
    outputs = [value("probs", 1, CLASSES), value("arousal", 1), value("emb", 1, FEATURES)]
    g.write("emotion", [value("audio", 1, "n")], outputs, HERE / "emotion.onnx", HERE / "recipe.tsv", HEADER)


if __name__ == "__main__":
    main()
