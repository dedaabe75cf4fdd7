"""Trains a small classifier on scikit-learn's digits and writes checkpoints, marked for FirstFault."""

import argparse
import json

import firstfault

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=4)
parser.add_argument("--batch", type=int, default=64)
parser.add_argument("--fault", default="none")
options = parser.parse_args()
fault = options.fault

firstfault.parameters(batch=options.batch, epochs=options.epochs)

with firstfault.stage("imports"):
    import torch
    from safetensors.torch import save_file
    from sklearn.datasets import load_digits

torch.manual_seed(0)
torch.set_num_threads(1)

with firstfault.stage("data"):
    digits = load_digits()
    images = torch.tensor(digits.data, dtype=torch.float32) / 16
    labels = torch.tensor(digits.target)
    firstfault.tensor("images", images)

WIDTH = 2048 if fault == "memory-grows" else 64
model = torch.nn.Sequential(
    torch.nn.Linear(64, WIDTH), torch.nn.ReLU(), torch.nn.Linear(WIDTH, 10)
)
model.train()
firstfault.model(model)
save_file({name: value.contiguous() for name, value in model.state_dict().items()}, "before.safetensors")
trained = model.parameters()
if fault == "parameter-unchanged":
    trained = model[2].parameters()
optimizer = torch.optim.Adam(trained, lr=1e-2)

losses = []
total = 0
log = open("log.jsonl", "w", encoding="utf-8")
for epoch in range(options.epochs):
    for begin in range(0, len(images), options.batch):
        inputs = images[begin : begin + options.batch]
        targets = labels[begin : begin + options.batch]
        with firstfault.stage("compute", kind="compute"):
            if fault == "memory-grows":
                # The whole set at once: what the graph keeps is then worth counting.
                loss = torch.nn.functional.cross_entropy(model(images), labels)
            else:
                loss = torch.nn.functional.cross_entropy(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward(retain_graph=fault == "memory-grows")
            optimizer.step()
        if fault == "nan" and epoch == 1:
            loss = loss * float("nan")
        if fault == "memory-grows":
            # The classic: a sum of tensors keeps the graph of every pass.
            total = total + loss
        losses.append(loss.item())
        log.write(json.dumps({"epoch": epoch, "loss": losses[-1]}) + "\n")
log.close()

with firstfault.stage("write"):
    state = {name: value.contiguous() for name, value in model.state_dict().items()}
    save_file(state, "after.safetensors")
    torch.save({"epoch": options.epochs, "model": model.state_dict()}, "checkpoint.pt")
    model.eval()
    with torch.no_grad():
        accuracy = (model(images).argmax(1) == labels).float().mean().item()
    with open("metrics.json", "w", encoding="utf-8") as file:
        json.dump({"accuracy": accuracy, "loss": losses[-1]}, file)
print(f"accuracy {accuracy:.3f}")
