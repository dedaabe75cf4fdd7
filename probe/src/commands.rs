//! One function a command: settle, work, save, print, exit code.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::CommandFactory as _;
use firstfault_schema::explain::Explainer;
use firstfault_schema::parse::MAX_INPUT_BYTES;
use firstfault_schema::report::{MAX_LABEL_CHARS, Sweep};
use firstfault_schema::{Code, Report, ReportError, compare};
use firstfault_web::Carried;

use crate::application::resume::settings::ResumeSettings;
use crate::application::resume::{self, Resumed};
use crate::application::settings::RunSettings;
use crate::application::sweep::settings::SweepSettings;
use crate::application::sweep::{self, Swept};
use crate::application::{self, Ran, launch};
use crate::check::{self, Checked, Note};
use crate::cli::{
    CheckArgs, Cli, CompareArgs, CompletionsArgs, ExplainArgs, InitArgs, InterpretersArgs,
    MarkArgs, PageArgs, RepeatedRunArgs, ResumeArgs, StageEnd, SweepArgs, ValidateArgs,
};
use crate::error::{Error, UsageProblem};
use crate::interpreter::{self, Surroundings, Wish};
use crate::printer::{self, Printer};
use crate::repeat;
use crate::save::save_new;
use crate::settings::{CheckSettings, own_variables};

/// The largest log that is read.
const MAX_LOG_BYTES: u64 = 1024 * 1024 * 1024;

/// `firstfault check`: the exit code of the report.
pub(crate) fn check(typed: CheckArgs, printer: &Printer) -> Result<u8, Error> {
    let settings = CheckSettings::new(typed, &own_variables()).map_err(Error::Usage)?;
    let wanted = Wanted::of(&settings);
    wanted.warn(printer);
    crate::interrupt::install();
    let mut progress = printer.progress();
    let checked = repeat::check(&settings, &mut progress);
    drop(progress);
    let (Checked { report, notes }, interrupted) = checked?;
    let exit_code = deliver(report, &notes, &wanted, printer, interrupted)?;
    Ok(exit_code_of(exit_code, interrupted))
}

/// The exit code of a report, or that of the signal which ended the work before its end.
fn exit_code_of(report: u8, interrupted: bool) -> u8 {
    if interrupted {
        crate::interrupt::exit_code()
    } else {
        report
    }
}

/// In which forms a report is wanted.
struct Wanted {
    output: Option<PathBuf>,
    page: Option<PathBuf>,
    json: bool,
    ticket: bool,
}

impl Wanted {
    fn of(settings: &CheckSettings) -> Self {
        Self {
            output: settings.output.clone(),
            page: settings.page.clone(),
            json: settings.json,
            ticket: settings.ticket.is_some(),
        }
    }

    /// What can't be written is better said before a minute of work than after it.
    fn warn(&self, printer: &Printer) {
        for path in [&self.output, &self.page].into_iter().flatten() {
            if path.symlink_metadata().is_ok() {
                printer.warn_existing(path);
            }
        }
    }

    /// Work that may take hours is not begun for a report that can't be saved.
    fn refuse(&self) -> Result<(), Error> {
        let there = [&self.output, &self.page]
            .into_iter()
            .flatten()
            .find(|path| path.symlink_metadata().is_ok());
        match there {
            None => Ok(()),
            Some(path) => Err(Error::Save {
                path: path.clone(),
                source: std::io::ErrorKind::AlreadyExists.into(),
            }),
        }
    }
}

/// Saves and prints a report, and gives its exit code.
fn deliver(
    mut report: Report,
    notes: &[Note],
    wanted: &Wanted,
    printer: &Printer,
    interrupted: bool,
) -> Result<u8, Error> {
    let mut problem = wanted
        .output
        .as_deref()
        .and_then(|path| save(path, report.to_json().as_bytes()).err());
    if problem.is_none()
        && let Some(path) = &wanted.page
    {
        let carried = [Carried {
            name: "attempt.json".to_owned(),
            text: report.to_json(),
        }];
        problem = build_page(&carried)
            .and_then(|page| save(path, page.as_bytes()))
            .err();
    }
    if let Some(problem) = &problem {
        printer.error(problem);
    }
    if wanted.json || wanted.ticket {
        printer.notes(notes);
    } else {
        let saved = wanted.output.as_deref().filter(|_| problem.is_none());
        let end = printer::End {
            unsaved: problem.is_some(),
            interrupted: interrupted.then(crate::interrupt::exit_code),
        };
        match sweep_of(&report) {
            Some(sweep) => printer.sweep(&report, sweep, notes, saved, end)?,
            None => printer.check(&report, notes, saved, end)?,
        }
    }
    if problem.is_some() {
        report = check::unsaved(report);
    }
    if wanted.json {
        printer.data(&report.to_json())?;
    } else if wanted.ticket {
        printer.ticket(&report)?;
    }
    Ok(report.exit_code)
}

fn sweep_of(report: &Report) -> Option<&Sweep> {
    report.application.as_ref()?.sweep.as_ref()
}

