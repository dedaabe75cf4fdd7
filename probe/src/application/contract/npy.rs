//! NumPy's .npy and .npz. The header is read here and not by a parser of Python literals: it has one fixed form, and a
//! file that was written wrongly must not be able to exhaust the stack.
//! Source: numpy.lib.format, versions 1.0 to 3.0.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _};

use super::array::{Dtype, Kind};
use super::broken::Place;
use super::parallel::{self, Block, Rows, Run};
use super::points::Word;
use super::record::{Numbers, Record, Vector, Visitor, Wish};

/// The longest header that is read. NumPy itself warns above 10 000 bytes.
const MAX_HEADER: usize = 1 << 20;
/// The most bytes of identifiers that are held at once.
pub(super) const MAX_ID_BYTES: u64 = 4 << 30;
/// The most rows without any value: a header of a few bytes can claim as many as it likes.
const MAX_EMPTY_ROWS: u64 = 1 << 24;

/// What the elements of an array are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Elements {
    Numbers(Dtype),
    /// `<U8`: characters of four bytes each, padded with zeros.
    Unicode {
        chars: usize,
        swapped: bool,
    },
    /// `|S8`: bytes, padded with zeros.
    Bytes(usize),
}

impl Elements {
    const fn bytes(self) -> usize {
        match self {
            Self::Numbers(dtype) => dtype.bytes(),
            Self::Unicode { chars, .. } => 4 * chars,
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// The header of one array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    elements: Elements,
    fortran_order: bool,
    shape: Vec<u64>,
}

impl Header {
    /// Whether the elements of a row lie apart.
    pub(super) const fn by_columns(&self) -> bool {
        self.fortran_order && self.shape.len() > 1
    }

    /// Where the elements of a row of `row` elements lie among the columns, in the order of the other layout.
    pub(super) fn columns(&self, row: u64) -> Vec<usize> {
        let sides: Vec<usize> = self.shape[1..]
            .iter()
            .map(|side| usize::try_from(*side).unwrap_or(0))
            .collect();
        let row = usize::try_from(row).unwrap_or(0);
        (0..row)
            .map(|mut at| {
                let mut index = vec![0; sides.len()];
                for (side, place) in sides.iter().zip(&mut index).rev() {
                    *place = at % side;
                    at /= side;
                }
                let mut stride = 1;
                let mut column = 0;
                for (place, side) in index.iter().zip(&sides) {
                    column += place * stride;
                    stride *= side;
                }
                column
            })
            .collect()
    }

    /// Rows, and elements of each; none where their product doesn't fit.
    fn rows(&self) -> Option<(u64, u64)> {
        let (first, others) = self.shape.split_first().unwrap_or((&1, &[]));
        let row = others
            .iter()
            .try_fold(1_u64, |product, side| product.checked_mul(*side))?;
        row.checked_mul(*first)?
            .checked_mul(self.elements.bytes() as u64)?;
        usize::try_from(row * self.elements.bytes() as u64).ok()?;
        Some((*first, row))
    }
}

/// Why a file gives no records at all.
pub(super) enum Failure {
    /// The system refuses.
    Io,
    /// The bytes are not what they should be.
    Flaw(Word),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Flaw(Word::Truncated),
            // The zip reader says so of a checksum that doesn't fit.
            io::ErrorKind::InvalidData => Self::Flaw(Word::Corrupt),
            _ => Self::Io,
        }
    }
}

impl From<Word> for Failure {
    fn from(flaw: Word) -> Self {
        Self::Flaw(flaw)
    }
}

/// Reads the header, and leaves the reader at the first element.
pub(super) fn header(reader: &mut impl Read) -> Result<Header, Failure> {
    let mut start = [0; 8];
    reader.read_exact(&mut start)?;
    if !start.starts_with(b"\x93NUMPY") {
        return Err(Word::WrongFormat.into());
    }
    let length = if start[6] == 1 {
        let mut length = [0; 2];
        reader.read_exact(&mut length)?;
        usize::from(u16::from_le_bytes(length))
    } else {
        let mut length = [0; 4];
        reader.read_exact(&mut length)?;
        u32::from_le_bytes(length) as usize
    };
    if length > MAX_HEADER {
        return Err(Word::WrongFormat.into());
    }
    let mut text = vec![0; length];
    reader.read_exact(&mut text)?;
    let text = std::str::from_utf8(&text).map_err(|_| Word::WrongFormat)?;
    parse(text)?.ok_or(Failure::Flaw(Word::WrongFormat))
}

