//! Jupyter kernels: which Python a kernel's description starts, and with which variables.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{
    Interpreter, KernelProblem, SettleError, Source, Surroundings, Variables, check_executable,
    describe, locate, python_of,
};

/// A kernel that a description on disk defines.
#[derive(Clone, Debug)]
pub(super) struct Kernel {
    /// The name that Jupyter calls it by.
    pub(super) name: String,
    file: PathBuf,
    /// The environment whose Jupyter would start it; none for a kernel of the user or the system.
    prefix: Option<PathBuf>,
}

/// The part of `kernel.json` that matters here.
#[derive(Debug, Deserialize)]
struct Description {
    argv: Vec<String>,
    #[serde(default)]
    language: Option<String>,
    #[serde(default)]
    env: std::collections::BTreeMap<String, String>,
}

/// Settles on the interpreter of the kernel `name`.
pub(super) fn settle(name: &str, surroundings: &Surroundings) -> Result<Interpreter, SettleError> {
    // Jupyter itself most likely runs in the Python that is the default here.
    let default = super::settle(&super::Wish::Default, surroundings).ok();
    let prefixes: Vec<PathBuf> = default
        .and_then(|settled| settled.prefix)
        .into_iter()
        .collect();
    let kernels = list(surroundings, &prefixes);
    // Jupyter compares names without regard to case.
    match kernels
        .iter()
        .find(|kernel| kernel.name.eq_ignore_ascii_case(name))
    {
        Some(kernel) => kernel.interpreter(surroundings),
        None => Err(SettleError::NoKernel {
            name: name.to_owned(),
            known: kernels.into_iter().map(|kernel| kernel.name).collect(),
        }),
    }
}

/// Every kernel, in the order in which Jupyter looks: the first of a name hides the others. `prefixes` are
/// environments beside the active ones whose own kernels count too.
pub(super) fn list(surroundings: &Surroundings, prefixes: &[PathBuf]) -> Vec<Kernel> {
    const MOST: usize = 256;
    let mut kernels: Vec<Kernel> = Vec::new();
    for (folder, prefix) in data_folders(surroundings, prefixes) {
        let folder = folder.join("kernels");
        let mut names = super::names_in(&folder, MOST);
        names.sort();
        for name in names {
            let file = folder.join(&name).join("kernel.json");
            let name = name.to_string_lossy().into_owned();
            if file.is_file()
                && !kernels
                    .iter()
                    .any(|known| known.name == name && (prefix.is_none() || known.prefix == prefix))
            {
                kernels.push(Kernel {
                    name,
                    file,
                    prefix: prefix.clone(),
                });
            }
        }
    }
    kernels
}

/// Jupyter's folders of data, each with the environment that it belongs to.
fn data_folders(
    surroundings: &Surroundings,
    prefixes: &[PathBuf],
) -> Vec<(PathBuf, Option<PathBuf>)> {
    let mut folders: Vec<(PathBuf, Option<PathBuf>)> = surroundings
        .paths("JUPYTER_PATH")
        .into_iter()
        .map(|folder| (folder, None))
        .collect();
    let user = surroundings.path("JUPYTER_DATA_DIR").or_else(|| {
        Some(if cfg!(windows) {
            surroundings.path("APPDATA")?.join("jupyter")
        } else if cfg!(target_os = "macos") {
            surroundings.home()?.join("Library/Jupyter")
        } else {
            match surroundings.path("XDG_DATA_HOME") {
                Some(data) => data.join("jupyter"),
                None => surroundings.home()?.join(".local/share/jupyter"),
            }
        })
    });
    let active = ["VIRTUAL_ENV", "CONDA_PREFIX"]
        .into_iter()
        .filter_map(|name| surroundings.path(name));
    let environments = active
        .chain(prefixes.iter().cloned())
        .map(|prefix| (prefix.join("share/jupyter"), Some(prefix)));
    // Jupyter puts an active environment before the user's own folder.
    folders.extend(environments);
    folders.extend(user.map(|folder| (folder, None)));
    if cfg!(windows) {
        folders.extend(
            surroundings
                .path("PROGRAMDATA")
                .map(|data| (data.join("jupyter"), None)),
        );
    } else {
        for folder in ["usr/local/share/jupyter", "usr/share/jupyter"] {
            folders.push((surroundings.system(folder), None));
        }
    }
    folders.extend(
        surroundings
            .home()
            .map(|home| (home.join(".ipython"), None)),
    );
    let mut seen = Vec::new();
    folders.retain(|(folder, _)| {
        let new = !seen.contains(folder);
        seen.push(folder.clone());
        new
    });
    folders
}

