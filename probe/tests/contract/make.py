"""Makes the files beside it: small ones, as the real libraries write them. What is not installed is left out.

    python make.py FOLDER

Made with torch 2.13.0, numpy 2.4.6, safetensors 0.8.0, pyarrow 26.0.1, pandas 3.1.1 and duckdb 2.0.1.
"""
import sys
from pathlib import Path

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
IDS = ["doc-0", "doc-1", "grüße"]


def numpy_files():
    import numpy as np
    rows = np.array([[0.6, 0.8], [1.0, 0.0], [np.nan, 1.0]], dtype=np.float32)
    np.save(folder / "c.npy", rows)
    np.save(folder / "fortran.npy", np.asfortranarray(rows))
    np.save(folder / "big_endian.npy", rows.astype(">f8"))
    np.save(folder / "half.npy", rows.astype(np.float16))
    np.save(folder / "objects.npy", np.array([{"a": 1}, None], dtype=object), allow_pickle=True)
    np.savez(folder / "stored.npz", vectors=rows, ids=np.array(IDS))
    np.savez_compressed(folder / "deflated.npz", vectors=np.asfortranarray(rows), ids=np.array(IDS))
    np.savez(folder / "numbers.npz", vectors=rows, ids=np.arange(3))


def parquet_files():
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq
    rows = [[0.6, 0.8], [1.0, None], [float("nan")]]
    table = pa.table({"id": IDS, "tokens": [[1, 2, 3], [4], []],
                      "vector": pa.array(rows, pa.list_(pa.float32()))})
    pq.write_table(table, folder / "pyarrow.parquet", compression="zstd")
    pq.write_table(table, folder / "groups.parquet", row_group_size=1, compression="snappy")
    frame = pd.DataFrame({"id": [0, 1, 2], "score": [0.5, float("inf"), None]})
    frame.to_parquet(folder / "pandas.parquet")
    half = pa.table({"id": IDS, "vector": pa.array([None, [1.0], [2.0]], pa.list_(pa.float64()))})
    pq.write_table(half, folder / "null_row.parquet", compression="none")


def duckdb_files():
    import duckdb
    duckdb.sql(f"""copy (select 'doc-' || i as id, [i, 0.5]::DOUBLE[] as vector from range(3) t(i))
                   to '{folder}/duckdb.parquet' (format parquet)""")


def checkpoints():
    import torch
    torch.manual_seed(0)
    net = torch.nn.ModuleDict({"embed": torch.nn.Embedding(4, 2), "head": torch.nn.Linear(2, 2)})
    optimizer = torch.optim.Adam(net.parameters())
    def save(name, state):
        torch.save(state, folder / name)
    def both(name):
        save(f"{name}.pt", {"epoch": 1, "model": net.state_dict(), "optimizer": optimizer.state_dict(), "loss": 0.5})
    both("start")
    net["head"](net["embed"](torch.tensor([0, 1]))).sum().backward()
    net["embed"].weight.grad = None
    optimizer.step()
    both("embed_stays")
    save("module.pt", net)  # the whole module: a pickle of a class
    shared = torch.arange(12, dtype=torch.float32)
    save("views_start.pt", {"a": shared[:4], "b": shared.view(3, 4).t(), "c": shared[4:8], "half": torch.ones(2, dtype=torch.bfloat16)})
    shared[5] = 99
    save("views_end.pt", {"a": shared[:4], "b": shared.view(3, 4).t(), "c": shared[4:8], "half": torch.ones(2, dtype=torch.bfloat16)})
    state = {"w": torch.ones(3), "mask": torch.tensor([0, -torch.inf]), "count": torch.tensor([1, 2]), "best": torch.tensor(torch.inf)}
    save("mask_start.pt", state)
    save("mask_end.pt", {**state, "w": state["w"] * 2})
    save("nan_end.pt", {name: torch.full_like(tensor, torch.nan) if name == "w" else tensor for name, tensor in state.items()})
    save("infinite_end.pt", {**state, "w": torch.tensor([1, -torch.inf, 2])})
    newer = torch.arange(8)
    save("newer_start.pt", {"u16": newer.to(torch.uint16), "u64": newer.to(torch.uint64), "f8": newer.to(torch.float8_e5m2)})
    newer[7] = 9
    save("newer_end.pt", {"u16": newer.to(torch.uint16), "u64": newer.to(torch.uint64), "f8": newer.to(torch.float8_e5m2)})
    newer_nan = (newer * torch.nan).to(torch.float8_e4m3fn)
    save("newer_nan.pt", {"u16": newer.to(torch.uint16), "u64": newer.to(torch.uint64), "f8": newer_nan})
    save("parameter.pt", {"w": torch.nn.Parameter(torch.ones(2))})
    torch.save({"w": torch.ones(2)}, folder / "legacy.pt", _use_new_zipfile_serialization=False)


def safetensors_files():
    import numpy as np
    from safetensors.numpy import save_file
    rows = np.array([[0.6, 0.8], [1.0, 0.0], [np.inf, 1.0]], dtype=np.float32)
    save_file({"vectors": rows, "ids": np.arange(3), "half": rows.astype(np.float16)}, folder / "rows.safetensors")
    save_file({"w": np.ones(2, np.float32), "b": np.zeros(1, np.float32)}, folder / "start.safetensors")
    save_file({"w": np.full(2, 2, np.float32), "b": np.zeros(1, np.float32)}, folder / "end.safetensors")
    save_file({"w": np.array([2, np.nan], np.float32), "b": np.ones(1, np.float32)}, folder / "nan.safetensors")

for make in (numpy_files, parquet_files, duckdb_files, checkpoints, safetensors_files):
    try:
        make()
    except ImportError as error:
        print(f"{make.__name__}: left out, {error}")
