//! The page's state: an action is dispatched, and what is open, shown and said is read back.

use firstfault_schema::compare::compare;
use firstfault_schema::guidance::{Guidance, Language};
use firstfault_schema::{Outcome, Report, ReportError, carry};
use firstfault_viewer::link::Link;
use firstfault_viewer::many::{Column, Group, TableState, table};
use firstfault_viewer::state::{Action, Loaded, Problem, State, View, judge, read};
use firstfault_viewer::view_model::{self, Tone, dossier};

fn text(name: &str) -> String {
    let path = format!(
        "{}/../schema/fixtures/valid/{name}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::read_to_string(path).unwrap()
}

fn report(name: &str) -> Report {
    Report::from_json(&text(name)).unwrap()
}

fn load(names: &[&str]) -> Action {
    Action::Load(
        names
            .iter()
            .map(|name| judge(format!("{name}.json"), &text(name)))
            .collect(),
    )
}

#[test]
fn one_report_is_shown_two_are_compared_and_more_become_a_table() {
    let one = State::default().after(load(&["gpu-check-passed"]));
    assert_eq!(one.view, View::One(one.reports[0].key));
    assert_eq!(
        State::default()
            .after(load(&["gpu-check-passed", "timeout"]))
            .view,
        View::Compare
    );
    assert_eq!(
        State::default()
            .after(load(&["gpu-check-passed", "timeout", "out-of-memory"]))
            .view,
        View::Many
    );
}

#[test]
fn a_bad_file_leaves_the_open_ones_and_the_view_alone() {
    let open = State::default().after(load(&["gpu-check-passed"]));
    let after = open.after(Action::Load(vec![judge(
        "cut.json".to_owned(),
        "{\"format\": \"first",
    )]));
    assert_eq!((after.reports.len(), after.view), (1, open.view));
    assert_eq!(
        after.notices[0].problem,
        Problem::Report(ReportError::Truncated { line: 1 })
    );
    assert!(after.after(Action::DismissNotices).notices.is_empty());
}

#[test]
fn the_same_report_opens_once() {
    let after = State::default()
        .after(load(&["timeout"]))
        .after(load(&["timeout"]));
    assert_eq!(after.reports.len(), 1);
    assert_eq!(after.notices[0].problem, Problem::AlreadyOpen);
}

#[test]
fn what_follows_the_first_batch_of_many_files_leaves_the_view_alone() {
    let batch = |names: &[&str], more: Loaded| match load(names) {
        Action::Load(mut loaded) => {
            loaded.push(more);
            Action::Load(loaded)
        }
        other => other,
    };
    let three = ["gpu-check-passed", "timeout", "gpu-unavailable"];
    let begun = State::default()
        .after(Action::Load(vec![Loaded::Chosen(5)]))
        .after(batch(&three, Loaded::Read(3)));
    assert_eq!((begun.reading.read, begun.reading.chosen), (3, 5));
    assert_eq!(begun.view, View::Many);
    let ended = begun.after(batch(&["cpu-check-passed"], Loaded::Read(2)));
    assert_eq!(ended.reports.len(), 4);
    assert_eq!(ended.view, View::Many);
    assert_eq!(ended.reading.chosen, 0);
    let later = ended.after(load(&["application-passed"]));
    assert_eq!(later.view, View::One(later.reports[4].key));
}

#[test]
fn choosing_the_other_report_of_a_pair_swaps_them() {
    let state = State::default().after(load(&["gpu-check-passed", "timeout"]));
    let keys = |state: &State| {
        state
            .pair()
            .map(|(baseline, candidate)| (baseline.key, candidate.key))
            .unwrap()
    };
    let (baseline, candidate) = keys(&state);
    assert_eq!(
        keys(&state.after(Action::Baseline(candidate))),
        (candidate, baseline)
    );
    assert_eq!(
        keys(&state.after(Action::Candidate(baseline))),
        (candidate, baseline)
    );
    assert_eq!(
        keys(&state.after(Action::Swap).after(Action::Swap)),
        (baseline, candidate)
    );
}

#[test]
fn a_link_waits_until_its_reports_are_open() {
    let wanted = Link::Compare(
        report("timeout").attempt.id,
        report("gpu-check-passed").attempt.id,
    );
    let state = State::new(Language::English, Some(wanted.clone()));
    let state = state
        .after(load(&["gpu-check-passed", "out-of-memory"]))
        .after(load(&["timeout"]));
    assert_eq!(state.view, View::Compare);
    assert_eq!(state.link(), wanted);
}

#[test]
fn a_link_to_the_start_does_not_hold_back_what_is_opened() {
    let state = State::new(Language::English, Some(Link::Start)).after(load(&["timeout"]));
    assert!(matches!(state.view, View::One(_)));
}

#[test]
fn closing_the_shown_report_shows_the_others() {
    let state = State::default()
        .after(load(&["gpu-check-passed"]))
        .after(load(&["timeout"]));
    let View::One(key) = state.view else {
        panic!("{:?}", state.view)
    };
    let state = state.after(Action::Close(key));
    assert_eq!((state.view, state.reports.len()), (View::Many, 1));
    assert_eq!(state.after(Action::CloseAll).view, View::Start);
}

#[test]
fn files_are_told_apart_by_what_is_in_them() {
    let name = || "file".to_owned();
    let problem = |bytes: &[u8]| match read(name(), bytes).remove(0) {
        Loaded::Problem(_, problem) => problem,
        other => panic!("{other:?}"),
    };
    assert_eq!(problem(b"<!doctype html><p>x"), Problem::ForeignPage);
    assert_eq!(problem(carry_page(&[]).as_bytes()), Problem::EmptyPage);
    assert_eq!(problem(b""), Problem::Report(ReportError::Empty));
    let carried = carry::Carried {
        name: "inner.json".to_owned(),
        text: text("timeout"),
    };
    assert!(
        matches!(&read(name(), carry_page(&[carried]).as_bytes())[..], [Loaded::Report(inner, ..)] if inner == "inner.json")
    );
    assert!(matches!(
        &read("job.LOG".to_owned(), b"Traceback")[..],
        [Loaded::Log(..)]
    ));
    // A shell on Windows writes what is redirected as UTF-16.
    let mut wide = vec![0xff, 0xfe];
    wide.extend(text("timeout").encode_utf16().flat_map(u16::to_le_bytes));
    assert!(matches!(&read(name(), &wide)[..], [Loaded::Report(..)]));
}

fn carry_page(reports: &[carry::Carried]) -> String {
    format!("<!doctype html>{}", carry::element(reports))
}

#[test]
fn the_table_is_grouped_by_first_failing_layer_and_passed_comes_last() {
    let state = State::default().after(load(&[
        "gpu-check-passed",
        "timeout",
        "torch-missing",
        "gpu-unavailable",
    ]));
    let view = table(&state.reports, &TableState::default());
    let groups: Vec<(Group, usize)> = view
        .groups
        .iter()
        .map(|group| (group.group, group.count))
        .collect();
    assert_eq!(view.totals, groups);
    assert_eq!(groups.last().unwrap(), &(Group::Passed, 1));
    let found = |words: &str| {
        let state_of_table = TableState {
            words: words.to_owned(),
            column: Column::Code,
            ..TableState::default()
        };
        table(&state.reports, &state_of_table).matching
    };
    assert_eq!(
        (
            found("h100"),
            found("NODE 4"),
            found("535.183 unavailable"),
            found("nowhere")
        ),
        (2, 1, 1, 0)
    );
}

#[test]
fn nothing_after_the_first_fault_is_green() {
    let words = Guidance::new(Language::English);
    for name in [
        "gpu-unavailable",
        "runtime-error",
        "torch-import-failed",
        "out-of-memory",
        "contract-failed",
    ] {
        let steps = view_model::strip(&report(name), &words);
        let first = steps
            .iter()
            .position(|step| step.first_fault)
            .unwrap_or_else(|| panic!("{name}"));
        assert_eq!(steps[first].tone, Tone::Failed, "{name}");
        assert!(
            steps[first + 1..]
                .iter()
                .all(|step| step.tone != Tone::Passed),
            "{name}: {steps:?}"
        );
    }
}

#[test]
fn a_cpu_pass_claims_nothing_about_a_gpu() {
    let words = Guidance::new(Language::English);
    let steps = view_model::strip(&report("cpu-check-passed"), &words);
    let tones: Vec<Tone> = steps[2..5].iter().map(|step| step.tone).collect();
    assert_eq!(tones, [Tone::NotRequested; 3]);
    let (_, open) = view_model::proofs(&report("cpu-check-passed"), &words);
    assert!(open.contains(&words.text("open-gpu")));
}

#[test]
fn a_run_without_the_check_is_told_to_do_it_and_what_is_left_to_prove() {
    let words = Guidance::new(Language::English);
    let mut ended = report("application-ended");
    let commands = |report: &Report| -> Vec<Option<String>> {
        let view = view_model::actions(report, &words);
        let others = view.others.into_iter().map(|action| action.command);
        std::iter::once(view.first.command).chain(others).collect()
    };
    let first = view_model::actions(&ended, &words).first.text;
    assert!(first.contains("without --skip-check"), "{first}");
    let command = |name: &str| Some(format!("firstfault {name}"));
    assert_eq!(
        commands(&ended),
        [None, command("resume"), command("sweep")]
    );
    ended.application.as_mut().unwrap().outputs.clear();
    assert_eq!(commands(&ended)[1], command("init"));

    // After a check the steps come one by one.
    let mut passed = report("sweep-margin");
    assert_eq!(commands(&passed), [command("resume")]);
    passed.application.as_mut().unwrap().outputs.clear();
    assert_eq!(commands(&passed), [command("init")]);
    let unsaved = view_model::actions(&report("output-write-failed"), &words);
    assert!(unsaved.first.text.contains("another place"));
}

#[test]
fn how_far_the_input_stands_for_the_final_work_is_a_hint_and_counted_apart() {
    let mut far = report("application-passed");
    let before = far.clone();
    let outputs = &mut far.application.as_mut().unwrap().outputs;
    let mut note = outputs[0].clone();
    note.point = "representative_longest".to_owned();
    note.outcome = Outcome::NotProven;
    outputs.push(note);
    let words = Guidance::new(Language::English);
    let comparison = compare(&before, &far);
    let count = |id: &str| {
        let reasons = comparison.scale_up.reasons.iter();
        let found = reasons.filter(|reason| reason.id == id);
        found.map(|reason| reason.text(&words)).collect::<String>()
    };
    assert_eq!(
        count("ready-contract-holds"),
        "The contract holds, on all 5 points."
    );
    assert!(count("ready-contract-note").starts_with("A hint beside the contract"));

    let application = far.application.as_ref().unwrap();
    let summary = dossier::contract_summary(application, &words).unwrap();
    assert!(
        summary.starts_with("5 of 5 points are met. A hint stands beside them"),
        "{summary}"
    );
    let table = dossier::contract(application, &words);
    assert_eq!(table.rows[5][1].note.as_deref(), Some("a hint, no demand"));
    assert_eq!(table.rows[4][1].note, None);
}
