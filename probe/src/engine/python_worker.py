# The python engine's worker: one fixed computation in the program's own interpreter, each stage announced before it
# is done. Standard library and torch alone; runs on Python 3.8 and later. It judges nothing: the parent does.
import sys

sys.dont_write_bytecode = True
_path = sys.path[:]
if not getattr(sys.flags, "safe_path", False) and _path[:1] == [""]:
    del _path[0]
# The worker's own modules come from the standard library, whatever lies in the program's folder.
_bases = (sys.base_prefix, sys.base_exec_prefix)
sys.path[:] = [p for p in _path if p.startswith(_bases) and "-packages" not in p] or _path

import importlib.machinery
import json
import math
import os
import platform
import time

try:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
except (ImportError, OSError, ValueError):
    pass

# What libraries print must not reach the events, and what they read must not eat the request.
_events = os.dup(1)
os.dup2(2, 1)
_orders = os.dup(0)
_null = os.open(os.devnull, os.O_RDONLY)
os.dup2(_null, 0)
os.close(_null)


def read_line():
    line = bytearray()
    while not line.endswith(b"\n"):
        byte = os.read(_orders, 1)
        if not byte:
            os._exit(0)  # The parent is gone.
        line += byte
    return bytes(line)


def read_request():
    # Nothing is on the way but this one line: it can be taken in blocks.
    line = b""
    while not line.endswith(b"\n"):
        block = os.read(_orders, 65536)
        if not block:
            os._exit(0)
        line += block
    return json.loads(line)


request = read_request()
_seq = 0
_stage = None


def send(event, **more):
    global _seq
    body = {"nonce": request["nonce"], "seq": _seq, "event": event}
    body.update(more)
    data = json.dumps(body, separators=(",", ":")).encode("ascii")
    data = (b"\n" if _seq == 0 else b"") + data + b"\n"
    _seq += 1
    while data:
        data = data[os.write(_events, data):]


def begin(stage, wait=False):
    global _stage
    _stage = stage
    if wait:
        send("begin", stage=stage, wait=True)
        read_line()
    else:
        send("begin", stage=stage)


def end(**facts):
    send("end", stage=_stage, facts=facts)


def show_traceback():
    try:
        sys.excepthook(*sys.exc_info())
    except BaseException:
        pass  # A traceback is for the local log; a module that shadows one of Python's own must not cost the answer.


def fault(exception, message, **facts):
    send("fault", stage=_stage, exception=exception, message=message[:8000], facts=facts)
    sys.stderr.flush()
    os._exit(0)


def text(value):
    return None if value is None else str(value)[:200]


def uuid_of(properties):
    try:
        return text(getattr(properties, "uuid", None))
    except Exception:
        return None  # A card that does not tell is as good as any.


def finite(value):
    value = float(value)
    return value if math.isfinite(value) else None


def numbers(rows):
    return [finite(value) for row in rows for value in row]


def ms(since):
    return (time.perf_counter() - since) * 1000.0


def origin_of(file, folder):
    if not file:
        return None
    place = os.path.abspath(file)
    site = sys.modules.get("site")
    user = getattr(site, "USER_SITE", None)
    if user and place.startswith(user + os.sep):
        return "user_site"
    if "site-packages" in place or "dist-packages" in place:
        return "site_packages"
    if folder is not None and place.startswith(os.path.join(os.path.abspath(folder), "")):
        return "program_directory"
    return "other"


def find_torch(folder):
    """Where an import would take torch from, without importing it."""
    try:
        spec = importlib.machinery.PathFinder.find_spec("torch")
    except Exception:
        return True, None
    if spec is None:
        return False, None
    places = list(spec.submodule_search_locations or ())
    return True, origin_of(spec.origin or (os.path.join(places[0], "x") if places else None), folder)


begin("interpreter")
end(
    python_version=platform.python_version(),
    python_implementation=platform.python_implementation(),
    system=platform.system(),
    architecture=platform.machine(),
)

gpu = request["device"] == "gpu"
index = request["index"]
folder = request["program_folder"]

