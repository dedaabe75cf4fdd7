//! Which Python is examined. It is settled, and PyTorch's installed metadata is read, before anything is started:
//! everything here reads files and nothing else, so that no broken installation can disturb it.

mod discover;
mod error;
mod installed;
mod kernel;
mod layout;
#[cfg(target_os = "linux")]
mod process;
mod shim;
mod surroundings;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use firstfault_schema::report::Environment;

pub use discover::{Candidate, Origin, discover};
pub use error::{KernelProblem, ProcessProblem, SettleError};
pub use surroundings::Surroundings;

/// Which Python was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Wish {
    /// None by name: the active environment, else `python3` and then `python` on PATH.
    #[default]
    Default,
    /// A path, or a bare name that is looked for on PATH.
    Path(PathBuf),
    /// The interpreter and environment of a running program (Linux).
    Pid(u32),
    /// The interpreter and variables of a Jupyter kernel.
    Kernel(String),
}

/// A Python that was settled on, and what its folders tell.
#[derive(Clone, Debug)]
pub struct Interpreter {
    /// What is to be started: an absolute path whose links are kept, since a link is what makes a virtual environment.
    pub program: PathBuf,
    /// `sys.prefix`; none where it can't be told without starting the interpreter.
    pub prefix: Option<PathBuf>,
    /// Kind of environment.
    pub environment: Environment,
    /// `3.11.7`, or `3.11` where the last part can't be told; none where nothing can.
    pub version: Option<String>,
    /// How it was chosen.
    pub source: Source,
    /// Active environments that hold no Python that can be started, and were passed over.
    pub passed_over: Vec<PassedOver>,
    /// PyTorch as it is installed.
    pub torch: Installed,
    /// Folders of packages, in the order of an import.
    pub package_folders: Vec<PathBuf>,
    /// Variables that it must be started with.
    pub variables: Variables,
    /// Folder that it must be started in; none for the current one.
    pub current_dir: Option<PathBuf>,
}

/// How an interpreter was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// It was named.
    Named,
    /// It is the active environment's.
    Active(ActiveVariable),
    /// It is the first one on PATH.
    SearchPath,
    /// It is the one of a running process.
    Process(u32),
    /// It is the one of a Jupyter kernel.
    Kernel(String),
}

/// The variable that names an active environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActiveVariable {
    /// `VIRTUAL_ENV`.
    VirtualEnv,
    /// `CONDA_PREFIX`.
    CondaPrefix,
}

impl ActiveVariable {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::VirtualEnv => "VIRTUAL_ENV",
            Self::CondaPrefix => "CONDA_PREFIX",
        }
    }
}

/// An active environment that could not be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedOver {
    /// The variable that names it.
    pub variable: ActiveVariable,
    /// Why.
    pub problem: SettleError,
}

/// PyTorch as it is installed, by the files alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Installed {
    /// It is there; whether it imports is another question.
    Present(Box<Package>),
    /// It is in none of the folders that this Python imports from.
    Missing,
    /// The folders of this Python can't be told without starting it.
    Unresolved(Unresolved),
}

/// Why the folders of an interpreter can't be told from files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unresolved {
    /// It is a script that starts something else.
    Script,
    /// The program that a link leads to isn't called Python.
    NoPythonName,
    /// No standard library lies above it.
    NoPrefix,
    /// It has no folder of packages.
    NoPackages,
}

/// An installed PyTorch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Version in the installer's record; none where there is no record.
    pub version: Option<String>,
    /// `__version__` in `torch/version.py`, which also carries the build, for example `2.13.0+cu130`.
    pub module_version: Option<String>,
    /// CUDA version in `torch/version.py`; none on other builds.
    pub cuda: Option<String>,
    /// HIP version in `torch/version.py`; none on other builds.
    pub hip: Option<String>,
    /// The kind of build; none where `torch/version.py` can't be read.
    pub build: Option<Build>,
    /// The package's folder; none where only the record is there.
    pub folder: Option<PathBuf>,
    /// The folder that holds libtorch; none where it holds none.
    pub lib_dir: Option<PathBuf>,
    /// Which kind of folder it lies in.
    pub place: Place,
    /// Versions of further ones that the same Python could see; empty texts where they tell none.
    pub others: Vec<String>,
}

impl Package {
    /// The version to show: the module's own where there is one, since it names the build.
    pub fn shown_version(&self) -> Option<&str> {
        self.module_version.as_deref().or(self.version.as_deref())
    }
}

/// The kind of a PyTorch build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// For CUDA.
    Cuda,
    /// For ROCm.
    Rocm,
    /// For Intel's GPUs.
    Xpu,
    /// For none of them.
    Cpu,
}

