//! What `explain` makes of logs: faults named, causes first, and silence where nothing is wrong with the GPU.

use firstfault_schema::explain::{Explainer, Fault, explain_text};
use proptest::prelude::*;

const CASES: &str = include_str!("cases.jsonl");
const HEALTHY: &str = include_str!("healthy.log");
const OTHER_FAILURES: &str = include_str!("other_failures.jsonl");

struct Case {
    id: String,
    layers: Vec<String>,
    owner: String,
    text: String,
}

fn cases() -> Vec<Case> {
    let word = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let words = |value: &serde_json::Value| -> Vec<String> {
        value
            .as_array()
            .map(|all| all.iter().map(word).collect())
            .unwrap_or_default()
    };
    CASES
        .lines()
        .map(|line| {
            let case: serde_json::Value = serde_json::from_str(line).expect("a case is JSON");
            let mut layers = vec![word(&case["layer"])];
            layers.extend(words(&case["also_accept"]));
            Case {
                id: word(&case["id"]),
                layers,
                owner: word(&case["owner"]),
                text: words(&case["lines"]).join("\n"),
            }
        })
        .collect()
}

/// The text in the middle of a healthy log.
fn in_the_middle(text: &str) -> String {
    let half = HEALTHY.lines().count() / 2;
    let (before, after): (Vec<_>, Vec<_>) =
        HEALTHY.lines().enumerate().partition(|(at, _)| *at < half);
    let join = |lines: Vec<(usize, &str)>| {
        lines
            .into_iter()
            .map(|(_, line)| line)
            .collect::<Vec<_>>()
            .join("\n")
    };
    format!("{}\n{text}\n{}\n", join(before), join(after))
}

fn names_layer(case: &Case, faults: &[Fault]) -> bool {
    faults
        .first()
        .is_some_and(|fault| case.layers.iter().any(|layer| layer == fault.layer.name()))
}

#[test]
fn layers_and_owners_are_right_in_the_middle_of_a_healthy_log() {
    let cases = cases();
    let (mut layers, mut owners, mut wrong) = (0, 0, Vec::new());
    for case in &cases {
        let faults = explain_text(&in_the_middle(&case.text));
        let layer = names_layer(case, &faults);
        let owner = faults
            .first()
            .is_some_and(|fault| fault.owner.name() == case.owner);
        layers += usize::from(layer);
        owners += usize::from(owner);
        if !(layer && owner) {
            let found: Vec<_> = faults
                .iter()
                .map(|fault| (&fault.signature, fault.layer.name(), fault.owner.name()))
                .collect();
            wrong.push(format!(
                "{}: expected {:?}/{}, found {found:?}",
                case.id, case.layers, case.owner
            ));
        }
    }
    let summary = format!(
        "layer {layers}/{0}, owner {owners}/{0}\n{1}",
        cases.len(),
        wrong.join("\n")
    );
    assert!(layers * 100 >= cases.len() * 95, "{summary}");
    assert!(owners * 100 >= cases.len() * 90, "{summary}");
}

#[test]
fn a_kind_that_the_catalogue_does_not_hold_still_names_its_layer() {
    let cases = cases();
    let (mut layers, mut wrong) = (0, Vec::new());
    for case in &cases {
        let text = in_the_middle(&case.text);
        let Some(known) = explain_text(&text).into_iter().next() else {
            continue;
        };
        let mut explainer = Explainer::without(&[known.signature.as_str()]);
        explainer.feed(text.as_bytes());
        let faults = explainer.finish();
        if names_layer(case, &faults) {
            layers += 1;
        } else {
            let found: Vec<_> = faults
                .iter()
                .map(|fault| (&fault.signature, fault.layer.name()))
                .collect();
            wrong.push(format!(
                "{} without {}: {found:?}",
                case.id, known.signature
            ));
        }
    }
    let summary = format!("layer {layers}/{}\n{}", cases.len(), wrong.join("\n"));
    // docs/faults.md publishes the score.
    assert!(layers * 100 >= cases.len() * 85, "{summary}");
}

