//! The command line as it was typed. Nothing past `settings` sees clap.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};

use crate::application::resume::point::StopAt;

/// First argument of the keeper process; for `firstfault` itself only.
#[cfg(unix)]
pub(crate) const KEEPER: &str = "__keeper";
/// First argument of the keeper of the user's own command; for `firstfault` itself only.
#[cfg(unix)]
pub(crate) const COMMAND_KEEPER: &str = "__command-keeper";
/// First argument of the process that collects evidence; for `firstfault` itself only.
pub(crate) const EVIDENCE: &str = "__evidence";

const EXAMPLES: &str = "\
Examples:
  firstfault check                  is the GPU usable from this environment?
  firstfault check --device cpu     prove the CPU path; says nothing about a GPU
  firstfault check --python .venv/bin/python --output attempt.json --label first
  firstfault page before.json after.json --output both.html

Exit codes: 0 passed · 2 usage · 3 to 16 the first fault (see `firstfault check --help`) · \
70 a bug in FirstFault · 130 Ctrl-C";

const CHECK_EXAMPLES: &str = "\
Examples:
  firstfault check                       the active environment, else python3
  firstfault check --program train.py    with the folder of train.py on sys.path
  firstfault check --device-index 3 --timeout 60 --json
  firstfault check --set batch=8 --set amp=true --output day-1.json
  firstfault check --repeat 5 --output day-0.json    a baseline for recheck

Exit codes:
   0 GPU_CHECK_PASSED, CPU_CHECK_PASSED     9 OUT_OF_MEMORY, RUNTIME_ERROR
   3 TORCH_MISSING                         10 TIMEOUT
   4 TORCH_IMPORT_FAILED                   11 WORKER_FAILED
   5 GPU_BACKEND_ABSENT                    12 OUTPUT_WRITE_FAILED
   6 GPU_UNAVAILABLE                       16 INTERPRETER_FAILED
   7 DEVICE_INDEX_INVALID                   2 usage error: no report
   8 CHECK_FAILED                         130 Ctrl-C: no report, but of --repeat";

const RUN_EXAMPLES: &str = "\
Examples:
  firstfault run --contract firstfault.toml -- python embed.py --batch 8
  firstfault run --device cpu --timeout 600 --set batch=8 -- python train.py
  firstfault run --skip-check --json -- torchrun --nproc-per-node 2 train.py
  firstfault run --repeat 5 --output day-0.json -- python embed.py --batch 8

What the contract names as outputs must be written by this run: move earlier ones away first. \
With --repeat, the check is made once, and the files that the contract names are set aside between \
the runs, so that a command that would find its own outputs works each time; your own files are \
put back at the end.

Exit codes: those of `firstfault check`, and
  13 APPLICATION_FAILED   the command failed, crashed or ran out of time
  14 CONTRACT_FAILED      it ended well, but its outputs break the contract,
                          or do not prove it
   0 APPLICATION_ENDED    without the check: the command ended by itself
  12 OUTPUT_WRITE_FAILED  the report could not be saved; where --output or
                          --page is there already, nothing is run
 130 Ctrl-C, which is passed on; the report is still written
     (143 and 129 for SIGTERM and SIGHUP)";

const SWEEP_EXAMPLES: &str = "\
Examples:
  firstfault sweep --axis batch=1,2,4,8,16 -- python embed.py --batch {batch}
  firstfault sweep --axis batch=1..256 --refine 4 --budget 900 \\
      -- python embed.py --batch {batch}
  firstfault sweep --axis length=128..4096 --device cpu --margin 20 \\
      -- python embed.py --batch 8 --length {length}

Only the axis changes from step to step; each is a fresh process with its own contract check. The \
first step that is no good ends the sweep, and that limit is its result: exit 0 with any good step. \
Your own output files are set aside meanwhile and put back. The same command line again goes on \
where Ctrl-C, the budget, the number of attempts or a crash ended it. A step is not begun with less \
time left than half of what the fastest one took.

Exit codes: those of `firstfault run`; 13 or 14 where not even the first step was good";

