//! Where an interpreter keeps its packages, found on disk in the way in which Python's own `getpath` and `site` do it.

use std::path::{Path, PathBuf};

use firstfault_schema::report::Environment;

use super::{Place, Surroundings, Unresolved};

/// What can be said of an interpreter without starting it.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// `sys.prefix`; none where it can't be found.
    pub(super) prefix: Option<PathBuf>,
    /// Kind of environment.
    pub(super) environment: Environment,
    /// `3.11.7`, or `3.11` where the last part can't be told.
    pub(super) version: Option<String>,
    /// Folders of packages, in the order in which an import looks through them.
    pub(super) sites: Vec<Site>,
    /// Why the folders are not known; none where they are.
    pub(super) unresolved: Option<Unresolved>,
}

/// One folder of packages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Site {
    pub(super) folder: PathBuf,
    pub(super) place: Place,
}

/// The keys of `pyvenv.cfg` that matter here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct VenvConfig {
    home: Option<PathBuf>,
    system_sites: bool,
    version: Option<String>,
}

/// Describes `program`, an absolute path that exists.
pub(super) fn of(program: &Path, surroundings: &Surroundings) -> Layout {
    let real = std::fs::canonicalize(program).unwrap_or_else(|_| program.to_path_buf());
    let venv = venv_of(program);
    if venv.is_none() && super::shim::is_script(&real) {
        return Layout::unresolved(Unresolved::Script);
    }
    if venv.is_none() && !has_name_of_python(&real) {
        return Layout::unresolved(Unresolved::NoPythonName);
    }
    let base_program = venv
        .as_ref()
        .and_then(|(_, config)| base_program(config, &real))
        .unwrap_or(real);
    let base = match surroundings.path("PYTHONHOME") {
        Some(home) => Base {
            short: short_version(&base_program, &home),
            prefix: Some(home),
        },
        None => base_of(&base_program),
    };
    let mut sites: Vec<Site> = surroundings
        .paths("PYTHONPATH")
        .into_iter()
        .map(|folder| Site {
            folder,
            place: Place::PythonPath,
        })
        .collect();
    match venv {
        Some((prefix, config)) => {
            let short = base.short.or_else(|| config.version.as_deref().map(short));
            let version = full_version(config.version, short.as_deref(), base.prefix.as_deref());
            let own = site_folders(&prefix, short.as_deref(), surroundings, Place::Environment);
            let unresolved = own.is_empty().then_some(Unresolved::NoPackages);
            sites.extend(own);
            if config.system_sites {
                sites.extend(user_site(short.as_deref(), surroundings));
                if let Some(prefix) = &base.prefix {
                    let system =
                        site_folders(prefix, short.as_deref(), surroundings, Place::System);
                    sites.extend(system);
                }
            }
            Layout {
                prefix: Some(prefix),
                environment: Environment::Venv,
                version,
                sites: with_path_files(sites),
                unresolved,
            }
        }
        None => {
            let Some(prefix) = base.prefix else {
                return Layout::unresolved(Unresolved::NoPrefix);
            };
            let environment = if prefix.join("conda-meta").is_dir() {
                Environment::Conda
            } else if is_system(&prefix, surroundings) {
                Environment::System
            } else {
                Environment::Other
            };
            let version = full_version(None, base.short.as_deref(), Some(&prefix));
            let short = base.short.as_deref();
            sites.extend(user_site(short, surroundings));
            let place = match environment {
                Environment::System => Place::System,
                _ => Place::Environment,
            };
            let own = site_folders(&prefix, short, surroundings, place);
            let unresolved = own.is_empty().then_some(Unresolved::NoPackages);
            sites.extend(own);
            Layout {
                prefix: Some(prefix),
                environment,
                version,
                sites: with_path_files(sites),
                unresolved,
            }
        }
    }
}

impl Layout {
    fn unresolved(why: Unresolved) -> Self {
        Self {
            prefix: None,
            environment: Environment::Other,
            version: None,
            sites: Vec::new(),
            unresolved: Some(why),
        }
    }
}

/// The virtual environment of `program`: `pyvenv.cfg` lies beside it or one folder above. Links are not followed
/// before looking, since a link in an environment is what makes it one.
pub(super) fn venv_folder(program: &Path) -> Option<PathBuf> {
    let beside = program.parent()?;
    let above = beside.parent()?;
    if beside.join("pyvenv.cfg").is_file() {
        // Python takes the folder above the executable as prefix in both cases, except on Windows.
        return Some(if cfg!(windows) { beside } else { above }.to_path_buf());
    }
    above
        .join("pyvenv.cfg")
        .is_file()
        .then(|| above.to_path_buf())
}