/// Which kind of folder a package lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// An entry of PYTHONPATH.
    PythonPath,
    /// The environment's own packages.
    Environment,
    /// The user's own packages, outside of every environment.
    UserSite,
    /// The operating system's packages.
    System,
}

/// Variables that an interpreter must be started with.
#[derive(Clone, PartialEq, Eq)]
pub enum Variables {
    /// Those of this process.
    Own,
    /// Those of this process, and these.
    OwnAnd(Vec<(OsString, OsString)>),
    /// These alone.
    Exactly(Vec<(OsString, OsString)>),
}

impl Variables {
    /// Every variable that the interpreter gets.
    pub fn all(&self) -> Vec<(OsString, OsString)> {
        match self {
            Self::Own => std::env::vars_os().collect(),
            Self::OwnAnd(added) => {
                let mut all: Vec<_> = std::env::vars_os()
                    .filter(|(name, _)| !added.iter().any(|(other, _)| other == name))
                    .collect();
                all.extend(added.iter().cloned());
                all
            }
            Self::Exactly(all) => all.clone(),
        }
    }

    /// Sets them for `command`.
    pub fn apply(&self, command: &mut std::process::Command) {
        match self {
            Self::Own => {}
            Self::OwnAnd(added) => {
                command.envs(added.iter().map(|(name, value)| (name, value)));
            }
            Self::Exactly(all) => {
                command.env_clear();
                command.envs(all.iter().map(|(name, value)| (name, value)));
            }
        }
    }
}

// Variables hold secrets: they never reach a log.
impl std::fmt::Debug for Variables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Own => f.write_str("Own"),
            Self::OwnAnd(added) => write!(f, "OwnAnd({} variables)", added.len()),
            Self::Exactly(all) => write!(f, "Exactly({} variables)", all.len()),
        }
    }
}

/// Settles which Python is examined. Reads files and starts nothing.
pub fn settle(wish: &Wish, surroundings: &Surroundings) -> Result<Interpreter, SettleError> {
    match wish {
        Wish::Default => settle_default(surroundings),
        Wish::Path(given) => {
            let program = locate(given, surroundings)?;
            Ok(describe(program, Source::Named, surroundings))
        }
        Wish::Kernel(name) => kernel::settle(name, surroundings),
        #[cfg(target_os = "linux")]
        Wish::Pid(pid) => process::settle(*pid),
        #[cfg(not(target_os = "linux"))]
        Wish::Pid(pid) => Err(SettleError::Process {
            pid: *pid,
            problem: ProcessProblem::Unsupported,
        }),
    }
}

fn settle_default(surroundings: &Surroundings) -> Result<Interpreter, SettleError> {
    let mut passed_over = Vec::new();
    for (variable, prefix) in active_environments(surroundings) {
        match python_of(&prefix) {
            Ok(program) => {
                let mut settled = describe(program, Source::Active(variable), surroundings);
                settled.passed_over = passed_over;
                return Ok(settled);
            }
            Err(problem) => passed_over.push(PassedOver { variable, problem }),
        }
    }
    for name in ["python3", "python"] {
        match locate(Path::new(name), surroundings) {
            Ok(program) => {
                let mut settled = describe(program, Source::SearchPath, surroundings);
                settled.passed_over = passed_over;
                return Ok(settled);
            }
            Err(SettleError::NotOnSearchPath { .. }) => {}
            // What `python3` would do is fail: taking another name instead would judge another Python.
            Err(problem) => return Err(problem),
        }
    }
    Err(SettleError::NoneFound)
}

/// The active environments, the one whose programs come first on PATH before the other.
fn active_environments(surroundings: &Surroundings) -> Vec<(ActiveVariable, PathBuf)> {
    let search_path = surroundings.paths("PATH");
    let mut active: Vec<(usize, ActiveVariable, PathBuf)> =
        [ActiveVariable::VirtualEnv, ActiveVariable::CondaPrefix]
            .into_iter()
            .filter_map(|variable| {
                let prefix = surroundings.path(variable.name())?;
                let rank = search_path
                    .iter()
                    .position(|folder| *folder == prefix || folder.starts_with(prefix.join(BIN)))
                    .unwrap_or(usize::MAX);
                Some((rank, variable, prefix))
            })
            .collect();
    active.sort_by_key(|(rank, ..)| *rank);
    active
        .into_iter()
        .map(|(_, variable, prefix)| (variable, prefix))
        .collect()
}

const BIN: &str = if cfg!(windows) { "Scripts" } else { "bin" };

