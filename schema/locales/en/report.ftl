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
code-application-ended = The command ended by itself; interpreter, device and computation were not checked.

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

## Comparison: verdicts, changes, factors, judgements
layer-application = Application
compare-verdict-better = The candidate is better.
compare-verdict-same = Beyond noise, nothing speaks for either.
compare-verdict-worse = The candidate is worse.
compare-verdict-not-comparable = The two cannot be compared.
obstacle-same-attempt = It is one attempt twice: it says nothing about itself.
obstacle-requested-device = One was asked for the GPU, the other for the CPU: a CPU result says nothing about a GPU.
change-unchanged = unchanged
change-changed = changed
change-better = better
change-worse = worse
change-within-noise = within noise
change-not-comparable = not comparable
incomparable-one-only = recorded in one of the two only
incomparable-not-requested = asked of one of the two only
factor-parameter = parameter
factor-command = command
factor-input = input
factor-model = model
factor-request = requested device
factor-engine = deciding engine
factor-python = Python
factor-package = PyTorch package
factor-environment = kind of environment
factor-container = container
factor-devices = GPU model
factor-driver = driver
factor-system = operating system
factor-tool = version of FirstFault
judgement-one-change = One change at a time?
judgement-scale-up = Ready to scale up?
answer-yes = Yes
answer-no = No
answer-not-shown = Not shown
standing-holds = met
standing-broken = not met
standing-missing = not shown
standing-note = note
one-change-none = Nothing was changed: what differs is noise, or came from outside.
one-change-single = Only one thing was changed: { $factor }. What differs in the results is attributable to it.
one-change-several =
    { $count ->
        [one] One thing was changed.
       *[other] { $count } things were changed at once: nobody knows which of them mattered.
    }
one-change-keep = Keep: { $factor }.
one-change-revert = Take back for now: { $factor }.
ready-device-holds = The small computation passed on the GPU.
ready-device-broken = The small computation did not pass on the GPU.
ready-device-cpu = Only the CPU was asked for: nothing is known about the GPU.
ready-application-missing = The application itself was not run.
ready-contract-holds =
    { $count ->
        [one] The contract holds, on its one point.
       *[other] The contract holds, on all { $count } points.
    }
ready-contract-broken = The application does not meet its contract.
ready-contract-missing = The run has no contract: nobody checked the outputs.
ready-memory-holds = Memory is understood: its peak is known, and it does not grow.
ready-memory-broken = Memory grows from pass to pass.
ready-memory-missing = Memory was not observed.
ready-resume-holds = Stop and resume is clean: nothing lost, repeated or changed.
ready-resume-broken = Stop and resume loses, repeats or changes outputs.
ready-resume-missing = Stop and resume was not tried.
ready-limit-holds = The limit along { $axis } is known: { $value } was good.
ready-limit-broken = No step along { $axis } was good.
ready-limit-missing = The limit was not measured along any axis.
ready-not-worse-holds = The candidate is not worse than the baseline.
ready-not-worse-broken = The candidate is worse than the baseline.
ready-not-worse-missing = The two cannot be compared.
ready-one-change-holds = No more than one thing was changed.
ready-one-change-broken = Several things were changed at once.
compared-parameter = parameter
next-after-cpu = Check the GPU next. This pass says nothing about one.
next-after-cpu-command = firstfault check --output gpu.json
next-after-gpu = Run your own command on a small real input, against a written contract.
next-after-gpu-command = firstfault init
next-after-application = Prove that it stops cleanly and goes on where it was.
next-after-application-command = firstfault resume
next-after-resume = Find the limit along one axis, step by step.
next-after-resume-command = firstfault sweep
next-after-sweep = Raise the real work along that one axis, and stay below the last good step.
next-after-unsaved = Save the report in another place: choose a new file in a folder that you may write to.
action-look = Look at: { $where }.
compared-execution-requested-device = requested device
compared-execution-requested-index = requested index
compared-execution-engine = deciding engine
compared-runtime-python-version = Python version
compared-runtime-python-implementation = Python implementation
compared-runtime-environment = environment
compared-runtime-container = container
compared-runtime-system = system
compared-runtime-architecture = architecture
compared-pytorch-installed-version = installed PyTorch
compared-pytorch-version = imported PyTorch
compared-pytorch-cuda-version = CUDA of the build
compared-pytorch-hip-version = HIP of the build
compared-pytorch-backend = backend
compared-pytorch-compiled-architectures = compiled architectures
compared-pytorch-devices = GPUs
compared-host-driver-version = driver version
compared-tool-version = written by
compared-code = result code
compared-stage = last stage
compared-pytorch-gpu-available = GPU available
compared-pytorch-visible-device-count = visible GPUs
compared-execution-device = device of the result
compared-execution-dtype = number format
compared-execution-product-verified = product verified
compared-execution-gradient-verified = gradient verified
compared-execution-synchronized = synchronised
compared-execution-loss = loss
compared-execution-timings-import-ms = import
compared-execution-timings-first-pass-ms = first pass
compared-execution-timings-following-pass-ms = following pass
compared-libtorch-answer = second witness
compared-libtorch-missing = missing library
compared-diagnosis-layer = first failing layer
compared-diagnosis-owner = whose job it is
compared-diagnosis-signature = fault
compared-application-command = command
compared-application-input-count = examples
compared-application-input-longest = longest example
compared-application-input-digest = digest of the input
compared-application-model-parameters = model parameters
compared-application-model-dtypes = number formats of the model
compared-application-model-devices = devices of the model
compared-application-model-mode = mode of the model
compared-application-last-completed-stage = last completed stage
compared-application-first-fault-layer = first fault: layer
compared-application-first-fault-signature = first fault
compared-application-passes-first-ms = first pass
compared-application-passes-following-median = following passes, median
compared-application-passes-following-p95 = following passes, 95th percentile
compared-application-memory-peak-allocated-bytes = allocated at the peak
compared-application-memory-peak-reserved-bytes = reserved at the peak
compared-application-memory-peak-peak-allocated-bytes = peak of allocated memory
compared-application-memory-peak-resident-bytes = resident memory
compared-application-memory-phase = phase of the peak
compared-application-resume-lost = outputs lost
compared-application-resume-repeated = outputs repeated
compared-application-resume-changed = outputs changed
compared-application-resume-stop-ms = time to stop
incomparable-work = each pass does other work: another input or another tensor shape
