//! Measures what has a limit. A measurement is a function that gives rows; new ones are added to [`MEASUREMENTS`].

mod check;
mod contract;
mod explain;
mod interpreters;
mod page_size;
mod page_speed;
mod run;

use std::process::{Command, Stdio};
use std::time::Instant;

use comfy_table::Table;

use crate::cli::BenchArgs;
use crate::environments::{self, Environment};
use crate::error::Error;
use crate::page;
use crate::programs::{self, Profile, Programs};
use crate::progress::Progress;
use crate::project::Project;

/// A name to choose it by, and how it is measured.
type Measurement = (&'static str, fn(&Bench<'_>) -> Result<Vec<Row>, Error>);

/// Everything that has a limit.
const MEASUREMENTS: [Measurement; 7] = [
    ("check", check::rows),
    ("contract", contract::rows),
    ("explain", explain::rows),
    ("interpreters", interpreters::rows),
    ("page-size", page_size::rows),
    ("page-speed", page_speed::rows),
    ("run", run::rows),
];

/// What a measurement may use. Everything is a release build.
pub(crate) struct Bench<'a> {
    /// The checkout.
    pub(crate) project: &'a Project,
    /// Says what is being measured.
    pub(crate) progress: &'a Progress,
    /// How many interleaved pairs are measured.
    pub(crate) pairs: u16,
    /// A Python with PyTorch.
    pub(crate) torch: std::path::PathBuf,
    /// The page.
    pub(crate) page: std::path::PathBuf,
    /// The programs.
    pub(crate) programs: Programs,
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// What was measured.
    pub(crate) name: String,
    /// The value that the limit is for.
    pub(crate) measured: f64,
    /// Its unit: `x`, `kB`, `µs`, `ms`, `MB/s`, `MiB`.
    pub(crate) unit: &'static str,
    /// What it may be.
    pub(crate) limit: Limit,
    /// The figures behind it, in words.
    pub(crate) detail: String,
}

/// What a measured value may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Limit {
    /// This or less.
    AtMost(f64),
    /// This or more.
    AtLeast(f64),
}

impl Limit {
    fn holds(self, measured: f64) -> bool {
        match self {
            Self::AtMost(most) => measured <= most,
            Self::AtLeast(least) => measured >= least,
        }
    }

    fn words(self, unit: &str) -> String {
        match self {
            Self::AtMost(most) => format!("<= {} {unit}", number(most)),
            Self::AtLeast(least) => format!(">= {} {unit}", number(least)),
        }
    }
}

/// Measures, prints the table, and fails when a limit is exceeded.
pub(crate) fn run(project: &Project, progress: &Progress, chosen: &BenchArgs) -> Result<(), Error> {
    let wanted = |name: &str| {
        chosen.names.is_empty()
            || chosen
                .names
                .iter()
                .any(|begin| name.starts_with(begin.as_str()))
    };
    let torch = environments::ensure(project, progress, Environment::Torch)?;
    let page = page::build(project, progress)?;
    let programs = programs::build(project, progress, Profile::Release, &torch)?;
    let bench = Bench {
        project,
        progress,
        pairs: chosen.pairs,
        torch,
        page,
        programs,
    };
    let mut rows = Vec::new();
    for (name, measure) in MEASUREMENTS {
        if wanted(name) {
            progress.heading(&format!("measure: {name}"));
            rows.extend(measure(&bench)?);
        }
    }
    if rows.is_empty() {
        let names: Vec<&str> = MEASUREMENTS.iter().map(|(name, _)| *name).collect();
        return Err(Error::Answer {
            program: "bench".to_owned(),
            answer: format!("there are {}", names.join(", ")),
        });
    }
    progress.result(&table(&rows));
    let over: Vec<&str> = rows
        .iter()
        .filter(|row| !row.limit.holds(row.measured))
        .map(|row| row.name.as_str())
        .collect();
    if over.is_empty() {
        Ok(())
    } else {
        Err(Error::OverLimit {
            rows: over.join(", "),
        })
    }
}

fn table(rows: &[Row]) -> String {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::ASCII_MARKDOWN);
    table.set_header(["what", "measured", "limit", "ok", "behind it"]);
    for row in rows {
        table.add_row([
            row.name.clone(),
            format!("{} {}", number(row.measured), row.unit),
            row.limit.words(row.unit),
            if row.limit.holds(row.measured) {
                "yes"
            } else {
                "NO"
            }
            .to_owned(),
            row.detail.clone(),
        ]);
    }
    table.to_string()
}

fn number(value: f64) -> String {
    if value >= 100.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.2}")
    }
}

/// Runs a command to its end; gives its wall time in milliseconds. It must end well.
pub(crate) fn time_ms(mut command: Command) -> Result<f64, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let began = Instant::now();
    let output = command.output().map_err(|source| Error::Start {
        program: program.clone(),
        source,
    })?;
    let elapsed_ms = began.elapsed().as_secs_f64() * 1000.0;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Error::Answer {
            program,
            answer: format!("{}: {said}", output.status),
        });
    }
    Ok(elapsed_ms)
}

/// The middle value; of an even number, the mean of the two in the middle. Zero for none.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        length if length % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_value() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median(&[]), 0.0);
    }

    #[test]
    fn the_table_shows_the_limit_and_whether_it_holds() {
        let row = |name: &str, measured| Row {
            name: name.to_owned(),
            measured,
            unit: "x",
            limit: Limit::AtMost(1.1),
            detail: "700 ms to 650 ms".to_owned(),
        };
        let text = table(&[row("good", 1.1), row("bad", 1.11)]);
        assert!(
            text.lines().any(|line| line.contains("good")
                && line.contains("1.10 x")
                && line.contains("yes"))
        );
        assert!(
            text.lines().any(|line| line.contains("bad")
                && line.contains("<= 1.10 x")
                && line.contains("NO"))
        );
    }
}
