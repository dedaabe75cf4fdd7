//! Contracts held against files: what passes, what breaks, and that nothing a file can hold ends the program.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use firstfault::application::contract::{Checked, Context, Contract, Point, Verdict, Word};
use firstfault_schema::decision::Outcome;
use firstfault_schema::guidance::{Guidance, Language};
use firstfault_schema::report::{ApplicationStage, ContractPoint, Scalar};
use tempfile::TempDir;

/// A folder with files, and a contract about them.
struct Case {
    folder: TempDir,
    contract: String,
    since: Option<SystemTime>,
    threads: usize,
}

impl Case {
    fn new(contract: &str) -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            contract: contract.to_owned(),
            since: None,
            threads: 2,
        }
    }

    fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn check(&self) -> Checked {
        self.check_with(None, &[])
    }

    fn check_with(&self, mode: Option<&str>, stages: &[ApplicationStage]) -> Checked {
        check_in(self.folder.path(), &self.contract, |context| Context {
            since: self.since,
            threads: self.threads,
            mode,
            stages,
            ..context
        })
    }
}

fn check_in<'a>(
    folder: &'a Path,
    contract: &str,
    with: impl FnOnce(Context<'a>) -> Context<'a>,
) -> Checked {
    let contract = Contract::from_toml(contract).unwrap();
    let context = Context {
        folder,
        since: None,
        mode: None,
        stages: &[],
        variables: &[],
        threads: 2,
        stop: &|| false,
    };
    contract.check(&with(context))
}

#[track_caller]
fn point<'a>(checked: &'a Checked, name: &str) -> &'a ContractPoint {
    let found = checked.points.iter().find(|point| point.point == name);
    found.unwrap_or_else(|| panic!("no point {name} in {:#?}", checked.points))
}

#[track_caller]
fn assert_passes(checked: &Checked) {
    assert_eq!(checked.verdict(), Verdict::Holds, "{:#?}", checked.points);
}

#[track_caller]
fn assert_fails(
    checked: &Checked,
    name: &str,
    found: impl Into<Scalar>,
    broken: u64,
    examples: &[&str],
) {
    let point = point(checked, name);
    assert_eq!(point.outcome, Outcome::Failed, "{point:#?}");
    assert_eq!(point.found, Some(found.into()), "{point:#?}");
    assert_eq!(point.broken, Some(broken), "{point:#?}");
    assert_eq!(point.examples, examples, "{point:#?}");
    assert_eq!(checked.verdict(), Verdict::Broken);
}

const JSONL: &str = r#"
[input]
path = "in.jsonl"
id = "id"
length = "text"

[[output]]
path = "out*.jsonl"
id = "id"
vector = "embedding"
dimension = 3
min = -1
max = 1
"#;

fn input(count: usize) -> String {
    (0..count)
        .map(|at| {
            format!(
                "{{\"id\": \"doc-{at}\", \"text\": \"{}\"}}\n",
                "x".repeat(at + 1)
            )
        })
        .collect()
}

fn row(id: usize, numbers: &str) -> String {
    format!("{{\"id\": \"doc-{id}\", \"embedding\": [{numbers}]}}\n")
}

fn rows(count: usize) -> String {
    (0..count).map(|at| row(at, "0.1, -0.25, 1")).collect()
}

fn jsonl(output: impl AsRef<[u8]>) -> Case {
    Case::new(JSONL)
        .file("in.jsonl", input(3))
        .file("out.jsonl", output)
}

#[test]
fn outputs_that_meet_the_contract_pass_point_by_point() {
    let checked = jsonl(rows(3)).check();
    assert_passes(&checked);
    let names: Vec<&str> = checked
        .points
        .iter()
        .map(|point| point.point.as_str())
        .collect();
    let expected = [
        "input_readable",
        "input_ids_unique",
        "output_written",
        "well_formed",
        "output_count",
        "each_id_once",
        "dimension",
        "all_finite",
        "value_range",
    ];
    assert_eq!(names, expected);
    assert_eq!(
        point(&checked, "value_range").found,
        Some("[-0.25, 1]".into())
    );
    let input = checked.input.unwrap();
    assert_eq!((input.count, input.longest), (Some(3), Some(3)));
    assert_eq!(input.digest.unwrap().len(), 64);
    assert!(checked.evidence.is_empty());
}