/// `{'descr': '<f4', 'fortran_order': False, 'shape': (200000, 384), }`; none where it has another form.
///
/// # Errors
/// An element type that is not read: objects (they would have to be unpickled), records, complex numbers, dates.
fn parse(text: &str) -> Result<Option<Header>, Word> {
    let value = |key: &str| {
        let after = text.split_once(&format!("'{key}'"))?.1;
        Some(after.trim_start().strip_prefix(':')?.trim_start())
    };
    let (Some(descr), Some(order), Some(shape)) =
        (value("descr"), value("fortran_order"), value("shape"))
    else {
        return Ok(None);
    };
    let Some(descr) = descr
        .strip_prefix('\'')
        .and_then(|rest| rest.split_once('\''))
    else {
        return if descr.starts_with('[') {
            Err(Word::WrongType)
        } else {
            Ok(None)
        };
    };
    let fortran_order = order.starts_with("True");
    if !fortran_order && !order.starts_with("False") {
        return Ok(None);
    }
    let sides = shape
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'));
    let sides = sides.map(|(sides, _)| {
        let sides = sides
            .split(',')
            .map(str::trim)
            .filter(|side| !side.is_empty());
        // Python 2 wrote long integers as `3L`.
        sides
            .map(|side| side.trim_end_matches('L').parse().ok())
            .collect::<Option<Vec<u64>>>()
    });
    let Some(Some(shape)) = sides else {
        return Ok(None);
    };
    Ok(Some(Header {
        elements: elements(descr.0).ok_or(Word::WrongType)?,
        fortran_order,
        shape,
    }))
}

/// `<f4` → 32-bit floats, little end first.
fn elements(descr: &str) -> Option<Elements> {
    let mut chars = descr.chars();
    let swapped = match chars.next()? {
        '<' | '|' => false,
        '>' => true,
        '=' => cfg!(target_endian = "big"),
        _ => return None,
    };
    let letter = chars.next()?;
    let size: usize = chars.as_str().parse().ok()?;
    let kind = match (letter, size) {
        ('U', _) => {
            return Some(Elements::Unicode {
                chars: size,
                swapped,
            });
        }
        ('S' | 'a', _) => return Some(Elements::Bytes(size)),
        ('b', 1) => Kind::Bool,
        ('i', 1) => Kind::I8,
        ('i', 2) => Kind::I16,
        ('i', 4) => Kind::I32,
        ('i', 8) => Kind::I64,
        ('u', 1) => Kind::U8,
        ('u', 2) => Kind::U16,
        ('u', 4) => Kind::U32,
        ('u', 8) => Kind::U64,
        ('f', 2) => Kind::F16,
        ('f', 4) => Kind::F32,
        ('f', 8) => Kind::F64,
        _ => return None,
    };
    Some(Elements::Numbers(Dtype { kind, swapped }))
}

/// The identifiers of all rows.
pub(super) struct Ids {
    elements: Elements,
    bytes: Vec<u8>,
}

