//! Which Python is examined: the list of them, and those of kernels and running programs.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use firstfault_schema::Code;
use firstfault_schema::report::Backend;
use firstfault_tests::ended::fact;
use firstfault_tests::{Ended, Environment, Scene, StandIn, named_by};
use serde_json::Value;

/// A Python program that waits until the test ends.
struct Waiting(Child);

impl Waiting {
    fn start(python: &Path, folder: &Path, variables: &[(&str, &str)]) -> Self {
        let mut child = Command::new(python)
            .args([
                "-c",
                "import time; print('ready', flush=True); time.sleep(120)",
            ])
            .current_dir(folder)
            .env_clear()
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let output = child.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        Self(child)
    }

    fn pid(&self) -> String {
        self.0.id().to_string()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The list in a document of `interpreters --json`.
fn listed(ended: &Ended) -> Vec<Value> {
    let document: Value = serde_json::from_str(&ended.stdout)
        .unwrap_or_else(|error| panic!("no document: {error}\n{ended}"));
    document["interpreters"]
        .as_array()
        .unwrap_or_else(|| panic!("no list\n{ended}"))
        .clone()
}

fn with_path<'a>(list: &'a [Value], path: &Path) -> &'a Value {
    list.iter()
        .find(|entry| entry["path"] == *path.to_str().unwrap())
        .unwrap_or_else(|| panic!("{} is not in {list:#?}", path.display()))
}

fn kernel(scene: &Scene, name: &str, document: &Value) -> PathBuf {
    let folder = scene.path("home/.local/share/jupyter/kernels").join(name);
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("kernel.json");
    fs::write(&file, document.to_string()).unwrap();
    file
}

#[test]
fn every_environment_near_the_program_is_listed_with_its_torch() {
    let scene = Scene::new();
    let active = scene.path("active");
    StandIn::new(&active);
    let link = scene.work("gpu");
    std::os::unix::fs::symlink(named_by("FIRSTFAULT_TEST_TORCH"), &link).unwrap();
    let empty = StandIn::without_torch(&scene.work(".venv"));
    let ended = scene
        .run(["interpreters", "--json"])
        .env("VIRTUAL_ENV", &active)
        .end();
    ended.expect_exit(0).expect_silence();
    let list = listed(&ended);

    let first = &list[0];
    assert_eq!(first["path"], active.join("bin/python").to_str().unwrap());
    assert_eq!(first["chosen"], true, "{ended}");
    assert_eq!(first["found_by"][0]["kind"], "active");
    assert_eq!(first["environment"], "venv");
    let chosen = list.iter().filter(|entry| entry["chosen"] == true).count();
    assert_eq!(chosen, 1, "{ended}");

    let torch = with_path(&list, &link.join("bin/python"));
    assert_eq!(torch["torch"]["version"], "2.13.0+cu130", "{ended}");
    assert_eq!(torch["torch"]["build"], "cuda");
    assert_eq!(torch["torch"]["cuda_version"], "13.0");
    let empty = with_path(&list, &empty.python());
    assert_eq!(empty["torch"]["state"], "missing", "{ended}");
    assert_eq!(empty["found_by"][0]["kind"], "project");
    let debian = with_path(&list, &Environment::Debian.python());
    assert_eq!(debian["torch"]["build"], "cpu", "{ended}");
    assert_eq!(debian["environment"], "system");
}

#[test]
fn listing_starts_nothing_and_imports_nothing() {
    let scene = Scene::new();
    let touched = scene.path("started");
    let venv = StandIn::new(&scene.work("trap"));
    // A Python and a torch that would leave a mark.
    fs::remove_file(venv.python()).unwrap();
    let script = format!("#!/bin/sh\ntouch {}\n", touched.display());
    fs::write(venv.python(), &script).unwrap();
    fs::set_permissions(venv.python(), fs::Permissions::from_mode(0o755)).unwrap();
    let mark = format!("open({:?}, 'w')\n", touched.display().to_string());
    venv.add("torch/__init__.py", &mark);
    venv.add("trap.pth", &format!("import os; {mark}"));
    venv.add("sitecustomize.py", &mark);
    let ended = scene
        .run(["interpreters", "--json"])
        .env("VIRTUAL_ENV", scene.work("trap"))
        .env("PYTHONPATH", &venv.packages)
        .end();
    ended.expect_exit(0).expect_silence();
    with_path(&listed(&ended), &venv.python());
    assert!(!touched.exists(), "{ended}");
}