#[test]
fn outputs_of_several_ranks_count_together() {
    let case = Case::new(JSONL)
        .file("in.jsonl", input(4))
        .file("out-0.jsonl", row(2, "0,0,0") + &row(0, "0,0,0"))
        .file("out-1.jsonl", row(1, "0,0,0") + &row(3, "0,0,0"));
    assert_passes(&case.check());
    // A sampler that pads gives an example to two ranks.
    let case = case.file(
        "out-1.jsonl",
        row(1, "0,0,0") + &row(3, "0,0,0") + &row(0, "0,0,0"),
    );
    let checked = case.check();
    assert_fails(&checked, "ids_repeated", 1_u64, 1, &["doc-0"]);
    assert_fails(&checked, "each_id_once", 3_u64, 1, &["doc-0"]);
    assert_fails(&checked, "output_count", 5_u64, 1, &[]);
}

#[test]
fn lost_repeated_and_foreign_identifiers_are_named() {
    let output = row(0, "0,0,0") + &row(0, "0,0,0") + &row(7, "0,0,0");
    let checked = jsonl(output).check();
    assert_fails(&checked, "ids_missing", 2_u64, 2, &["doc-1", "doc-2"]);
    assert_fails(&checked, "ids_repeated", 1_u64, 1, &["doc-0"]);
    assert_fails(&checked, "ids_unknown", 1_u64, 1, &["doc-7"]);
    assert_fails(
        &checked,
        "each_id_once",
        0_u64,
        4,
        &["doc-1", "doc-2", "doc-0", "doc-7"],
    );
    assert_eq!(point(&checked, "output_count").outcome, Outcome::Passed);
}

#[test]
fn an_input_that_repeats_an_identifier_is_told() {
    let case = jsonl(rows(3)).file("in.jsonl", input(3) + "{\"id\":\"doc-1\",\"text\":\"\"}\n");
    assert_fails(&case.check(), "input_ids_unique", 3_u64, 1, &["doc-1"]);
}

#[test]
fn values_are_held_against_dimension_range_and_finiteness() {
    let output = row(0, "0.1, NaN, 0") + &row(1, "0.1, 0.2") + &row(2, "0, -1.5, null");
    let checked = jsonl(output).check();
    assert_fails(&checked, "all_finite", false, 2, &["doc-0", "doc-2"]);
    assert_fails(&checked, "dimension", 2_u64, 1, &["doc-1"]);
    assert_fails(&checked, "value_range", "[-1.5, 0.2]", 1, &["doc-2"]);
    assert_eq!(point(&checked, "well_formed").outcome, Outcome::Passed);
    let checked = jsonl("{\"id\":\"doc-0\",\"embedding\":null}\n").check();
    assert_fails(&checked, "all_finite", false, 1, &["doc-0"]);
}

#[test]
fn lengths_of_vectors_are_measured_on_request() {
    let contract = JSONL.replace("min = -1\nmax = 1", "unit_norm = true");
    let case = Case::new(&contract).file("in.jsonl", input(3)).file(
        "out.jsonl",
        row(0, "0.6, 0.8, 0") + &row(1, "1, 1, 0") + &row(2, "0, 0, Infinity"),
    );
    let checked = case.check();
    assert_fails(
        &checked,
        "unit_norm",
        "[1, 1.41421]",
        2,
        &["doc-1", "doc-2"],
    );
    assert_eq!(
        point(&checked, "unit_norm").expected,
        Some("1 ± 0.001".into())
    );
}

#[test]
fn torn_and_odd_texts_have_a_clear_outcome() {
    let good = rows(2);
    for (output, word, example) in [
        (
            format!("{good}{{\"id\": \"doc-2\", \"embedding\": [0.1, 0."),
            "truncated",
            "doc-2",
        ),
        (
            format!("{good}{{\"id\": \"doc-2\", \"embedding\": \"0.1\"}}\n"),
            "wrong_type",
            "doc-2",
        ),
        (
            format!("{good}{{\"id\": \"doc-2\"}}\n"),
            "no_field",
            "doc-2",
        ),
        (format!("{good}{{\"embedding\": [0,0,0]}}\n"), "no_id", "#3"),
        (
            format!("{good}Traceback (most recent call last):\n"),
            "wrong_format",
            "#3",
        ),
        (
            format!("{good}{{\"id\":\"doc-2\",\"id\":\"doc-2\"}}\n"),
            "duplicate_key",
            "doc-2",
        ),
    ] {
        let checked = jsonl(&output).check();
        assert_fails(&checked, "well_formed", word, 1, &[example]);
        assert_eq!(checked.evidence[0].record, Some(3), "{output}");
    }
    let mut bytes = rows(2).into_bytes();
    bytes.extend_from_slice(b"{\"id\": \"\xff\", \"embedding\": [0,0,0]}\n");
    assert_fails(&jsonl(bytes).check(), "well_formed", "not_utf8", 1, &["#3"]);
    assert_fails(&jsonl("\n \r\n").check(), "well_formed", "empty", 0, &[]);
}