impl Ids {
    /// Whole numbers.
    pub(super) const fn whole(dtype: Dtype, bytes: Vec<u8>) -> Self {
        Self {
            elements: Elements::Numbers(dtype),
            bytes,
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> u64 {
        (self.bytes.len() / self.elements.bytes().max(1)) as u64
    }

    /// The identifier of one row.
    ///
    /// # Errors
    /// There is none, or it is no text and no whole number.
    pub(super) fn get(&self, row: u64) -> Result<Cow<'_, [u8]>, Word> {
        let width = self.elements.bytes();
        let start = usize::try_from(row)
            .ok()
            .and_then(|row| row.checked_mul(width));
        let bytes = start.and_then(|start| self.bytes.get(start..start + width));
        let bytes = bytes.ok_or(Word::NoId)?;
        let id = match self.elements {
            Elements::Numbers(dtype) => {
                let whole = dtype.whole(bytes).ok_or(Word::WrongType)?;
                Cow::Owned(whole.to_string().into_bytes())
            }
            Elements::Bytes(_) => {
                let end = bytes
                    .iter()
                    .rposition(|byte| *byte != 0)
                    .map_or(0, |last| last + 1);
                Cow::Borrowed(&bytes[..end])
            }
            Elements::Unicode { swapped, .. } => {
                let chars = bytes.as_chunks::<4>().0.iter().map(|raw| {
                    if swapped {
                        u32::from_be_bytes(*raw)
                    } else {
                        u32::from_le_bytes(*raw)
                    }
                });
                let text: Option<String> = chars.map(char::from_u32).collect();
                let text = text.ok_or(Word::WrongType)?;
                Cow::Owned(text.trim_end_matches('\0').to_owned().into_bytes())
            }
        };
        if id.is_empty() {
            Err(Word::NoId)
        } else {
            Ok(id)
        }
    }
}

/// Reads the rows of one .npy file.
///
/// # Errors
/// Why it gives no records at all.
pub(super) fn read<V: Visitor>(
    mut file: &File,
    index: u32,
    wish: &Wish<'_>,
    run: Run<'_>,
    visitor: &mut V,
) -> Result<(), Failure> {
    let header = header(&mut file)?;
    let rows = rows(&header)?;
    let bytes = rows.count * rows.bytes as u64;
    let begin = file.stream_position()?;
    if file.metadata()?.len() > begin.saturating_add(bytes) {
        // NumPy reads the first array and passes over what was written behind it.
        let place = Place {
            file: index,
            at: rows.count,
        };
        visitor.flawed(place, Word::WrongFormat, &Record::default());
    }
    if header.by_columns() {
        return by_columns(file, &rows, None, index, wish, visitor);
    }
    let source = Rows::new(file, rows.bytes, rows.count);
    parallel::read(source, bytes, run, visitor, |block, visitor| {
        rows.judge(block, None, index, wish, visitor);
    })?;
    Ok(())
}

/// Reads the rows of one array of an .npz file, with the identifiers of another.
///
/// # Errors
/// Why it gives no records at all.
pub(super) fn read_npz<V: Visitor>(
    file: &File,
    index: u32,
    wish: &Wish<'_>,
    run: Run<'_>,
    visitor: &mut V,
) -> Result<(), Failure> {
    let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(of_zip)?;
    let ids = match wish.id {
        None => None,
        Some(name) => {
            let mut entry = archive.by_name(&format!("{name}.npy")).map_err(of_zip)?;
            Some(self::ids(&mut entry)?)
        }
    };
    let Some(name) = wish.vector else {
        let Some(ids) = ids else {
            return Err(Word::NoField.into());
        };
        for row in 0..ids.count() {
            hand_on(row, Some(&ids), None, index, visitor);
        }
        return Ok(());
    };
    let mut entry = archive.by_name(&format!("{name}.npy")).map_err(of_zip)?;
    let header = header(&mut entry)?;
    let rows = rows(&header)?;
    if header.by_columns() {
        by_columns(&mut entry, &rows, ids.as_ref(), index, wish, visitor)?;
    } else {
        let mut source = Rows::new(&mut entry, rows.bytes, rows.count);
        let mut block = Block::default();
        while !(run.stop)() && !visitor.is_content() && source.fill(&mut block)? {
            rows.judge(&block, ids.as_ref(), index, wish, visitor);
        }
    }
    rows.ids_without(ids.as_ref(), index, visitor);
    if (run.stop)() || visitor.is_content() {
        return Ok(());
    }
    is_at_end(&mut entry)
}

/// That an entry ends here. Only its end compares its checksum.
fn is_at_end(entry: &mut impl Read) -> Result<(), Failure> {
    if entry.read(&mut [0; 1])? == 0 {
        Ok(())
    } else {
        Err(Word::WrongFormat.into())
    }
}

/// The identifiers that an array holds.
pub(super) fn ids(entry: &mut impl Read) -> Result<Ids, Failure> {
    let header = header(entry)?;
    let (count, row) = header.rows().ok_or(Word::WrongFormat)?;
    let wanted = header.elements.bytes() as u64 * count;
    if row != 1 || wanted > MAX_ID_BYTES {
        return Err(Word::WrongType.into());
    }
    let mut bytes = Vec::new();
    entry.take(wanted).read_to_end(&mut bytes)?;
    is_at_end(entry)?;
    Ok(Ids {
        elements: header.elements,
        bytes,
    })
}

pub(super) fn of_zip(error: zip::result::ZipError) -> Failure {
    match error {
        zip::result::ZipError::Io(error) => error.into(),
        zip::result::ZipError::FileNotFound => Word::NoField.into(),
        _ => Word::WrongFormat.into(),
    }
}

/// Rows of numbers, one after the other.
pub(super) struct NumberRows {
    pub(super) dtype: Dtype,
    pub(super) count: u64,
    /// Elements of one row.
    pub(super) row: u64,
    /// Bytes of one row.
    pub(super) bytes: usize,
    /// How many vectors make a row, where an array has more than two sides: the last side is the dimension.
    pub(super) vectors: u64,
}

pub(super) fn rows(header: &Header) -> Result<NumberRows, Word> {
    let Elements::Numbers(dtype) = header.elements else {
        return Err(Word::WrongType);
    };
    let (count, row) = header.rows().ok_or(Word::WrongFormat)?;
    NumberRows::new(dtype, &header.shape, count, row)
}

impl NumberRows {
    /// `count` rows of `row` elements. Their product is known to fit.
    ///
    /// # Errors
    /// There are more rows without any value than can be meant.
    pub(super) fn new(dtype: Dtype, shape: &[u64], count: u64, row: u64) -> Result<Self, Word> {
        if row == 0 && count > MAX_EMPTY_ROWS {
            return Err(Word::WrongFormat);
        }
        let dimension = if shape.len() > 1 {
            shape[shape.len() - 1]
        } else {
            1
        };
        Ok(Self {
            dtype,
            count,
            row,
            #[allow(clippy::cast_possible_truncation, reason = "checked with the shape")]
            bytes: row as usize * dtype.bytes(),
            vectors: row.checked_div(dimension).unwrap_or(1),
        })
    }

