"""A training that can be stopped and started again: weights, optimiser, scheduler, random state and position in the data go
into one checkpoint, which is written aside and renamed. Marked for FirstFault. `--fault` plants exactly one fault."""

import argparse
import json
import os
import signal
import sys
import time

import firstfault

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=48)
parser.add_argument("--batch", type=int, default=32)
parser.add_argument("--every", type=int, default=4, help="steps between two checkpoints")
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--dropout", type=float, default=0.1)
parser.add_argument("--optimiser", choices=["adam", "sgd"], default="adam")
parser.add_argument("--pause", type=float, default=0.02, help="seconds that a step takes at least")
parser.add_argument("--padding", type=int, default=0, help="mebibytes added to the checkpoint")
parser.add_argument("--fault", default="none")
options = parser.parse_args()
fault = options.fault
CHECKPOINT = "checkpoint.pt"

firstfault.parameters(batch=options.batch, steps=options.steps)
with firstfault.stage("imports"):
    import torch

torch.manual_seed(options.seed)
torch.set_num_threads(1)
stopping = False


def stop(*_):
    """The step at hand is finished first, and then a checkpoint is written."""
    global stopping
    stopping = True


signal.signal(signal.SIGTERM, signal.SIG_IGN if fault == "ignores-term" else stop)
signal.signal(signal.SIGINT, stop)

with firstfault.stage("data"):
    generator = torch.Generator().manual_seed(options.seed + 1)
    inputs = torch.randn(640, 32, generator=generator)
    teacher = torch.randn(32, 8, generator=generator)
    labels = (inputs @ teacher + 2.0 * torch.randn(640, 8, generator=generator)).argmax(1)
    firstfault.tensor("inputs", inputs)

model = torch.nn.Sequential(
    torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Dropout(options.dropout), torch.nn.Linear(64, 8)
)
model.train()
firstfault.model(model)
if options.optimiser == "adam":
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
else:
    optimiser = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, T_max=options.steps)
data = torch.Generator().manual_seed(options.seed + 2)
order = torch.randperm(len(inputs), generator=data)
position = 0
step = 0


def save():
    state = {
        "step": step,
        "model": model.state_dict(),
        "optimiser": optimiser.state_dict(),
        "scheduler": scheduler.state_dict(),
        "random": torch.get_rng_state(),
        "data": data.get_state(),
        "order": order,
        "position": position,
        "padding": torch.ones(options.padding << 20, dtype=torch.uint8),
    }
    if fault == "writes-in-place":
        torch.save(state, CHECKPOINT)
        return
    aside = CHECKPOINT + ".tmp"
    with open(aside, "wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(aside, CHECKPOINT)


if os.path.exists(CHECKPOINT) and fault != "begins-anew":
    with firstfault.stage("checkpoint"):
        if fault == "crashes":
            raise RuntimeError("Error(s) in loading state_dict for Sequential: size mismatch for 0.weight")
        state = torch.load(CHECKPOINT)
        step = state["step"]
        model.load_state_dict(state["model"])
        if fault != "restarts-optimiser":
            optimiser.load_state_dict(state["optimiser"])
        if fault == "restarts-scheduler":
            for group in optimiser.param_groups:
                group["lr"] = group["initial_lr"]
        else:
            scheduler.load_state_dict(state["scheduler"])
        if fault == "restarts-random":
            torch.manual_seed(options.seed)
        else:
            torch.set_rng_state(state["random"])
        if fault != "restarts-data":
            data.set_state(state["data"])
            order = state["order"]
            position = state["position"]
        if fault == "counts-wrong":
            step -= 1

log = open("log.jsonl", "a" if step else "w", encoding="utf-8", buffering=1)
while step < options.steps:
    began = time.monotonic()
    if position + options.batch > len(inputs):
        order = torch.randperm(len(inputs), generator=data)
        position = 0
    chosen = order[position : position + options.batch]
    with firstfault.stage("compute", kind="compute"):
        loss = torch.nn.functional.cross_entropy(model(inputs[chosen]), labels[chosen])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        scheduler.step()
        time.sleep(max(0.0, options.pause - (time.monotonic() - began)))
    step += 1
    position += options.batch
    log.write(json.dumps({"step": step, "loss": loss.item()}) + "\n")
    if step % options.every == 0 or stopping or step == options.steps:
        save()
    if stopping:
        sys.exit(0)

with firstfault.stage("write"):
    model.eval()
    with torch.no_grad():
        accuracy = (model(inputs).argmax(1) == labels).float().mean().item()
    with open("metrics.json", "w", encoding="utf-8") as file:
        json.dump({"accuracy": accuracy}, file)
print(f"accuracy {accuracy:.3f}")
