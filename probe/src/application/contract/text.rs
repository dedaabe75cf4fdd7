//! The contract as it is written: TOML, read key by key, so that an error names its key and what would be right there.

use toml::Table;

use super::judge::Demands;
use super::section::Section;
use crate::settings;

/// The most bytes of a contract.
pub(super) const MAX_BYTES: usize = 256 * 1024;
/// The most entries of any list.
pub(super) const MAX_ENTRIES: usize = 256;

/// Numbers in single precision that were computed in another order differ by less.
const DEFAULT_TOLERANCE: f64 = 1e-5;

/// A written contract: what the command reads, and what must be there when it has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Contract {
    pub(super) input: Option<InputPlan>,
    pub(super) final_work: FinalWork,
    pub(super) outputs: Vec<OutputPlan>,
    pub(super) metrics: Vec<MetricPlan>,
    pub(super) training: Option<TrainingPlan>,
    pub(super) mode: Option<Mode>,
    pub(super) stages: Vec<String>,
    /// What holds across a stop and a second start.
    pub(crate) resume: ResumePlan,
}

/// What a command keeps to continue, and how equal it must be afterwards.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ResumePlan {
    /// How much numbers may differ from those of an uninterrupted run, absolutely and relatively.
    pub(crate) tolerance: f64,
    /// Files and folders beside the outputs that the command continues from.
    pub(crate) state: Vec<String>,
    /// Words that are added to the command when it is started again.
    pub(crate) arguments: Vec<String>,
    /// How many copies of a checkpoint are kept.
    pub(crate) kept_copies: u64,
}

impl Default for ResumePlan {
    fn default() -> Self {
        Self {
            tolerance: DEFAULT_TOLERANCE,
            state: Vec::new(),
            arguments: Vec::new(),
            kept_copies: 1,
        }
    }
}

/// How files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    JsonLines,
    /// One JSON document: metrics only.
    Json,
    Csv(u8),
    Npy,
    Npz,
    Safetensors,
    Parquet,
    /// Each file is one example, its name without the ending the identifier.
    Files,
    /// Each line is one example.
    Lines,
}

/// The files that hold records, and where in them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Records {
    pub(super) paths: Vec<String>,
    pub(super) format: Format,
    pub(super) id: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct InputPlan {
    pub(super) records: Records,
    /// The field whose length is the example's.
    pub(super) length: Option<String>,
}

/// The measures of the final work, and which part of each makes an input representative.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct FinalWork {
    pub(super) longest: Option<u64>,
    pub(super) longest_share: f64,
    pub(super) count: Option<u64>,
    pub(super) count_share: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct OutputPlan {
    /// Tells several outputs apart.
    pub(super) name: Option<String>,
    pub(super) records: Records,
    pub(super) vector: Option<String>,
    pub(super) demands: Demands,
    pub(super) count: Option<Count>,
    pub(super) each_id_once: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    SameAsInput,
    Exactly(u64),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct MetricPlan {
    pub(super) path: String,
    pub(super) format: Format,
    pub(super) key: String,
    /// An empty cell is no value, instead of one that is not finite.
    pub(super) skip_blank: bool,
    pub(super) min: Option<f64>,
    pub(super) max: Option<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct TrainingPlan {
    pub(super) log: Option<(String, Format, String)>,
    /// An empty cell of the log is no loss, instead of one that is not finite.
    pub(super) skip_blank: bool,
    /// The field of the log that counts steps.
    pub(crate) step: Option<String>,
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
    pub(super) changed: Vec<String>,
    pub(super) kept: Vec<String>,
    pub(super) checkpoints: Vec<String>,
    /// Whether every number of the checkpoints has to be finite.
    pub(super) finite: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Evaluation,
    Training,
}

impl Mode {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Evaluation => "evaluation",
            Self::Training => "training",
        }
    }
}

/// What is wrong with a written contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractError {
    /// The key, for example `output[1].dimension`; empty where it is the whole.
    pub key: String,
    /// What is wrong with it.
    pub problem: ContractProblem,
}