impl Kernel {
    /// The interpreter that this kernel starts.
    pub(super) fn interpreter(
        &self,
        surroundings: &Surroundings,
    ) -> Result<Interpreter, SettleError> {
        let bad = |problem| SettleError::BadKernel {
            path: self.file.clone(),
            problem,
        };
        let text =
            super::read_start(&self.file, 256 * 1024).ok_or(bad(KernelProblem::Unreadable))?;
        let description: Description =
            serde_json::from_str(&text).map_err(|_| bad(KernelProblem::Unreadable))?;
        if description
            .language
            .is_some_and(|language| !language.eq_ignore_ascii_case("python"))
        {
            return Err(bad(KernelProblem::OtherLanguage));
        }
        let program = self.program(&description.argv, surroundings, bad)?;
        // The kernel's own variables may change which packages its Python sees.
        let added = substituted(description.env, surroundings);
        let mut all = surroundings.variables().to_vec();
        all.retain(|(name, _)| !added.iter().any(|(other, _)| other == name));
        all.extend(added.iter().cloned());
        let own = surroundings.with_variables(all);
        let mut settled = describe(program, Source::Kernel(self.name.clone()), &own);
        if !added.is_empty() {
            settled.variables = Variables::OwnAnd(added);
        }
        Ok(settled)
    }

    fn program(
        &self,
        argv: &[String],
        surroundings: &Surroundings,
        bad: impl Fn(KernelProblem) -> SettleError,
    ) -> Result<PathBuf, SettleError> {
        let given = argv.first().ok_or(bad(KernelProblem::Unreadable))?;
        let name = Path::new(given)
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        // nb_conda_kernels and "conda run" name an environment in later arguments, in ways that change.
        let runs_module = argv
            .iter()
            .any(|argument| argument == "nb_conda_kernels.runner");
        if !name.starts_with("python") || runs_module {
            return Err(bad(KernelProblem::Wrapped));
        }
        match &self.prefix {
            // Jupyter puts its own interpreter in the place of a bare name.
            Some(prefix) if *given == name => python_of(prefix),
            _ => {
                let program = locate(Path::new(given), surroundings)?;
                check_executable(&program)?;
                Ok(program)
            }
        }
    }
}

/// Variables of a kernel, with `$NAME` and `${NAME}` filled in from this process's as Jupyter does it: what is not
/// set stays as it is written.
fn substituted(
    variables: std::collections::BTreeMap<String, String>,
    surroundings: &Surroundings,
) -> Vec<(OsString, OsString)> {
    variables
        .into_iter()
        .map(|(name, value)| {
            let value = fill_in(&value, |name| {
                surroundings
                    .variable(name)
                    .map(|value| value.to_string_lossy().into_owned())
            });
            (OsString::from(name), OsString::from(value))
        })
        .collect()
}

fn fill_in(template: &str, lookup: impl Fn(&str) -> Option<String>) -> String {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut filled = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('$') {
        filled.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        if let Some(left) = after.strip_prefix('$') {
            filled.push('$');
            rest = left;
            continue;
        }
        let (name, length) = match after.strip_prefix('{') {
            Some(braced) => match braced.find('}') {
                Some(end) => (&braced[..end], end + 2),
                None => ("", 0),
            },
            None => {
                let end = after.find(|letter| !is_name(letter)).unwrap_or(after.len());
                (&after[..end], end)
            }
        };
        let named = !name.is_empty()
            && name.chars().all(is_name)
            && !name.starts_with(|first: char| first.is_ascii_digit());
        match named.then(|| lookup(name)).flatten() {
            Some(value) => {
                filled.push_str(&value);
                rest = &after[length..];
            }
            None => {
                filled.push('$');
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_variables_are_filled_in_as_jupyter_does() {
        let lookup = |name: &str| (name == "HOME").then(|| "/home/ada".to_owned());
        assert_eq!(
            fill_in("${HOME}/lib:$HOME", lookup),
            "/home/ada/lib:/home/ada"
        );
        assert_eq!(
            fill_in("$$HOME ${NOPE} $1 ${", lookup),
            "$HOME ${NOPE} $1 ${"
        );
        assert_eq!(fill_in("plain", lookup), "plain");
    }
}
