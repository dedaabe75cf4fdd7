//! Looks for the catalogue's tokens in lines of text, and settles which entry a line, a log or an attempt speaks for.

use std::cmp::Reverse;

use memchr::memmem;

use crate::catalogue::{ACTIONS, CLUES, Clue, ENTRIES, Entry, Facts, HARMLESS, Pattern, Tier};
use crate::report::{Layer, Owner};

/// Of two readings of the same text, one that is this much weaker is still named.
const CLOSE: i32 = 40;
/// The most candidates that are named.
const MAX_CANDIDATES: usize = 4;

/// Words with which a line may tell of a failure; what a search looks for. Whether it does is asked afterwards.
pub(crate) const FAILURE_WORDS: &[&str] = &[
    "error: ",
    "error:\t",
    "errors: ",
    "error #",
    "error(s)",
    "exception: ",
    "fatal: ",
    "fatal error",
    "fatal   :",
    "[fatal]",
    " failed",
    "failed:",
    "failed to",
    "cannot open",
    "unable to ",
    "aborted",
    "[error]",
    "#error ",
    "terminate called",
    "core dumped",
    "nccl warn",
    "onnxruntime:",
];

/// A line as it is compared: without escape sequences, quotes made the same.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) lower: String,
}

impl Line {
    /// A line as it came.
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let raw = String::from_utf8_lossy(bytes);
        let mut text = String::with_capacity(raw.len());
        let mut letters = raw.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '\u{1b}' => {
                    // An escape sequence ends with a letter; what follows is text again.
                    if letters.next_if_eq(&'[').is_some() {
                        while letters
                            .next_if(|letter| !letter.is_ascii_alphabetic())
                            .is_some()
                        {}
                        letters.next();
                    }
                }
                '`' | '"' | '\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}' => text.push('\''),
                _ => text.push(letter),
            }
        }
        let lower = text.to_ascii_lowercase();
        Self { text, lower }
    }

    /// Source code that a traceback shows, which holds messages that did not happen.
    fn is_code(&self) -> bool {
        // Also in a difference, in a quotation and beside line numbers.
        let trimmed = self
            .lower
            .trim_start_matches(|letter: char| letter.is_whitespace() || "+->|".contains(letter));
        [
            "raise ",
            "if ",
            "elif ",
            "assert ",
            "except ",
            "return ",
            "print(",
            "warnings.warn(",
            "logger.",
            "logging.",
            "torch_check(",
            "def ",
            "with ",
            "# ",
        ]
        .iter()
        .any(|start| trimmed.starts_with(start))
            && !trimmed.starts_with("assert failed")
    }

    /// Whether the line calls itself a warning, information or a note for developers.
    fn is_mild(&self) -> bool {
        [
            "warning",
            "[w1",
            "[w0",
            " info",
            "[info",
            "info:",
            "debug",
            "deprecat",
            "retry",
            "falling back",
            "fall back",
            "using cpu",
        ]
        .iter()
        .any(|word| self.lower.contains(word))
    }

    /// Whether the line tells of a failure by its own words: the head of an exception or an error, not a warning and not a measured error.
    pub(crate) fn tells_failure(&self) -> bool {
        let lower = self.lower.as_str();
        if lower.contains("nccl warn") {
            return true;
        }
        if self.is_mild() {
            return false;
        }
        let head = ["error", "exception", "fatal"].iter().any(|word| {
            lower.match_indices(word).any(|(at, _)| {
                let before = lower[..at].chars().next_back();
                let after = lower[at + word.len()..].trim_start_matches(['s', '(', ')']);
                let named = before.is_none_or(|letter| letter != '_' && letter != '-');
                let headed = after.trim_start().starts_with([':', '#', ']'])
                    || (*word == "fatal" && after.starts_with(' '));
                let measured = after
                    .trim_start_matches([' ', ':', '='])
                    .starts_with(|letter: char| letter.is_ascii_digit());
                named && headed && (!measured || after.trim_start().starts_with('#'))
            })
        });
        head || [
            " failed",
            "failed to",
            "cannot open",
            "unable to ",
            "core dumped",
            "terminate called",
            "#error ",
            "aborted",
        ]
        .iter()
        .any(|word| lower.contains(word))
    }
}

/// An entry that a line speaks for.
#[derive(Clone, Debug)]
pub(crate) struct Hit {
    pub(crate) entry: usize,
    weight: i32,
    /// Where its tokens stand in the line.
    pub(crate) spans: Vec<(usize, usize)>,
}

impl Pattern {
    /// Where the tokens stand in the line; none when one is missing.
    fn spans(&self, line: &Line) -> Option<Vec<(usize, usize)>> {
        if self.has_not.iter().any(|token| line.lower.contains(token)) {
            return None;
        }
        let mut spans = Vec::with_capacity(self.has.len());
        for token in self.has {
            let at = memmem::find(line.lower.as_bytes(), token.as_bytes())?;
            spans.push((at, at + token.len()));
        }
        ((!self.failure || line.tells_failure()) && !(self.plain && line.is_mild()))
            .then_some(spans)
    }
}

