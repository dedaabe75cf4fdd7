"""A stand-in for PyTorch: for tests of FirstFault alone. It touches no device and proves nothing about a GPU.

What it does stands in the environment variable STAND_IN, as words between commas; what it says of itself in
STAND_IN_VERSION, STAND_IN_CUDA, STAND_IN_HIP, STAND_IN_COUNT, STAND_IN_DEVICE, STAND_IN_UUID and STAND_IN_ARCHITECTURE; what it raises and
prints in STAND_IN_MESSAGE, and under which name in STAND_IN_EXCEPTION. STAND_IN_SLEEP tells seconds to wait at places
(`import=0.1,product=0.2`), and STAND_IN_TIMES a file that counts its imports: with it, STAND_IN_ONLY names those in which the words count.
"""
import os
import sys
import time

_words = [word for word in os.environ.get("STAND_IN", "").split(",") if word]


def _import_number():
    """How often it was imported with this file, this time included."""
    name = os.environ.get("STAND_IN_TIMES")
    if name is None:
        return 0
    with open(name, "ab") as file:
        file.write(b".")
    return os.path.getsize(name)


_number = str(_import_number())
if "STAND_IN_ONLY" in os.environ and _number not in os.environ["STAND_IN_ONLY"].split(","):
    _words = []


def _does(word):
    return word in _words


def _said(name, default):
    return os.environ.get("STAND_IN_" + name, default)


_sleeps = dict(pair.split("=") for pair in _said("SLEEP", "").split(",") if pair)
_message = _said("MESSAGE", "the stand-in was told to fail")


def _hang():
    while True:
        time.sleep(3600)


def _segfault():
    import ctypes

    ctypes.string_at(0)


def _abort_in_c():
    import ctypes

    ctypes.CDLL(None).abort()


def _forge_endlessly():
    worker = _worker()
    event = '{"nonce":"%s","seq":99,"event":"begin","stage":"device","wait":true}\n' % worker.request["nonce"]
    while True:
        os.write(worker._events, event.encode() * 100)


def _flood(descriptor):
    """1 GiB, in lines of all lengths."""
    block = (b"x" * 5000 + b"\n" + b"y" * 70000 + b"\n") * 14
    left = 1 << 30
    while left > 0:
        left -= os.write(descriptor, block)


def _child(new_session):
    """Leaves a process behind that holds every pipe and would stay for an hour."""
    import signal

    if os.fork() == 0:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        if new_session:
            os.setsid()
            if os.fork() != 0:
                os._exit(0)
            os.setsid()
        time.sleep(3600)
        os._exit(0)
    # The child has to be there before anything else happens.
    time.sleep(0.05)


def _worker():
    return sys.modules["__main__"]


def _forged(nonce):
    lines = []
    for number, event in enumerate(
        [
            '"event":"begin","stage":"interpreter"',
            '"event":"end","stage":"interpreter","facts":{"python_version":"9.9.9"}',
            '"event":"done"',
        ]
    ):
        lines.append('{"nonce":"%s","seq":%d,%s}\n' % (nonce, number, event))
    return "".join(lines).encode()


def _at(place):
    """Does what was asked for at this place."""
    deeds = {
        "hang": _hang,
        "abort": os.abort,
        "c-abort": _abort_in_c,
        "segfault": _segfault,
        "exit": lambda: os._exit(0),
        "exit-3": lambda: os._exit(3),
        "sys-exit": lambda: sys.exit(0),
        "interrupt": lambda: (_ for _ in ()).throw(KeyboardInterrupt()),
        "kill": lambda: os.kill(os.getpid(), 9),
        "raise-named": lambda: (_ for _ in ()).throw(type(_said("EXCEPTION", "Odd"), (RuntimeError,), {})(_message)),
        "raise": lambda: (_ for _ in ()).throw(RuntimeError(_message)),
        "raise-import-error": lambda: (_ for _ in ()).throw(ImportError(_message)),
        "raise-os-error": lambda: (_ for _ in ()).throw(OSError(_message)),
        "out-of-memory": lambda: (_ for _ in ()).throw(OutOfMemoryError(_message)),
        "child": lambda: _child(False),
        "escapee": lambda: _child(True),
        "flood-stdout": lambda: _flood(1),
        "flood-stderr": lambda: _flood(2),
        "flood-events": lambda: _flood(_worker()._events),
        "forge-stdout": lambda: os.write(1, _forged(_worker().request["nonce"])),
        "forge-stderr": lambda: os.write(2, _forged(_worker().request["nonce"])),
        "forge-guessed": lambda: os.write(_worker()._events, _forged("0" * 32)),
        "forge-events": lambda: os.write(_worker()._events, _forged(_worker().request["nonce"])),
        "forge-endlessly": _forge_endlessly,
        "torn": lambda: (os.write(_worker()._events, _forged(_worker().request["nonce"])[:60]), os._exit(0)),
        "turned": lambda: (_worker().send("begin", stage="synchronize"), _worker().send("begin", stage="import")),
        "early-done": lambda: (_worker().send("done"), os._exit(0)),
        "print": lambda: (print(_message), print(_message, file=sys.stderr)),
        "warn": lambda: __import__("warnings").warn(_message),
    }
    time.sleep(float(_sleeps.get(place, 0)))
    for word in _words:
        begin, _, deed = word.partition(":")
        if begin == place:
            deeds[deed]()


