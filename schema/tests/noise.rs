//! The noise floor: what is measured, how rarely a repetition is called a change, and that a real change is found.

use firstfault_schema::Report;
use firstfault_schema::compare::{Answer, Change, Standing, Verdict, compare};
use firstfault_schema::guidance::{Guidance, Language};
use firstfault_schema::noise;
use firstfault_schema::report::{Measure, Noise};
use proptest::prelude::*;

fn report(name: &str) -> Report {
    let path = format!("{}/fixtures/valid/{name}.json", env!("CARGO_MANIFEST_DIR"));
    Report::from_json(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Numbers that look random and are the same each time.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        #[allow(clippy::cast_precision_loss, reason = "53 bits")]
        let uniform = (self.0 >> 11) as f64 / (1_u64 << 53) as f64;
        uniform
    }

    fn normal(&mut self) -> f64 {
        // The sum of twelve is close enough, and has no tails that a clock would not show.
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// How the measures of an attempt differ from run to run.
#[derive(Clone, Copy, Debug)]
enum Noisy {
    /// By 5 %, evenly to both sides.
    Even,
    /// Seldom by much more: a neighbour on the machine.
    Spikes,
    /// By 5 %, and each series by another 5 % as a whole: another day.
    Days,
}

/// A check that is repeated, with all its durations times `slower`.
fn series(base: &Report, random: &mut Random, noisy: Noisy, runs: usize, slower: f64) -> Report {
    let day = match noisy {
        Noisy::Days => 0.05 * random.normal(),
        Noisy::Even | Noisy::Spikes => 0.0,
    };
    let mut factor = || {
        let spike = match noisy {
            Noisy::Spikes if random.uniform() < 0.1 => random.uniform(),
            _ => 0.0,
        };
        (1.0 + 0.05 * random.normal() + day + spike).max(0.1) * slower
    };
    let reports: Vec<Report> = (0..runs)
        .map(|_| {
            let mut run = base.clone();
            let timings = &mut run.execution.timings;
            for value in [
                &mut timings.import_ms,
                &mut timings.first_pass_ms,
                &mut timings.following_pass_ms,
            ] {
                *value = Some(value.unwrap_or(1000.0).max(100.0) * factor());
            }
            run
        })
        .collect();
    let mut given = reports[0].clone();
    given.attempt.id = format!("{:032x}", random.0);
    given.noise = (runs > 1).then(|| noise::of(&reports));
    given
}

/// The share of comparisons with this verdict, in percent.
fn rate(noisy: Noisy, runs: [usize; 2], slower: f64, verdict: Verdict) -> f64 {
    const TRIES: u32 = 1000;
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let base = report("gpu-check-passed");
    let hits: u32 = (0..TRIES)
        .map(|_| {
            let before = series(&base, &mut random, noisy, runs[0], 1.0);
            let after = series(&base, &mut random, noisy, runs[1], slower);
            u32::from(compare(&before, &after).verdict == verdict)
        })
        .sum();
    f64::from(hits) * 100.0 / f64::from(TRIES)
}

#[test]
fn a_repetition_of_the_same_is_called_the_same_nearly_always() {
    // Three durations at once; a single one of them would be enough for another verdict.
    let cases = [
        (Noisy::Even, [5, 5], 99.5),
        (Noisy::Even, [3, 3], 99.0),
        (Noisy::Even, [10, 10], 99.5),
        (Noisy::Even, [5, 1], 99.0),
        (Noisy::Spikes, [5, 5], 99.5),
        (Noisy::Spikes, [10, 1], 92.0),
        (Noisy::Days, [5, 5], 97.0),
        (Noisy::Days, [10, 10], 98.5),
    ];
    for (noisy, runs, least) in cases {
        let same = rate(noisy, runs, 1.0, Verdict::Same);
        assert!(same >= least, "{noisy:?} {runs:?}: {same:.2} %");
    }
}

#[test]
fn a_change_beyond_the_noise_is_found() {
    // Noise of 5 % spreads five runs over some 12 %.
    let cases = [
        (Noisy::Even, [5, 5], 1.4, 95.0),
        (Noisy::Even, [10, 10], 1.4, 98.5),
        (Noisy::Even, [5, 1], 1.8, 97.0),
        (Noisy::Days, [5, 5], 1.6, 95.0),
    ];
    for (noisy, runs, slower, least) in cases {
        let worse = rate(noisy, runs, slower, Verdict::Worse);
        assert!(worse >= least, "{noisy:?} {runs:?}: {worse:.2} %");
    }
    let better = rate(Noisy::Even, [5, 5], 0.6, Verdict::Better);
    assert!(better >= 98.0, "{better:.2} %");
}

#[test]
fn what_a_guess_would_miss_is_found_and_what_it_would_blame_is_not() {
    // Import times that lie close together: 20 % more is a change, which the guessed factor of 2 would never see.
    let mut random = Random(7);
    let quiet = |slower: f64, random: &mut Random| {
        let mut reports: Vec<Report> = vec![report("gpu-check-passed"); 5];
        for run in &mut reports {
            run.execution.timings.import_ms =
                Some(1500.0 * slower * (1.0 + 0.002 * random.normal()));
        }
        let mut given = reports[0].clone();
        given.attempt.id = format!("{:032x}", random.0);
        given.noise = Some(noise::of(&reports));
        given
    };
    let before = quiet(1.0, &mut random);
    let after = quiet(1.2, &mut random);
    let comparison = compare(&before, &after);
    let row = comparison
        .rows
        .iter()
        .find(|row| row.path == "execution.timings.import_ms")
        .unwrap();
    assert_eq!(row.change, Change::Worse);
    let floor = row.floor.unwrap();
    assert_eq!((floor.baseline.runs, floor.candidate.runs), (5, 5));
    assert!(floor.share().unwrap() < 0.05);
    let said = comparison.remarks[0].text(&Guidance::new(Language::English));
    assert!(
        said.starts_with("import +") && said.contains("(noise: up to "),
        "{said}"
    );
    // A median of repeated passes that the guess would call 20 % slower, in a program whose runs differ by 30 %.
    let mut before = report("application-passed");
    let path = "application.passes.following.median";
    let median = 50.0;
    before.noise = Some(Noise {
        runs: 5,
        passed: 5,
        measures: vec![Measure {
            field: path.to_owned(),
            min: 0.85 * median,
            median,
            max: 1.15 * median,
        }],
    });
    let mut after = before.clone();
    after.attempt.id = "0".repeat(32);
    for measure in &mut after.noise.as_mut().unwrap().measures {
        measure.min *= 1.2;
        measure.median *= 1.2;
        measure.max *= 1.2;
    }
    let comparison = compare(&before, &after);
    let row = comparison.rows.iter().find(|row| row.path == path).unwrap();
    assert_eq!(row.change, Change::WithinNoise);
    assert_eq!(comparison.verdict, Verdict::Same);
}

#[test]
fn only_runs_that_passed_are_measured_and_a_sometimes_failing_one_is_named() {
    let pass = report("gpu-check-passed");
    let mut slow = pass.clone();
    slow.execution.timings.first_pass_ms = Some(90_000.0);
    let fault = report("out-of-memory");
    let noise = noise::of(&[pass.clone(), fault.clone(), slow]);
    assert_eq!((noise.runs, noise.passed), (3, 2));
    let first = noise
        .measures
        .iter()
        .find(|measure| measure.field == "execution.timings.first_pass_ms")
        .unwrap();
    assert!((first.max - 90_000.0).abs() < 1e-6);
    assert!(first.median > first.min && first.median < first.max);
    let mut given = fault;
    given.noise = Some(noise);
    assert_eq!(
        Report::from_json(&given.to_json()).as_ref(),
        Ok(&given),
        "the rules accept it"
    );
    let comparison = compare(&pass, &given);
    assert_eq!(comparison.verdict, Verdict::Worse);
    assert_eq!(comparison.remarks[0].id, "remark-fails-sometimes");
    assert_eq!(
        comparison.remarks[0].text(&Guidance::new(Language::English)),
        "It passed in 2 of 3 runs: it fails sometimes."
    );
    assert!(
        comparison
            .scale_up
            .reasons
            .iter()
            .any(|reason| reason.id == "ready-repeated-broken"
                && reason.standing == Standing::Broken)
    );
    assert_eq!(comparison.scale_up.answer, Answer::No);
}

#[test]
fn one_run_and_failing_runs_tell_no_noise() {
    let pass = report("gpu-check-passed");
    let fault = report("out-of-memory");
    assert_eq!(noise::of(&[]).measures, []);
    for reports in [
        vec![pass.clone()],
        vec![pass.clone(), fault.clone()],
        vec![fault.clone(), fault],
    ] {
        let noise = noise::of(&reports);
        assert_eq!(noise.measures, []);
        // Without measures the guess stays.
        let (mut before, mut after) = (pass.clone(), pass.clone());
        after.attempt.id = "0".repeat(32);
        before.noise = Some(noise);
        let comparison = compare(&before, &after);
        assert!(comparison.rows.iter().all(|row| row.floor.is_none()));
        assert_eq!(comparison.verdict, Verdict::Same);
    }
}

proptest! {
    #[test]
    fn the_median_lies_within_the_range_and_a_series_equals_itself(
        values in proptest::collection::vec(0.001_f64..1e9, 2..20),
    ) {
        let pass = report("gpu-check-passed");
        let runs: Vec<Report> = values
            .iter()
            .map(|value| {
                let mut run = pass.clone();
                run.execution.timings.import_ms = Some(*value);
                run
            })
            .collect();
        let noise = noise::of(&runs);
        for measure in &noise.measures {
            prop_assert!(measure.min <= measure.median && measure.median <= measure.max);
        }
        let mut before = pass;
        before.noise = Some(noise);
        let mut after = before.clone();
        after.attempt.id = "0".repeat(32);
        prop_assert_eq!(Report::from_json(&before.to_json()).unwrap(), before.clone());
        prop_assert_eq!(compare(&before, &after).verdict, Verdict::Same);
    }

    #[test]
    fn better_and_worse_are_two_sides_of_the_same(
        before in proptest::collection::vec(1.0_f64..1e4, 2..9),
        after in proptest::collection::vec(1.0_f64..1e4, 2..9),
    ) {
        let given = |values: &[f64], id: &str| {
            let runs: Vec<Report> = values
                .iter()
                .map(|value| {
                    let mut run = report("gpu-check-passed");
                    run.execution.timings.import_ms = Some(*value);
                    run
                })
                .collect();
            let mut given = runs[0].clone();
            given.attempt.id = id.repeat(32);
            given.noise = Some(noise::of(&runs));
            given
        };
        let (before, after) = (given(&before, "a"), given(&after, "b"));
        let change = |one: &Report, other: &Report| {
            compare(one, other)
                .rows
                .into_iter()
                .find(|row| row.path == "execution.timings.import_ms")
                .unwrap()
                .change
        };
        match (change(&before, &after), change(&after, &before)) {
            (Change::Better, Change::Worse | Change::WithinNoise)
            | (Change::Worse, Change::Better | Change::WithinNoise)
            | (Change::WithinNoise, _)
            | (Change::Unchanged, Change::Unchanged) => {}
            (one, other) => prop_assert!(false, "{one:?} {other:?}"),
        }
    }
}
