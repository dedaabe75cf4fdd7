//! Every Python that a person might mean, from files alone.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::{
    Interpreter, SettleError, Source, Surroundings, Wish, describe, kernel, layout, locate,
    python_of, settle,
};

/// The most candidates that are described.
const MOST: usize = 256;
/// The most entries of one folder that are looked at.
const MOST_ENTRIES: usize = 2048;

/// A Python that a person might mean.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// How it came up, each way once, in the order of [`Origin`].
    pub origins: Vec<Origin>,
    /// What it is, or why it can't be started.
    pub found: Result<Interpreter, SettleError>,
    /// Whether `check` takes it when nothing else is asked for.
    pub chosen: bool,
}

/// How a Python came up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The active environment.
    Active,
    /// A folder on PATH.
    SearchPath,
    /// An environment in or near the current folder.
    Project,
    /// A conda environment.
    Conda,
    /// A version of pyenv.
    Pyenv,
    /// A folder in which tools keep environments.
    Collection,
    /// A Jupyter kernel of this name.
    Kernel(String),
    /// A running program with this number.
    Process(u32),
}

/// Finds every candidate: the one that `check` would take first, then by how it came up, then by path. `running` is
/// the interpreter of a running program, which stands for itself: its own variables may show it other packages.
pub fn discover(surroundings: &Surroundings, running: Option<Interpreter>) -> Vec<Candidate> {
    let mut found = Found::new(surroundings);
    let default = settle(&Wish::Default, surroundings);
    found.active();
    found.search_path();
    found.project();
    found.conda();
    found.pyenv();
    found.collections();
    found.kernels();
    let mut candidates = found.into_candidates();
    let chosen = default.ok().map(|settled| identity(&settled.program));
    for candidate in &mut candidates {
        if let Ok(interpreter) = &candidate.found {
            candidate.chosen = Some(identity(&interpreter.program)) == chosen;
        }
    }
    if let Some(interpreter) = running
        && let Source::Process(pid) = interpreter.source
    {
        candidates.push(Candidate {
            origins: vec![Origin::Process(pid)],
            found: Ok(interpreter),
            chosen: false,
        });
    }
    candidates.sort_by(|left, right| {
        let key = |candidate: &Candidate| (!candidate.chosen, candidate.origins.first().cloned());
        key(left)
            .cmp(&key(right))
            .then_with(|| path_of(left).cmp(path_of(right)))
    });
    candidates
}

fn path_of(candidate: &Candidate) -> &Path {
    match &candidate.found {
        Ok(interpreter) => &interpreter.program,
        Err(problem) => problem.path().unwrap_or(Path::new("")),
    }
}

/// What makes two paths the same Python: the same executable in the same environment.
fn identity(program: &Path) -> (PathBuf, Option<PathBuf>) {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    (
        real(program),
        layout::venv_folder(program).map(|folder| real(&folder)),
    )
}

type Identity = (PathBuf, Option<PathBuf>);

struct Found<'a> {
    surroundings: &'a Surroundings,
    candidates: Vec<Candidate>,
    by_identity: HashMap<Identity, usize>,
}

impl<'a> Found<'a> {
    fn new(surroundings: &'a Surroundings) -> Self {
        Self {
            surroundings,
            candidates: Vec::new(),
            by_identity: HashMap::new(),
        }
    }

    fn into_candidates(mut self) -> Vec<Candidate> {
        for candidate in &mut self.candidates {
            candidate.origins.sort();
            candidate.origins.dedup();
        }
        self.candidates
    }

    fn add(&mut self, program: PathBuf, origin: Origin) {
        let identity = identity(&program);
        // PyTorch never ran on Python 2 in a version that anybody would examine.
        let real_name = identity.0.file_name().unwrap_or_default();
        if real_name.to_string_lossy().starts_with("python2") {
            return;
        }
        if let Some(known) = self.by_identity.get(&identity) {
            self.candidates[*known].origins.push(origin);
        } else if self.candidates.len() < MOST {
            let interpreter = describe(program, Source::Named, self.surroundings);
            self.push(identity, origin, Ok(interpreter));
        }
    }

