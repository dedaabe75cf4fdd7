//! The interpreter and the environment of a running program, from `/proc` (Linux).
//!
//! The process is held by a pidfd, so that everything that was read belongs to one and the same process. It must
//! be this user's and see the same files: otherwise its paths would mean something else here.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, PidfdFlags};

use super::{
    Interpreter, ProcessProblem, SettleError, Source, Surroundings, Variables, describe,
    is_executable, layout,
};

/// Settles on the interpreter of the process `pid`.
pub(super) fn settle(pid: u32) -> Result<Interpreter, SettleError> {
    examine(pid).map_err(|problem| SettleError::Process { pid, problem })
}

fn examine(pid: u32) -> Result<Interpreter, ProcessProblem> {
    let held = hold(pid)?;
    let folder = PathBuf::from(format!("/proc/{pid}"));
    same_user(&folder)?;
    same_files(&folder)?;
    let exe = std::fs::read_link(folder.join("exe")).map_err(|error| of_io(&error))?;
    if exe.as_os_str().as_bytes().ends_with(b" (deleted)") {
        return Err(ProcessProblem::Replaced);
    }
    let current_dir = std::fs::read_link(folder.join("cwd")).map_err(|error| of_io(&error))?;
    let environ = std::fs::read(folder.join("environ")).map_err(|error| of_io(&error))?;
    let variables = parse_environ(&environ).ok_or(ProcessProblem::VariablesOverwritten)?;
    let command = std::fs::read(folder.join("cmdline")).map_err(|error| of_io(&error))?;
    let surroundings = Surroundings::new(variables.iter().cloned(), current_dir.clone());
    let program = program(&folder, &exe, &command, &surroundings)?;
    if !lives(&held) {
        return Err(ProcessProblem::Missing);
    }
    let mut settled = describe(program, Source::Process(pid), &surroundings);
    settled.variables = Variables::Exactly(variables);
    settled.current_dir = Some(current_dir);
    Ok(settled)
}

fn hold(pid: u32) -> Result<OwnedFd, ProcessProblem> {
    let pid = i32::try_from(pid)
        .ok()
        .and_then(Pid::from_raw)
        .ok_or(ProcessProblem::Missing)?;
    rustix::process::pidfd_open(pid, PidfdFlags::empty()).map_err(|error| match error {
        rustix::io::Errno::SRCH | rustix::io::Errno::INVAL => ProcessProblem::Missing,
        rustix::io::Errno::NOSYS => ProcessProblem::Unsupported,
        _ => ProcessProblem::Denied,
    })
}

/// Whether the held process still runs: its pidfd becomes readable when it ends.
fn lives(held: &OwnedFd) -> bool {
    use rustix::event::{PollFd, PollFlags, poll};
    let mut waiting = [PollFd::from_borrowed_fd(held.as_fd(), PollFlags::IN)];
    let now = rustix::event::Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut waiting, Some(&now)).is_ok_and(|ready| ready == 0)
}

fn same_user(folder: &Path) -> Result<(), ProcessProblem> {
    let status = std::fs::read_to_string(folder.join("status")).map_err(|error| of_io(&error))?;
    let users = parse_users(&status).ok_or(ProcessProblem::Denied)?;
    let own = rustix::process::geteuid().as_raw();
    // root could read any process, but would then examine it with rights that the program doesn't have.
    match users.into_iter().find(|uid| *uid != own) {
        None => Ok(()),
        Some(uid) => Err(ProcessProblem::OtherUser { uid }),
    }
}

/// `Uid: 1000 1000 1000 1000`, with tabs between: real, effective, saved and file system user.
fn parse_users(status: &str) -> Option<Vec<u32>> {
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    let users: Vec<u32> = line
        .split_whitespace()
        .map(|word| word.parse().ok())
        .collect::<Option<_>>()?;
    (users.len() == 4).then_some(users)
}

/// The same mount namespace and the same root folder.
fn same_files(folder: &Path) -> Result<(), ProcessProblem> {
    let same = |theirs: PathBuf, ours: &str| -> io::Result<bool> {
        let (theirs, ours) = (std::fs::metadata(theirs)?, std::fs::metadata(ours)?);
        Ok((theirs.dev(), theirs.ino()) == (ours.dev(), ours.ino()))
    };
    let namespace =
        same(folder.join("ns/mnt"), "/proc/self/ns/mnt").map_err(|error| of_io(&error))?;
    let root = same(folder.join("root"), "/proc/self/root").map_err(|error| of_io(&error))?;
    if namespace && root {
        Ok(())
    } else {
        Err(ProcessProblem::OtherNamespace)
    }
}

