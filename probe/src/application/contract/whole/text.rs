//! Formats whose records are lines.

use std::borrow::Cow;
use std::cell::Cell;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::rc::Rc;

use csv::{ByteRecord, ReaderBuilder};

use super::{Each, Gatherer, Reading, digest};
use crate::application::contract::csv::Bounded;
use crate::application::contract::json;
use crate::application::contract::npy::Failure;
use crate::application::contract::parallel::{Block, Lines, MAX_LINE, Source as _};
use crate::application::contract::points::Word;
use crate::application::contract::record::{Record, Wish};

pub(super) fn json_lines(file: &File, reading: Reading<'_>, each: Each<'_>) -> Result<(), Failure> {
    let wish = Wish {
        id: reading.plan.records.id.as_deref(),
        ..Wish::default()
    };
    let mut gatherer = Gatherer::default();
    let mut position = 0;
    each_line(file, reading, &mut |line| {
        let mut record = Record::default();
        // What stands in a line that is no record is no output.
        if std::str::from_utf8(line).is_err() || json::read(line, &wish, &mut record).is_err() {
            position += 1;
            return true;
        }
        gatherer.clear();
        gather_json(line, &mut gatherer);
        let whole = gatherer.whole(record.id, digest(line));
        position += 1;
        each(position - 1, &whole)
    })
}

pub(super) fn lines(file: &File, reading: Reading<'_>, each: Each<'_>) -> Result<(), Failure> {
    let mut gatherer = Gatherer::default();
    let mut position = 0;
    each_line(file, reading, &mut |line| {
        gatherer.clear();
        gatherer.text(line);
        position += 1;
        each(position - 1, &gatherer.whole(None, digest(line)))
    })
}

/// Hands on every line that is not empty, without space around it.
fn each_line(
    file: &File,
    reading: Reading<'_>,
    each: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<(), Failure> {
    let mut source = Lines::new(file);
    let mut block = Block::default();
    while !(reading.stop)() && source.next(&mut block)? {
        let mut start = 0;
        while start < block.bytes.len() {
            let rest = &block.bytes[start..];
            let end = memchr::memchr(b'\n', rest);
            if end.is_none() && reading.may_be_torn {
                return Ok(());
            }
            let line = &rest[..end.unwrap_or(rest.len())];
            start += line.len() + 1;
            let line = line.trim_ascii();
            if !line.is_empty() && !each(line) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Takes a JSON text, which is known to be well formed, apart into numbers and all the rest.
fn gather_json(text: &[u8], gatherer: &mut Gatherer) {
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let length = match text[at] {
            b' ' | b'\t' | b'\r' => 1,
            b'"' => {
                let length = string_length(rest);
                gatherer.text(&rest[..length]);
                length
            }
            b'-' | b'0'..=b'9' | b'N' | b'I' | b'n' => {
                let length = rest
                    .iter()
                    .position(|byte| {
                        matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\r' | b':')
                    })
                    .unwrap_or(rest.len());
                gatherer.number(number(&rest[..length]).unwrap_or(f64::NAN));
                length
            }
            other => {
                gatherer.form.update(&[other]);
                1
            }
        };
        at += length;
    }
}

/// Bytes of a string with both of its quotation marks.
fn string_length(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = text
        .get(at..)
        .and_then(|rest| memchr::memchr2(b'"', b'\\', rest))
    {
        at += found + 1;
        if text[at - 1] == b'"' {
            return at;
        }
        at += 1;
    }
    text.len()
}

/// A number as Python, NumPy and JSON write it.
fn number(text: &[u8]) -> Option<f64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

pub(super) fn csv(
    file: &File,
    delimiter: u8,
    reading: Reading<'_>,
    each: Each<'_>,
) -> Result<(), Failure> {
    let torn = reading.may_be_torn && !ends_with_a_line(file)?;
    let bytes = file.metadata()?.len();
    let left = Rc::new(Cell::new(MAX_LINE));
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .buffer_capacity(1 << 16)
        .from_reader(Bounded::new(file, Rc::clone(&left)));
    let heading = reader
        .byte_headers()
        .map_err(|_| Failure::Flaw(Word::WrongFormat))?
        .clone();
    let id = match reading.plan.records.id.as_deref() {
        None => None,
        Some(name) => Some(
            heading
                .iter()
                .position(|cell| cell == name.as_bytes())
                .ok_or(Failure::Flaw(Word::NoField))?,
        ),
    };
    let mut row = ByteRecord::new();
    let mut gatherer = Gatherer::default();
    let mut position = 0;
    let mut joined = Vec::new();
    loop {
        left.set(MAX_LINE);
        match reader.read_byte_record(&mut row) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(_) => return Err(Failure::Flaw(Word::WrongFormat)),
        }
        if torn && reader.position().byte() >= bytes {
            return Ok(());
        }
        position += 1;
        if row.len() != heading.len() {
            continue;
        }
        gatherer.clear();
        joined.clear();
        for cell in &row {
            joined.extend_from_slice(cell);
            joined.push(0x1f);
            gather_cell(cell, &mut gatherer);
        }
        let id = id.map(|at| Cow::Borrowed(&row[at]));
        if id.as_ref().is_some_and(|id| id.is_empty()) {
            continue;
        }
        if !each(position - 1, &gatherer.whole(id, digest(&joined))) || (reading.stop)() {
            return Ok(());
        }
    }
}

fn ends_with_a_line(mut file: &File) -> Result<bool, Failure> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(last == *b"\n")
}

/// A number, a list of numbers as JSON or NumPy write it, or a text.
fn gather_cell(cell: &[u8], gatherer: &mut Gatherer) {
    let cell = cell.trim_ascii();
    if let Some(value) = number(cell) {
        return gatherer.number(value);
    }
    let inner = cell
        .strip_prefix(b"[")
        .and_then(|rest| rest.strip_suffix(b"]"));
    let Some(inner) = inner else {
        return gatherer.text(cell);
    };
    let separates = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b'[' | b']');
    for token in inner.split(separates).filter(|token| !token.is_empty()) {
        match number(token) {
            Some(value) => gatherer.number(value),
            None if token == b"null" => gatherer.number(f64::NAN),
            None => gatherer.text(token),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_json_text_falls_apart_into_numbers_and_the_rest() {
        let gathered = |text: &str| {
            let mut gatherer = Gatherer::default();
            gather_json(text.as_bytes(), &mut gatherer);
            (gatherer.form.digest(), gatherer.numbers)
        };
        let (form, numbers) = gathered(r#"{"id": "a\"7", "v": [1, -2.5e3, 0.25], "ok": true}"#);
        assert_eq!(numbers, [1.0, -2500.0, 0.25]);
        let (same, _) = gathered(r#"{"id":"a\"7","v":[1.5,2,3],"ok":true}"#);
        assert_eq!(form, same);
        for other in [
            r#"{"id":"a\"8","v":[1,2,3],"ok":true}"#,
            r#"{"id":"a\"7","v":[1,2,3],"ok":false}"#,
            r#"{"id":"a\"7","v":[[1,2],3],"ok":true}"#,
        ] {
            assert_ne!(form, gathered(other).0, "{other}");
        }
        let (_, odd) = gathered("[NaN, null, -Infinity]");
        assert!(odd[0].is_nan() && odd[1].is_nan() && odd[2] == f64::NEG_INFINITY);
    }
}
