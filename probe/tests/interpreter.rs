//! Which Python is settled on, and what its folders tell: on layouts as real tools leave them, and on the real
//! environments that the test run provides.

#![cfg(unix)]

use std::ffi::OsString;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use firstfault::interpreter::{
    ActiveVariable, Build, Candidate, Installed, KernelProblem, Origin, Package, Place,
    SettleError, Source, Surroundings, Unresolved, Variables, Wish, discover, settle,
};
use firstfault_schema::report::Environment;

/// A machine in a temporary folder: its root, a home and a project.
struct Machine {
    _folder: tempfile::TempDir,
    root: PathBuf,
    variables: Vec<(OsString, OsString)>,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("home/project")).unwrap();
        let mut machine = Self {
            _folder: folder,
            root,
            variables: Vec::new(),
        };
        let home = machine.at("home");
        machine.set("HOME", &home);
        let path = machine.at("usr/bin");
        machine.set("PATH", path);
        machine
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.into(), value.into()));
    }

    fn surroundings(&self) -> Surroundings {
        Surroundings::new(self.variables.iter().cloned(), self.at("home/project"))
            .with_root(self.root.clone())
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    fn executable(&self, path: &str, text: &str) -> PathBuf {
        let path = self.write(path, text);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn link(&self, path: &str, target: impl AsRef<Path>) -> PathBuf {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, &path).unwrap();
        path
    }

    /// An installation such as `/usr` or a version of pyenv.
    fn installation(&self, prefix: &str, version: &str) {
        self.executable(&format!("{prefix}/bin/python{version}"), "\u{7f}ELF");
        self.link(&format!("{prefix}/bin/python3"), format!("python{version}"));
        self.link(&format!("{prefix}/bin/python"), "python3");
        self.write(&format!("{prefix}/lib/python{version}/os.py"), "");
        let packages = format!("{prefix}/lib/python{version}/site-packages");
        std::fs::create_dir_all(self.at(&packages)).unwrap();
    }

    /// A virtual environment as `python3 -m venv` makes it.
    fn venv(&self, prefix: &str, base: &str, version: &str, extra: &str) {
        self.link(
            &format!("{prefix}/bin/python3"),
            self.at(base).join("bin/python3"),
        );
        self.link(&format!("{prefix}/bin/python"), "python3");
        let home = self.at(base).join("bin");
        self.write(
            &format!("{prefix}/pyvenv.cfg"),
            &format!("home = {}\n{extra}version = {version}.4\n", home.display()),
        );
        let packages = format!("{prefix}/lib/python{version}/site-packages");
        std::fs::create_dir_all(self.at(&packages)).unwrap();
    }

    /// PyTorch as pip leaves it in a folder of packages.
    fn torch(&self, packages: &str, version: &str, tag: &str, cuda: &str) {
        self.write(&format!("{packages}/torch/__init__.py"), "");
        self.write(
            &format!("{packages}/torch/version.py"),
            &format!("__version__ = '{version}{tag}'\ncuda: Optional[str] = {cuda}\nhip: Optional[str] = None\n"),
        );
        self.write(&format!("{packages}/torch/lib/libtorch_cpu.so"), "");
        self.write(
            &format!("{packages}/torch-{version}.dist-info/METADATA"),
            &format!("Metadata-Version: 2.1\nName: torch\nVersion: {version}\n"),
        );
    }
}

fn present(installed: &Installed) -> &Package {
    match installed {
        Installed::Present(package) => package,
        other => panic!("expected an installed PyTorch, found {other:?}"),
    }
}