    fn push(
        &mut self,
        identity: Identity,
        origin: Origin,
        found: Result<Interpreter, SettleError>,
    ) {
        self.by_identity.insert(identity, self.candidates.len());
        self.candidates.push(Candidate {
            origins: vec![origin],
            found,
            chosen: false,
        });
    }

    /// Adds the Python of an environment; a broken one is worth showing, since somebody may mean it.
    fn add_environment(&mut self, prefix: &Path, origin: Origin) {
        let is_environment = is_environment(prefix);
        match python_of(prefix) {
            Ok(program) => self.add(program, origin),
            Err(problem) if is_environment => {
                let identity = (prefix.to_path_buf(), None);
                // A conda environment without Python is a usual thing, not a broken one.
                let usual = matches!(problem, SettleError::NotFound { .. })
                    && !prefix.join("pyvenv.cfg").is_file();
                if let Some(known) = self.by_identity.get(&identity) {
                    self.candidates[*known].origins.push(origin);
                } else if !usual && self.candidates.len() < MOST {
                    self.push(identity, origin, Err(problem));
                }
            }
            Err(_) => {}
        }
    }

    fn add_environments_in(&mut self, folder: &Path, origin: &Origin) {
        for name in sorted_names(folder) {
            let prefix = folder.join(name);
            // Only pyenv and uv keep whole installations that carry no mark of an environment.
            if matches!(origin, Origin::Pyenv | Origin::Collection) || is_environment(&prefix) {
                self.add_environment(&prefix, origin.clone());
            }
        }
    }

