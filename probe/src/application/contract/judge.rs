//! Holds every record against what the contract demands of it, and remembers which identifiers it saw.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_128;

use super::broken::{Broken, Place};
use super::points::Word;
use super::record::{Record, Vector, Visitor};

/// What a contract demands of every record.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Demands {
    pub(super) dimension: Option<u64>,
    pub(super) finite: bool,
    pub(super) min: Option<f64>,
    pub(super) max: Option<f64>,
    /// How far the length of a vector may be from 1.
    pub(super) norm_tolerance: Option<f64>,
}

impl Demands {
    /// Whether more than the form of the numbers matters.
    pub(super) fn need_values(&self) -> bool {
        self.min.is_some() || self.max.is_some() || self.norm_tolerance.is_some()
    }
}

/// The lowest and the highest of some values; none where there were none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) min: f64,
    pub(super) max: f64,
}

impl Span {
    pub(super) const NONE: Self = Self {
        min: f64::INFINITY,
        max: f64::NEG_INFINITY,
    };

    fn add(&mut self, min: f64, max: f64) {
        self.min = self.min.min(min);
        self.max = self.max.max(max);
    }
}

/// What was found in all records that were shown to it.
#[derive(Clone, Debug)]
pub(super) struct Judge {
    demands: Demands,
    /// Records that are there, flawed or not.
    pub(super) records: u64,
    /// Hashes of the identifiers, 128 bits each: the one thing that grows with the file.
    pub(super) ids: Vec<u128>,
    /// The longest record.
    pub(super) longest: Option<u64>,
    pub(super) flawed: Broken,
    pub(super) first_flaw: Option<(Place, Word)>,
    pub(super) dimension: Broken,
    pub(super) first_dimension: Option<(Place, u64)>,
    pub(super) not_finite: Broken,
    pub(super) range: Broken,
    pub(super) values: Span,
    pub(super) norm: Broken,
    pub(super) norms: Span,
    /// Whether any number was there at all: where none was, none was right either.
    pub(super) any_number: bool,
}

impl Judge {
    pub(super) fn new(demands: Demands) -> Self {
        Self {
            demands,
            records: 0,
            ids: Vec::new(),
            longest: None,
            flawed: Broken::default(),
            first_flaw: None,
            dimension: Broken::default(),
            first_dimension: None,
            not_finite: Broken::default(),
            range: Broken::default(),
            values: Span::NONE,
            norm: Broken::default(),
            norms: Span::NONE,
            any_number: false,
        }
    }

    /// A whole file can't be read as what it should be.
    pub(super) fn file_flaw(&mut self, place: Place, flaw: Word) {
        self.flawed.add(place, None);
        self.first_flaw = earlier(self.first_flaw, Some((place, flaw)));
    }

    fn seen(&mut self, record: &Record<'_>) {
        self.records += 1;
        if let Some(id) = &record.id {
            self.ids.push(xxh3_128(id));
        }
        self.longest = self.longest.max(record.length);
    }

    fn vector(&mut self, place: Place, vector: Vector, id: Option<&[u8]>) {
        let demands = &self.demands;
        let Vector::Numbers(numbers) = vector else {
            // Nothing stands where the numbers should. Where that may be, it is still no dimension and no length.
            if demands.finite {
                self.not_finite.add(place, id);
                return;
            }
            if demands.dimension.is_some() {
                self.dimension.add(place, id);
                self.first_dimension.get_or_insert((place, 0));
            }
            if demands.norm_tolerance.is_some() {
                self.norm.add(place, id);
            }
            return;
        };
        self.any_number |= numbers.count > 0;
        if demands
            .dimension
            .is_some_and(|wanted| wanted != numbers.count)
        {
            self.dimension.add(place, id);
            self.first_dimension.get_or_insert((place, numbers.count));
        }
        if demands.finite && !numbers.finite {
            self.not_finite.add(place, id);
        }
        if !demands.need_values() {
            return;
        }
        if numbers.min <= numbers.max {
            self.values.add(numbers.min, numbers.max);
        }
        let below = demands.min.is_some_and(|min| numbers.min < min);
        let above = demands.max.is_some_and(|max| numbers.max > max);
        if below || above {
            self.range.add(place, id);
        }
        if let Some(tolerance) = demands.norm_tolerance {
            let norm = numbers.squares.sqrt();
            if numbers.finite {
                self.norms.add(norm, norm);
            }
            if !numbers.finite || (norm - 1.0).abs() > tolerance {
                self.norm.add(place, id);
            }
        }
    }
}

impl Visitor for Judge {
    fn record(&mut self, place: Place, record: &Record<'_>) {
        self.seen(record);
        if let Some(vector) = record.vector {
            self.vector(place, vector, record.id.as_deref());
        }
    }

    fn flawed(&mut self, place: Place, flaw: Word, record: &Record<'_>) {
        let there = matches!(
            flaw,
            Word::NoId | Word::NoField | Word::WrongType | Word::DuplicateKey
        );
        if there {
            self.seen(record);
        }
        self.flawed.add(place, record.id.as_deref());
        self.first_flaw.get_or_insert((place, flaw));
    }

    fn fork(&self) -> Self {
        Self::new(self.demands)
    }

