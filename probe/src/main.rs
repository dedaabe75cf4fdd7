//! The native program `firstfault`.

use std::process::ExitCode;

fn main() -> ExitCode {
    firstfault::run(std::env::args_os())
}