/// `firstfault run`: the exit code of the report, or 130 where Ctrl-C ended the command (143 and 129 for SIGTERM and SIGHUP).
pub(crate) fn run(typed: RepeatedRunArgs, printer: &Printer) -> Result<u8, Error> {
    let variables = own_variables();
    let mut settings = RunSettings::new(typed.run, &variables).map_err(Error::Usage)?;
    settings.check.repeat = typed.repeat.unwrap_or(1);
    let wanted = Wanted::of(&settings.check);
    wanted.refuse()?;
    crate::interrupt::install_for_long_work();
    let mut progress = printer.run_progress(wanted.json);
    let ran = application::run(settings, &variables, &mut progress);
    drop(progress);
    let Ran {
        report,
        notes,
        interrupted,
    } = ran?;
    let exit_code = deliver(report, &notes, &wanted, printer, interrupted)?;
    Ok(exit_code_of(exit_code, interrupted))
}

/// `firstfault sweep`: the exit code of the report, or 130, 143 or 129 where a signal ended it.
pub(crate) fn sweep(typed: SweepArgs, printer: &Printer) -> Result<u8, Error> {
    let variables = own_variables();
    let settings = SweepSettings::new(typed, &variables).map_err(Error::Usage)?;
    let wanted = Wanted::of(&settings.run.check);
    wanted.refuse()?;
    crate::interrupt::install_for_long_work();
    let mut progress = printer.run_progress(wanted.json);
    let swept = sweep::sweep(settings, &variables, &mut progress);
    drop(progress);
    let Swept {
        report,
        notes,
        interrupted,
        finished,
    } = swept?;
    let exit_code = deliver(report, &notes, &wanted, printer, interrupted)?;
    if exit_code != Code::OutputWriteFailed.exit_code()
        && let Some(record) = finished
    {
        // Where it can't be put away, the next start tells the same once more.
        let _ = record.finish();
    }
    Ok(exit_code_of(exit_code, interrupted))
}

/// `firstfault resume`: the exit code of the report, or 130, 143 or 129 where a signal ended it.
pub(crate) fn resume(typed: ResumeArgs, printer: &Printer) -> Result<u8, Error> {
    let variables = own_variables();
    let settings = ResumeSettings::new(typed, &variables).map_err(Error::Usage)?;
    let wanted = Wanted::of(&settings.run.check);
    wanted.refuse()?;
    crate::interrupt::install_for_long_work();
    let mut progress = printer.run_progress(wanted.json);
    let resumed = resume::resume(settings, &variables, &mut progress);
    drop(progress);
    let Resumed {
        report,
        notes,
        interrupted,
        finished,
    } = resumed?;
    let exit_code = deliver(report, &notes, &wanted, printer, interrupted)?;
    if exit_code != Code::OutputWriteFailed.exit_code()
        && let Some(finished) = finished
    {
        finished.finish();
    }
    Ok(exit_code_of(exit_code, interrupted))
}

/// `firstfault init`: 0, or 12 when the contract can't be written.
pub(crate) fn init(typed: &InitArgs, printer: &Printer) -> Result<u8, Error> {
    save(&typed.output, application::TEMPLATE.as_bytes())?;
    printer.contract_written(&typed.output)?;
    Ok(0)
}

/// `firstfault mark`: 0, also outside of a run, where there is nobody to tell.
pub(crate) fn mark(typed: &MarkArgs, printer: &Printer) -> Result<u8, Error> {
    let file = std::env::var_os(launch::MARKERS).filter(|file| !file.is_empty());
    let Some(file) = file.map(PathBuf::from) else {
        return Ok(0);
    };
    let long = |text: &str| text.chars().count() > MAX_LABEL_CHARS;
    if long(&typed.name) || typed.kind.as_deref().is_some_and(long) {
        return Err(Error::Usage(UsageProblem::TooLong));
    }
    let event = match typed.end {
        StageEnd::Begin => "begin",
        StageEnd::End => "end",
    };
    if let Err(source) = application::mark::write(&file, event, &typed.name, typed.kind.as_deref())
    {
        // A mark that is lost must not end the script that wanted to set it.
        printer.error(&Error::Save { path: file, source });
    }
    Ok(0)
}

/// `firstfault validate`: 0 when every file is a report, 1 when some is not, 2 when some can't be read.
pub(crate) fn validate(typed: &ValidateArgs, printer: &Printer) -> Result<u8, Error> {
    let mut invalid = 0;
    let mut unreadable = false;
    for path in &typed.files {
        match read_report(path) {
            Ok((report, _)) => printer.valid(path, &report)?,
            Err(Error::NoReport { source, .. }) => {
                invalid += 1;
                printer.invalid(path, &source)?;
            }
            Err(error) => {
                unreadable = true;
                printer.error(&error);
            }
        }
    }
    Ok(if unreadable { 2 } else { u8::from(invalid > 0) })
}

