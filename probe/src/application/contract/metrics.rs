//! Numbers that the command wrote about itself: metrics with a bound, and the losses of a training.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use firstfault_schema::report::Scalar;

use super::broken::{Broken, Place};
use super::files;
use super::json;
use super::npy::Failure;
use super::outputs;
use super::parallel::Run;
use super::points::{self, Point, Word, bounds, counted, judged};
use super::record::{Record, Vector, Visitor, Wish};
use super::text::{Format, MetricPlan};
use super::{Context, Files, Findings};

/// The largest JSON document with metrics that is read.
const MAX_DOCUMENT: u64 = 16 << 20;

/// Holds one metric against its bounds. Of several lines, the last one that has it counts.
pub(super) fn check(
    plan: &MetricPlan,
    context: &Context<'_>,
    run: Run<'_>,
    findings: &mut Findings<'_>,
) {
    findings.suffix = Some(plan.key.clone());
    let expected = bounds(plan.min, plan.max);
    let found = files::find(
        context.folder,
        std::slice::from_ref(&plan.path),
        context.since,
    );
    let value = match (&found.fresh[..], found.problem()) {
        (_, Some(word)) => Err(word),
        ([], None) => Err(Word::Missing),
        ([.., path], None) => read(path, plan, run),
    };
    let (holds, result) = match value {
        Ok(value) => {
            let holds =
                plan.min.is_none_or(|min| value >= min) && plan.max.is_none_or(|max| value <= max);
            (
                holds,
                points::number(value).unwrap_or_else(|| Word::NotFinite.into()),
            )
        }
        Err(word) => (false, word.into()),
    };
    let point = judged(Point::Metric, holds, expected, Some(result));
    findings.add_files(point, &found.unfit);
    findings.suffix = None;
}

/// A finite number.
fn read(path: &Path, plan: &MetricPlan, run: Run<'_>) -> Result<f64, Word> {
    let value = if plan.format == Format::Json {
        document(path, &plan.key)?
    } else {
        let mut losses = Series::default();
        let wish = wish(&plan.key, plan.skip_blank);
        series(path, plan.format, &wish, run, &mut losses)?;
        if losses.last_blank {
            return Err(Word::Blank);
        }
        losses.last.ok_or(Word::NoField)?
    };
    if value.is_finite() {
        Ok(value)
    } else {
        Err(Word::NotFinite)
    }
}

/// A number of one JSON document, by its key at the top, else by the path that the key's full stops make.
fn document(path: &Path, key: &str) -> Result<f64, Word> {
    let mut text = Vec::new();
    let file = files::open(path).map_err(|_| Word::Unreadable)?;
    file.take(MAX_DOCUMENT + 1)
        .read_to_end(&mut text)
        .map_err(|_| Word::Unreadable)?;
    if text.len() as u64 > MAX_DOCUMENT {
        return Err(Word::TooLong);
    }
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    if text.trim_ascii().is_empty() {
        return Err(Word::Empty);
    }
    match json::find_number(text, &[key]) {
        Err(Word::NoField) if key.contains('.') => {
            let steps: Vec<&str> = key.split('.').collect();
            json::find_number(text, &steps)
        }
        found => found,
    }
}

/// The values of one field, line by line.
#[derive(Clone, Debug, Default)]
pub(super) struct Series {
    /// How many there are.
    count: u64,
    last: Option<f64>,
    not_finite: Broken,
    /// So many of those that are not finite are cells with nothing in them.
    blank: u64,
    /// The last one is such a cell.
    last_blank: bool,
    flaw: Option<Word>,
}

impl Visitor for Series {
    fn record(&mut self, place: Place, record: &Record<'_>) {
        let value = match record.vector {
            Some(Vector::Numbers(numbers)) if numbers.count == 1 && numbers.finite => numbers.min,
            Some(Vector::Numbers(numbers)) if numbers.count != 1 => {
                self.flaw.get_or_insert(Word::WrongType);
                return;
            }
            Some(_) => f64::NAN,
            None => return,
        };
        self.count += 1;
        self.last = Some(value);
        self.last_blank = record.blank;
        self.blank += u64::from(record.blank);
        if !value.is_finite() {
            self.not_finite.add(place, None);
        }
    }

    fn flawed(&mut self, _: Place, flaw: Word, _: &Record<'_>) {
        // A log has other lines too, and a command that logs on can have torn the last one.
        if flaw != Word::NoField {
            self.flaw.get_or_insert(flaw);
        }
    }

    fn fork(&self) -> Self {
        Self::default()
    }

    fn join(&mut self, other: Self) {
        self.count += other.count;
        if other.last.is_some() {
            self.last = other.last;
            self.last_blank = other.last_blank;
        }
        self.blank += other.blank;
        self.not_finite.join(other.not_finite);
        self.flaw = self.flaw.or(other.flaw);
    }
}

fn wish(key: &str, skip_blank: bool) -> Wish<'_> {
    Wish {
        vector: Some(key),
        values: true,
        skip_blank,
        ..Wish::default()
    }
}

fn series(
    path: &Path,
    format: Format,
    wish: &Wish<'_>,
    run: Run<'_>,
    series: &mut Series,
) -> Result<(), Word> {
    // The last value is wanted, so the lines keep their order.
    let run = Run { threads: 1, ..run };
    match outputs::read(path, 0, format, wish, run, series) {
        Ok(()) => series.flaw.map_or(Ok(()), Err),
        Err(Failure::Io) => Err(Word::Unreadable),
        Err(Failure::Flaw(word)) => Err(word),
    }
}

/// Every loss in the log is finite, and there is at least one.
pub(super) fn check_losses(
    (log, format, loss): &(String, Format, String),
    skip_blank: bool,
    context: &Context<'_>,
    run: Run<'_>,
    findings: &mut Findings<'_>,
) {
    let found = files::find(context.folder, std::slice::from_ref(log), context.since);
    let expected = || Some(Scalar::from(true));
    if let Some(word) = found.problem() {
        let point = judged(Point::LossFinite, false, expected(), Some(word.into()));
        findings.add_files(point, &found.unfit);
        return;
    }
    let paths: Vec<PathBuf> = found.fresh;
    let mut losses = Series::default();
    for path in &paths {
        if let Err(word) = series(path, *format, &wish(loss, skip_blank), run, &mut losses) {
            let point = judged(Point::LossFinite, false, expected(), Some(word.into()));
            findings.add_files(point, &[(path.clone(), word)]);
            return;
        }
    }
    if losses.count == 0 {
        let found = Some(Word::NoField.into());
        findings.add(judged(Point::LossFinite, false, expected(), found));
        return;
    }
    // Where nothing else is wrong, the word tells what the contract can say about it.
    let only_blank = losses.blank > 0 && losses.blank == losses.not_finite.count;
    let found = if only_blank {
        Word::Blank.into()
    } else {
        Scalar::from(losses.not_finite.count == 0)
    };
    let point = counted(
        Point::LossFinite,
        &losses.not_finite,
        expected(),
        Some(found),
    );
    let text = Files {
        paths: &paths,
        text: true,
    };
    findings.add_placed(point, losses.not_finite, &text);
}