    /// Identifiers that no row belongs to: then nobody knows which belongs to which.
    pub(super) fn ids_without<V: Visitor>(&self, ids: Option<&Ids>, index: u32, visitor: &mut V) {
        let Some(ids) = ids else { return };
        for at in self.count..ids.count() {
            let record = Record {
                id: ids.get(at).ok(),
                ..Record::default()
            };
            visitor.flawed(Place { file: index, at }, Word::NoField, &record);
        }
    }

    /// Judges the rows of one block.
    pub(super) fn judge<V: Visitor>(
        &self,
        block: &Block,
        ids: Option<&Ids>,
        index: u32,
        wish: &Wish<'_>,
        visitor: &mut V,
    ) {
        // Rows without values: the blocks tell none, so all are handed on with the first.
        let empty = if block.at == 0 { self.count } else { 0 };
        let whole = block.bytes.len().checked_div(self.bytes);
        let whole = whole.map_or(empty, |rows| rows as u64);
        for row in 0..whole {
            #[allow(clippy::cast_possible_truncation, reason = "inside the block")]
            let start = row as usize * self.bytes;
            let bytes = &block.bytes[start..start + self.bytes];
            let numbers = self.dtype.numbers(bytes, wish.values);
            let numbers = self.of_vectors(numbers);
            hand_on(block.at + row, ids, Some(numbers), index, visitor);
        }
        if let Some(flaw) = block.flaw {
            let place = Place {
                file: index,
                at: block.at + whole,
            };
            visitor.flawed(place, flaw, &Record::default());
        }
    }