const RECHECK_EXAMPLES: &str = "\
Examples:
  firstfault check --host-check --repeat 5 --output day-0.json    once
  firstfault recheck day-0.json                                   any later day
  firstfault recheck day-0.json --output day-9.json --page day-0-to-9.html

In a crontab, with full paths, since cron knows neither your folder nor your PATH; it mails \
whatever is printed:
  0 6 * * *  cd /srv/job && /opt/firstfault recheck day-0.json --python .venv/bin/python

Standard output is one line: the verdict, the code, and the first reasons. The device, its index, \
the engine, the parameters and the number of repetitions are the baseline's. A run's own command is \
taken from its folder in .firstfault/attempts, where that is still there, else give it after `--`.

Exit codes:
   0 not worse than the baseline
   1 worse
   2 usage, or a baseline that can't be read or made again
   3 to 16 the new attempt failed: its own code
 130 Ctrl-C: nothing is written";

const COMPARE_EXAMPLES: &str = "\
Example:
  firstfault compare before.json after.json

Exit codes:
   0 the candidate is not worse
   1 the candidate is worse
   2 usage, or a file that is no report
   3 the two cannot be compared, as GPU with CPU";

const RESUME_EXAMPLES: &str = "\
Examples:
  firstfault resume -- python embed.py       SIGTERM half-way, then once more
  firstfault resume --signal kill --stop-at checkpoint -- python train.py
  firstfault resume --stop-at outputs=500 --grace 30 --output proof.json \\
      -- python embed.py --batch 8

The command is run three times: without a stop, up to the stop, and from there to its end. The \
contract says what its outputs are and, under [resume], what it continues from and what is added to \
it when it is started again. Your own output files are set aside meanwhile and put back. The same \
command line again goes on from a finished reference.

Exit codes: those of `firstfault run`, and
  15 RESUME_FAILED   outputs were lost, repeated or changed, the training
                     diverged, the command did not stop, or nothing was
                     proven: it had ended before, or began anew";

