//! The Pythons that are checked: real ones, and small ones with a stand-in for PyTorch.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The file or folder that a variable names.
///
/// # Panics
/// When the variable is not set.
pub fn named_by(variable: &str) -> PathBuf {
    std::env::var_os(variable)
        .map(PathBuf::from)
        .unwrap_or_else(|| panic!("{variable} is not set: run `cargo xtask test --only rust`"))
}

/// A real environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Environment {
    /// torch 2.13.0, the CUDA build, with all its libraries.
    Torch,
    /// The same without the libraries that it needs: its import fails.
    NoLibraries,
    /// A virtual environment without PyTorch.
    Empty,
    /// Debian's own Python, with a CPU-only build.
    Debian,
}

impl Environment {
    /// Its interpreter.
    pub fn python(self) -> PathBuf {
        match self {
            Self::Torch => named_by("FIRSTFAULT_TEST_TORCH").join("bin/python"),
            Self::NoLibraries => named_by("FIRSTFAULT_TEST_NOLIBS").join("bin/python"),
            Self::Empty => named_by("FIRSTFAULT_TEST_EMPTY").join("bin/python"),
            Self::Debian => named_by("FIRSTFAULT_TEST_DEBIAN_PYTHON"),
        }
    }

    /// Its folder of packages, for one that is a virtual environment.
    pub fn packages(self) -> PathBuf {
        let folder = self.python();
        let lib = folder.ancestors().nth(2).unwrap().join("lib");
        fs::read_dir(&lib)
            .unwrap_or_else(|error| panic!("{}: {error}", lib.display()))
            .map(|entry| entry.unwrap().path().join("site-packages"))
            .find(|packages| packages.is_dir())
            .unwrap_or_else(|| panic!("{} holds no packages", lib.display()))
    }
}

/// A virtual environment with the stand-in for PyTorch, which proves nothing about a GPU.
pub struct StandIn {
    /// Its folder.
    pub folder: PathBuf,
    /// Its folder of packages.
    pub packages: PathBuf,
}

impl StandIn {
    /// A new one in a folder that does not exist yet, of the same interpreter as the empty environment.
    pub fn new(folder: &Path) -> Self {
        let made = Self::without_torch(folder);
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("stand-in/torch/__init__.py");
        fs::create_dir(made.packages.join("torch")).unwrap();
        fs::copy(source, made.packages.join("torch/__init__.py")).unwrap();
        made
    }

    /// A new one without any package.
    pub fn without_torch(folder: &Path) -> Self {
        let pattern = named_by("FIRSTFAULT_TEST_EMPTY");
        fs::create_dir_all(folder.join("bin")).unwrap();
        fs::copy(pattern.join("pyvenv.cfg"), folder.join("pyvenv.cfg")).unwrap();
        symlink(
            fs::canonicalize(pattern.join("bin/python")).unwrap(),
            folder.join("bin/python"),
        )
        .unwrap();
        let version = Environment::Empty.packages();
        let version = version.parent().unwrap().file_name().unwrap();
        let packages = folder.join("lib").join(version).join("site-packages");
        fs::create_dir_all(&packages).unwrap();
        Self {
            folder: folder.to_owned(),
            packages,
        }
    }

    /// Its interpreter.
    pub fn python(&self) -> PathBuf {
        self.folder.join("bin/python")
    }

    /// Adds a file to its packages.
    pub fn add(&self, name: &str, text: &str) {
        fs::write(self.packages.join(name), text).unwrap();
    }
}

/// Every file and folder below `folder`, with the time of its last change, sorted. Links are not followed.
pub fn snapshot(folder: &Path) -> Vec<(OsString, std::time::SystemTime)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            let data = entry.metadata().unwrap();
            if data.is_dir() {
                folders.push(entry.path());
            }
            found.push((entry.path().into_os_string(), data.modified().unwrap()));
        }
    }
    found.sort();
    found
}
