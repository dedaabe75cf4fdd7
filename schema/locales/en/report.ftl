### The words of a report, shared by the terminal and the page.
### Identifiers of codes, fields and layers are never translated; what they mean always is.

## Verdicts, one for each result code
code-gpu-check-passed = The GPU works: product and gradient were verified on it.
code-cpu-check-passed = The CPU computation works. No GPU was asked for, so nothing is said about one.
code-torch-missing = There is no PyTorch in this Python.
code-torch-import-failed = PyTorch is installed, but it does not import.
code-gpu-backend-absent = This PyTorch build has no GPU backend.
code-gpu-unavailable = PyTorch has a GPU backend, but this process cannot use a GPU.
code-device-index-invalid = The requested device index is outside the visible devices.
code-check-failed = The computation ran and gave a wrong result.
code-out-of-memory = The device had no memory for a very small allocation.
code-runtime-error = A backend operation failed on the device.
code-timeout = The check was stopped at its time limit.
code-worker-failed = The worker ended without a usable answer.
code-output-write-failed = The report could not be saved where it was asked for.
code-application-failed = The application failed, crashed or ran out of time.
code-contract-failed = The application ended well, but its outputs break the contract.
code-resume-failed = Outputs were lost, repeated or changed across stop and resume.
code-interpreter-failed = The named Python could not be started.

## Layers, from the interpreter down to the device and up into the application
layer-interpreter = Interpreter
layer-interpreter-meaning = The Python that runs the program: the wrong one, or one that cannot start.
layer-import = Import
layer-import-meaning = PyTorch is there and does not import.
layer-package = Package
layer-package-meaning = The installed build or its libraries do not fit: CPU only, no kernels for this card, another CUDA generation.
layer-driver = Driver
layer-driver-meaning = Kernel driver, firmware, hardware or fabric; or a driver that is too old.
layer-exposure = Exposure
layer-exposure-meaning = The device exists, but not for this process: container, permissions, visibility variables, MIG, compute mode.
layer-allocation = Allocation
layer-allocation-meaning = The first allocation on the device fails.
layer-computation = Computation
layer-computation-meaning = Kernels fail or give wrong results.
layer-synchronization = Synchronization
layer-synchronization-meaning = Errors that arrive late, hangs, and times that were not synchronised.
layer-weights = Weights
layer-weights-meaning = The application’s weights are missing, truncated or foreign.
layer-extension = Extension
layer-extension-meaning = A compiled add-on of the application.
layer-placement = Placement
layer-placement-meaning = Tensors of one operation lie on two devices.
layer-dtype = Number format
layer-dtype-meaning = Number formats that do not fit together.
layer-memory = Memory
layer-memory-meaning = Memory at load, at the first computation, or growing.
layer-data = Data
layer-data-meaning = Loading of data, its workers, shared memory.
layer-output = Output
layer-output-meaning = Outputs are wrong, missing, not finite or repeated.
layer-distribution = Distribution
layer-distribution-meaning = Several GPUs or ranks working together.
layer-resume = Resume
layer-resume-meaning = Stopping cleanly and going on.

## Owners: whose job it is to act
owner-host = Host
owner-host-meaning = whoever runs the machine
owner-image = Image
owner-image-meaning = whoever builds and starts the container or environment
owner-package = Package
owner-package-meaning = whoever installs the packages: another build is needed
owner-program = Program
owner-program-meaning = your own code or settings

## Outcomes of a decision
outcome-passed = passed
outcome-passed-cpu-only = passed, CPU only
outcome-failed = failed
outcome-not-reached = not reached
outcome-not-requested = not requested
outcome-not-proven = not proven

outcome-passed-meaning = It was seen to work.
outcome-passed-cpu-only-meaning = It was seen to work on the CPU, which says nothing about a GPU.
outcome-failed-meaning = It was seen to fail.
outcome-not-reached-meaning = Something before it failed, so it was never tried.
outcome-not-requested-meaning = Nobody asked for it.
outcome-not-proven-meaning = Something claims to have passed, and its receipt is missing or inconsistent.

## Stages of an attempt, in order
stage-interpreter = start the interpreter
stage-import = import PyTorch
stage-backend = read the backend
stage-device = initialise the device
stage-allocation = allocate tensors
stage-product = compute the product
stage-gradient = compute the gradient
stage-synchronize = synchronise the device
stage-application = run the application
stage-output = save the report

## Answers of the second witness, libtorch without Python
witness-agrees = agrees: it saw the same
witness-disagrees = disagrees: it saw something else
witness-incompatible = incompatible: built for other libraries, so it accuses nobody
witness-missing-library = the loader cannot open a library
witness-not-built = this installation has no libtorch worker
witness-not-run = was not asked
witness-no-answer = ended without a usable answer
witness-decided = it decided this attempt itself

## The four decisions
decision-interpreter = Interpreter and import
decision-interpreter-passes = The program’s Python starts and imports PyTorch.
decision-interpreter-fails = The interpreter and its PyTorch installation
decision-interpreter-permits = Reading version and backend of what was really imported
decision-backend = Backend and device
decision-backend-passes = The package has a GPU backend, and the device is usable in this process.
decision-backend-fails = Package, driver, exposure of the GPU (container, permissions), index
decision-backend-permits = Allocating on the wanted GPU
decision-computation = Small computation
decision-computation-passes = Product, gradient and synchronisation of a fixed 2×2 float32 computation are right on that device.
decision-computation-fails = Allocation, kernel or synchronisation error
decision-computation-permits = A reduced input of the application
decision-application = Representative application
decision-application-passes = Your own command, on a small real input, meets its written contract.
decision-application-fails = Weights, extension, number format, memory, wrong output
decision-application-permits = Raising the real work step by step, along one axis

## Kinds of environment, container, backend and host check
environment-venv = virtual environment
environment-conda = conda environment
environment-system = system interpreter
environment-other = other interpreter
container-none = no container
container-docker = Docker
container-podman = Podman
container-kubernetes = Kubernetes
container-apptainer = Apptainer or Singularity
container-lxc = LXC
container-wsl = Windows Subsystem for Linux
container-other = another container
backend-cuda = CUDA
backend-rocm = ROCm
backend-none = none
device-gpu = GPU
device-cpu = CPU
engine-python = Python
engine-libtorch = libtorch
host-status-answered = answered
host-status-not-installed = nvidia-smi is not installed here
host-status-failed = failed without a usable answer
host-status-timed-out = stopped after 3 s
status-passed = passed
status-failed = failed
