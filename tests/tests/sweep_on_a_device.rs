//! `firstfault sweep` on a device, with a stand-in for PyTorch: its whole memory is the limit. How much of it is in use is told by
//! marks, or by NVML; a false one, which proves that it is asked and believed, and nothing about a card.

use std::fs;

use firstfault_schema::Code;
use firstfault_schema::decision::Outcome;
use firstfault_schema::report::MemoryLimit;
use firstfault_tests::sweeps::{found, range, scene, step};
use firstfault_tests::{Ended, named_by};

/// Answers each item, and marks what a device's allocator would say of a batch: 5 GiB, and 6 for each of it.
const ON_A_DEVICE: &str = r#"
import json, os, sys
reserved = (5 + 6 * int(sys.argv[1])) << 30
with open(os.environ["FIRSTFAULT_MARKERS"], "a") as marks:
    for event in ("begin", "end"):
        mark = {"v": 1, "event": event, "pid": os.getpid(), "id": 1, "stage": "compute", "kind": "compute"}
        marks.write(json.dumps({**mark, "reserved": reserved, "synchronized": True}) + "\n")
with open("answers.jsonl", "w") as answers:
    for line in open("items.jsonl"):
        answers.write(json.dumps({"id": json.loads(line)["id"], "value": [1.0, 2.0]}) + "\n")
"#;

#[test]
fn on_a_device_its_whole_memory_is_the_limit_and_the_marks_tell_the_peak() {
    let scene = scene();
    let python = scene.stand_in().python();
    fs::write(scene.work("device.py"), ON_A_DEVICE).unwrap();
    let ended = scene
        .run([
            "sweep",
            "--json",
            "--axis",
            "batch=1..64",
            "--refine",
            "1",
            "--",
        ])
        .args([python.as_os_str()])
        .args(["device.py", "{batch}"])
        .end();
    let report = ended.report();
    assert_eq!(report.code, Code::GpuCheckPassed, "{ended}");
    let sweep = found(&report);
    assert_eq!(
        (sweep.limit, sweep.limit_bytes),
        (Some(MemoryLimit::Device), Some(80 << 30)),
        "{ended}"
    );
    assert_eq!(range(sweep), (Some(8.0), Some(12.0), "margin"), "{ended}");
    assert_eq!(step(sweep, 8.0).peak_bytes, Some(53 << 30));
    assert_eq!(step(sweep, 8.0).predicted_bytes, Some(53 << 30));
    assert_eq!(step(sweep, 12.0).predicted_bytes, Some(77 << 30));
    assert_eq!(sweep.not_tried, [32.0, 64.0]);
}

/// Answers each item, and takes memory of the false GPU: 5 GiB and 6 for each of the batch, on top of what is in use.
const ON_A_FALSE_GPU: &str = r#"
import json, os, sys, time
file = os.environ["FAULT_DRIVER"].split("memory:")[1]
def use(gibibytes):
    with open(file + ".new", "w") as new:
        new.write(str(gibibytes << 30))
    os.replace(file + ".new", file)
batch = int(sys.argv[1])
use(2 + 5 + 6 * batch)
time.sleep(0.5)
if batch == 3:
    use(75)
    time.sleep(600)
with open("answers.jsonl", "w") as answers:
    for line in open("items.jsonl"):
        answers.write(json.dumps({"id": json.loads(line)["id"], "value": [1.0, 2.0]}) + "\n")
use(2)
"#;

fn on_a_false_gpu(axis: &str) -> Ended {
    let scene = scene();
    let python = scene.stand_in().python();
    let used = scene.path("used");
    fs::write(&used, (2_u64 << 30).to_string()).unwrap();
    fs::write(scene.work("device.py"), ON_A_FALSE_GPU).unwrap();
    scene
        .run(["sweep", "--json", "--axis", axis, "--"])
        .args([python.as_os_str()])
        .args(["device.py", "{batch}"])
        .env("FAULT_DRIVER", format!("nvml:0,memory:{}", used.display()))
        .env(
            "LD_LIBRARY_PATH",
            named_by("FIRSTFAULT_TEST_FAULT_DRIVER").join("nvml"),
        )
        .end()
}

#[test]
fn on_a_device_memory_in_use_is_looked_at_while_a_step_runs() {
    let ended = on_a_false_gpu("batch=1,2,4,8,16");
    let report = ended.report();
    let sweep = found(&report);
    assert_eq!(range(sweep), (Some(8.0), Some(16.0), "margin"), "{ended}");
    // What others have in use counts too.
    assert_eq!(step(sweep, 8.0).peak_bytes, Some(55 << 30), "{ended}");
    assert_eq!(step(sweep, 8.0).predicted_bytes, Some(55 << 30));
    assert_eq!(step(sweep, 16.0).predicted_bytes, Some(103 << 30));
    let device = &report
        .application
        .as_ref()
        .unwrap()
        .memory
        .as_ref()
        .unwrap()
        .devices[0];
    assert_eq!(
        (
            device.used_before_bytes,
            device.peak_used_bytes,
            device.total_bytes
        ),
        (2 << 30, 55 << 30, Some(80 << 30))
    );
}

#[test]
fn on_a_device_a_step_that_crosses_the_margin_is_stopped_at_once() {
    let ended = on_a_false_gpu("batch=1,2,3");
    let report = ended.report();
    let sweep = found(&report);
    assert_eq!(range(sweep), (Some(2.0), Some(3.0), "margin"), "{ended}");
    let stopped = step(sweep, 3.0);
    assert_eq!(
        (stopped.outcome, stopped.peak_bytes),
        (Outcome::Failed, Some(75 << 30)),
        "{ended}"
    );
    assert!(stopped.wall_ms.unwrap() < 10_000.0, "{ended}");
}