#[test]
fn a_healthy_log_has_no_faults() {
    let faults = explain_text(HEALTHY);
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn failures_that_are_not_the_gpus_have_no_faults() {
    for line in OTHER_FAILURES.lines() {
        let lines: Vec<String> = serde_json::from_str(line).expect("a list of lines");
        let faults = explain_text(&in_the_middle(&lines.join("\n")));
        assert!(faults.is_empty(), "{lines:#?}\n{faults:#?}");
    }
}

#[test]
fn the_cause_comes_before_its_consequences() {
    for (text, first) in [
        (
            "UserWarning: CUDA initialization: The NVIDIA driver on your system is too old (found version 11040).\n\
             RuntimeError: No CUDA GPUs are available",
            "driver-too-old",
        ),
        (
            "RuntimeError: No CUDA GPUs are available\nNVRM: API mismatch: the client has the version 1",
            "driver-version-mismatch",
        ),
        (
            "[rank1] Watchdog caught collective operation timeout: WorkNCCL\n\
             [rank0] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
            "gpu-out-of-memory",
        ),
        (
            "NCCL WARN Duplicate GPU detected : rank 1 and rank 0\nncclInvalidUsage: invalid usage",
            "duplicate-gpu",
        ),
        (
            "Assertion `srcIndex < srcSelectDimSize` failed.\nCUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`",
            "device-assert",
        ),
        (
            "CUDA error: unspecified launch failure\nNVRM: Xid (PCI:0000:41:00): 79, GPU has fallen off the bus.",
            "gpu-lost",
        ),
    ] {
        let faults = explain_text(text);
        assert_eq!(
            faults.first().map(|fault| fault.signature.as_str()),
            Some(first),
            "{text}\n{faults:#?}"
        );
    }
}

#[test]
fn lines_are_counted_from_one_and_carriage_returns_end_a_line_too() {
    let faults = explain_text(
        "one\ntwo\n 10%|#   |\r 20%|##  |\rRuntimeError: CUDA error: device-side assert triggered\nfour\n",
    );
    assert_eq!(faults.len(), 1, "{faults:#?}");
    assert_eq!(faults[0].line, 3);
    assert_eq!(
        faults[0].message,
        "RuntimeError: CUDA error: device-side assert triggered"
    );
}

#[test]
fn the_source_lines_of_a_traceback_are_no_faults() {
    let text = "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    raise RuntimeError(\"CUDA out of memory\")\nValueError: something else\n";
    assert!(explain_text(text).is_empty());
}

#[test]
fn escape_sequences_and_json_do_not_hide_a_fault() {
    for text in [
        "\u{1b}[31mRuntimeError: \u{1b}[1mNo module named 'torch'\u{1b}[0m",
        "{\"log\":\"RuntimeError: Found no NVIDIA driver on your system. Please check\\n\",\"stream\":\"stderr\"}",
        "RUNTIMEERROR: FOUND NO NVIDIA DRIVER ON YOUR SYSTEM",
    ] {
        assert_eq!(explain_text(text).len(), 1, "{text}");
    }
}

#[test]
fn a_fault_in_an_endless_line_is_found_and_little_is_kept() {
    let mut explainer = Explainer::new();
    let filler = vec![b'x'; 1 << 20];
    for _ in 0..8 {
        explainer.feed(&filler);
    }
    explainer.feed(b" CUDA out of memory. Tried to allocate 2.00 GiB ");
    explainer.feed(&filler);
    let faults = explainer.finish();
    assert_eq!(faults.len(), 1, "{faults:#?}");
    assert_eq!(
        (faults[0].signature.as_str(), faults[0].line),
        ("gpu-out-of-memory", 1)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn where_the_text_is_cut_does_not_matter(case in 0..cases().len(), cuts in prop::collection::vec(1_usize..400, 1..200)) {
        let text = in_the_middle(&cases()[case].text);
        let whole = explain_text(&text);
        let mut explainer = Explainer::new();
        let mut rest = text.as_bytes();
        for cut in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (now, later) = rest.split_at((*cut).min(rest.len()));
            explainer.feed(now);
            rest = later;
        }
        prop_assert_eq!(explainer.finish(), whole);
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..4000)) {
        let mut explainer = Explainer::new();
        explainer.feed(&bytes);
        let _ = explainer.finish();
    }
}
