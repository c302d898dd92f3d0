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

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = Path(__file__).resolve().parent
DATA = "emotion.bin"

WIDTH, HEADS, HIDDEN = 512, 8, 2048
LAYERS, POOLED = 3, (2, 3)
MELS, BINS, WINDOW, HOP = 80, 201, 400, 160
POSITIONS = 1500
CLASSES = 5
FEATURES = 2 * WIDTH * len(POOLED)

# The loudness that the heads were trained at, and the floors of Whisper's own front end.
TARGET_RMS, SILENCE = 0.05, 1e-6
POWER_FLOOR, DYNAMIC_RANGE = 1e-10, 8.0

ALIGNMENT = 64
BYTES = {TensorProto.FLOAT: 4, TensorProto.INT8: 1}


class Graph:
    """Collects nodes and initialisers, and a recipe line for every external tensor."""

    def __init__(self):
        self.nodes, self.initialisers, self.recipe = [], [], []
        self.size = 0
        self.known = {}

    def op(self, kind, inputs, outputs=1, domain="", **attributes):
        number = len(self.nodes)
        names = [f"{kind}_{number}_{i}" for i in range(outputs)] if outputs > 1 else [f"{kind}_{number}"]
        self.nodes.append(helper.make_node(kind, inputs, names, name=names[0], domain=domain, **attributes))
        return names if outputs > 1 else names[0]

    def named(self, kind, inputs, output, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def constant(self, value, dtype):
        array = np.asarray(value, dtype)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self.known:
            name = f"constant_{len(self.known)}"
            self.initialisers.append(numpy_helper.from_array(array, name))
            self.known[key] = name
        return self.known[key]

    def number(self, value):
        return self.constant(value, np.float32)

    def ints(self, *values):
        return self.constant(values, np.int64)

    def external(self, kind, source, shape, dtype=TensorProto.FLOAT):
        length = int(np.prod(shape)) * BYTES[dtype]
        tensor = TensorProto(name=f"{kind} {source}".strip(), data_type=dtype, data_location=TensorProto.EXTERNAL)
        tensor.dims.extend(shape)
        for key, value in (("location", DATA), ("offset", self.size), ("length", length)):
            tensor.external_data.add(key=key, value=str(value))
        self.initialisers.append(tensor)
        self.recipe.append((kind, self.size, length, source or "-"))
        self.size += -(-length // ALIGNMENT) * ALIGNMENT
        return tensor.name

    def f32(self, source, *shape):
        return self.external("f32", source, shape)

    def norm(self, x, at):
        scale, shift = self.f32(f"{at}/gamma", WIDTH), self.f32(f"{at}/beta", WIDTH)
        return self.op("LayerNormalization", [x, scale, shift], axis=-1, epsilon=1e-5)

    def linear(self, x, at, rows, columns):
        """x · Wᵀ + b, W in 7 bits a channel: u8 × s8 products of 8-bit weights saturate on CPUs that have AVX2 only."""
        weight = self.external("s7t", f"{at}/weight", (columns, rows), TensorProto.INT8)
        scale = self.external("s7scale", f"{at}/weight", (rows,))
        bias = self.f32(f"{at}/bias", rows)
        return self.op("DynamicQuantizeMatMul", [x, weight, scale, "", bias], domain="com.microsoft")


def same_loudness(g, audio):
    power = g.op("ReduceMean", [g.op("Mul", [audio, audio]), g.ints(1)], keepdims=1)
    level = g.op("Add", [g.op("Sqrt", [power]), g.number(SILENCE)])
    return g.op("Mul", [audio, g.op("Div", [g.number(TARGET_RMS), level])])


def log_mel(g, audio):
    half = WINDOW // 2
    x = g.op("Unsqueeze", [audio, g.ints(1)])
    x = g.op("Pad", [x, g.ints(0, 0, half, 0, 0, half)], mode="reflect")
    x = g.op("Conv", [x, g.external("dft", "", (2 * BINS, 1, WINDOW))], strides=[HOP])
    x = g.op("Slice", [x, g.ints(0), g.ints(-1), g.ints(2)])
    real, imaginary = g.op("Split", [x, g.ints(BINS, BINS)], 2, axis=1)
    power = g.op("Add", [g.op("Mul", [real, real]), g.op("Mul", [imaginary, imaginary])])
    mel = g.op("MatMul", [g.external("mel", "", (MELS, BINS)), power])
    mel = g.op("Log", [g.op("Max", [mel, g.number(POWER_FLOOR)])])
    mel = g.op("Mul", [mel, g.number(1 / np.log(10))])
    loudest = g.op("ReduceMax", [mel, g.ints(1, 2)], keepdims=1)
    mel = g.op("Max", [mel, g.op("Sub", [loudest, g.number(DYNAMIC_RANGE)])])
    return g.op("Mul", [g.op("Add", [mel, g.number(4)]), g.number(0.25)])


def convolutions(g, mel):
    x = mel
    for name, channels, stride in (("conv1", MELS, 1), ("conv2", WIDTH, 2)):
        weight, bias = g.f32(f"encoder/{name}/weight", WIDTH, channels, 3), g.f32(f"encoder/{name}/bias", WIDTH)
        x = g.op("Gelu", [g.op("Conv", [x, weight, bias], pads=[1, 1], strides=[stride])])
    x = g.op("Transpose", [x], perm=[0, 2, 1])
    frames = g.op("Slice", [g.op("Shape", [x]), g.ints(1), g.ints(2)])
    positions = g.f32("encoder/position_encodings/encodings", POSITIONS, WIDTH)
    return g.op("Add", [x, g.op("Slice", [positions, g.ints(0), frames, g.ints(0)])])


def layer(g, x, at):
    y = g.norm(x, f"{at}/self_attention/layer_norm")
    y = g.linear(y, f"{at}/self_attention/linear_0", 3 * WIDTH, WIDTH)
    query, key, value = g.op("Split", [y], 3, axis=-1, num_outputs=3)
    y = g.op("MultiHeadAttention", [query, key, value], domain="com.microsoft", num_heads=HEADS)
    x = g.op("Add", [x, g.linear(y, f"{at}/self_attention/linear_1", WIDTH, WIDTH)])
    y = g.norm(x, f"{at}/ffn/layer_norm")
    y = g.op("Gelu", [g.linear(y, f"{at}/ffn/linear_0", HIDDEN, WIDTH)])
    return g.op("Add", [x, g.linear(y, f"{at}/ffn/linear_1", WIDTH, HIDDEN)])


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
    g = Graph()
    x = convolutions(g, log_mel(g, same_loudness(g, "audio")))
    features = []
    for index in range(LAYERS):
        x = layer(g, x, f"encoder/layer_{index}")
        if index + 1 in POOLED:
            features += pooled(g, x)
    heads(g, g.op("Concat", features, axis=-1))

    def value(name, *shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    outputs = [value("probs", 1, CLASSES), value("arousal", 1), value("emb", 1, FEATURES)]
    graph = helper.make_graph(g.nodes, "emotion", [value("audio", 1, "n")], outputs, g.initialisers)
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, producer_name="calmtrader")
    model.ir_version = 9
    (HERE / "emotion.onnx").write_bytes(model.SerializeToString(deterministic=True))

    lines = [
        "# How emotion.bin is made from Whisper-base's published weights; written by build.py, read by calm-models.",
        "# kind\toffset\tlength\ttensor",
        f"size\t{g.size}",
    ]
    lines += ["\t".join(map(str, line)) for line in g.recipe]
    (HERE / "recipe.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