#[test]
fn byte_order_marks_and_line_ends_of_windows_are_read() {
    let output = format!("\u{feff}{}", rows(3).replace('\n', "\r\n"));
    assert_passes(&jsonl(output).check());
    let without_last_end = rows(3).trim_end().to_owned();
    assert_passes(&jsonl(without_last_end).check());
}

#[test]
fn files_that_are_missing_old_empty_or_no_files_are_told_apart() {
    let checked = Case::new(JSONL).file("in.jsonl", input(3)).check();
    assert_fails(&checked, "output_written", "missing", 1, &[]);
    assert_eq!(point(&checked, "each_id_once").outcome, Outcome::NotReached);
    assert_fails(&jsonl("").check(), "output_written", "empty", 1, &[]);

    let mut case = jsonl(rows(3));
    case.since = Some(SystemTime::now() + Duration::from_secs(60));
    assert_fails(&case.check(), "output_written", "older_than_run", 1, &[]);
    case.since = Some(SystemTime::now() - Duration::from_secs(60));
    assert_passes(&case.check());

    let case = Case::new(JSONL)
        .file("in.jsonl", input(3))
        .file("out.jsonl/x", "");
    assert_fails(&case.check(), "output_written", "not_a_file", 1, &[]);
    let case = Case::new(JSONL).file("out.jsonl", rows(3));
    let checked = case.check();
    assert_eq!(
        point(&checked, "input_readable").found,
        Some("missing".into())
    );
    assert_eq!(point(&checked, "output_count").outcome, Outcome::NotReached);
    assert_eq!(checked.verdict(), Verdict::Broken);
}

#[test]
fn an_identifier_that_looks_like_a_path_or_a_secret_stays_at_home() {
    let output = "{\"id\": \"/home/jane/a.png\", \"embedding\": [0]}\n{\"id\": \"hf_abcdefghijklmnop\", \"embedding\": [0]}\n";
    let checked = jsonl(output).check();
    assert_fails(&checked, "dimension", 1_u64, 2, &["‹…›"]);
    let text = serde_json::to_string(&checked.points).unwrap();
    assert!(!text.contains("jane") && !text.contains("hf_"));
    assert!(
        checked
            .evidence
            .iter()
            .any(|item| item.id.as_deref() == Some("/home/jane/a.png"))
    );
}

#[test]
fn large_files_give_the_same_with_any_number_of_threads() {
    let count = 120_000;
    let mut output = rows(count);
    output = output.replacen("\"doc-7\"", "\"doc-8\"", 1);
    output = output.replacen(
        &row(99_999, "0.1, -0.25, 1"),
        &row(99_999, "0.1, -0.25, 2"),
        1,
    );
    output = output.replacen(&row(50_000, "0.1, -0.25, 1"), &row(50_000, "0.1, -0.25"), 1);
    let mut case = Case::new(JSONL)
        .file("in.jsonl", input_short(count))
        .file("out.jsonl", &output);
    assert!(
        output.len() > 5 << 20,
        "more than one block for each thread"
    );
    let mut seen = None;
    for threads in [1, 2, 8] {
        case.threads = threads;
        let checked = case.check();
        assert_fails(&checked, "ids_missing", 1_u64, 1, &["doc-7"]);
        assert_fails(&checked, "ids_repeated", 1_u64, 1, &["doc-8"]);
        assert_fails(&checked, "value_range", "[-0.25, 2]", 1, &["doc-99999"]);
        assert_fails(&checked, "dimension", 2_u64, 1, &["doc-50000"]);
        assert_eq!(
            *seen.get_or_insert_with(|| checked.points.clone()),
            checked.points
        );
    }
}

fn input_short(count: usize) -> String {
    (0..count)
        .map(|at| format!("{{\"id\": \"doc-{at}\", \"text\": \"x\"}}\n"))
        .collect()
}

