//! The command's words: which of them may enter a report, and which Python they mean.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use firstfault_schema::clean::GAP;
use firstfault_schema::report::Scalar;

use crate::settings::{self, Variables};

/// The most words that enter a report.
const MOST_WORDS: usize = 64;
/// Values that name a device or a number format.
const KNOWN_VALUES: &[&str] = &[
    "auto", "bf16", "bfloat16", "cpu", "cuda", "float16", "float32", "float64", "fp16", "fp32",
    "gpu", "half", "mps", "xpu",
];

/// The command by the allow-list: base names of the program and of its script, names of options, and values that are
/// numbers, truth values, declared by `--set`, or known words. Everything else becomes a gap.
pub(crate) fn shown(
    words: &[OsString],
    declared: &BTreeMap<String, Scalar>,
    variables: &Variables,
) -> Vec<String> {
    let own = |text: &str| settings::own_words(text, variables).is_ok();
    let mut shown: Vec<String> = Vec::new();
    let mut add = |word: String| {
        let repeated = word == GAP && shown.last().is_some_and(|last| last == GAP);
        if !repeated && shown.len() < MOST_WORDS {
            shown.push(word);
        }
    };
    let mut words = words.iter();
    let program = words.next().map(|word| base_name(word)).unwrap_or_default();
    let python = is_python(&program);
    add(if own(&program) {
        program
    } else {
        GAP.to_owned()
    });
    // What comes before the script belongs to Python.
    let mut script_seen = !python;
    let mut module_next = false;
    // The last option asks for a password or the like, so that not even a number is shown behind it.
    let mut secret_next = false;
    for word in words {
        let secret = std::mem::take(&mut secret_next);
        let Some(text) = word.to_str() else {
            add(GAP.to_owned());
            continue;
        };
        if module_next {
            module_next = false;
            script_seen = true;
            add(if own(text) {
                text.to_owned()
            } else {
                GAP.to_owned()
            });
        } else if !script_seen && text == "-m" {
            module_next = true;
            add(text.to_owned());
        } else if !script_seen && text == "-c" {
            script_seen = true;
            add(text.to_owned());
        } else if let Some((name, value)) = text
            .split_once('=')
            .filter(|(name, _)| is_option(name) && own(name))
        {
            if let Some(option) = attached(name) {
                add(option.to_owned());
                add(GAP.to_owned());
            } else {
                add(name.to_owned());
                add(self::value(value, is_secret(name), declared));
            }
        } else if is_option(text) && own(text) {
            secret_next = is_secret(text);
            match attached(text) {
                None => add(text.to_owned()),
                Some(option) => {
                    add(option.to_owned());
                    add(GAP.to_owned());
                }
            }
        } else if !script_seen && text.ends_with(".py") {
            script_seen = true;
            let name = base_name(word);
            add(if own(&name) { name } else { GAP.to_owned() });
        } else {
            add(value(text, secret, declared));
        }
    }
    shown
}

/// The option before a value that is written onto it, as in `-ujane`: which names have several letters nobody can tell.
fn attached(text: &str) -> Option<&str> {
    let name = text
        .strip_prefix('-')
        .filter(|name| !name.starts_with('-'))?;
    let whole = name.len() <= 3 || name.bytes().skip(1).all(|byte| byte.is_ascii_digit());
    (!whole).then(|| &text[..2])
}

fn is_secret(option: &str) -> bool {
    const WORDS: &[&str] = &[
        "apikey",
        "auth",
        "credential",
        "key",
        "p",
        "passphrase",
        "passwd",
        "password",
        "pin",
        "pw",
        "pwd",
        "secret",
        "token",
    ];
    option
        .split(['-', '_', '.'])
        .any(|part| WORDS.iter().any(|word| part.eq_ignore_ascii_case(word)))
}

fn value(text: &str, secret: bool, declared: &BTreeMap<String, Scalar>) -> String {
    let short = text.len() <= if secret { 5 } else { 24 };
    let number = short && text.parse::<f64>().is_ok_and(f64::is_finite);
    let truth = ["true", "false", "True", "False"].contains(&text);
    let device = text
        .strip_prefix("cuda:")
        .is_some_and(|index| index.len() <= 3 && index.bytes().all(|byte| byte.is_ascii_digit()));
    let known = KNOWN_VALUES.contains(&text) || device;
    if number || truth || known || declared.values().any(|value| value.to_string() == text) {
        text.to_owned()
    } else {
        GAP.to_owned()
    }
}

/// `-b`, `--batch-size`, `--model.batch`.
fn is_option(text: &str) -> bool {
    let Some(name) = text.strip_prefix("--").or_else(|| text.strip_prefix('-')) else {
        return false;
    };
    name.len() <= 40
        && name.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter))
}

