"""What the graphs of this folder have in common: nodes, external tensors with their recipe, Whisper's front end.

A graph holds no weight of Whisper. Its large tensors are ONNX external data in a file beside it; the recipe says how
each of them is made from the published CTranslate2 weights, and the crate calm-models follows it on the user's machine.
"""

from dataclasses import dataclass

import numpy as np
from onnx import TensorProto, helper, numpy_helper

# Whisper-base.
WIDTH, HEADS, HIDDEN, LAYERS = 512, 8, 2048, 6
HEAD = WIDTH // HEADS
MELS, BINS, WINDOW, HOP = 80, 201, 400, 160
POSITIONS = 1500

# The floors of Whisper's own front end.
POWER_FLOOR, DYNAMIC_RANGE = 1e-10, 8.0

MICROSOFT = "com.microsoft"
ALIGNMENT = 64
BYTES = {TensorProto.FLOAT: 4, TensorProto.INT8: 1, TensorProto.UINT8: 1}


@dataclass
class External:
    """A tensor in the file beside the graph, and the line of the recipe that makes it."""

    kind: str
    source: str
    offset: int
    length: int


class Graph:
    """Collects nodes and initialisers, and a recipe line for every external tensor."""

    def __init__(self, data):
        self.data = data
        self.nodes, self.initialisers = [], []
        self.size = 0
        self.constants, self.externals = {}, {}

    def op(self, kind, inputs, outputs=1, domain="", **attributes):
        number = len(self.nodes)
        names = [f"{kind}_{number}_{i}" for i in range(outputs)] if outputs > 1 else [f"{kind}_{number}"]
        self.nodes.append(helper.make_node(kind, inputs, names, name=names[0], domain=domain, **attributes))
        return names if outputs > 1 else names[0]

    def named(self, kind, inputs, outputs, domain=None, **attributes):
        """A node whose outputs have names that the program uses."""
        outputs = [outputs] if isinstance(outputs, str) else outputs
        self.nodes.append(helper.make_node(kind, inputs, outputs, name=outputs[0], domain=domain, **attributes))
        return outputs[0] if len(outputs) == 1 else outputs

    def constant(self, value, dtype):
        array = np.asarray(value, dtype)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self.constants:
            name = f"constant_{len(self.constants)}"
            self.initialisers.append(numpy_helper.from_array(array, name))
            self.constants[key] = name
        return self.constants[key]

    def number(self, value):
        return self.constant(value, np.float32)

    def ints(self, *values):
        return self.constant(values, np.int64)

    def external(self, kind, source, shape, dtype=TensorProto.FLOAT):
        name = f"{kind} {source}".strip()
        if name in self.externals:
            return name
        length = int(np.prod(shape)) * BYTES[dtype]
        tensor = TensorProto(name=name, data_type=dtype, data_location=TensorProto.EXTERNAL)
        tensor.dims.extend(shape)
        for key, value in (("location", self.data), ("offset", self.size), ("length", length)):
            tensor.external_data.add(key=key, value=str(value))
        self.initialisers.append(tensor)
        self.externals[name] = External(kind, source or "-", self.size, length)
        self.size += -(-length // ALIGNMENT) * ALIGNMENT
        return name

    def f32(self, source, *shape):
        return self.external("f32", source, shape)

    def norm(self, x, at):
        scale, shift = self.f32(f"{at}/gamma", WIDTH), self.f32(f"{at}/beta", WIDTH)
        return self.op("LayerNormalization", [x, scale, shift], axis=-1, epsilon=1e-5)

    def linear_7(self, x, at, rows, columns):
        """x · Wᵀ + b, W in 7 bits a channel: u8 × s8 products of 8-bit weights saturate on CPUs that have AVX2 only."""
        weight = self.external("s7t", f"{at}/weight", (columns, rows), TensorProto.INT8)
        scale = self.external("s7scale", f"{at}/weight", (rows,))
        bias = self.f32(f"{at}/bias", rows)
        return self.op("DynamicQuantizeMatMul", [x, weight, scale, "", bias], domain=MICROSOFT)

    def attention(self, query, key, value):
        return self.op("MultiHeadAttention", [query, key, value], domain=MICROSOFT, num_heads=HEADS)

    def write(self, name, inputs, outputs, graph_file, recipe_file, header):
        graph = helper.make_graph(self.nodes, name, inputs, outputs, self.initialisers)
        opsets = [helper.make_opsetid("", 20), helper.make_opsetid(MICROSOFT, 1)]
        model = helper.make_model(graph, opset_imports=opsets, producer_name="calmtrader")
        model.ir_version = 9
        graph_file.write_bytes(model.SerializeToString(deterministic=True))
        lines = [f"# {header}", "# kind\toffset\tlength\ttensor", f"size\t{self.size}"]
        lines += [f"{it.kind}\t{it.offset}\t{it.length}\t{it.source}" for it in self.externals.values()]
        recipe_file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def value(name, *shape, dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


def log_mel(g, audio):
    """f32[1, n] -> f32[1, 80, n / 160], as Whisper hears it; the Fourier transform is a convolution."""
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
    """-> f32[1, n / 320, 512] with the encoder's positions added."""
    x = mel
    for name, channels, stride in (("conv1", MELS, 1), ("conv2", WIDTH, 2)):
        weight, bias = g.f32(f"encoder/{name}/weight", WIDTH, channels, 3), g.f32(f"encoder/{name}/bias", WIDTH)
        x = g.op("Gelu", [g.op("Conv", [x, weight, bias], pads=[1, 1], strides=[stride])])
    x = g.op("Transpose", [x], perm=[0, 2, 1])
    frames = g.op("Slice", [g.op("Shape", [x]), g.ints(1), g.ints(2)])
    positions = g.f32("encoder/position_encodings/encodings", POSITIONS, WIDTH)
    return g.op("Add", [x, g.op("Slice", [positions, g.ints(0), frames, g.ints(0)])])


def encoder_layer(g, x, at):
    y = g.norm(x, f"{at}/self_attention/layer_norm")
    y = g.linear_7(y, f"{at}/self_attention/linear_0", 3 * WIDTH, WIDTH)
    y = g.attention(*g.op("Split", [y], 3, axis=-1, num_outputs=3))
    x = g.op("Add", [x, g.linear_7(y, f"{at}/self_attention/linear_1", WIDTH, WIDTH)])
    y = g.norm(x, f"{at}/ffn/layer_norm")
    y = g.op("Gelu", [g.linear_7(y, f"{at}/ffn/linear_0", HIDDEN, WIDTH)])
    return g.op("Add", [x, g.linear_7(y, f"{at}/ffn/linear_1", WIDTH, HIDDEN)])
