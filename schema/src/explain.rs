//! Names the faults in a pasted log, traceback or `collect_env` text of any length, in constant memory.

use memchr::{memchr, memchr_iter, memrchr};
use serde::Serialize;

use crate::catalogue::{ENTRIES, Facts, Tier};
use crate::clean;
use crate::index;
use crate::matching::{self, Group, Line};
use crate::report::{Layer, Owner};

/// The most bytes of one line that are kept while its end has not come.
const MAX_LINE_BYTES: usize = 64 * 1024;
/// Bytes that are looked at twice where a longer line is cut.
const OVERLAP_BYTES: usize = 2048;
/// The most faults that are named.
const MAX_FAULTS: usize = 32;
/// How many bytes of a line before and after a token are looked at.
const WINDOW_BYTES: usize = 1500;

/// One fault that a text tells of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fault {
    /// Identifier in the catalogue.
    pub signature: String,
    /// The layer that fails.
    pub layer: Layer,
    /// Who must act.
    pub owner: Owner,
    /// Line in which it is told, from 1; 0 where several lines together tell it.
    pub line: u64,
    /// The line, cleaned; empty where several lines together tell it.
    pub message: String,
    /// Identifiers of the actions, the one to do first on top.
    pub actions: Vec<String>,
    /// Other faults that the same text would fit.
    pub candidates: Vec<String>,
}

/// Reads a text piece by piece.
#[derive(Default)]
pub struct Explainer {
    carry: Vec<u8>,
    /// Line breaks so far.
    lines: u64,
    facts: Facts,
    groups: Vec<Group>,
    seen: Vec<bool>,
    without: Vec<String>,
}

impl Explainer {
    /// A reader that has seen nothing.
    pub fn new() -> Self {
        Self {
            seen: vec![false; ENTRIES.len()],
            ..Self::default()
        }
    }

    /// A reader that does not know the entries with these signatures: it measures what the catalogue makes of a kind
    /// of fault that it does not hold.
    pub fn without(signatures: &[&str]) -> Self {
        Self {
            without: signatures
                .iter()
                .map(|signature| (*signature).to_owned())
                .collect(),
            ..Self::new()
        }
    }

    /// Takes the next piece, cut anywhere.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.carry.is_empty()
                && let Some(end) = memrchr(b'\n', bytes)
            {
                self.search(&bytes[..=end]);
                bytes = &bytes[end + 1..];
                continue;
            }
            // An endless line is looked at in parts.
            let room = MAX_LINE_BYTES - self.carry.len();
            let end = memchr(b'\n', bytes)
                .map_or(bytes.len(), |at| at + 1)
                .min(room);
            self.carry.extend_from_slice(&bytes[..end]);
            bytes = &bytes[end..];
            if self.carry.ends_with(b"\n") {
                let line = std::mem::take(&mut self.carry);
                self.search(&line);
            } else if self.carry.len() >= MAX_LINE_BYTES {
                self.cut();
            }
        }
    }

    /// Looks at a line that is too long, and keeps its end in case something stands across the cut.
    fn cut(&mut self) {
        let part = std::mem::take(&mut self.carry);
        self.search(&part);
        self.carry
            .extend_from_slice(&part[part.len() - OVERLAP_BYTES..]);
    }

    fn search(&mut self, block: &[u8]) {
        let mut from = 0;
        let mut counted = 0;
        while let Some(at) = index::first(block, from) {
            let is_break = |byte: u8| byte == b'\n' || byte == b'\r';
            let (first, last) = (
                at.saturating_sub(WINDOW_BYTES),
                block.len().min(at + WINDOW_BYTES),
            );
            let begin = block[first..at]
                .iter()
                .rposition(|byte| is_break(*byte))
                .map_or(first, |at| first + at + 1);
            let end = block[at..last]
                .iter()
                .position(|byte| is_break(*byte))
                .map_or(last, |length| at + length);
            self.lines += memchr_iter(b'\n', &block[counted..begin.max(counted)]).count() as u64;
            counted = counted.max(begin);
            self.look(&block[begin..end]);
            from = end.max(at + 1);
        }
        self.lines += memchr_iter(b'\n', &block[counted..]).count() as u64;
    }

    fn look(&mut self, raw: &[u8]) {
        let line = Line::new(raw);
        let hits = index::hits(&line, &self.without, Some(&mut self.facts));
        if hits.iter().all(|hit| self.seen[hit.entry]) {
            return;
        }
        for hit in &hits {
            self.seen[hit.entry] = true;
        }
        self.groups.push(Group {
            line: self.lines + 1,
            text: Some(line),
            hits,
        });
    }

    /// Says what was found, the first cause first; nothing where there was no fault.
    pub fn finish(mut self) -> Vec<Fault> {
        let rest = std::mem::take(&mut self.carry);
        self.search(&rest);
        self.groups.extend(matching::by_facts(&self.facts));
        let found = matching::settle(&self.groups, &self.facts, |entry| {
            !self.without.iter().any(|id| id == entry.id)
        });
        let mut faults: Vec<Fault> = found
            .into_iter()
            .map(|finding| {
                let entry = &ENTRIES[finding.entry];
                let group = &self.groups[finding.group];
                Fault {
                    signature: entry.id.to_owned(),
                    layer: finding.layer,
                    owner: finding.owner,
                    line: group.line,
                    message: group
                        .text
                        .as_ref()
                        .map(|line| clean::line(line, &group.hits))
                        .unwrap_or_default(),
                    actions: matching::actions(entry, finding.owner),
                    candidates: finding.candidates.into_iter().map(str::to_owned).collect(),
                }
            })
            .collect();
        faults.truncate(MAX_FAULTS);
        faults
    }
}

/// Names the faults in a text, the first cause first.
pub fn explain_text(text: &str) -> Vec<Fault> {
    let mut explainer = Explainer::new();
    explainer.feed(text.as_bytes());
    explainer.finish()
}

/// Whether a signature only tells the layer.
pub fn is_broad(signature: &str) -> bool {
    crate::catalogue::find(signature).is_some_and(|entry| entry.tier <= Tier::Generic)
}
