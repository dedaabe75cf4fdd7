//! Blocks of a file, handed to as many threads as there are: each block is read by one and judged by it.

use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};

use super::points::Word;
use super::record::Visitor;

/// Bytes that are read at once.
pub(super) const BLOCK: usize = 1 << 20;
/// The longest line that is read; a longer one is a flaw, so that memory stays bounded.
pub(super) const MAX_LINE: usize = 64 << 20;
/// More threads than this only wait for memory.
const MAX_THREADS: usize = 8;

/// How a check runs.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    /// How many threads may work.
    pub(super) threads: usize,
    /// Whether somebody wants it to end.
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
}

impl<'a> Run<'a> {
    /// With as many threads as the machine gives, or `threads` where that isn't 0.
    pub(super) fn new(threads: usize, stop: &'a (dyn Fn() -> bool + Sync)) -> Self {
        let given = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if threads == 0 { given } else { threads };
        Self {
            threads: threads.clamp(1, MAX_THREADS),
            stop,
        }
    }
}

/// One block: whole lines, or whole rows.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
    /// Where it begins: a byte offset, or the number of its first row.
    pub(super) at: u64,
    /// What is wrong with the record at its end, of which there is no more.
    pub(super) flaw: Option<Word>,
}

/// Gives one block after the other.
pub(super) trait Source: Send {
    /// Fills `block`; false at the end.
    ///
    /// # Errors
    /// What the system says.
    fn next(&mut self, block: &mut Block) -> io::Result<bool>;
}

/// Reads all of `source`, which holds about `bytes`, and lets `judge` look at each block.
///
/// # Errors
/// What the system says.
pub(super) fn read<S: Source, V: Visitor>(
    source: S,
    bytes: u64,
    run: Run<'_>,
    visitor: &mut V,
    judge: impl Fn(&Block, &mut V) + Sync,
) -> io::Result<()> {
    let source = Mutex::new((source, None::<io::Error>));
    let work = |visitor: &mut V| {
        let mut block = Block::default();
        while !(run.stop)() && !visitor.is_content() {
            {
                let mut locked = source.lock().unwrap_or_else(PoisonError::into_inner);
                let (source, problem) = &mut *locked;
                if problem.is_some() {
                    return;
                }
                match source.next(&mut block) {
                    Ok(true) => {}
                    Ok(false) => return,
                    Err(error) => {
                        *problem = Some(error);
                        return;
                    }
                }
            }
            judge(&block, visitor);
        }
    };
    let useful = usize::try_from(bytes / (2 * BLOCK as u64)).unwrap_or(usize::MAX);
    let helpers = run.threads.min(useful.max(1)) - 1;
    if helpers == 0 {
        work(visitor);
    } else {
        let work = &work;
        let joined = std::thread::scope(|scope| {
            // Where the system gives no more threads, those that there are do it all.
            let handles: Vec<_> = (0..helpers)
                .map_while(|_| {
                    let mut helper = visitor.fork();
                    std::thread::Builder::new()
                        .spawn_scoped(scope, move || {
                            work(&mut helper);
                            helper
                        })
                        .ok()
                })
                .collect();
            work(visitor);
            handles
                .into_iter()
                .map(std::thread::ScopedJoinHandle::join)
                .collect::<Vec<_>>()
        });
        for helper in joined {
            match helper {
                Ok(helper) => visitor.join(helper),
                // A bug is told as one, not swallowed.
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    }
    let (_, problem) = source.into_inner().unwrap_or_else(PoisonError::into_inner);
    problem.map_or(Ok(()), Err)
}

/// How many lines end before the offset `at`.
///
/// # Errors
/// What the system says.
pub(super) fn lines_before(file: impl Read, at: u64) -> io::Result<u64> {
    let mut reader = file.take(at);
    let mut buffer = vec![0; BLOCK];
    let mut lines = 0;
    loop {
        let read = reader.read(&mut buffer)?;
        if read == 0 {
            return Ok(lines);
        }
        lines += memchr::memchr_iter(b'\n', &buffer[..read]).count() as u64;
    }
}

/// Whole lines of a text.
pub(super) struct Lines<R> {
    reader: R,
    /// The beginning of a line whose end was not in the last block.
    rest: Vec<u8>,
    /// Offset of `rest`.
    at: u64,
    ended: bool,
}

impl<R: Read> Lines<R> {
    /// A byte order mark at the beginning is skipped.
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader,
            rest: Vec::new(),
            at: 0,
            ended: false,
        }
    }

    /// Reads up to the end of a line that is too long, and keeps what follows it.
    fn pass_over(&mut self) -> io::Result<()> {
        let mut piece = Vec::new();
        loop {
            piece.clear();
            if (&mut self.reader)
                .take(BLOCK as u64)
                .read_to_end(&mut piece)?
                == 0
            {
                self.ended = true;
                return Ok(());
            }
            if let Some(end) = memchr::memchr(b'\n', &piece) {
                self.at += end as u64 + 1;
                self.rest.extend_from_slice(&piece[end + 1..]);
                return Ok(());
            }
            self.at += piece.len() as u64;
        }
    }
}

