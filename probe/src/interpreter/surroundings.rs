//! What a choice of interpreter may depend on: variables, current folder and root, passed in so that a running
//! program's own can stand in their place.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// Variables and current folder of a process: this one, or one that is examined.
#[derive(Clone)]
pub struct Surroundings {
    variables: Vec<(OsString, OsString)>,
    current_dir: PathBuf,
    root: PathBuf,
}

impl Surroundings {
    /// Those of this process.
    pub fn of_this_process() -> io::Result<Self> {
        let mut own = Self::new(std::env::vars_os(), std::env::current_dir()?);
        // Without the variable the account's own folder still counts, as it does for Python.
        if own.home().is_none()
            && let Some(home) = std::env::home_dir()
        {
            own.variables
                .push((OsString::from(HOME), home.into_os_string()));
        }
        Ok(own)
    }

    /// Those of another process, or of a test.
    pub fn new(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        current_dir: PathBuf,
    ) -> Self {
        let variables = variables
            .into_iter()
            .map(|(name, value)| {
                if cfg!(windows) {
                    (name.to_ascii_uppercase(), value)
                } else {
                    (name, value)
                }
            })
            .collect();
        Self {
            variables,
            current_dir,
            root: PathBuf::from(if cfg!(windows) { "C:\\" } else { "/" }),
        }
    }

    /// The same, with the system's own folders looked for under `root`.
    pub fn with_root(mut self, root: PathBuf) -> Self {
        self.root = root;
        self
    }

    /// The same, with these variables in the place of its own.
    pub fn with_variables(&self, variables: Vec<(OsString, OsString)>) -> Self {
        Self {
            variables,
            ..self.clone()
        }
    }

    /// The value of a variable; none where it is unset or empty.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.raw_variable(name).filter(|value| !value.is_empty())
    }

    /// The value of a variable, which may be empty; none where it is unset.
    pub fn raw_variable(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .iter()
            .rev()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_os_str())
    }

    /// The value of a variable as an absolute path; none where it is unset or empty.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.variable(name)
            .map(|value| self.absolute(Path::new(value)))
    }

    /// The entries of a variable that holds a list of folders, absolute. An empty entry means the current folder.
    pub fn paths(&self, name: &str) -> Vec<PathBuf> {
        self.variable(name)
            .map(|value| {
                std::env::split_paths(value)
                    .map(|entry| self.absolute(&entry))
                    .collect()
            })
            .unwrap_or_default()
    }

    /// `path` as it is meant from the current folder.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        if path.as_os_str().is_empty() {
            self.current_dir.clone()
        } else {
            self.current_dir.join(path)
        }
    }

    /// A folder of the system, given from the root without its leading mark.
    pub fn system(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// The user's own folder.
    pub fn home(&self) -> Option<PathBuf> {
        self.path(HOME)
    }

    /// The current folder.
    pub fn current_dir(&self) -> &Path {
        &self.current_dir
    }

    /// Every variable.
    pub fn variables(&self) -> &[(OsString, OsString)] {
        &self.variables
    }
}

// Variables hold secrets: they never reach a log.
impl std::fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surroundings")
            .field("variables", &self.variables.len())
            .finish_non_exhaustive()
    }
}

const HOME: &str = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