begin("import")
if getattr(sys.flags, "safe_path", False):
    folder = None
sys.path[:] = _path if folder is None else [folder] + _path
started = time.perf_counter()
try:
    import torch

    import_ms = ms(started)
    version = text(torch.__version__)
    cuda = text(torch.version.cuda)
    hip = text(getattr(torch.version, "hip", None))
    torch.tensor
except BaseException as error:
    show_traceback()
    found, origin = find_torch(folder)
    fault(type(error).__name__, str(error), missing=not found, origin=origin)
end(
    torch_version=version,
    cuda_version=cuda,
    hip_version=hip,
    origin=origin_of(getattr(torch, "__file__", None), folder),
    import_ms=import_ms,
)

try:
    begin("backend")
    others = []
    if getattr(torch.version, "xpu", None) is not None:
        others.append("xpu")
    if getattr(getattr(torch.backends, "mps", None), "is_built", bool)():
        others.append("mps")
    if gpu and cuda is None and hip is None:
        fault("NoBackend", "this build of PyTorch declares neither CUDA nor HIP", other_backends=others)
    end(backend="rocm" if hip is not None else "cuda" if cuda is not None else "none", other_backends=others)

    if gpu:
        begin("device", wait=True)
        # is_available() turns every driver error into False; init() raises the driver's own.
        torch.cuda.init()
        count = torch.cuda.device_count()
        devices = []
        for number in range(count):
            if number >= 16 and number != index:
                continue
            properties = torch.cuda.get_device_properties(number)
            capability = "%d.%d" % (properties.major, properties.minor)
            if hip is not None:
                capability = str(getattr(properties, "gcnArchName", capability)).split(":")[0]
            devices.append(
                {
                    "index": number,
                    "name": text(properties.name),
                    "compute_capability": text(capability),
                    "total_memory_bytes": int(properties.total_memory),
                    "uuid": uuid_of(properties),
                }
            )
        compiled = [text(arch) for arch in torch.cuda.get_arch_list()][:64]
        seen = {"visible_device_count": count, "devices": devices, "compiled_architectures": compiled}
        if count == 0:
            fault("NoDevice", "No CUDA GPUs are available", **seen)
        if index >= count:
            fault("IndexError", "device index %d, but %d visible" % (index, count), **seen)
        end(**seen)
        device = "cuda:%d" % index
    else:
        device = "cpu"

    def synchronize():
        if gpu:
            torch.cuda.synchronize(device)

    begin("allocation", wait=gpu)
    started = time.perf_counter()
    a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float32, device=device, requires_grad=True)
    b = torch.tensor([[2.0, 0.0], [1.0, 2.0]], dtype=torch.float32, device=device)
    synchronize()
    end(device=text(a.device), dtype=text(a.dtype).replace("torch.", ""))

    begin("product")
    product = a @ b
    synchronize()
    end(values=numbers(product.tolist()), device=text(product.device), dtype=text(product.dtype).replace("torch.", ""))

    begin("gradient")
    loss = (product * product).sum()
    loss.backward()
    synchronize()
    end(values=numbers(a.grad.tolist()), loss=finite(loss.item()))

    begin("synchronize")
    synchronize()
    first_pass_ms = ms(started)
    size = request["receipt"]["size"]
    rows = range(0, size * size, size)
    left = torch.tensor([request["receipt"]["left"][row:row + size] for row in rows], dtype=torch.float32, device=device)
    right = torch.tensor([request["receipt"]["right"][row:row + size] for row in rows], dtype=torch.float32, device=device)
    synchronize()
    started = time.perf_counter()
    receipt = left @ right
    synchronize()
    following_pass_ms = ms(started)
    end(
        receipt=numbers(receipt.tolist()),
        device=text(receipt.device),
        first_pass_ms=first_pass_ms,
        following_pass_ms=following_pass_ms,
    )
except BaseException as error:
    show_traceback()
    fault(type(error).__name__, str(error))
send("done")
sys.stderr.flush()
# What a library does at exit is none of the check's business, and can hang.
os._exit(0)
