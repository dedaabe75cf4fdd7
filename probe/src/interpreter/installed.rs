//! PyTorch's installed metadata, read from disk: nothing is imported, so nothing can crash.

use std::path::{Path, PathBuf};

use super::layout::Site;
use super::{Build, Installed, Package, Place};

/// Looks through the folders of packages in the order of an import.
pub(super) fn read(sites: &[Site]) -> Option<Installed> {
    let mut found: Option<Package> = None;
    let mut records_only: Option<Package> = None;
    let mut others = Vec::new();
    for site in sites {
        let records = records_in(&site.folder);
        let folder = site.folder.join("torch");
        let importable = ["__init__.py", "__init__.pyc"]
            .iter()
            .any(|name| folder.join(name).is_file());
        if importable && found.is_none() {
            let mut versions = records.into_iter();
            found = Some(package(folder, versions.next(), site.place));
            others.extend(versions);
        } else if importable {
            others.push(
                records
                    .into_iter()
                    .next()
                    .or_else(|| version_file(&folder).version)
                    .unwrap_or_default(),
            );
        } else if let Some(version) = records.into_iter().next()
            && records_only.is_none()
        {
            records_only = Some(Package {
                version: Some(version),
                module_version: None,
                cuda: None,
                hip: None,
                build: None,
                folder: None,
                lib_dir: None,
                place: site.place,
                others: Vec::new(),
            });
        }
    }
    match (found, records_only) {
        (Some(mut package), records) => {
            if let Some(records) = records
                && package.version.is_none()
            {
                package.version = records.version;
            }
            package.others = others;
            Some(Installed::Present(Box::new(package)))
        }
        (None, Some(package)) => Some(Installed::Present(Box::new(package))),
        (None, None) => None,
    }
}

fn package(folder: PathBuf, version: Option<String>, place: Place) -> Package {
    let file = version_file(&folder);
    Package {
        version,
        build: file.build(),
        module_version: file.version,
        cuda: file.cuda,
        hip: file.hip,
        lib_dir: lib_dir(&folder),
        folder: Some(folder),
        place,
        others: Vec::new(),
    }
}

/// `torch/lib`, where libtorch itself lies in it.
fn lib_dir(folder: &Path) -> Option<PathBuf> {
    let lib = folder.join("lib");
    let name = if cfg!(windows) {
        "torch_cpu.dll"
    } else if cfg!(target_os = "macos") {
        "libtorch_cpu.dylib"
    } else {
        "libtorch_cpu.so"
    };
    lib.join(name).exists().then_some(lib)
}

/// Versions in the records of installers for torch in this folder, the newest first when an installation left older ones.
fn records_in(folder: &Path) -> Vec<String> {
    let mut records: Vec<(PathBuf, String)> = super::names_in(folder, 16 * 1024)
        .into_iter()
        .filter_map(|name| {
            let name = name.to_str()?;
            let stem = name
                .strip_suffix(".dist-info")
                .or_else(|| name.strip_suffix(".egg-info"))?;
            // torch-2.13.0.dist-info, torch-1.13.0a0+gitunknown.egg-info, torch-2.1.0-py3.10.egg-info, torch.egg-info
            if stem != "torch" && !stem.starts_with("torch-") {
                return None;
            }
            let in_name = stem
                .strip_prefix("torch-")
                .and_then(|rest| rest.split('-').next())
                .unwrap_or_default();
            Some((folder.join(name), in_name.to_owned()))
        })
        .collect();
    records.sort_by_cached_key(|(path, _)| {
        std::cmp::Reverse(
            std::fs::metadata(path)
                .and_then(|data| data.modified())
                .ok(),
        )
    });
    records
        .into_iter()
        .filter_map(|(path, in_name)| {
            let file = [path.join("METADATA"), path.join("PKG-INFO"), path.clone()]
                .into_iter()
                .find(|file| file.is_file());
            let written = file
                .and_then(|file| super::read_start(&file, 8 * 1024))
                .and_then(|text| parse_metadata(&text).map(ToOwned::to_owned));
            written.or_else(|| (!in_name.is_empty()).then_some(in_name))
        })
        .collect()
}

