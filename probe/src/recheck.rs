//! `firstfault recheck`: the attempt of a baseline made again, with the baseline's own demands, and compared with it.

use std::time::Duration;

use firstfault_schema::Report;
use firstfault_schema::code::Status;
use firstfault_schema::compare::{Comparison, Verdict, compare};
use firstfault_schema::decision::Outcome;
use firstfault_schema::report::{Engine, Scalar, WitnessAnswer};
use firstfault_web::Carried;

use crate::application::recorded::{self, Recorded, is_identifier};
use crate::application::settings::RunSettings;
use crate::application::{self, Ran};
use crate::check::{self, Checked, Note};
use crate::cli::{EngineChoice, RecheckArgs};
use crate::commands::{build_page, read_report, save};
use crate::error::{Error, RecheckProblem};
use crate::printer::Printer;
use crate::repeat;
use crate::settings::{
    Baseline, CheckSettings, InterpreterWish, Variables, own_variables, own_words,
};

/// The most repetitions, as for `--repeat`.
const MOST_REPEATS: u32 = 100;

/// The command: 0 not worse, 1 worse, the new attempt's own code where it failed.
pub(crate) fn recheck(typed: RecheckArgs, printer: &Printer) -> Result<u8, Error> {
    let variables = own_variables();
    let (baseline, baseline_text) = read_report(&typed.baseline)?;
    own_words_only(&baseline, &variables)?;
    if !is_identifier(&baseline.attempt.id) {
        return Err(Error::Recheck(RecheckProblem::BadIdentifier));
    }
    let demand = demand(&baseline, &typed)?;
    for path in [&typed.output, &typed.page].into_iter().flatten() {
        if path.symlink_metadata().is_ok() {
            printer.warn_existing(path);
        }
    }
    crate::interrupt::install();
    let (mut report, notes) = attempt(demand, &variables, printer)?;
    let comparison = compare(&baseline, &report);
    let carried = || {
        [("baseline", baseline_text), ("recheck", report.to_json())].map(|(name, text)| Carried {
            name: format!("{name}.json"),
            text,
        })
    };
    let problem = typed
        .output
        .as_deref()
        .map_or(Ok(()), |path| save(path, report.to_json().as_bytes()))
        .and_then(|()| match &typed.page {
            Some(path) => save(path, build_page(&carried())?.as_bytes()),
            None => Ok(()),
        })
        .err();
    if let Some(problem) = &problem {
        printer.error(problem);
        report = check::unsaved(report);
    }
    printer.recheck_notes(&notes, report.status == Status::Failed);
    if typed.json {
        printer.recheck_json(&report, &comparison)?;
    } else {
        printer.recheck(&report, &comparison)?;
    }
    Ok(exit_code(&report, &comparison))
}

/// A broken GPU is never 0, however broken the baseline was.
fn exit_code(report: &Report, comparison: &Comparison) -> u8 {
    if report.status == Status::Failed {
        return report.exit_code;
    }
    match comparison.verdict {
        Verdict::Better | Verdict::Same => 0,
        Verdict::Worse | Verdict::NotComparable => 1,
    }
}

/// What is attempted again.
enum Demand {
    Check(Box<CheckSettings>),
    Run(Box<RunSettings>),
}

fn attempt(
    demand: Demand,
    variables: &Variables,
    printer: &Printer,
) -> Result<(Report, Vec<Note>), Error> {
    match demand {
        Demand::Check(settings) => {
            let mut progress = printer.progress();
            let checked = repeat::check(&settings, &mut progress);
            drop(progress);
            let (Checked { report, notes }, interrupted) = checked?;
            if interrupted {
                return Err(Error::Interrupted);
            }
            Ok((report, notes))
        }
        Demand::Run(settings) => {
            let mut progress = printer.recheck_progress();
            let ran = application::run(*settings, variables, progress.as_mut());
            drop(progress);
            let Ran {
                report,
                notes,
                interrupted,
            } = ran?;
            if interrupted {
                return Err(Error::Interrupted);
            }
            Ok((report, notes))
        }
    }
}