fn venv_of(program: &Path) -> Option<(PathBuf, VenvConfig)> {
    let prefix = venv_folder(program)?;
    let file = [
        program.parent()?.join("pyvenv.cfg"),
        prefix.join("pyvenv.cfg"),
    ]
    .into_iter()
    .find(|file| file.is_file())?;
    let text = super::read_start(&file, 16 * 1024).unwrap_or_default();
    Some((prefix, parse_venv_config(&text)))
}

/// Reads `pyvenv.cfg`:
/// ```text
/// home = /usr/bin
/// include-system-site-packages = false
/// version = 3.11.2
/// ```
/// virtualenv and uv write `version_info = 3.11.7.final.0` and `version_info = 3.11.7` instead of `version`.
fn parse_venv_config(text: &str) -> VenvConfig {
    let mut config = VenvConfig::default();
    for line in text.lines() {
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let value = value.trim();
        match key.trim().to_ascii_lowercase().as_str() {
            "home" => config.home = Some(PathBuf::from(value)),
            "include-system-site-packages" => {
                config.system_sites = value.eq_ignore_ascii_case("true");
            }
            "version" | "version_info" => {
                let parts: Vec<&str> = value.split('.').take(3).collect();
                let numeric = |part: &&str| part.starts_with(|first: char| first.is_ascii_digit());
                if parts.len() >= 2 && parts.iter().all(numeric) {
                    config.version.get_or_insert_with(|| parts.join("."));
                }
            }
            _ => {}
        }
    }
    config
}

/// The interpreter behind a virtual environment: what its link resolves to, or for a copied one, that in `home`.
fn base_program(config: &VenvConfig, real: &Path) -> Option<PathBuf> {
    let home = config.home.as_ref()?;
    let beside = real.parent()? == home.as_path();
    if beside || short_of_name(real).is_some() && landmark(real.parent()?).is_some() {
        return Some(real.to_path_buf());
    }
    let names: &[&str] = if cfg!(windows) {
        &["python.exe"]
    } else {
        &["python3", "python"]
    };
    names
        .iter()
        .find_map(|name| std::fs::canonicalize(home.join(name)).ok())
}

struct Base {
    prefix: Option<PathBuf>,
    short: Option<String>,
}

/// Goes up from the real executable until a folder holds the standard library.
fn base_of(real: &Path) -> Base {
    let from_name = short_of_name(real);
    let mut folder = real.parent();
    while let Some(ancestor) = folder {
        let found = match &from_name {
            Some(short) => has_library(ancestor, short).then(|| short.clone()),
            None => only_library(ancestor),
        };
        if let Some(short) = found {
            return Base {
                prefix: Some(ancestor.to_path_buf()),
                short: Some(short),
            };
        }
        if cfg!(windows) && ancestor.join("Lib").join("os.py").is_file() {
            return Base {
                prefix: Some(ancestor.to_path_buf()),
                short: from_name,
            };
        }
        folder = ancestor.parent();
    }
    Base {
        prefix: None,
        short: from_name,
    }
}

fn landmark(folder: &Path) -> Option<PathBuf> {
    folder
        .ancestors()
        .find(|ancestor| only_library(ancestor).is_some())
        .map(Path::to_path_buf)
}

fn has_library(prefix: &Path, short: &str) -> bool {
    ["lib", "lib64"].iter().any(|lib| {
        let folder = prefix.join(lib).join(format!("python{short}"));
        folder.join("os.py").is_file() || folder.join("os.pyc").is_file()
    })
}

/// The version of the only standard library under `prefix`; none where there is none, or more than one.
fn only_library(prefix: &Path) -> Option<String> {
    let mut found: Vec<String> = super::names_in(&prefix.join("lib"), 4096)
        .into_iter()
        .filter_map(|name| Some(name.to_str()?.strip_prefix("python3.")?.to_owned()))
        .map(|minor| format!("3.{minor}"))
        .filter(|short| has_library(prefix, short))
        .collect();
    match found.len() {
        1 => found.pop(),
        _ => None,
    }
}

fn short_version(real: &Path, prefix: &Path) -> Option<String> {
    short_of_name(real).or_else(|| only_library(prefix))
}

/// The version in an executable's name: `python3.11` and `python3.13t` carry one, `python3` none.
fn short_of_name(program: &Path) -> Option<String> {
    let name = program.file_name()?.to_str()?;
    let rest = name.strip_prefix("python")?;
    let rest = rest.strip_suffix(".exe").unwrap_or(rest);
    let (major, minor) = rest.split_once('.')?;
    let digits: String = minor
        .chars()
        .take_while(|letter| letter.is_ascii_digit())
        .collect();
    let threaded = minor[digits.len()..].starts_with('t');
    (major == "3" && !digits.is_empty())
        .then(|| format!("3.{digits}{}", if threaded { "t" } else { "" }))
}

