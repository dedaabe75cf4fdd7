//! Sets up what the tests need, then runs every runner and sums what they counted.

use std::path::PathBuf;
use std::process::Command;

use crate::cli::{Runner, TestArgs};
use crate::counts::{self, Counts};
use crate::environments::{self, Environment};
use crate::error::Error;
use crate::programs::{self, Profile, libtorch_cargo, libtorch_folder, npm_ci};
use crate::progress::{Progress, Step};
use crate::project::{Project, on_path};
use crate::{debian, page};

/// A browser that the page is tested in.
struct Browser {
    variable: &'static str,
    names: &'static [&'static str],
    /// Debian's package, where none of these names is there.
    package: &'static str,
}

const BROWSERS: [Browser; 2] = [
    Browser {
        variable: "FIRSTFAULT_TEST_CHROMIUM",
        names: &[
            "chromium",
            "chromium-browser",
            "google-chrome-stable",
            "google-chrome",
        ],
        package: "chromium",
    },
    Browser {
        variable: "FIRSTFAULT_TEST_FIREFOX",
        names: &["firefox-esr", "firefox"],
        package: "firefox-esr",
    },
];

/// What the tests are told, by environment variables: the folders of the environments, and files.
struct Given {
    torch: PathBuf,
    variables: Vec<(&'static str, PathBuf)>,
}

/// Runs the chosen runners, all of them where none was chosen.
pub(crate) fn run(project: &Project, progress: &Progress, chosen: &TestArgs) -> Result<(), Error> {
    let runners: Vec<Runner> = Runner::ALL
        .into_iter()
        .filter(|runner| chosen.only.is_empty() || chosen.only.contains(runner))
        .collect();
    // Everything is set up before the first test runs: what is missing shows at once.
    let given = set_up(project, progress, &runners)?;
    let mut sum = Counts::default();
    let mut closing = Vec::new();
    let mut problems = Vec::new();
    for runner in runners {
        let (name, command) = command(project, progress, runner, &given, &chosen.arguments)?;
        let ended = progress.watch(
            project,
            Step::new(format!("tests: {name}"), command).shown(),
        )?;
        let counted = match runner {
            Runner::Browser => counts::node(&ended.lines),
            Runner::Rust | Runner::Xtask | Runner::Libtorch => counts::cargo(&ended.lines),
        };
        match counted {
            Some(counts) => {
                sum = sum.plus(counts);
                closing.push(format!(
                    "{name}: {} of {} tests passed",
                    counts.passed,
                    counts.passed + counts.failed
                ));
                if !ended.success || counts.failed > 0 {
                    problems.push(format!("{name} failed"));
                } else if counts.passed == 0 && chosen.arguments.is_empty() {
                    problems.push(format!("{name} ran none"));
                }
            }
            None => {
                closing.push(format!("{name}: no count"));
                problems.push(format!("{name} ended without a count"));
            }
        }
    }
    for line in closing {
        progress.result(&line);
    }
    progress.result(&sum.line());
    if sum.passed + sum.failed == 0 && problems.is_empty() {
        problems.push("none ran".to_owned());
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(Error::Tests {
            problem: problems.join("; "),
        })
    }
}

fn set_up(project: &Project, progress: &Progress, runners: &[Runner]) -> Result<Given, Error> {
    let torch = environments::ensure(project, progress, Environment::Torch)?;
    let mut variables = vec![("FIRSTFAULT_TEST_TORCH", Environment::Torch.folder(project))];
    if runners.contains(&Runner::Rust) {
        for (name, environment) in [
            ("FIRSTFAULT_TEST_NOLIBS", Environment::NoLibraries),
            ("FIRSTFAULT_TEST_EMPTY", Environment::Empty),
            ("FIRSTFAULT_TEST_APPLICATIONS", Environment::Applications),
        ] {
            environments::ensure(project, progress, environment)?;
            variables.push((name, environment.folder(project)));
        }
        let debian = environments::ensure_debian(project, progress)?;
        variables.push(("FIRSTFAULT_TEST_DEBIAN_PYTHON", debian));
    }
    if runners.contains(&Runner::Browser) {
        for wanted in BROWSERS {
            variables.push((wanted.variable, browser(project, progress, &wanted)?));
        }
        browser_packages(project, progress)?;
    }
    if runners.contains(&Runner::Rust) || runners.contains(&Runner::Browser) {
        variables.push(("FIRSTFAULT_PAGE", page::build(project, progress)?));
        let built = programs::build(project, progress, Profile::Dev, &torch)?;
        variables.push(("FIRSTFAULT_BIN", built.firstfault));
    }
    if runners.contains(&Runner::Rust) {
        variables.push((
            "FIRSTFAULT_TEST_FAULT_DRIVER",
            programs::fault_driver(project, progress)?,
        ));
    }
    Ok(Given { torch, variables })
}

/// Chromium, by the variable that tells the browser tests of it, with what they need to drive it.
pub(crate) fn chromium(
    project: &Project,
    progress: &Progress,
) -> Result<(&'static str, PathBuf), Error> {
    let [wanted, _] = &BROWSERS;
    let found = browser(project, progress, wanted)?;
    browser_packages(project, progress)?;
    Ok((wanted.variable, found))
}

/// Node, and the packages of the browser tests.
fn browser_packages(project: &Project, progress: &Progress) -> Result<(), Error> {
    if on_path("node").is_none() || on_path("npm").is_none() {
        debian::ensure(
            project,
            progress,
            &["nodejs", "npm"],
            "the browser tests run in node",
        )?;
    }
    let folder = project.root().join("tests/browser");
    npm_ci(
        project,
        progress,
        &folder,
        &folder,
        "the browser tests' packages",
    )
}

fn browser(project: &Project, progress: &Progress, wanted: &Browser) -> Result<PathBuf, Error> {
    let why = "the page is tested in real browsers";
    let find = || wanted.names.iter().find_map(|name| on_path(name));
    if let Some(found) = find() {
        return Ok(found);
    }
    debian::ensure(project, progress, &[wanted.package], why)?;
    find().ok_or_else(|| Error::Missing {
        what: wanted.package.to_owned(),
        why: why.to_owned(),
        line: format!("sudo apt-get install {}", wanted.package),
    })
}

/// The name and the command line of a runner.
fn command(
    project: &Project,
    progress: &Progress,
    runner: Runner,
    given: &Given,
    arguments: &[String],
) -> Result<(&'static str, Command), Error> {
    let cargo = |mut cargo: Command, chosen: &[&str]| {
        // One failing binary must not hide the others' counts.
        cargo
            .args(["test", "--no-fail-fast"])
            .args(chosen)
            .args(arguments);
        cargo
    };
    let (name, mut command) = match runner {
        Runner::Rust => {
            let others = [
                "--workspace",
                "--exclude",
                "firstfault-libtorch",
                "--exclude",
                "firstfault-xtask",
            ];
            ("rust", cargo(project.cargo(), &others))
        }
        Runner::Xtask => (
            "xtask",
            cargo(project.cargo(), &["--package", "firstfault-xtask"]),
        ),
        Runner::Libtorch => {
            let mut cargo = cargo(
                libtorch_cargo(project, progress, &given.torch)?,
                &["--package", "firstfault-libtorch"],
            );
            cargo.env("LD_LIBRARY_PATH", libtorch_folder(project, &given.torch)?);
            ("libtorch", cargo)
        }
        Runner::Browser => {
            let mut node = project.command("node");
            node.current_dir(project.root().join("tests/browser"))
                .args(["--test", "--test-reporter=spec"]);
            ("browser", node)
        }
    };
    // The counts are read from plain text.
    command
        .env("CARGO_TERM_COLOR", "never")
        .env_remove("FORCE_COLOR");
    command.envs(given.variables.iter().map(|(name, path)| (name, path)));
    Ok((name, command))
}