/// All entries that the line speaks for, among `patterns` (entry and pattern by number).
pub(crate) fn hits(line: &Line, patterns: impl Iterator<Item = (usize, usize)>) -> Vec<Hit> {
    let mut hits: Vec<Hit> = Vec::new();
    for (entry, pattern) in patterns {
        let Some(spans) = ENTRIES[entry].patterns[pattern].spans(line) else {
            continue;
        };
        let length: usize = spans.iter().map(|(begin, end)| end - begin).sum();
        let weight = tier_weight(ENTRIES[entry].tier) + i32::try_from(length.min(80)).unwrap_or(80);
        match hits.iter_mut().find(|hit| hit.entry == entry) {
            // Where only the layer is known, every word of the field counts.
            Some(hit) if ENTRIES[entry].tier == Tier::Soft => {
                hit.weight = (hit.weight + weight).min(95);
                hit.spans.extend(spans);
            }
            Some(hit) if hit.weight < weight => {
                *hit = Hit {
                    entry,
                    weight,
                    spans,
                }
            }
            Some(_) => {}
            None => hits.push(Hit {
                entry,
                weight,
                spans,
            }),
        }
    }
    if hits.iter().any(|hit| ENTRIES[hit.entry].tier > Tier::Soft) {
        hits.retain(|hit| ENTRIES[hit.entry].tier > Tier::Soft);
    }
    if !hits.is_empty()
        && (line.is_code() || HARMLESS.iter().any(|pattern| pattern.spans(line).is_some()))
    {
        hits.clear();
    }
    hits
}

/// Every pattern of the catalogue, by number of its entry and its own.
pub(crate) fn all_patterns() -> impl Iterator<Item = (usize, usize)> {
    ENTRIES
        .iter()
        .enumerate()
        .flat_map(|(entry, value)| (0..value.patterns.len()).map(move |pattern| (entry, pattern)))
}

/// Learns what the line tells about the machine.
pub(crate) fn learn(line: &Line, clues: impl Iterator<Item = usize>, facts: &mut Facts) {
    for clue in clues.map(|number| &CLUES[number]) {
        for spans in clue
            .patterns
            .iter()
            .filter_map(|pattern| pattern.spans(line))
        {
            if let Some(value) = clue_value(
                clue,
                line,
                spans.iter().map(|(_, end)| *end).max().unwrap_or(0),
            ) {
                facts.learn(clue.fact, value);
            }
        }
    }
}

fn clue_value(clue: &Clue, line: &Line, after: usize) -> Option<String> {
    if clue.value != "@version" {
        return Some(clue.value.to_owned());
    }
    let rest = line
        .text
        .get(after..)?
        .trim_start_matches([' ', ':', '=', '\'', '(', 'v']);
    let end = rest
        .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
        .unwrap_or(rest.len());
    let version = rest[..end].trim_end_matches('.');
    crate::facts::is_version(version).then(|| version.to_owned())
}

const fn tier_weight(tier: Tier) -> i32 {
    match tier {
        Tier::Soft => 0,
        Tier::Generic => 100,
        Tier::Kind => 200,
        Tier::Special => 260,
    }
}

/// One place that speaks for one or more entries: a line, or the facts.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Line, from 1; 0 for the facts.
    pub(crate) line: u64,
    /// The line itself; none for the facts.
    pub(crate) text: Option<Line>,
    pub(crate) hits: Vec<Hit>,
}

/// A settled fault.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) entry: usize,
    pub(crate) layer: Layer,
    pub(crate) owner: Owner,
    pub(crate) candidates: Vec<&'static str>,
    pub(crate) score: i32,
    /// A fact speaks against it.
    pub(crate) contested: bool,
    /// Number of its group.
    pub(crate) group: usize,
    /// It follows from another one that was found too.
    pub(crate) follows: bool,
}

/// Entries that the facts alone speak for, each in a group of its own.
pub(crate) fn by_facts(facts: &Facts) -> impl Iterator<Item = Group> {
    ENTRIES.iter().enumerate().filter_map(|(entry, value)| {
        let most = value
            .facts
            .iter()
            .filter(|all| facts.all_hold(all))
            .map(|all| all.len())
            .max()?;
        let weight = tier_weight(value.tier) + 20 * i32::try_from(most.min(4)).unwrap_or(4);
        Some(Group {
            line: 0,
            text: None,
            hits: vec![Hit {
                entry,
                weight,
                spans: Vec::new(),
            }],
        })
    })
}