    /// The statistics of a row, with the dimension of its vectors.
    fn of_vectors(&self, numbers: Numbers) -> Numbers {
        Numbers {
            count: numbers.count / self.vectors.max(1),
            ..numbers
        }
    }
}

fn hand_on<V: Visitor>(
    row: u64,
    ids: Option<&Ids>,
    numbers: Option<Numbers>,
    index: u32,
    visitor: &mut V,
) {
    let place = Place {
        file: index,
        at: row,
    };
    let mut record = Record {
        vector: numbers.map(Vector::Numbers),
        ..Record::default()
    };
    match ids.map(|ids| ids.get(row)) {
        None => visitor.record(place, &record),
        Some(Ok(id)) => {
            record.id = Some(id);
            visitor.record(place, &record);
        }
        Some(Err(flaw)) => visitor.flawed(place, flaw, &record),
    }
}

/// An array whose first side runs fastest: every row's statistics grow column by column.
fn by_columns<V: Visitor>(
    reader: impl Read,
    rows: &NumberRows,
    ids: Option<&Ids>,
    index: u32,
    wish: &Wish<'_>,
    visitor: &mut V,
) -> Result<(), Failure> {
    let mut reader = BufReader::with_capacity(parallel::BLOCK, reader);
    let count = usize::try_from(rows.count).map_err(|_| Word::WrongFormat)?;
    let width = rows.dtype.bytes();
    let mut all: Vec<Numbers> = Vec::new();
    let mut column = Vec::new();
    for _ in 0..rows.row {
        column.clear();
        let bytes = (count * width) as u64;
        if (&mut reader).take(bytes).read_to_end(&mut column)? as u64 != bytes {
            return Err(Word::Truncated.into());
        }
        all.resize(count, Numbers::NONE);
        for (numbers, bytes) in all.iter_mut().zip(column.chunks_exact(width)) {
            let one = rows.dtype.numbers(bytes, wish.values);
            numbers.count += 1;
            numbers.finite &= one.finite;
            numbers.min = numbers.min.min(one.min);
            numbers.max = numbers.max.max(one.max);
            numbers.squares += one.squares;
        }
    }
    for (row, numbers) in (0..).zip(all) {
        hand_on(row, ids, Some(rows.of_vectors(numbers)), index, visitor);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_as_numpy_writes_them_are_read() {
        let cases = [
            (
                "{'descr': '<f4', 'fortran_order': False, 'shape': (200000, 384), }   \n",
                vec![200_000, 384],
            ),
            (
                "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n",
                vec![3],
            ),
            (
                "{'descr': '<f4', 'fortran_order': False, 'shape': (), }\n",
                vec![],
            ),
            (
                "{'fortran_order': False, 'shape': (3L, 2L), 'descr': '<f4'}",
                vec![3, 2],
            ),
        ];
        for (text, shape) in cases {
            let header = parse(text).unwrap().unwrap();
            let dtype = Dtype {
                kind: Kind::F32,
                swapped: false,
            };
            assert_eq!(
                (header.elements, header.shape),
                (Elements::Numbers(dtype), shape),
                "{text}"
            );
        }
        let text = "{'descr': '>i8', 'fortran_order': True, 'shape': (2, 2), }";
        assert!(parse(text).unwrap().unwrap().fortran_order);
    }

    #[test]
    fn objects_records_and_dates_are_refused_and_nonsense_is_none() {
        for descr in ["'|O'", "[('a', '<f4')]", "'<M8[ns]'", "'<c8'", "'<f16'"] {
            let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (2,), }}");
            assert_eq!(parse(&text), Err(Word::WrongType), "{descr}");
        }
        for text in [
            "",
            "{",
            "{'descr': '<f4'}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        ] {
            assert_eq!(parse(text), Ok(None), "{text}");
        }
        let huge = "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 9), }";
        assert_eq!(parse(huge).unwrap().unwrap().rows(), None);
    }

    #[test]
    fn identifiers_are_texts_bytes_or_whole_numbers() {
        let unicode = Ids {
            elements: Elements::Unicode {
                chars: 3,
                swapped: false,
            },
            bytes: "aé\0b\0\0"
                .chars()
                .flat_map(|c| u32::from(c).to_le_bytes())
                .collect(),
        };
        assert_eq!(unicode.get(0).unwrap(), "aé".as_bytes());
        assert_eq!(unicode.get(1).unwrap(), &b"b"[..]);
        assert_eq!(unicode.get(2), Err(Word::NoId));
        let bytes = Ids {
            elements: Elements::Bytes(2),
            bytes: b"a\0\0\0".to_vec(),
        };
        assert_eq!(bytes.get(0).unwrap(), &b"a"[..]);
        assert_eq!(bytes.get(1), Err(Word::NoId));
    }
}
