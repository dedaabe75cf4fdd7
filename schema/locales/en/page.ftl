### Words of the page.
start-sentence = Find the first failing layer between a PyTorch program and its GPU.
drop-hint = Drop reports here, as many as you like.
drop-now = Drop to open
open-reports = Choose reports
open-more = Open
private = Nothing you open leaves this browser.
private-why = This page’s own policy forbids it to load or send anything; it works with the network unplugged.
skip = Skip to the content
language = Language
dark = Dark
nav-label = Open reports
nav-all =
    { $count ->
        [one] One report
       *[other] All { $count }
    }
nav-compare = Compare
examples-heading = No report at hand?
examples-gallery = Open the fault gallery: one report per layer
example-fault = A driver that is too old
example-fault-about = One report: the first failing layer, whose job it is, what to do first.
example-compare = A smaller number format
example-compare-about = Two attempts side by side: one change, better, worse or noise.
example-application = Outputs that are not finite
example-application-about = An application that ends well and breaks its contract.
example-limit = Up to the margin
example-limit-about = The operating range along one axis: where it stays safe, and from where on more brings nothing.
log-heading = Or paste a log
log-hint = A traceback, a job’s output, the text of collect_env. The first cause is named, not its consequences.
log-explain = Explain
log-faults =
    { $count ->
        [0] No known fault is told in this text.
        [one] One fault is told in this text.
       *[other] { $count } faults are told in this text, the first cause first.
    }
log-line = line { $line }
reading = Reading files: { $read } of { $chosen }
notices-heading = Not opened
notices-dismiss = Dismiss
notices-more =
    { $count ->
        [one] And one more file.
       *[other] And { $count } more files.
    }
notice-huge = has { $found } and was not read: files above { $limit } are never reports.
notice-folder = is a folder. Please choose or drop the files in it.
notice-unreadable = could not be read. It may have been moved, or this browser may not read it.
notice-empty-page = is a FirstFault page that carries no reports.
notice-foreign-page = is a web page, but not one of FirstFault, or it is damaged.
notice-already-open = is open already.
notice-empty = is empty.
notice-too-large = has { $found }; a report has at most { $limit }.
notice-truncated = ends in the middle, in line { $line }: it was cut off. Please copy it again.
notice-not-json = is not JSON: line { $line }, column { $column }. For a log, use the box on the start page.
notice-foreign = is JSON, but not a FirstFault report.
notice-too-new = was made by a newer version: format { $found }, and this page reads up to { $supported }. Please use a newer page.
notice-bad-version = names no version that is a number.
notice-shape = has a field that is missing or of the wrong kind:
notice-rule = contradicts itself:
copy = Copy
copied = Copied
copy-refused = The browser does not allow it. Please copy by hand:
copy-by-hand = Text to copy
copy-markdown = Copy as Markdown
copy-ticket = Copy ticket for the host
copy-json = Copy as JSON
print = Print
compare-this = Compare with another
close-report = Close this report
close-all = Close all
text-show-all = Show all { $count } characters
exit-code = exit { $code }
checked-gpu = GPU { $index } demanded
checked-cpu = CPU demanded
heading-layers = Layers
first-fault-here = First failing layer: { $layer }.
heading-first-action = Do this first
heading-next-step = Next step
whose-job = Whose job:
misleads = What misleads here:
more-actions =
    { $count ->
        [one] One more action
       *[other] { $count } more actions
    }