/// What can be wrong with a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContractProblem {
    /// No TOML.
    Syntax {
        /// Line, from 1.
        line: usize,
        /// What the parser says.
        message: String,
    },
    /// Larger than any contract that is read.
    TooLarge {
        /// The limit in bytes, or in entries of a list.
        most: usize,
    },
    /// There is no such key here.
    UnknownKey {
        /// Those that there are.
        known: String,
    },
    /// It has to be there.
    Missing,
    /// It has another type.
    WrongType {
        /// `text`, `texts`, `number`, `whole`, `truth`, `table` or `tables`.
        wanted: &'static str,
    },
    /// It is none of the words that are possible.
    NotOneOf {
        /// Those that are.
        known: &'static str,
    },
    /// Its `*`, `?` and brackets make no pattern.
    BadPattern,
    /// Neither a key nor the ending of the path tells the format.
    NoFormat {
        /// Those that are possible here.
        known: String,
    },
    /// The number can't be meant, or the lower bound lies above the upper one.
    OutOfRange,
    /// It needs another key beside it.
    Needs {
        /// That key.
        other: &'static str,
    },
    /// It doesn't go with what another key says.
    DoesNotFit {
        /// That key.
        other: &'static str,
    },
    /// A name that stands in the report looks like a path or a secret, or is used twice.
    BadName,
    /// It demands nothing: whatever the command does would pass.
    NothingDemanded,
}

impl ContractProblem {
    /// The identifiers of its sentence and of its hint: `contract-problem-missing`, `contract-hint-missing`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "syntax",
            Self::TooLarge { .. } => "too-large",
            Self::UnknownKey { .. } => "unknown-key",
            Self::Missing => "missing",
            Self::WrongType { .. } => "wrong-type",
            Self::NotOneOf { .. } => "not-one-of",
            Self::BadPattern => "bad-pattern",
            Self::NoFormat { .. } => "no-format",
            Self::OutOfRange => "out-of-range",
            Self::Needs { .. } => "needs",
            Self::DoesNotFit { .. } => "does-not-fit",
            Self::BadName => "bad-name",
            Self::NothingDemanded => "nothing-demanded",
        }
    }
}

pub(super) type Read<T> = Result<T, ContractError>;

impl Contract {
    /// Reads a contract.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn from_toml(text: &str) -> Result<Self, ContractError> {
        if text.len() > MAX_BYTES {
            return Err(error("", ContractProblem::TooLarge { most: MAX_BYTES }));
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let table: Table = toml::from_str(text).map_err(|problem| {
            let start = problem.span().map_or(0, |span| span.start);
            let before = text.get(..start).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            let message = problem.message().to_owned();
            error("", ContractProblem::Syntax { line, message })
        })?;
        let mut top = Section::new(String::new(), table);
        let input = top.section("input")?.map(input).transpose()?;
        let final_work = match top.section("final_work")? {
            None => FinalWork::default(),
            Some(section) => final_work(section, input.as_ref())?,
        };
        let outputs = top.sections("output")?;
        let outputs: Vec<_> = outputs
            .into_iter()
            .map(|section| output(section, input.as_ref()))
            .collect::<Read<_>>()?;
        let metrics = top
            .sections("metric")?
            .into_iter()
            .map(metric)
            .collect::<Read<_>>()?;
        let training = top.section("training")?.map(training).transpose()?;
        let mode = top.section("model")?.map(mode).transpose()?;
        let stages = top
            .section("stages")?
            .map(stages)
            .transpose()?
            .unwrap_or_default();
        let resume = top.section("resume")?.map(resume).transpose()?;
        top.end()?;
        let contract = Self {
            input,
            final_work,
            outputs,
            metrics,
            training,
            mode,
            stages,
            resume: resume.unwrap_or_default(),
        };
        contract.names_differ()?;
        if contract.outputs.is_empty() && contract.metrics.is_empty() && contract.training.is_none()
        {
            return Err(error("", ContractProblem::NothingDemanded));
        }
        Ok(contract)
    }

    fn names_differ(&self) -> Read<()> {
        for (at, output) in self.outputs.iter().enumerate() {
            if self.outputs[..at]
                .iter()
                .any(|other| other.name == output.name)
            {
                let problem = if output.name.is_some() {
                    ContractProblem::BadName
                } else {
                    ContractProblem::Missing
                };
                return Err(error(&format!("output[{at}].name"), problem));
            }
        }
        for (at, metric) in self.metrics.iter().enumerate() {
            if self.metrics[..at]
                .iter()
                .any(|other| other.key == metric.key)
            {
                return Err(error(
                    &format!("metric[{at}].key"),
                    ContractProblem::BadName,
                ));
            }
        }
        Ok(())
    }
}

pub(super) fn error(key: &str, problem: ContractProblem) -> ContractError {
    ContractError {
        key: key.to_owned(),
        problem,
    }
}

