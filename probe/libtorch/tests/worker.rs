//! The built worker over a real libtorch, as `firstfault` starts it.
//!
//! `FIRSTFAULT_TEST_TORCH` names an environment with the CUDA build of PyTorch that the worker was built for;
//! `cargo xtask test` sets up such an environment and sets the variable.

use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use serde_json::{Value, json};

const NONCE: &str = "00112233445566778899aabbccddeeff";
const SIZE: usize = 16;

/// The worker's end.
struct Ended {
    status: ExitStatus,
    events: Vec<Value>,
    stderr: String,
}

impl Ended {
    fn facts(&self, stage: &str) -> &Value {
        let end = self
            .events
            .iter()
            .find(|event| event["event"] == "end" && event["stage"] == stage);
        &end.unwrap_or_else(|| panic!("{stage} has no end\n{self}"))["facts"]
    }

    fn last(&self) -> &Value {
        self.events
            .last()
            .unwrap_or_else(|| panic!("there is no event\n{self}"))
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{}", self.status)?;
        self.events
            .iter()
            .try_for_each(|event| writeln!(f, "{event}"))?;
        write!(f, "{}", self.stderr)
    }
}

/// The library folder of the environment under test.
fn torch_libraries() -> PathBuf {
    let environment = std::env::var_os("FIRSTFAULT_TEST_TORCH").expect(
        "set FIRSTFAULT_TEST_TORCH to the folder of a virtual environment with the CUDA build of PyTorch 2.13.0; \
         `cargo xtask test` does",
    );
    let interpreters = Path::new(&environment).join("lib");
    std::fs::read_dir(&interpreters)
        .unwrap_or_else(|error| panic!("{}: {error}", interpreters.display()))
        .map(|entry| entry.unwrap().path().join("site-packages/torch/lib"))
        .find(|libraries| libraries.is_dir())
        .unwrap_or_else(|| panic!("{} holds no PyTorch", interpreters.display()))
}

/// Integers that differ from each other and between the two factors.
fn receipt() -> (Vec<i64>, Vec<i64>) {
    let numbers = |factor: i64| (0..256).map(|at| (at * factor + at / 7) % 17 - 8).collect();
    (numbers(5), numbers(11))
}

fn product_of_receipt() -> Vec<f64> {
    let (left, right) = receipt();
    let cell = |row: usize, column: usize| -> i64 {
        (0..SIZE)
            .map(|at| left[row * SIZE + at] * right[at * SIZE + column])
            .sum()
    };
    (0..SIZE * SIZE)
        .map(|at| f64::from(i32::try_from(cell(at / SIZE, at % SIZE)).unwrap()))
        .collect()
}

fn worker(libraries: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_firstfault-libtorch"));
    command
        .env("LD_LIBRARY_PATH", libraries)
        .env_remove("CUDA_VISIBLE_DEVICES");
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn request(device: &str) -> String {
    let (left, right) = receipt();
    let receipt = json!({"size": SIZE, "left": left, "right": right});
    json!({"protocol": 1, "nonce": NONCE, "device": device, "index": 0, "receipt": receipt})
        .to_string()
}

/// Runs the worker to its end, with standard input open, and lets it pass each stage that it asks about.
fn run(libraries: &Path, device: &str) -> Ended {
    let mut child = worker(libraries).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A worker that could not be loaded reads nothing.
    let _ = stdin.write_all(format!("{}\ngo\ngo\n", request(device)).as_bytes());
    let status = child.wait().unwrap();
    drop(stdin);
    let (mut stdout, mut stderr) = (String::new(), String::new());
    child.stdout.unwrap().read_to_string(&mut stdout).unwrap();
    child.stderr.unwrap().read_to_string(&mut stderr).unwrap();
    let events: Vec<Value> = stdout
        .trim()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event["nonce"], NONCE);
        assert_eq!(event["seq"], number);
    }
    Ended {
        status,
        events,
        stderr,
    }
}

#[test]
fn the_cpu_gives_every_receipt() {
    let ended = run(&torch_libraries(), "cpu");
    assert!(ended.status.success(), "{ended}");
    assert_eq!(ended.stderr, "", "{ended}");
    assert_eq!(ended.last()["event"], "done", "{ended}");
    assert_eq!(ended.facts("import")["library"], "none");
    assert_eq!(ended.facts("import")["cpu_control"], true);
    assert_eq!(ended.facts("import")["torch_version"], "2.13.0");
    assert_eq!(ended.facts("backend")["backend"], "cuda");
    assert_eq!(ended.facts("device")["visible_device_count"], Value::Null);
    assert_eq!(
        ended.facts("allocation"),
        &json!({"device": "cpu", "dtype": "float32"})
    );
    assert_eq!(
        ended.facts("product")["values"],
        json!([4.0, 4.0, 10.0, 8.0])
    );
    assert_eq!(
        ended.facts("gradient"),
        &json!({"values": [16.0, 24.0, 40.0, 52.0], "loss": 196.0})
    );
    let last = ended.facts("synchronize");
    assert_eq!(last["device"], "cpu");
    assert_eq!(last["receipt"], json!(product_of_receipt()));
    for duration in ["first_pass_ms", "following_pass_ms"] {
        assert!(
            last[duration].as_f64().is_some_and(|ms| ms > 0.0),
            "{ended}"
        );
    }
}

