//! Holds the outputs of three moments against each other: of a run without a stop, at the stop, and after resuming.
//!
//! Records are told apart by their identifier, else by their place in their file. Memory grows with the records alone, 32
//! bytes for each of them at each moment; the numbers of records that differ in a byte are read in portions of 128 MiB.

use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use super::broken::{self, MAX_EXAMPLES};
use super::files;
use super::npy::Failure;
use super::text::{Contract, Format, OutputPlan};
use super::whole::{self, Reading};
use crate::settings::Variables;

/// The most bytes of numbers that are held at once.
const PORTION: usize = 128 << 20;
/// What a record whose numbers are held takes beside them.
const HELD_BYTES: usize = 64;

/// The folders of the three moments, each laid out as the contract says.
pub(crate) struct Moments<'a> {
    /// Of a run without a stop.
    pub(crate) reference: &'a Path,
    /// At the stop.
    pub(crate) before: &'a Path,
    /// After resuming.
    pub(crate) after: &'a Path,
}

/// What the comparison found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Compared {
    /// Outputs of the run without a stop.
    pub(crate) reference: u64,
    /// Outputs at the stop.
    pub(crate) before: u64,
    /// Outputs after resuming.
    pub(crate) after: u64,
    /// There without a stop or at the stop, and missing after resuming.
    pub(crate) lost: u64,
    /// There more often than without a stop.
    pub(crate) repeated: u64,
    /// There at the stop, and another after resuming.
    pub(crate) changed: u64,
    /// Another than without a stop, by more than the tolerance.
    pub(crate) different: u64,
    /// Not there without a stop.
    pub(crate) unknown: u64,
    /// A few identifiers of those.
    pub(crate) examples: Vec<String>,
}

impl Compared {
    fn add(&mut self, other: Self) {
        self.reference += other.reference;
        self.before += other.before;
        self.after += other.after;
        self.lost += other.lost;
        self.repeated += other.repeated;
        self.changed += other.changed;
        self.different += other.different;
        self.unknown += other.unknown;
        for example in other.examples {
            if self.examples.len() < MAX_EXAMPLES && !self.examples.contains(&example) {
                self.examples.push(example);
            }
        }
    }
}

/// A record of one moment.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Digest of its identifier, or of its place.
    key: u128,
    exact: u64,
    /// Its place among all records of the output.
    at: u64,
}

/// A moment: an output's files, and what stands in them.
struct Moment {
    files: Vec<PathBuf>,
    folder: PathBuf,
    may_be_torn: bool,
    records: Vec<Known>,
}