#[test]
fn a_venv_is_taken_by_its_link_and_not_by_its_base() {
    let machine = Machine::new();
    machine.installation("usr", "3.11");
    machine.torch("usr/lib/python3/dist-packages", "1.13.0", "", "None");
    machine.venv(
        "home/project/.venv",
        "usr",
        "3.11",
        "include-system-site-packages = false\n",
    );
    machine.torch(
        "home/project/.venv/lib/python3.11/site-packages",
        "2.13.0",
        "+cu130",
        "'13.0'",
    );
    let settled = settle(
        &Wish::Path(".venv/bin/python".into()),
        &machine.surroundings(),
    )
    .unwrap();
    assert_eq!(settled.program, machine.at("home/project/.venv/bin/python"));
    assert_eq!(settled.prefix, Some(machine.at("home/project/.venv")));
    assert_eq!(settled.environment, Environment::Venv);
    assert_eq!(settled.version.as_deref(), Some("3.11.4"));
    assert_eq!(settled.source, Source::Named);
    let torch = present(&settled.torch);
    assert_eq!(torch.version.as_deref(), Some("2.13.0"));
    assert_eq!(torch.shown_version(), Some("2.13.0+cu130"));
    assert_eq!(torch.cuda.as_deref(), Some("13.0"));
    assert_eq!(torch.build, Some(Build::Cuda));
    assert_eq!(torch.place, Place::Environment);
    assert!(torch.lib_dir.as_ref().unwrap().ends_with("torch/lib"));
    assert!(torch.others.is_empty());
}

#[test]
fn a_venv_sees_the_systems_packages_only_when_it_says_so() {
    let machine = Machine::new();
    machine.installation("usr", "3.11");
    machine.torch("usr/lib/python3/dist-packages", "1.13.0", "", "None");
    machine.venv(
        "closed",
        "usr",
        "3.11",
        "include-system-site-packages = false\n",
    );
    machine.venv(
        "open",
        "usr",
        "3.11",
        "include-system-site-packages = true\n",
    );
    let surroundings = machine.surroundings();
    let closed = settle(&Wish::Path(machine.at("closed/bin/python")), &surroundings).unwrap();
    assert_eq!(closed.torch, Installed::Missing);
    let open = settle(&Wish::Path(machine.at("open/bin/python")), &surroundings).unwrap();
    assert_eq!(present(&open.torch).build, Some(Build::Cpu));
    assert_eq!(present(&open.torch).place, Place::System);
}

#[test]
fn a_venv_whose_base_was_upgraded_no_longer_sees_its_packages() {
    let machine = Machine::new();
    machine.installation("usr", "3.12");
    machine.venv(
        "env",
        "usr",
        "3.11",
        "include-system-site-packages = false\n",
    );
    machine.torch("env/lib/python3.11/site-packages", "2.0.0", "", "None");
    let settled = settle(
        &Wish::Path(machine.at("env/bin/python")),
        &machine.surroundings(),
    )
    .unwrap();
    assert_eq!(settled.version.as_deref(), Some("3.12"));
    assert_eq!(settled.torch, Installed::Unresolved(Unresolved::NoPackages));
}

#[test]
fn the_users_own_packages_stand_before_the_environments() {
    let mut machine = Machine::new();
    machine.installation("opt/conda", "3.10");
    machine.write("opt/conda/conda-meta/python-3.10.13-h955ad1f_0.json", "{}");
    machine.torch(
        "opt/conda/lib/python3.10/site-packages",
        "2.4.0",
        "",
        "'12.1'",
    );
    machine.torch(
        "home/.local/lib/python3.10/site-packages",
        "1.12.0",
        "",
        "'11.6'",
    );
    let wish = Wish::Path(machine.at("opt/conda/bin/python"));
    let settled = settle(&wish, &machine.surroundings()).unwrap();
    assert_eq!(settled.environment, Environment::Conda);
    assert_eq!(settled.version.as_deref(), Some("3.10.13"));
    let torch = present(&settled.torch);
    assert_eq!(torch.version.as_deref(), Some("1.12.0"));
    assert_eq!(torch.place, Place::UserSite);
    assert_eq!(torch.others, ["2.4.0"]);

    machine.set("PYTHONNOUSERSITE", "1");
    let settled = settle(&wish, &machine.surroundings()).unwrap();
    assert_eq!(present(&settled.torch).version.as_deref(), Some("2.4.0"));
}

