### The command line.

terminal-error = error:
terminal-hint = hint:

## Check
terminal-collecting = collecting facts about the fault
terminal-asking-host = asking nvidia-smi
terminal-installed = PyTorch { $version } is installed
terminal-no-backend = none: this build is for the CPU
terminal-visible = visible devices: { $count }
terminal-right = exact
terminal-wrong = wrong
terminal-first-pass = first pass { $time }
terminal-following-pass = following pass { $time }
terminal-layer = First failing layer:
terminal-owner = Whose job:
terminal-message = What the software said:
terminal-candidates = It could also be:
terminal-evidence = Facts that stand out:
terminal-first-action = Do this first:
terminal-further-actions = Then:
terminal-saved = Report saved: { $file }
terminal-will-not-overwrite = warning: { $file } exists and will not be overwritten
terminal-note-interpreter = Examined: { $path }
terminal-note-passed-over = { $variable } was passed over: { $reason }
terminal-note-evidence = Full messages stay on this machine: { $path }
terminal-note-no-evidence = Full messages could not be kept on this machine: { $problem }
terminal-note-unfinished = An earlier check never finished; its last stage was “{ $stage }”. That step may have locked this host.
terminal-note-unfinished-unknown = An earlier check never finished and left no stage.
terminal-turn-repeat = Run { $number } of { $of }
terminal-turn-step = Step { $axis } = { $value }
terminal-turn-reference = Reference: the run without a stop
terminal-turn-stopped = The run that is stopped
terminal-turn-continued = The second start
terminal-note-left-running = { $count ->
    [one] One process could not be ended and was left; the kernel holds it, probably inside a driver.
   *[other] { $count } processes could not be ended and were left; the kernel holds them, probably inside a driver.
}
terminal-note-put-back = { $count ->
    [one] A file that an earlier start had set aside is back in its place.
   *[other] { $count } files that an earlier start had set aside are back in their place.
}
terminal-note-left-over = What an earlier run left there is kept in { $path }
terminal-note-own-outputs = What the command left this time is kept in { $path }
terminal-note-kept-aside = There are newer files, so older ones that an earlier start had set aside stay in { $path }
terminal-note-not-started = { $command } could not be started: { $why }
terminal-start-not-found = there is no such command
terminal-start-loader-missing = the program that its first line names, or its loader, is missing
terminal-start-not-permitted = it is not permitted, or the file is not executable
terminal-start-is-a-folder = it is a folder
terminal-start-other-format = it is no program for this machine
terminal-start-other = the system refuses it
terminal-project-unwritable = Nothing can be written in this folder: { $file }: { $problem }
terminal-project-unwritable-hint = Several runs of one command need a place for what they write: work in a copy of the project that you may write to.
terminal-project-busy = Another FirstFault is at work in this folder.
terminal-project-busy-hint = Wait for it, or work in another copy of the project: two would write the same files.
terminal-set-aside-failed = { $file } is in the way and cannot be set aside: { $problem }
terminal-set-aside-hint = Move it away yourself, or give the command another place to write to.
terminal-no-contract = There is no contract here, and without one nothing can be proven.
terminal-no-contract-hint = `firstfault init` writes firstfault.toml; say in it what the outputs must be, or name one with --contract.
terminal-host-answered = nvidia-smi answered
terminal-host-notinstalled = no nvidia-smi here; there is no such check for ROCm
terminal-host-failed = nvidia-smi failed
terminal-host-timedout = nvidia-smi was stopped after 3 s

## Other commands
terminal-no-fault = No fault was found in this text.
terminal-line = line { $line }
terminal-further-faults = What else the text shows:
terminal-configuration = Configuration
terminal-results = Results
terminal-one-only = { $count ->
    [one] One thing is told by one of the two reports only (--json lists it)
   *[other] { $count } things are told by one of the two reports only (--json lists them)
}
terminal-unchanged = { $count } unchanged
terminal-baseline = baseline
terminal-candidate = candidate
terminal-not-comparable = Not comparable:
terminal-valid = { $file }: valid, { $code }
terminal-invalid = { $file }: { $problem }
terminal-page-written = { $count ->
    [0] { $file }: an empty page
    [one] { $file }: a page with one report
   *[other] { $file }: a page with { $count } reports
}

