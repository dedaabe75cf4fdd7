"""Sentence embeddings that can be stopped and started again, marked for FirstFault. `--fault` plants exactly one fault."""

import argparse
import json
import os
import signal
import sys
import time
import zlib

import firstfault

parser = argparse.ArgumentParser()
parser.add_argument("--input", default="sentences.jsonl")
parser.add_argument("--output", default="embeddings.jsonl")
parser.add_argument("--batch", type=int, default=4)
parser.add_argument("--pause", type=float, default=0.02, help="seconds that a batch takes at least")
parser.add_argument("--fault", default="none")
options = parser.parse_args()
fault = options.fault

with firstfault.stage("imports"):
    import torch

torch.manual_seed(0)
torch.set_num_threads(1)
stopping = False


def stop(*_):
    """The batch at hand is finished first."""
    global stopping
    stopping = True


signal.signal(signal.SIGTERM, signal.SIG_IGN if fault == "ignores-term" else stop)
signal.signal(signal.SIGINT, stop)

with firstfault.stage("weights"):
    WIDTH = 64
    layer = torch.nn.TransformerEncoderLayer(WIDTH, 4, 128, dropout=0.0, batch_first=True)
    words = torch.nn.Embedding(4096, WIDTH)
    layer.eval()
    words.eval()
firstfault.model(layer)


def finished(path):
    """The identifiers of finished outputs; what was torn off at the end is cut away."""
    try:
        with open(path, "rb") as file:
            text = file.read()
    except FileNotFoundError:
        return []
    whole = text[: text.rfind(b"\n") + 1]
    if len(whole) < len(text):
        os.truncate(path, len(whole))
    return [json.loads(line)["id"] for line in whole.splitlines()]


with firstfault.stage("data"):
    with open(options.input, encoding="utf-8") as file:
        items = [json.loads(line) for line in file]
    done = finished(options.output)
    again = bool(done)
    if again and fault == "crashes":
        raise RuntimeError("the state of an earlier start cannot be read")
    if again and fault == "loses-last":
        with open(options.output, "rb") as file:
            lines = file.readlines()
        with open(options.output, "wb") as file:
            file.writelines(lines[:-1])
    if again and fault == "rewrites-old":
        with open(options.output, encoding="utf-8") as file:
            lines = file.readlines()
        first = json.loads(lines[0])
        first["embedding"][0] += 0.25
        lines[0] = json.dumps(first) + "\n"
        with open(options.output, "w", encoding="utf-8") as file:
            file.writelines(lines)
    if again and fault == "other-values":
        torch.manual_seed(1)
        words = torch.nn.Embedding(4096, WIDTH)
    if again and fault == "begins-anew":
        os.remove(options.output)
        done = []
    known = set(done[:-1] if again and fault == "writes-twice" else done)
    items = [item for item in items if item["id"] not in known]

with open(options.output, "a", encoding="utf-8") as file:
    for begin in range(0, len(items), options.batch):
        batch = items[begin : begin + options.batch]
        began = time.monotonic()
        tokens = [[zlib.crc32(word.encode()) % 4096 for word in item["text"].split()] for item in batch]
        longest = max(map(len, tokens))
        ids = torch.tensor([one + [0] * (longest - len(one)) for one in tokens])
        mask = torch.tensor([[False] * len(one) + [True] * (longest - len(one)) for one in tokens])
        with torch.no_grad(), firstfault.stage("compute", kind="compute"):
            hidden = layer(words(ids), src_key_padding_mask=mask)
            hidden = hidden.masked_fill(mask.unsqueeze(-1), 0.0).sum(1)
            vectors = torch.nn.functional.normalize(hidden, dim=-1)
            time.sleep(max(0.0, options.pause - (time.monotonic() - began)))
        firstfault.tensor("embeddings", vectors)
        for item, vector in zip(batch, vectors.tolist()):
            file.write(json.dumps({"id": item["id"], "embedding": vector}) + "\n")
        file.flush()
        if stopping:
            print("stopped", flush=True)
            sys.exit(0)
print("finished")
