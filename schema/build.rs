//! Turns `catalogue/*.toml` into constants, so that nothing is parsed when the program or the page starts and
//! a catalogue that is wrong does not build.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use serde::Deserialize;

/// Letters in a group, and in the shortest word that `search.rs` can look for.
const GROUP: usize = 4;
const SHORTEST: usize = 7;

const LAYERS: [&str; 17] = [
    "interpreter",
    "import",
    "package",
    "driver",
    "exposure",
    "allocation",
    "computation",
    "synchronization",
    "weights",
    "extension",
    "placement",
    "dtype",
    "memory",
    "data",
    "output",
    "distribution",
    "resume",
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    fault: Vec<Fault>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fault {
    id: String,
    owner: String,
    #[serde(default, rename = "match")]
    patterns: Vec<Tokens>,
    #[serde(default)]
    tier: Tier,
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default)]
    favours: Vec<String>,
    #[serde(default)]
    facts: Vec<Vec<String>>,
    #[serde(default)]
    changes: Vec<Change>,
    #[serde(default)]
    after: Vec<String>,
    #[serde(default)]
    also: Vec<String>,
    #[serde(default)]
    misleads: bool,
    source: String,
    actions: Vec<String>,
}

#[derive(Clone, Copy, Default, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Tier {
    Soft,
    Generic,
    #[default]
    Kind,
    Special,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    when: Vec<String>,
    layer: Option<String>,
    owner: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Tokens {
    One(String),
    All(Vec<String>),
}

