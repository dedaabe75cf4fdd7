//! Where things are, and how commands are started from here.

use std::cell::OnceCell;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::Error;
use crate::progress::Progress;

/// The checkout that this tool works in.
pub(crate) struct Project {
    root: PathBuf,
    target: PathBuf,
    version: String,
    cargo: OsString,
    /// Library folders that were there before `cargo run` added its own; none where there were none.
    library_path: Option<OsString>,
    sysroot: OnceCell<PathBuf>,
}

impl Project {
    /// Asks cargo where the checkout and its target folder are.
    pub(crate) fn find() -> Result<Self, Error> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(&cargo);
        command.args(["metadata", "--no-deps", "--format-version", "1"]);
        if let Some(manifest) = env::var_os("CARGO_MANIFEST_DIR") {
            command.current_dir(manifest);
        }
        let metadata: serde_json::Value =
            serde_json::from_str(&answer(&mut command)?).unwrap_or_default();
        let folder = |key: &str| metadata[key].as_str().map(PathBuf::from);
        let (Some(root), Some(target)) = (folder("workspace_root"), folder("target_directory"))
        else {
            return Err(Error::Answer {
                program: "cargo metadata".to_owned(),
                answer: "no workspace".to_owned(),
            });
        };
        let library_path = inherited_library_path(&target);
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Ok(Self {
            root,
            target,
            version,
            cargo,
            library_path,
            sysroot: OnceCell::new(),
        })
    }

    /// The checkout.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Cargo's target folder, which also holds the environments and tools.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// The version of every package here.
    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    /// A command in the checkout, without what `cargo run` added to the environment.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        for (name, _) in env::vars_os() {
            if is_from_cargo_run(&name.to_string_lossy()) {
                command.env_remove(name);
            }
        }
        match &self.library_path {
            Some(path) => command.env("LD_LIBRARY_PATH", path),
            None => command.env_remove("LD_LIBRARY_PATH"),
        };
        command
    }

    /// Cargo, as it was called.
    pub(crate) fn cargo(&self) -> Command {
        self.command(&self.cargo)
    }

    /// The folder of the Rust toolchain in use.
    pub(crate) fn sysroot(&self) -> Result<&Path, Error> {
        if let Some(known) = self.sysroot.get() {
            return Ok(known);
        }
        let found = answer(self.command("rustc").args(["--print", "sysroot"]))?;
        Ok(self.sysroot.get_or_init(|| PathBuf::from(found.trim())))
    }

    /// The platform that the compiler builds for here, for example `x86_64-unknown-linux-gnu`.
    pub(crate) fn host(&self) -> Result<String, Error> {
        let text = answer(self.command("rustc").arg("-vV"))?;
        match text.lines().find_map(|line| line.strip_prefix("host: ")) {
            Some(host) => Ok(host.to_owned()),
            None => Err(Error::Answer {
                program: "rustc -vV".to_owned(),
                answer: text,
            }),
        }
    }

    /// Compiler flags for what is passed on: panic messages hold source paths, which must not name the builder's folders.
    pub(crate) fn remap(&self) -> String {
        let home = env::var_os("CARGO_HOME")
            .map(PathBuf::from)
            .or_else(|| env::home_dir().map(|home| home.join(".cargo")));
        let mut flags = format!("--remap-path-prefix={}=firstfault", self.root.display());
        if let Some(home) = home {
            flags.push_str(&format!(" --remap-path-prefix={}=cargo", home.display()));
        }
        flags
    }

    /// Held while a task runs: two tasks at once would set up the same things over each other.
    pub(crate) fn lock(&self, progress: &Progress) -> Result<File, Error> {
        let folder = self.target.join("xtask");
        fs::create_dir_all(&folder).map_err(Error::file("create", &folder))?;
        let path = folder.join("lock");
        let file = File::create(&path).map_err(Error::file("write", &path))?;
        if file.try_lock().is_err() {
            progress.note("another `cargo xtask` works in this checkout: waiting until it is done");
            file.lock().map_err(Error::file("lock", &path))?;
        }
        Ok(file)
    }
}

/// Runs a quick command that must end well; gives its standard output.
pub(crate) fn answer(command: &mut Command) -> Result<String, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|source| Error::Start {
            program: program.clone(),
            source,
        })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Error::Answer {
            program,
            answer: format!("{}: {said}", output.status),
        });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The first program of this name on PATH.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

/// PATH with `folder` before everything else.
pub(crate) fn path_with(folder: &Path) -> OsString {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_owned()).chain(env::split_paths(&path));
    // Only a folder whose own name holds the separator can't be joined; then the old value stays.
    env::join_paths(folders).unwrap_or(path)
}

fn is_from_cargo_run(name: &str) -> bool {
    name.starts_with("CARGO_PKG_")
        || name.starts_with("CARGO_BIN_")
        || matches!(
            name,
            "CARGO_MANIFEST_DIR"
                | "CARGO_MANIFEST_PATH"
                | "CARGO_CRATE_NAME"
                | "CARGO_PRIMARY_PACKAGE"
        )
}

/// `cargo run` puts its own library folders first; a check or a test that inherited them would examine another
/// environment than the user's.
fn inherited_library_path(target: &Path) -> Option<OsString> {
    let path = env::var_os("LD_LIBRARY_PATH")?;
    let kept: Vec<PathBuf> = env::split_paths(&path)
        .filter(|folder| {
            !folder.starts_with(target)
                && !folder
                    .components()
                    .any(|part| part.as_os_str() == "toolchains")
        })
        .filter(|folder| !folder.as_os_str().is_empty())
        .collect();
    if kept.is_empty() {
        None
    } else {
        env::join_paths(kept).ok()
    }
}
