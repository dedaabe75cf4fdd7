//! The Python packages around PyTorch, from files alone.

use std::path::Path;

use firstfault_schema::facts;

use super::Collector;
#[cfg(target_os = "linux")]
use super::libraries::Header;
use crate::interpreter::{Build, Installed, Interpreter, Package, Place, Surroundings, discover};

pub(super) fn collect(
    interpreter: &Interpreter,
    program_folder: Option<&Path>,
    collector: &mut Collector<'_>,
) {
    let package = match &interpreter.torch {
        Installed::Present(package) => Some(package.as_ref()),
        Installed::Missing | Installed::Unresolved(_) => None,
    };
    if let Some(folder) = program_folder {
        let own = interpreter
            .package_folders
            .iter()
            .any(|known| known == folder);
        let shadow = if own { None } else { shadow(folder, package) };
        collector.add(facts::TORCH_SHADOW, Some(shadow.unwrap_or("none")));
        let origin = match (shadow, package, &interpreter.torch) {
            (Some(_), ..) => Some("program_directory"),
            (None, Some(package), _) if package.folder.is_some() => Some(match package.place {
                Place::Environment | Place::System => "site_packages",
                Place::UserSite => "user_site",
                Place::PythonPath => "other",
            }),
            (None, _, Installed::Unresolved(_)) => None,
            (None, ..) => Some("none"),
        };
        collector.add(facts::TORCH_ORIGIN, origin);
    }
    if let Some(package) = package {
        collector.add(facts::TORCH_BUILD, Some(build(package)));
        collector.add(facts::TORCHVISION_BUILD, torchvision(package));
    }
    #[cfg(target_os = "linux")]
    {
        let real = std::fs::canonicalize(&interpreter.program).ok();
        if let Some(header) = real.as_deref().and_then(Header::of) {
            collector.add(facts::INTERPRETER_BITS, Some(header.bits));
            collector.add(facts::EMULATED_INTERPRETER, emulated(header.machine));
        }
    }
}

/// Other interpreters near the program that do have PyTorch.
pub(super) fn others_with_torch(interpreter: &Interpreter, surroundings: &Surroundings) -> u64 {
    let own = std::fs::canonicalize(&interpreter.program).ok();
    discover(surroundings, None)
        .iter()
        .filter_map(|candidate| candidate.found.as_ref().ok())
        .filter(|other| matches!(other.torch, Installed::Present(_)))
        .filter(|other| {
            let same = std::fs::canonicalize(&other.program).ok() == own
                && other.prefix == interpreter.prefix;
            !same
        })
        .count() as u64
}

/// What stands in the program's folder in the place of the package: a file `torch.py`, or a folder `torch` that is a
/// package. A folder that is none gives way to a package further on.
fn shadow(folder: &Path, package: Option<&Package>) -> Option<&'static str> {
    let local = folder.join("torch");
    if package.is_some_and(|package| package.folder.as_deref() == Some(&local)) {
        return None;
    }
    let is_package = local.join("__init__.py").is_file();
    let stands_alone = local.is_dir() && package.is_none_or(|package| package.folder.is_none());
    if is_package || stands_alone {
        Some("folder")
    } else if folder.join("torch.py").is_file() {
        Some("file")
    } else {
        None
    }
}

/// The build by `torch/version.py`, else by the tag in the version: `2.4.0+cu121`.
fn build(package: &Package) -> &'static str {
    match package.build {
        Some(Build::Cuda) => "cuda",
        Some(Build::Rocm) => "rocm",
        Some(Build::Xpu) => "xpu",
        Some(Build::Cpu) => "cpu",
        None => match package.shown_version().and_then(tag) {
            Some(tag) if tag.starts_with("cu") => "cuda",
            Some(tag) if tag.starts_with("rocm") => "rocm",
            Some(tag) if tag.starts_with("xpu") => "xpu",
            Some(tag) if tag.starts_with("cpu") => "cpu",
            _ => "untagged",
        },
    }
}

fn tag(version: &str) -> Option<&str> {
    version.split_once('+').map(|(_, tag)| tag)
}

/// Compares the tags of torch and torchvision; none where one of them carries none.
fn torchvision(package: &Package) -> Option<&'static str> {
    let packages = package.folder.as_ref()?.parent()?;
    let file = packages.join("torchvision").join("version.py");
    if !packages.join("torchvision").is_dir() {
        return Some("none");
    }
    let text = super::read(&file)?;
    // __version__ = '0.20.1+cu124'
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("__version__ ="))?;
    let version = line.trim().trim_matches(['\'', '"']);
    let (ours, theirs) = (tag(package.shown_version()?)?, tag(version)?);
    Some(if ours == theirs { "same" } else { "differs" })
}

/// Whether the interpreter was built for another machine than the kernel's.
#[cfg(target_os = "linux")]
fn emulated(machine: u16) -> Option<bool> {
    const X86: u16 = 3;
    const X86_64: u16 = 62;
    const AARCH64: u16 = 183;
    let system = rustix::system::uname();
    let kernel = system.machine().to_str().ok()?;
    match (kernel, machine) {
        ("x86_64", X86 | X86_64) | ("aarch64", AARCH64) => Some(false),
        ("x86_64", AARCH64) | ("aarch64", X86_64) => Some(true),
        _ => None,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::host::evidence::tests::Machine;

    fn package(machine: &Machine, version: &str) -> Package {
        machine.write("env/torch/__init__.py", "");
        Package {
            version: Some("2.5.0".into()),
            module_version: Some(version.into()),
            cuda: None,
            hip: None,
            build: None,
            folder: Some(machine.root().join("env/torch")),
            lib_dir: None,
            place: Place::Environment,
            others: Vec::new(),
        }
    }

    #[test]
    fn a_local_torch_shadows_the_package_only_when_python_would_take_it() {
        let machine = Machine::new();
        let installed = package(&machine, "2.5.0+cu124");
        let here = machine.root().join("here");
        assert_eq!(shadow(&here, Some(&installed)), None);
        machine.write("here/torch/weights.bin", "");
        assert_eq!(shadow(&here, Some(&installed)), None);
        assert_eq!(shadow(&here, None), Some("folder"));
        machine.write("here/torch.py", "");
        assert_eq!(shadow(&here, Some(&installed)), Some("file"));
        machine.write("here/torch/__init__.py", "");
        assert_eq!(shadow(&here, Some(&installed)), Some("folder"));
        // The folder of packages itself is no shadow.
        assert_eq!(shadow(&machine.root().join("env"), Some(&installed)), None);
    }

    #[test]
    fn builds_are_told_by_tag_where_the_file_tells_nothing() {
        let machine = Machine::new();
        for (version, expected) in [
            ("2.5.0+cu124", "cuda"),
            ("2.5.0+rocm6.2", "rocm"),
            ("2.5.0+cpu", "cpu"),
            ("2.5.0+xpu", "xpu"),
            ("2.5.0", "untagged"),
        ] {
            assert_eq!(build(&package(&machine, version)), expected, "{version}");
        }
    }

    #[test]
    fn torchvision_of_another_build_is_told() {
        let machine = Machine::new();
        let installed = package(&machine, "2.5.0+cu124");
        assert_eq!(torchvision(&installed), Some("none"));
        machine.write(
            "env/torchvision/version.py",
            "__version__ = '0.20.0+cpu'\ngit_version = 'afc54f75'\n",
        );
        assert_eq!(torchvision(&installed), Some("differs"));
        machine.write(
            "env/torchvision/version.py",
            "__version__ = '0.20.0+cu124'\n",
        );
        assert_eq!(torchvision(&installed), Some("same"));
    }
}