impl Tokens {
    fn list(&self) -> Vec<&str> {
        match self {
            Self::One(token) => vec![token],
            Self::All(tokens) => tokens.iter().map(String::as_str).collect(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Clues {
    clue: Vec<Clue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Clue {
    #[serde(rename = "match")]
    patterns: Vec<Tokens>,
    fact: String,
    value: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Harmless {
    harmless: Vec<Tokens>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Actions {
    action: Vec<Action>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Action {
    id: String,
    owner: String,
    command: Option<String>,
}

fn main() {
    texts();
    let folder = Path::new("catalogue");
    println!("cargo::rerun-if-changed=catalogue");
    println!("cargo::rerun-if-changed=build.rs");
    let mut words = BTreeSet::new();
    let healthy = normal(&read(&folder.join("healthy.txt")));
    let mut out = String::new();

    out.push_str("/// Every fault, layer by layer.\npub static ENTRIES: &[Entry] = &[\n");
    for layer in LAYERS {
        let path = folder.join(layer).with_extension("toml");
        let file: File = toml::from_str(&read(&path))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for fault in &file.fault {
            entry(&mut out, layer, fault, &mut words, &healthy);
        }
    }
    out.push_str("];\n\n/// What a text tells about the machine, beside its faults.\npub static CLUES: &[Clue] = &[\n");
    let clues: Clues = toml::from_str(&read(&folder.join("clues.toml")))
        .unwrap_or_else(|error| panic!("clues.toml: {error}"));
    for clue in &clues.clue {
        let _ = writeln!(
            out,
            "    Clue {{ patterns: &{}, fact: {:?}, value: {:?} }},",
            patterns(&clue.patterns, &mut words, &healthy),
            clue.fact,
            clue.value
        );
    }
    out.push_str(
        "];\n\n/// Lines that look like faults and are none.\npub static HARMLESS: &[Pattern] = &",
    );
    let harmless: Harmless = toml::from_str(&read(&folder.join("harmless.toml")))
        .unwrap_or_else(|error| panic!("harmless.toml: {error}"));
    // These are compared with lines that were found already.
    out.push_str(&patterns(&harmless.harmless, &mut words, ""));
    out.push_str(";\n\n/// Every action.\npub static ACTIONS: &[Action] = &[\n");
    let actions: Actions = toml::from_str(&read(&folder.join("actions.toml")))
        .unwrap_or_else(|error| panic!("actions.toml: {error}"));
    for action in &actions.action {
        let _ = writeln!(
            out,
            "    Action {{ id: {:?}, owner: Owner::{}, command: {:?} }},",
            action.id,
            pascal(&action.owner),
            action.command
        );
    }
    out.push_str("];\n");

    for line in read(&folder.join("words.txt"))
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        words.extend(line.split_whitespace().map(str::to_ascii_lowercase));
    }
    let list: Vec<_> = words.into_iter().collect();
    let _ = write!(
        out,
        "\n/// Words of the field, lower case, sorted.\npub static WORDS: &[&str] = &{list:?};\n"
    );
    let mut libraries: Vec<String> = read(&folder.join("libraries.txt"))
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.trim().to_ascii_lowercase())
        .collect();
    libraries.sort();
    libraries.dedup();
    let _ = write!(
        out,
        "\n/// Base names of libraries, lower case, sorted.\npub static LIBRARIES: &[&str] = &{libraries:?};\n"
    );

    let target =
        Path::new(&env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("catalogue.rs");
    fs::write(target, out).expect("OUT_DIR can be written");
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn entry(
    out: &mut String,
    layer: &str,
    fault: &Fault,
    words: &mut BTreeSet<String>,
    healthy: &str,
) {
    let tier = match fault.tier {
        Tier::Soft => "Soft",
        Tier::Generic => "Generic",
        Tier::Kind => "Kind",
        Tier::Special => "Special",
    };
    let facts: Vec<String> = fault
        .facts
        .iter()
        .map(|all| format!("&{}", conditions(all)))
        .collect();
    let changes: Vec<String> = fault
        .changes
        .iter()
        .map(|change| {
            let option = |kind: &str, value: &Option<String>| {
                value.as_ref().map_or("None".to_owned(), |value| {
                    format!("Some({kind}::{})", pascal(value))
                })
            };
            format!(
                "Change {{ when: &{}, layer: {}, owner: {} }}",
                conditions(&change.when),
                option("Layer", &change.layer),
                option("Owner", &change.owner)
            )
        })
        .collect();
    assert!(
        !fault.actions.is_empty(),
        "{}: a fault has at least one action",
        fault.id
    );
    let _ = writeln!(
        out,
        "    Entry {{ id: {:?}, layer: Layer::{}, owner: Owner::{}, tier: Tier::{tier}, patterns: &{}, needs: &{}, favours: &{}, \
         facts: &[{}], changes: &[{}], after: &{:?}, also: &{:?}, misleads: {}, source: {:?}, actions: &{:?} }},",
        fault.id,
        pascal(layer),
        pascal(&fault.owner),
        patterns(&fault.patterns, words, healthy),
        conditions(&fault.needs),
        conditions(&fault.favours),
        facts.join(", "),
        changes.join(", "),
        fault.after,
        fault.also,
        fault.misleads,
        fault.source,
        fault.actions,
    );
}

/// Lower case, with every kind of quote made the same, as lines are before they are compared.
fn normal(token: &str) -> String {
    token
        .chars()
        .map(|letter| {
            if matches!(letter, '`' | '"' | '‘' | '’' | '“' | '”') {
                '\''
            } else {
                letter.to_ascii_lowercase()
            }
        })
        .collect()
}

fn patterns(list: &[Tokens], words: &mut BTreeSet<String>, healthy: &str) -> String {
    let all: Vec<String> = list
        .iter()
        .map(|tokens| {
            let (mut has, mut has_not, mut failure, mut plain) = (Vec::new(), Vec::new(), false, false);
            for token in tokens.list() {
                if token == "@failure" {
                    failure = true;
                } else if token == "@plain" {
                    plain = true;
                } else if let Some(token) = token.strip_prefix('!') {
                    has_not.push(normal(token));
                } else {
                    words.extend(words_of(token));
                    has.push(normal(token));
                }
            }
            assert!(!has.is_empty(), "a pattern has at least one token");
            let (anchor, rarest) = if failure || healthy.is_empty() { (String::new(), 0) } else { anchor(&has, healthy) };
            format!("Pattern {{ has: &{has:?}, has_not: &{has_not:?}, failure: {failure}, plain: {plain}, anchor: {anchor:?}, rarest: {rarest} }}")
        })
        .collect();
    format!("[{}]", all.join(", "))
}

/// What a search looks for: the part of the tokens that healthy logs hold least, and where in it its rarest part begins.
/// Lines are searched as they come, so it holds no quote.
fn anchor(has: &[String], healthy: &str) -> (String, usize) {
    let parts = has
        .iter()
        .flat_map(|token| token.split('\''))
        .filter(|part| part.len() >= SHORTEST && part.is_ascii());
    let best = parts
        .map(|part| {
            let (cost, at) = (0..=part.len() - SHORTEST)
                .map(|at| {
                    let groups = (at..=at + SHORTEST - GROUP)
                        .map(|from| healthy.matches(&part[from..from + GROUP]).count());
                    (groups.sum::<usize>(), at)
                })
                .min()
                .unwrap_or_default();
            (
                healthy.contains(part),
                cost,
                std::cmp::Reverse(part.len()),
                part.to_owned(),
                at,
            )
        })
        .min()
        .unwrap_or_else(|| panic!("{has:?}: needs {SHORTEST} letters in a row without a quote"));
    assert!(!best.0, "{has:?}: stands in healthy logs");
    (best.3, best.4)
}

fn words_of(token: &str) -> impl Iterator<Item = String> + '_ {
    token
        .split(|letter: char| !letter.is_ascii_alphabetic())
        .filter(|word| word.len() > 1)
        .map(str::to_ascii_lowercase)
}

fn conditions(list: &[String]) -> String {
    let all: Vec<String> = list
        .iter()
        .map(|text| {
            let (operator, name) = [
                ("!=", "Not"),
                ("<=", "AtMost"),
                (">=", "AtLeast"),
                ("<", "Below"),
                (">", "Above"),
                ("=", "Is"),
            ]
            .into_iter()
            .find(|(operator, _)| text.contains(operator))
            .unwrap_or_else(|| panic!("{text}: a condition compares"));
            let (fact, value) = text.split_once(operator).unwrap_or_default();
            let values: Vec<&str> = value.split('|').map(str::trim).collect();
            format!(
                "Condition {{ fact: {:?}, relation: Relation::{name}, values: &{values:?} }}",
                fact.trim()
            )
        })
        .collect();
    format!("[{}]", all.join(", "))
}

fn pascal(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_ascii_uppercase().to_string() + letters.as_str()
    })
}

/// The Fluent files as the page carries them: identifiers once, then the values of each language in their order.
fn texts() {
    println!("cargo::rerun-if-changed=locales");
    let read_all = |language: &str| {
        let files = ["report.ftl", "faults.ftl", "page.ftl"];
        files.map(|file| read(&Path::new("locales").join(language).join(file)))
    };
    let english = read_all("en");
    let identifiers: Vec<&str> = english
        .iter()
        .flat_map(|source| messages(source))
        .map(|(id, _)| id)
        .collect();
    let mut out = format!(
        "pub(super) const IDENTIFIERS: &str = {:?};\n",
        identifiers.join("\n")
    );
    for (name, language) in [("ENGLISH", "en"), ("GERMAN", "de"), ("TURKISH", "tr")] {
        let sources = read_all(language);
        let mut known: std::collections::HashMap<&str, String> =
            sources.iter().flat_map(|source| messages(source)).collect();
        // A text that is missing leaves its place empty: English stands behind every language.
        let values: Vec<String> = identifiers
            .iter()
            .map(|id| known.remove(id).unwrap_or_default())
            .collect();
        let _ = writeln!(out, "const {name}: &str = {:?};", values.join("\n"));
    }
    let path = Path::new(&env::var("OUT_DIR").unwrap_or_default()).join("texts.rs");
    fs::write(&path, out).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Identifier and value of each message; further lines of a value keep one space of their indentation.
fn messages(source: &str) -> Vec<(&str, String)> {
    let mut messages: Vec<(&str, String)> = Vec::new();
    for line in source.lines().filter(|line| !line.starts_with('#')) {
        if line.starts_with(' ') {
            if let Some((_, value)) = messages.last_mut() {
                value.push_str("\n ");
                value.push_str(line.trim());
            }
        } else if let Some((id, value)) = line.split_once(" =") {
            messages.push((id, value.trim().to_owned()));
        }
    }
    messages
}
