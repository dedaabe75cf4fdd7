"""A job without PyTorch and without marks that can be stopped and started again: one line after the other."""

import json
import os
import signal
import sys
import time

COUNT, PAUSE = int(sys.argv[1]), float(sys.argv[2])
FAULT = sys.argv[3] if len(sys.argv) > 3 else "none"
OUTPUT = "out.jsonl"
stopping = False


def stop(*_):
    global stopping
    stopping = True


signal.signal(signal.SIGTERM, stop)
signal.signal(signal.SIGINT, stop)
if FAULT == "through-a-link" and not os.path.lexists(OUTPUT):
    os.symlink("elsewhere.jsonl", OUTPUT)
try:
    with open(OUTPUT, "rb") as file:
        text = file.read()
except FileNotFoundError:
    text = b""
whole = text[: text.rfind(b"\n") + 1]
if len(whole) < len(text):
    os.truncate(OUTPUT, len(whole))
done = whole.count(b"\n")
lines = []
with open(OUTPUT, "a", encoding="utf-8") as file:
    for number in range(done, COUNT):
        time.sleep(PAUSE)
        line = json.dumps({"id": number, "value": [number / 7, number * 0.1]}) + "\n"
        if FAULT == "writes-at-the-end":
            lines.append(line)
        else:
            file.write(line)
            file.flush()
        if stopping:
            sys.exit(1)
    file.writelines(lines)