#[test]
fn an_input_far_from_the_final_work_is_said_not_to_be_representative() {
    let work = "[final_work]\nlongest = 512\ncount = 100000\n";
    let checked = Case::new(&format!("{JSONL}{work}"))
        .file("in.jsonl", input(3))
        .file("out.jsonl", rows(3))
        .check();
    let longest = point(&checked, "representative_longest");
    assert_eq!(longest.outcome, Outcome::NotProven);
    assert_eq!(
        (&longest.expected, &longest.found),
        (&Some(512_u64.into()), &Some(3_u64.into()))
    );
    assert_eq!(
        point(&checked, "representative_count").outcome,
        Outcome::NotProven
    );
    // It is a note: the outputs are right all the same.
    assert_passes(&checked);
    let near = work.replace("512", "3").replace("100000", "3000");
    let checked = Case::new(&format!("{JSONL}{near}"))
        .file("in.jsonl", input(3))
        .file("out.jsonl", rows(3))
        .check();
    assert_eq!(
        point(&checked, "representative_longest").outcome,
        Outcome::Passed
    );
    assert_eq!(
        point(&checked, "representative_count").outcome,
        Outcome::Passed
    );
}

#[test]
fn csv_holds_numbers_in_one_cell_or_in_columns() {
    let contract = "[input]\npath='in.csv'\nid='id'\nlength='text'\n[output]\npath='out.csv'\nid='id'\nvector='e'\ndimension=3\n";
    let case = Case::new(contract).file("in.csv", "id,text\na,\"x, y\"\nb,zz\n");
    for output in [
        "id,e\na,\"[1, 2, 3]\"\nb,\"[0.5,NaN , 1e3]\"\n",
        "\u{feff}id,e\r\na,[1 2  3]\r\nb,[0.5 nan\t1.e+03]\r\n",
    ] {
        let case = Case::new(contract)
            .file("in.csv", "id,text\na,\"x, y\"\nb,zz\n")
            .file("out.csv", output);
        let checked = case.check();
        assert_fails(&checked, "all_finite", false, 1, &["b"]);
        assert_eq!(point(&checked, "dimension").outcome, Outcome::Passed);
        assert_eq!(checked.input.unwrap().longest, Some(4));
    }
    let columns = contract.replace("vector='e'", "vector='e*'");
    let case = Case {
        contract: columns,
        ..case
    }
    .file("out.csv", "id,e0,e1,x,e2\na,1,2,,3\nb,1,,,-inf\n");
    assert_fails(&case.check(), "all_finite", false, 1, &["b"]);
}

#[test]
fn csv_that_is_torn_or_without_its_columns_is_told() {
    let contract = "[output]\npath='out.csv'\nid='id'\nvector='e'\n";
    for (output, word, broken) in [
        ("id,e\na,1\nb", "truncated", 1),
        ("id,e\na,1,2\nb,1\n", "wrong_format", 1),
        ("id,e\na,x\n", "wrong_type", 1),
        ("id,e\n,1\n", "no_id", 1),
        ("id,f\na,1\n", "no_field", 1),
        ("id,e,e\na,1,2\n", "duplicate_key", 1),
        ("id,e\n", "empty", 0),
    ] {
        let checked = Case::new(contract).file("out.csv", output).check();
        let point = point(&checked, "well_formed");
        assert_eq!(point.found, Some(word.into()), "{output}");
        assert_eq!(point.broken.unwrap_or(0), broken, "{output}");
    }
    assert_passes(
        &Case::new(contract)
            .file("out.csv", "id,e\na,1\nb,2")
            .check(),
    );
}

fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(data);
    bytes
}

fn floats(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    values.into_iter().flat_map(f32::to_le_bytes).collect()
}