fn demand(baseline: &Report, typed: &RecheckArgs) -> Result<Demand, Error> {
    let application = baseline.application.as_ref();
    if application
        .is_some_and(|application| application.sweep.is_some() || application.resume.is_some())
    {
        return Err(Error::Recheck(RecheckProblem::OtherKind));
    }
    let is_run = application.is_some() || outcome(baseline, 3) == Some(Outcome::NotReached);
    let check = check_settings(baseline, typed);
    if !is_run {
        let problem = if !typed.command.is_empty() {
            Some(RecheckProblem::CommandForCheck)
        } else if typed.contract.is_some() || typed.timeout.is_some() {
            Some(RecheckProblem::ContractForCheck)
        } else {
            None
        };
        return match problem {
            Some(problem) => Err(Error::Recheck(problem)),
            None => Ok(Demand::Check(Box::new(check))),
        };
    }
    run_settings(baseline, typed, check)
}

fn outcome(report: &Report, at: usize) -> Option<Outcome> {
    report.decisions.get(at).map(|decision| decision.outcome)
}

fn check_settings(baseline: &Report, typed: &RecheckArgs) -> CheckSettings {
    let execution = &baseline.execution;
    let engine = match (execution.engine, baseline.libtorch.answer) {
        (Engine::Libtorch, _) => EngineChoice::Libtorch,
        // A witness that was not asked, or had nothing to load, would only add its own time.
        (Engine::Python, WitnessAnswer::NotRun) => EngineChoice::Python,
        (Engine::Python, _) => EngineChoice::Auto,
    };
    CheckSettings {
        wish: typed
            .python
            .clone()
            .map_or(InterpreterWish::Default, InterpreterWish::Python),
        program: None,
        engine,
        libtorch: typed.libtorch.clone(),
        device: execution.requested_device,
        index: execution.requested_index.unwrap_or(0),
        limit: Duration::from_secs(typed.check_timeout),
        host_check: baseline.host.is_some(),
        label: baseline.attempt.label.clone(),
        parameters: baseline.attempt.parameters.clone(),
        repeat: typed
            .repeat
            .or_else(|| baseline.noise.as_ref().map(|noise| noise.runs))
            .unwrap_or(1)
            .clamp(1, MOST_REPEATS),
        baseline: Some(Baseline {
            id: baseline.attempt.id.clone(),
            // Nothing but digits gets from somebody's file into a new report.
            salt: baseline
                .pytorch
                .device_salt
                .clone()
                .filter(|salt| is_identifier(salt)),
            lends_parameters: true,
        }),
        output: None,
        page: None,
        ticket: None,
        json: typed.json,
    }
}

fn run_settings(
    baseline: &Report,
    typed: &RecheckArgs,
    mut check: CheckSettings,
) -> Result<Demand, Error> {
    let recorded = if typed.command.is_empty() {
        let recorded = recorded::load(&baseline.attempt.id);
        Some(recorded.ok_or(Error::Recheck(RecheckProblem::NoCommand))?)
    } else {
        None
    };
    let mut command = typed.command.clone();
    let mut contract = typed.contract.clone();
    let mut limit = typed.timeout;
    let mut python_named = typed.python.is_some();
    if let Some(recorded) = recorded {
        command = recorded.words();
        let Recorded {
            python,
            contract: held_against,
            parameters,
            timeout_s,
            ..
        } = recorded;
        contract = contract.or(held_against);
        limit = limit.or(timeout_s);
        check.parameters = parameters;
        if let Some(baseline) = &mut check.baseline {
            baseline.lends_parameters = false;
        }
        if let (false, Some(python)) = (python_named, python) {
            python_named = true;
            check.wish = InterpreterWish::Python(python);
        }
    }
    let examined = (0..3).filter_map(|at| outcome(baseline, at));
    Ok(Demand::Run(Box::new(RunSettings {
        skip_check: examined
            .clone()
            .all(|outcome| outcome == Outcome::NotRequested),
        keep_going: baseline.application.is_some()
            && examined
                .into_iter()
                .any(|outcome| matches!(outcome, Outcome::Failed | Outcome::NotProven)),
        check,
        python_named,
        contract,
        limit: limit.map(Duration::from_secs),
        until: None,
        command,
    })))
}

/// Text from a report that somebody else may have written becomes words of a new one only as it would from a command line.
fn own_words_only(baseline: &Report, variables: &Variables) -> Result<(), Error> {
    let label = baseline.attempt.label.iter();
    let texts = baseline
        .attempt
        .parameters
        .iter()
        .flat_map(|(name, value)| {
            let text = match value {
                Scalar::Text(text) => Some(text),
                Scalar::Bool(_) | Scalar::Number(_) => None,
            };
            std::iter::once(name).chain(text)
        });
    for text in label.chain(texts) {
        own_words(text, variables).map_err(Error::Usage)?;
    }
    Ok(())
}
