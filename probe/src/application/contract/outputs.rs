//! One output: its files, which may come from several ranks, held against the contract as one.

use std::path::{Path, PathBuf};

use firstfault_schema::decision::Outcome;
use firstfault_schema::report::Scalar;

use super::broken::{Broken, MAX_EXAMPLES, Place};
use super::files;
use super::input::Seen;
use super::judge::{self, Finder, Judge, Span};
use super::npy::Failure;
use super::parallel::Run;
use super::points::{self, Point, Word, bounds, counted, judged, short};
use super::record::{Visitor, Wish};
use super::text::{Count, Format, OutputPlan, Records};
use super::{Context, Files, Findings, csv, jsonl, npy, parquet, safetensors};

/// Holds the files of one output against its part of the contract.
pub(super) fn check(
    plan: &OutputPlan,
    input: Option<&mut Seen<'_>>,
    context: &Context<'_>,
    run: Run<'_>,
    findings: &mut Findings<'_>,
) {
    findings.suffix.clone_from(&plan.name);
    let found = files::find(context.folder, &plan.records.paths, context.since);
    let result = match found.problem() {
        Some(word) => Scalar::from(word),
        None => (found.fresh.len() as u64).into(),
    };
    let mut written = judged(
        Point::OutputWritten,
        found.unfit.is_empty(),
        None,
        Some(result),
    );
    written.broken = Some(found.unfit.len() as u64);
    findings.add_files(written, &found.unfit);
    if found.fresh.is_empty() {
        not_reached(plan, findings);
        findings.suffix = None;
        return;
    }
    let mut judge = Judge::new(plan.demands);
    for (index, word) in read_all(&found.fresh, &plan.records, &wish(plan), run, &mut judge) {
        let place = Place {
            file: index,
            at: u64::MAX,
        };
        judge.file_flaw(place, word);
    }
    let files = Files {
        paths: &found.fresh,
        text: matches!(plan.records.format, Format::JsonLines | Format::Csv(_)),
    };
    well_formed(&mut judge, &files, findings);
    count(plan, &judge, input.as_deref(), findings);
    if plan.each_id_once {
        ids(plan, &mut judge, &files, input, run, findings);
    }
    values(plan, judge, &files, findings);
    findings.suffix = None;
}

fn wish(plan: &OutputPlan) -> Wish<'_> {
    Wish {
        id: plan.records.id.as_deref(),
        vector: plan.vector.as_deref(),
        length: None,
        values: plan.demands.need_values(),
        min: plan.demands.min,
        max: plan.demands.max,
        skip_blank: false,
    }
}

/// Reads all files one after the other. Returns those that give no records at all, and why.
pub(super) fn read_all<V: Visitor>(
    paths: &[PathBuf],
    records: &Records,
    wish: &Wish<'_>,
    run: Run<'_>,
    visitor: &mut V,
) -> Vec<(u32, Word)> {
    let mut failures = Vec::new();
    for (index, path) in (0..).zip(paths) {
        if (run.stop)() || visitor.is_content() {
            break;
        }
        match read(path, index, records.format, wish, run, visitor) {
            Ok(()) => {}
            Err(Failure::Io) => failures.push((index, Word::Unreadable)),
            Err(Failure::Flaw(word)) => failures.push((index, word)),
        }
    }
    failures
}

/// Reads one file, whatever its format.
///
/// # Errors
/// Why it gives no records at all.
pub(super) fn read<V: Visitor>(
    path: &Path,
    index: u32,
    format: Format,
    wish: &Wish<'_>,
    run: Run<'_>,
    visitor: &mut V,
) -> Result<(), Failure> {
    let file = &files::open(path)?;
    match format {
        Format::JsonLines | Format::Json => jsonl::read(file, index, wish, run, visitor)?,
        Format::Csv(delimiter) => csv::read(file, index, delimiter, wish, run, visitor)?,
        Format::Npy => npy::read(file, index, wish, run, visitor)?,
        Format::Npz => npy::read_npz(file, index, wish, run, visitor)?,
        Format::Safetensors => safetensors::read(file, index, wish, run, visitor)?,
        Format::Parquet => parquet::read(file, index, wish, run, visitor)?,
        Format::Files | Format::Lines => jsonl::read_plain(file, index, run, visitor)?,
    }
    Ok(())
}

