//! The libtorch engine: the fixed computation without Python, as a worker process of `firstfault`.
//!
//! It is linked against libtorch and started with the library folder of the examined environment first on the
//! loader's path, so it meets the very libraries that the program's Python would load. It reads one request from
//! standard input and answers with events. It judges nothing: the parent does. It runs on Linux only.

mod clock;
mod computation;
mod fault;
mod gpu;
mod libraries;
mod stages;
mod wire;

use std::process::ExitCode;

fn main() -> ExitCode {
    match wire::take_streams().and_then(wire::Streams::first_request) {
        Ok((request, events)) => stages::run(&request, events),
        Err(error) => wire::refuse(&error),
    }
}
