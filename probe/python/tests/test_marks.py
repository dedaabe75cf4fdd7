"""The marks as a program writes them. `python -m unittest` in this folder's parent; the standard library alone."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def run(program, markers=True, extra=None):
    """Runs a program of its own and gives its marks; None where the file was never made."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "markers.jsonl")
        variables = dict(os.environ, PYTHONPATH=FOLDER, PYTHONDONTWRITEBYTECODE="1")
        variables.pop("FIRSTFAULT_MARKERS", None)
        variables.update(extra or {})
        if markers:
            variables["FIRSTFAULT_MARKERS"] = path
        ended = subprocess.run(
            [sys.executable, "-c", program],
            env=variables,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        if ended.returncode != 0:
            raise AssertionError(ended.stderr.decode())
        if not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]


class Marks(unittest.TestCase):
    def test_outside_nothing_happens_and_nothing_is_imported(self):
        found = run(
            """
import sys, firstfault
with firstfault.stage("compute", kind="compute"):
    pass
@firstfault.stage("x")
def function(a): return a + 1
assert function(1) == 2 and function.__name__ == "function"
firstfault.parameters(batch=8); firstfault.tensor("t", None); firstfault.model(object())
assert "json" not in sys.modules and "firstfault._marks" not in sys.modules
""",
            markers=False,
        )
        self.assertIsNone(found)

    def test_a_stage_has_a_begin_and_an_end_of_the_same_number(self):
        begin, end = run('import firstfault\nwith firstfault.stage("weights"): pass')
        self.assertEqual((begin["event"], end["event"]), ("begin", "end"))
        self.assertEqual((begin["stage"], end["stage"]), ("weights", "weights"))
        self.assertEqual(begin["id"], end["id"])
        self.assertLessEqual(begin["t_ns"], end["t_ns"])
        self.assertEqual((begin["v"], begin["pid"]), (1, end["pid"]))
        if sys.platform == "linux":
            self.assertGreater(begin["resident"], 1_000_000)

    def test_an_exception_leaves_a_stage_unfinished_and_goes_on(self):
        begin, abort = run(
            """
import firstfault
try:
    with firstfault.stage("load"): raise KeyError("secret words")
except KeyError: pass
else: raise SystemExit(1)
"""
        )
        self.assertEqual((abort["event"], abort["exception"]), ("abort", "KeyError"))
        self.assertEqual(begin["id"], abort["id"])
        self.assertNotIn("secret", json.dumps(abort))

    def test_odd_values_disturb_no_program(self):
        found = run(
            """
import firstfault
class Odd:
    shape = property(lambda self: 1 / 0)
    dtype = "f"
    def __str__(self): raise RuntimeError
    def parameters(self): raise ValueError("wait for the first input")
firstfault.tensor("odd", Odd()); firstfault.model(Odd())
firstfault.parameters(small=1, large=10**5000, word="a\\udc80")
for name in (["a"], Odd(), "b\\udc80"):
    with firstfault.stage(name, kind=["k"]): pass
""",
            extra={"RANK": "\u00b2"},
        )
        self.assertEqual(found[0]["values"], {"small": 1, "word": "a?"})
        names = [mark["stage"] for mark in found[1:]]
        self.assertEqual(names, ["['a']", "['a']", "Odd", "Odd", "b?", "b?"])
        self.assertNotIn("rank", found[0])

    @unittest.skipUnless(sys.platform == "linux", "closes what it did not open")
    def test_marks_stay_out_of_the_programs_own_files(self):
        found = run(
            """
import os, firstfault
with firstfault.stage("before"): pass
os.closerange(3, 4096)
files = [open("own%d" % at, "w") for at in range(300)]
with firstfault.stage("after"): pass
if os.fork() == 0:
    with firstfault.stage("child"): pass
    for file in files: file.write("x"); file.close()
    os._exit(0)
assert os.wait()[1] == 0
for file in files: file.close()
assert all(open("own%d" % at).read() == "x" for at in range(300))
"""
        )
        self.assertLessEqual({"after", "child"}, {mark["stage"] for mark in found})

    def test_calls_side_by_side_end_their_own_stages(self):
        found = run(
            """
import asyncio, firstfault
@firstfault.stage("call")
async def call(wait):
    await asyncio.sleep(wait)
    if wait < 0.1: raise KeyError
@firstfault.stage("values")
async def values():
    try:
        got = yield 1
    except KeyError:
        got = "thrown"
    yield got
async def all():
    await asyncio.gather(call(0.2), call(0.01), return_exceptions=True)
    generator = values()
    assert await generator.__anext__() == 1
    assert await generator.asend("sent") == "sent"
    generator = values()
    await generator.__anext__()
    assert await generator.athrow(KeyError()) == "thrown"
    assert [value async for value in values()] == [1, None]
asyncio.run(all())
"""
        )
        numbers = {mark["event"]: mark["id"] for mark in found if mark["stage"] == "call"}
        self.assertEqual((numbers["begin"], numbers["abort"], numbers["end"]), (2, 2, 1))
        values = [mark for mark in found if mark["stage"] == "values"]
        # The first two were left in the middle.
        ended = [mark["id"] for mark in values if mark["event"] == "end"]
        self.assertEqual(ended, [max(mark["id"] for mark in values)])

    def test_functions_of_every_kind_can_be_decorated(self):
        found = run(
            """
import asyncio, firstfault
@firstfault.stage("plain")
def plain(n): return n if n == 0 else plain(n - 1)
@firstfault.stage("generated")
def generated():
    yield 1
@firstfault.stage("later")
async def later(): return 3
assert plain(2) == 0 and list(generated()) == [1] and asyncio.run(later()) == 3
"""
        )
        names = [(mark["event"], mark["stage"]) for mark in found]
        self.assertEqual(names[:6], [("begin", "plain")] * 3 + [("end", "plain")] * 3)
        self.assertEqual([mark["id"] for mark in found[:6]], [1, 2, 3, 3, 2, 1])
        self.assertEqual(names[6:8], [("begin", "generated"), ("end", "generated")])
        self.assertEqual(names[8:], [("begin", "later"), ("end", "later")])

    def test_threads_and_forks_never_mix_their_lines(self):
        found = run(
            """
import os, threading, firstfault
def work():
    for _ in range(300):
        with firstfault.stage("s" * 50): pass
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
child = os.fork()
work()
if child == 0: os._exit(0)
os.waitpid(child, 0)
"""
        )
        self.assertEqual(len(found), 2 * 300 * 6)
        keys = {}
        for mark in found:
            keys.setdefault((mark["pid"], mark["id"]), []).append(mark["event"])
        self.assertEqual(len({pid for pid, _ in keys}), 2)
        self.assertTrue(all(events == ["begin", "end"] for events in keys.values()))

    def test_a_tensor_is_told_by_its_form_and_each_form_once(self):
        found = run(
            """
import firstfault
class Tensor:
    def __init__(self, *shape): self.shape = shape
    dtype, device = "torch.float32", "cuda:0"
for _ in range(3):
    firstfault.tensor("input", Tensor(2, 3))
for size in range(100):
    firstfault.tensor("many", Tensor(size))
firstfault.tensor("none", object())
"""
        )
        self.assertEqual(found[0]["shape"], [2, 3])
        self.assertEqual((found[0]["dtype"], found[0]["device"]), ("float32", "cuda:0"))
        self.assertEqual(len(found), 1 + 16)

    def test_parameters_are_numbers_truth_values_and_short_texts(self):
        (found,) = run(
            'import firstfault\nfirstfault.parameters(batch=8, amp=True, lr=1e-3, mode="x" * 500, bad=object(), nan=float("nan"))'
        )
        self.assertEqual(
            found["values"], {"batch": 8, "amp": True, "lr": 1e-3, "mode": "x" * 120}
        )

    def test_a_rank_is_told(self):
        (found,) = run("import firstfault\nfirstfault.parameters(a=1)", extra={"RANK": "3"})
        self.assertEqual(found["rank"], 3)

    def test_a_file_that_cannot_be_written_disturbs_nobody(self):
        found = run(
            'import firstfault\nwith firstfault.stage("x"): pass',
            markers=False,
            extra={"FIRSTFAULT_MARKERS": "/no/such/folder/markers"},
        )
        self.assertIsNone(found)