#[test]
fn pythonpath_and_path_files_are_followed() {
    let mut machine = Machine::new();
    machine.installation("py", "3.11");
    machine.torch("source/torch-checkout", "2.14.0", "a0", "None");
    machine.write(
        "py/lib/python3.11/site-packages/editable.pth",
        &format!(
            "import os\n# comment\n{}\n",
            machine.at("source/torch-checkout").display()
        ),
    );
    let wish = Wish::Path(machine.at("py/bin/python3"));
    let settled = settle(&wish, &machine.surroundings()).unwrap();
    assert_eq!(present(&settled.torch).shown_version(), Some("2.14.0a0"));
    assert_eq!(settled.environment, Environment::Other);

    machine.torch("elsewhere", "2.1.0", "+cpu", "None");
    machine.set("PYTHONPATH", machine.at("elsewhere"));
    let settled = settle(&wish, &machine.surroundings()).unwrap();
    let torch = present(&settled.torch);
    assert_eq!(torch.shown_version(), Some("2.1.0+cpu"));
    assert_eq!(torch.place, Place::PythonPath);
}

#[test]
fn a_record_without_its_package_and_a_package_without_its_record_are_told_apart() {
    let machine = Machine::new();
    machine.installation("py", "3.11");
    let packages = "py/lib/python3.11/site-packages";
    machine.write(
        &format!("{packages}/torch-2.5.0.dist-info/METADATA"),
        "Version: 2.5.0\n",
    );
    let wish = Wish::Path(machine.at("py/bin/python3"));
    let settled = settle(&wish, &machine.surroundings()).unwrap();
    let torch = present(&settled.torch);
    assert_eq!(
        (torch.version.as_deref(), &torch.folder),
        (Some("2.5.0"), &None)
    );

    std::fs::remove_dir_all(machine.at(&format!("{packages}/torch-2.5.0.dist-info"))).unwrap();
    machine.write(&format!("{packages}/torch/__init__.py"), "");
    let settled = settle(&wish, &machine.surroundings()).unwrap();
    let torch = present(&settled.torch);
    assert_eq!((torch.version.as_deref(), torch.build), (None, None));
    assert!(torch.folder.is_some());
    assert_eq!(torch.lib_dir, None);
}

#[test]
fn paths_that_are_no_python_are_told_apart() {
    let machine = Machine::new();
    let surroundings = machine.surroundings();
    let problem = |path: &str| settle(&Wish::Path(machine.at(path)), &surroundings).unwrap_err();

    assert_eq!(
        problem("nothing"),
        SettleError::NotFound {
            path: machine.at("nothing")
        }
    );
    machine.write("text", "hello");
    assert!(matches!(problem("text"), SettleError::NotExecutable { .. }));
    assert!(matches!(
        problem("text/python"),
        SettleError::NotFound { .. }
    ));
    machine.link("env/bin/python", "/nonexistent/python3");
    assert_eq!(
        problem("env/bin/python"),
        SettleError::BrokenLink {
            path: machine.at("env/bin/python"),
            target: "/nonexistent/python3".into()
        }
    );
    machine.installation("py", "3.11");
    assert_eq!(
        problem("py"),
        SettleError::IsFolder {
            path: machine.at("py"),
            inside: Some(machine.at("py/bin/python"))
        }
    );
    assert_eq!(
        settle(&Wish::Path("python3.99".into()), &surroundings).unwrap_err(),
        SettleError::NotOnSearchPath {
            name: "python3.99".into()
        }
    );
    assert_eq!(
        settle(&Wish::Default, &surroundings).unwrap_err(),
        SettleError::NoneFound
    );
}

