//! Builds `firstfault` and the libtorch worker beside it, and installs what npm brings.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::debian;
use crate::error::Error;
use crate::files::{Contents, Stamp, write_whole};
use crate::progress::{Progress, Step};
use crate::project::{Project, on_path, path_with};

/// How the programs are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Quickly.
    Dev,
    /// For users and measurements.
    Release,
}

impl Profile {
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Dev => &[],
            Self::Release => &["--release"],
        }
    }

    /// What leaves this machine names none of its folders. Flags of one's own come first.
    fn prepare(self, project: &Project, cargo: &mut Command) {
        if self == Self::Release && std::env::var_os("RUSTFLAGS").is_none() {
            cargo.env("RUSTFLAGS", project.remap());
        }
    }

    /// The folder that cargo puts the programs into.
    pub(crate) fn folder(self, project: &Project) -> PathBuf {
        project.target().join(match self {
            Self::Dev => "debug",
            Self::Release => "release",
        })
    }
}

/// The programs that were built.
pub(crate) struct Programs {
    /// `firstfault` itself.
    pub(crate) firstfault: PathBuf,
    /// The libtorch worker, which it looks for beside itself.
    pub(crate) worker: PathBuf,
}

/// Builds both programs. The page must have been built before: `firstfault` holds it.
pub(crate) fn build(
    project: &Project,
    progress: &Progress,
    profile: Profile,
    torch: &Path,
) -> Result<Programs, Error> {
    let mut worker = libtorch_cargo(project, progress, torch)?;
    worker
        .args(["build", "--package", "firstfault-libtorch"])
        .args(profile.arguments());
    profile.prepare(project, &mut worker);
    progress.run(project, Step::new("build the libtorch worker", worker))?;
    let mut program = project.cargo();
    program
        .args(["build", "--package", "firstfault-probe"])
        .args(profile.arguments());
    profile.prepare(project, &mut program);
    progress.run(project, Step::new("build firstfault", program))?;
    let folder = profile.folder(project);
    let named = |name: &str| folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    Ok(Programs {
        firstfault: named("firstfault"),
        worker: named("firstfault-libtorch"),
    })
}

/// Cargo for the packages that link libtorch: the one of this environment's PyTorch.
///
/// torch-sys compiles anew whenever its variables change, so they are the same in every call.
pub(crate) fn libtorch_cargo(
    project: &Project,
    progress: &Progress,
    torch: &Path,
) -> Result<Command, Error> {
    if std::env::var_os("CXX").is_none() && on_path("c++").is_none() {
        debian::ensure(
            project,
            progress,
            &["g++"],
            "the libtorch worker has a part in C++",
        )?;
    }
    let mut cargo = project.cargo();
    cargo.env("PATH", path_with(torch.parent().unwrap_or(torch)));
    for name in [
        "LIBTORCH",
        "LIBTORCH_INCLUDE",
        "LIBTORCH_LIB",
        "LIBTORCH_STATIC",
        "LIBTORCH_CXX11_ABI",
        "VIRTUAL_ENV",
    ] {
        cargo.env_remove(name);
    }
    Ok(cargo)
}

/// The folder of an environment's libtorch.
pub(crate) fn libtorch_folder(project: &Project, torch: &Path) -> Result<PathBuf, Error> {
    // Asked of the metadata: an import of PyTorch takes a second.
    let code =
        "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])";
    let found = crate::project::answer(project.command(torch).args(["-c", code]))?;
    Ok(Path::new(found.trim()).join("lib"))
}

/// Installs exactly what a package-lock.json names: from `source` into `folder`, which may be the same.
pub(crate) fn npm_ci(
    project: &Project,
    progress: &Progress,
    source: &Path,
    folder: &Path,
    name: &str,
) -> Result<(), Error> {
    let files = ["package.json", "package-lock.json"];
    let mut contents = Contents::default();
    for file in files {
        contents = contents.path(&source.join(file), &[])?;
    }
    let locked = contents.digest();
    // Inside node_modules, which `npm ci` removes first: an interrupted installation leaves none.
    let stamp = Stamp::at(folder.join("node_modules/.firstfault-complete"));
    if stamp.says(&locked) {
        return Ok(());
    }
    fs::create_dir_all(folder).map_err(Error::file("create", folder))?;
    if source != folder {
        for file in files {
            fs::copy(source.join(file), folder.join(file))
                .map_err(Error::file("write", &folder.join(file)))?;
        }
    }
    let mut install = project.command("npm");
    install
        .current_dir(folder)
        .args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]);
    let title = format!("install {name} with npm");
    progress.run(
        project,
        Step::new(title, install)
            .remedy("look at the network connection, then run the command again"),
    )?;
    stamp.write(&locked)
}

/// Builds the false NVIDIA driver that tests put before PyTorch.
///
/// Gives the folder with its `libcuda.so.1`; the folder `nvml` in it has its `libnvidia-ml.so.1`, apart, since most
/// faults are wanted without one.
pub(crate) fn fault_driver(project: &Project, progress: &Progress) -> Result<PathBuf, Error> {
    let mut build = project.cargo();
    build.args(["build", "--package", "firstfault-fault-driver"]);
    progress.run(project, Step::new("build the false driver", build))?;
    let built = Profile::Dev
        .folder(project)
        .join("libfirstfault_fault_driver.so");
    let bytes = fs::read(&built).map_err(Error::file("read", &built))?;
    let folder = project.target().join("fault-driver");
    for name in ["libcuda.so.1", "nvml/libnvidia-ml.so.1"] {
        write_whole(&folder.join(name), &bytes)?;
    }
    Ok(folder)
}