## Errors
terminal-read-failed = { $file } can’t be read: { $problem }
terminal-save-failed = { $file } could not be saved: { $problem }
terminal-save-failed-hint = choose another place; existing files are never overwritten
terminal-log-too-large = { $file } has more than { $limit } GiB
terminal-log-too-large-hint = pass on the part around the failure, for example with `tail -c 100M`
terminal-page-not-built = this build of firstfault does not hold the page
terminal-page-not-built-hint = build it with `cargo xtask page`, then build firstfault again
terminal-page-failed = the page could not be made: { $problem }
terminal-libtorch-not-built = this installation has no libtorch worker (firstfault-libtorch) beside the program
terminal-libtorch-not-built-hint = use --engine python, or install a release that has the worker
terminal-no-libtorch = there is no libtorch to examine: neither in the environment nor named
terminal-no-libtorch-hint = name one with --libtorch DIR, or use --engine python
terminal-print-failed = standard output could not be written: { $problem }
terminal-interrupted = interrupted; no report was written
terminal-verdict-contract-holds = The outputs keep the contract.
terminal-verdict-interrupted = Interrupted
terminal-verdict-cut-off = the work was cut off before its end, so it proves no more than what ended before.
terminal-usage-parameter = --set needs NAME=VALUE, with a name of letters, digits, dots, hyphens and underscores
terminal-usage-parameter-hint = for example --set batch=8
terminal-usage-parameters = a parameter stands there twice, or there are more than 64 or more than 12 KiB of them
terminal-usage-parameters-hint = name each parameter once
terminal-usage-too-long = a label or parameter has more than 120 characters
terminal-usage-too-long-hint = choose a shorter one
terminal-usage-not-plain = a label or parameter is empty or has characters that can’t be seen
terminal-usage-not-plain-hint = use plain words
terminal-usage-looks-like-path = a label or parameter looks like a path
terminal-usage-looks-like-path-hint = a report holds no paths, so that it can be shared; use a plain word
terminal-usage-looks-secret = a label or parameter looks like a secret or a personal name, or holds the value of an environment variable
terminal-usage-looks-secret-hint = a report holds none of these, so that it can be shared; use a plain word
terminal-usage-index-without-gpu = --device-index needs a GPU, but --device cpu was asked for
terminal-usage-index-without-gpu-hint = leave one of the two out
terminal-usage-command-hint = Put -- before your own command: firstfault run -- python3 train.py

## Why an operating system refuses a file
io-not-found = there is no such file or folder
io-permission-denied = permission denied
io-already-exists = it exists already
io-storage-full = no space left on the disk
io-file-too-large = the file would be larger than allowed
io-read-only = the file system is read-only
io-is-a-directory = it is a folder
io-not-a-directory = a part of the path is no folder
io-invalid-data = it is no text in UTF-8

## Why a file is no report
report-error-empty = the file is empty
report-error-too-large = the file has { $found } MiB; a report has at most { $limit } MiB
report-error-truncated = the file ends in the middle (line { $line }): it was cut off
report-error-not-json = not JSON (line { $line }, column { $column })
report-error-foreign = JSON, but no FirstFault report
report-error-too-new = made by a newer version: format { $found }, this version reads up to { $supported }; update FirstFault to open it
report-error-bad-version = the field “version” is not a positive whole number
report-error-shape = { $field }: { $problem }
report-error-rule = the report contradicts itself: { $field }: { $problem }

## Why there is no interpreter
interpreter-not-found = there is nothing at this path
interpreter-broken-link = the link leads nowhere; its base Python was removed or moved
interpreter-is-folder = this is a folder, not an interpreter
interpreter-not-executable = this file can’t be executed
interpreter-unreadable = this path can’t be looked at
interpreter-not-on-search-path = no folder on PATH holds this program
interpreter-none-found = no active environment, and neither python3 nor python on PATH
interpreter-shim-without-version = the pyenv version that is chosen here has no such Python
interpreter-no-kernel = no Jupyter kernel has this name
interpreter-kernel-unreadable = the kernel’s description can’t be read
interpreter-kernel-other-language = this kernel is not for Python
interpreter-kernel-wrapped = this kernel starts another program, which starts Python in its turn
interpreter-process-unsupported = running programs can only be looked at on Linux
interpreter-process-missing = there is no process with this number
interpreter-process-other-user = the process belongs to another user; run firstfault as that user
interpreter-process-other-namespace = the process lives in another container; run firstfault inside it
interpreter-process-no-python = the process is not a Python program
interpreter-process-replaced = the interpreter was replaced on disk since the process was started
interpreter-process-unresolved = which interpreter the process was started with can’t be proven
interpreter-process-variables-overwritten = the process overwrote the variables it was started with
interpreter-process-denied = the process may not be looked at