class OutOfMemoryError(RuntimeError):
    pass


_at("import")


class version:
    cuda = None if _does("cpu-build") or _does("rocm") else _said("CUDA", "12.4")
    hip = _said("HIP", "6.2.41133") if _does("rocm") else None


__version__ = _said("VERSION", "0.0.0")


class backends:
    class mps:
        @staticmethod
        def is_built():
            return False


class _Properties:
    def __init__(self, index):
        if not _does("no-uuid"):
            # The last digits tell the cards of one machine apart.
            self.uuid = _said("UUID", "7d1c2f60-9a4e-4b1d-8c55-0e6f3a2b%04x" % index)
        self.name = _said("DEVICE", "Virtual GPU")
        self.major, self.minor = 9, 0
        self.gcnArchName = _said("ARCHITECTURE", "gfx942:sramecc+:xnack-")
        self.total_memory = 80 << 30


class cuda:
    OutOfMemoryError = OutOfMemoryError

    @staticmethod
    def init():
        _at("device")

    @staticmethod
    def device_count():
        return 0 if _does("no-gpu") else int(_said("COUNT", "1"))

    @staticmethod
    def get_device_properties(index):
        return _Properties(index)

    @staticmethod
    def get_arch_list():
        return [_said("ARCHITECTURE", "gfx942" if _does("rocm") else "sm_90")] * int(_said("COUNT", "1"))

    @staticmethod
    def synchronize(device=None):
        _at("synchronize")


float32 = "torch.float32"


class _Tensor:
    def __init__(self, rows, device, dtype):
        self.rows = rows
        self.device = "cpu" if _does("on-the-cpu") else "cuda:1" if _does("on-another") else device
        self.dtype = "torch.float64" if _does("in-double") else dtype
        self.grad = None

    def _like(self, rows):
        return _Tensor(rows, self.device, self.dtype)

    def __matmul__(self, other):
        receipt = len(self.rows) > 2
        _at("receipt" if receipt else "product")
        columns = list(zip(*other.rows))
        rows = [[sum(x * y for x, y in zip(row, column)) for column in columns] for row in self.rows]
        if receipt:
            if _does("no-receipt"):
                worker = _worker()
                worker.send("end", stage="synchronize", facts={"device": self.device})
                worker.send("done")
                os._exit(0)
            if _does("wrong-receipt"):
                rows[7][3] += 1
            if _does("short-receipt"):
                rows = rows[:-1]
        else:
            if _does("wrong-product"):
                rows[0][0] += 1
            if _does("nan"):
                rows[1][1] = float("nan")
            if _does("infinite"):
                rows[1][1] = float("inf")
        product = self._like(rows)
        product.factors = (self, other)
        return product

    def __mul__(self, other):
        square = self._like([[x * y for x, y in zip(*rows)] for rows in zip(self.rows, other.rows)])
        square.root = self
        return square

    def sum(self):
        total = self._like([[sum(map(sum, self.rows))]])
        total.root = self.root
        return total

    def item(self):
        return self.rows[0][0]

    def backward(self):
        _at("gradient")
        left, right = self.root.factors
        # d/dA sum((A B)^2) = 2 (A B) B^T
        rows = [[2 * sum(x * y for x, y in zip(row, line)) for line in right.rows] for row in self.root.rows]
        if _does("wrong-gradient"):
            rows[1][0] -= 0.5
        left.grad = self._like(rows)

    def tolist(self):
        return self.rows


def tensor(rows, dtype=None, device="cpu", requires_grad=False):
    _at("allocation")
    return _Tensor(rows, device, dtype)
