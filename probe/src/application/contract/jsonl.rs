//! JSON Lines: one record a line. Empty lines are none.

use std::fs::File;
use std::io;

use super::broken::Place;
use super::json;
use super::parallel::{self, Block, Lines, Run};
use super::points::Word;
use super::record::{Record, Visitor, Wish};

/// Reads every line.
///
/// # Errors
/// What the system says.
pub(super) fn read<V: Visitor>(
    file: &File,
    index: u32,
    wish: &Wish<'_>,
    run: Run<'_>,
    visitor: &mut V,
) -> io::Result<()> {
    let bytes = file.metadata()?.len();
    parallel::read(Lines::new(file), bytes, run, visitor, |block, visitor| {
        judge(block, index, wish, visitor);
    })
}

fn judge<V: Visitor>(block: &Block, index: u32, wish: &Wish<'_>, visitor: &mut V) {
    let place = |at: usize| Place {
        file: index,
        at: block.at + at as u64,
    };
    if let Some(flaw) = block.flaw {
        visitor.flawed(place(0), flaw, &Record::default());
        return;
    }
    // One look at the whole block is cheaper than one at each line.
    let all_text = std::str::from_utf8(&block.bytes).is_ok();
    let mut start = 0;
    while start < block.bytes.len() && !visitor.is_content() {
        let rest = &block.bytes[start..];
        let end = memchr::memchr(b'\n', rest);
        let line = &rest[..end.unwrap_or(rest.len())];
        let here = place(start);
        start += line.len() + usize::from(end.is_some());
        if line.trim_ascii().is_empty() {
            continue;
        }
        let mut record = Record::default();
        if !all_text && std::str::from_utf8(line).is_err() {
            visitor.flawed(here, Word::NotUtf8, &record);
            continue;
        }
        match json::read(line, wish, &mut record) {
            Ok(()) => visitor.record(here, &record),
            Err(flaw) => visitor.flawed(here, flaw, &record),
        }
    }
}

/// Reads a text whose lines are the examples themselves. Empty lines are none.
///
/// # Errors
/// What the system says.
pub(super) fn read_plain<V: Visitor>(
    file: &File,
    index: u32,
    run: Run<'_>,
    visitor: &mut V,
) -> io::Result<()> {
    let bytes = file.metadata()?.len();
    parallel::read(Lines::new(file), bytes, run, visitor, |block, visitor| {
        let place = Place {
            file: index,
            at: block.at,
        };
        if let Some(flaw) = block.flaw {
            visitor.flawed(place, flaw, &Record::default());
        }
        for line in block.bytes.split(|byte| *byte == b'\n') {
            let line = line.trim_ascii();
            if !line.is_empty() {
                // Continuation bytes are no characters of their own.
                let chars = line.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
                let record = Record {
                    length: Some(chars as u64),
                    ..Record::default()
                };
                visitor.record(place, &record);
            }
        }
    })
}
