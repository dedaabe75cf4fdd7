//! The contract of a run: written before it, checked after it.
//!
//! [`Contract::from_toml`] reads it, [`Contract::check`] holds what the command left behind against it. Files are
//! streamed: memory grows with the identifiers alone, 16 bytes each. Nothing is unpickled, nothing is executed.
//! [`points::Point`] lists every point that may come out, [`points::Word`] every word that may stand as found.

mod array;
mod broken;
mod checkpoint;
pub(crate) mod compare;
#[cfg(test)]
mod compare_tests;
mod csv;
pub(crate) mod files;
mod finite;
mod input;
mod json;
#[cfg(test)]
mod json_tests;
mod jsonl;
mod judge;
mod metrics;
mod npy;
mod outputs;
mod parallel;
mod parquet;
mod pickle;
mod points;
mod record;
pub(crate) mod resumed;
mod safetensors;
mod section;
mod text;
#[cfg(test)]
mod text_tests;
mod training;
mod whole;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use firstfault_schema::decision::Outcome;
use firstfault_schema::report::{ApplicationStage, ContractPoint, Input, Scalar};
use serde::Serialize;

pub use points::{Point, Word};
pub use text::{Contract, ContractError, ContractProblem};

use broken::{Broken, Example};
use parallel::Run;

/// What a check needs to know of the run.
pub struct Context<'a> {
    /// The folder of the contract: paths in it begin here.
    pub folder: &'a Path,
    /// When the run began, best as the time of a file that was written in that folder then: a file system's clock may
    /// be another machine's. Outputs that are older don't count; with `None`, age doesn't matter.
    pub since: Option<SystemTime>,
    /// `training`, `evaluation`, or another word where it changed meanwhile; none where nothing told.
    pub mode: Option<&'a str>,
    /// The stages that were marked.
    pub stages: &'a [ApplicationStage],
    /// Variables of this process, whose values must not enter a report.
    pub variables: &'a [(String, String)],
    /// How many threads may work; 0 for as many as the machine gives.
    pub threads: usize,
    /// Asked again and again: whether the check shall end early.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// What a check found.
#[derive(Debug)]
pub struct Checked {
    /// The points, in the order of [`Point::ALL`] for each output.
    pub points: Vec<ContractPoint>,
    /// The input; none where the contract names none.
    pub input: Option<Input>,
    /// The whole of what the points only name: for the attempt's local folder, never for a report.
    pub evidence: Vec<LocalEvidence>,
    /// The check was ended early, so nothing follows from its points.
    pub stopped: bool,
}

/// One broken item with its file, for the attempt's local folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LocalEvidence {
    /// The point that it breaks.
    pub point: String,
    /// Its file; none where it stands in no certain one.
    pub file: Option<PathBuf>,
    /// Its line or row, from 1; none where it is the whole file.
    pub record: Option<u64>,
    /// Its identifier as it stands in the file, or the word for what is wrong with the file.
    pub id: Option<String>,
}

/// What the points say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything that was demanded was seen.
    Holds,
    /// Something that was demanded is not so.
    Broken,
    /// Nothing is broken, but something that was demanded was not seen.
    NotProven,
}

impl Checked {
    /// What the points say together. Notes about how representative the input is break nothing.
    pub fn verdict(&self) -> Verdict {
        let demanded = || {
            let is_note =
                |point: &&ContractPoint| Point::of(&point.point).is_some_and(Point::is_note);
            self.points.iter().filter(move |point| !is_note(point))
        };
        if demanded().any(|point| point.outcome == Outcome::Failed) {
            Verdict::Broken
        } else if self.stopped || demanded().any(|point| point.outcome != Outcome::Passed) {
            Verdict::NotProven
        } else {
            Verdict::Holds
        }
    }
}

/// The text of a contract; no more is read than any contract has, and no pipe or device is waited for.
///
/// # Errors
/// What the system says.
pub(crate) fn text_of(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    let most = text::MAX_BYTES as u64 + 1;
    std::io::Read::read_to_string(
        &mut std::io::Read::take(files::open(path)?, most),
        &mut text,
    )?;
    Ok(text)
}

impl Contract {
    /// Holds what the command left behind against the contract.
    pub fn check(&self, context: &Context<'_>) -> Checked {
        let run = Run::new(context.threads, context.stop);
        let mut findings = Findings::new(context.variables);
        let mut input = input::check(self, context, run, &mut findings);
        for output in &self.outputs {
            outputs::check(output, input.as_mut(), context, run, &mut findings);
        }
        for metric in &self.metrics {
            metrics::check(metric, context, run, &mut findings);
        }
        if let Some(plan) = &self.training {
            training::check(plan, context, run, &mut findings);
        }
        self.check_markers(context, &mut findings);
        Checked {
            points: findings.points,
            input: input.map(|seen| seen.summary),
            evidence: findings.evidence,
            stopped: (context.stop)(),
        }
    }

