"""The marks themselves: one JSON line each, written with one call, so that processes and threads never mix."""

import functools
import inspect
import itertools
import json
import os
import sys
import time
import weakref

_MOST_TEXT = 120
_MOST_SHAPES = 16
_MOST_NAMES = 1000
_FAR = 200
# What was looked at so recently is not looked at again: asking the system costs more than all the rest of a mark.
_FRESH_NS = 100_000

_path = os.environ["FIRSTFAULT_MARKERS"]
_clock = time.monotonic_ns
_write = os.write
_fstat = os.fstat
_pread = getattr(os, "pread", None)
_numbers = itertools.count(1)
_file = -1
_file_id = None
_statm = -1
_statm_id = None
_page = 4096
_resident_text = ""
_resident_until = 0
_ours_until = 0
_who = ""
_models = []
_names = {}
_shapes = {}


def _opened(path, flags):
    """A descriptor and the file that it stands for; -1 where there is none."""
    try:
        descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            # Far from the numbers that the program's own files get.
            import fcntl

            far = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _FAR)
            os.close(descriptor)
            descriptor = far
        except (ImportError, OSError):
            pass
        return descriptor, _identity(descriptor)
    except OSError:
        # A program must run as ever where nothing can be written.
        return -1, None


def _identity(descriptor):
    found = _fstat(descriptor)
    return found.st_ino, found.st_dev


def _is_ours(descriptor, identity):
    """A program may close every descriptor, as daemons do; then its next file gets the number of ours."""
    try:
        return descriptor >= 0 and _identity(descriptor) == identity
    except OSError:
        return False


