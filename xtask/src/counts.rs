//! Reads from a test runner's own output how many tests passed and failed.

/// How many tests ran, as the runner counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Passed.
    pub(crate) passed: u64,
    /// Failed, or ended before they could.
    pub(crate) failed: u64,
    /// Left out by the runner: ignored, skipped or still to be written.
    pub(crate) skipped: u64,
}

impl Counts {
    /// Both together.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
        }
    }

    /// The closing line.
    pub(crate) fn line(self) -> String {
        let mut line = format!("{} passed, {} failed", self.passed, self.failed);
        if self.skipped > 0 {
            line.push_str(&format!(", {} skipped", self.skipped));
        }
        line
    }
}

/// The sum over the test binaries that `cargo test` ran; none where it ran none.
///
/// A line reads: `test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s`
pub(crate) fn cargo(lines: &[String]) -> Option<Counts> {
    let mut sum = None;
    for line in lines {
        let Some((_, rest)) = line.split_once("test result: ") else {
            continue;
        };
        let numbers: Vec<(u64, &str)> = rest
            .split([';', '.'])
            .filter_map(|part| part.trim().split_once(' '))
            .filter_map(|(number, word)| Some((number.parse().ok()?, word)))
            .collect();
        let of = |wanted: &str| {
            numbers
                .iter()
                .find(|(_, word)| *word == wanted)
                .map_or(0, |(number, _)| *number)
        };
        let counts = Counts {
            passed: of("passed"),
            failed: of("failed"),
            skipped: of("ignored"),
        };
        sum = Some(counts.plus(sum.unwrap_or_default()));
    }
    sum
}

/// The closing lines of `node --test`; none where they are missing.
///
/// They read `ℹ pass 5` with the reporter "spec" and `# pass 5` with "tap".
pub(crate) fn node(lines: &[String]) -> Option<Counts> {
    let of = |wanted: &str| {
        lines.iter().rev().find_map(|line| {
            let rest = line
                .strip_prefix("ℹ ")
                .or_else(|| line.strip_prefix("# "))?;
            let (word, number) = rest.split_once(' ')?;
            (word == wanted).then(|| number.trim().parse::<u64>().ok())?
        })
    };
    Some(Counts {
        passed: of("pass")?,
        failed: of("fail")? + of("cancelled").unwrap_or(0),
        skipped: of("skipped").unwrap_or(0) + of("todo").unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_binaries_of_cargo_test_are_summed() {
        let text = lines(
            "running 2 tests\n\
             test a ... ok\n\
             test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s\n\
             test result: FAILED. 3 passed; 4 failed; 0 ignored; 0 measured; 9 filtered out; finished in 1.23s",
        );
        assert_eq!(
            cargo(&text),
            Some(Counts {
                passed: 5,
                failed: 4,
                skipped: 1
            })
        );
    }

    #[test]
    fn a_runner_without_closing_lines_has_no_count() {
        assert_eq!(cargo(&lines("error: could not compile")), None);
        assert_eq!(node(&lines("ℹ pass 3")), None);
        assert_eq!(node(&[]), None);
    }

    #[test]
    fn both_reporters_of_node_are_read_and_a_cancelled_test_has_failed() {
        let spec = "ℹ tests 7\nℹ suites 0\nℹ pass 3\nℹ fail 1\nℹ cancelled 1\nℹ skipped 1\nℹ todo 1\nℹ duration_ms 5.1";
        let expected = Some(Counts {
            passed: 3,
            failed: 2,
            skipped: 2,
        });
        assert_eq!(node(&lines(spec)), expected);
        assert_eq!(node(&lines(&spec.replace('ℹ', "#"))), expected);
    }

    #[test]
    fn the_closing_line_names_what_was_left_out() {
        assert_eq!(
            Counts {
                passed: 3,
                failed: 0,
                skipped: 0
            }
            .line(),
            "3 passed, 0 failed"
        );
        assert_eq!(
            Counts {
                passed: 3,
                failed: 1,
                skipped: 2
            }
            .line(),
            "3 passed, 1 failed, 2 skipped"
        );
    }
}