/// The version in an installer's record:
/// ```text
/// Metadata-Version: 2.4
/// Name: torch
/// Version: 2.13.0
/// ```
fn parse_metadata(text: &str) -> Option<&str> {
    text.lines()
        .take_while(|line| !line.is_empty())
        .find_map(|line| line.strip_prefix("Version:"))
        .map(str::trim)
        .filter(|version| !version.is_empty())
}

/// What `torch/version.py` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct VersionFile {
    version: Option<String>,
    cuda: Option<String>,
    hip: Option<String>,
    xpu: Option<String>,
    readable: bool,
}

impl VersionFile {
    fn build(&self) -> Option<Build> {
        if !self.readable {
            None
        } else if self.hip.is_some() {
            Some(Build::Rocm)
        } else if self.cuda.is_some() {
            Some(Build::Cuda)
        } else if self.xpu.is_some() {
            Some(Build::Xpu)
        } else {
            Some(Build::Cpu)
        }
    }
}

fn version_file(folder: &Path) -> VersionFile {
    super::read_start(&folder.join("version.py"), 16 * 1024)
        .map(|text| parse_version_file(&text))
        .unwrap_or_default()
}

/// Reads `torch/version.py` as text:
/// ```text
/// __version__ = '2.13.0+cu130'
/// debug = False
/// cuda: Optional[str] = '13.0'
/// hip: Optional[str] = None
/// ```
fn parse_version_file(text: &str) -> VersionFile {
    let mut file = VersionFile {
        readable: true,
        ..VersionFile::default()
    };
    for line in text.lines() {
        let Some((left, right)) = line.split_once('=') else {
            continue;
        };
        let name = left.split(':').next().unwrap_or_default().trim_end();
        let right = right.trim();
        let quote = right
            .chars()
            .next()
            .filter(|mark| matches!(mark, '\'' | '"'));
        let value = quote.and_then(|quote| {
            let (value, _) = right[1..].split_once(quote)?;
            (!value.is_empty()).then(|| value.to_owned())
        });
        match name {
            "__version__" => file.version = value,
            "cuda" => file.cuda = value,
            "hip" => file.hip = value,
            "xpu" => file.xpu = value,
            _ => {}
        }
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_file_is_read_as_its_years_wrote_it() {
        let today = parse_version_file(
            "from typing import Optional\n\n__all__ = ['__version__', 'debug', 'cuda']\n__version__ = '2.13.0+cu130'\ndebug = False\ncuda: Optional[str] = '13.0'\ngit_version = 'cf30153c'\nhip: Optional[str] = None\nrocm: Optional[str] = None\nxpu: Optional[str] = None\n",
        );
        assert_eq!(today.version.as_deref(), Some("2.13.0+cu130"));
        assert_eq!(today.cuda.as_deref(), Some("13.0"));
        assert_eq!(today.build(), Some(Build::Cuda));
        let debian = parse_version_file(
            "__version__ = '1.13.0a0'\ndebug = False\ncuda = None\ngit_version = 'Unknown'\nhip = None\n",
        );
        assert_eq!(debian.build(), Some(Build::Cpu));
        let rocm = parse_version_file(
            "__version__ = '2.4.0+rocm6.1'\ncuda: Optional[str] = None\nhip: Optional[str] = '6.1.40091-a8dbc0c19'\n",
        );
        assert_eq!(rocm.build(), Some(Build::Rocm));
        assert_eq!(VersionFile::default().build(), None);
    }

    #[test]
    fn only_the_head_of_a_record_counts() {
        assert_eq!(
            parse_metadata(
                "Metadata-Version: 2.1\nName: torch\nVersion: 2.1.0+cu121\n\nVersion: 9"
            ),
            Some("2.1.0+cu121")
        );
        assert_eq!(parse_metadata("Name: torch\n\nVersion: 9"), None);
    }
}