#[test]
fn a_named_pipe_is_no_interpreter_and_holds_nobody_up() {
    let machine = Machine::new();
    let path = machine.at("pipe");
    rustix::fs::mkfifoat(
        rustix::fs::CWD,
        &path,
        rustix::fs::Mode::from_raw_mode(0o777),
    )
    .unwrap();
    assert!(matches!(
        settle(&Wish::Path(path), &machine.surroundings()),
        Err(SettleError::NotExecutable { .. })
    ));
}

#[test]
fn the_active_environment_that_stands_first_on_path_wins() {
    let mut machine = Machine::new();
    machine.installation("usr", "3.11");
    machine.installation("opt/conda", "3.10");
    std::fs::create_dir_all(machine.at("opt/conda/conda-meta")).unwrap();
    machine.venv("env", "usr", "3.11", "");
    machine.set("VIRTUAL_ENV", machine.at("env"));
    machine.set("CONDA_PREFIX", machine.at("opt/conda"));
    let settled = settle(&Wish::Default, &machine.surroundings()).unwrap();
    assert_eq!(settled.source, Source::Active(ActiveVariable::VirtualEnv));
    assert_eq!(settled.program, machine.at("env/bin/python"));

    let path = std::env::join_paths([machine.at("opt/conda/bin"), machine.at("env/bin")]).unwrap();
    machine.set("PATH", path);
    let settled = settle(&Wish::Default, &machine.surroundings()).unwrap();
    assert_eq!(settled.source, Source::Active(ActiveVariable::CondaPrefix));
}

#[test]
fn an_active_environment_that_is_gone_is_passed_over_and_said_so() {
    let mut machine = Machine::new();
    machine.installation("usr", "3.11");
    machine.set("VIRTUAL_ENV", machine.at("deleted"));
    let settled = settle(&Wish::Default, &machine.surroundings()).unwrap();
    assert_eq!(settled.source, Source::SearchPath);
    assert_eq!(settled.environment, Environment::System);
    assert_eq!(settled.passed_over.len(), 1);
    assert_eq!(settled.passed_over[0].variable, ActiveVariable::VirtualEnv);
    assert_eq!(settled.passed_over[0].problem.id(), "not-found");
}

fn pyenv(machine: &mut Machine) {
    machine.installation("pyenv/versions/3.11.7", "3.11");
    machine.installation("pyenv/versions/3.12.1", "3.12");
    machine.installation("pyenv/versions/3.12.10", "3.12");
    let shim = format!(
        "#!/usr/bin/env bash\nset -e\n\nprogram=\"${{0##*/}}\"\n\nexport PYENV_ROOT=\"{0}\"\nexec \"{0}/libexec/pyenv\" exec \"$program\" \"$@\"\n",
        machine.at("pyenv").display()
    );
    machine.executable("pyenv/shims/python3", &shim);
    machine.executable("pyenv/shims/python", &shim);
    machine.write("pyenv/version", "3.11.7\n");
    let pyenv_root = machine.at("pyenv");
    machine.set("PYENV_ROOT", pyenv_root);
    let path = std::env::join_paths([machine.at("pyenv/shims"), machine.at("usr/bin")]).unwrap();
    machine.set("PATH", path);
}

#[test]
fn a_pyenv_shim_is_resolved_by_pyenvs_own_rules() {
    let mut machine = Machine::new();
    machine.installation("usr", "3.9");
    pyenv(&mut machine);
    let settled = |machine: &Machine| settle(&Wish::Default, &machine.surroundings());
    let found = settled(&machine).unwrap();
    assert_eq!(
        found.program,
        machine.at("pyenv/versions/3.11.7/bin/python3")
    );
    assert_eq!(found.version.as_deref(), Some("3.11.7"));
    assert_eq!(found.source, Source::SearchPath);
    assert_eq!(found.environment, Environment::Other);

    // The nearest file counts, and a prefix means its newest version.
    machine.write("home/.python-version", "3.12\n");
    assert_eq!(
        settled(&machine).unwrap().program,
        machine.at("pyenv/versions/3.12.10/bin/python3")
    );
    // The variable comes before the files; a missing version gives way to the next one.
    machine.set("PYENV_VERSION", "3.7.0:3.12.1");
    assert_eq!(
        settled(&machine).unwrap().program,
        machine.at("pyenv/versions/3.12.1/bin/python3")
    );
    machine.set("PYENV_VERSION", "system");
    assert_eq!(
        settled(&machine).unwrap().program,
        machine.at("usr/bin/python3")
    );
    machine.set("PYENV_VERSION", "3.8.2");
    assert_eq!(
        settled(&machine).unwrap_err(),
        SettleError::ShimWithoutVersion {
            path: machine.at("pyenv/shims/python3"),
            versions: vec!["3.8.2".into()]
        }
    );
}