/// Finds the path that the process was started by, which tells its environment, and proves that it is the
/// running executable.
fn program(
    folder: &Path,
    exe: &Path,
    command: &[u8],
    surroundings: &Surroundings,
) -> Result<PathBuf, ProcessProblem> {
    if !exe
        .file_name()
        .and_then(OsStr::to_str)
        .is_some_and(|name| name.starts_with("python"))
    {
        return Err(ProcessProblem::NoPython);
    }
    let running = std::fs::metadata(folder.join("exe")).map_err(|error| of_io(&error))?;
    let is_running = |path: &PathBuf| {
        is_executable(path)
            && std::fs::metadata(path)
                .is_ok_and(|data| (data.dev(), data.ino()) == (running.dev(), running.ino()))
    };
    let first = command.split(|byte| *byte == 0).next().unwrap_or_default();
    if !first.is_empty() {
        let argument = Path::new(OsStr::from_bytes(first));
        let possible: Vec<PathBuf> = if argument.components().count() > 1 {
            // A relative path was meant from the folder at the start; the program may have left it since.
            let at_start = surroundings.path("PWD").map(|folder| folder.join(argument));
            std::iter::once(surroundings.absolute(argument))
                .chain(at_start)
                .collect()
        } else {
            // A shell looks through PATH, and passes over what it can't execute.
            surroundings
                .paths("PATH")
                .into_iter()
                .map(|folder| folder.join(argument))
                .find(|path| is_executable(path))
                .into_iter()
                .collect()
        };
        if let Some(found) = possible.into_iter().find(is_running) {
            return Ok(found);
        }
    }
    // A shim was started and replaced itself, or the program rewrote its title. The packages that it has in memory
    // still tell the environment.
    let maps = std::fs::read_to_string(folder.join("maps")).unwrap_or_default();
    let mapped: Vec<PathBuf> = mapped_prefixes(&maps)
        .iter()
        .flat_map(|prefix| ["python", "python3"].map(|name| prefix.join("bin").join(name)))
        .filter(is_running)
        .collect();
    // Packages of a virtual environment and of its base may both be mapped: the environment wins.
    mapped
        .iter()
        .find(|path| layout::venv_folder(path).is_some())
        .or_else(|| mapped.first())
        .cloned()
        .or_else(|| {
            // An interpreter that lies in its own installation stands for it, where no environment is active.
            let active = ["VIRTUAL_ENV", "CONDA_PREFIX"]
                .iter()
                .any(|name| surroundings.variable(name).is_some());
            (!active).then(|| exe.to_path_buf())
        })
        .filter(is_running)
        .ok_or(ProcessProblem::Unresolved)
}

/// The environments whose compiled packages are mapped:
/// ```text
/// 7f2c1a000000-7f2c1a021000 r-xp 00000000 08:01 1048612 /venv/lib/python3.11/site-packages/torch/lib/libc10.so
/// ```
fn mapped_prefixes(maps: &str) -> Vec<PathBuf> {
    let mut prefixes = Vec::new();
    for line in maps.lines() {
        let Some(at) = line.find('/') else { continue };
        let path = &line[at..];
        let Some((before, _)) = path.split_once("/site-packages/") else {
            continue;
        };
        let library = Path::new(before);
        let versioned = library
            .file_name()
            .and_then(OsStr::to_str)
            .is_some_and(|name| name.starts_with("python3."));
        if !versioned {
            continue;
        }
        if let Some(prefix) = library.parent().and_then(Path::parent) {
            let prefix = prefix.to_path_buf();
            if !prefixes.contains(&prefix) {
                prefixes.push(prefix);
            }
        }
    }
    prefixes
}

/// The variables of `/proc/<pid>/environ`, separated by zero bytes. None where the program has written over them,
/// as some do to show a title.
fn parse_environ(bytes: &[u8]) -> Option<Vec<(OsString, OsString)>> {
    let mut variables = Vec::new();
    let mut odd = false;
    let entries = bytes.strip_suffix(b"\0").unwrap_or(bytes);
    if entries.is_empty() {
        return bytes.is_empty().then_some(variables);
    }
    for entry in entries.split(|byte| *byte == 0) {
        match entry.iter().position(|byte| *byte == b'=') {
            Some(at) if at > 0 => variables.push((
                OsString::from_vec(entry[..at].to_vec()),
                OsString::from_vec(entry[at + 1..].to_vec()),
            )),
            _ => odd = true,
        }
    }
    (!odd).then_some(variables)
}

fn of_io(error: &io::Error) -> ProcessProblem {
    match error.kind() {
        io::ErrorKind::NotFound => ProcessProblem::Missing,
        _ => ProcessProblem::Denied,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_were_written_over_are_noticed() {
        let good = parse_environ(b"PATH=/usr/bin\0EMPTY=\0EQUATION=a=b\0").unwrap();
        assert_eq!(good.len(), 3);
        assert_eq!(good[2].1, "a=b");
        assert_eq!(parse_environ(b""), Some(Vec::new()));
        // What a program that rewrites its title leaves behind.
        assert_eq!(parse_environ(b"\0\0\0\0\0\0"), None);
        assert_eq!(parse_environ(b"::EngineCore\0\0\0PATH=/usr/bin\0"), None);
    }

    #[test]
    fn all_four_users_of_a_process_are_read() {
        assert_eq!(
            parse_users(
                "Name:\tpython3\nUmask:\t0022\nUid:\t1000\t1000\t0\t1000\nGid:\t1\t1\t1\t1\n"
            ),
            Some(vec![1000, 1000, 0, 1000])
        );
        assert_eq!(parse_users("Name:\tpython3\n"), None);
    }

    #[test]
    fn mapped_packages_tell_the_environment() {
        let maps = "55d0a8a00000-55d0a8a01000 r--p 00000000 08:01 1 /usr/bin/python3.11\n\
            7f2c1a000000-7f2c1a021000 r-xp 00000000 08:01 2                          /home/ada/my env/lib/python3.11/site-packages/torch/lib/libc10.so\n\
            7f2c1b000000-7f2c1b021000 r-xp 00000000 08:01 3                          /home/ada/my env/lib/python3.11/site-packages/numpy/core/x.so\n\
            7f2c1c000000-7f2c1c021000 rw-p 00000000 00:00 0                          [heap]\n";
        assert_eq!(mapped_prefixes(maps), [PathBuf::from("/home/ada/my env")]);
    }
}
