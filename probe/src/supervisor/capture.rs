//! Reading what a worker prints: without a limit on time or amount, but bounded in what is kept.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// The longest line that a worker may write; a longer one is dropped whole.
const MAX_LINE_BYTES: usize = 64 * 1024;
/// What is kept of standard error: its beginning and its end.
const KEPT_HEAD_BYTES: usize = 16 * 1024;
const KEPT_TAIL_BYTES: usize = 48 * 1024;

/// Sends each line of `from` that begins with one of `prefixes`, until its end.
pub(super) fn read_lines(mut from: impl Read, prefixes: &[Vec<u8>], lines: &SyncSender<Vec<u8>>) {
    let mut block = vec![0; 64 * 1024];
    let mut line = Vec::new();
    let mut dropped = false;
    loop {
        let read = match from.read(&mut block) {
            Ok(0) => return,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        let mut rest = &block[..read];
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            line.extend_from_slice(&rest[..end]);
            rest = &rest[end + 1..];
            let wanted = !dropped && prefixes.iter().any(|prefix| line.starts_with(prefix));
            if wanted && lines.send(std::mem::take(&mut line)).is_err() {
                return;
            }
            line.clear();
            dropped = false;
        }
        line.extend_from_slice(rest);
        if line.len() > MAX_LINE_BYTES {
            line.clear();
            dropped = true;
        }
    }
}

/// Beginning and end of a stream, whatever its length.
#[derive(Default)]
pub(crate) struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    skipped: u64,
}

impl Capture {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(bytes.len().min(KEPT_HEAD_BYTES - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let surplus = self.tail.len().saturating_sub(KEPT_TAIL_BYTES);
        self.tail.drain(..surplus);
        self.skipped += surplus as u64;
    }

    pub(crate) fn text(&self) -> String {
        let mut bytes = self.head.clone();
        if self.skipped > 0 {
            bytes.extend_from_slice(format!("\n[{} bytes left out]\n", self.skipped).as_bytes());
        }
        bytes.extend(&self.tail);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Keeps beginning and end of a stream, in a thread of its own.
///
/// # Errors
/// Where the system has no thread to give.
pub(super) fn capture(
    stream: Option<impl Read + Send + 'static>,
) -> io::Result<(Arc<Mutex<Capture>>, JoinHandle<()>)> {
    let kept = Arc::new(Mutex::new(Capture::default()));
    let shared = Arc::clone(&kept);
    let reader = thread::Builder::new().spawn(move || {
        let Some(mut stream) = stream else { return };
        let mut block = vec![0; 64 * 1024];
        loop {
            match stream.read(&mut block) {
                Ok(0) => return,
                Ok(read) => shared
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(&block[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    })?;
    Ok((kept, reader))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn only_wanted_lines_come_through_and_an_endless_one_is_dropped() {
        let mut text = b"noise\n{\"a\"1}\n".to_vec();
        text.extend(b"{\"a\"".iter().chain([b'x'; 200_000].iter()));
        text.extend(b"\n{\"a\"2}\n{\"a\"torn");
        let (sender, lines) = mpsc::sync_channel(8);
        read_lines(&text[..], &[b"{\"a\"".to_vec()], &sender);
        drop(sender);
        assert_eq!(
            lines.iter().collect::<Vec<_>>(),
            [b"{\"a\"1}".to_vec(), b"{\"a\"2}".to_vec()]
        );
    }

    #[test]
    fn a_flood_keeps_its_beginning_and_its_end() {
        let mut kept = Capture::default();
        kept.push(b"first");
        kept.push(&vec![b'x'; 1_000_000]);
        kept.push(b"last");
        let text = kept.text();
        assert!(text.starts_with("first") && text.ends_with("last"));
        assert!(text.len() < KEPT_HEAD_BYTES + KEPT_TAIL_BYTES + 100);
    }
}