impl<R: Read + Send> Source for Lines<R> {
    fn next(&mut self, block: &mut Block) -> io::Result<bool> {
        let bytes = &mut block.bytes;
        bytes.clear();
        bytes.append(&mut self.rest);
        block.at = self.at;
        block.flaw = None;
        loop {
            let old = bytes.len();
            if !self.ended {
                let read = (&mut self.reader).take(BLOCK as u64).read_to_end(bytes)?;
                self.ended = read == 0;
            }
            if self.at == 0 && old == 0 && bytes.starts_with(b"\xef\xbb\xbf") {
                bytes[..3].fill(b' ');
            }
            if self.ended {
                self.at += bytes.len() as u64;
                return Ok(!bytes.is_empty());
            }
            if let Some(end) = memchr::memrchr(b'\n', &bytes[old..]) {
                let end = old + end + 1;
                self.rest.extend_from_slice(&bytes[end..]);
                bytes.truncate(end);
                self.at += end as u64;
                return Ok(true);
            }
            if bytes.len() > MAX_LINE {
                // Only one line is in here: lines before it would have ended the block.
                self.at += bytes.len() as u64;
                bytes.clear();
                block.flaw = Some(Word::TooLong);
                self.pass_over()?;
                return Ok(true);
            }
        }
    }
}

/// Whole rows of an array.
pub(super) struct Rows<R> {
    reader: R,
    row_bytes: usize,
    rows: u64,
    done: u64,
}

impl<R: Read> Rows<R> {
    /// `rows` rows of `row_bytes` bytes each, from where `reader` stands.
    pub(super) fn new(reader: R, row_bytes: usize, rows: u64) -> Self {
        Self {
            reader,
            row_bytes,
            rows,
            done: 0,
        }
    }
}

impl<R: Read + Send> Source for Rows<R> {
    fn next(&mut self, block: &mut Block) -> io::Result<bool> {
        self.fill(block)
    }
}

impl<R: Read> Rows<R> {
    /// Fills `block` with the next rows; false at the end.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn fill(&mut self, block: &mut Block) -> io::Result<bool> {
        block.bytes.clear();
        block.at = self.done;
        block.flaw = None;
        let left = self.rows - self.done;
        if left == 0 {
            return Ok(false);
        }
        // Rows without values, as of shape (n, 0), hold no bytes at all.
        let rows = (BLOCK / self.row_bytes.max(1)).max(1) as u64;
        let rows = rows.min(left);
        let bytes = self.row_bytes as u64 * rows;
        let read = (&mut self.reader)
            .take(bytes)
            .read_to_end(&mut block.bytes)?;
        if (read as u64) < bytes {
            block.flaw = Some(Word::Truncated);
            block.bytes.truncate(read / self.row_bytes * self.row_bytes);
            self.done = self.rows;
            return Ok(true);
        }
        self.done += rows;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &[u8]) -> Vec<(u64, usize, Option<Word>)> {
        let mut lines = Lines::new(text);
        let mut block = Block::default();
        let mut found = Vec::new();
        while lines.next(&mut block).unwrap() {
            found.push((block.at, block.bytes.len(), block.flaw));
        }
        found
    }

    #[test]
    fn blocks_end_with_a_line() {
        let mut text = vec![b'x'; BLOCK - 3];
        text.extend_from_slice(b"\nab\ncd");
        let first = BLOCK as u64 - 2;
        let expected = [(0, BLOCK - 2, None), (first, 3, None), (first + 3, 2, None)];
        assert_eq!(blocks(&text), expected);
        assert_eq!(blocks(b""), []);
        assert_eq!(blocks(b"\n"), [(0, 1, None)]);
    }

    #[test]
    fn a_line_without_an_end_is_passed_over_in_bounded_memory() {
        let mut text = b"a\n".to_vec();
        text.resize(text.len() + MAX_LINE + 3 * BLOCK, b'x');
        text.extend_from_slice(b"\nb\n");
        let found = blocks(&text);
        let flaws: Vec<_> = found.iter().filter_map(|block| block.2).collect();
        assert_eq!(flaws, [Word::TooLong]);
        assert_eq!(found.first(), Some(&(0, 2, None)));
        let last = found.last().unwrap();
        assert_eq!((last.1, last.2), (2, None));
        assert_eq!(last.0, text.len() as u64 - 2);
    }

    #[test]
    fn rows_that_are_missing_are_a_flaw_after_those_that_are_there() {
        let bytes = [0_u8; 10];
        let mut rows = Rows::new(&bytes[..], 4, 5);
        let mut block = Block::default();
        assert!(rows.next(&mut block).unwrap());
        assert_eq!((block.bytes.len(), block.flaw), (8, Some(Word::Truncated)));
        assert!(!rows.next(&mut block).unwrap());
    }
}