/// Every point that can't be judged without files.
fn not_reached(plan: &OutputPlan, findings: &mut Findings<'_>) {
    let demands = &plan.demands;
    let range = bounds(demands.min, demands.max);
    for (point, demanded, expected) in [
        (Point::WellFormed, true, None),
        (Point::OutputCount, plan.count.is_some(), None),
        (Point::EachIdOnce, plan.each_id_once, None),
        (
            Point::Dimension,
            demands.dimension.is_some(),
            demands.dimension.map(Scalar::from),
        ),
        (Point::AllFinite, demands.finite, Some(true.into())),
        (Point::ValueRange, range.is_some(), range),
        (
            Point::UnitNorm,
            demands.norm_tolerance.is_some(),
            norm_words(plan),
        ),
    ] {
        if demanded {
            findings.add(points::with(point, Outcome::NotReached, expected, None));
        }
    }
}

fn well_formed(judge: &mut Judge, files: &Files<'_>, findings: &mut Findings<'_>) {
    if judge.records == 0 && judge.first_flaw.is_none() {
        let mut empty = judged(
            Point::WellFormed,
            false,
            Some(true.into()),
            Some(Word::Empty.into()),
        );
        empty.broken = Some(0);
        findings.add(empty);
        return;
    }
    let flaw = judge
        .first_flaw
        .map_or_else(|| true.into(), |(_, word)| word.into());
    let flawed = std::mem::take(&mut judge.flawed);
    let point = counted(Point::WellFormed, &flawed, Some(true.into()), Some(flaw));
    findings.add_placed(point, flawed, files);
}

fn count(plan: &OutputPlan, judge: &Judge, input: Option<&Seen<'_>>, findings: &mut Findings<'_>) {
    let wanted = match plan.count {
        None => return,
        Some(Count::Exactly(count)) => Some(count),
        Some(Count::SameAsInput) => input.and_then(|input| input.summary.count),
    };
    let found = Some(judge.records.into());
    let Some(wanted) = wanted else {
        findings.add(points::with(
            Point::OutputCount,
            Outcome::NotReached,
            None,
            found,
        ));
        return;
    };
    let mut point = judged(
        Point::OutputCount,
        wanted == judge.records,
        Some(wanted.into()),
        found,
    );
    point.broken = Some(wanted.abs_diff(judge.records));
    findings.add(point);
}

fn ids(
    plan: &OutputPlan,
    judge: &mut Judge,
    files: &Files<'_>,
    input: Option<&mut Seen<'_>>,
    run: Run<'_>,
    findings: &mut Findings<'_>,
) {
    let Some(input) = input.filter(|input| input.ids.is_some()) else {
        findings.add(points::with(
            Point::EachIdOnce,
            Outcome::NotReached,
            None,
            None,
        ));
        return;
    };
    let wanted = input.ids.as_deref_mut().unwrap_or_default();
    let expected = wanted.len() as u64;
    let differences = judge::differences(wanted, &mut judge.ids);
    let in_outputs = |hashes: &[u128]| {
        if hashes.is_empty() {
            return Vec::new();
        }
        let wish = Wish {
            id: plan.records.id.as_deref(),
            ..Wish::default()
        };
        let mut finder = Finder::new(hashes, MAX_EXAMPLES);
        read_all(files.paths, &plan.records, &wish, run, &mut finder);
        finder.texts()
    };
    let missing = if differences.missing.is_empty() {
        Vec::new()
    } else {
        input.texts(&differences.missing, run)
    };
    let repeated = in_outputs(&differences.repeated);
    let unknown = in_outputs(&differences.unknown);
    let broken = differences.missing.len() as u64 + differences.wrong;
    let mut point = judged(
        Point::EachIdOnce,
        broken == 0,
        Some(expected.into()),
        Some(differences.once.into()),
    );
    point.broken = Some(broken);
    let mut names: Vec<String> = Vec::new();
    for name in missing.iter().chain(&repeated).chain(&unknown) {
        if names.len() < MAX_EXAMPLES && !names.contains(name) {
            names.push(name.clone());
        }
    }
    findings.add_named(point, names);
    for (point, hashes, texts) in [
        (Point::IdsMissing, differences.missing, missing),
        (Point::IdsRepeated, differences.repeated, repeated),
        (Point::IdsUnknown, differences.unknown, unknown),
    ] {
        if hashes.is_empty() {
            continue;
        }
        let count = hashes.len() as u64;
        let mut point = judged(point, false, Some(0_u64.into()), Some(count.into()));
        point.broken = Some(count);
        findings.add_named(point, texts);
    }
}

