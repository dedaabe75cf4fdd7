//! Debian packages: looked for, installed as root, and otherwise named in one line to type.

use std::path::Path;

use crate::error::Error;
use crate::progress::{Progress, Step};
use crate::project::{Project, answer, on_path};

/// Whether every one of these packages is installed.
pub(crate) fn installed(project: &Project, packages: &[&str]) -> bool {
    missing(project, packages).is_empty()
}

/// Makes sure that these packages are installed; `why` says what they are wanted for.
pub(crate) fn ensure(
    project: &Project,
    progress: &Progress,
    packages: &[&str],
    why: &str,
) -> Result<(), Error> {
    let missing = missing(project, packages);
    if missing.is_empty() {
        return Ok(());
    }
    let line = format!(
        "sudo apt-get install --no-install-recommends {}",
        missing.join(" ")
    );
    if on_path("apt-get").is_none() || !is_root() {
        return Err(Error::Missing {
            what: missing.join(" "),
            why: why.to_owned(),
            line,
        });
    }
    let apt = |arguments: &[&str]| {
        let mut command = project.command("apt-get");
        command
            .env("DEBIAN_FRONTEND", "noninteractive")
            .args(arguments);
        command
    };
    progress.run(
        project,
        Step::new("refresh the list of Debian packages", apt(&["update"])),
    )?;
    let arguments = [
        &["install", "--yes", "--no-install-recommends"],
        &missing[..],
    ]
    .concat();
    let title = format!("install Debian packages {} ({why})", missing.join(" "));
    progress.run(
        project,
        Step::new(title, apt(&arguments)).remedy(format!("see what this says: {line}")),
    )?;
    Ok(())
}

fn missing<'a>(project: &Project, packages: &[&'a str]) -> Vec<&'a str> {
    packages
        .iter()
        .copied()
        .filter(|package| !is_installed(project, package))
        .collect()
}

fn is_installed(project: &Project, package: &str) -> bool {
    if !Path::new("/usr/bin/dpkg-query").is_file() {
        return false;
    }
    let mut query = project.command("/usr/bin/dpkg-query");
    query.args(["--show", "--showformat", "${db:Status-Status}", package]);
    // An unknown package is an error of dpkg-query, and not installed.
    answer(&mut query).is_ok_and(|status| status == "installed")
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}