/// `3.11.7` becomes `3.11`.
fn short(version: &str) -> String {
    version.split('.').take(2).collect::<Vec<_>>().join(".")
}

fn has_name_of_python(real: &Path) -> bool {
    real.file_name()
        .and_then(|name| name.to_str())
        .is_some_and(|name| {
            let name = name.to_ascii_lowercase();
            name.starts_with("python") || name.starts_with("pypy") || name.starts_with("graalpy")
        })
}

/// The version with its last part, from `pyvenv.cfg`, conda's records, the header `patchlevel.h` or pyenv's folder.
/// What the environment recorded counts only while its base still has that version.
fn full_version(
    recorded: Option<String>,
    short: Option<&str>,
    base: Option<&Path>,
) -> Option<String> {
    let plain = short.map(|short| short.trim_end_matches('t'));
    let fits = |version: &String| plain.is_none_or(|plain| self::short(version) == plain);
    let from_base = || {
        let base = base?;
        conda_version(base)
            .or_else(|| header_version(base, short?))
            .or_else(|| folder_version(base))
            .filter(fits)
    };
    from_base()
        .or_else(|| recorded.filter(fits))
        .or_else(|| plain.map(ToOwned::to_owned))
}

/// `conda-meta/python-3.11.7-h955ad1f_0.json` carries the version.
fn conda_version(prefix: &Path) -> Option<String> {
    super::names_in(&prefix.join("conda-meta"), 4096)
        .into_iter()
        .find_map(|name| {
            let version = name.to_str()?.strip_prefix("python-")?.split('-').next()?;
            is_full_version(version).then(|| version.to_owned())
        })
}

/// `#define PY_VERSION              "3.11.7"`
fn header_version(prefix: &Path, short: &str) -> Option<String> {
    let header = prefix
        .join("include")
        .join(format!("python{short}"))
        .join("patchlevel.h");
    let text = super::read_start(&header, 8 * 1024)?;
    text.lines().find_map(|line| {
        let version = line
            .strip_prefix("#define PY_VERSION")?
            .trim()
            .trim_matches('"');
        version
            .starts_with(|first: char| first.is_ascii_digit())
            .then(|| version.to_owned())
    })
}

/// pyenv and uv name an installation's folder by its version.
fn folder_version(prefix: &Path) -> Option<String> {
    let name = prefix.file_name()?.to_str()?;
    let name = name.strip_prefix("cpython-").unwrap_or(name);
    let version = name.split('-').next()?;
    is_full_version(version).then(|| version.to_owned())
}

