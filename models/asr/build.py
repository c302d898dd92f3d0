#!/usr/bin/env python3
"""Draws the two graphs of Whisper-base for ONNX Runtime. They hold no weight of Whisper.

    python3 -m pip install -r requirements.txt
    python3 build.py            # writes {encoder,decoder}.onnx and {encoder,decoder}.tsv beside this file

encoder   audio f32[1, n], 16 kHz, n a multiple of 320 and at most 480,000
          -> cross_key_L, cross_value_L f32[1, 8, n / 320, 64] for each of the six layers of the decoder
decoder   ids i64[1, s], positions i64[s], past_{key,value}_L f32[1, 8, p, 64], cross_{key,value}_L
          -> logits f32[1, 51865] of the last id, key_L and value_L f32[1, 8, p + s, 64]

The encoder is in 7 bits a channel, the decoder in 8 bits by blocks of 128; attention is in f32.
"""

import sys
from pathlib import Path

from onnx import TensorProto

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from onnx_graph import (  # noqa: E402
    HEAD, HEADS, HIDDEN, LAYERS, MICROSOFT, WIDTH, Graph, convolutions, encoder_layer, log_mel, value,
)

VOCABULARY, LONGEST_TEXT = 51_865, 448
BLOCK = 128
# A block's 8-bit numbers are stored with this added.
ZERO_POINT = 128
EMBEDDING = "decoder/embeddings"
EVERYTHING = 1 << 40

PAIR = ("key", "value")
HEADER = "How whisper-base-{}.bin is made from Whisper-base's published weights; written by build.py, read by calm-models."


def encoder():
    g = Graph("whisper-base-encoder.bin")
    x = convolutions(g, log_mel(g, "audio"))
    for index in range(LAYERS):
        x = encoder_layer(g, x, f"encoder/layer_{index}")
    x = g.norm(x, "encoder/layer_norm")
    outputs = []
    for index in range(LAYERS):
        # The decoder's layers look at the same sound at every step: their keys and values are made once, here.
        y = g.linear_7(x, f"decoder/layer_{index}/attention/linear_1", 2 * WIDTH, WIDTH)
        y = g.op("Transpose", [g.op("Reshape", [y, g.ints(1, -1, 2 * HEADS, HEAD)])], perm=[0, 2, 1, 3])
        names = [f"cross_{it}_{index}" for it in PAIR]
        g.named("Split", [y], names, axis=1, num_outputs=2)
        outputs += [value(name, 1, HEADS, "frames", HEAD) for name in names]
    return g, [value("audio", 1, "samples")], outputs


def blocks(g, at, rows, columns):
    per_row = columns // BLOCK
    weight = g.external("u8blocks", f"{at}/weight", (rows, per_row, BLOCK), TensorProto.UINT8)
    return weight, g.external("u8blockscale", f"{at}/weight", (rows * per_row,))


def linear_8(g, x, at, rows, columns, bias=True):
    weight, scale = blocks(g, at, rows, columns)
    inputs = [x, weight, scale] + (["", "", g.f32(f"{at}/bias", rows)] if bias else [])
    return g.op(
        "MatMulNBits", inputs, domain=MICROSOFT, K=columns, N=rows, bits=8, block_size=BLOCK, accuracy_level=4
    )


def embedded(g, ids):
    """Rows of the table that also makes the logits."""
    weight, scale = blocks(g, EMBEDDING, VOCABULARY, WIDTH)
    rows = g.op("Cast", [g.op("Gather", [weight, ids], axis=0)], to=TensorProto.FLOAT)
    rows = g.op("Sub", [rows, g.number(ZERO_POINT)])
    scale = g.op("Reshape", [scale, g.ints(VOCABULARY, WIDTH // BLOCK, 1)])
    rows = g.op("Mul", [rows, g.op("Gather", [scale, ids], axis=0)])
    return g.op("Reshape", [rows, g.ints(1, -1, WIDTH)])


def decoder_layer(g, x, index):
    at = f"decoder/layer_{index}"
    y = g.norm(x, f"{at}/self_attention/layer_norm")
    y = linear_8(g, y, f"{at}/self_attention/linear_0", 3 * WIDTH, WIDTH)
    query, key, value_ = g.op("Split", [y], 3, axis=-1, num_outputs=3)
    past = [f"past_{it}_{index}" for it in PAIR]
    y, *_ = g.named(
        "MultiHeadAttention", [query, key, value_, "", "", "", *past],
        [f"heard_{index}", *(f"{it}_{index}" for it in PAIR)], domain=MICROSOFT, num_heads=HEADS, unidirectional=1,
    )
    x = g.op("Add", [x, linear_8(g, y, f"{at}/self_attention/linear_1", WIDTH, WIDTH)])
    query = linear_8(g, g.norm(x, f"{at}/attention/layer_norm"), f"{at}/attention/linear_0", WIDTH, WIDTH)
    y = g.attention(query, *(f"cross_{it}_{index}" for it in PAIR))
    x = g.op("Add", [x, linear_8(g, y, f"{at}/attention/linear_2", WIDTH, WIDTH)])
    y = g.norm(x, f"{at}/ffn/layer_norm")
    y = g.op("Gelu", [linear_8(g, y, f"{at}/ffn/linear_0", HIDDEN, WIDTH)])
    return g.op("Add", [x, linear_8(g, y, f"{at}/ffn/linear_1", WIDTH, HIDDEN)])


def decoder():
    g = Graph("whisper-base-decoder.bin")
    positions = g.f32("decoder/position_encodings/encodings", LONGEST_TEXT, WIDTH)
    x = g.op("Add", [embedded(g, "ids"), g.op("Gather", [positions, "positions"], axis=0)])
    for index in range(LAYERS):
        x = decoder_layer(g, x, index)
    x = g.op("Slice", [x, g.ints(-1), g.ints(EVERYTHING), g.ints(1)])
    logits = linear_8(g, g.norm(x, "decoder/layer_norm"), EMBEDDING, VOCABULARY, WIDTH, bias=False)
    g.named("Squeeze", [logits, g.ints(1)], "logits")

    inputs = [value("ids", 1, "s", dtype=TensorProto.INT64), value("positions", "s", dtype=TensorProto.INT64)]
    outputs = [value("logits", 1, VOCABULARY)]
    for index in range(LAYERS):
        inputs += [value(f"past_{it}_{index}", 1, HEADS, "past", HEAD) for it in PAIR]
        inputs += [value(f"cross_{it}_{index}", 1, HEADS, "frames", HEAD) for it in PAIR]
        outputs += [value(f"{it}_{index}", 1, HEADS, "past + s", HEAD) for it in PAIR]
    return g, inputs, outputs


def main():
    for name, (g, inputs, outputs) in (("encoder", encoder()), ("decoder", decoder())):
        g.write(name, inputs, outputs, HERE / f"{name}.onnx", HERE / f"{name}.tsv", HEADER.format(name))


if __name__ == "__main__":
    main()