/// Finds the first failing layer between a PyTorch program and its GPU.
#[derive(Debug, Parser)]
#[command(name = "firstfault", version, after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// Language of the text for people; by default the one of the locale
    #[arg(long, global = true, value_name = "LANG")]
    pub(crate) lang: Option<LanguageChoice>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Languages as they are typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum LanguageChoice {
    /// English
    En,
    /// Deutsch
    De,
    /// Türkçe
    Tr,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check interpreter, PyTorch, device and a small real computation, and report the first fault
    Check(Box<CheckArgs>),
    /// Check, then run your own command on a small real input, and hold its outputs against the contract
    #[command(after_help = RUN_EXAMPLES)]
    Run(Box<RepeatedRunArgs>),
    /// Raise one value step by step, each in a fresh process, and find how far your command can go
    #[command(after_help = SWEEP_EXAMPLES)]
    Sweep(Box<SweepArgs>),
    /// Stop your command half-way, start it again, and prove that nothing is lost, repeated or changed
    #[command(after_help = RESUME_EXAMPLES)]
    Resume(Box<ResumeArgs>),
    /// Write a contract with comments, to be filled in
    Init(InitArgs),
    /// Mark the begin or end of a stage, in a script that `firstfault run` runs
    Mark(MarkArgs),
    /// Say whether files are reports that this version can read
    Validate(ValidateArgs),
    /// Make the attempt of a report again, and say in one line whether it became worse
    #[command(after_help = RECHECK_EXAMPLES)]
    Recheck(Box<RecheckArgs>),
    /// Compare two reports: what was changed, and what became better or worse
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(CompareArgs),
    /// Name the faults in a log, a traceback or the text of collect_env
    Explain(ExplainArgs),
    /// List every Python that could be meant, with its PyTorch, from files alone
    Interpreters(InterpretersArgs),
    /// Write the page as one HTML file that carries reports and opens offline
    Page(PageArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
}

/// `firstfault check`.
#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct CheckArgs {
    /// The Python that runs the program; by default the active environment, else python3
    #[arg(long, value_name = "PYTHON", value_hint = ValueHint::ExecutablePath, conflicts_with_all = ["pid", "kernel"])]
    pub(crate) python: Option<PathBuf>,
    /// Take interpreter and environment of this running program (your own processes only)
    #[arg(long, value_name = "PID", conflicts_with = "kernel")]
    pub(crate) pid: Option<u32>,
    /// Take interpreter and environment of this Jupyter kernel
    #[arg(long, value_name = "KERNEL")]
    pub(crate) kernel: Option<String>,
    /// The program whose folder stands first on sys.path; by default the current folder
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) program: Option<PathBuf>,
    /// Which engine does the work; auto: Python decides, libtorch is the second witness
    #[arg(long, value_enum, default_value_t = EngineChoice::Auto)]
    pub(crate) engine: EngineChoice,
    /// A libtorch to use where no Python has PyTorch
    #[arg(long, value_name = "DIR", env = "LIBTORCH", hide_env_values = true, value_hint = ValueHint::DirPath)]
    pub(crate) libtorch: Option<PathBuf>,
    /// Demand a GPU, or ask for the CPU alone
    #[arg(long, value_enum, default_value_t = DeviceChoice::Gpu)]
    pub(crate) device: DeviceChoice,
    /// Index of the GPU among the visible ones [default: 0]
    #[arg(long, value_name = "N")]
    pub(crate) device_index: Option<u32>,
    /// Time limit of the check in seconds, 5 to 120
    #[arg(long, value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(u64).range(5..=120))]
    pub(crate) timeout: u64,
    /// Also ask nvidia-smi for driver version and memory (NVIDIA only, 3 s at most)
    #[arg(long)]
    pub(crate) host_check: bool,
    /// Your own word for this attempt
    #[arg(long, value_name = "TEXT")]
    pub(crate) label: Option<String>,
    /// A parameter of this attempt, for the comparison; can be repeated
    #[arg(long, value_name = "K=V")]
    pub(crate) set: Vec<String>,
    /// Make the attempt N times, 2 to 100, to measure how far its numbers differ by themselves
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100))]
    pub(crate) repeat: Option<u32>,
    /// Save the report as a new file; an existing one is never overwritten
    #[arg(long, value_name = "FILE.json", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Also write the page with this report in it
    #[arg(long, value_name = "FILE.html", value_hint = ValueHint::FilePath)]
    pub(crate) page: Option<PathBuf>,
    /// Print a ticket for whoever runs the host, in Markdown, instead of the table
    #[arg(long, value_enum, value_name = "FOR", conflicts_with = "json")]
    pub(crate) ticket: Option<TicketChoice>,
    /// Print the report as one JSON document instead of the table
    #[arg(long)]
    pub(crate) json: bool,
}