/// Takes the name of a record's file, its place among all, its place in the file, and itself. False: nothing more is wanted.
type EachRecord<'a> = &'a mut dyn FnMut(&[u8], u64, u64, &whole::Whole<'_>) -> bool;

impl Contract {
    /// Whether the contract names outputs at all.
    pub(crate) const fn has_outputs(&self) -> bool {
        !self.outputs.is_empty()
    }

    /// Holds the outputs of three moments against each other. Numbers may differ by `tolerance`, absolutely and relatively.
    pub(crate) fn compare(
        &self,
        moments: &Moments<'_>,
        tolerance: f64,
        variables: &Variables,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Compared {
        let mut all = Compared::default();
        for plan in &self.outputs {
            all.add(compare(plan, moments, tolerance, variables, stop));
        }
        all
    }

    /// How many outputs stand in `folder`.
    pub(crate) fn count_outputs(
        &self,
        folder: &Path,
        may_be_torn: bool,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> u64 {
        let count = |plan| Moment::read(plan, folder, may_be_torn, stop).records.len() as u64;
        self.outputs.iter().map(count).sum()
    }

    /// The first output or log that is a link: what it points at would be written by one run after the other.
    pub(crate) fn linked(&self, folder: &Path) -> Option<PathBuf> {
        let outputs = self.outputs.iter().flat_map(|plan| &plan.records.paths);
        let log = self.training.iter().filter_map(|plan| plan.log.as_ref());
        outputs
            .chain(log.map(|(path, _, _)| path))
            .flat_map(|pattern| files::matching(folder, pattern))
            .find(|path| path.is_symlink())
    }
}

impl Moment {
    fn read(
        plan: &OutputPlan,
        folder: &Path,
        may_be_torn: bool,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Self {
        let mut moment = Self {
            files: files::find(folder, &plan.records.paths, None).fresh,
            folder: folder.to_path_buf(),
            may_be_torn,
            records: Vec::new(),
        };
        let by_place = !has_ids(plan);
        let mut records = Vec::new();
        moment.each(plan, stop, &mut |file, at, position, whole| {
            let mut hasher = Xxh3::new();
            match &whole.id {
                Some(id) if !by_place => hasher.update(id),
                _ => {
                    hasher.update(file);
                    hasher.update(&position.to_le_bytes());
                }
            }
            records.push(Known {
                key: hasher.digest128(),
                exact: whole.exact,
                at,
            });
            true
        });
        records.sort_unstable_by_key(|known| (known.key, known.at));
        moment.records = records;
        moment
    }

    /// Hands on every record.
    fn each(&self, plan: &OutputPlan, stop: &(dyn Fn() -> bool + Sync), each: EachRecord<'_>) {
        let reading = Reading {
            plan,
            may_be_torn: self.may_be_torn,
            stop,
        };
        let mut at = 0;
        let mut more = true;
        for path in &self.files {
            let name = path.strip_prefix(&self.folder).unwrap_or(path);
            let name = name.as_os_str().as_encoded_bytes();
            // A file that can't be read on holds no further outputs; where some are missed, that shows in the count.
            let _: Result<(), Failure> = whole::read(path, reading, &mut |position, whole| {
                at += 1;
                more = each(name, at - 1, position, whole);
                more
            });
            if !more || stop() {
                return;
            }
        }
    }
}

fn has_ids(plan: &OutputPlan) -> bool {
    plan.records.id.is_some() && plan.records.format != Format::Npy
}

fn compare(
    plan: &OutputPlan,
    moments: &Moments<'_>,
    tolerance: f64,
    variables: &Variables,
    stop: &(dyn Fn() -> bool + Sync),
) -> Compared {
    let reference = Moment::read(plan, moments.reference, false, stop);
    let before = Moment::read(plan, moments.before, true, stop);
    let after = Moment::read(plan, moments.after, false, stop);
    let mut found = Compared {
        reference: reference.records.len() as u64,
        before: before.records.len() as u64,
        after: after.records.len() as u64,
        ..Compared::default()
    };
    let mut odd = Odd::default();
    let mut pairs = Vec::new();
    let mut groups = [
        reference.records.as_slice(),
        before.records.as_slice(),
        after.records.as_slice(),
    ];
    while let Some(key) = groups
        .iter()
        .filter_map(|group| group.first().map(|known| known.key))
        .min()
    {
        let [expected, earlier, now] = groups.each_mut().map(|group| take(group, key));
        judge(expected, earlier, now, &mut found, &mut odd, &mut pairs);
    }
    pairs.sort_unstable();
    for pair in pairs_that_differ(plan, &reference, &after, &pairs, tolerance, stop) {
        found.different += 1;
        odd.after(pair);
    }
    let names = odd.names(plan, &reference, &after, stop);
    found.examples = broken::presentable_all(names, variables);
    found
}

/// The records of this key at the beginning of a list, which then begins after them.
fn take<'a>(list: &mut &'a [Known], key: u128) -> &'a [Known] {
    let length = list.iter().take_while(|known| known.key == key).count();
    let (same, rest) = list.split_at(length);
    *list = rest;
    same
}

/// Judges the records of one key. Pairs whose numbers have to be looked at go to `pairs`: the later one first.
fn judge(
    expected: &[Known],
    earlier: &[Known],
    now: &[Known],
    found: &mut Compared,
    odd: &mut Odd,
    pairs: &mut Vec<(u64, u64)>,
) {
    let wanted = expected.len().max(earlier.len());
    if now.len() < wanted {
        found.lost += (wanted - now.len()) as u64;
        if let Some(first) = expected.get(now.len()..).and_then(<[_]>::first) {
            odd.reference(first.at);
        }
    }
    let surplus = now.get(expected.len()..).unwrap_or_default();
    if !surplus.is_empty() {
        let count = surplus.len() as u64;
        if expected.is_empty() {
            found.unknown += count;
        } else {
            found.repeated += count;
        }
        odd.after(surplus[0].at);
    }
    let mut kept = true;
    for known in earlier {
        if !now.is_empty() && !now.iter().any(|other| other.exact == known.exact) {
            kept = false;
            found.changed += 1;
            odd.after(now[0].at);
        }
    }
    // What stood there at the stop already can be wrong too: a command that is stopped may write what it has not computed.
    if kept {
        let (now, expected) = without_equal(now, expected);
        pairs.extend(
            now.iter()
                .zip(&expected)
                .map(|(one, other)| (one.at, other.at)),
        );
    }
}

/// What is left of both where each record was taken together with one that is equal to the byte.
fn without_equal(now: &[Known], expected: &[Known]) -> (Vec<Known>, Vec<Known>) {
    let [mut now, mut expected] = [now, expected].map(|records| {
        let mut sorted = records.to_vec();
        sorted.sort_unstable_by_key(|known| (known.exact, known.at));
        sorted.into_iter().peekable()
    });
    let mut left = (Vec::new(), Vec::new());
    loop {
        match (now.peek(), expected.peek()) {
            (Some(one), Some(other)) if one.exact == other.exact => {
                now.next();
                expected.next();
            }
            (Some(one), Some(other)) if one.exact > other.exact => left.1.extend(expected.next()),
            (Some(_), _) => left.0.extend(now.next()),
            (None, Some(_)) => left.1.extend(expected.next()),
            (None, None) => break,
        }
    }
    left.0.sort_unstable_by_key(|known| known.at);
    left.1.sort_unstable_by_key(|known| known.at);
    left
}

/// The places, after resuming, of those pairs whose records are not equal within the tolerance.
fn pairs_that_differ(
    plan: &OutputPlan,
    reference: &Moment,
    after: &Moment,
    pairs: &[(u64, u64)],
    tolerance: f64,
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<u64> {
    let mut differing = Vec::new();
    let mut left = pairs;
    while !left.is_empty() && !stop() {
        let mut held: Vec<(u64, u64, u64, Box<[f64]>)> = Vec::new();
        let mut bytes = 0;
        let mut wanted = left.iter().peekable();
        after.each(plan, stop, &mut |_, at, _, whole| {
            let Some((_, expected)) = wanted.next_if(|pair| pair.0 == at) else {
                return true;
            };
            bytes += HELD_BYTES + size_of_val(whole.numbers);
            held.push((*expected, at, whole.form, whole.numbers.into()));
            bytes < PORTION && wanted.peek().is_some()
        });
        if held.is_empty() {
            // What was there a moment ago can't be read any more.
            differing.extend(left.iter().map(|pair| pair.0));
            break;
        }
        left = &left[held.len()..];
        held.sort_unstable_by_key(|one| one.0);
        let mut open = held.iter().peekable();
        reference.each(plan, stop, &mut |_, at, _, whole| {
            while let Some((_, place, form, numbers)) = open.next_if(|one| one.0 == at) {
                if *form != whole.form || !are_close(whole.numbers, numbers, tolerance) {
                    differing.push(*place);
                }
            }
            open.peek().is_some()
        });
    }
    differing.sort_unstable();
    differing
}

/// Whether all numbers are equal within the tolerance, absolutely and relatively. NaN equals NaN.
fn are_close(reference: &[f64], other: &[f64], tolerance: f64) -> bool {
    reference.len() == other.len()
        && reference
            .iter()
            .zip(other)
            .all(|(reference, other)| is_close(*reference, *other, tolerance))
}

/// Whether two numbers are equal within the tolerance, absolutely and relatively. NaN equals NaN.
pub(crate) fn is_close(reference: f64, other: f64, tolerance: f64) -> bool {
    #[allow(clippy::float_cmp, reason = "infinities are equal or not")]
    let equal = reference == other || (reference.is_nan() && other.is_nan());
    let difference = (reference - other).abs();
    equal || (difference.is_finite() && difference <= tolerance + tolerance * reference.abs())
}

/// A few records that break the proof, by their places.
#[derive(Default)]
struct Odd {
    reference: Vec<u64>,
    after: Vec<u64>,
}

impl Odd {
    fn reference(&mut self, at: u64) {
        keep(&mut self.reference, at);
    }

    fn after(&mut self, at: u64) {
        keep(&mut self.after, at);
    }

    /// Their identifiers; a number after `#` where they have none.
    fn names(
        self,
        plan: &OutputPlan,
        reference: &Moment,
        after: &Moment,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Vec<String> {
        let mut names = Vec::new();
        for (places, moment) in [(self.reference, reference), (self.after, after)] {
            let mut left = places.len();
            if left == 0 {
                continue;
            }
            moment.each(plan, stop, &mut |_, at, position, whole| {
                if places.contains(&at) {
                    left -= 1;
                    names.push(match &whole.id {
                        Some(id) => String::from_utf8_lossy(id).into_owned(),
                        None => format!("#{}", position + 1),
                    });
                }
                left > 0
            });
        }
        names.truncate(MAX_EXAMPLES);
        names
    }
}

/// Keeps the lowest places.
fn keep(places: &mut Vec<u64>, at: u64) {
    if places.contains(&at) {
        return;
    }
    places.push(at);
    places.sort_unstable();
    places.truncate(MAX_EXAMPLES);
}
