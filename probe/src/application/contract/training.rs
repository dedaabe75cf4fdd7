//! A training: its losses, which parameters changed between two checkpoints, and whether checkpoints can be opened.

use std::collections::BTreeSet;
use std::path::PathBuf;
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
        metrics::check_losses(log, plan.skip_blank, context, run, findings);
    }
    let mut finite = Finite::default();
    if let (Some(before), Some(after)) = (&plan.before, &plan.after) {
        parameters(before, after, plan, context, run, findings, &mut finite);
    }
    let fresh = if plan.checkpoints.is_empty() {
        Vec::new()
    } else {
        opens(&plan.checkpoints, context, run, findings)
    };
    if plan.finite {
        for path in fresh {
            // One that is none of the usual kinds has been opened, and tells nothing about numbers.
            if finite.seen.insert(path.clone())
                && let Ok(prints) = checkpoint::prints(&path, run)
            {
                finite.judge(&prints);
            }
        }
        finite.finish(findings);
    }
}

/// The floating-point tensors of checkpoints, and those of them that are not finite.
#[derive(Default)]
struct Finite {
    /// Files that were looked through.
    seen: BTreeSet<PathBuf>,
    /// The tensors that the training began with.
    before: Prints,
    judged: u64,
    broken: Broken,
}

impl Finite {
    fn judge(&mut self, prints: &Prints) {
        for (name, print) in prints {
            let Some(unfit) = print.unfit else {
                continue;
            };
            self.judged += 1;
            // The best loss so far begins as infinite, and a mask is full of infinities that stay.
            let meant = print.single || self.before.get(name) == Some(print);
            if unfit.nan || (unfit.infinite && !meant) {
                self.broken.name(name);
            }
        }
    }

    /// Nothing is said where no tensor told its numbers.
    fn finish(self, findings: &mut Findings<'_>) {
        if self.judged == 0 {
            return;
        }
        let finite = self.judged - self.broken.count;
        let point = counted(
            Point::ParametersFinite,
            &self.broken,
            Some(self.judged.into()),
            Some(finite.into()),
        );
        findings.add_named(point, names(self.broken));
    }
}

fn names(broken: Broken) -> Vec<String> {
    let names = broken.first.into_iter().filter_map(|example| example.id);
    names.collect()
}

fn parameters(
    before: &str,
    after: &str,
    plan: &TrainingPlan,
    context: &Context<'_>,
    run: Run<'_>,
    findings: &mut Findings<'_>,
    finite: &mut Finite,
) {
    // The beginning may be older than the run: a checkpoint that it was given.
    let both = prints(before, None, context, run)
        .and_then(|before| Ok((before.1, prints(after, context.since, context, run)?)));
    let (before, (path, after)) = match both {
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
    finite.before = before;
    finite.judge(&after);
    finite.seen.insert(path);
}

/// The newest file that `pattern` names, and its tensors.
fn prints(
    pattern: &str,
    since: Option<SystemTime>,
    context: &Context<'_>,
    run: Run<'_>,
) -> Result<(PathBuf, Prints), Word> {
    let found = files::find(context.folder, &[pattern.to_owned()], since);
    let modified =
        |path: &&std::path::PathBuf| path.metadata().and_then(|found| found.modified()).ok();
    let Some(path) = found.fresh.iter().max_by_key(modified) else {
        return Err(found.problem().unwrap_or(Word::Missing));
    };
    match checkpoint::prints(path, run) {
        Ok(prints) => Ok((path.clone(), prints)),
        Err(Failure::Io) => Err(Word::Unreadable),
        Err(Failure::Flaw(word)) => Err(word),
    }
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

/// Those that can be opened.
fn opens(
    patterns: &[String],
    context: &Context<'_>,
    run: Run<'_>,
    findings: &mut Findings<'_>,
) -> Vec<PathBuf> {
    let found = files::find(context.folder, patterns, context.since);
    let mut unfit = found.unfit;
    let mut whole = Vec::new();
    for path in &found.fresh {
        let word = match checkpoint::open(path, run) {
            Ok(()) => {
                whole.push(path.clone());
                continue;
            }
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
    whole
}
