"""Makes the outputs that the benchmark of the contract checks, and checks them as one would in Python.

    python contract.py make FOLDER COUNT
    python contract.py orjson|duckdb|npy|safetensors FOLDER     (prints the seconds of the work, imports apart)
"""
import sys
import time

import numpy as np
import orjson

DIMENSION = 384


def make(folder, count):
    from safetensors.numpy import save_file

    random = np.random.default_rng(0)
    rows = np.empty((count, DIMENSION), dtype=np.float32)
    with open(f"{folder}/in.jsonl", "wb") as source, open(f"{folder}/out.jsonl", "wb") as output:
        for at in range(count):
            row = random.standard_normal(DIMENSION)
            row /= np.linalg.norm(row)
            rows[at] = row
            name = f"doc-{at:06d}"
            source.write(orjson.dumps({"id": name, "text": "x"}) + b"\n")
            output.write(orjson.dumps({"id": name, "embedding": row}, option=orjson.OPT_SERIALIZE_NUMPY) + b"\n")
    np.save(f"{folder}/out.npy", rows)
    save_file({"embeddings": rows}, f"{folder}/out.safetensors")


def ids(folder):
    with open(f"{folder}/in.jsonl", "rb") as source:
        return [orjson.loads(line)["id"] for line in source]


def check_orjson(folder):
    wanted = set(ids(folder))
    seen = set()
    with open(f"{folder}/out.jsonl", "rb") as output:
        for line in output:
            record = orjson.loads(line)
            row = np.array(record["embedding"])
            assert row.shape == (DIMENSION,)
            assert np.isfinite(row).all()
            assert abs(np.linalg.norm(row) - 1) <= 1e-3
            assert record["id"] not in seen
            seen.add(record["id"])
    assert seen == wanted


def check_duckdb(folder):
    import duckdb

    found = duckdb.sql(
        f"""
        with output as (
            select id, len(embedding) as dimension, list_inner_product(embedding, embedding) as square
            from read_json('{folder}/out.jsonl', format = 'newline_delimited',
                           columns = {{id: 'VARCHAR', embedding: 'DOUBLE[]'}})
        ), input as (
            select id from read_json('{folder}/in.jsonl', format = 'newline_delimited', columns = {{id: 'VARCHAR'}})
        )
        select count(*), count(distinct output.id), count(input.id), (select count(*) from input),
               min(dimension), max(dimension), bool_and(isfinite(square)),
               max(abs(sqrt(square) - 1))
        from output left join input on output.id = input.id
        """
    ).fetchall()[0]
    count, distinct, known, wanted, shortest, longest, finite, off = found
    assert count == distinct == known == wanted
    assert shortest == longest == DIMENSION and finite and off <= 1e-3


def check_rows(folder, rows):
    assert len(rows) == len(ids(folder))
    assert rows.shape[1] == DIMENSION
    assert np.isfinite(rows).all()
    assert (abs(np.linalg.norm(rows, axis=1) - 1) <= 1e-3).all()


def check_npy(folder):
    check_rows(folder, np.load(f"{folder}/out.npy"))


def check_safetensors(folder):
    from safetensors.numpy import load_file

    check_rows(folder, load_file(f"{folder}/out.safetensors")["embeddings"])


if sys.argv[1] == "make":
    make(sys.argv[2], int(sys.argv[3]))
else:
    if sys.argv[1] == "duckdb":
        import duckdb  # noqa: F401
    if sys.argv[1] == "safetensors":
        import safetensors.numpy  # noqa: F401
    check = globals()[f"check_{sys.argv[1]}"]
    began = time.perf_counter()
    check(sys.argv[2])
    print(time.perf_counter() - began)
