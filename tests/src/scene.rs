//! A place of its own for a test: folders that nobody else writes to, and the program run in them.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::ended::Ended;
use crate::environments::{StandIn, named_by};
use crate::processes::{self, MARK};

/// What is kept of a stream: more than any answer has.
const KEPT_BYTES: usize = 16 * 1024 * 1024;

/// Folders of one test: `home`, `state`, `work` (the current one) and what the test adds.
pub struct Scene {
    folder: tempfile::TempDir,
}

impl Default for Scene {
    fn default() -> Self {
        Self::new()
    }
}

impl Scene {
    /// New folders.
    pub fn new() -> Self {
        Self::in_folder(&std::env::temp_dir())
    }

    /// New folders below `parent`.
    pub fn in_folder(parent: &Path) -> Self {
        let folder = tempfile::tempdir_in(parent).unwrap();
        for name in ["home", "state", "work"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    /// A place below the scene's folder.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A place in the current folder of the runs.
    pub fn work(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join("work").join(name)
    }

    /// A false `nvidia-smi` with one card, which tells its driver, its memory in use in MiB, and the memory of each process.
    /// Gives the folder for PATH; another call takes the place of the first.
    pub fn nvidia_smi(&self, driver: &str, used: u64, processes: &[u64]) -> PathBuf {
        let uuid = "GPU-7d1c2f60-9a4e-4b1d-8c55-0e6f3a2b1c9d";
        let mut script = format!(
            "#!/bin/sh\ncase \"$1\" in\n--query-gpu=*) echo '{uuid}, NVIDIA H200, 143771, {used}, {driver}' ;;\n--query-compute-apps=*) :\n"
        );
        for process in processes {
            script += &format!("echo '{uuid}, {process}'\n");
        }
        script += ";;\n*) exit 2 ;;\nesac\n";
        let folder = self.path("false-bin");
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("nvidia-smi");
        // A script that is being executed can't be written to, but can be replaced.
        let _ = fs::remove_file(&path);
        fs::write(&path, script).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&path, mode).unwrap();
        folder
    }

    /// The names in the current folder of the runs, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.path("work"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// A new virtual environment with the stand-in for PyTorch.
    pub fn stand_in(&self) -> StandIn {
        StandIn::new(&self.path("venv"))
    }

    /// The folder of a new virtual environment without any package.
    pub fn stand_in_without_torch(&self) -> PathBuf {
        StandIn::without_torch(&self.path("venv")).folder
    }

    /// The program with these arguments.
    pub fn run<I>(&self, arguments: I) -> Run
    where
        I: IntoIterator,
        I::Item: AsRef<OsStr>,
    {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let mut run = Run {
            wrapper: Vec::new(),
            arguments: Vec::new(),
            variables: Vec::new(),
            folder: self.path("work"),
            mark: format!("{}-{number}", std::process::id()),
            limit: Duration::from_secs(60),
            input: Stdio::null(),
            program: named_by("FIRSTFAULT_BIN"),
        };
        run.variables = [
            ("PATH", OsString::from("/usr/bin:/bin")),
            ("HOME", self.path("home").into()),
            ("XDG_STATE_HOME", self.path("state").into()),
            ("LANG", "C.UTF-8".into()),
            (MARK, run.mark.clone().into()),
        ]
        .map(|(name, value)| (name.into(), value))
        .to_vec();
        run.args(arguments)
    }

    /// `firstfault check` of this Python with these arguments, its report as JSON.
    pub fn check<I>(&self, python: &Path, arguments: I) -> Run
    where
        I: IntoIterator,
        I::Item: AsRef<OsStr>,
    {
        self.run(["check", "--json", "--python"])
            .args([python])
            .args(arguments)
    }
}

/// The program, about to be run.
pub struct Run {
    wrapper: Vec<OsString>,
    arguments: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    folder: PathBuf,
    mark: String,
    limit: Duration,
    input: Stdio,
    program: PathBuf,
}

impl Run {
    /// Further arguments.
    pub fn args<I>(mut self, arguments: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<OsStr>,
    {
        self.arguments
            .extend(arguments.into_iter().map(|text| text.as_ref().to_owned()));
        self
    }

    /// Takes an argument away.
    pub fn without_arg(mut self, argument: &str) -> Self {
        self.arguments.retain(|known| known != argument);
        self
    }

    /// A variable; it replaces an earlier one of that name.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.variables.retain(|(known, _)| known != name.as_ref());
        self.variables
            .push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Takes a variable away.
    pub fn without_env(mut self, name: &str) -> Self {
        self.variables.retain(|(known, _)| known != name);
        self
    }

    /// What the stand-in for PyTorch is to do.
    pub fn stand_in(self, words: &str) -> Self {
        self.env("STAND_IN", words)
    }

    /// Another current folder.
    pub fn folder(mut self, folder: &Path) -> Self {
        folder.clone_into(&mut self.folder);
        self
    }

    /// A file as standard input.
    pub fn input(mut self, file: &Path) -> Self {
        self.input = fs::File::open(file).unwrap().into();
        self
    }

    /// The program by another path.
    pub fn program(mut self, path: &Path) -> Self {
        path.clone_into(&mut self.program);
        self
    }

    /// The longest that the program may take before the test gives up on it.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// A command in front of the program, such as `prlimit --core=0`.
    pub fn wrapped<I>(mut self, words: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<OsStr>,
    {
        self.wrapper = words
            .into_iter()
            .map(|word| word.as_ref().to_owned())
            .collect();
        self
    }

    /// Starts it, in a process group of its own.
    pub fn start(self) -> Running {
        let program = self.program.into_os_string();
        let words: Vec<OsString> = self
            .wrapper
            .iter()
            .chain([&program])
            .chain(&self.arguments)
            .cloned()
            .collect();
        let mut command = Command::new(&words[0]);
        command
            .args(&words[1..])
            .env_clear()
            .envs(self.variables)
            .current_dir(&self.folder)
            .process_group(0)
            .stdin(self.input)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let began = Instant::now();
        let mut child = command
            .spawn()
            .unwrap_or_else(|error| panic!("{words:?}: {error}"));
        let stdout = keep(child.stdout.take().unwrap());
        let stderr = keep(child.stderr.take().unwrap());
        Running {
            words,
            folder: self.folder,
            mark: self.mark,
            limit: self.limit,
            began,
            child,
            stdout: Some(stdout),
            stderr: Some(stderr),
            peak_kib: 0,
        }
    }

    /// Runs it to its end.
    pub fn end(self) -> Ended {
        self.start().end()
    }
}

/// The program at work.
pub struct Running {
    words: Vec<OsString>,
    folder: PathBuf,
    mark: String,
    limit: Duration,
    began: Instant,
    child: Child,
    stdout: Option<JoinHandle<Vec<u8>>>,
    stderr: Option<JoinHandle<Vec<u8>>>,
    peak_kib: u64,
}

impl Running {
    /// The mark that all its processes carry.
    pub fn mark(&self) -> &str {
        &self.mark
    }

    /// Its process number.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// How long ago it was started.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Sends a signal to the program alone.
    pub fn signal(&self, signal: Signal) {
        let _ = kill_process(Pid::from_child(&self.child), signal);
    }

    /// Sends a signal to its whole process group, as a terminal does.
    pub fn signal_group(&self, signal: Signal) {
        let _ = kill_process_group(Pid::from_child(&self.child), signal);
    }

    /// Waits until `what` has come true.
    pub fn until(&mut self, what: &str, mut holds: impl FnMut(&Self) -> bool) {
        while !holds(self) {
            assert!(
                matches!(self.child.try_wait(), Ok(None)),
                "ended before {what}: {:?}",
                self.words
            );
            assert!(
                self.began.elapsed() < self.limit,
                "{what} never came: {:?}",
                self.words
            );
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits until the Python worker is at work.
    pub fn until_python_works(&mut self) {
        self.until("a Python worker", |running| {
            processes::marked(&running.mark)
                .iter()
                .any(|(_, line)| line.contains(" -B -c ") && !line.contains("__keeper"))
        });
    }

    /// Waits for its end. Nothing may be left running then.
    pub fn end(mut self) -> Ended {
        let status = self.wait();
        let elapsed = self.began.elapsed();
        let text = |reader: &mut Option<JoinHandle<Vec<u8>>>| {
            String::from_utf8_lossy(&reader.take().unwrap().join().unwrap()).into_owned()
        };
        let ended = Ended {
            command: self.words.clone(),
            folder: self.folder.clone(),
            status: status.unwrap_or_default(),
            stdout: text(&mut self.stdout),
            stderr: text(&mut self.stderr),
            elapsed,
            peak_kib: self.peak_kib,
        };
        assert!(
            status.is_some(),
            "not ended after {} s\n{ended}",
            self.limit.as_secs()
        );
        // A process that was killed takes a moment to leave.
        let left = processes::left_after(&self.mark, Duration::from_secs(3));
        assert!(left.is_empty(), "left running: {left:?}\n{ended}");
        ended
    }

    /// Its status; none when it had to be killed.
    fn wait(&mut self) -> Option<ExitStatus> {
        loop {
            if let Some(peak) = processes::peak_kib(self.child.id()) {
                self.peak_kib = peak;
            }
            if let Some(status) = self.child.try_wait().unwrap() {
                return Some(status);
            }
            if self.began.elapsed() > self.limit {
                self.signal_group(Signal::KILL);
                let _ = self.child.wait();
                return None;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }
}

fn keep(mut stream: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut kept = Vec::new();
        let mut block = [0; 64 * 1024];
        while let Ok(read @ 1..) = stream.read(&mut block) {
            if kept.len() < KEPT_BYTES {
                kept.extend_from_slice(&block[..read]);
            }
        }
        kept
    })
}
