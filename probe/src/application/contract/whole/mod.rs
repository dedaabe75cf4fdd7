//! Records with everything in them, for holding two runs against each other: a digest of the bytes, a digest of all that
//! is no number, and the numbers. One record at a time is in memory.

mod arrays;
mod text;

use std::borrow::Cow;
use std::path::Path;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::files;
use super::npy::Failure;
use super::text::{Format, OutputPlan};

/// A record with everything in it.
pub(super) struct Whole<'a> {
    /// Its identifier, where one was wanted.
    pub(super) id: Option<Cow<'a, [u8]>>,
    /// Digest of its bytes.
    pub(super) exact: u64,
    /// Digest of everything in it that is no number, and of where its numbers stand.
    pub(super) form: u64,
    /// Its numbers, in the order in which they stand there. NaN and null are one.
    pub(super) numbers: &'a [f64],
}

/// Takes a record and its position in the file. False: nothing more is wanted.
pub(super) type Each<'a> = &'a mut dyn FnMut(u64, &Whole<'_>) -> bool;

/// How a file is read.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    /// The output that the file belongs to.
    pub(super) plan: &'a OutputPlan,
    /// Whether what was torn off at the end of the file is no record, as after a kill.
    pub(super) may_be_torn: bool,
    /// Asked again and again: whether the reading shall end early.
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
}

/// Reads one file, whatever its format. A record that can't be read is none. A file of one piece that may be torn and is
/// gives no record at all.
///
/// # Errors
/// Why it can't be read any further; what was handed on before then stands only in formats that are read line by line.
pub(super) fn read(path: &Path, reading: Reading<'_>, each: Each<'_>) -> Result<(), Failure> {
    let file = &files::open(path)?;
    let format = reading.plan.records.format;
    match format {
        Format::JsonLines | Format::Json => text::json_lines(file, reading, each),
        Format::Csv(delimiter) => text::csv(file, delimiter, reading, each),
        Format::Files | Format::Lines => text::lines(file, reading, each),
        Format::Npy | Format::Npz | Format::Safetensors | Format::Parquet => {
            if reading.may_be_torn {
                // Whether it is whole shows at its end.
                arrays::read(file, format, reading, &mut |_, _| true)?;
            }
            arrays::read(&files::open(path)?, format, reading, each)
        }
    }
}

/// Gathers one record.
#[derive(Default)]
struct Gatherer {
    form: Xxh3,
    numbers: Vec<f64>,
}

impl Gatherer {
    fn clear(&mut self) {
        self.form.reset();
        self.numbers.clear();
    }

    fn number(&mut self, value: f64) {
        self.form.update(b"#");
        self.numbers.push(value);
    }

    fn text(&mut self, bytes: &[u8]) {
        // The length keeps two neighbours apart.
        self.form.update(&(bytes.len() as u64).to_le_bytes());
        self.form.update(bytes);
    }

    fn whole<'a>(&'a self, id: Option<Cow<'a, [u8]>>, exact: u64) -> Whole<'a> {
        Whole {
            id,
            exact,
            form: self.form.digest(),
            numbers: &self.numbers,
        }
    }
}

fn digest(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}