#[test]
fn every_stage_is_announced_before_it_ends() {
    let ended = run(&torch_libraries(), "cpu");
    let order: Vec<String> = ended
        .events
        .iter()
        .map(|event| format!("{} {}", event["event"], event["stage"]))
        .collect();
    let stages = [
        "import",
        "backend",
        "device",
        "allocation",
        "product",
        "gradient",
        "synchronize",
    ];
    let expected: Vec<String> = stages
        .iter()
        .flat_map(|stage| {
            [
                format!("\"begin\" \"{stage}\""),
                format!("\"end\" \"{stage}\""),
            ]
        })
        .chain(["\"done\" null".to_owned()])
        .collect();
    assert_eq!(order, expected);
}

#[test]
fn a_gpu_that_is_not_there_is_told_in_the_drivers_words() {
    let ended = run(&torch_libraries(), "gpu");
    assert!(ended.status.success(), "{ended}");
    assert_eq!(ended.facts("import")["library"], "cuda");
    assert_eq!(ended.facts("import")["gpu_hooks"], true);
    assert_eq!(ended.facts("backend")["backend"], "cuda");
    let fault = ended.last();
    assert_eq!(fault["event"], "fault", "{ended}");
    assert_eq!(fault["stage"], "device");
    assert_eq!(fault["exception"], "RuntimeError");
    let message = fault["message"].as_str().unwrap();
    assert!(
        message.starts_with("Found no NVIDIA driver on your system."),
        "{message}"
    );
    assert!(!message.contains("frame #"), "{message}");
}

#[test]
fn without_its_libraries_the_loader_says_which_one_is_missing() {
    let empty = tempfile::tempdir().unwrap();
    let ended = run(empty.path(), "cpu");
    assert_eq!(ended.status.code(), Some(127), "{ended}");
    assert!(ended.events.is_empty(), "{ended}");
    assert!(
        ended
            .stderr
            .contains("error while loading shared libraries: libtorch"),
        "{ended}"
    );
    assert!(
        ended.stderr.contains("cannot open shared object file"),
        "{ended}"
    );
}

/// The environment's libraries with another GPU library, or with none. They find NVIDIA's relative to themselves.
fn with_gpu_library(content: Option<&str>) -> (tempfile::TempDir, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let libraries = root.path().join("torch/lib");
    std::fs::create_dir_all(&libraries).unwrap();
    let real = torch_libraries();
    symlink(real.join("../../nvidia"), root.path().join("nvidia")).unwrap();
    for entry in std::fs::read_dir(real).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name() != "libtorch_cuda.so" {
            symlink(entry.path(), libraries.join(entry.file_name())).unwrap();
        }
    }
    if let Some(content) = content {
        std::fs::write(libraries.join("libtorch_cuda.so"), content).unwrap();
    }
    (root, libraries)
}

#[test]
fn a_gpu_library_that_does_not_load_ends_the_answer() {
    let (_root, libraries) = with_gpu_library(Some("torn"));
    let ended = run(&libraries, "gpu");
    assert!(ended.status.success(), "{ended}");
    assert_eq!(ended.facts("import")["cpu_control"], true, "{ended}");
    assert_eq!(ended.facts("import")["gpu_hooks"], false, "{ended}");
    let fault = ended.last();
    assert_eq!(
        (&fault["stage"], &fault["exception"]),
        (&json!("backend"), &json!("LoaderError")),
        "{ended}"
    );
    assert!(
        fault["message"]
            .as_str()
            .unwrap()
            .contains("libtorch_cuda.so: file too short"),
        "{ended}"
    );
}

#[test]
fn a_libtorch_without_a_gpu_library_has_no_backend() {
    let (_root, libraries) = with_gpu_library(None);
    let ended = run(&libraries, "gpu");
    let fault = ended.last();
    assert_eq!(
        (&fault["stage"], &fault["exception"]),
        (&json!("backend"), &json!("NoBackend")),
        "{ended}"
    );
}

#[test]
fn a_request_of_another_protocol_is_refused() {
    let mut child = worker(&torch_libraries()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin
        .write_all(
            request("cpu")
                .replace("\"protocol\":1", "\"protocol\":2")
                .as_bytes(),
        )
        .unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).contains("protocol 2"));
}

#[test]
fn a_worker_whose_parent_is_gone_leaves() {
    let mut child = worker(&torch_libraries()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // On a GPU it waits before the device is touched, for a word that never comes.
    stdin
        .write_all(format!("{}\n", request("gpu")).as_bytes())
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert!(
        child.try_wait().unwrap().is_none(),
        "the worker did not wait"
    );
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let last: Value = serde_json::from_str(stdout.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["event"], &last["stage"], &last["wait"]),
        (&json!("begin"), &json!("device"), &json!(true))
    );
}
