//! Parquet, column by column and some rows at a time: identifiers, numbers in a list, and lengths.

use std::borrow::Cow;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use half::f16;
use parquet::basic::{LogicalType, Repetition};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType, FixedLenByteArray};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::broken::Place;
use super::npy::Failure;
use super::parallel::Run;
use super::points::Word;
use super::record::{Numbers, Record, Vector, Visitor, Wish};

/// Rows that are decoded at once.
const ROWS: usize = 1024;

/// Reads every row.
///
/// # Errors
/// Why the file gives no records at all.
pub(super) fn read<V: Visitor>(
    file: &File,
    index: u32,
    wish: &Wish<'_>,
    run: Run<'_>,
    visitor: &mut V,
) -> Result<(), Failure> {
    is_whole(file)?;
    let reader = SerializedFileReader::new(file.try_clone()?).map_err(of_parquet)?;
    let leaf = |name: Option<&str>| name.map(|name| leaf(&reader, name)).transpose();
    let (id, vector, length) = (leaf(wish.id)?, leaf(wish.vector)?, leaf(wish.length)?);
    let mut done = 0_u64;
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(of_parquet)?;
        let rows = u64::try_from(group.metadata().num_rows()).map_err(|_| Word::WrongFormat)?;
        let open = |leaf: &Option<usize>| leaf.map(|leaf| Column::open(&*group, leaf)).transpose();
        let (mut id, mut vector, mut length) = (open(&id)?, open(&vector)?, open(&length)?);
        let mut left = rows;
        while left > 0 {
            if (run.stop)() || visitor.is_content() {
                return Ok(());
            }
            let most = usize::try_from(left).map_or(ROWS, |left| left.min(ROWS));
            let ids = id.as_mut().map(|column| column.ids(most)).transpose()?;
            let vectors = vector
                .as_mut()
                .map(|column| column.vectors(most))
                .transpose()?;
            let lengths = length
                .as_mut()
                .map(|column| column.lengths(most))
                .transpose()?;
            for row in 0..most {
                let place = Place {
                    file: index,
                    at: done,
                };
                let mut record = Record::default();
                let mut flaw = None;
                match ids.as_ref().map(|ids| &ids[row]) {
                    None => {}
                    Some(Some(id)) if !id.is_empty() => record.id = Some(Cow::Borrowed(id)),
                    Some(_) => flaw = Some(Word::NoId),
                }
                record.vector = vectors.as_ref().map(|vectors| vectors[row]);
                match lengths.as_ref().map(|lengths| lengths[row]) {
                    None => {}
                    Some(Some(length)) => record.length = Some(length),
                    Some(None) => flaw = flaw.or(Some(Word::WrongType)),
                }
                match flaw {
                    None => visitor.record(place, &record),
                    Some(flaw) => visitor.flawed(place, flaw, &record),
                }
                done += 1;
            }
            left -= most as u64;
        }
    }
    Ok(())
}

/// A Parquet file ends as it begins; one that doesn't was not written to its end.
fn is_whole(mut file: &File) -> Result<(), Failure> {
    let mut start = [0; 4];
    file.seek(SeekFrom::Start(0))?;
    file.read_exact(&mut start)?;
    if &start != b"PAR1" {
        return Err(Word::WrongFormat.into());
    }
    let mut end = [0; 4];
    file.seek(SeekFrom::End(-4))?;
    file.read_exact(&mut end)?;
    if &end == b"PAR1" {
        Ok(())
    } else {
        Err(Word::Truncated.into())
    }
}

fn of_parquet(error: ParquetError) -> Failure {
    match error {
        ParquetError::EOF(_) | ParquetError::NeedMoreData(_) => Word::Truncated.into(),
        // Encrypted, or packed in a way that this build doesn't read.
        ParquetError::NYI(_) => Word::WrongType.into(),
        _ => Word::WrongFormat.into(),
    }
}

/// The one leaf below a column of the table.
fn leaf(reader: &SerializedFileReader<File>, name: &str) -> Result<usize, Word> {
    let schema = reader.metadata().file_metadata().schema_descr();
    let below = |leaf: &usize| schema.get_column_root(*leaf).name() == name;
    let mut leaves = (0..schema.num_columns()).filter(below);
    let first = leaves.next().ok_or(Word::NoField)?;
    if leaves.next().is_some() || schema.column(first).max_rep_level() > 1 {
        return Err(Word::WrongType);
    }
    Ok(first)
}

/// A column of one row group, and how its levels are understood.
struct Column {
    reader: ColumnReader,
    levels: Levels,
    half: bool,
}

#[derive(Clone, Copy)]
struct Levels {
    /// At this level a value is there.
    value: i16,
    /// Whether an element may be null.
    optional: bool,
    list: bool,
}

/// What a row holds: its values, how many elements are null, and whether all of it is.
struct Cell<'a, T> {
    values: &'a [T],
    nulls: u64,
    is_null: bool,
}