    fn active(&mut self) {
        for name in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
            if let Some(prefix) = self.surroundings.path(name) {
                self.add_environment(&prefix, Origin::Active);
            }
        }
    }

    fn search_path(&mut self) {
        let mut folders = self.surroundings.paths("PATH");
        // Common places count even where PATH was cut short, as it is for services.
        for common in ["usr/local/bin", "usr/bin", "opt/homebrew/bin"] {
            folders.push(self.surroundings.system(common));
        }
        let mut names = vec!["python3".to_owned(), "python".to_owned()];
        names.extend((7..=20).map(|minor| format!("python3.{minor}")));
        names.extend((13..=20).map(|minor| format!("python3.{minor}t")));
        let mut seen = Vec::new();
        for folder in folders {
            if seen.contains(&folder) {
                continue;
            }
            for name in &names {
                let path = folder.join(if cfg!(windows) {
                    format!("{name}.exe")
                } else {
                    name.clone()
                });
                // A shim for a version that isn't installed is no candidate: pyenv makes one for every name it knows.
                if path.exists()
                    && let Ok(program) = locate(&path, self.surroundings)
                {
                    self.add(program, Origin::SearchPath);
                }
            }
            seen.push(folder);
        }
    }

    fn project(&mut self) {
        const MOST_ANCESTORS: usize = 6;
        let here = self.surroundings.current_dir().to_path_buf();
        let home = self.surroundings.home();
        self.add_environments_in(&here, &Origin::Project);
        for folder in here.ancestors().take(MOST_ANCESTORS) {
            if Some(folder) == home.as_deref() && folder != here {
                break;
            }
            for name in [".venv", "venv", "env"] {
                self.add_environment(&folder.join(name), Origin::Project);
            }
            self.add_environments_in(&folder.join(".pixi/envs"), &Origin::Project);
        }
    }

    fn conda(&mut self) {
        let surroundings = self.surroundings;
        let mut prefixes: Vec<PathBuf> = Vec::new();
        if let Some(home) = surroundings.home() {
            let listed = super::read_start(&home.join(".conda/environments.txt"), 64 * 1024);
            prefixes.extend(listed.unwrap_or_default().lines().map(PathBuf::from));
        }
        let mut roots: Vec<PathBuf> = ["CONDA_PREFIX", "MAMBA_ROOT_PREFIX"]
            .into_iter()
            .filter_map(|name| surroundings.path(name))
            .collect();
        // CONDA_EXE is <root>/bin/conda.
        roots.extend(
            surroundings
                .path("CONDA_EXE")
                .and_then(|exe| Some(exe.parent()?.parent()?.to_path_buf())),
        );
        let names = [
            "miniconda3",
            "anaconda3",
            "miniforge3",
            "mambaforge",
            "micromamba",
        ];
        if let Some(home) = surroundings.home() {
            roots.extend(names.iter().map(|name| home.join(name)));
        }
        roots.push(surroundings.system("opt/conda"));
        roots.extend(
            names
                .iter()
                .map(|name| surroundings.system("opt").join(name)),
        );
        let mut folders: Vec<PathBuf> = roots.iter().map(|root| root.join("envs")).collect();
        for name in ["CONDA_ENVS_PATH", "CONDA_ENVS_DIRS"] {
            folders.extend(surroundings.paths(name));
        }
        prefixes.extend(roots);
        for prefix in prefixes {
            if prefix.is_absolute() && prefix.join("conda-meta").is_dir() {
                self.add_environment(&prefix, Origin::Conda);
            }
        }
        for folder in folders {
            self.add_environments_in(&folder, &Origin::Conda);
        }
    }

    fn pyenv(&mut self) {
        let root = self
            .surroundings
            .path("PYENV_ROOT")
            .or_else(|| Some(self.surroundings.home()?.join(".pyenv")));
        if let Some(root) = root {
            let versions = root.join("versions");
            for name in sorted_names(&versions) {
                let version = versions.join(name);
                self.add_environment(&version, Origin::Pyenv);
                self.add_environments_in(&version.join("envs"), &Origin::Pyenv);
            }
        }
    }

    /// Folders in which virtualenvwrapper, pipenv, poetry, hatch, uv and images for rented hosts keep environments.
    fn collections(&mut self) {
        let surroundings = self.surroundings;
        let mut folders: Vec<PathBuf> = ["WORKON_HOME", "UV_PYTHON_INSTALL_DIR"]
            .into_iter()
            .filter_map(|name| surroundings.path(name))
            .collect();
        if let Some(home) = surroundings.home() {
            folders.extend(
                [
                    ".virtualenvs",
                    "venvs",
                    ".venvs",
                    ".local/share/virtualenvs",
                    ".cache/pypoetry/virtualenvs",
                    ".local/share/hatch/env/virtual",
                    ".local/share/uv/python",
                ]
                .iter()
                .map(|name| home.join(name)),
            );
        }
        folders.push(surroundings.system("venv"));
        folders.push(surroundings.system("workspace"));
        for folder in folders {
            self.add_environments_in(&folder, &Origin::Collection);
        }
        for prefix in ["venv", "opt/venv", "opt/venvs"] {
            self.add_environment(&surroundings.system(prefix), Origin::Collection);
        }
    }

    fn kernels(&mut self) {
        let prefixes: Vec<PathBuf> = self
            .candidates
            .iter()
            .filter_map(|candidate| candidate.found.as_ref().ok()?.prefix.clone())
            .collect();
        for kernel in kernel::list(self.surroundings, &prefixes) {
            let origin = Origin::Kernel(kernel.name.clone());
            match kernel.interpreter(self.surroundings) {
                Ok(settled) => {
                    let identity = identity(&settled.program);
                    if let Some(known) = self.by_identity.get(&identity) {
                        self.candidates[*known].origins.push(origin);
                    } else if self.candidates.len() < MOST {
                        self.push(identity, origin, Ok(settled));
                    }
                }
                // A kernel for another language is nobody's Python.
                Err(SettleError::BadKernel {
                    problem: super::KernelProblem::OtherLanguage,
                    ..
                }) => {}
                Err(problem) => {
                    let key = (
                        problem.path().map(Path::to_path_buf).unwrap_or_default(),
                        Some(PathBuf::from(&kernel.name)),
                    );
                    if self.candidates.len() < MOST {
                        self.push(key, origin, Err(problem));
                    }
                }
            }
        }
    }
}

fn is_environment(prefix: &Path) -> bool {
    prefix.join("pyvenv.cfg").is_file() || prefix.join("conda-meta").is_dir()
}

fn sorted_names(folder: &Path) -> Vec<std::ffi::OsString> {
    let mut names = super::names_in(folder, MOST_ENTRIES);
    names.sort();
    names
}