/// `firstfault run`.
#[derive(Debug, Args)]
pub(crate) struct RepeatedRunArgs {
    /// Run the command N times, 2 to 100, to measure how far its numbers differ by themselves
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100))]
    pub(crate) repeat: Option<u32>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// A run of the user's own command.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// What the outputs must be; by default firstfault.toml in the current folder, where there is one
    #[arg(long, value_name = "FILE.toml", value_hint = ValueHint::FilePath)]
    pub(crate) contract: Option<PathBuf>,
    /// Your own word for this attempt
    #[arg(long, value_name = "TEXT")]
    pub(crate) label: Option<String>,
    /// A parameter of this attempt, for the comparison; can be repeated
    #[arg(long, value_name = "K=V")]
    pub(crate) set: Vec<String>,
    /// Time limit of the command in seconds; without it, it may take as long as it takes
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=2_592_000))]
    pub(crate) timeout: Option<u64>,
    /// Leave the check out: then nothing is said about interpreter, device and computation
    #[arg(long, conflicts_with_all = ["keep_going", "host_check", "check_timeout"])]
    pub(crate) skip_check: bool,
    /// Run the command even where the check fails
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// The Python to check; by default the one that runs the command
    #[arg(long, value_name = "PYTHON", value_hint = ValueHint::ExecutablePath)]
    pub(crate) python: Option<PathBuf>,
    /// Which engine does the check
    #[arg(long, value_enum, default_value_t = EngineChoice::Auto)]
    pub(crate) engine: EngineChoice,
    /// Demand a GPU in the check, or ask for the CPU alone
    #[arg(long, value_enum, default_value_t = DeviceChoice::Gpu)]
    pub(crate) device: DeviceChoice,
    /// Index of the GPU among the visible ones [default: 0]
    #[arg(long, value_name = "N")]
    pub(crate) device_index: Option<u32>,
    /// Time limit of the check in seconds, 5 to 120
    #[arg(long, value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(u64).range(5..=120))]
    pub(crate) check_timeout: u64,
    /// Also ask nvidia-smi for driver version and memory (NVIDIA only, 3 s at most)
    #[arg(long)]
    pub(crate) host_check: bool,
    /// Save the report as a new file; an existing one is never overwritten
    #[arg(long, value_name = "FILE.json", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Also write the page with this report in it
    #[arg(long, value_name = "FILE.html", value_hint = ValueHint::FilePath)]
    pub(crate) page: Option<PathBuf>,
    /// Print the report as one JSON document; the command's standard output goes to standard error
    #[arg(long)]
    pub(crate) json: bool,
    /// The command and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "COMMAND", value_hint = ValueHint::CommandWithArguments)]
    pub(crate) command: Vec<std::ffi::OsString>,
}

/// `firstfault sweep`.
#[derive(Debug, Args)]
pub(crate) struct SweepArgs {
    /// What is raised: a list (batch=1,2,4,8) or doubling up to a cap (batch=1..64); {NAME} in the command is its place
    #[arg(long, value_name = "NAME=VALUES")]
    pub(crate) axis: String,
    /// Percent of the memory limit that must stay free; with 0 a step may run into the limit
    #[arg(long, value_name = "PERCENT", default_value_t = 10, value_parser = clap::value_parser!(u8).range(0..=90))]
    pub(crate) margin: u8,
    /// Halve the gap between the last good and the first bad step so many times
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=30))]
    pub(crate) refine: u32,
    /// Time limit of the whole in seconds, the check included; what was measured is kept
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=2_592_000))]
    pub(crate) budget: Option<u64>,
    /// The most steps that are tried in this start
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) attempts: Option<u32>,
    /// Begin anew instead of going on where the same sweep was interrupted
    #[arg(long)]
    pub(crate) fresh: bool,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// `firstfault resume`.
#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// How the command is stopped; kill is the hard case, which leaves it no time
    #[arg(long, value_enum, value_name = "SIGNAL", default_value_t = SignalChoice::Term)]
    pub(crate) signal: SignalChoice,
    /// Where it is stopped: pass=N, stage=NAME, outputs=N, seconds=S or checkpoint (while one is being written); by
    /// default about half-way
    #[arg(long, value_name = "POINT")]
    pub(crate) stop_at: Option<StopAt>,
    /// How long it may take to stop, in seconds
    #[arg(long, value_name = "S", default_value_t = 15.0, value_parser = grace)]
    pub(crate) grace: f64,
    /// Begin anew instead of going on from the finished reference of an earlier start
    #[arg(long)]
    pub(crate) fresh: bool,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

fn grace(text: &str) -> Result<f64, &'static str> {
    let seconds = text.parse().ok();
    let fits = seconds.filter(|seconds| (0.1..=3600.0).contains(seconds));
    fits.ok_or("expected 0.1 to 3600 seconds")
}

/// Signals as they are typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SignalChoice {
    /// SIGTERM, as batch systems and containers send it
    Term,
    /// SIGINT, as Ctrl-C sends it
    Int,
    /// SIGKILL
    Kill,
}

/// `firstfault init`.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The new contract; an existing file is never overwritten
    #[arg(long, value_name = "FILE.toml", default_value = "firstfault.toml", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
}

