//! The Python package that marks stages, with the Pythons of the tests.

use std::path::Path;
use std::process::Command;

use firstfault_tests::environments::Environment;

fn the_package_passes_with(python: &Path, tests: u32) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../probe/python");
    let ended = Command::new(python)
        .args(["-B", "-m", "unittest", "-q", "tests.test_marks"])
        .current_dir(&folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{}: {said}", python.display());
    assert!(said.contains(&format!("Ran {tests} tests")), "{said}");
}

#[test]
fn a_program_without_pytorch_marks_its_stages() {
    the_package_passes_with(&Environment::Empty.python(), 14);
}

#[test]
fn a_program_with_pytorch_tells_its_model_and_its_switches() {
    the_package_passes_with(&Environment::Torch.python(), 15);
}
