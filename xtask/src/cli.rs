//! What can be typed after `cargo xtask`.

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Sets up what is missing, then builds or checks FirstFault.
///
/// A second run reuses what is there. Logs of every step are kept in target/xtask/logs.
#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    after_help = "Examples:\n  cargo xtask demo                 see it work: two real checks, and the page that compares them\n  cargo xtask test                 everything that can be tested here\n  cargo xtask test --only browser  the page in a real browser, alone\n  cargo xtask bench --pairs 15     the measured limits, more exactly"
)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) task: Task,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Set up everything, check this machine's CPU and GPU for real, and put both reports into one page.
    ///
    /// Needs about 6 GB of disk and some minutes the first time. Leaves demo/cpu.json, demo/gpu.json and
    /// demo/compare.html; files of an earlier demo are replaced. A machine without a usable GPU is a finding, not a
    /// failure.
    #[command(after_help = "Example:\n  cargo xtask demo && xdg-open demo/compare.html")]
    Demo,
    /// Set up what the tests need and run all of them: units, end to end, libtorch, browser.
    #[command(
        after_help = "Examples:\n  cargo xtask test\n  cargo xtask test --only rust --only libtorch\n  cargo xtask test --only rust -- a_hanging_import"
    )]
    Test(TestArgs),
    /// Check the formatting, then run clippy with warnings denied over every package.
    Lint,
    /// Build the page: one HTML file, web/dist/index.html.
    Page,
    /// Build the release archive: target/dist/firstfault-VERSION-TARGET.tar.gz.
    Dist,
    /// Show the fault bench: real PyTorch against drivers that fail, what must be found and what is found.
    ///
    /// Takes some minutes. No driver is touched: a false one is put before PyTorch.
    Faults,
    /// Measure what has a limit, and fail when one is exceeded.
    #[command(
        after_help = "Examples:\n  cargo xtask bench\n  cargo xtask bench --pairs 15 page check"
    )]
    Bench(BenchArgs),
}

/// Which tests to run.
#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// Run these alone; may be given several times.
    #[arg(long, value_enum, value_name = "RUNNER")]
    pub(crate) only: Vec<Runner>,
    /// Arguments for `cargo test`, such as a part of a test's name; only with `--only rust`.
    #[arg(last = true, value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<String>,
}

/// A runner of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Runner {
    /// Units of every package, and end to end tests with the real program.
    Rust,
    /// Tests of this tool itself.
    Xtask,
    /// Tests of the libtorch engine, which link libtorch.
    Libtorch,
    /// The page in a real browser.
    Browser,
}

impl Runner {
    /// Every runner, in the order in which they run.
    pub(crate) const ALL: [Self; 4] = [Self::Xtask, Self::Rust, Self::Libtorch, Self::Browser];
}

/// What to measure.
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// How many interleaved pairs are measured.
    #[arg(long, default_value_t = 9, value_name = "N", value_parser = clap::value_parser!(u16).range(3..=200))]
    pub(crate) pairs: u16,
    /// Only the measurements whose name begins so; all of them where none is named.
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
}