fn input(mut section: Section) -> Read<InputPlan> {
    let records = section.records(&[
        "jsonl",
        "csv",
        "tsv",
        "npy",
        "npz",
        "safetensors",
        "parquet",
        "files",
        "lines",
    ])?;
    let length = section.text("length")?;
    let by_itself = matches!(records.format, Format::Files | Format::Lines);
    if length.is_some()
        && !matches!(
            records.format,
            Format::JsonLines | Format::Csv(_) | Format::Parquet
        )
    {
        return Err(section.error("length", ContractProblem::DoesNotFit { other: "format" }));
    }
    if records.id.is_some() && (by_itself || records.format == Format::Npy) {
        return Err(section.error("id", ContractProblem::DoesNotFit { other: "format" }));
    }
    section.end()?;
    Ok(InputPlan { records, length })
}

fn final_work(mut section: Section, input: Option<&InputPlan>) -> Read<FinalWork> {
    let work = FinalWork {
        longest: section.whole("longest")?,
        longest_share: section.share("longest_share")?.unwrap_or(0.9),
        count: section.whole("count")?,
        count_share: section.share("count_share")?.unwrap_or(0.001),
    };
    let Some(input) = input else {
        return Err(section.error("", ContractProblem::Needs { other: "input" }));
    };
    let by_itself = matches!(input.records.format, Format::Files | Format::Lines);
    if work.longest.is_some() && input.length.is_none() && !by_itself {
        return Err(section.error(
            "longest",
            ContractProblem::Needs {
                other: "input.length",
            },
        ));
    }
    section.end()?;
    Ok(work)
}

fn output(mut section: Section, input: Option<&InputPlan>) -> Read<OutputPlan> {
    let name = section.plain_name("name")?;
    let records = section.records(&[
        "jsonl",
        "csv",
        "tsv",
        "npy",
        "npz",
        "safetensors",
        "parquet",
    ])?;
    let vector = section.text("vector")?;
    let is_pattern = vector
        .as_deref()
        .is_some_and(|name| name.contains(['*', '?']));
    if is_pattern && matches!(records.format, Format::Csv(_)) {
        section.patterns_of("vector", vector.iter())?;
    }
    if records.format == Format::Npy {
        for (key, given) in [("id", records.id.is_some()), ("vector", vector.is_some())] {
            if given {
                return Err(section.error(key, ContractProblem::DoesNotFit { other: "format" }));
            }
        }
    }
    let has_numbers = vector.is_some() || records.format == Format::Npy;
    let (min, max) = section.bounds()?;
    let unit_norm = section.truth("unit_norm")?.unwrap_or(false);
    let tolerance = section.number("norm_tolerance")?;
    if tolerance.is_some_and(|tolerance| tolerance < 0.0) {
        return Err(section.error("norm_tolerance", ContractProblem::OutOfRange));
    }
    if tolerance.is_some() && !unit_norm {
        return Err(section.error(
            "norm_tolerance",
            ContractProblem::Needs { other: "unit_norm" },
        ));
    }
    let finite = section.truth("finite")?;
    let demands = Demands {
        dimension: section.whole("dimension")?,
        finite: finite.unwrap_or(has_numbers),
        min,
        max,
        norm_tolerance: unit_norm.then(|| tolerance.unwrap_or(1e-3)),
    };
    for (key, given) in [
        ("dimension", demands.dimension.is_some()),
        ("finite", demands.finite),
        ("min", min.is_some()),
        ("max", max.is_some()),
        ("unit_norm", unit_norm),
    ] {
        if given && !has_numbers {
            return Err(section.error(key, ContractProblem::Needs { other: "vector" }));
        }
    }
    if matches!(records.format, Format::Npz | Format::Safetensors)
        && vector.is_none()
        && records.id.is_none()
    {
        return Err(section.error("vector", ContractProblem::Missing));
    }
    let count = section.count(input)?;
    let by_name =
        |input: &InputPlan| input.records.id.is_some() || input.records.format == Format::Files;
    let both_named = records.id.is_some() && input.is_some_and(by_name);
    let each_id_once = section.truth("each_id_once")?;
    if each_id_once == Some(true) && !both_named {
        let other = if records.id.is_none() {
            "id"
        } else {
            "input.id"
        };
        return Err(section.error("each_id_once", ContractProblem::Needs { other }));
    }
    section.end()?;
    Ok(OutputPlan {
        name,
        records,
        vector,
        demands,
        count: count.or(input.map(|_| Count::SameAsInput)),
        each_id_once: each_id_once.unwrap_or(both_named),
    })
}

