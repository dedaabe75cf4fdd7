//! How a run of the program ended, and what is expected of it.

use std::ffi::OsString;
use std::fmt;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use firstfault_schema::decision::Outcome;
use firstfault_schema::report::{Diagnosis, MAX_APPLICATION_BYTES, MAX_CHECK_BYTES, Stage};
use firstfault_schema::{Code, Report};

/// The most memory that `firstfault` itself may take.
pub const MEMORY_LIMIT_KIB: u64 = 64 * 1024;

/// The end of a run.
pub struct Ended {
    /// The command line.
    pub command: Vec<OsString>,
    /// The current folder.
    pub folder: PathBuf,
    /// Exit code or signal.
    pub status: ExitStatus,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// From start to end.
    pub elapsed: Duration,
    /// The most resident memory of the program itself, without its workers.
    pub peak_kib: u64,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let command: Vec<_> = self
            .command
            .iter()
            .map(|word| word.to_string_lossy())
            .collect();
        writeln!(f, "command: {}", command.join(" "))?;
        writeln!(f, "folder: {}", self.folder.display())?;
        writeln!(
            f,
            "ended: {} after {:.2} s, with {} KiB at most",
            self.status,
            self.elapsed.as_secs_f64(),
            self.peak_kib
        )?;
        writeln!(f, "standard output:\n{}", self.stdout)?;
        writeln!(f, "standard error:\n{}", self.stderr)
    }
}

impl Ended {
    /// The exit code; none when a signal ended it.
    pub fn exit(&self) -> Option<i32> {
        self.status.code()
    }

    /// The signal that ended it.
    pub fn signal(&self) -> Option<i32> {
        self.status.signal()
    }

    /// Expects this exit code.
    pub fn expect_exit(&self, code: i32) -> &Self {
        assert_eq!(self.exit(), Some(code), "{self}");
        self
    }

    /// Expects nothing on standard error.
    pub fn expect_silence(&self) -> &Self {
        assert_eq!(self.stderr, "", "{self}");
        self
    }

    /// Expects nothing on standard error but the two notes that every check with `--json` may bring: which Python was
    /// examined, and where the full messages lie, in any of the languages.
    pub fn expect_notes_alone(&self) -> &Self {
        let notes = [
            "Examined: ",
            "Full messages stay on this machine: ",
            "Geprüft: ",
            "Die vollständigen Meldungen bleiben auf diesem Rechner: ",
            "Denetlenen: ",
            "İletilerin tamamı bu makinede kalır: ",
        ];
        for line in self.stderr.lines() {
            let note = notes.iter().any(|note| line.starts_with(note));
            assert!(note, "unexpected on standard error: {line}\n{self}");
        }
        self
    }

    /// The report on standard output, which has to be one JSON document and nothing else, and to belong to the exit code.
    pub fn report(&self) -> Report {
        let report = Report::from_json(&self.stdout)
            .unwrap_or_else(|problem| panic!("no report: {problem}\n{self}"));
        assert_eq!(report.to_json(), self.stdout, "{self}");
        let most = if report.application.is_some() {
            MAX_APPLICATION_BYTES
        } else {
            MAX_CHECK_BYTES
        };
        assert!(self.stdout.len() <= most, "{self}");
        assert_eq!(
            self.exit(),
            Some(i32::from(report.code.exit_code())),
            "{self}"
        );
        report
    }

    /// The report, with this code and its exit code, a moderate memory, and no surprise on standard error.
    pub fn expect(&self, code: Code) -> Report {
        let report = self.report();
        assert_eq!(report.code, code, "{self}");
        assert!(
            self.peak_kib > 0 && self.peak_kib < MEMORY_LIMIT_KIB,
            "{self}"
        );
        self.expect_notes_alone();
        report
    }

    /// As [`Self::expect`], ended in this stage.
    pub fn expect_in(&self, code: Code, stage: Stage) -> Report {
        let report = self.expect(code);
        assert_eq!(report.stage, stage, "{self}");
        report
    }

    /// Expects that it took no longer than this.
    pub fn expect_within(&self, limit: Duration) -> &Self {
        assert!(
            self.elapsed <= limit,
            "longer than {} s\n{self}",
            limit.as_secs()
        );
        self
    }
}

/// The outcomes of the four decisions.
pub fn outcomes(report: &Report) -> [Outcome; 4] {
    [0, 1, 2, 3].map(|at| report.decisions[at].outcome)
}

/// The diagnosis of a report that has to have one.
pub fn diagnosis(report: &Report) -> &Diagnosis {
    report
        .diagnosis
        .as_ref()
        .unwrap_or_else(|| panic!("no diagnosis: {}", report.to_json()))
}

/// What the diagnosis says of a fact, as text.
pub fn fact(report: &Report, name: &str) -> Option<String> {
    diagnosis(report)
        .evidence
        .iter()
        .find(|evidence| evidence.fact == name)
        .map(|evidence| evidence.value.to_string())
}