class WithTorch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        code = "import torch, sys; sys.exit(0 if hasattr(torch, 'inference_mode') else 1)"
        if subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL).returncode:
            raise unittest.SkipTest("this Python has no PyTorch")

    def test_a_model_is_told_by_its_parameters_and_by_its_mode_in_every_compute_stage(self):
        found = run(
            """
import gc, torch, firstfault
m = torch.nn.Linear(3, 2)
firstfault.model(m)
with firstfault.stage("compute", kind="compute"): m(torch.zeros(1, 3))
m.eval()
with torch.no_grad(), firstfault.stage("compute", kind="compute"): pass
with torch.inference_mode(), firstfault.stage("compute", kind="compute"): pass
del m; gc.collect()
with firstfault.stage("compute", kind="compute"): pass
"""
        )
        model = found[0]
        self.assertEqual((model["parameters"], model["training"]), (8, True))
        self.assertEqual((model["dtypes"], model["devices"]), (["float32"], ["cpu"]))
        modes = [
            (mark.get("training"), mark["grad"], mark["inference"])
            for mark in found
            if mark["event"] == "begin"
        ]
        self.assertEqual(
            modes,
            [
                (True, True, False),
                (False, False, False),
                (False, False, True),
                (None, True, False),
            ],
        )
        self.assertFalse(any("synchronized" in mark for mark in found))


class Cost(unittest.TestCase):
    """The best of many tries: other work on the machine must not count."""

    PROGRAM = """
import time, firstfault
def once():
    began = time.perf_counter()
    for _ in range(2000):
        with firstfault.stage("compute", kind="compute"): pass
    return (time.perf_counter() - began) / 2000 * 1e6
best = min(once() for _ in range(60))
assert best <= LIMIT, best
"""

    def test_a_pair_of_marks_outside_costs_at_most_2_microseconds(self):
        run(self.PROGRAM.replace("LIMIT", "2"), markers=False)

    def test_a_pair_of_marks_inside_costs_at_most_20_microseconds(self):
        run(self.PROGRAM.replace("LIMIT", "20"))


if __name__ == "__main__":
    unittest.main()