## Interpreters
terminal-interpreters-none = No Python was found.
terminal-interpreters-python = Python
terminal-interpreters-kind = kind
terminal-interpreters-build = build
terminal-interpreters-found-by = found by
terminal-interpreters-path = path
terminal-interpreters-missing = none
terminal-interpreters-unresolved = not known
terminal-interpreters-broken = can’t be started
terminal-interpreters-cpu = CPU
terminal-interpreters-chosen = { $mark } is what `firstfault check` examines when nothing else is asked for.
terminal-interpreters-problem = { $path }: { $problem }
terminal-origin-active = active
terminal-origin-search-path = PATH
terminal-origin-project = project
terminal-origin-conda = conda
terminal-origin-pyenv = pyenv
terminal-origin-collection = folder of environments
terminal-origin-kernel = kernel { $name }
terminal-origin-process = process { $pid }

## Run
terminal-run-application = Application
terminal-run-command = command
terminal-run-exited = exit code
terminal-run-signalled = ended by
terminal-run-timed-out = stopped at its time limit
terminal-run-interrupted = stopped by Ctrl-C
terminal-run-not-started = could not be started
terminal-run-lost = ended, nobody knows how
terminal-run-passes = passes
terminal-run-pass = pass { $number }
terminal-run-following = { $count } following: { $min } to { $max }, median { $median }, 95 % within { $p95 }
terminal-run-unsynchronised = not synchronised: these times say nothing about the device’s work
terminal-run-memory = memory
terminal-run-resident = at most { $size } resident
terminal-run-allocated = at most { $size } allocated on the GPU
terminal-run-growth = grows by { $size } a pass
terminal-run-kills = kills for memory: { $count }
terminal-run-phase-load = while loading
terminal-run-phase-first-computation = first computation
terminal-run-phase-plateau = level over the passes
terminal-run-phase-growth = growing
terminal-run-unfinished = never ended
terminal-run-stages-left-out = Further stages are not shown: { $count }.
terminal-run-contract = Contract
terminal-run-demanded = demanded: { $value }
terminal-run-found = found: { $value }
terminal-run-broken = broken: { $count }
terminal-run-checking-outputs = holding the outputs against the contract
terminal-contract-written = A contract to fill in: { $file }
terminal-contract-unusable = The contract { $file } can’t be used: { $problem }
terminal-contract-hint = `firstfault init` writes a contract with comments to start from.
terminal-contract-syntax = line { $line } is no TOML: { $message }
terminal-contract-too-large = it is larger than any contract that is read (at most { $most })
terminal-contract-unknown-key = there is no such key; known ones: { $known }
terminal-contract-missing = it has to be there
terminal-contract-wrong-type = it has another type; wanted: { $wanted }
terminal-wanted-text = a text
terminal-wanted-texts = a text or a list of texts
terminal-wanted-number = a number
terminal-wanted-whole = a whole number
terminal-wanted-truth = true or false
terminal-wanted-table = a table
terminal-wanted-tables = a table or several
terminal-contract-bad-pattern = its *, ? and brackets make no pattern; [[] stands for the bracket [ itself
terminal-contract-no-format = neither format nor the ending of the path tells the format; known ones: { $known }
terminal-contract-not-one-of = it is none of these: { $known }
terminal-contract-out-of-range = this number can’t be meant
terminal-contract-needs = it needs { $other } beside it
terminal-contract-does-not-fit = it does not go with { $other }
terminal-contract-bad-name = the name looks like a path or a secret, or is used twice
terminal-contract-nothing-demanded = it demands nothing: whatever the command does would pass

## Sweep
terminal-sweep = Sweep along { $axis }
terminal-sweep-limit-device = device
terminal-sweep-limit-control-group = control group
terminal-sweep-limit-machine = machine
terminal-sweep-margin = { $percent } % must stay free
terminal-sweep-no-margin = crossing it is allowed
terminal-sweep-continuing = { $count ->
    [one] Continuing: one step was measured before. (--fresh begins anew.)
   *[other] Continuing: { $count } steps were measured before. (--fresh begins anew.)
}
terminal-sweep-good = good
terminal-sweep-why-refused = refused
terminal-sweep-why-margin = margin crossed
terminal-sweep-why-out-of-memory = out of memory
terminal-sweep-why-application-failed = command failed
terminal-sweep-why-contract-failed = contract broken
terminal-sweep-why-timeout = out of its time
terminal-sweep-why-budget = cut off: budget
terminal-sweep-why-interrupted = cut off: Ctrl-C
terminal-sweep-would-need = would need { $size }
terminal-sweep-of-limit = { $size } ({ $percent } %)
terminal-sweep-rate = { $rate }/s
terminal-sweep-column-peak = peak
terminal-sweep-percent = { $percent } %
terminal-sweep-column-share = of it
terminal-sweep-column-foretold = foretold
terminal-sweep-column-throughput = items/s
terminal-sweep-column-first = first
terminal-sweep-column-following = median
terminal-sweep-whole-command = * over the whole command, with everything that it loads
terminal-sweep-not-tried = Not tried: { $values }
terminal-sweep-budget = Budget { $budget }; the steps took { $spent }
terminal-sweep-good-to = good to { $value }
terminal-sweep-none-good = no step was good
terminal-sweep-from-refused = refused from { $value }: would leave less than { $percent } % of { $limit }
terminal-sweep-from-margin = stopped at { $value }: left less than { $percent } % of { $limit }
terminal-sweep-from-out-of-memory = out of memory at { $value }
terminal-sweep-from-application-failed = the command fails at { $value }
terminal-sweep-from-contract-failed = the contract is broken at { $value }
terminal-sweep-from-timeout = out of its time at { $value }
terminal-sweep-limit-beyond = every planned step was good, so the limit lies beyond
terminal-sweep-ended-budget = ended by its budget
terminal-sweep-ended-attempts = ended by its number of attempts
terminal-sweep-ended-interrupted = interrupted; the same command line goes on from here
terminal-sweep-stops-rising = throughput stops rising at { $value }
terminal-budget-too-short = the budget was used up before the first step had ended
terminal-budget-too-short-hint = give a larger --budget: the check alone takes a few seconds
terminal-usage-axis = --axis needs a name and increasing numbers, 200 at most
terminal-usage-axis-hint = for example --axis batch=1,2,4,8 or, doubling up to a cap, --axis batch=1..64
terminal-usage-axis-order = the values of --axis have to increase
terminal-usage-axis-order-hint = put them in order, each once
terminal-usage-axis-not-in-command = the command does not say where the value of --axis goes
terminal-usage-axis-not-in-command-hint = put its name in braces there, for example --axis batch=1,2,4 -- python embed.py --batch {"{"}batch{"}"}

## Repeated attempts
terminal-noise = Repeated: { $passed } of { $runs } runs passed
terminal-noise-to = to

## Recheck
terminal-recheck-same = not worse
terminal-recheck-better = better
terminal-recheck-worse = worse
terminal-recheck-failed = failed
terminal-recheck-not-comparable = not comparable
terminal-recheck-bad-identifier = the identifier of this report is not one that FirstFault gives
terminal-recheck-bad-identifier-hint = take the report as `firstfault check` or `firstfault run` wrote it
terminal-recheck-other-kind = this report is of a sweep or of a proof of stop and resume, which a recheck does not repeat
terminal-recheck-other-kind-hint = take a report of `firstfault check` or `firstfault run` as the baseline
terminal-recheck-no-command = the command of this run is not known here: a report does not hold it, and what was kept in .firstfault/attempts is gone or lies elsewhere
terminal-recheck-no-command-hint = give the command again after `--`, or work in the folder of the baseline
terminal-recheck-command-for-check = this report is of a check, which has no command
terminal-recheck-command-for-check-hint = leave the command out, or take a report of `firstfault run` as the baseline
terminal-recheck-contract-for-check = this report is of a check, which has neither a contract nor a command to be limited
terminal-recheck-contract-for-check-hint = leave --contract and --timeout out; --check-timeout limits the check

terminal-turn-kept = Reference: finished by an earlier start, and kept
terminal-note-reference-kept = The run without a stop was finished by an earlier start; --fresh begins anew.
terminal-note-proof-continues = The run without a stop is finished and kept: the same command line goes on from it.
terminal-own-folder = { $file } holds FirstFault’s own folder or lies in it, and is never set aside.
terminal-own-folder-hint = Name in the contract only what the command itself writes.
terminal-nothing-to-compare = The contract names nothing that a continued run could be held against: neither outputs nor a log whose losses can be read.
terminal-nothing-to-compare-hint = Name an [[output]], or under [training] the log with its loss and, where it counts them, its step.
terminal-linked-output = { $file } is a link, so the runs would write over one another’s outputs.
terminal-linked-output-hint = Let the command write the file itself; a link to it may lie elsewhere.
terminal-resume-stop = { $signal } at { $point }
terminal-resume-took = stopped after { $time }
terminal-resume-took-of = stopped after { $time } of { $grace }
terminal-resume-yes = yes
terminal-resume-no = no
terminal-resume-not-told = cannot be told
terminal-resume-advice-memory = It lies in memory and is gone with the host: write it to a disk or to network storage.
terminal-resume-advice-layer = It lies in the container’s own layer and is gone with the container: mount a volume for it.
terminal-resume-advice-in-place = It is written over in place, and a stop in the middle damages it: write beside it, flush, then rename.
terminal-resume-advice-space = The copies that are to be kept need more than is free.
