//! Two attempts side by side: what changed in the configuration, what changed in the results, and what follows.
//!
//! Pure, and the same for the page and for `firstfault compare`. Nothing here is worded: reasons are Fluent
//! identifiers with typed arguments, and [`Reason::text`] words them.

mod fields;
mod identity;
mod judgement;
mod remarks;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use crate::code::Code;
use crate::decision::Outcome;
use crate::noise::{Floor, Range, is_measured};
use crate::report::{Application, Report};
pub use fields::{Factor, Field, Kind, Unit, Value, driver_version, fields, word_id};
pub use judgement::{Answer, Judgement, Standing};
pub use words::{Argument, Reason, field_name};

/// Single measurements differ this much between runs of the same thing: below a factor of 2 they say nothing.
const SINGLE_RATIO: f64 = 2.0;
/// The least difference in ms that a single measurement must show.
const SINGLE_MS: f64 = 50.0;
/// Medians of repeated measurements: a tenth.
const REPEATED_RATIO: f64 = 1.1;
/// The least difference in ms of repeated measurements.
const REPEATED_MS: f64 = 0.05;
/// Memory is nearly deterministic: 2 %.
const MEMORY_RATIO: f64 = 1.02;
/// The least difference in bytes: the allocator's own granularity of 2 MiB.
const MEMORY_BYTES: f64 = 2.0 * 1024.0 * 1024.0;

/// A candidate beside its baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What it comes to.
    pub verdict: Verdict,
    /// Why the two cannot be compared as a whole; empty where they can.
    pub obstacles: Vec<Reason>,
    /// What one should know first, the most important on top: a candidate that passes only sometimes, another card, memory
    /// that nobody is known to hold, what became worse, what was changed.
    pub remarks: Vec<Reason>,
    /// Every field of both, in the order of a report, the unchanged ones included.
    pub rows: Vec<Row>,
    /// Is a difference attributable to one change?
    pub one_change: Judgement,
    /// May the candidate's real work be raised?
    pub scale_up: Judgement,
}

/// What a comparison comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The candidate got further, or its measures are better and none is worse.
    Better,
    /// Nothing beyond noise speaks for either.
    Same,
    /// The candidate got less far, or a measure is worse beyond noise.
    Worse,
    /// The two say nothing about each other.
    NotComparable,
}

impl Verdict {
    /// The exit number of `firstfault compare`.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Better | Self::Same => 0,
            Self::Worse => 1,
            Self::NotComparable => 3,
        }
    }

    /// Its name in JSON and, with a hyphen, in Fluent identifiers (`compare-verdict-…`).
    pub const fn name(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Same => "same",
            Self::Worse => "worse",
            Self::NotComparable => "not_comparable",
        }
    }
}

/// One field in both attempts.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Path of the field, for example `pytorch.version`.
    pub path: String,
    /// Configuration or result, and how it is measured.
    pub kind: Kind,
    /// The baseline's value.
    pub baseline: Value,
    /// The candidate's value.
    pub candidate: Value,
    /// What the difference means.
    pub change: Change,
    /// The measured noise that the difference was held against; none where nobody measured it, and a guess stands in.
    pub floor: Option<Floor>,
}

impl Row {
    /// Whether this is a part of the configuration rather than of the results.
    pub const fn is_configuration(&self) -> bool {
        matches!(self.kind, Kind::Configuration(_))
    }

    /// Whether the value depends on how much work a pass of the application does.
    fn depends_on_work(&self) -> bool {
        let application = [
            "application.passes.",
            "application.memory.",
            "application.sweep.",
        ];
        is_measured(self.kind)
            && self.differs()
            && application.iter().any(|part| self.path.starts_with(part))
    }

    /// Whether anything differs.
    pub fn differs(&self) -> bool {
        self.change != Change::Unchanged
    }
}

/// What the difference of a field means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The same in both.
    Unchanged,
    /// Different, with no direction.
    Changed,
    /// Different in the good direction, beyond noise.
    Better,
    /// Different in the bad direction, beyond noise.
    Worse,
    /// Different, but not more than such measurements differ by themselves.
    WithinNoise,
    /// Not to be compared; the Fluent identifier of the reason.
    NotComparable(&'static str),
}

impl Change {
    /// Its name in JSON and, with hyphens, in Fluent identifiers (`change-…`).
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Changed => "changed",
            Self::Better => "better",
            Self::Worse => "worse",
            Self::WithinNoise => "within_noise",
            Self::NotComparable(_) => "not_comparable",
        }
    }
}

impl Comparison {
    /// Differences of the configuration.
    pub fn configuration(&self) -> impl Iterator<Item = &Row> {
        self.rows
            .iter()
            .filter(|row| row.is_configuration() && row.differs())
    }

    /// Differences of the results.
    pub fn results(&self) -> impl Iterator<Item = &Row> {
        self.rows
            .iter()
            .filter(|row| !row.is_configuration() && row.differs())
    }

    /// Fields that are the same in both.
    pub fn unchanged(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| !row.differs())
    }
}