fn base_name(word: &OsStr) -> String {
    Path::new(word)
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// `python`, `python3`, `python3.11`, `pypy3`, `python.exe`.
fn is_python(name: &str) -> bool {
    let name = name.strip_suffix(".exe").unwrap_or(name);
    ["python", "pypy"].iter().any(|start| {
        name.strip_prefix(start).is_some_and(|rest| {
            rest.bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.')
        })
    })
}

/// The Python that runs the command: the one that is named, or the one that a script such as `torchrun` names in its first
/// line. None where the command names none.
pub(crate) fn python(words: &[OsString]) -> Option<PathBuf> {
    let program = Path::new(words.first()?);
    if is_python(&base_name(program.as_os_str())) {
        return Some(program.to_owned());
    }
    let path = if program.components().count() > 1 {
        program.to_owned()
    } else {
        std::env::split_paths(&std::env::var_os("PATH")?)
            .map(|folder| folder.join(program))
            .find(|path| path.is_file())?
    };
    let mut first = [0; 256];
    let read = File::open(path).ok()?.read(&mut first).ok()?;
    interpreter_of_script(&first[..read])
}

/// `#!/srv/venv/bin/python3` or `#!/usr/bin/env python3`
fn interpreter_of_script(text: &[u8]) -> Option<PathBuf> {
    let line = text
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?;
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_whitespace();
    let mut program = words.next()?;
    if base_name(OsStr::new(program)) == "env" {
        program = words.find(|word| !word.starts_with('-'))?;
    }
    is_python(&base_name(OsStr::new(program))).then(|| PathBuf::from(program))
}

/// The script whose folder Python puts first on `sys.path`.
pub(crate) fn script(words: &[OsString]) -> Option<PathBuf> {
    is_python(&base_name(words.first()?))
        .then(|| words.iter().skip(1))?
        .take_while(|word| *word != "-m" && *word != "-c")
        .find(|word| word.to_str().is_some_and(|text| text.ends_with(".py")))
        .map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    fn shown_line(line: &str) -> String {
        let declared = BTreeMap::from([("split".to_owned(), Scalar::from("train"))]);
        let variables = [("USER".to_owned(), "jane".to_owned())];
        shown(&words(line), &declared, &variables).join(" ")
    }

    #[test]
    fn names_of_options_and_numbers_stay_and_everything_else_becomes_a_gap() {
        let cases = [
            (
                "/srv/venv/bin/python /home/jane/embed.py --batch 32 --device cuda --output /tmp/x --lr=1e-3",
                "python embed.py --batch 32 --device cuda --output ‹…› --lr 1e-3",
            ),
            (
                "python3 -m project.train --split train --token=hf_abcdefghijkl key value",
                "python3 -m project.train --split train --token ‹…›",
            ),
            ("python -c import\u{a0}os 3", "python -c ‹…› 3"),
            (
                "torchrun --nproc_per_node=2 run.py",
                "torchrun --nproc_per_node 2 ‹…›",
            ),
            ("bash -x run.sh jane", "bash -x ‹…›"),
            (
                "mysql -phunter2 -ujane -np 4 -j8 -x -Dsecret=5 -n=6",
                "mysql -p ‹…› -u ‹…› -np 4 -j8 -x -D ‹…› -n 6",
            ),
            (
                "x --password 12345678 --api-key=123456 --max-tokens 12345678 --eos-token 2",
                "x --password ‹…› --api-key ‹…› --max-tokens 12345678 --eos-token 2",
            ),
            ("./jane", "‹…›"),
        ];
        for (line, expected) in cases {
            assert_eq!(shown_line(line), expected, "{line}");
        }
    }

    #[test]
    fn the_python_of_a_command_is_its_own_or_that_of_its_script() {
        assert_eq!(
            python(&words("/a/bin/python3.11 x.py")),
            Some("/a/bin/python3.11".into())
        );
        assert_eq!(python(&words("sh x.sh")), None);
        assert_eq!(
            interpreter_of_script(b"#!/srv/venv/bin/python3\nimport sys"),
            Some("/srv/venv/bin/python3".into())
        );
        assert_eq!(
            interpreter_of_script(b"#!/usr/bin/env -S python3 -u\n"),
            Some("python3".into())
        );
        assert_eq!(interpreter_of_script(b"#!/bin/sh\n"), None);
        assert_eq!(
            script(&words("python -u a/train.py --x b.py")),
            Some("a/train.py".into())
        );
        assert_eq!(script(&words("python -m pkg x.py")), None);
    }
}
