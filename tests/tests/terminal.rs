//! What people see, word by word: times, names of folders and facts of this machine replaced.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use firstfault_tests::{Ended, Scene};

/// The table of a check as it is compared: one line a row, without what differs from run to run.
fn comparable(scene: &Scene, ended: &Ended) -> String {
    let folder = scene.path("").display().to_string();
    let mut lines: Vec<String> = Vec::new();
    for line in ended.stdout.replace(&folder, "<scene>/").lines() {
        // A row whose times are long is wrapped: its continuation stands far to the right.
        let continues = line.starts_with(&" ".repeat(12));
        let mut words: Vec<String> = line.split(' ').map(word).collect();
        for at in 1..words.len() {
            if ["ms", "s"].contains(&words[at].as_str()) {
                words[at - 1] = "<time>".to_owned();
                words[at].clear();
            }
        }
        let line = words.join(" ").replace("<time> ", "<time>");
        match lines.last_mut() {
            Some(last) if continues => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => lines.push(line),
        }
    }
    // Facts are this machine's own, and so is whether any stands out: they go with the line above them.
    let facts: Vec<usize> = (0..lines.len())
        .filter(|at| holds_facts(&lines[*at]))
        .collect();
    if let Some(first) = facts.first() {
        lines.drain(first - 1..first + facts.len());
    }
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

fn holds_facts(line: &str) -> bool {
    let mut facts = line
        .trim()
        .split([',', ' '])
        .filter(|fact| !fact.is_empty());
    let all_have_values = facts.clone().all(|fact| fact.contains('='));
    line.starts_with("  ") && facts.next().is_some() && all_have_values
}

fn word(word: &str) -> String {
    let bare = word.rsplit('/').next().unwrap_or(word);
    let hexadecimal = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if [8, 32].contains(&bare.len())
        && hexadecimal(bare)
        && bare.bytes().any(|b| b.is_ascii_digit())
    {
        return word.replace(bare, "<id>");
    }
    if word.ends_with('Z') && word.contains('T') && word.len() == 20 {
        return "<start>".to_owned();
    }
    let parts: Vec<&str> = word.split(['.', ',']).collect();
    let number = parts
        .iter()
        .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    if number && parts.len() == 3 {
        return "<version>".to_owned();
    }
    word.to_owned()
}

fn looks_as_before(name: &str, words: &str, arguments: &[&str]) {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let ended = scene
        .run(["check", "--python"])
        .args([&python])
        .args(arguments)
        .stand_in(words)
        .end();
    ended.expect_silence();
    let found = comparable(&scene, &ended);
    let golden = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("golden")
        .join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&golden, &found).unwrap();
        let _ = writeln!(std::io::stderr(), "renewed {}", golden.display());
        return;
    }
    let known = fs::read_to_string(&golden).unwrap_or_default();
    assert!(
        known == found,
        "{} differs; UPDATE_GOLDEN=1 cargo test -p firstfault-tests --test terminal renews it\n\
         --- known\n{known}--- found\n{found}\n{ended}",
        golden.display()
    );
}

#[test]
fn a_pass_looks_as_before() {
    let label = ["--label", "first try", "--output", "report.json"];
    looks_as_before("gpu-check-passed.en.txt", "", &label);
}

#[test]
fn a_wrong_result_in_german_looks_as_before() {
    looks_as_before("check-failed.de.txt", "wrong-product", &["--lang", "de"]);
}

#[test]
fn a_lack_of_memory_in_turkish_looks_as_before() {
    looks_as_before(
        "out-of-memory.tr.txt",
        "allocation:out-of-memory",
        &["--lang", "tr"],
    );
}
