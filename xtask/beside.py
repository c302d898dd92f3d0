"""Times faster-whisper int8 on one clip; called by xtask/src/beside.rs.

Usage: beside.py WEIGHTS CLIP LANGUAGE. Prints the median of five runs in seconds, after one that warms up.
"""

import statistics
import sys
import time

from faster_whisper import WhisperModel, decode_audio

weights, clip, language = sys.argv[1:]
model = WhisperModel(weights, device="cpu", compute_type="int8", cpu_threads=2)
# As long as what ours was timed on.
samples = decode_audio(clip)[: 10 * 16_000]


def once() -> float:
    start = time.perf_counter()
    segments, _ = model.transcribe(samples, language=language, beam_size=1)
    # Lazy: nothing is transcribed until the segments are read.
    if not "".join(segment.text for segment in segments).strip():
        sys.exit("faster-whisper heard nothing")
    return time.perf_counter() - start


once()
print(statistics.median(once() for _ in range(5)))
