//! CSV with a heading: identifiers, and numbers in one cell (`[0.1, 0.2]`) or in several columns (`dim_*`).

use std::borrow::Cow;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::rc::Rc;

use csv::{ByteRecord, ErrorKind, ReaderBuilder};

use super::broken::Place;
use super::json;
use super::npy::Failure;
use super::parallel::{MAX_LINE, Run};
use super::points::Word;
use super::record::{Numbers, Record, Vector, Visitor, Wish};

/// Refuses to go on inside one record for ever: a quotation mark without its partner would swallow the whole file.
pub(super) struct Bounded<'a> {
    file: &'a File,
    left: Rc<Cell<usize>>,
}

impl<'a> Bounded<'a> {
    /// `left` is how many bytes may still be read; whoever has come to the end of a record sets it anew.
    pub(super) const fn new(file: &'a File, left: Rc<Cell<usize>>) -> Self {
        Self { file, left }
    }
}

impl Read for Bounded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        match self.left.get().checked_sub(read) {
            Some(left) => self.left.set(left),
            None => return Err(io::ErrorKind::FileTooLarge.into()),
        }
        Ok(read)
    }
}

/// Which columns are wanted.
struct Columns {
    id: Option<usize>,
    length: Option<usize>,
    numbers: Vec<usize>,
}

/// Reads every record after the heading.
///
/// # Errors
/// Why the file gives no records at all.
pub(super) fn read<V: Visitor>(
    file: &File,
    index: u32,
    delimiter: u8,
    wish: &Wish<'_>,
    run: Run<'_>,
    visitor: &mut V,
) -> Result<(), Failure> {
    let bytes = file.metadata()?.len();
    let left = Rc::new(Cell::new(MAX_LINE));
    let bounded = Bounded::new(file, Rc::clone(&left));
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .buffer_capacity(1 << 16)
        .from_reader(bounded);
    let heading = reader.byte_headers().map_err(of_csv)?.clone();
    if heading.is_empty() {
        return Ok(());
    }
    let columns = columns(&heading, wish)?;
    let mut row = ByteRecord::new();
    let mut count = 0_u32;
    loop {
        left.set(MAX_LINE);
        let place = Place {
            file: index,
            at: reader.position().byte(),
        };
        match reader.read_byte_record(&mut row) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(error) => match of_csv(error) {
                // Where the record ends can't be told, so neither can what comes after it.
                Failure::Flaw(flaw) => {
                    visitor.flawed(place, flaw, &Record::default());
                    return Ok(());
                }
                failure @ Failure::Io => return Err(failure),
            },
        }
        let mut record = Record::default();
        let judged = if row.len() == heading.len() {
            take(&row, &columns, wish, &mut record)
        } else if row.len() < heading.len() && reader.position().byte() >= bytes {
            Err(Word::Truncated)
        } else {
            Err(Word::WrongFormat)
        };
        match judged {
            Ok(()) => visitor.record(place, &record),
            Err(flaw) => visitor.flawed(place, flaw, &record),
        }
        count = count.wrapping_add(1);
        if count.is_multiple_of(1024) && (run.stop)() || visitor.is_content() {
            return Ok(());
        }
    }
}

fn of_csv(error: csv::Error) -> Failure {
    match error.into_kind() {
        ErrorKind::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => Word::TooLong.into(),
        ErrorKind::Io(error) => error.into(),
        ErrorKind::Utf8 { .. } => Word::NotUtf8.into(),
        _ => Word::WrongFormat.into(),
    }
}

fn columns(heading: &ByteRecord, wish: &Wish<'_>) -> Result<Columns, Word> {
    let named = |name: &str| {
        let mut at = heading
            .iter()
            .enumerate()
            .filter(|(_, cell)| *cell == name.as_bytes());
        let first = at.next().ok_or(Word::NoField)?.0;
        if at.next().is_some() {
            Err(Word::DuplicateKey)
        } else {
            Ok(first)
        }
    };
    let numbers = match wish.vector {
        None => Vec::new(),
        Some(name) if name.contains(['*', '?']) => {
            let pattern = glob::Pattern::new(name).map_err(|_| Word::NoField)?;
            let fits =
                |cell: &[u8]| std::str::from_utf8(cell).is_ok_and(|cell| pattern.matches(cell));
            let fitting = heading.iter().enumerate().filter(|(_, cell)| fits(cell));
            fitting.map(|(at, _)| at).collect()
        }
        Some(name) => vec![named(name)?],
    };
    if wish.vector.is_some() && numbers.is_empty() {
        return Err(Word::NoField);
    }
    Ok(Columns {
        id: wish.id.map(named).transpose()?,
        length: wish.length.map(named).transpose()?,
        numbers,
    })
}

fn take<'a>(
    row: &'a ByteRecord,
    columns: &Columns,
    wish: &Wish<'_>,
    record: &mut Record<'a>,
) -> Result<(), Word> {
    if let Some(at) = columns.id {
        let id = &row[at];
        if std::str::from_utf8(id).is_err() {
            return Err(Word::NotUtf8);
        }
        if id.is_empty() {
            return Err(Word::NoId);
        }
        record.id = Some(Cow::Borrowed(id));
    }
    if let Some(at) = columns.length {
        let text = std::str::from_utf8(&row[at]).map_err(|_| Word::NotUtf8)?;
        record.length = Some(text.parse().unwrap_or_else(|_| text.chars().count() as u64));
    }
    match columns.numbers[..] {
        [] => {}
        [at] => {
            record.blank = row[at].trim_ascii().is_empty();
            if !(record.blank && wish.skip_blank) {
                record.vector = Some(cell(&row[at], wish)?);
            }
        }
        ref several => {
            let mut numbers = Numbers::NONE;
            for at in several {
                numbers.add(number(&row[*at])?);
            }
            record.vector = Some(Vector::Numbers(numbers));
        }
    }
    Ok(())
}

/// One cell: a number, a JSON list, or the numbers as NumPy prints them, with spaces between.
fn cell(text: &[u8], wish: &Wish<'_>) -> Result<Vector, Word> {
    let text = text.trim_ascii();
    let Some(inner) = text.strip_prefix(b"[") else {
        let mut numbers = Numbers::NONE;
        numbers.add(number(text)?);
        return Ok(Vector::Numbers(numbers));
    };
    if let Ok(vector) = json::read_vector(text, wish) {
        return Ok(vector);
    }
    let inner = inner.strip_suffix(b"]").ok_or(Word::Truncated)?;
    let mut numbers = Numbers::NONE;
    let separated = inner.split(|byte| byte.is_ascii_whitespace() || *byte == b',');
    for token in separated.filter(|token| !token.is_empty()) {
        numbers.add(number(token)?);
    }
    Ok(Vector::Numbers(numbers))
}

/// Writers leave a cell empty, or write a word, where there is no number.
fn number(text: &[u8]) -> Result<f64, Word> {
    let text = std::str::from_utf8(text).map_err(|_| Word::NotUtf8)?.trim();
    let none = ["", "null", "none", "na", "n/a", "<na>"];
    if none.iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return Ok(f64::NAN);
    }
    text.parse().map_err(|_| Word::WrongType)
}