/// The Python of the environment `prefix`.
fn python_of(prefix: &Path) -> Result<PathBuf, SettleError> {
    let candidates = if cfg!(windows) {
        vec![
            prefix.join("Scripts").join("python.exe"),
            prefix.join("python.exe"),
        ]
    } else {
        vec![
            prefix.join("bin").join("python"),
            prefix.join("bin").join("python3"),
        ]
    };
    let mut first_problem = None;
    for candidate in &candidates {
        match check_executable(candidate) {
            Ok(()) => return Ok(candidate.clone()),
            // A link that leads nowhere says more than a name that isn't there.
            Err(problem @ SettleError::NotFound { .. }) => {
                first_problem.get_or_insert(problem);
            }
            Err(problem) => {
                if !matches!(
                    first_problem,
                    Some(ref known) if !matches!(known, SettleError::NotFound { .. })
                ) {
                    first_problem = Some(problem);
                }
            }
        }
    }
    Err(first_problem.unwrap_or(SettleError::NotFound {
        path: prefix.to_path_buf(),
    }))
}

/// Finds what `given` means: a bare name on PATH, anything else from the current folder; shims are followed.
fn locate(given: &Path, surroundings: &Surroundings) -> Result<PathBuf, SettleError> {
    let bare = given.components().count() == 1
        && given.file_name() == Some(given.as_os_str())
        && !given.as_os_str().is_empty();
    let program = if bare {
        search(given, surroundings).ok_or_else(|| SettleError::NotOnSearchPath {
            name: given.to_string_lossy().into_owned(),
        })?
    } else {
        surroundings.absolute(given)
    };
    check_executable(&program)?;
    match shim::resolve(&program, surroundings) {
        shim::Shim::None => Ok(program),
        shim::Shim::Resolved(real) => Ok(real),
        shim::Shim::Failing(problem) => Err(problem),
    }
}

/// The first executable file of this name on PATH.
fn search(name: &Path, surroundings: &Surroundings) -> Option<PathBuf> {
    let with_suffix = cfg!(windows) && name.extension().is_none();
    surroundings
        .paths("PATH")
        .into_iter()
        .map(|folder| {
            let path = folder.join(name);
            if with_suffix {
                path.with_extension("exe")
            } else {
                path
            }
        })
        .find(|path| is_executable(path))
}

fn check_executable(path: &Path) -> Result<(), SettleError> {
    let data = match std::fs::metadata(path) {
        Ok(data) => data,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(match std::fs::read_link(path) {
                Ok(target) => SettleError::BrokenLink {
                    path: path.to_path_buf(),
                    target,
                },
                Err(_) => SettleError::NotFound {
                    path: path.to_path_buf(),
                },
            });
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
            return Err(SettleError::NotFound {
                path: path.to_path_buf(),
            });
        }
        Err(error) => {
            return Err(SettleError::Unreadable {
                path: path.to_path_buf(),
                kind: error.kind(),
            });
        }
    };
    if data.is_dir() {
        let inside = python_of(path).ok();
        return Err(SettleError::IsFolder {
            path: path.to_path_buf(),
            inside,
        });
    }
    if is_executable(path) {
        Ok(())
    } else {
        Err(SettleError::NotExecutable {
            path: path.to_path_buf(),
        })
    }
}

/// Whether `path` is a file that this user may execute.
fn is_executable(path: &Path) -> bool {
    if !path.is_file() {
        return false;
    }
    #[cfg(unix)]
    {
        rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
    }
    #[cfg(not(unix))]
    {
        true
    }
}

/// Describes `program` again in a process that was started with its variables.
pub(crate) fn describe_own(program: PathBuf, surroundings: &Surroundings) -> Interpreter {
    describe(program, Source::Named, surroundings)
}

/// Describes `program`, started with the variables of `surroundings`, which must be this process's.
fn describe(program: PathBuf, source: Source, surroundings: &Surroundings) -> Interpreter {
    let layout = layout::of(&program, surroundings);
    let torch = installed::read(&layout.sites).unwrap_or(match layout.unresolved {
        Some(why) => Installed::Unresolved(why),
        None => Installed::Missing,
    });
    Interpreter {
        program,
        prefix: layout.prefix,
        environment: layout.environment,
        version: layout.version,
        source,
        passed_over: Vec::new(),
        torch,
        package_folders: layout.sites.into_iter().map(|site| site.folder).collect(),
        variables: Variables::Own,
        current_dir: None,
    }
}

/// The first `most` bytes of a regular file, as text.
pub(crate) fn read_start(path: &Path, most: u64) -> Option<String> {
    use std::io::Read;
    // Opening a named pipe would wait for a writer.
    if !path.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .ok()?
        .take(most)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The names in a folder, `most` of them; none where it can't be read.
pub(crate) fn names_in(folder: &Path, most: usize) -> Vec<OsString> {
    std::fs::read_dir(folder)
        .map(|entries| {
            entries
                .take(most)
                .filter_map(|entry| Some(entry.ok()?.file_name()))
                .collect()
        })
        .unwrap_or_default()
}
