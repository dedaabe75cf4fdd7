//! The checks that read the code: formatting, clippy, and the compiler's warnings for the page.

use crate::environments::{self, Environment};
use crate::error::Error;
use crate::programs::libtorch_cargo;
use crate::progress::{Progress, Step};
use crate::project::Project;
use crate::wasm;

/// Checks every package; a warning is an error.
pub(crate) fn run(project: &Project, progress: &Progress) -> Result<(), Error> {
    let mut format = project.cargo();
    format.args(["fmt", "--all", "--check", "--message-format", "short"]);
    progress.run(
        project,
        Step::new("check the formatting", format).remedy("type: cargo fmt --all"),
    )?;
    let torch = environments::ensure(project, progress, Environment::Torch)?;
    let packages: [(&str, &[&str]); 3] = [
        (
            "clippy",
            &[
                "--workspace",
                "--exclude",
                "firstfault-libtorch",
                "--exclude",
                "firstfault-xtask",
            ],
        ),
        ("clippy for xtask", &["--package", "firstfault-xtask"]),
        (
            "clippy for the libtorch worker",
            &["--package", "firstfault-libtorch"],
        ),
    ];
    for (title, chosen) in packages {
        let mut clippy = libtorch_cargo(project, progress, &torch)?;
        clippy
            .arg("clippy")
            .args(chosen)
            .args(["--all-targets", "--", "-D", "warnings"]);
        progress.run(project, Step::new(title, clippy))?;
    }
    // clippy reads the viewer as it is built for this machine; what only the browser's build has, the compiler reads.
    let viewer = wasm::viewer(project, progress)?;
    if let Some(warning) = viewer
        .output
        .iter()
        .find(|line| line.starts_with("warning: `firstfault-"))
    {
        return Err(Error::Page {
            problem: warning.clone(),
        });
    }
    Ok(())
}