/// Settles what each group speaks for, the first cause first.
pub(crate) fn settle(
    groups: &[Group],
    facts: &Facts,
    allowed: impl Fn(&Entry) -> bool,
) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let mut scored: Vec<(i32, bool, &Hit)> = group
            .hits
            .iter()
            .filter(|hit| allowed(&ENTRIES[hit.entry]))
            .filter_map(|hit| score(hit, facts).map(|(score, contested)| (score, contested, hit)))
            .collect();
        scored.sort_by_key(|(score, _, hit)| (Reverse(*score), hit.entry));
        let Some(&(best, contested, hit)) = scored.first() else {
            continue;
        };
        if findings.iter().any(|finding| finding.entry == hit.entry) {
            continue;
        }
        let entry = &ENTRIES[hit.entry];
        let certain = !entry.needs.is_empty()
            || (entry
                .favours
                .iter()
                .any(|condition| facts.holds(condition) == Some(true))
                && !contested);
        let mut candidates: Vec<&'static str> = scored[1..]
            .iter()
            .filter(|(score, contested, other)| {
                *score > best - CLOSE && !contested && ENTRIES[other.entry].tier >= Tier::Kind
            })
            .map(|(_, _, other)| ENTRIES[other.entry].id)
            .collect();
        if !certain {
            candidates.extend(entry.also.iter().filter(|id| !is_refuted(id, facts)));
        }
        let mut seen = vec![entry.id];
        candidates.retain(|id| {
            let new = !seen.contains(id);
            seen.push(id);
            new
        });
        candidates.truncate(MAX_CANDIDATES);
        let (layer, owner) = placed(entry, facts);
        findings.push(Finding {
            entry: hit.entry,
            layer,
            owner,
            candidates,
            score: best,
            contested,
            group: number,
            follows: false,
        });
    }
    if findings
        .iter()
        .any(|finding| ENTRIES[finding.entry].tier != Tier::Soft)
    {
        findings.retain(|finding| ENTRIES[finding.entry].tier != Tier::Soft);
    }
    let present: Vec<(usize, Layer)> = findings
        .iter()
        .map(|finding| (finding.entry, finding.layer))
        .collect();
    for finding in &mut findings {
        let after = ENTRIES[finding.entry].after;
        finding.follows = present
            .iter()
            .filter(|(entry, _)| *entry != finding.entry)
            .any(|(other, layer)| {
                after
                    .iter()
                    .any(|cause| match cause.strip_prefix("layer:") {
                        Some(name) => name == layer.name() && !precedes(finding.entry, *other),
                        None if *cause == "*" => !precedes(finding.entry, *other),
                        None => *cause == ENTRIES[*other].id,
                    })
            });
    }
    findings.sort_by_key(|finding| (finding.follows, groups[finding.group].line));
    findings
}

/// Whether `other` is itself one that follows from anything, so that the two would wait for each other.
fn precedes(entry: usize, other: usize) -> bool {
    ENTRIES[other].after.contains(&"*") || ENTRIES[other].after.contains(&ENTRIES[entry].id)
}

fn score(hit: &Hit, facts: &Facts) -> Option<(i32, bool)> {
    let entry = &ENTRIES[hit.entry];
    if !facts.all_hold(entry.needs) {
        return None;
    }
    let mut score = hit.weight + 60 * i32::try_from(entry.needs.len()).unwrap_or(0);
    let mut contested = false;
    for condition in entry.favours {
        match facts.holds(condition) {
            Some(true) => score += 25,
            Some(false) => {
                score -= 60;
                contested = true;
            }
            None => {}
        }
    }
    Some((score, contested))
}

fn is_refuted(id: &str, facts: &Facts) -> bool {
    crate::catalogue::find(id).is_none_or(|entry| {
        entry
            .needs
            .iter()
            .chain(entry.favours)
            .any(|condition| facts.holds(condition) == Some(false))
    })
}

/// Layer and owner under the circumstances.
fn placed(entry: &Entry, facts: &Facts) -> (Layer, Owner) {
    let (mut layer, mut owner) = (entry.layer, entry.owner);
    if let Some(change) = entry
        .changes
        .iter()
        .find(|change| facts.all_hold(change.when))
    {
        layer = change.layer.unwrap_or(layer);
        owner = change.owner.unwrap_or(owner);
    }
    (layer, owner)
}

/// The actions of an entry as a report holds them; what its owner can do comes first.
pub(crate) fn actions(entry: &Entry, owner: Owner) -> Vec<String> {
    let mut actions: Vec<&str> = entry.actions.to_vec();
    if owner != entry.owner {
        // The circumstances named another owner: what that one can do is wanted first.
        actions.sort_by_key(|id| {
            ACTIONS
                .iter()
                .find(|action| action.id == *id)
                .is_none_or(|action| action.owner != owner)
        });
    }
    actions.into_iter().map(str::to_owned).collect()
}