fn is_full_version(text: &str) -> bool {
    text.split('.').count() == 3
        && text
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_system(prefix: &Path, surroundings: &Surroundings) -> bool {
    if cfg!(target_os = "macos") {
        ["System/Library", "Library/Developer/CommandLineTools"]
            .iter()
            .any(|root| prefix.starts_with(surroundings.system(root)))
    } else {
        ["usr", ""]
            .iter()
            .any(|root| prefix == surroundings.system(root))
    }
}

/// The folders of packages that belong to `prefix` and exist, in Python's order.
fn site_folders(
    prefix: &Path,
    short: Option<&str>,
    surroundings: &Surroundings,
    place: Place,
) -> Vec<Site> {
    let mut folders = Vec::new();
    if cfg!(windows) {
        folders.push(prefix.join("Lib").join("site-packages"));
    } else if let Some(short) = short {
        let python = format!("python{short}");
        if prefix == surroundings.system("usr") {
            // Distributions put what administrators install under /usr/local before their own: Debian in
            // dist-packages, Fedora in site-packages.
            let local = surroundings.system("usr/local");
            folders.push(local.join("lib").join(&python).join("dist-packages"));
            folders.push(local.join("lib64").join(&python).join("site-packages"));
            folders.push(local.join("lib").join(&python).join("site-packages"));
            folders.push(prefix.join("lib").join("python3").join("dist-packages"));
            folders.push(prefix.join("lib").join(&python).join("dist-packages"));
        }
        folders.push(prefix.join("lib64").join(&python).join("site-packages"));
        folders.push(prefix.join("lib").join(&python).join("site-packages"));
    }
    // lib64 is often a link to lib, and then Python means lib, which comes after it.
    let real: Vec<Option<PathBuf>> = folders
        .iter()
        .map(|folder| std::fs::canonicalize(folder).ok())
        .collect();
    let mut at = 0;
    folders.retain(|_| {
        at += 1;
        real[at - 1].is_some() && !real[at..].contains(&real[at - 1])
    });
    folders
        .into_iter()
        .map(|folder| Site { folder, place })
        .collect()
}

/// The user's own folder of packages, unless it is switched off.
fn user_site(short: Option<&str>, surroundings: &Surroundings) -> Option<Site> {
    if surroundings.variable("PYTHONNOUSERSITE").is_some() {
        return None;
    }
    let base = surroundings.path("PYTHONUSERBASE").or_else(|| {
        let home = surroundings.home()?;
        Some(if cfg!(windows) {
            surroundings.path("APPDATA")?.join("Python")
        } else {
            home.join(".local")
        })
    })?;
    let short = short?;
    let folder = if cfg!(windows) {
        base.join(format!("Python{}", short.replace('.', "")))
            .join("site-packages")
    } else {
        base.join("lib")
            .join(format!("python{short}"))
            .join("site-packages")
    };
    folder.is_dir().then_some(Site {
        folder,
        place: Place::UserSite,
    })
}

/// Adds the folders that `.pth` files name, each after the folder that holds the file. Lines that Python would
/// execute are passed over: nothing is run here.
fn with_path_files(sites: Vec<Site>) -> Vec<Site> {
    const MOST_FILES: usize = 64;
    let mut all: Vec<Site> = Vec::with_capacity(sites.len());
    for site in sites {
        if all.contains(&site) {
            continue;
        }
        let folder = site.folder.clone();
        let place = site.place;
        all.push(site);
        if place == Place::PythonPath {
            continue;
        }
        let mut files: Vec<PathBuf> = super::names_in(&folder, 16 * 1024)
            .into_iter()
            .filter(|name| {
                name.to_str()
                    .is_some_and(|name| name.ends_with(".pth") && !name.starts_with('.'))
            })
            .map(|name| folder.join(name))
            .collect();
        files.sort();
        for file in files.into_iter().take(MOST_FILES) {
            let text = super::read_start(&file, 64 * 1024).unwrap_or_default();
            for line in parse_path_file(&text) {
                let added = Site {
                    folder: folder.join(line),
                    place,
                };
                if added.folder.is_dir() && !all.iter().any(|known| known.folder == added.folder) {
                    all.push(added);
                }
            }
        }
    }
    all
}

/// The folders in a `.pth` file: every line that is neither empty, a comment nor an import.
fn parse_path_file(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim_end).filter(|line| {
        !line.trim().is_empty()
            && !line.starts_with('#')
            && !line.starts_with("import ")
            && !line.starts_with("import\t")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_venv_file_is_read_as_venv_virtualenv_and_uv_write_it() {
        let venv = parse_venv_config(
            "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\nexecutable = /usr/bin/python3.11\n",
        );
        assert_eq!(venv.version.as_deref(), Some("3.11.2"));
        assert_eq!(venv.home, Some(PathBuf::from("/usr/bin")));
        assert!(!venv.system_sites);
        let virtualenv = parse_venv_config(
            "home = /opt/py/bin\nimplementation = CPython\nversion_info = 3.10.13.final.0\nvirtualenv = 20.25.0\ninclude-system-site-packages = true\n",
        );
        assert_eq!(virtualenv.version.as_deref(), Some("3.10.13"));
        assert!(virtualenv.system_sites);
        let uv = parse_venv_config(
            "home = /home/ada/.local/share/uv/python/cpython-3.12.4-linux-x86_64-gnu/bin\nimplementation = CPython\nuv = 0.4.1\nversion_info = 3.12.4\ninclude-system-site-packages = false\n",
        );
        assert_eq!(uv.version.as_deref(), Some("3.12.4"));
        assert_eq!(
            parse_venv_config("version = x\nnothing"),
            VenvConfig::default()
        );
    }

    #[test]
    fn a_version_is_read_from_an_executables_name() {
        for (name, version) in [
            ("python3.11", Some("3.11")),
            ("python3.13t", Some("3.13t")),
            ("python3.10-dbg", Some("3.10")),
            ("python3", None),
            ("python", None),
            ("python2.7", None),
            ("pythonista", None),
        ] {
            assert_eq!(short_of_name(Path::new(name)).as_deref(), version, "{name}");
        }
    }

    #[test]
    fn path_files_give_folders_and_never_imports() {
        let text = "# a comment\nimport os; os.system('x')\n../src\n\n/opt/editable/torch\r\n";
        let lines: Vec<&str> = parse_path_file(text).collect();
        assert_eq!(lines, ["../src", "/opt/editable/torch"]);
    }
}
