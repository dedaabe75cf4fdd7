//! Contracts held against files that NumPy, PyTorch, safetensors, pandas, PyArrow and DuckDB wrote (`contract/make.py`),
//! whole, torn and tampered with.

use std::fs;
use std::path::Path;

use firstfault::application::contract::{Checked, Context, Contract, Verdict};
use firstfault_schema::decision::Outcome;
use firstfault_schema::report::{ContractPoint, Scalar};
use tempfile::TempDir;

const INPUT: &str = "{\"id\": \"doc-0\"}\n{\"id\": \"doc-1\"}\n{\"id\": \"grüße\"}\n";

/// A folder with copies of the real files `names`, and an input with their identifiers.
fn folder(names: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        fs::write(folder.path().join(name), real(name)).unwrap();
    }
    fs::write(folder.path().join("in.jsonl"), INPUT).unwrap();
    folder
}

fn real(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/contract")
        .join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn check(folder: &TempDir, contract: &str) -> Checked {
    let contract = Contract::from_toml(contract).unwrap();
    contract.check(&Context {
        folder: folder.path(),
        since: None,
        mode: None,
        stages: &[],
        variables: &[],
        threads: 2,
        stop: &|| false,
    })
}

#[track_caller]
fn point<'a>(checked: &'a Checked, name: &str) -> &'a ContractPoint {
    let found = checked.points.iter().find(|point| point.point == name);
    found.unwrap_or_else(|| panic!("no point {name} in {:#?}", checked.points))
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
    assert_eq!(point.broken.unwrap_or(0), broken, "{point:#?}");
    assert_eq!(point.examples, examples, "{point:#?}");
    assert_eq!(checked.verdict(), Verdict::Broken);
}

#[track_caller]
fn assert_passes(checked: &Checked) {
    assert_eq!(checked.verdict(), Verdict::Holds, "{:#?}", checked.points);
}

#[test]
fn arrays_of_numpy_are_read_whatever_their_order_and_width() {
    for name in ["c.npy", "fortran.npy", "big_endian.npy", "half.npy"] {
        let folder = folder(&[name]);
        let contract = format!(
            "[input]\npath='in.jsonl'\nid='id'\n[output]\npath='{name}'\ndimension=2\nmax=0.95\nunit_norm=true\n"
        );
        let checked = check(&folder, &contract);
        assert_fails(&checked, "all_finite", false, 1, &["#3"]);
        assert_eq!(
            point(&checked, "dimension").outcome,
            Outcome::Passed,
            "{name}"
        );
        assert_eq!(
            point(&checked, "output_count").outcome,
            Outcome::Passed,
            "{name}"
        );
        let norm = if name == "half.npy" {
            "[0.999902, 1]"
        } else {
            "[1, 1]"
        };
        assert_fails(&checked, "unit_norm", norm, 1, &["#3"]);
        let range = point(&checked, "value_range");
        assert_eq!(
            (range.broken, &range.examples[..]),
            (Some(2), &["#2".to_owned(), "#3".to_owned()][..])
        );
    }
    let folder = folder(&["objects.npy"]);
    let checked = check(&folder, "[output]\npath='objects.npy'\n");
    assert_fails(&checked, "well_formed", "wrong_type", 1, &[]);
}

#[test]
fn archives_of_numpy_hold_vectors_and_their_identifiers() {
    for name in ["stored.npz", "deflated.npz"] {
        let folder = folder(&[name]);
        let contract = format!(
            "[input]\npath='in.jsonl'\nid='id'\n[output]\npath='{name}'\nvector='vectors'\nid='ids'\ndimension=2\n"
        );
        let checked = check(&folder, &contract);
        assert_fails(&checked, "all_finite", false, 1, &["grüße"]);
        assert_eq!(point(&checked, "each_id_once").found, Some(3_u64.into()));
        let checked = check(&folder, &contract.replace("vectors", "nothing"));
        assert_fails(&checked, "well_formed", "no_field", 1, &[]);
        // Every single byte of the data is under a checksum.
        let mut bytes = real(name);
        bytes[150] ^= 0x40;
        fs::write(folder.path().join(name), bytes).unwrap();
        assert_eq!(check(&folder, &contract).verdict(), Verdict::Broken);
    }
    let folder = folder(&["numbers.npz"]);
    let contract = "[output]\npath='numbers.npz'\nvector='vectors'\nid='ids'\nfinite=false\n";
    assert_passes(&check(&folder, contract));
    // In the padding of the header, and in the lowest bits of a value.
    for at in [150, 189] {
        let mut bytes = real("numbers.npz");
        bytes[at] ^= 1;
        fs::write(folder.path().join("numbers.npz"), bytes).unwrap();
        assert_fails(&check(&folder, contract), "well_formed", "corrupt", 1, &[]);
    }
}