fn metric(mut section: Section) -> Read<MetricPlan> {
    let Some(path) = section.pattern("path")? else {
        return Err(section.error("path", ContractProblem::Missing));
    };
    let format = section.format(&path, &["json", "jsonl", "csv", "tsv"])?;
    let Some(key) = section.plain_name("key")? else {
        return Err(section.error("key", ContractProblem::Missing));
    };
    let (min, max) = section.bounds()?;
    let skip_blank = section.skip_blank(Some(format), "format")?;
    section.end()?;
    Ok(MetricPlan {
        path,
        format,
        key,
        skip_blank,
        min,
        max,
    })
}

fn training(mut section: Section) -> Read<TrainingPlan> {
    let log = section.pattern("log")?;
    let loss = section.text("loss")?;
    let log = match (log, loss) {
        (Some(log), Some(loss)) => {
            let format = section.format_named("log_format", &log, &["jsonl", "csv", "tsv"])?;
            Some((log, format, loss))
        }
        (Some(_), None) => {
            return Err(section.error("log", ContractProblem::Needs { other: "loss" }));
        }
        (None, Some(_)) => {
            return Err(section.error("loss", ContractProblem::Needs { other: "log" }));
        }
        (None, None) => None,
    };
    let step = section.text("step")?;
    if step.is_some() && log.is_none() {
        return Err(section.error("step", ContractProblem::Needs { other: "log" }));
    }
    let skip_blank = section.skip_blank(log.as_ref().map(|log| log.1), "log")?;
    let before = section.pattern("before")?;
    let after = section.pattern("after")?;
    let changed = section.patterns("changed")?;
    let kept = section.patterns("kept")?;
    let checkpoints = section.patterns("checkpoint")?.unwrap_or_default();
    let finite = section.truth("finite")?;
    if finite == Some(true) && after.is_none() && checkpoints.is_empty() {
        return Err(section.error(
            "finite",
            ContractProblem::Needs {
                other: "checkpoint",
            },
        ));
    }
    for (key, given, other, there) in [
        ("before", before.is_some(), "after", after.is_some()),
        ("after", after.is_some(), "before", before.is_some()),
        ("changed", changed.is_some(), "before", before.is_some()),
        ("kept", kept.is_some(), "before", before.is_some()),
    ] {
        if given && !there {
            return Err(section.error(key, ContractProblem::Needs { other }));
        }
    }
    if log.is_none() && before.is_none() && checkpoints.is_empty() {
        return Err(section.error("", ContractProblem::NothingDemanded));
    }
    section.end()?;
    Ok(TrainingPlan {
        log,
        skip_blank,
        step,
        before,
        after,
        changed: changed.unwrap_or_else(|| vec!["*".to_owned()]),
        kept: kept.unwrap_or_default(),
        checkpoints,
        finite: finite.unwrap_or(true),
    })
}

fn resume(mut section: Section) -> Read<ResumePlan> {
    let usual = ResumePlan::default();
    let tolerance = section.number("tolerance")?;
    if tolerance.is_some_and(|tolerance| tolerance < 0.0) {
        return Err(section.error("tolerance", ContractProblem::OutOfRange));
    }
    let plan = ResumePlan {
        tolerance: tolerance.unwrap_or(usual.tolerance),
        state: section.patterns("state")?.unwrap_or_default(),
        arguments: section.texts("arguments")?.unwrap_or_default(),
        kept_copies: section.whole("kept_copies")?.unwrap_or(usual.kept_copies),
    };
    section.end()?;
    Ok(plan)
}

fn mode(mut section: Section) -> Read<Mode> {
    let mode = match section.needed("mode")?.as_str() {
        "evaluation" => Mode::Evaluation,
        "training" => Mode::Training,
        _ => {
            let known = "evaluation, training";
            return Err(section.error("mode", ContractProblem::NotOneOf { known }));
        }
    };
    section.end()?;
    Ok(mode)
}

fn stages(mut section: Section) -> Read<Vec<String>> {
    let Some(ended) = section.texts("ended")? else {
        return Err(section.error("ended", ContractProblem::Missing));
    };
    if ended
        .iter()
        .any(|name| settings::own_words(name, &[]).is_err())
    {
        return Err(section.error("ended", ContractProblem::BadName));
    }
    section.end()?;
    Ok(ended)
}