    fn join(&mut self, other: Self) {
        self.records += other.records;
        if self.ids.is_empty() {
            self.ids = other.ids;
        } else {
            self.ids.extend_from_slice(&other.ids);
        }
        self.longest = self.longest.max(other.longest);
        self.flawed.join(other.flawed);
        self.first_flaw = earlier(self.first_flaw, other.first_flaw);
        self.dimension.join(other.dimension);
        self.first_dimension = earlier(self.first_dimension, other.first_dimension);
        self.not_finite.join(other.not_finite);
        self.range.join(other.range);
        self.values.add(other.values.min, other.values.max);
        self.norm.join(other.norm);
        self.norms.add(other.norms.min, other.norms.max);
        self.any_number |= other.any_number;
    }
}

fn earlier<T>(one: Option<(Place, T)>, other: Option<(Place, T)>) -> Option<(Place, T)> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if other.0 < one.0 { other } else { one }),
        (one, other) => one.or(other),
    }
}

/// Identifiers of two sides, held against each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Differences {
    /// How many of the input's stand in the outputs exactly once.
    pub(super) once: u64,
    /// Of the input, in no output. Sorted hashes.
    pub(super) missing: Vec<u128>,
    /// In the outputs more than once. Sorted hashes.
    pub(super) repeated: Vec<u128>,
    /// In the outputs, not in the input. Sorted hashes.
    pub(super) unknown: Vec<u128>,
    /// Repeated or unknown or both.
    pub(super) wrong: u64,
}

/// Holds the identifiers of the outputs against those of the input, which may repeat itself.
pub(super) fn differences(input: &mut [u128], outputs: &mut [u128]) -> Differences {
    input.sort_unstable();
    outputs.sort_unstable();
    let mut found = Differences::default();
    let mut wanted = input.chunk_by(|a, b| a == b).map(|same| same[0]).peekable();
    for same in outputs.chunk_by(|a, b| a == b) {
        let id = same[0];
        while let Some(missing) = wanted.next_if(|wanted| *wanted < id) {
            found.missing.push(missing);
        }
        let known = wanted.next_if_eq(&id).is_some();
        if same.len() > 1 {
            found.repeated.push(id);
        } else if known {
            found.once += 1;
        }
        if !known {
            found.unknown.push(id);
        }
        found.wrong += u64::from(same.len() > 1 || !known);
    }
    found.missing.extend(wanted);
    found
}

/// Identifiers that stand more than once. Sorted hashes.
pub(super) fn repeated(ids: &mut [u128]) -> Vec<u128> {
    ids.sort_unstable();
    ids.chunk_by(|a, b| a == b)
        .filter(|same| same.len() > 1)
        .map(|same| same[0])
        .collect()
}

/// Looks for the texts of a few hashes, in a second pass that only a broken contract needs.
#[derive(Clone, Debug)]
pub(super) struct Finder<'a> {
    /// Sorted hashes.
    wanted: &'a [u128],
    found: Vec<(Place, u128, String)>,
    most: usize,
}

impl<'a> Finder<'a> {
    /// Finds the texts of the first `most` of the `wanted`.
    pub(super) fn new(wanted: &'a [u128], most: usize) -> Self {
        Self {
            wanted,
            found: Vec::new(),
            most: most.min(wanted.len()),
        }
    }

    /// The texts, in the order of the files.
    pub(super) fn texts(self) -> Vec<String> {
        self.found.into_iter().map(|(_, _, text)| text).collect()
    }
}

impl Visitor for Finder<'_> {
    fn record(&mut self, place: Place, record: &Record<'_>) {
        let Some(id) = &record.id else { return };
        let hash = xxh3_128(id);
        if self.is_content()
            || self.wanted.binary_search(&hash).is_err()
            || self.found.iter().any(|(_, known, _)| *known == hash)
        {
            return;
        }
        let id: &Cow<'_, [u8]> = id;
        let text = String::from_utf8_lossy(id).into_owned();
        self.found.push((place, hash, text));
    }

    fn flawed(&mut self, place: Place, _: Word, record: &Record<'_>) {
        self.record(place, record);
    }

    fn is_content(&self) -> bool {
        self.found.len() >= self.most
    }

    fn fork(&self) -> Self {
        Self::new(self.wanted, self.most)
    }

    fn join(&mut self, other: Self) {
        self.found.extend(other.found);
        self.found.sort_by_key(|(place, _, _)| *place);
        let mut known = Vec::new();
        self.found.retain(|(_, hash, _)| {
            let new = !known.contains(hash);
            known.push(*hash);
            new
        });
        self.found.truncate(self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_repeated_and_foreign_identifiers_are_told_apart() {
        let found = differences(&mut [5, 1, 2, 3, 4], &mut [4, 2, 9, 2, 1, 8, 8]);
        let expected = Differences {
            once: 2,
            missing: vec![3, 5],
            repeated: vec![2, 8],
            unknown: vec![8, 9],
            wrong: 3,
        };
        assert_eq!(found, expected);
        assert_eq!(differences(&mut [], &mut []), Differences::default());
        assert_eq!(differences(&mut [1, 1], &mut [1]).once, 1);
        assert_eq!(repeated(&mut [3, 1, 3, 2, 1]), [1, 3]);
    }
}