#[test]
fn npy_rows_are_the_records() {
    let contract = "[output]\npath='out.npy'\ndimension=4\nmax=1\ncount=3\nunit_norm=true\n";
    let data = floats([1., 0., 0., 0., 0., 0., f32::NAN, 0., 2., 0., 0., 0.]);
    let case = Case::new(contract).file("out.npy", npy("<f4", "(3, 4)", &data));
    let checked = case.check();
    assert_fails(&checked, "all_finite", false, 1, &["#2"]);
    assert_fails(&checked, "value_range", "[0, 2]", 1, &["#3"]);
    assert_fails(&checked, "unit_norm", "[1, 2]", 2, &["#2", "#3"]);
    for point_name in ["dimension", "output_count", "well_formed", "output_written"] {
        assert_eq!(point(&checked, point_name).outcome, Outcome::Passed);
    }
    let case = case.file("out.npy", npy("<f4", "(3, 4)", &data[..40]));
    let checked = case.check();
    assert_fails(&checked, "well_formed", "truncated", 1, &["#3"]);
    assert_fails(&checked, "output_count", 2_u64, 1, &[]);
    for (bytes, word) in [
        (npy("|O", "(3, 4)", &data), "wrong_type"),
        (npy("<f4", "(3", &data), "wrong_format"),
        (b"\x93NUM".to_vec(), "truncated"),
        (b"PK\x03\x04 something else".to_vec(), "wrong_format"),
        (npy("<f4", "(0, 4)", b""), "empty"),
        (
            npy("<f4", "(9223372036854775807, 9223372036854775807)", b""),
            "wrong_format",
        ),
    ] {
        let checked = Case::new(contract).file("out.npy", bytes).check();
        assert_eq!(point(&checked, "well_formed").found, Some(word.into()));
        assert_eq!(checked.verdict(), Verdict::Broken);
    }
}

#[test]
fn an_unreadable_shape_of_an_array_needs_no_memory() {
    let contract = "[output]\npath='out.npy'\ndimension=4\n";
    let bytes = npy("<f4", "(1000000000000, 4)", &floats([0.0; 8]));
    let checked = Case::new(contract).file("out.npy", bytes).check();
    assert_fails(&checked, "well_formed", "truncated", 1, &["#3"]);
}

#[test]
fn rows_without_values_and_bytes_behind_an_array_are_no_output() {
    let contract = "[output]\npath='out.npy'\n";
    let claims = npy("<f4", "(1000000000000000000, 0)", &[]);
    let checked = Case::new(contract).file("out.npy", claims).check();
    assert_fails(&checked, "well_formed", "wrong_format", 1, &[]);
    let mut twice = npy("<f4", "(2, 2)", &floats([1.0; 4]));
    twice.extend(npy("<f4", "(2, 2)", &floats([f32::NAN; 4])));
    let checked = Case::new(contract).file("out.npy", twice).check();
    assert_fails(&checked, "well_formed", "wrong_format", 1, &["#3"]);
}

#[test]
fn nothing_in_the_place_of_numbers_proves_nothing() {
    let output = "[output]\npath='out.jsonl'\nvector='v'\n";
    let null = "{\"v\":null}\n";
    let empty = "{\"v\":[]}\n";
    let check = |more: &str, text: &str| {
        let contract = format!("{output}{more}");
        Case::new(&contract).file("out.jsonl", text).check()
    };
    let checked = check("finite=false\ndimension=3\n", null);
    assert_fails(&checked, "dimension", 0_u64, 1, &["#1"]);
    let checked = check("finite=false\nunit_norm=true\n", null);
    assert_fails(&checked, "unit_norm", "not_finite", 1, &["#1"]);
    let checked = check("unit_norm=true\n", empty);
    assert_fails(&checked, "unit_norm", "[0, 0]", 1, &["#1"]);
    let checked = check("min=0\n", empty);
    for name in ["all_finite", "value_range"] {
        assert_eq!(point(&checked, name).outcome, Outcome::NotProven);
    }
    assert_eq!(checked.verdict(), Verdict::NotProven);
    // Some records without a value are no fault where others have some.
    assert_passes(&check("min=0\n", &format!("{empty}{{\"v\":[1]}}\n")));
}

#[test]
fn a_small_input_can_be_a_folder_of_files_or_the_lines_of_a_text() {
    let contract =
        "[input]\npath='images/*.png'\nformat='files'\n[output]\npath='out.csv'\nid='file'\n";
    let case = Case::new(contract)
        .file("images/cat.png", "12345")
        .file("images/dog.png", "1")
        .file("out.csv", "file\ncat\ncow\n");
    let checked = case.check();
    assert_fails(&checked, "ids_missing", 1_u64, 1, &["dog"]);
    assert_fails(&checked, "ids_unknown", 1_u64, 1, &["cow"]);
    assert_eq!(checked.input.unwrap().longest, Some(5));
    let contract = "[input]\npath='in.txt'\n[output]\npath='out.npy'\n";
    let checked = Case::new(contract)
        .file("in.txt", "ab\n\nGrüße\n")
        .file("out.npy", npy("<f4", "(2,)", &floats([0.5, 1.0])))
        .check();
    assert_passes(&checked);
    let input = checked.input.unwrap();
    assert_eq!((input.count, input.longest), (Some(2), Some(5)));
}

