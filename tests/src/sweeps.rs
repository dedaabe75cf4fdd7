//! What tests of sweeps share: a program whose memory grows, and what a report tells of its sweep.

use std::fs;
use std::path::{Path, PathBuf};

use firstfault_schema::Report;
use firstfault_schema::report::{Sweep, SweepStep};

use crate::Scene;

const ITEMS: usize = 96;

/// The folder of the real programs.
pub fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("applications")
}

/// A folder with the program whose memory grows, its contract and its input of 96 items.
///
/// # Panics
/// Where it can't be made.
pub fn scene() -> Scene {
    let scene = Scene::new();
    for (name, to) in [("grow.py", "grow.py"), ("grow.toml", "firstfault.toml")] {
        fs::copy(programs().join(name), scene.work(to)).unwrap();
    }
    let items: String = (0..ITEMS)
        .map(|at| format!("{{\"id\": \"i-{at}\"}}\n"))
        .collect();
    fs::write(scene.work("items.jsonl"), items).unwrap();
    scene
}

/// The sweep of a report that has to have one.
///
/// # Panics
/// Where there is none.
pub fn found(report: &Report) -> &Sweep {
    report
        .application
        .as_ref()
        .and_then(|application| application.sweep.as_ref())
        .unwrap_or_else(|| panic!("no sweep: {}", report.to_json()))
}

/// The step with this value.
///
/// # Panics
/// Where there is none.
pub fn step(sweep: &Sweep, value: f64) -> &SweepStep {
    let step = sweep
        .steps
        .iter()
        .find(|step| (step.value - value).abs() < 1e-9);
    step.unwrap_or_else(|| panic!("no step {value}: {sweep:?}"))
}

/// The range, and why it ended.
pub fn range(sweep: &Sweep) -> (Option<f64>, Option<f64>, &str) {
    (
        sweep.last_good,
        sweep.first_bad,
        sweep.ended_by.as_deref().unwrap_or_default(),
    )
}