#[test]
fn identifiers_that_belong_to_no_row_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = |ids: &str, rows: &str, data: &[u8]| {
        let split = data.len() - 2;
        let header = format!(
            "{{\"ids\":{{\"dtype\":\"U8\",\"shape\":{ids},\"data_offsets\":[0,{split}]}},\"v\":{{\"dtype\":\"U8\",\"shape\":{rows},\"data_offsets\":[{split},{}]}}}}",
            data.len()
        );
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(data);
        fs::write(folder.path().join("o.safetensors"), bytes).unwrap();
    };
    let contract = "[output]\npath='o.safetensors'\nid='ids'\nvector='v'\n";
    file("[3]", "[2,1]", &[7, 8, 9, 1, 1]);
    assert_fails(
        &check(&folder, contract),
        "well_formed",
        "no_field",
        1,
        &["9"],
    );
    file("[2,2]", "[2,1]", &[7, 8, 9, 10, 1, 1]);
    assert_fails(
        &check(&folder, contract),
        "well_formed",
        "wrong_type",
        1,
        &[],
    );
    file("[2]", "[2,1]", &[7, 8, 1, 1]);
    assert_passes(&check(&folder, contract));
}

#[test]
fn parquet_is_read_with_its_nulls_packings_and_row_groups() {
    for name in ["pyarrow.parquet", "groups.parquet"] {
        let folder = folder(&[name]);
        let contract = format!(
            "[input]\npath='{name}'\nid='id'\nlength='tokens'\n[output]\npath='{name}'\nvector='vector'\nid='id'\ndimension=2\nmin=0\n"
        );
        let checked = check(&folder, &contract);
        assert_fails(&checked, "all_finite", false, 2, &["doc-1", "grüße"]);
        assert_fails(&checked, "dimension", 1_u64, 1, &["grüße"]);
        assert_eq!(
            point(&checked, "value_range").found,
            Some("[0.6, 1]".into())
        );
        assert_eq!(point(&checked, "each_id_once").outcome, Outcome::Passed);
        assert_eq!(checked.input.unwrap().longest, Some(3));
        let mut bytes = real(name);
        bytes.truncate(bytes.len() - 7);
        fs::write(folder.path().join(name), bytes).unwrap();
        assert_eq!(
            point(&check(&folder, &contract), "well_formed").found,
            Some("truncated".into())
        );
    }
    let folder = folder(&["pandas.parquet", "null_row.parquet", "duckdb.parquet"]);
    let checked = check(
        &folder,
        "[output]\npath='pandas.parquet'\nvector='score'\nid='id'\n",
    );
    assert_fails(&checked, "all_finite", false, 2, &["1", "2"]);
    let checked = check(
        &folder,
        "[output]\npath='null_row.parquet'\nvector='vector'\nid='id'\ndimension=1\n",
    );
    assert_fails(&checked, "all_finite", false, 1, &["doc-0"]);
    assert_eq!(point(&checked, "dimension").outcome, Outcome::Passed);
    let contract =
        "[output]\npath='duckdb.parquet'\nvector='vector'\nid='id'\ndimension=2\nmax=1\n";
    assert_fails(
        &check(&folder, contract),
        "value_range",
        "[0, 2]",
        1,
        &["doc-2"],
    );
    let checked = check(&folder, &contract.replace("'vector'", "'vectors'"));
    assert_fails(&checked, "well_formed", "no_field", 1, &[]);
}