/// `firstfault mark`.
#[derive(Debug, Args)]
pub(crate) struct MarkArgs {
    /// Which end of the stage
    #[arg(value_enum)]
    pub(crate) end: StageEnd,
    /// The stage's name
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// What it does; `compute` is a pass
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<String>,
}

/// Ends of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StageEnd {
    /// It begins
    Begin,
    /// It has ended
    End,
}

/// Engines as they are typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineChoice {
    /// Python decides; libtorch is the second witness
    Auto,
    /// Python alone
    Python,
    /// libtorch alone, without Python
    Libtorch,
}

/// Devices as they are typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DeviceChoice {
    /// A GPU, and nothing else will do
    Gpu,
    /// The CPU alone
    Cpu,
}

/// Whom a ticket is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TicketChoice {
    /// Whoever runs the host
    Host,
}

/// `firstfault validate`.
#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    /// Reports
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
}

/// `firstfault compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The attempt to compare with
    #[arg(value_name = "BASELINE", value_hint = ValueHint::FilePath)]
    pub(crate) baseline: PathBuf,
    /// The attempt to judge
    #[arg(value_name = "CANDIDATE", value_hint = ValueHint::FilePath)]
    pub(crate) candidate: PathBuf,
    /// Print the comparison as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// `firstfault recheck`.
#[derive(Debug, Args)]
pub(crate) struct RecheckArgs {
    /// The report to begin from: of `check` or `run`, best one with --repeat
    #[arg(value_name = "BASELINE", value_hint = ValueHint::FilePath)]
    pub(crate) baseline: PathBuf,
    /// The Python to check; by default that of the command, else the active environment
    #[arg(long, value_name = "PYTHON", value_hint = ValueHint::ExecutablePath)]
    pub(crate) python: Option<PathBuf>,
    /// Make the attempt N times, 1 to 100; by default as often as the baseline
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) repeat: Option<u32>,
    /// What the outputs of the command must be; by default what the baseline was held against
    #[arg(long, value_name = "FILE.toml", value_hint = ValueHint::FilePath)]
    pub(crate) contract: Option<PathBuf>,
    /// Time limit of the command in seconds, each time
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=2_592_000))]
    pub(crate) timeout: Option<u64>,
    /// Time limit of the check in seconds, 5 to 120
    #[arg(long, value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(u64).range(5..=120))]
    pub(crate) check_timeout: u64,
    /// A libtorch to use where the baseline was decided by libtorch alone
    #[arg(long, value_name = "DIR", env = "LIBTORCH", hide_env_values = true, value_hint = ValueHint::DirPath)]
    pub(crate) libtorch: Option<PathBuf>,
    /// Save the new report as a new file; an existing one is never overwritten
    #[arg(long, value_name = "FILE.json", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Also write the page with both reports in it
    #[arg(long, value_name = "FILE.html", value_hint = ValueHint::FilePath)]
    pub(crate) page: Option<PathBuf>,
    /// Print comparison and report as one JSON document instead of the line
    #[arg(long)]
    pub(crate) json: bool,
    /// The command and its arguments, after `--`, for the baseline of a run
    #[arg(last = true, value_name = "COMMAND", value_hint = ValueHint::CommandWithArguments)]
    pub(crate) command: Vec<std::ffi::OsString>,
}

/// `firstfault explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The text to read; `-` or nothing reads standard input
    #[arg(value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Exit with 1 when a fault was found
    #[arg(long)]
    pub(crate) exit_code: bool,
    /// Print the faults as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// `firstfault interpreters`.
#[derive(Debug, Args)]
pub(crate) struct InterpretersArgs {
    /// Add the interpreter of this running program (Linux)
    #[arg(long, value_name = "PID")]
    pub(crate) pid: Option<u32>,
    /// Print the list as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// `firstfault page`.
#[derive(Debug, Args)]
pub(crate) struct PageArgs {
    /// Reports to carry inside the page; without any, the page is empty
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
    /// The new HTML file; an existing one is never overwritten
    #[arg(long, value_name = "FILE.html", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
}

/// `firstfault completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}