#[test]
fn what_files_cannot_tell_is_unresolved() {
    let machine = Machine::new();
    let wrapper = machine.executable("wrapper", "#!/bin/sh\nexec /opt/secret/python \"$@\"\n");
    let settled = settle(&Wish::Path(wrapper.clone()), &machine.surroundings()).unwrap();
    assert_eq!(settled.program, wrapper);
    assert_eq!(settled.torch, Installed::Unresolved(Unresolved::Script));
    let other = machine.executable("bin/true", "\u{7f}ELF");
    let settled = settle(&Wish::Path(other), &machine.surroundings()).unwrap();
    assert_eq!(
        settled.torch,
        Installed::Unresolved(Unresolved::NoPythonName)
    );
    let lonely = machine.executable("lonely/python3.99", "\u{7f}ELF");
    let settled = settle(&Wish::Path(lonely), &machine.surroundings()).unwrap();
    assert_eq!(settled.torch, Installed::Unresolved(Unresolved::NoPrefix));
    assert_eq!(settled.prefix, None);
}

#[test]
fn a_kernel_gives_its_interpreter_and_its_variables() {
    let mut machine = Machine::new();
    machine.installation("usr", "3.11");
    machine.venv("env", "usr", "3.11", "");
    machine.torch("modules", "2.3.0", "", "'12.1'");
    machine.write(
        "home/.local/share/jupyter/kernels/mine/kernel.json",
        &format!(
            r#"{{"argv": ["{}", "-m", "ipykernel_launcher", "-f", "{{connection_file}}"], "display_name": "Mine", "language": "python",
                "env": {{"PYTHONPATH": "${{HOME}}/../modules", "TOKEN": "s3cret"}}, "metadata": {{"debugger": true}}}}"#,
            machine.at("env/bin/python").display()
        ),
    );
    machine.write(
        "home/.local/share/jupyter/kernels/ir/kernel.json",
        r#"{"argv": ["R", "--slave"], "display_name": "R", "language": "R"}"#,
    );
    machine.write(
        "home/.local/share/jupyter/kernels/wrapped/kernel.json",
        r#"{"argv": ["/opt/run-in-container.sh", "{connection_file}"], "display_name": "C", "language": "python"}"#,
    );
    machine.write("home/.local/share/jupyter/kernels/torn/kernel.json", "{");
    machine.write(
        "env/share/jupyter/kernels/python3/kernel.json",
        r#"{"argv": ["python", "-m", "ipykernel_launcher"], "display_name": "Python 3", "language": "python"}"#,
    );
    machine.set("VIRTUAL_ENV", machine.at("env"));
    let surroundings = machine.surroundings();

    let settled = settle(&Wish::Kernel("MINE".into()), &surroundings).unwrap();
    assert_eq!(settled.program, machine.at("env/bin/python"));
    assert_eq!(settled.source, Source::Kernel("mine".into()));
    assert_eq!(present(&settled.torch).place, Place::PythonPath);
    let Variables::OwnAnd(added) = &settled.variables else {
        panic!("the kernel's own variables are added")
    };
    assert_eq!(added.len(), 2);
    assert!(!format!("{settled:?}").contains("s3cret"));

    let inside = settle(&Wish::Kernel("python3".into()), &surroundings).unwrap();
    assert_eq!(inside.program, machine.at("env/bin/python"));
    assert_eq!(inside.variables, Variables::Own);

    let problem = |name: &str| settle(&Wish::Kernel(name.into()), &surroundings).unwrap_err();
    for (name, expected) in [
        ("ir", KernelProblem::OtherLanguage),
        ("wrapped", KernelProblem::Wrapped),
        ("torn", KernelProblem::Unreadable),
    ] {
        assert!(
            matches!(problem(name), SettleError::BadKernel { problem, .. } if problem == expected),
            "{name}"
        );
    }
    let SettleError::NoKernel { known, .. } = problem("nope") else {
        panic!("no such kernel")
    };
    assert_eq!(known, ["python3", "ir", "mine", "torn", "wrapped"]);
}

