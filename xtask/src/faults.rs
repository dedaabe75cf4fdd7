//! The fault bench as a table: what must be found and what is found, with each engine.

use comfy_table::Table;
use firstfault_tests::faults::{Bench, Engine, Found, ROWS, Row};

use crate::environments::{self, Environment};
use crate::error::Error;
use crate::page;
use crate::programs::{self, Profile};
use crate::progress::Progress;
use crate::project::Project;

/// Runs every row with each engine that meets it, prints the table, and fails when a row is wrong.
pub(crate) fn run(project: &Project, progress: &Progress) -> Result<(), Error> {
    let torch = environments::ensure(project, progress, Environment::Torch)?;
    page::build(project, progress)?;
    let built = programs::build(project, progress, Profile::Dev, &torch)?;
    let driver = programs::fault_driver(project, progress)?;
    let start = |source| Error::Start {
        program: "the fault bench".to_owned(),
        source,
    };
    let bench = Bench::new(&built.firstfault, &torch, &driver).map_err(start)?;
    let mut table = Table::new();
    table.load_style(comfy_table::presets::ASCII_MARKDOWN);
    table.set_header([
        "fault", "engine", "expected", "found", "code", "time", "limit", "ok",
    ]);
    let mut wrong = Vec::new();
    let mut rows = 0;
    for row in ROWS {
        if !Bench::can_show(row) {
            progress.note(&format!(
                "{}: left out, since this machine has a driver of its own",
                row.name
            ));
            continue;
        }
        for engine in Engine::ALL
            .into_iter()
            .filter(|engine| row.engines.contains(engine))
        {
            progress.heading(&format!("{} ({})", row.name, engine.name()));
            let found = bench.run(row, engine).map_err(start)?;
            let problems = found.problems(row, engine);
            table.add_row(cells(row, engine, &found, problems.is_empty()));
            rows += 1;
            if !problems.is_empty() {
                wrong.push(format!(
                    "{} ({}): {}",
                    row.name,
                    engine.name(),
                    problems.join("; ")
                ));
            }
        }
    }
    progress.result(&table.to_string());
    progress.result(
        "The false driver fails at initialisation only: this is no evidence for contexts, allocations or kernels.",
    );
    for line in &wrong {
        progress.result(line);
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(Error::Faults {
            wrong: wrong.len(),
            rows,
        })
    }
}

fn cells(row: &Row, engine: Engine, found: &Found, right: bool) -> [String; 8] {
    [
        row.name.to_owned(),
        engine.name().to_owned(),
        row.expected().join("\nor "),
        found.naming().to_string(),
        found.code().to_owned(),
        format!("{:.1} s", found.elapsed.as_secs_f64()),
        format!("{} s", row.limit(engine).as_secs()),
        if right { "yes" } else { "NO" }.to_owned(),
    ]
}
