//! A training: its losses, which parameters changed between two checkpoints, and whether checkpoints can be opened.

use std::time::SystemTime;

use firstfault_schema::report::Scalar;

use super::broken::Broken;
use super::checkpoint::{self, Prints};
use super::files;
use super::metrics;
use super::npy::Failure;
use super::parallel::Run;
use super::points::{Point, Word, counted, judged};
use super::text::TrainingPlan;
use super::{Context, Findings};

/// Holds a training against its part of the contract.
pub(super) fn check(
    plan: &TrainingPlan,
    context: &Context<'_>,
    run: Run<'_>,
    findings: &mut Findings<'_>,
) {
    if let Some(log) = &plan.log {
        metrics::check_losses(log, context, run, findings);
    }
    if let (Some(before), Some(after)) = (&plan.before, &plan.after) {
        parameters(before, after, plan, context, run, findings);
    }
    if !plan.checkpoints.is_empty() {
        opens(&plan.checkpoints, context, run, findings);
    }
}

fn parameters(
    before: &str,
    after: &str,
    plan: &TrainingPlan,
    context: &Context<'_>,
    run: Run<'_>,
    findings: &mut Findings<'_>,
) {
    // The beginning may be older than the run: a checkpoint that it was given.
    let both = prints(before, None, context, run)
        .and_then(|before| Ok((before, prints(after, context.since, context, run)?)));
    let (before, after) = match both {
        Ok(both) => both,
        Err(word) => {
            for (point, demanded) in [
                (Point::ParametersChanged, true),
                (Point::ParametersKept, !plan.kept.is_empty()),
            ] {
                if demanded {
                    findings.add(judged(point, false, None, Some(word.into())));
                }
            }
            return;
        }
    };
    for (point, patterns, should_change) in [
        (Point::ParametersChanged, &plan.changed, true),
        (Point::ParametersKept, &plan.kept, false),
    ] {
        if !patterns.is_empty() {
            compare(
                point,
                patterns,
                should_change,
                (&before, &after),
                plan,
                findings,
            );
        }
    }
}

/// Tensors of the newest file that `pattern` names.
fn prints(
    pattern: &str,
    since: Option<SystemTime>,
    context: &Context<'_>,
    run: Run<'_>,
) -> Result<Prints, Word> {
    let found = files::find(context.folder, &[pattern.to_owned()], since);
    let modified =
        |path: &&std::path::PathBuf| path.metadata().and_then(|found| found.modified()).ok();
    let Some(path) = found.fresh.iter().max_by_key(modified) else {
        return Err(found.problem().unwrap_or(Word::Missing));
    };
    checkpoint::prints(path, run).map_err(|failure| match failure {
        Failure::Io => Word::Unreadable,
        Failure::Flaw(word) => word,
    })
}

fn compare(
    point: Point,
    patterns: &[String],
    should_change: bool,
    (before, after): (&Prints, &Prints),
    plan: &TrainingPlan,
    findings: &mut Findings<'_>,
) {
    let meant = patterns_of(patterns);
    let kept = patterns_of(&plan.kept);
    let is_meant = |name: &str| {
        meant.iter().any(|pattern| pattern.matches(name))
            && !(should_change && kept.iter().any(|pattern| pattern.matches(name)))
    };
    let mut broken = Broken::default();
    let mut other_forms = Broken::default();
    let mut expected = 0_u64;
    for (name, old) in before.iter().filter(|(name, _)| is_meant(name)) {
        expected += 1;
        match after.get(name) {
            Some(new) if new.form == old.form => {
                if (new.hash != old.hash) != should_change {
                    broken.name(name);
                }
            }
            _ => other_forms.name(name),
        }
    }
    for name in after
        .keys()
        .filter(|name| is_meant(name) && !before.contains_key(*name))
    {
        expected += 1;
        other_forms.name(name);
    }
    let names = |broken: Broken| {
        let names = broken.first.into_iter().filter_map(|example| example.id);
        names.collect::<Vec<_>>()
    };
    if expected == 0 {
        // A pattern that fits nothing demands nothing, and so proves nothing.
        findings.add(judged(point, false, None, Some(Word::NoField.into())));
        return;
    }
    if other_forms.count > 0 {
        let found = Some(Word::DifferentShapes.into());
        let found = counted(point, &other_forms, Some(expected.into()), found);
        findings.add_named(found, names(other_forms));
        return;
    }
    let fitting = Some(Scalar::from(expected - broken.count));
    let found = counted(point, &broken, Some(expected.into()), fitting);
    findings.add_named(found, names(broken));
}

/// Patterns were checked when the contract was read.
fn patterns_of(texts: &[String]) -> Vec<glob::Pattern> {
    texts
        .iter()
        .filter_map(|text| glob::Pattern::new(text).ok())
        .collect()
}

fn opens(patterns: &[String], context: &Context<'_>, run: Run<'_>, findings: &mut Findings<'_>) {
    let found = files::find(context.folder, patterns, context.since);
    let mut unfit = found.unfit;
    for path in &found.fresh {
        let word = match checkpoint::open(path, run) {
            Ok(()) => continue,
            Err(Failure::Io) => Word::Unreadable,
            Err(Failure::Flaw(word)) => word,
        };
        unfit.push((path.clone(), word));
    }
    let result = match unfit.first() {
        Some((_, word)) => Scalar::from(*word),
        None => (found.fresh.len() as u64).into(),
    };
    let mut point = judged(Point::CheckpointOpens, unfit.is_empty(), None, Some(result));
    point.broken = Some(unfit.len() as u64);
    findings.add_files(point, &unfit);
}