other-candidates = The same evidence would also fit
heading-decisions = Four decisions
decision-control = Control
decision-outcome = Outcome
decision-if-fails = If it fails, look at
decision-permits = A pass permits
heading-evidence = Evidence
heading-witnesses = Two witnesses
witness-second = The second witness, libtorch without Python:
facts-diagnosis = What the judgement rests on
facts-pytorch = PyTorch
facts-devices = GPUs that this process sees
facts-system = Interpreter and system
facts-host = Host
facts-parameters = Declared parameters
field-layer = First failing layer
field-signature = Fault
field-message = Message
field-pytorch-version = Imported version
field-installed-version = Installed version
field-backend = Backend
field-cuda-version = CUDA of the build
field-hip-version = HIP of the build
field-gpu-available = GPU available
field-visible-devices = Visible GPUs
field-architectures = Compiled architectures
field-device = GPU { $index }
field-identity = Card (salted hash)
field-python = Python
field-environment = Environment
field-system = System
field-container = Container
field-host-status = nvidia-smi
field-host-gpu = GPU of the host
field-driver-version = Driver
field-result-device = Device of the result
field-product = Product right
field-gradient = Gradient right
field-synchronized = Synchronised, receipt right
field-loss = Loss (196 is right)
field-import-time = Import or load
field-first-pass = First pass
field-following-pass = Following pass
field-cpu-control = Control on the CPU exact
field-gpu-hooks = GPU library loaded
field-missing-library = Missing
value-missing = –
value-true = yes
value-false = no
memory-used-of = { $used } of { $total } used
memory-by-processes = { $size } by processes that the driver names
heading-proofs = What this proves, and what it does not
heading-proves = Proves
heading-open = Does not prove
proves-nothing = Nothing was seen to work.
proves-import = The program’s Python starts and imports PyTorch.
proves-backend = The GPU can be initialised in this process.
proves-computation = A small computation and its gradient were right on that GPU, and it was synchronised.
proves-computation-cpu = A small computation and its gradient were right on the CPU.
proves-application = The command met its written contract on this input.
proves-resume = The command stops and goes on cleanly.
proves-limit = The limit along one axis was measured, step by step.
proves-first-fault = This layer fails, and it is the first that does.
open-gpu = Anything about CUDA, ROCm or a GPU.
open-application = That your own program works.
open-later-layers = That later layers are sound: they were not reached.
open-full-size = Memory at full size.
open-speed = The speed of a model.
open-extensions = Compiled extensions that were not used.
open-several-gpus = Several GPUs working together.
heading-tools = Take it with you
every-field = Every recorded field
compare-baseline = Baseline
compare-candidate = Candidate
compare-swap = Swap
compare-open = Open this report
compare-field = Field
compare-change = Change
heading-configuration = Configuration
heading-results = Results
configuration-same = No difference in the configuration.
results-same = No difference in the results.
unchanged-count =
    { $count ->
        [one] One field unchanged, show it
       *[other] { $count } fields unchanged, show them
    }
many-heading =
    { $count ->
        [one] One report
       *[other] { $shown } reports
    }
many-groups = Reports by first failing layer
many-search = Filter by label, code, GPU, driver
many-matching =
    { $count ->
        [one] One fits
       *[other] { $shown } fit
    }
many-none = No report fits. Try fewer words.
many-more =
    { $count ->
        [one] Show one more
       *[other] Show more ({ $shown } hidden)
    }
column-label = Label
column-code = Code
column-device = GPU
column-driver = Driver
column-pytorch = PyTorch
column-started = Started
heading-dossier = Application
heading-contract = Contract, point by point
contract-none = The run had no contract: nobody checked its outputs.
contract-met =
    { $of ->
        [one] { $met } of one point is met.
       *[other] { $met } of { $of } points are met.
    }
contract-hints =
    { $count ->
        [one] A hint stands beside them, on how near the input comes to that of the final work. It demands nothing.
       *[other] { $count } hints stand beside them, on how near the input comes to that of the final work. They demand nothing.
    }
contract-hint = a hint, no demand
contract-point = Point
contract-expected = Demanded
contract-found = Found
contract-broken =
    { $count ->
        [one] one item breaks it
       *[other] { $count } items break it
    }