/// `firstfault compare`: 0 not worse, 1 worse, 3 not comparable.
pub(crate) fn compare(typed: &CompareArgs, printer: &Printer) -> Result<u8, Error> {
    let (baseline, _) = read_report(&typed.baseline)?;
    let (candidate, _) = read_report(&typed.candidate)?;
    let comparison = compare::compare(&baseline, &candidate);
    if typed.json {
        printer.comparison_json(&comparison)?;
    } else {
        printer.comparison(&baseline, &candidate, &comparison)?;
    }
    Ok(comparison.verdict.exit_code())
}

/// `firstfault explain`: 0; with `--exit-code` 1 when a fault was found.
pub(crate) fn explain(typed: &ExplainArgs, printer: &Printer) -> Result<u8, Error> {
    let unreadable = |source| Error::ReadInput {
        path: typed.file.clone(),
        source,
    };
    let mut input: Box<dyn Read> = if typed.file.as_os_str() == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(fs::File::open(&typed.file).map_err(unreadable)?)
    };
    let mut explainer = Explainer::new();
    let mut block = vec![0; 1024 * 1024];
    let mut total: u64 = 0;
    loop {
        let read = match input.read(&mut block) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(unreadable(error)),
        };
        total += read as u64;
        if total > MAX_LOG_BYTES {
            return Err(Error::LogTooLarge {
                path: typed.file.clone(),
                limit: MAX_LOG_BYTES,
            });
        }
        explainer.feed(&block[..read]);
    }
    let faults = explainer.finish();
    if typed.json {
        printer.faults_json(&faults)?;
    } else {
        printer.faults(&faults)?;
    }
    Ok(u8::from(typed.exit_code && !faults.is_empty()))
}

/// `firstfault interpreters`: 0, or 1 when none was found.
pub(crate) fn interpreters(typed: &InterpretersArgs, printer: &Printer) -> Result<u8, Error> {
    let surroundings = Surroundings::of_this_process().map_err(|source| Error::ReadInput {
        path: ".".into(),
        source,
    })?;
    let running = typed
        .pid
        .map(|pid| interpreter::settle(&Wish::Pid(pid), &surroundings))
        .transpose()
        .map_err(|problem| Error::Interpreter { problem })?;
    let candidates = interpreter::discover(&surroundings, running);
    if typed.json {
        printer.interpreters_json(&candidates)?;
    } else {
        printer.interpreters(&candidates)?;
    }
    let found = candidates.iter().any(|candidate| candidate.found.is_ok());
    Ok(u8::from(!found))
}

/// `firstfault page`: 0, or 12 when it can't be written.
pub(crate) fn page(typed: &PageArgs, printer: &Printer) -> Result<u8, Error> {
    let mut carried = Vec::new();
    for path in &typed.files {
        let (_, text) = read_report(path)?;
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        carried.push(Carried { name, text });
    }
    let page = build_page(&carried)?;
    save(&typed.output, page.as_bytes())?;
    printer.page_written(&typed.output, carried.len())?;
    Ok(0)
}

/// `firstfault completions`.
pub(crate) fn completions(typed: &CompletionsArgs, printer: &Printer) -> Result<u8, Error> {
    let mut script = Vec::new();
    clap_complete::generate(typed.shell, &mut Cli::command(), "firstfault", &mut script);
    printer.data(&String::from_utf8_lossy(&script))?;
    Ok(0)
}

pub(crate) fn build_page(carried: &[Carried]) -> Result<String, Error> {
    firstfault_web::page(carried).map_err(|problem| match problem {
        firstfault_web::PageError::NotBuilt => Error::PageNotBuilt,
        damaged => Error::PageFailed {
            problem: damaged.to_string(),
        },
    })
}

pub(crate) fn save(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    save_new(path, bytes).map_err(|source| Error::Save {
        path: path.to_path_buf(),
        source,
    })
}

/// A report and its text. What is far too large is refused before it is read.
pub(crate) fn read_report(path: &Path) -> Result<(Report, String), Error> {
    let unreadable = |source| Error::ReadInput {
        path: path.to_path_buf(),
        source,
    };
    let no_report = |source| Error::NoReport {
        path: path.to_path_buf(),
        source,
    };
    let data = fs::metadata(path).map_err(unreadable)?;
    let found = usize::try_from(data.len()).unwrap_or(usize::MAX);
    if found > MAX_INPUT_BYTES {
        return Err(no_report(ReportError::TooLarge {
            found,
            limit: MAX_INPUT_BYTES,
        }));
    }
    // A device or a pipe tells no length, and may have no end.
    let mut bytes = Vec::new();
    fs::File::open(path)
        .and_then(|file| {
            file.take(MAX_INPUT_BYTES as u64 + 1)
                .read_to_end(&mut bytes)
        })
        .map_err(unreadable)?;
    if bytes.len() > MAX_INPUT_BYTES {
        return Err(no_report(ReportError::TooLarge {
            found: bytes.len(),
            limit: MAX_INPUT_BYTES,
        }));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| no_report(ReportError::NotJson { line: 1, column: 1 }))?;
    let report = Report::from_json(&text).map_err(no_report)?;
    Ok((report, text))
}