fn values(plan: &OutputPlan, judge: Judge, files: &Files<'_>, findings: &mut Findings<'_>) {
    let demands = &plan.demands;
    if judge.records == 0 {
        // No value broke anything, since there was none.
        for (point, demanded) in [
            (Point::Dimension, demands.dimension.is_some()),
            (Point::AllFinite, demands.finite),
            (Point::ValueRange, demands.min.or(demands.max).is_some()),
            (Point::UnitNorm, demands.norm_tolerance.is_some()),
        ] {
            if demanded {
                findings.add(points::with(point, Outcome::NotReached, None, None));
            }
        }
        return;
    }
    if let Some(dimension) = demands.dimension {
        let found = judge.first_dimension.map_or(dimension, |(_, other)| other);
        place(
            Point::Dimension,
            judge.dimension,
            dimension.into(),
            found.into(),
            files,
            findings,
        );
    }
    // Lists without any number keep every bound, and prove none of them.
    let nothing_seen = !judge.any_number && judge.not_finite.count == 0;
    if nothing_seen {
        let range = bounds(demands.min, demands.max);
        for (point, demanded, expected) in [
            (Point::AllFinite, demands.finite, Some(true.into())),
            (Point::ValueRange, range.is_some(), range),
        ] {
            if demanded {
                let found = Some(Word::Empty.into());
                findings.add(points::with(point, Outcome::NotProven, expected, found));
            }
        }
    }
    if demands.finite && !nothing_seen {
        let finite = judge.not_finite.count == 0;
        place(
            Point::AllFinite,
            judge.not_finite,
            true.into(),
            finite.into(),
            files,
            findings,
        );
    }
    if let Some(expected) = bounds(demands.min, demands.max)
        && !nothing_seen
    {
        let found = span(judge.values);
        place(
            Point::ValueRange,
            judge.range,
            expected,
            found,
            files,
            findings,
        );
    }
    if let Some(expected) = norm_words(plan) {
        let found = span(judge.norms);
        place(
            Point::UnitNorm,
            judge.norm,
            expected,
            found,
            files,
            findings,
        );
    }
}

fn place(
    point: Point,
    broken: Broken,
    expected: Scalar,
    found: Scalar,
    files: &Files<'_>,
    findings: &mut Findings<'_>,
) {
    let point = counted(point, &broken, Some(expected), Some(found));
    findings.add_placed(point, broken, files);
}

/// Both ends of what was seen; where nothing finite was, that.
fn span(span: Span) -> Scalar {
    if span.min > span.max {
        return Word::NotFinite.into();
    }
    format!("[{}, {}]", short(span.min), short(span.max)).into()
}

fn norm_words(plan: &OutputPlan) -> Option<Scalar> {
    let tolerance = plan.demands.norm_tolerance?;
    Some(format!("1 ± {}", short(tolerance)).into())
}