contract-output-count = Number of outputs
contract-each-id-once = Each identifier once
contract-dimension = Dimension of each output
contract-all-finite = All values finite
contract-unit-norm = Norm of each output
contract-input-readable = The input can be read
contract-input-ids-unique = Identifiers of the input differ
contract-representative-longest = Longest example, against the final work
contract-representative-count = Number of examples, against the final work
contract-output-written = Outputs written by this run
contract-well-formed = Every record can be read
contract-ids-missing = Identifiers lost
contract-ids-repeated = Identifiers repeated
contract-ids-unknown = Identifiers that the input does not have
contract-value-range = Range of the values
contract-metric = Metric
contract-loss-finite = Every loss finite
contract-parameters-changed = Parameters that changed
contract-parameters-kept = Parameters that stayed
contract-parameters-finite = Parameters that are finite
contract-checkpoint-opens = Checkpoints can be opened
contract-model-mode = Mode of the model
contract-stages-ended = Stages that ended
contract-word-missing = missing
contract-word-older-than-run = older than this run
contract-word-not-a-file = not a file
contract-word-empty = empty
contract-word-unreadable = cannot be read
contract-word-wrong-format = another format
contract-word-truncated = ends in the middle
contract-word-too-long = too long to be read
contract-word-not-utf8 = not UTF-8
contract-word-no-id = no identifier
contract-word-no-field = no such field
contract-word-wrong-type = another type
contract-word-duplicate-key = the same key twice
contract-word-not-finite = not finite
contract-word-blank = an empty cell (blank = "skip" in the contract passes over those)
contract-word-corrupt = checksum does not match
contract-word-different-shapes = other names or shapes
contract-word-lfs-pointer = a git-lfs pointer instead of the file
contract-word-not-told = not told
contract-word-evaluation = evaluation
contract-word-training = training
field-command = Command
field-first-fault = First fault
field-last-stage = Last completed stage
field-input-count = Examples in the input
field-input-longest = Longest example
field-input-digest = Digest of the input (start)
field-model-parameters = Model parameters
field-model-dtypes = Number formats
field-model-devices = Devices of the model
field-model-mode = Mode
field-pass-first = First pass
field-pass-following = Following passes
passes-following = { $count } passes: median { $median }, { $min } to { $max }, 95 % within { $p95 }
field-memory-peak = Most memory
field-memory-phase = When it was reached
memory-allocated = { $size } allocated by tensors
memory-reserved = { $size } reserved by the allocator
memory-resident = { $size } resident
mode-training = training
mode-evaluation = evaluation
phase-load = at load
phase-first-computation = at the first computation
phase-plateau = on a plateau: it does not grow
phase-growth = growing to the end
heading-timeline = Stages and memory over time
timeline-alternative = Time axis with one bar per stage and the memory above it; the same as a list below.
stage-bar = { $name }, pass { $pass }: began at { $began }, { $duration }
stage-never-ended = never ended
legend-allocated = allocated by tensors
legend-reserved = reserved by the allocator
legend-resident = resident memory
as-table = As a list
heading-resume = Stop and resume
resume-finding-clean = Stopped in time, went on where it was: nothing was lost, repeated or changed.
resume-finding-ended-before = It ended by itself before it could be stopped: nothing is proven.
resume-finding-did-not-stop = It did not stop in the time that it was given, and had to be killed.
resume-finding-checkpoint-damaged = A checkpoint could not be opened after the stop.
resume-finding-continuation-failed = The second start failed, crashed or ran out of time.
resume-finding-outputs-lost = Outputs were lost.
resume-finding-outputs-repeated = Outputs are there twice.
resume-finding-outputs-changed = Outputs from before the stop were changed.
resume-finding-outputs-differ = Outputs differ from those of a run without a stop.
resume-finding-training-diverged = After resuming, the loss differs from that of a training without a stop.
resume-finding-contract-broken = After resuming, the outputs break the contract in another point.
resume-finding-began-anew = The second start did all the work once more: a restart, no continuation. Nothing is proven.
resume-unclean = Stopping and resuming is not clean.
resume-signal = Stopped by
resume-stopped-at = Stopped at
trigger-stage = stage { $value }
trigger-pass = pass { $value }
trigger-outputs = { $value } outputs
trigger-seconds = { $value } s
trigger-checkpoint = the writing of a checkpoint
resume-stop = Time to stop
time-of = { $time } of { $limit }
resume-ending = How it ended
ending-exited = by itself, exit code { $detail }
ending-signalled = by { $detail }
ending-timed-out = at the time limit
ending-interrupted = by Ctrl-C
ending-not-started = it could not be started
ending-lost = nobody knows
resume-what = What
resume-reference = Without a stop
resume-before = At the stop
resume-after = After resuming
resume-outputs = Outputs
resume-passes = Passes
resume-lost = Lost
resume-repeated = Repeated
resume-changed = Changed
resume-different = Different
resume-unknown = Unknown
resume-meaning-lost = there without a stop, missing after resuming
resume-meaning-repeated = there twice
resume-meaning-changed = written before the stop, another afterwards
resume-meaning-different = written after the stop, another than without one
resume-meaning-unknown = a run without a stop does not have it
resume-not-compared = not compared
resume-tolerance = tolerance { $value }
resume-examples = For example
heading-loss = Training after resuming
loss-chart = Loss over the steps
loss-reference = without a stop
loss-resumed = resumed
loss-moment = resumed here
loss-hint = A hint, not a verdict:
loss-shape-jump = the loss jumps, over the same data. Look first at the state of the optimiser and of the random numbers.
loss-shape-drift = the loss goes another way, as over other data. Look first at the position in the data.
loss-shape-offset = the loss runs alike, some steps off. Look first at the step count of the scheduler.
loss-steps = Steps without a stop · resumed
loss-resumed-at = First step after resuming
loss-differing = Steps that differ
loss-largest = Largest difference
loss-first-differs = The first step differs already
heading-checkpoints = Would the checkpoints outlive process and host?
checkpoint = Checkpoint
checkpoint-outlives = Outlives the host
checkpoint-at-once = Replaced in one step
checkpoint-opened = Opens after SIGKILL
checkpoint-while-writing = killed while it was written
checkpoint-not-tried = not tried
checkpoint-space = Size × copies
checkpoint-size = { $size } × { $copies }
checkpoint-free = { $size } free
heading-tensors = Tensors
tensor-name = Name
tensor-shape = Shape
tensor-dtype = Number format
tensor-device = Device
heading-sweep = Operating range
verdict-left-out = Interpreter, device and computation were not checked.
sweep-good = Along { $axis }, { $value } is the last good step.
sweep-none-good = Along { $axis }, no step was good.
sweep-bad = { $value } was bad: { $why }.
sweep-refused = { $value } was refused before its start: { $why }.
sweep-ended = Then it ended: { $why }.
sweep-ended-all-good = every planned step was good, the limit lies beyond
sweep-ended-margin = it would not leave the demanded margin
sweep-ended-out-of-memory = memory ran out
sweep-ended-application-failed = the command failed
sweep-ended-contract-failed = the outputs broke the contract
sweep-ended-timeout = the step ran out of its time
sweep-ended-budget = the time for the whole was used up
sweep-ended-attempts = the number of attempts was used up
sweep-ended-interrupted = it was interrupted
chart-over = { $what } over { $axis }
sweep-peak = Peak memory
sweep-measured = Measured
sweep-predicted = Predicted before the step
sweep-limit = limit { $size }
sweep-limit-left = less the margin { $size }
sweep-throughput = Items per second
sweep-stops = rises no more
sweep-last-good = last good: { $value }
sweep-first-bad = first bad: { $value }
sweep-first-refused = first refused: { $value }
sweep-step-refused = refused
sweep-following = Following passes, median
throughput-of-passes = passes after the first
throughput-of-command = whole command, with loading
field-limit = Memory limit
memory-limit-device = the device’s memory
memory-limit-control-group = the control group’s limit
memory-limit-machine = the machine’s memory
field-margin = Must stay free
sweep-no-margin = nothing: it was allowed to reach the limit
field-throughput-of = Throughput measured over
field-throughput-stops = Throughput stops rising at
field-not-tried = Planned, not tried
field-spent = Time spent
field-continued = Steps from an earlier start
heading-noise = How far the numbers can be trusted
noise-runs = The same attempt, made { $runs } times; { $passed } of them passed.
noise-use = Nothing was changed between them: a difference within this spread is noise.
noise-measure = Measure
noise-min = Lowest
noise-median = Median
noise-max = Highest
noise-spread = Spread
month-1 = January
month-2 = February
month-3 = March
month-4 = April
month-5 = May
month-6 = June
month-7 = July
month-8 = August
month-9 = September
month-10 = October
month-11 = November
month-12 = December
group-passed = Passed
group-failed = Passed, but not saved

## Values of facts
fact-value-unset = not set
fact-value-empty = set to nothing
fact-value-set = set
fact-value-odd = set to something unusable
fact-value-missing = missing
fact-value-openable = can be opened
fact-value-denied = access denied
fact-value-failing = fails when opened
fact-value-loaded = loaded
fact-value-absent = not loaded
fact-value-passed = passed in
fact-value-not-passed = not passed in
fact-value-nodes-only = device nodes only
fact-value-libraries-only = libraries only
fact-value-timed-out = no answer in time
fact-value-library-missing = the library is missing
fact-value-version-mismatch = versions do not match
fact-value-finished = finished
fact-value-unfinished = never finished
fact-value-jump = jumps, over the same data
fact-value-drift = goes another way
fact-value-offset = runs some steps off