#[test]
fn every_python_that_a_person_might_mean_is_found_once() {
    let mut machine = Machine::new();
    machine.installation("usr", "3.9");
    pyenv(&mut machine);
    machine.executable(
        "pyenv/shims/python3.13",
        &std::fs::read_to_string(machine.at("pyenv/shims/python3")).unwrap(),
    );
    machine.installation("opt/conda", "3.10");
    std::fs::create_dir_all(machine.at("opt/conda/conda-meta")).unwrap();
    machine.installation("opt/conda/envs/train", "3.10");
    std::fs::create_dir_all(machine.at("opt/conda/envs/train/conda-meta")).unwrap();
    machine.write(
        "home/.conda/environments.txt",
        &format!("{}\n", machine.at("opt/conda/envs/train").display()),
    );
    // An environment without Python, as conda makes for other languages.
    std::fs::create_dir_all(machine.at("opt/conda/envs/r/conda-meta")).unwrap();
    machine.venv("home/project/.venv", "usr", "3.9", "");
    machine.venv("home/project/gpu", "usr", "3.9", "");
    machine.torch(
        "home/project/gpu/lib/python3.9/site-packages",
        "2.2.0",
        "+rocm5.7",
        "None",
    );
    machine.venv("home/project/broken", "gone", "3.9", "");
    machine.write(
        "home/.local/share/jupyter/kernels/gpu/kernel.json",
        &format!(
            r#"{{"argv": ["{}"], "language": "python"}}"#,
            machine.at("home/project/gpu/bin/python3").display()
        ),
    );

    let candidates = discover(&machine.surroundings(), None);
    let shown: Vec<(String, &[Origin])> = candidates
        .iter()
        .map(|candidate| {
            let path = match &candidate.found {
                Ok(interpreter) => &interpreter.program,
                Err(problem) => problem.path().unwrap(),
            };
            let path = path.strip_prefix(&machine.root).unwrap();
            (path.display().to_string(), candidate.origins.as_slice())
        })
        .collect();
    let gpu = [Origin::Project, Origin::Kernel("gpu".into())];
    let both = [Origin::SearchPath, Origin::Pyenv];
    let expected: Vec<(&str, &[Origin])> = vec![
        ("pyenv/versions/3.11.7/bin/python3", &both),
        ("usr/bin/python3", &[Origin::SearchPath]),
        ("home/project/.venv/bin/python", &[Origin::Project]),
        ("home/project/broken/bin/python", &[Origin::Project]),
        ("home/project/gpu/bin/python", &gpu),
        ("opt/conda/bin/python", &[Origin::Conda]),
        ("opt/conda/envs/train/bin/python", &[Origin::Conda]),
        ("pyenv/versions/3.12.1/bin/python", &[Origin::Pyenv]),
        ("pyenv/versions/3.12.10/bin/python", &[Origin::Pyenv]),
    ];
    let shown: Vec<(&str, &[Origin])> = shown
        .iter()
        .map(|(path, origins)| (path.as_str(), *origins))
        .collect();
    assert_eq!(shown, expected);
    let chosen: Vec<bool> = candidates.iter().map(|found| found.chosen).collect();
    assert_eq!(chosen.iter().filter(|chosen| **chosen).count(), 1);
    assert!(chosen[0]);
    assert!(matches!(
        candidates[3].found,
        Err(SettleError::BrokenLink { .. })
    ));
    assert!(has_torch(&candidates[4]));
}