#[test]
fn an_environment_that_lost_its_base_is_listed_with_the_reason() {
    let scene = Scene::new();
    let venv = StandIn::new(&scene.work("old"));
    fs::remove_file(venv.python()).unwrap();
    std::os::unix::fs::symlink("/nonexistent/python3", venv.python()).unwrap();
    let ended = scene.run(["interpreters", "--json"]).end();
    let list = listed(&ended);
    let broken = with_path(&list, &venv.python());
    assert_eq!(broken["problem"], "broken-link", "{ended}");
    let ended = scene.run(["interpreters", "--lang", "de"]).end();
    ended.expect_exit(0).expect_silence();
    assert!(ended.stdout.contains("nicht startbar"), "{ended}");
    assert!(
        ended.stdout.contains("die Verknüpfung führt ins Leere"),
        "{ended}"
    );
}

#[test]
fn a_kernel_is_checked_with_its_interpreter_and_its_variables() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    kernel(
        &scene,
        "Trainer",
        &serde_json::json!({
            "argv": [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
            "display_name": "Trainer",
            "language": "python",
            "env": { "STAND_IN": "rocm", "TOKEN": "planted-kernel-secret" },
        }),
    );
    let ended = scene
        .run(["check", "--json", "--kernel", "trainer"])
        .stand_in("wrong-product")
        .end();
    let report = ended.expect(Code::GpuCheckPassed);
    assert_eq!(report.pytorch.backend, Some(Backend::Rocm), "{ended}");
    assert!(!ended.stdout.contains("planted-kernel-secret"), "{ended}");

    let ended = scene.run(["interpreters", "--json"]).end();
    let list = listed(&ended);
    let found_by = &with_path(&list, &python)["found_by"];
    let kernel = serde_json::json!({ "kind": "kernel", "name": "Trainer" });
    assert!(found_by.as_array().unwrap().contains(&kernel), "{ended}");
}

#[test]
fn a_kernel_that_is_not_there_is_a_usage_error_that_names_those_that_are() {
    let scene = Scene::new();
    kernel(
        &scene,
        "mine",
        &serde_json::json!({ "argv": ["python3"], "language": "python" }),
    );
    let ended = scene.run(["check", "--json", "--kernel", "nope"]).end();
    ended.expect_exit(2);
    assert_eq!(ended.stdout, "", "{ended}");
    assert!(ended.stderr.contains("no Jupyter kernel"), "{ended}");
    assert!(ended.stderr.contains("mine"), "{ended}");
}

#[test]
fn a_running_program_is_checked_with_its_interpreter_variables_and_folder() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let folder = scene.path("project");
    fs::create_dir(&folder).unwrap();
    let program = Waiting::start(
        &python,
        &folder,
        &[("STAND_IN", "rocm"), ("TOKEN", "planted-program-secret")],
    );
    let ended = scene
        .run(["check", "--json", "--pid", &program.pid()])
        .stand_in("wrong-product")
        .end();
    let report = ended.expect(Code::GpuCheckPassed);
    assert_eq!(report.pytorch.backend, Some(Backend::Rocm), "{ended}");

    // A failure collects evidence, with the program's variables too; none of them may be told.
    let failing = Waiting::start(
        &python,
        &folder,
        &[
            ("STAND_IN", "wrong-product"),
            ("TOKEN", "planted-program-secret"),
            ("CUDA_VISIBLE_DEVICES", "planted-odd-value"),
        ],
    );
    let ended = scene
        .run(["check", "--json", "--pid", &failing.pid()])
        .limit(Duration::from_secs(60))
        .end();
    let report = ended.expect(Code::CheckFailed);
    assert_eq!(
        fact(&report, "cuda_visible_devices").as_deref(),
        Some("odd"),
        "{ended}"
    );
    assert!(!ended.stdout.contains("planted"), "{ended}");
    assert!(!ended.stderr.contains("planted"), "{ended}");
    for path in state_files(&scene.path("state")) {
        let bytes = fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("planted"), "{}", path.display());
    }

    let ended = scene
        .run(["interpreters", "--json", "--pid", &program.pid()])
        .end();
    let list = listed(&ended);
    let running = list
        .iter()
        .find(|entry| entry["found_by"][0]["kind"] == "process");
    assert_eq!(
        running.unwrap()["path"],
        *python.to_str().unwrap(),
        "{ended}"
    );
}

fn state_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else {
                found.push(entry.path());
            }
        }
    }
    found
}

#[test]
fn a_process_that_is_no_python_is_a_usage_error() {
    let scene = Scene::new();
    let mut sleeper = Command::new("sleep").arg("60").spawn().unwrap();
    let pid = sleeper.id().to_string();
    let ended = scene.run(["check", "--json", "--pid", &pid]).end();
    let _ = sleeper.kill();
    let _ = sleeper.wait();
    ended.expect_exit(2);
    assert_eq!(ended.stdout, "", "{ended}");
    assert!(ended.stderr.contains("is not a Python program"), "{ended}");
    let ended = scene.run(["check", "--json", "--pid", &pid]).end();
    ended.expect_exit(2);
    assert!(ended.stderr.contains("no process"), "{ended}");
}
