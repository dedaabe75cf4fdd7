//! How long `interpreters` takes with ten environments, beside one `pip show torch`.

use std::fs;
use std::path::Path;

use super::{Bench, Limit, Row, median, time_ms};
use crate::error::Error;

const ENVIRONMENTS: usize = 10;

/// One row.
pub(super) fn rows(bench: &Bench<'_>) -> Result<Vec<Row>, Error> {
    let folder = bench.project.target().join("xtask/interpreters");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(Error::file("remove", &folder))?;
    }
    for number in 0..ENVIRONMENTS {
        environment(&folder.join(format!("env-{number}")), &bench.torch)
            .map_err(Error::file("create", &folder))?;
    }
    let list = || {
        let mut command = bench.project.command(&bench.programs.firstfault);
        command
            .args(["interpreters", "--json"])
            .current_dir(&folder);
        command
    };
    let show = || {
        let mut command = bench.project.command(&bench.torch);
        command.args(["-m", "pip", "show", "torch"]);
        command
    };
    let text = list().output().map_err(|source| Error::Start {
        program: "firstfault".to_owned(),
        source,
    })?;
    let found = String::from_utf8_lossy(&text.stdout)
        .matches("env-")
        .count();
    if found < ENVIRONMENTS {
        return Err(Error::Answer {
            program: "firstfault interpreters".to_owned(),
            answer: format!("{found} of {ENVIRONMENTS} environments"),
        });
    }
    time_ms(show())?;
    let (mut list_ms, mut show_ms) = (Vec::new(), Vec::new());
    for _ in 0..bench.pairs {
        list_ms.push(time_ms(list())?);
        show_ms.push(time_ms(show())?);
    }
    fs::remove_dir_all(&folder).map_err(Error::file("remove", &folder))?;
    Ok(vec![Row {
        name: format!("interpreters, {ENVIRONMENTS} environments with PyTorch"),
        measured: median(&list_ms),
        unit: "ms",
        limit: Limit::AtMost(50.0),
        detail: format!(
            "one `pip show torch`: {:.0} ms, medians of {} pairs",
            median(&show_ms),
            bench.pairs
        ),
    }])
}

/// The files of an environment that a search reads; its packages' own files do not matter to it.
fn environment(folder: &Path, python: &Path) -> std::io::Result<()> {
    let packages = folder.join("lib/python3.11/site-packages");
    let record = packages.join("torch-2.13.0.dist-info");
    for made in [&folder.join("bin"), &packages.join("torch/lib"), &record] {
        fs::create_dir_all(made)?;
    }
    let base = fs::canonicalize(python)?;
    let home = base.parent().unwrap_or(&base).display();
    fs::write(
        folder.join("pyvenv.cfg"),
        format!("home = {home}\nversion = 3.11.7\n"),
    )?;
    fs::write(packages.join("torch/__init__.py"), "")?;
    fs::write(
        packages.join("torch/version.py"),
        "__version__ = '2.13.0+cu130'\ncuda = '13.0'\nhip = None\n",
    )?;
    fs::write(
        record.join("METADATA"),
        "Metadata-Version: 2.1\nName: torch\nVersion: 2.13.0\n",
    )?;
    #[cfg(unix)]
    std::os::unix::fs::symlink(&base, folder.join("bin/python"))?;
    Ok(())
}