/// A real environment that the test run provides, by the variable that names its folder.
fn provided(variable: &str) -> PathBuf {
    std::env::var_os(variable)
        .map(PathBuf::from)
        .unwrap_or_else(|| panic!("{variable} is not set: run `cargo xtask test --only rust`"))
}

fn torch_of(variable: &str) -> Installed {
    let prefix = provided(variable);
    let surroundings = Surroundings::of_this_process().unwrap();
    let settled = settle(&Wish::Path(prefix.join("bin/python")), &surroundings).unwrap();
    assert_eq!(settled.environment, Environment::Venv);
    assert_eq!(settled.prefix, Some(prefix));
    settled.torch
}

#[test]
fn real_environments_are_told_apart_from_disk() {
    let torch = torch_of("FIRSTFAULT_TEST_TORCH");
    assert_eq!(present(&torch).build, Some(Build::Cuda));
    assert_eq!(present(&torch).shown_version(), Some("2.13.0+cu130"));
    assert!(present(&torch).lib_dir.is_some());
    let torch = torch_of("FIRSTFAULT_TEST_NOLIBS");
    assert_eq!(present(&torch).version.as_deref(), Some("2.13.0"));
    assert_eq!(torch_of("FIRSTFAULT_TEST_EMPTY"), Installed::Missing);
    let program = provided("FIRSTFAULT_TEST_DEBIAN_PYTHON");
    let surroundings = Surroundings::of_this_process().unwrap();
    let settled = settle(&Wish::Path(program), &surroundings).unwrap();
    assert_eq!(settled.environment, Environment::System);
    let torch = present(&settled.torch);
    assert_eq!(torch.build, Some(Build::Cpu));
    assert_eq!(torch.place, Place::System);
    assert!(torch.lib_dir.is_some());
}

#[test]
fn what_is_settled_is_what_python_says_of_itself() {
    let surroundings = Surroundings::of_this_process().unwrap();
    for wish in [
        Wish::Path(provided("FIRSTFAULT_TEST_TORCH").join("bin/python")),
        Wish::Path(provided("FIRSTFAULT_TEST_EMPTY").join("bin/python3")),
        Wish::Path(provided("FIRSTFAULT_TEST_DEBIAN_PYTHON")),
        Wish::Default,
    ] {
        let settled = settle(&wish, &surroundings).unwrap();
        let script = "import sys, platform; print(sys.prefix); print(platform.python_version())\n\
            for p in sys.path:\n    if p.endswith('-packages'): print(p)";
        let mut command = std::process::Command::new(&settled.program);
        command.args(["-c", script]);
        settled.variables.apply(&mut command);
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let mut lines = text.lines();
        let prefix = lines.next().map(PathBuf::from);
        assert_eq!(settled.prefix, prefix, "{wish:?}");
        let version = lines.next().unwrap();
        assert!(
            version.starts_with(settled.version.as_deref().unwrap()),
            "{wish:?}: {version}"
        );
        let folders: Vec<PathBuf> = lines.map(PathBuf::from).collect();
        assert_eq!(settled.package_folders, folders, "{wish:?}");
    }
}

fn has_torch(candidate: &Candidate) -> bool {
    candidate
        .found
        .as_ref()
        .is_ok_and(|found| matches!(found.torch, Installed::Present(_)))
}

#[test]
fn an_empty_machine_has_no_python() {
    let machine = Machine::new();
    assert!(discover(&machine.surroundings(), None).is_empty());
}