/// Sets `candidate` beside `baseline`.
pub fn compare(baseline: &Report, candidate: &Report) -> Comparison {
    let mut rows = rows(fields(baseline), fields(candidate));
    identity::insert(baseline, candidate, &mut rows);
    for row in rows.iter_mut().filter(|row| is_measured(row.kind)) {
        hold_against_noise(baseline, candidate, row);
    }
    if other_work(baseline, candidate) {
        for row in rows.iter_mut().filter(|row| row.depends_on_work()) {
            row.change = Change::NotComparable("incomparable-work");
        }
    }
    let obstacles = obstacles(baseline, candidate);
    let verdict = verdict(baseline, candidate, &rows, obstacles.is_empty());
    let one_change = judgement::one_change(baseline, candidate, &rows);
    let scale_up = judgement::scale_up(candidate, verdict, one_change.answer);
    let remarks = remarks::remarks(baseline, candidate, &rows);
    Comparison {
        verdict,
        obstacles,
        remarks,
        rows,
        one_change,
        scale_up,
    }
}

/// Where one of the two was repeated, its median stands for it and its spread takes the place of the guess.
fn hold_against_noise(baseline: &Report, candidate: &Report, row: &mut Row) {
    let measured = [baseline, candidate].map(|report| Range::of(report, &row.path));
    if measured == [None, None] {
        return;
    }
    let once = |value: &Value| match value {
        Value::Number(number) => Some(Range::once(*number)),
        _ => None,
    };
    let [before, after] = measured;
    let (Some(before), Some(after)) = (
        before.or_else(|| once(&row.baseline)),
        after.or_else(|| once(&row.candidate)),
    ) else {
        return;
    };
    let floor = Floor::new(row.kind, before, after);
    row.baseline = Value::Number(before.median);
    row.candidate = Value::Number(after.median);
    row.change = if row.baseline == row.candidate {
        Change::Unchanged
    } else if floor.is_exceeded() {
        let more_is_better = row.kind == Kind::Throughput;
        direction((after.median > before.median) == more_is_better)
    } else {
        Change::WithinNoise
    };
    row.floor = Some(floor);
}

fn obstacles(baseline: &Report, candidate: &Report) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if baseline.attempt.id == candidate.attempt.id {
        reasons.push(Reason::plain("obstacle-same-attempt"));
    }
    if baseline.execution.requested_device != candidate.execution.requested_device {
        reasons.push(Reason::plain("obstacle-requested-device"));
    }
    reasons
}

/// Whether one pass of the application does other work: another input, or a named tensor of another shape.
fn other_work(baseline: &Report, candidate: &Report) -> bool {
    let (Some(before), Some(after)) = (&baseline.application, &candidate.application) else {
        return false;
    };
    // One name can stand for several shapes: the last batch is often a smaller one.
    let shapes = |application: &Application| {
        let mut shapes: BTreeMap<String, BTreeSet<Vec<u64>>> = BTreeMap::new();
        for tensor in &application.tensors {
            shapes
                .entry(tensor.name.clone())
                .or_default()
                .insert(tensor.shape.clone());
        }
        shapes
    };
    let (old, new) = (shapes(before), shapes(after));
    let reshaped = old
        .iter()
        .any(|(name, shapes)| new.get(name).is_some_and(|others| others != shapes));
    reshaped || before.input != after.input
}

/// How far an attempt came: the number of leading decisions that passed or weren't asked, in order.
fn progress(report: &Report) -> usize {
    report
        .decisions
        .iter()
        .take_while(|decision| {
            matches!(
                decision.outcome,
                Outcome::Passed | Outcome::PassedCpuOnly | Outcome::NotRequested
            )
        })
        .count()
}

fn verdict(baseline: &Report, candidate: &Report, rows: &[Row], comparable: bool) -> Verdict {
    if !comparable {
        return Verdict::NotComparable;
    }
    // How far each came outweighs every measure: a fast failure is no improvement on a slow pass.
    let unsaved = |report: &Report| report.code == Code::OutputWriteFailed;
    match progress(candidate).cmp(&progress(baseline)) {
        std::cmp::Ordering::Greater => return Verdict::Better,
        std::cmp::Ordering::Less => return Verdict::Worse,
        std::cmp::Ordering::Equal if unsaved(baseline) != unsaved(candidate) => {
            return if unsaved(candidate) {
                Verdict::Worse
            } else {
                Verdict::Better
            };
        }
        std::cmp::Ordering::Equal => {}
    }
    let any = |change: &Change| rows.iter().any(|row| row.change == *change);
    if any(&Change::Worse) {
        Verdict::Worse
    } else if any(&Change::Better) {
        Verdict::Better
    } else {
        Verdict::Same
    }
}

