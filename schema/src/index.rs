//! Which entries a line speaks for, found by one search for all words of the catalogue at once.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::catalogue::{CLUES, ENTRIES, Facts};
use crate::matching::{self, FAILURE_WORDS, Hit, Line};
use crate::search::Search;

/// What a word leads to.
enum Target {
    Pattern(usize, usize),
    Clue(usize),
    Failure,
}

struct Index {
    search: Search,
    targets: Vec<Vec<Target>>,
    soft: Vec<(usize, usize)>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut numbers: HashMap<&'static str, usize> = HashMap::new();
    let mut words: Vec<(&'static str, usize)> = Vec::new();
    let mut targets: Vec<Vec<Target>> = Vec::new();
    let mut add = |word: &'static str, rarest: usize, target: Target| {
        let number = *numbers.entry(word).or_insert(words.len());
        if number == words.len() {
            words.push((word, rarest));
            targets.push(Vec::new());
        }
        targets[number].push(target);
    };
    let mut soft = Vec::new();
    for (entry, pattern) in matching::all_patterns() {
        let value = &ENTRIES[entry].patterns[pattern];
        if value.failure {
            soft.push((entry, pattern));
        } else {
            add(value.anchor, value.rarest, Target::Pattern(entry, pattern));
        }
    }
    for (number, clue) in CLUES.iter().enumerate() {
        for pattern in clue.patterns {
            add(pattern.anchor, pattern.rarest, Target::Clue(number));
        }
    }
    for word in FAILURE_WORDS {
        add(word, 0, Target::Failure);
    }
    Index {
        search: Search::new(&words),
        targets,
        soft,
    }
});

/// Where the first word of the catalogue begins, at or after `from`.
pub(crate) fn first(text: &[u8], from: usize) -> Option<usize> {
    INDEX.search.first(text, from)
}

/// The entries that the line speaks for, but `without` these; and what it tells about the machine.
pub(crate) fn hits(line: &Line, without: &[String], facts: Option<&mut Facts>) -> Vec<Hit> {
    let mut patterns: Vec<(usize, usize)> = Vec::new();
    let mut clues: Vec<usize> = Vec::new();
    let mut soft = false;
    INDEX.search.all(line.lower.as_bytes(), |word| {
        for target in &INDEX.targets[word] {
            match *target {
                Target::Pattern(entry, pattern) => patterns.push((entry, pattern)),
                Target::Clue(number) => clues.push(number),
                Target::Failure => soft = true,
            }
        }
    });
    // A word that comes twice would count twice.
    patterns.sort_unstable();
    patterns.dedup();
    if let Some(facts) = facts {
        matching::learn(line, clues.into_iter(), facts);
    }
    let knows = |(entry, _): &(usize, usize)| !without.iter().any(|id| id == ENTRIES[*entry].id);
    let found = matching::hits(line, patterns.into_iter().filter(knows));
    if found.is_empty() && soft && line.tells_failure() {
        return matching::hits(line, INDEX.soft.iter().copied().filter(knows));
    }
    found
}