def _open():
    global _file, _file_id, _statm, _statm_id, _page, _resident_until, _ours_until, _who
    _resident_until = _ours_until = 0
    who = {"pid": os.getpid()}
    rank = os.environ.get("RANK", "")
    if rank.isascii() and rank.isdigit() and len(rank) < 10:
        who["rank"] = int(rank)
    _who = json.dumps(who, separators=(",", ":"))[1:-1]
    if not _is_ours(_file, _file_id):
        _file, _file_id = _opened(_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    # The file of a parent stays the parent's after a fork.
    if _is_ours(_statm, _statm_id):
        os.close(_statm)
    _statm, _statm_id = _opened("/proc/self/statm", os.O_RDONLY)
    try:
        _page = os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        _statm = -1


def _line(text):
    global _ours_until
    now = _clock()
    if now >= _ours_until:
        if not _is_ours(_file, _file_id):
            if _file_id is None:
                return
            _open()
        _ours_until = now + _FRESH_NS
    try:
        _write(_file, text.encode())
    except OSError:
        _ours_until = 0


def _mark(event, **values):
    values = {key: value for key, value in values.items() if value is not None}
    rest = json.dumps(values, separators=(",", ":"))[1:-1]
    _line('{"v":1,"event":"%s","t_ns":%d,%s,%s}\n' % (event, _clock(), _who, rest))


def _text(value):
    """A short text that can be written down, whatever was given."""
    try:
        text = str(value)[:_MOST_TEXT]
    except Exception:
        text = type(value).__name__
    return text.encode("utf-8", "replace").decode()


def _quoted(name):
    # Names are few and are used again and again.
    try:
        return _names[name]
    except Exception:
        quoted = json.dumps(_text(name))
    if isinstance(name, str) and len(_names) < 1000:
        _names[name] = quoted
    return quoted


def _resident(now):
    global _resident_text, _resident_until
    if now < _resident_until:
        return _resident_text
    try:
        if not _is_ours(_statm, _statm_id):
            raise OSError
        pages = int(_pread(_statm, 64, 0).split(None, 2)[1])
        _resident_text = ',"resident":%d' % (pages * _page)
    except (OSError, TypeError, ValueError, IndexError):
        _resident_text = ""
    _resident_until = now + _FRESH_NS
    return _resident_text


def _gpu(synchronise):
    """Memory of the current GPU, and whether it was synchronised; empty where the program uses none."""
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    try:
        if cuda is None or not cuda.is_initialized():
            return ""
        capturing = cuda.is_current_stream_capturing()
    except Exception:
        return ""
    synchronised = False
    if synchronise and not capturing:
        # What is wrong on the device since before shows here, in the program's own words.
        cuda.synchronize()
        synchronised = True
    try:
        return ',"synchronized":%s,"allocated":%d,"reserved":%d,"peak":%d,"device":%d' % (
            "true" if synchronised else "false",
            cuda.memory_allocated(),
            cuda.memory_reserved(),
            cuda.max_memory_allocated(),
            cuda.current_device(),
        )
    except Exception:
        return ""


def _modes():
    """The two switches of gradients, and the mode of the models that are still there."""
    torch = sys.modules.get("torch")
    try:
        text = ',"grad":%s,"inference":%s' % (
            "true" if torch.is_grad_enabled() else "false",
            "true" if torch.is_inference_mode_enabled() else "false",
        )
        training = None
        for reference in _models:
            module = reference()
            if module is not None:
                training = bool(training) or bool(getattr(module, "training", False))
    except Exception:
        return ""
    if training is not None:
        text += ',"training":%s' % ("true" if training else "false")
    return text


class stage:
    """A named step, as a context manager or a decorator."""

    __slots__ = ("_name", "_kind", "_compute", "_open")

    def __init__(self, name, kind=None):
        self._name = _quoted(name)
        self._compute = isinstance(kind, str) and kind == "compute"
        self._kind = "" if kind is None else ',"kind":' + _quoted(kind)
        self._open = []

    def _again(self):
        """The same stage for one call: calls in several threads or tasks must not end each other's."""
        again = stage.__new__(stage)
        again._name, again._kind, again._compute = self._name, self._kind, self._compute
        again._open = []
        return again

    def __enter__(self):
        state = ""
        if "torch" in sys.modules:
            if self._compute:
                state = _modes() + _gpu(True)
            else:
                state = _gpu(False)
        number = next(_numbers)
        self._open.append(number)
        state += _resident(_clock())
        # The time is taken last: reading the state belongs to no stage.
        _line(
            '{"v":1,"event":"begin","t_ns":%d,%s,"id":%d,"stage":%s%s%s}\n'
            % (_clock(), _who, number, self._name, self._kind, state)
        )
        return self

    def __exit__(self, kind, value, traceback):
        number = self._open.pop()
        if kind is not None:
            self._abort(number, kind)
            return None
        state = ""
        if not self._compute or "torch" not in sys.modules:
            now = _clock()
            state = _gpu(False)
        else:
            try:
                state = _gpu(True)
            except BaseException as problem:
                self._abort(number, type(problem))
                raise
            now = _clock()
        _line(
            '{"v":1,"event":"end","t_ns":%d,%s,"id":%d,"stage":%s%s%s}\n'
            % (now, _who, number, self._name, state, _resident(now))
        )
        return None

    def _abort(self, number, kind):
        _line(
            '{"v":1,"event":"abort","t_ns":%d,%s,"id":%d,"stage":%s,"exception":%s}\n'
            % (_clock(), _who, number, self._name, _quoted(kind.__name__))
        )

    def __call__(self, function):
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def wrapped(*arguments, **keywords):
                with self._again():
                    return await function(*arguments, **keywords)

        elif inspect.isasyncgenfunction(function):

            @functools.wraps(function)
            async def wrapped(*arguments, **keywords):
                with self._again():
                    inner = function(*arguments, **keywords)
                    step = inner.__anext__()
                    while True:
                        try:
                            item = await step
                        except StopAsyncIteration:
                            return
                        try:
                            step = inner.asend((yield item))
                        except GeneratorExit:
                            await inner.aclose()
                            raise
                        except BaseException as problem:
                            step = inner.athrow(problem)

        elif inspect.isgeneratorfunction(function):

            @functools.wraps(function)
            def wrapped(*arguments, **keywords):
                with self._again():
                    return (yield from function(*arguments, **keywords))

        else:

            @functools.wraps(function)
            def wrapped(*arguments, **keywords):
                with self._again():
                    return function(*arguments, **keywords)

        return wrapped


def tensor(name, value):
    """Notes shape, number format and device of a tensor or an array; never a value."""
    try:
        shape = [int(size) for size in value.shape]
        dtype = _text(value.dtype).replace("torch.", "", 1)
        device = _text(getattr(value, "device", "cpu"))
    except Exception:
        # Lazy and nested tensors have no shape, and say so in their own ways.
        return
    name = _text(name)
    key = (tuple(shape), dtype, device)
    known = _shapes.get(name, ())
    if key in known or len(known) >= _MOST_SHAPES or len(_shapes) >= _MOST_NAMES:
        return
    _shapes.setdefault(name, set()).add(key)
    _mark("tensor", name=name, shape=shape, dtype=dtype, device=device)


def parameters(**values):
    """Notes parameters of this run: numbers, truth values and short texts."""
    kept = {}
    for name, value in values.items():
        if isinstance(value, float) and value - value != 0:
            continue
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            continue
        if isinstance(value, (bool, int, float)):
            kept[_text(name)] = value
        elif isinstance(value, str):
            kept[_text(name)] = _text(value)
    _mark("parameters", values=kept)


def model(module):
    """Notes a model, whose mode is looked at in every compute stage. The model is not kept alive."""
    count = 0
    dtypes = set()
    devices = set()
    try:
        for parameter in module.parameters():
            count += parameter.numel()
            dtypes.add(str(parameter.dtype).replace("torch.", "", 1))
            devices.add(str(parameter.device))
        training = bool(module.training)
        _models.append(weakref.ref(module))
    except Exception:
        # Parameters that wait for their first input have no number of elements.
        return
    _models[:] = [reference for reference in _models if reference() is not None]
    _mark(
        "model",
        parameters=count,
        dtypes=sorted(dtypes),
        devices=sorted(devices),
        training=training,
    )


_open()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_open)