fn rows(baseline: Vec<Field>, candidate: Vec<Field>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::with_capacity(candidate.len());
    let mut left: std::collections::HashMap<String, Field> = std::collections::HashMap::new();
    let order: Vec<String> = baseline.iter().map(|field| field.path.clone()).collect();
    for field in baseline {
        left.insert(field.path.clone(), field);
    }
    // The baseline's order, with what only the candidate has put where it has it.
    let mut waiting = order.into_iter().peekable();
    let mut right: std::collections::HashMap<String, Field> = std::collections::HashMap::new();
    let candidates: Vec<String> = candidate.iter().map(|field| field.path.clone()).collect();
    for field in candidate {
        right.insert(field.path.clone(), field);
    }
    for path in candidates {
        if left.contains_key(&path) {
            while let Some(next) = waiting.next_if(|next| *next != path) {
                if !right.contains_key(&next)
                    && let Some(field) = left.remove(&next)
                {
                    rows.push(row(Some(field), None));
                }
            }
            waiting.next_if(|next| *next == path);
        }
        rows.push(row(left.remove(&path), right.remove(&path)));
    }
    for path in waiting {
        if let Some(field) = left.remove(&path) {
            rows.push(row(Some(field), None));
        }
    }
    rows
}

fn row(baseline: Option<Field>, candidate: Option<Field>) -> Row {
    let (path, kind) = match (&baseline, &candidate) {
        (_, Some(field)) | (Some(field), None) => (field.path.clone(), field.kind),
        (None, None) => (String::new(), Kind::State),
    };
    let noise = baseline
        .as_ref()
        .and_then(|field| field.spread)
        .into_iter()
        .chain(candidate.as_ref().and_then(|field| field.spread))
        .fold(0.0, f64::max);
    let baseline = baseline.map_or(Value::Missing, |field| field.value);
    let candidate = candidate.map_or(Value::Missing, |field| field.value);
    let recorded_once = baseline == Value::Missing || candidate == Value::Missing;
    let tells_nothing = match kind {
        // A parameter that is declared only once was changed; anything else was merely not recorded.
        Kind::Configuration(factor) => factor != Factor::Parameter,
        Kind::State => path.starts_with("diagnosis.evidence.") || path.starts_with("noise."),
        _ => false,
    };
    let change = if recorded_once && tells_nothing && baseline != candidate {
        Change::NotComparable("incomparable-one-only")
    } else {
        change(kind, &baseline, &candidate, noise)
    };
    Row {
        path,
        kind,
        baseline,
        candidate,
        change,
        floor: None,
    }
}

fn change(kind: Kind, baseline: &Value, candidate: &Value, spread: f64) -> Change {
    if baseline == candidate {
        return Change::Unchanged;
    }
    match (kind, baseline, candidate) {
        (Kind::Configuration(_) | Kind::State, _, _) => Change::Changed,
        (Kind::Outcome, Value::Word(_, before), Value::Word(_, after)) => outcome(before, after),
        (_, Value::Missing, _) | (_, _, Value::Missing) => {
            Change::NotComparable("incomparable-one-only")
        }
        (Kind::Verified, Value::Truth(_), Value::Truth(after)) => direction(*after),
        (Kind::Held(least) | Kind::Used(least), Value::Number(before), Value::Number(after)) => {
            held(kind, *before, *after, least)
        }
        (Kind::Fewer(_), Value::Number(before), Value::Number(after)) => direction(after < before),
        (Kind::More(_), Value::Number(before), Value::Number(after)) => direction(after > before),
        (Kind::Single, Value::Number(before), Value::Number(after)) => {
            measured(*before, *after, SINGLE_RATIO, SINGLE_MS, false)
        }
        (Kind::Repeated, Value::Number(before), Value::Number(after)) => measured(
            *before,
            *after,
            REPEATED_RATIO,
            REPEATED_MS.max(spread),
            false,
        ),
        (Kind::Memory, Value::Number(before), Value::Number(after)) => {
            measured(*before, *after, MEMORY_RATIO, MEMORY_BYTES, false)
        }
        (Kind::Throughput, Value::Number(before), Value::Number(after)) => {
            measured(*before, *after, REPEATED_RATIO, 0.0, true)
        }
        _ => Change::Changed,
    }
}

const fn direction(better: bool) -> Change {
    if better {
        Change::Better
    } else {
        Change::Worse
    }
}

/// Better or worse only where the two differ by the factor `ratio` and by `least` as well.
fn measured(before: f64, after: f64, ratio: f64, least: f64, more_is_better: bool) -> Change {
    let (low, high) = if before < after {
        (before, after)
    } else {
        (after, before)
    };
    if high < low * ratio || high - low < least {
        return Change::WithinNoise;
    }
    direction((after > before) == more_is_better)
}

fn held(kind: Kind, before: f64, after: f64, least: u64) -> Change {
    #[allow(clippy::cast_precision_loss, reason = "bytes are far below 2^53")]
    if (after - before).abs() <= least as f64 {
        return Change::WithinNoise;
    }
    match kind {
        Kind::Used(_) => Change::Changed,
        _ => direction(after < before),
    }
}

fn outcome(before: &str, after: &str) -> Change {
    let rank = |name: &str| match name {
        "passed" | "passed_cpu_only" => Some(3),
        "not_proven" => Some(2),
        "failed" => Some(1),
        "not_reached" => Some(0),
        _ => None,
    };
    match (rank(before), rank(after)) {
        (Some(before), Some(after)) if before == 3 || after == 3 => direction(after > before),
        (Some(_), Some(_)) => Change::Changed,
        _ => Change::NotComparable("incomparable-not-requested"),
    }
}