#[test]
fn safetensors_rows_are_records() {
    let folder = folder(&["rows.safetensors"]);
    let contract = "[output]\npath='rows.safetensors'\nvector='vectors'\nid='ids'\ndimension=2\n";
    assert_fails(&check(&folder, contract), "all_finite", false, 1, &["2"]);
    assert_fails(
        &check(&folder, &contract.replace("vectors", "half")),
        "all_finite",
        false,
        1,
        &["2"],
    );
    assert_fails(
        &check(&folder, &contract.replace("vectors", "none")),
        "well_formed",
        "no_field",
        1,
        &[],
    );
    let whole = real("rows.safetensors");
    for (bytes, word) in [
        (whole[..whole.len() - 1].to_vec(), "truncated"),
        (whole[..5].to_vec(), "truncated"),
        (whole[..40].to_vec(), "truncated"),
        ([&whole[..], b"x"].concat(), "wrong_format"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n".to_vec(),
            "lfs_pointer",
        ),
    ] {
        fs::write(folder.path().join("rows.safetensors"), bytes).unwrap();
        assert_fails(&check(&folder, contract), "well_formed", word, 1, &[]);
    }
}

#[test]
fn parameters_that_should_have_changed_are_named() {
    let folder = folder(&[
        "start.pt",
        "embed_stays.pt",
        "start.safetensors",
        "end.safetensors",
    ]);
    let contract = "[training]\nbefore='start.pt'\nafter='embed_stays.pt'\nchanged='model.*'\n";
    let checked = check(&folder, contract);
    assert_fails(
        &checked,
        "parameters_changed",
        2_u64,
        1,
        &["model.embed.weight"],
    );
    assert_eq!(
        point(&checked, "parameters_changed").expected,
        Some(3_u64.into())
    );
    let kept = format!("{contract}kept='model.embed.*'\n");
    assert_passes(&check(&folder, &kept));
    let checked = check(&folder, &format!("{contract}kept='model.head.*'\n"));
    assert_fails(
        &checked,
        "parameters_kept",
        0_u64,
        2,
        &["model.head.bias", "model.head.weight"],
    );
    // The optimiser's state came into being meanwhile.
    let checked = check(&folder, &contract.replace("model.*", "*"));
    assert_eq!(
        point(&checked, "parameters_changed").found,
        Some("different_shapes".into())
    );
    let checked = check(&folder, &contract.replace("model.*", "weight"));
    assert_fails(&checked, "parameters_changed", "no_field", 0, &[]);

    let contract = "[training]\nbefore='start.safetensors'\nafter='end.safetensors'\n";
    assert_fails(
        &check(&folder, contract),
        "parameters_changed",
        1_u64,
        1,
        &["b"],
    );
    let checked = check(&folder, &contract.replace("end.", "none."));
    assert_fails(&checked, "parameters_changed", "missing", 0, &[]);
}

#[test]
fn tensors_that_share_a_storage_are_compared_by_their_own_bytes() {
    let folder = folder(&["views_start.pt", "views_end.pt"]);
    let contract = "[training]\nbefore='views_start.pt'\nafter='views_end.pt'\n";
    let checked = check(&folder, contract);
    // Element 5 lies in `c` and in the transposed view `b`; not in `a`.
    assert_fails(&checked, "parameters_changed", 2_u64, 2, &["a", "half"]);
}

#[test]
fn a_training_whose_parameters_became_nan_does_not_pass() {
    let folder = folder(&[
        "mask_start.pt",
        "mask_end.pt",
        "nan_end.pt",
        "infinite_end.pt",
        "start.safetensors",
        "nan.safetensors",
    ]);
    let training = |after: &str, more: &str| {
        let contract =
            format!("[training]\nbefore='mask_start.pt'\nafter='{after}'\nchanged='w'\n{more}");
        check(&folder, &contract)
    };
    // A mask that stayed, and a best loss that is infinite at the beginning, are no fault.
    let checked = training("mask_end.pt", "checkpoint='mask_end.pt'\n");
    assert_passes(&checked);
    let finite = point(&checked, "parameters_finite");
    assert_eq!(finite.found, Some(3_u64.into()), "{finite:#?}");
    for after in ["nan_end.pt", "infinite_end.pt"] {
        let checked = training(after, "");
        assert_eq!(
            point(&checked, "parameters_changed").outcome,
            Outcome::Passed
        );
        assert_fails(&checked, "parameters_finite", 2_u64, 1, &["w"]);
        assert_passes(&training(after, "finite=false\n"));
    }
    let only = |name: &str| check(&folder, &format!("[training]\ncheckpoint='{name}'\n"));
    // Nothing tells that the mask was there before.
    assert_fails(
        &only("mask_end.pt"),
        "parameters_finite",
        2_u64,
        1,
        &["mask"],
    );
    assert_fails(
        &only("nan.safetensors"),
        "parameters_finite",
        1_u64,
        1,
        &["w"],
    );
    assert_passes(&only("start.safetensors"));
}

