//! Shims: small scripts on PATH that start another Python. pyenv's are resolved by its own rules, reading files only.

use std::path::{Path, PathBuf};

use super::{SettleError, Surroundings};

/// What a path turned out to be.
pub(super) enum Shim {
    /// No shim that is known here: the path stands for itself.
    None,
    /// The interpreter that the shim would start.
    Resolved(PathBuf),
    /// A shim that would fail.
    Failing(SettleError),
}

/// Whether `path` is a regular file that begins with `#!`.
pub(super) fn is_script(path: &Path) -> bool {
    use std::io::Read;
    let mut start = [0; 2];
    path.is_file()
        && std::fs::File::open(path)
            .and_then(|mut file| file.read_exact(&mut start))
            .is_ok()
        && start == *b"#!"
}

/// Resolves `program`, an absolute path of a file.
pub(super) fn resolve(program: &Path, surroundings: &Surroundings) -> Shim {
    if !is_script(program) {
        return Shim::None;
    }
    let text = super::read_start(program, 8 * 1024).unwrap_or_default();
    let Some(named_root) = parse_pyenv_shim(&text) else {
        return Shim::None;
    };
    let Some(root) = named_root
        .map(PathBuf::from)
        .or_else(|| surroundings.path("PYENV_ROOT"))
        .or_else(|| Some(program.parent()?.parent()?.to_path_buf()))
    else {
        return Shim::None;
    };
    let Some(name) = program.file_name() else {
        return Shim::None;
    };
    let versions = wanted_versions(&root, surroundings);
    for version in &versions {
        let found = if version == "system" {
            // pyenv looks on PATH without its own shims.
            surroundings
                .paths("PATH")
                .into_iter()
                .filter(|folder| !is_shim_folder(folder, &root))
                .map(|folder| folder.join(name))
                .find(|path| super::is_executable(path) && !is_script(path))
        } else {
            installed(&root, version)
                .map(|folder| folder.join("bin").join(name))
                .filter(|path| super::is_executable(path))
        };
        if let Some(found) = found {
            return Shim::Resolved(found);
        }
    }
    Shim::Failing(SettleError::ShimWithoutVersion {
        path: program.to_path_buf(),
        versions,
    })
}

fn is_shim_folder(folder: &Path, root: &Path) -> bool {
    folder == root.join("shims")
        || (folder.starts_with(root.join("plugins")) && folder.ends_with("shims"))
}

/// Recognises a shim of pyenv and takes its root from it:
/// ```text
/// export PYENV_ROOT="/home/ada/.pyenv"
/// exec "/home/ada/.pyenv/libexec/pyenv" exec "$program" "$@"
/// ```
/// Older ones lack the first line.
fn parse_pyenv_shim(text: &str) -> Option<Option<&str>> {
    let starts_pyenv = text.lines().any(|line| {
        line.trim_start().starts_with("exec ")
            && line.contains("pyenv")
            && line.contains(" exec \"$program\"")
    });
    starts_pyenv.then(|| {
        text.lines().find_map(|line| {
            line.trim()
                .strip_prefix("export PYENV_ROOT=")
                .map(|root| root.trim_matches('"'))
                .filter(|root| root.starts_with('/'))
        })
    })
}

/// The versions that pyenv would try: PYENV_VERSION, else the nearest `.python-version`, else `version` in its root.
fn wanted_versions(root: &Path, surroundings: &Surroundings) -> Vec<String> {
    let listed = match surroundings.variable("PYENV_VERSION") {
        Some(value) => parse_versions(&value.to_string_lossy().replace(':', "\n")),
        None => {
            let local = surroundings
                .current_dir()
                .ancestors()
                .map(|folder| folder.join(".python-version"))
                .find(|file| file.is_file());
            let file = local.unwrap_or_else(|| root.join("version"));
            parse_versions(&super::read_start(&file, 4 * 1024).unwrap_or_default())
        }
    };
    if listed.is_empty() {
        vec!["system".to_owned()]
    } else {
        listed
    }
}

/// The first word of every line that is not a comment.
fn parse_versions(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|word| !word.starts_with('#') && !word.contains(".."))
        .map(ToOwned::to_owned)
        .collect()
}

/// The folder of a version: by its name, without the prefix `python-`, or the newest that begins with it.
fn installed(root: &Path, version: &str) -> Option<PathBuf> {
    let folder = root.join("versions");
    let plain = version.strip_prefix("python-").unwrap_or(version);
    [version, plain]
        .into_iter()
        .map(|name| folder.join(name))
        .find(|path| path.is_dir())
        .or_else(|| {
            super::names_in(&folder, 1024)
                .into_iter()
                .filter_map(|name| {
                    let name = name.to_str()?.to_owned();
                    let rest = name.strip_prefix(plain)?.strip_prefix('.')?;
                    let numbers: Vec<u32> = rest
                        .split('.')
                        .map(|part| part.parse().ok())
                        .collect::<Option<_>>()?;
                    Some((numbers, name))
                })
                .max()
                .map(|(_, name)| folder.join(name))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shims_of_pyenv_are_known_by_what_they_start() {
        let new = "#!/usr/bin/env bash\nset -e\n\nprogram=\"${0##*/}\"\n\nexport PYENV_ROOT=\"/home/ada/.pyenv\"\nexec \"/home/ada/.pyenv/libexec/pyenv\" exec \"$program\" \"$@\"\n";
        assert_eq!(parse_pyenv_shim(new), Some(Some("/home/ada/.pyenv")));
        let homebrew = "#!/usr/bin/env bash\nprogram=\"${0##*/}\"\nexec '/opt/homebrew/bin/pyenv' exec \"$program\" \"$@\"\n";
        assert_eq!(parse_pyenv_shim(homebrew), Some(None));
        let wrapper = "#!/bin/sh\nexec /usr/bin/python3 \"$@\"\n";
        assert_eq!(parse_pyenv_shim(wrapper), None);
    }

    #[test]
    fn a_version_file_may_list_several_and_comment() {
        assert_eq!(
            parse_versions("3.11.7\n# the old one\n3.10  # still used\n\n"),
            ["3.11.7", "3.10"]
        );
        assert_eq!(parse_versions("../../etc"), Vec::<String>::new());
    }
}