    /// Patterns of everything that the command itself writes, as far as the contract names it: outputs, metrics, the log, the
    /// checkpoints, and what it continues from. A training's beginning may be given to it and is not among them.
    pub(crate) fn written(&self) -> Vec<&str> {
        let outputs = self.outputs.iter().flat_map(|output| &output.records.paths);
        let metrics = self.metrics.iter().map(|metric| &metric.path);
        let training = self.training.iter().flat_map(|plan| {
            let log = plan.log.iter().map(|(path, _, _)| path);
            log.chain(&plan.after).chain(&plan.checkpoints)
        });
        let mut patterns: Vec<&str> = outputs
            .chain(metrics)
            .chain(training)
            .chain(&self.resume.state)
            .map(String::as_str)
            .collect();
        patterns.sort_unstable();
        patterns.dedup();
        patterns
    }

    /// What only the markers tell.
    fn check_markers(&self, context: &Context<'_>, findings: &mut Findings<'_>) {
        if let Some(mode) = self.mode {
            let expected = Some(mode.name().into());
            let outcome = match context.mode {
                None => Outcome::NotProven,
                Some(found) if found == mode.name() => Outcome::Passed,
                Some(_) => Outcome::Failed,
            };
            let found = context
                .mode
                .map_or_else(|| Word::NotTold.into(), Scalar::from);
            findings.add(points::with(
                Point::ModelMode,
                outcome,
                expected,
                Some(found),
            ));
        }
        if !self.stages.is_empty() {
            let mut open = Broken::default();
            for name in &self.stages {
                let mut marked = context
                    .stages
                    .iter()
                    .filter(|stage| stage.name == *name)
                    .peekable();
                if marked.peek().is_none() || marked.any(|stage| stage.ended_ms.is_none()) {
                    open.name(name);
                }
            }
            let expected = self.stages.len() as u64;
            let found = expected - open.count;
            let point = points::counted(
                Point::StagesEnded,
                &open,
                Some(expected.into()),
                Some(found.into()),
            );
            let names = open
                .first
                .into_iter()
                .filter_map(|example| example.id)
                .collect();
            findings.add_named(point, names);
        }
    }
}

/// Gathers points, and cleans what enters a report.
struct Findings<'a> {
    points: Vec<ContractPoint>,
    evidence: Vec<LocalEvidence>,
    variables: &'a [(String, String)],
    /// Stands after a full stop behind the point, where there are several outputs.
    suffix: Option<String>,
}

impl<'a> Findings<'a> {
    const fn new(variables: &'a [(String, String)]) -> Self {
        Self {
            points: Vec::new(),
            evidence: Vec::new(),
            variables,
            suffix: None,
        }
    }

    fn add(&mut self, mut point: ContractPoint) {
        if let Some(suffix) = &self.suffix {
            point.point = format!("{}.{suffix}", point.point);
        }
        self.points.push(point);
    }

    /// Adds a point whose examples have names and no place.
    fn add_named(&mut self, mut point: ContractPoint, names: Vec<String>) {
        for name in &names {
            self.evidence.push(LocalEvidence {
                point: point.point.clone(),
                file: None,
                record: None,
                id: Some(name.clone()),
            });
        }
        point.examples = broken::presentable_all(names, self.variables);
        self.add(point);
    }

    /// Adds a point whose examples stand in `files`.
    fn add_placed(&mut self, mut point: ContractPoint, broken: Broken, files: &Files<'_>) {
        let mut names = Vec::new();
        for Example { place, id } in broken.first {
            let file = files.paths.get(place.file as usize);
            let whole_file = place.at == u64::MAX;
            let record = (!whole_file)
                .then(|| file.map(|file| files.record(file, place.at)))
                .flatten();
            names.extend(id.clone().or(record.map(|record| format!("#{record}"))));
            self.evidence.push(LocalEvidence {
                point: point.point.clone(),
                file: file.cloned(),
                record,
                id,
            });
        }
        point.examples = broken::presentable_all(names, self.variables);
        self.add(point);
    }

    /// Adds a point about files that are missing, old or no files. Their names are paths and stay at home.
    fn add_files(&mut self, point: ContractPoint, unfit: &[(PathBuf, Word)]) {
        for (path, word) in unfit.iter().take(broken::MAX_EXAMPLES) {
            self.evidence.push(LocalEvidence {
                point: point.point.clone(),
                file: Some(path.clone()),
                record: None,
                id: Some(word.name().to_owned()),
            });
        }
        self.add(point);
    }
}

/// The files that places point into.
struct Files<'a> {
    paths: &'a [PathBuf],
    /// Whether places are byte offsets.
    text: bool,
}

impl Files<'_> {
    /// The line or row of a place, from 1.
    fn record(&self, file: &Path, at: u64) -> u64 {
        if !self.text {
            return at + 1;
        }
        files::open(file)
            .and_then(|file| parallel::lines_before(&file, at))
            .map_or(0, |lines| lines + 1)
    }
}
