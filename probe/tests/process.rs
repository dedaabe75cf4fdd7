//! The interpreter and the environment of running programs, with real processes.

#![cfg(target_os = "linux")]

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use firstfault::interpreter::{
    Interpreter, ProcessProblem, SettleError, Source, Surroundings, Variables, Wish, settle,
};

/// A process that is ended with its test.
struct Running(Child);

impl Running {
    /// Starts `command`, which must write a line once it is ready.
    fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let mut line = String::new();
        let output = child.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n", "{command:?}");
        Self(child)
    }

    fn settle(&self) -> Result<Interpreter, SettleError> {
        let surroundings = Surroundings::of_this_process().unwrap();
        settle(&Wish::Pid(self.0.id()), &surroundings)
    }

    fn problem(&self) -> ProcessProblem {
        problem(self.settle().map(|settled| settled.program))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself, which a test will have noticed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn problem<T: std::fmt::Debug>(settled: Result<T, SettleError>) -> ProcessProblem {
    match settled {
        Err(SettleError::Process { problem, .. }) => problem,
        other => panic!("expected a problem with the process, found {other:?}"),
    }
}

const WAIT: &str = "import time; print('ready', flush=True); time.sleep(60)";

/// Writes over the arguments (field 48 of `/proc/self/stat`) or the variables (field 50), as programs do to show a title.
const OVERWRITE: &str = "
import ctypes, sys, time
fields = open('/proc/self/stat').read().rsplit(')', 1)[1].split()
start, end = (int(fields[int(sys.argv[1]) - 3 + at]) for at in (0, 1))
ctypes.memmove(start, (b'trainer: epoch 3' + bytes(end - start))[:end - start], end - start)
print('ready', flush=True)
time.sleep(60)
";

fn environment(variable: &str) -> PathBuf {
    std::env::var_os(variable)
        .map(PathBuf::from)
        .unwrap_or_else(|| panic!("{variable} is not set: run `cargo xtask test --only rust`"))
}

#[test]
fn a_running_program_gives_its_interpreter_variables_and_folder() {
    let prefix = environment("FIRSTFAULT_TEST_EMPTY");
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path().canonicalize().unwrap();
    let running = Running::start(
        Command::new(prefix.join("bin/python"))
            .args(["-c", WAIT])
            .current_dir(&here)
            .env_clear()
            .env("CUDA_VISIBLE_DEVICES", "")
            .env("TOKEN", "s3cret-of-the-program"),
    );
    let settled = running.settle().unwrap();
    assert_eq!(settled.program, prefix.join("bin/python"));
    assert_eq!(settled.prefix.as_deref(), Some(prefix.as_path()));
    assert_eq!(settled.source, Source::Process(running.0.id()));
    assert_eq!(settled.current_dir, Some(here));
    assert!(!format!("{settled:?}").contains("s3cret"));
    let Variables::Exactly(mut variables) = settled.variables else {
        panic!("the program's own variables are used")
    };
    variables.sort();
    assert_eq!(
        variables,
        [
            ("CUDA_VISIBLE_DEVICES".into(), "".into()),
            ("TOKEN".into(), "s3cret-of-the-program".into())
        ]
    );
}

#[test]
fn a_name_or_a_relative_path_is_resolved_in_the_programs_own_surroundings() {
    let prefix = environment("FIRSTFAULT_TEST_EMPTY");
    let bare = Running::start(
        Command::new(prefix.join("bin/python"))
            .arg0("python")
            .args(["-c", WAIT])
            .env("PATH", prefix.join("bin")),
    );
    assert_eq!(bare.settle().unwrap().program, prefix.join("bin/python"));
    let moved = Running::start(
        Command::new("bin/python3")
            .args(["-c", &format!("import os; os.chdir('/'); {WAIT}")])
            .current_dir(&prefix)
            .env("PWD", &prefix),
    );
    assert_eq!(moved.settle().unwrap().program, prefix.join("bin/python3"));
}

#[test]
fn a_program_that_rewrote_its_title_is_known_by_the_packages_that_it_uses() {
    let prefix = environment("FIRSTFAULT_TEST_TORCH");
    let script = format!("import markupsafe._speedups\n{OVERWRITE}");
    let running =
        Running::start(Command::new(prefix.join("bin/python3")).args(["-c", &script, "48"]));
    let settled = running.settle().unwrap();
    assert_eq!(settled.prefix, Some(prefix));
}

#[test]
fn a_program_whose_interpreter_cannot_be_proven_is_refused() {
    let prefix = environment("FIRSTFAULT_TEST_EMPTY");
    let running = Running::start(
        Command::new(prefix.join("bin/python3"))
            .args(["-c", OVERWRITE, "48"])
            .env("VIRTUAL_ENV", &prefix),
    );
    assert_eq!(running.problem(), ProcessProblem::Unresolved);
}

#[test]
fn a_program_that_wrote_over_its_variables_is_refused() {
    let prefix = environment("FIRSTFAULT_TEST_EMPTY");
    let running =
        Running::start(Command::new(prefix.join("bin/python3")).args(["-c", OVERWRITE, "50"]));
    assert_eq!(running.problem(), ProcessProblem::VariablesOverwritten);
}

#[test]
fn what_is_no_python_or_no_process_is_told_apart() {
    let shell = Running::start(Command::new("sh").args(["-c", "echo ready; sleep 60; true"]));
    assert_eq!(shell.problem(), ProcessProblem::NoPython);
    let mut ended = Command::new("true").spawn().unwrap();
    let pid = ended.id();
    ended.wait().unwrap();
    let surroundings = Surroundings::of_this_process().unwrap();
    let gone = settle(&Wish::Pid(pid), &surroundings);
    assert_eq!(problem(gone), ProcessProblem::Missing);
    for pid in [0, u32::MAX] {
        assert_eq!(
            problem(settle(&Wish::Pid(pid), &surroundings)),
            ProcessProblem::Missing
        );
    }
}

#[test]
fn a_program_of_another_user_is_refused_even_to_root() {
    const NOBODY: u32 = 65_534;
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let running = Running::start(
        Command::new("sh")
            .args(["-c", "echo ready; sleep 60; true"])
            .current_dir("/")
            .uid(NOBODY),
    );
    assert_eq!(running.problem(), ProcessProblem::OtherUser { uid: NOBODY });
}

#[test]
fn a_program_that_sees_other_files_is_refused() {
    // With the folders of the system merged, /usr works as a root of its own.
    let merged = Path::new("/bin").is_symlink() && Path::new("/usr/bin/sh").exists();
    if !rustix::process::geteuid().is_root() || !merged {
        return;
    }
    let running = Running::start(Command::new("chroot").args([
        "/usr",
        "/bin/sh",
        "-c",
        "echo ready; sleep 60; true",
    ]));
    assert_eq!(running.problem(), ProcessProblem::OtherNamespace);
}
