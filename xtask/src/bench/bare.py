"""The fixed computation of a check as a bare script: what the check is measured against."""

import torch

a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
b = torch.tensor([[2.0, 0.0], [1.0, 2.0]])
product = a @ b
loss = (product * product).sum()
loss.backward()
assert product.tolist() == [[4.0, 4.0], [10.0, 8.0]]
assert loss.item() == 196.0
assert a.grad.tolist() == [[16.0, 24.0], [40.0, 52.0]]
print(loss.item())