#[test]
fn newer_number_formats_are_compared_to_their_last_byte() {
    let folder = folder(&["newer_start.pt", "newer_end.pt", "newer_nan.pt"]);
    let contract = "[training]\nbefore='newer_start.pt'\nafter='newer_end.pt'\n";
    // The last of eight numbers is another one; its lowest byte lies behind the first eight.
    assert_passes(&check(&folder, contract));
    let checked = check(&folder, &contract.replace("newer_end", "newer_nan"));
    assert_fails(&checked, "parameters_finite", 0_u64, 1, &["f8"]);
}

#[test]
fn checkpoints_open_to_their_last_byte_or_say_why_not() {
    let names = [
        "start.pt",
        "module.pt",
        "parameter.pt",
        "end.safetensors",
        "legacy.pt",
    ];
    let folder = folder(&names);
    let opens = |name: &str| check(&folder, &format!("[training]\ncheckpoint='{name}'\n"));
    for name in &names[..4] {
        assert_passes(&opens(name));
    }
    // Before PyTorch 1.6 a checkpoint was a bare pickle: nothing tells whether it is whole.
    assert_fails(
        &opens("legacy.pt"),
        "checkpoint_opens",
        "wrong_format",
        1,
        &[],
    );
    let whole = real("start.pt");
    let half = whole.len() / 2;
    let mut flipped = whole.clone();
    // A byte of the first storage, which torch aligns to 64 bytes.
    let data = whole
        .windows(6)
        .position(|window| window == b"data/0")
        .unwrap();
    flipped[data + 70] ^= 1;
    for (bytes, word) in [
        (whole[..half].to_vec(), "truncated"),
        (whole[..whole.len() - 1].to_vec(), "truncated"),
        (flipped, "corrupt"),
        (Vec::new(), "empty"),
        (
            b"version https://git-lfs.github.com/spec/v1\n".to_vec(),
            "lfs_pointer",
        ),
        (b"<html>not found</html>".to_vec(), "wrong_format"),
    ] {
        fs::write(folder.path().join("torn.pt"), bytes).unwrap();
        assert_fails(&opens("torn.pt"), "checkpoint_opens", word, 1, &[]);
    }
}

#[test]
fn no_torn_or_changed_file_ends_the_program() {
    let cases = [
        (
            "stored.npz",
            "[output]\npath='stored.npz'\nvector='vectors'\nid='ids'\nmax=1\n",
        ),
        ("fortran.npy", "[output]\npath='fortran.npy'\nmax=1\n"),
        (
            "groups.parquet",
            "[output]\npath='groups.parquet'\nvector='vector'\nid='id'\nmax=1\n",
        ),
        (
            "rows.safetensors",
            "[output]\npath='rows.safetensors'\nvector='vectors'\nid='ids'\nmax=1\n",
        ),
        (
            "start.pt",
            "[training]\nbefore='start.pt'\nafter='start.pt'\ncheckpoint='start.pt'\n",
        ),
    ];
    for (name, contract) in cases {
        let folder = folder(&[]);
        let whole = real(name);
        for at in (0..whole.len()).step_by(3) {
            fs::write(folder.path().join(name), &whole[..at]).unwrap();
            assert_ne!(
                check(&folder, contract).verdict(),
                Verdict::Holds,
                "{name} cut at {at}"
            );
            let mut changed = whole.clone();
            changed[at] = changed[at].wrapping_add(0x81);
            fs::write(folder.path().join(name), changed).unwrap();
            check(&folder, contract);
        }
    }
}

