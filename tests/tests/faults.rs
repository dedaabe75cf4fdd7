//! Every row of the fault bench, with each engine that meets it.
//!
//! `cargo xtask test` sets the variables that name the programs and environments; `cargo xtask faults` shows the same
//! rows as a table.

use firstfault_tests::faults::{Bench, Engine, ROWS};
use firstfault_tests::{Environment, named_by};

fn every_row_is_named_rightly(engine: Engine) {
    let bench = Bench::new(
        &named_by("FIRSTFAULT_BIN"),
        &Environment::Torch.python(),
        &named_by("FIRSTFAULT_TEST_FAULT_DRIVER"),
    )
    .unwrap();
    let mut wrong = Vec::new();
    for row in ROWS
        .iter()
        .filter(|row| row.engines.contains(&engine) && Bench::can_show(row))
    {
        let found = bench.run(row, engine).unwrap();
        let problems = found.problems(row, engine);
        if !problems.is_empty() {
            wrong.push(format!("{}: {}\n{found}", row.name, problems.join("; ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn both_engines_name_every_fault_of_a_driver() {
    every_row_is_named_rightly(Engine::Auto);
}

#[test]
fn python_alone_names_every_fault_of_a_driver() {
    every_row_is_named_rightly(Engine::Python);
}

#[test]
fn libtorch_alone_names_every_fault_of_a_driver() {
    every_row_is_named_rightly(Engine::Libtorch);
}
