"""Needs memory that grows with `--batch`, and answers each item of its input. Without PyTorch; goes on where it was stopped.

`--each` MiB for each of the batch, `--power` 2 for its square; `--fault NAME --at N` plants a fault from batch N on.
"""

import argparse
import json
import os
import signal
import sys
import time

import firstfault

MIB = 1024 * 1024
parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=float, required=True)
parser.add_argument("--each", type=float, default=0)
parser.add_argument("--power", type=float, default=1)
parser.add_argument("--pause", type=float, default=0, help="seconds for each pass")
parser.add_argument("--fault", default="none")
parser.add_argument("--at", type=float, default=0)
options = parser.parse_args()
fault = options.fault if options.batch >= options.at else "none"

if fault == "stubborn":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)

with open("items.jsonl", encoding="utf-8") as file:
    items = [json.loads(line)["id"] for line in file]
done = set()
if os.path.exists("answers.jsonl"):
    with open("answers.jsonl", encoding="utf-8") as file:
        done = {json.loads(line)["id"] for line in file}
items = [item for item in items if item not in done]

size = max(1, int(options.batch))
with open("answers.jsonl", "a", encoding="utf-8") as file:
    for begin in range(0, len(items), size):
        with firstfault.stage("compute", kind="compute"):
            # Memory that is really touched, piece by piece.
            pieces = []
            for _ in range(int(options.each * options.batch**options.power)):
                pieces.append(bytearray(b"x") * MIB)
            time.sleep(options.pause)
            if fault in ("hang", "stubborn"):
                time.sleep(600)
            if fault == "error":
                raise ValueError("this batch is too much")
        for item in items[begin : begin + size]:
            if fault == "lose" and item == items[-1]:
                continue
            file.write(json.dumps({"id": item, "value": [1.0, 2.0]}) + "\n")
            file.flush()
print(f"{len(items)} answers")
sys.exit(0)