#[test]
fn metrics_are_held_against_their_bounds() {
    let folder = folder(&[]);
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let metric = |path: &str, key: &str| format!("[metric]\npath='{path}'\nkey='{key}'\nmin=0.9\n");
    write(
        "m.json",
        "{\"accuracy\": 0.95, \"eval\": {\"f1\": 0.5, \"x\": NaN}, \"eval.f2\": 1, \"name\": \"a\"}\n",
    );
    assert_passes(&check(&folder, &metric("m.json", "accuracy")));
    assert_passes(&check(&folder, &metric("m.json", "eval.f2")));
    for (key, found) in [
        (
            "eval.f1",
            Scalar::Number(serde_json::Number::from_f64(0.5).unwrap()),
        ),
        ("eval.x", "not_finite".into()),
        ("name", "wrong_type".into()),
        ("eval", "wrong_type".into()),
        ("recall", "no_field".into()),
    ] {
        let checked = check(&folder, &metric("m.json", key));
        assert_fails(&checked, &format!("metric.{key}"), found, 0, &[]);
    }
    write(
        "m.jsonl",
        "{\"step\": 1, \"accuracy\": 0.1}\n{\"step\": 2, \"accuracy\": 0.95}\n{\"step\": 3}\n",
    );
    assert_passes(&check(&folder, &metric("m.jsonl", "accuracy")));
    write("m.csv", "step,accuracy\n1,0.95\n2,nan\n");
    assert_fails(
        &check(&folder, &metric("m.csv", "accuracy")),
        "metric.accuracy",
        "not_finite",
        0,
        &[],
    );
    assert_fails(
        &check(&folder, &metric("n.csv", "accuracy")),
        "metric.accuracy",
        "missing",
        0,
        &[],
    );
}

#[test]
fn blank_cells_of_a_table_are_passed_over_on_request_alone() {
    let folder = folder(&[]);
    // A logger that writes one line for each kind of number.
    let log = "step,train_loss,val_loss\n1,0.5,\n1,,0.7\n2,0.4,\n2,,0.6\n3,0.3,\n";
    fs::write(folder.path().join("log.csv"), log).unwrap();
    let contract = "[training]\nlog='log.csv'\nloss='train_loss'\n";
    let checked = check(&folder, contract);
    assert_fails(&checked, "loss_finite", "blank", 2, &["#3", "#5"]);
    assert_passes(&check(&folder, &format!("{contract}blank='skip'\n")));
    let metric = "[metric]\npath='log.csv'\nkey='val_loss'\nmax=0.65\n";
    let checked = check(&folder, metric);
    assert_fails(&checked, "metric.val_loss", "blank", 0, &[]);
    assert_passes(&check(&folder, &format!("{metric}blank='skip'\n")));
    let broken = format!("{log}4,nan,\n");
    fs::write(folder.path().join("log.csv"), broken).unwrap();
    let checked = check(&folder, &format!("{contract}blank='skip'\n"));
    assert_fails(&checked, "loss_finite", false, 1, &["#7"]);
    fs::write(folder.path().join("log.csv"), "step,train_loss\n1,\n").unwrap();
    let checked = check(&folder, &format!("{contract}blank='skip'\n"));
    assert_fails(&checked, "loss_finite", "no_field", 0, &[]);
}

#[test]
fn every_loss_of_a_training_has_to_be_finite() {
    let folder = folder(&[]);
    let write = |text: &str| fs::write(folder.path().join("log.jsonl"), text).unwrap();
    let contract = "[training]\nlog='log.jsonl'\nloss='loss'\n";
    write("{\"loss\": 2.5}\n{\"lr\": 1}\n{\"loss\": 1e-3}\n");
    assert_passes(&check(&folder, contract));
    write("{\"loss\": 2.5}\n{\"loss\": NaN}\n{\"loss\": null}\n{\"loss\": 1}\n");
    assert_fails(
        &check(&folder, contract),
        "loss_finite",
        false,
        2,
        &["#2", "#3"],
    );
    write("{\"lr\": 1}\n");
    assert_fails(&check(&folder, contract), "loss_finite", "no_field", 0, &[]);
    write("{\"loss\": \"2.5\"}\n");
    assert_fails(
        &check(&folder, contract),
        "loss_finite",
        "wrong_type",
        0,
        &[],
    );
    write("{\"loss\": 2.5}\n{\"lo");
    assert_fails(
        &check(&folder, contract),
        "loss_finite",
        "truncated",
        0,
        &[],
    );
}