impl Column {
    fn open(group: &(dyn RowGroupReader + '_), leaf: usize) -> Result<Self, Failure> {
        let descriptor: &ColumnDescriptor = group.metadata().column(leaf).column_descr();
        let levels = Levels {
            value: descriptor.max_def_level(),
            optional: descriptor.self_type().get_basic_info().repetition() == Repetition::OPTIONAL,
            list: descriptor.max_rep_level() > 0,
        };
        let half = descriptor.logical_type_ref() == Some(&LogicalType::Float16);
        let reader = group.get_column_reader(leaf).map_err(of_parquet)?;
        Ok(Self {
            reader,
            levels,
            half,
        })
    }

    fn ids(&mut self, rows: usize) -> Result<Vec<Option<Vec<u8>>>, Failure> {
        let mut ids = Vec::with_capacity(rows);
        let levels = self.levels;
        if levels.list {
            return Err(Word::WrongType.into());
        }
        let text = |bytes: &ByteArray| bytes.data().to_vec();
        match &mut self.reader {
            ColumnReader::ByteArrayColumnReader(reader) => {
                cells(reader, levels, rows, |cell| {
                    ids.push(cell.values.first().map(text))
                })?;
            }
            ColumnReader::Int32ColumnReader(reader) => cells(reader, levels, rows, |cell| {
                ids.push(cell.values.first().map(|id| id.to_string().into_bytes()));
            })?,
            ColumnReader::Int64ColumnReader(reader) => cells(reader, levels, rows, |cell| {
                ids.push(cell.values.first().map(|id| id.to_string().into_bytes()));
            })?,
            _ => return Err(Word::WrongType.into()),
        }
        Ok(ids)
    }

    fn vectors(&mut self, rows: usize) -> Result<Vec<Vector>, Failure> {
        let mut vectors = Vec::with_capacity(rows);
        let levels = self.levels;
        match &mut self.reader {
            ColumnReader::FloatColumnReader(reader) => cells(reader, levels, rows, |cell| {
                vectors.push(vector(&cell, |value| f64::from(*value)));
            })?,
            ColumnReader::DoubleColumnReader(reader) => cells(reader, levels, rows, |cell| {
                vectors.push(vector(&cell, |value| *value));
            })?,
            ColumnReader::Int32ColumnReader(reader) => cells(reader, levels, rows, |cell| {
                vectors.push(vector(&cell, |value| f64::from(*value)));
            })?,
            #[allow(clippy::cast_precision_loss, reason = "bounds are doubles too")]
            ColumnReader::Int64ColumnReader(reader) => cells(reader, levels, rows, |cell| {
                vectors.push(vector(&cell, |value| *value as f64));
            })?,
            ColumnReader::FixedLenByteArrayColumnReader(reader) if self.half => {
                cells(reader, levels, rows, |cell| {
                    vectors.push(vector(&cell, half))
                })?;
            }
            _ => return Err(Word::WrongType.into()),
        }
        Ok(vectors)
    }

    fn lengths(&mut self, rows: usize) -> Result<Vec<Option<u64>>, Failure> {
        let mut lengths = Vec::with_capacity(rows);
        let levels = self.levels;
        let chars = |bytes: &ByteArray| {
            // Continuation bytes are no characters of their own.
            bytes
                .data()
                .iter()
                .filter(|byte| **byte & 0xC0 != 0x80)
                .count() as u64
        };
        macro_rules! elements_or {
            ($reader:ident, $single:expr) => {
                cells($reader, levels, rows, |cell| {
                    let length = if cell.is_null {
                        None
                    } else if levels.list {
                        Some(cell.values.len() as u64 + cell.nulls)
                    } else {
                        cell.values.first().and_then($single)
                    };
                    lengths.push(length);
                })?
            };
        }
        match &mut self.reader {
            ColumnReader::ByteArrayColumnReader(reader) => {
                elements_or!(reader, |text| Some(chars(text)));
            }
            ColumnReader::Int32ColumnReader(reader) => {
                elements_or!(reader, |length| u64::try_from(*length).ok());
            }
            ColumnReader::Int64ColumnReader(reader) => {
                elements_or!(reader, |length| u64::try_from(*length).ok());
            }
            ColumnReader::FloatColumnReader(reader) => elements_or!(reader, |_| None),
            ColumnReader::DoubleColumnReader(reader) => elements_or!(reader, |_| None),
            _ => return Err(Word::WrongType.into()),
        }
        Ok(lengths)
    }
}

fn half(bytes: &FixedLenByteArray) -> f64 {
    match bytes.data() {
        [low, high] => f16::from_le_bytes([*low, *high]).to_f64(),
        _ => f64::NAN,
    }
}

fn vector<T>(cell: &Cell<'_, T>, number: impl Fn(&T) -> f64) -> Vector {
    if cell.is_null {
        return Vector::Null;
    }
    let mut numbers = Numbers::NONE;
    for value in cell.values {
        numbers.add(number(value));
    }
    numbers.count += cell.nulls;
    numbers.finite &= cell.nulls == 0;
    Vector::Numbers(numbers)
}

/// Reads `rows` rows, and hands each on.
fn cells<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    levels: Levels,
    rows: usize,
    mut each: impl FnMut(Cell<'_, T::T>),
) -> Result<(), Failure> {
    let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    let read = reader.read_records(rows, Some(&mut defined), Some(&mut repeated), &mut values);
    let (records, _, count) = read.map_err(of_parquet)?;
    if records != rows {
        return Err(Word::Truncated.into());
    }
    let mut at = 0;
    let mut value = 0;
    for _ in 0..records {
        let first_value = value;
        let mut nulls = 0;
        let mut is_null = false;
        let mut first = true;
        while at < count && (first || repeated.get(at).is_some_and(|level| *level > 0)) {
            let level = if levels.value == 0 { 0 } else { defined[at] };
            if level == levels.value {
                value += 1;
            } else if levels.list && levels.optional && level == levels.value - 1 {
                nulls += 1;
            } else if !levels.list || level == 0 {
                is_null = true;
            }
            first = false;
            at += 1;
        }
        let values = values.get(first_value..value).ok_or(Word::WrongFormat)?;
        each(Cell {
            values,
            nulls,
            is_null,
        });
    }
    Ok(())
}
