//! Compiles the viewer to WebAssembly, by whichever toolchain can.
//!
//! The usual way is a toolchain with the target `wasm32-unknown-unknown`. Where that isn't installed and can't be
//! downloaded, Debian's `rustc-web` builds the standard library from `rust-web-src`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::debian;
use crate::error::Error;
use crate::progress::{Progress, Step};
use crate::project::{Project, on_path};

const TARGET: &str = "wasm32-unknown-unknown";
const DEBIAN: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];
/// A download of the target takes seconds; offline it must not hold everything up.
const DOWNLOAD_LIMIT: Duration = Duration::from_secs(120);

enum Toolchain {
    /// The one in use has the target.
    InUse,
    /// Debian's, which builds the standard library itself.
    Debian,
}

/// The viewer as a WebAssembly module, before wasm-bindgen.
pub(crate) struct Viewer {
    /// Where it is.
    pub(crate) module: PathBuf,
    /// What the compiler said; cargo repeats its warnings when nothing had to be compiled.
    pub(crate) output: Vec<String>,
}

/// Compiles the viewer, or finds that nothing has changed.
pub(crate) fn viewer(project: &Project, progress: &Progress) -> Result<Viewer, Error> {
    let target = project.target().join("page");
    let mut build = match toolchain(project, progress)? {
        Toolchain::InUse => project.cargo(),
        Toolchain::Debian => debian_cargo(project, progress)?,
    };
    build
        .args([
            "build",
            "--package",
            "firstfault-viewer",
            "--profile",
            "page",
            "--target",
            TARGET,
        ])
        .env("CARGO_TARGET_DIR", &target)
        .env(
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS",
            project.remap(),
        );
    if let Some(linker) = linker(project)? {
        build.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
    }
    let output = progress.run(project, Step::new("compile the page to WebAssembly", build))?;
    Ok(Viewer {
        module: target.join(TARGET).join("page/firstfault-viewer.wasm"),
        output,
    })
}

/// What is there comes first, then what is downloaded, then what is installed.
fn toolchain(project: &Project, progress: &Progress) -> Result<Toolchain, Error> {
    if has_target(project)? {
        return Ok(Toolchain::InUse);
    }
    if debian::installed(project, &DEBIAN) {
        return Ok(Toolchain::Debian);
    }
    if on_path("rustup").is_some() {
        let mut add = project.command("rustup");
        add.args(["target", "add", TARGET]);
        progress.watch(
            project,
            Step::new(format!("rustup target add {TARGET}"), add).limit(DOWNLOAD_LIMIT),
        )?;
        if has_target(project)? {
            return Ok(Toolchain::InUse);
        }
        progress.note("the target could not be downloaded; Debian's toolchain can build it too");
    }
    debian::ensure(
        project,
        progress,
        &DEBIAN,
        "the page is compiled to WebAssembly",
    )?;
    Ok(Toolchain::Debian)
}

fn has_target(project: &Project) -> Result<bool, Error> {
    let folder = project
        .sysroot()?
        .join("lib/rustlib")
        .join(TARGET)
        .join("lib");
    let Ok(entries) = folder.read_dir() else {
        return Ok(false);
    };
    Ok(entries
        .flatten()
        .any(|entry| entry.file_name().to_string_lossy().starts_with("libstd-")))
}

fn debian_cargo(project: &Project, progress: &Progress) -> Result<Command, Error> {
    if linker(project)?.is_none() && !Path::new("/usr/bin/wasm-ld").is_file() {
        debian::ensure(
            project,
            progress,
            &["lld"],
            "the page is linked as WebAssembly",
        )?;
    }
    let mut cargo = project.command("/usr/bin/cargo");
    cargo
        .args(["-Z", "build-std=std,panic_abort"])
        // `-Z build-std` is open to nightly toolchains only, unless the compiler is told that this is meant.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTC", "/usr/bin/rustc")
        .env_remove("RUSTUP_TOOLCHAIN")
        .env_remove("CARGO")
        .env(
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER",
            "/usr/bin/wasm-ld",
        );
    Ok(cargo)
}

/// rustup's toolchains bring the linker; Debian's does not.
fn linker(project: &Project) -> Result<Option<PathBuf>, Error> {
    let path = project
        .sysroot()?
        .join("lib/rustlib")
        .join(project.host()?)
        .join("bin/rust-lld");
    Ok(path.is_file().then_some(path))
}
