//! The native program: finds the first failing layer between a PyTorch program and its GPU, and writes one report.
//!
//! [`run`] is the recipe. Below it, `cli` is what was typed, `settings` what is used, `check` the work, `engine` the
//! two witnesses, `supervisor` and `keeper` the processes, and `printer` the only one that prints.

pub mod application;
mod check;
mod cli;
mod commands;
mod engine;
mod error;
mod evidence;
pub mod host;
pub mod interpreter;
mod interrupt;
mod journal;
#[cfg(unix)]
mod keeper;
mod names;
mod printer;
mod protocol;
mod recheck;
mod repeat;
mod save;
mod settings;
mod supervisor;

use std::ffi::OsString;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;

use clap::Parser as _;
use firstfault_schema::guidance::Language;

use crate::cli::{Cli, Command, LanguageChoice};
use crate::printer::Printer;

/// Runs the program with `arguments`, the first of which is its own name, and returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments = arguments.into_iter().peekable();
    let own_name = arguments.next().unwrap_or_default();
    #[cfg(unix)]
    if arguments.next_if(|first| first == cli::KEEPER).is_some() {
        return keeper::run(keeper::Kept::Worker, arguments);
    }
    #[cfg(unix)]
    if arguments
        .next_if(|first| first == cli::COMMAND_KEEPER)
        .is_some()
    {
        return keeper::run(keeper::Kept::Command, arguments);
    }
    if arguments.next_if(|first| first == cli::EVIDENCE).is_some() {
        return evidence::run(arguments);
    }
    printer::announce_bugs();
    #[cfg(unix)]
    interrupt::outlive_the_file_size_limit();
    let typed = match Cli::try_parse_from(std::iter::once(own_name).chain(arguments)) {
        Ok(typed) => typed,
        Err(problem) => return printer::usage(&problem),
    };
    let printer = Printer::new(typed.lang.map(LanguageChoice::language));
    let result = std::panic::catch_unwind(AssertUnwindSafe(|| match typed.command {
        Command::Check(arguments) => commands::check(*arguments, &printer),
        Command::Run(arguments) => commands::run(*arguments, &printer),
        Command::Sweep(arguments) => commands::sweep(*arguments, &printer),
        Command::Resume(arguments) => commands::resume(*arguments, &printer),
        Command::Init(arguments) => commands::init(&arguments, &printer),
        Command::Mark(arguments) => commands::mark(&arguments, &printer),
        Command::Validate(arguments) => commands::validate(&arguments, &printer),
        Command::Compare(arguments) => commands::compare(&arguments, &printer),
        Command::Recheck(arguments) => recheck::recheck(*arguments, &printer),
        Command::Explain(arguments) => commands::explain(&arguments, &printer),
        Command::Interpreters(arguments) => commands::interpreters(&arguments, &printer),
        Command::Page(arguments) => commands::page(&arguments, &printer),
        Command::Completions(arguments) => commands::completions(&arguments, &printer),
    }));
    match result {
        Ok(Ok(code)) => ExitCode::from(code),
        Ok(Err(error)) => {
            printer.error(&error);
            ExitCode::from(match error {
                error::Error::Interrupted => interrupt::exit_code(),
                error => error.exit_code(),
            })
        }
        // The panic hook has said what to report.
        Err(_) => ExitCode::from(70),
    }
}

impl LanguageChoice {
    const fn language(self) -> Language {
        match self {
            Self::En => Language::English,
            Self::De => Language::German,
            Self::Tr => Language::Turkish,
        }
    }
}
