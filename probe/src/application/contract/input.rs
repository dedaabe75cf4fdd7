//! The input of the run: how many examples, how long the longest, which bytes, and which identifiers.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use firstfault_schema::decision::Outcome;
use firstfault_schema::report::{Input, Scalar};
use sha2::{Digest, Sha256};
use xxhash_rust::xxh3::xxh3_128;

use super::broken::MAX_EXAMPLES;
use super::files::{self, Found};
use super::judge::{self, Demands, Finder, Judge};
use super::parallel::{BLOCK, Run};
use super::points::{self, Point, Word};
use super::record::{Visitor as _, Wish};
use super::text::{Contract, FinalWork, Format, InputPlan};
use super::{Context, Findings, outputs};

/// An input that was read.
pub(super) struct Seen<'a> {
    plan: &'a InputPlan,
    pub(super) summary: Input,
    paths: Vec<PathBuf>,
    /// Hashes of the identifiers; none where there are none, or where the input can't be read.
    pub(super) ids: Option<Vec<u128>>,
}

/// Reads the input, and says how far it stands for the final work.
pub(super) fn check<'a>(
    contract: &'a Contract,
    context: &Context<'_>,
    run: Run<'_>,
    findings: &mut Findings<'_>,
) -> Option<Seen<'a>> {
    let plan = contract.input.as_ref()?;
    let found = files::find(context.folder, &plan.records.paths, None);
    let mut seen = Seen {
        plan,
        summary: Input {
            count: None,
            longest: None,
            digest: None,
        },
        paths: Vec::new(),
        ids: None,
    };
    let problem = seen.read(&found, run);
    let result = match problem.or(found.problem()) {
        Some(word) => Scalar::from(word),
        None => seen.summary.count.unwrap_or(0).into(),
    };
    let holds = problem.is_none() && found.problem().is_none();
    if !holds {
        // Half an input is none: nothing may be held against it.
        seen.summary.count = None;
        seen.ids = None;
    }
    let point = points::judged(Point::InputReadable, holds, None, Some(result));
    findings.add_files(point, &found.unfit);
    seen.check_ids(run, findings);
    seen.representative(&contract.final_work, findings);
    Some(seen)
}

impl Seen<'_> {
    fn read(&mut self, found: &Found, run: Run<'_>) -> Option<Word> {
        self.paths.clone_from(&found.fresh);
        if self.paths.is_empty() {
            return Some(found.problem().unwrap_or(Word::Missing));
        }
        self.summary.digest = digest(&self.paths, run).ok();
        if self.plan.records.format == Format::Files {
            self.summary.count = Some(self.paths.len() as u64);
            let bytes = self.paths.iter().filter_map(|path| fs::metadata(path).ok());
            self.summary.longest = bytes.map(|metadata| metadata.len()).max();
            self.ids = Some(
                self.paths
                    .iter()
                    .map(|path| xxh3_128(stem(path).as_bytes()))
                    .collect(),
            );
            return None;
        }
        let mut judge = Judge::new(Demands::default());
        let failures = outputs::read_all(
            &self.paths,
            &self.plan.records,
            &self.wish(),
            run,
            &mut judge,
        );
        if let Some((_, word)) = failures.first() {
            return Some(*word);
        }
        if let Some((_, word)) = judge.first_flaw {
            return Some(word);
        }
        if judge.records == 0 {
            return Some(Word::Empty);
        }
        self.summary.count = Some(judge.records);
        self.summary.longest = judge.longest;
        self.ids = self.plan.records.id.is_some().then_some(judge.ids);
        None
    }

    fn wish(&self) -> Wish<'_> {
        Wish {
            id: self.plan.records.id.as_deref(),
            length: self.plan.length.as_deref(),
            ..Wish::default()
        }
    }

    /// The texts of the first few of some sorted hashes.
    pub(super) fn texts(&self, wanted: &[u128], run: Run<'_>) -> Vec<String> {
        let mut finder = Finder::new(wanted, MAX_EXAMPLES);
        if self.plan.records.format == Format::Files {
            for (at, path) in (0..).zip(&self.paths) {
                let record = super::record::Record {
                    id: Some(stem(path).into_bytes().into()),
                    ..Default::default()
                };
                finder.record(super::broken::Place { file: 0, at }, &record);
            }
        } else {
            outputs::read_all(
                &self.paths,
                &self.plan.records,
                &self.wish(),
                run,
                &mut finder,
            );
        }
        finder.texts()
    }

    /// An identifier that stands twice in the input can't stand exactly once in the outputs.
    fn check_ids(&mut self, run: Run<'_>, findings: &mut Findings<'_>) {
        let Some(ids) = &mut self.ids else { return };
        let repeated = judge::repeated(ids);
        let count = ids.len() as u64;
        ids.dedup();
        let mut point = points::judged(
            Point::InputIdsUnique,
            repeated.is_empty(),
            Some(count.into()),
            Some((ids.len() as u64).into()),
        );
        point.broken = Some(repeated.len() as u64);
        let names = if repeated.is_empty() {
            Vec::new()
        } else {
            self.texts(&repeated, run)
        };
        findings.add_named(point, names);
    }

    fn representative(&self, work: &FinalWork, findings: &mut Findings<'_>) {
        for (point, wanted, share, found) in [
            (
                Point::RepresentativeLongest,
                work.longest,
                work.longest_share,
                self.summary.longest,
            ),
            (
                Point::RepresentativeCount,
                work.count,
                work.count_share,
                self.summary.count,
            ),
        ] {
            let Some(wanted) = wanted else { continue };
            #[allow(clippy::cast_precision_loss, reason = "a comparison of measures")]
            let near = found.is_some_and(|found| found as f64 >= wanted as f64 * share);
            let outcome = if near {
                Outcome::Passed
            } else {
                Outcome::NotProven
            };
            let found = found.map_or_else(|| Word::NotTold.into(), Scalar::from);
            findings.add(points::with(
                point,
                outcome,
                Some(wanted.into()),
                Some(found),
            ));
        }
    }
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// SHA-256 of the one file; of several, SHA-256 over their digests in the order of their names.
fn digest(paths: &[PathBuf], run: Run<'_>) -> io::Result<String> {
    let digests = paths
        .iter()
        .map(|path| digest_of(path, run))
        .collect::<io::Result<Vec<_>>>()?;
    let whole = match &digests[..] {
        [one] => *one,
        several => {
            let mut hasher = Sha256::new();
            for digest in several {
                hasher.update(digest);
            }
            hasher.finalize().into()
        }
    };
    Ok(whole.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn digest_of(path: &Path, run: Run<'_>) -> io::Result<[u8; 32]> {
    let mut file = files::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; BLOCK];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(hasher.finalize().into());
        }
        if (run.stop)() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        hasher.update(&buffer[..read]);
    }
}