#[test]
fn several_outputs_carry_their_names() {
    let contract = "[[output]]\npath='a.npy'\ndimension=1\n[[output]]\nname='scores'\npath='b.npy'\ndimension=2\n";
    let checked = Case::new(contract)
        .file("a.npy", npy("<f4", "(1,)", &floats([0.5])))
        .file("b.npy", npy("<f4", "(1, 1)", &floats([0.5])))
        .check();
    assert_eq!(point(&checked, "dimension").outcome, Outcome::Passed);
    assert_fails(&checked, "dimension.scores", 1_u64, 1, &["#1"]);
}

#[test]
fn modes_and_stages_come_from_the_markers() {
    let contract =
        "[output]\npath='a.npy'\n[model]\nmode='evaluation'\n[stages]\nended=['load','write']\n";
    let case = Case::new(contract).file("a.npy", npy("<f4", "(1,)", &floats([0.5])));
    let stage = |name: &str, ended_ms: Option<f64>| ApplicationStage {
        name: name.to_owned(),
        pass: 1,
        began_ms: 0.0,
        ended_ms,
        synchronized: None,
        memory_before: None,
        memory_after: None,
    };
    let both = [stage("load", Some(1.0)), stage("write", Some(2.0))];
    assert_passes(&case.check_with(Some("evaluation"), &both));
    assert_fails_mode(
        &case.check_with(Some("training"), &both),
        Outcome::Failed,
        Verdict::Broken,
    );
    assert_fails_mode(
        &case.check_with(None, &both),
        Outcome::NotProven,
        Verdict::NotProven,
    );
    let open = [stage("load", Some(1.0)), stage("write", None)];
    let checked = case.check_with(Some("evaluation"), &open);
    assert_fails(&checked, "stages_ended", 1_u64, 1, &["write"]);
    let checked = case.check_with(Some("evaluation"), &[]);
    assert_fails(&checked, "stages_ended", 0_u64, 2, &["load", "write"]);
}

#[track_caller]
fn assert_fails_mode(checked: &Checked, outcome: Outcome, verdict: Verdict) {
    assert_eq!(point(checked, "model_mode").outcome, outcome);
    assert_eq!(checked.verdict(), verdict);
}

#[test]
fn a_check_that_is_ended_early_proves_nothing() {
    let case = jsonl(rows(3));
    let checked = check_in(case.folder.path(), JSONL, |context| Context {
        stop: &|| true,
        ..context
    });
    assert!(checked.stopped);
    assert_ne!(checked.verdict(), Verdict::Holds);
    assert!(case.path("out.jsonl").exists());
}

#[test]
fn every_point_and_word_is_worded_in_every_language() {
    for language in Language::ALL {
        let words = Guidance::new(language);
        for point in Point::ALL {
            assert!(
                words.contract_point(point.name()).is_some(),
                "{}",
                point.name()
            );
        }
        for word in Word::ALL {
            let id = format!("contract-word-{}", word.name().replace('_', "-"));
            assert!(words.find(&id, &[]).is_some(), "{id}");
        }
    }
    let english = Guidance::new(Language::English);
    let named = english.contract_point("dimension.scores");
    assert_eq!(named.as_deref(), Some("Dimension of each output: scores"));
    assert_eq!(english.contract_value("[0, 1]"), "[0, 1]");
}

#[test]
fn the_contract_that_init_writes_can_be_used_as_it_is() {
    let template = include_str!("../src/application/template.toml");
    Contract::from_toml(template).unwrap();
    // What is commented out can be used too.
    let all: String = template
        .lines()
        .filter_map(|line| {
            let bare = line.strip_prefix("# ").unwrap_or(line);
            let is_key = bare.starts_with('[') || bare.contains(" = ");
            (is_key && !bare.ends_with('.') || line.is_empty()).then(|| format!("{bare}\n"))
        })
        .collect();
    let contract = Contract::from_toml(&all);
    assert!(contract.is_ok(), "{contract:?} in {all}");
}
