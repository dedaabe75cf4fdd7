//! Every fixture is what its folder says: valid ones come back as they were, invalid ones are refused by name.

use std::fs;
use std::path::{Path, PathBuf};

use firstfault_schema::{Code, Report, ReportError};

fn folder(name: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(name);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let read = |path: PathBuf| {
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (stem, fs::read_to_string(path).unwrap())
    };
    files.into_iter().map(read).collect()
}

#[test]
fn every_code_has_a_report_of_its_name() {
    let reports = folder("valid");
    for code in Code::ALL {
        let name = code.name().to_lowercase().replace('_', "-");
        let (_, text) = reports
            .iter()
            .find(|(stem, _)| *stem == name)
            .unwrap_or_else(|| panic!("{name} is missing"));
        assert_eq!(Report::from_json(text).unwrap().code, code);
    }
}

/// With `FIRSTFAULT_RENEW=1` the valid fixtures are written anew, with every field that the format has gained since.
#[test]
fn valid_reports_come_back_as_they_were() {
    if std::env::var_os("FIRSTFAULT_RENEW").is_some() {
        for folder_name in ["valid", "hostile"] {
            for (name, text) in folder(folder_name) {
                let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                    .join("fixtures")
                    .join(folder_name)
                    .join(name + ".json");
                let report = Report::from_json(&text).unwrap();
                let before: serde_json::Value = serde_json::from_str(&text).unwrap();
                if before != serde_json::from_str::<serde_json::Value>(&report.to_json()).unwrap() {
                    fs::write(path, report.to_json()).unwrap();
                }
            }
        }
    }
    let mut identifiers = Vec::new();
    for (name, text) in folder("valid").into_iter().chain(folder("hostile")) {
        let report = Report::from_json(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let before: serde_json::Value = serde_json::from_str(&text).unwrap();
        let after: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
        assert_eq!(before, after, "{name}");
        assert_eq!(
            Report::from_json(&report.to_json()).unwrap(),
            report,
            "{name}"
        );
        identifiers.push(report.attempt.id);
    }
    assert!(identifiers.len() > 20);
}

#[test]
fn reports_of_older_writers_are_read_and_what_they_did_not_know_is_null() {
    let older = folder("older");
    assert!(older.len() >= 3);
    for (name, text) in older {
        let report = Report::from_json(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(report.noise, None, "{name}");
        let application = report.application.as_ref();
        if let Some(resume) = application.and_then(|application| application.resume.as_ref()) {
            assert_eq!((resume.finding, resume.outputs_reference), (None, None));
        }
        if let Some(sweep) = application.and_then(|application| application.sweep.as_ref()) {
            assert!(sweep.steps.iter().all(|step| step.attempt_id.is_none()));
        }
    }
}

#[test]
fn attempts_of_valid_reports_are_told_apart() {
    let mut identifiers: Vec<String> = folder("valid")
        .iter()
        .map(|(_, text)| Report::from_json(text).unwrap().attempt.id)
        .collect();
    let count = identifiers.len();
    identifiers.sort();
    identifiers.dedup();
    assert_eq!(identifiers.len(), count);
}

#[test]
fn invalid_reports_are_refused_and_the_field_is_named() {
    let expected = [
        (
            "application-passed-without-a-contract",
            "decisions[3].outcome",
        ),
        ("array", "foreign"),
        ("backend-contradicts-versions", "pytorch.backend"),
        ("cpu-pass-that-claims-a-gpu", "pytorch.gpu_available"),
        ("cpu-pass-that-counts-gpus", "pytorch.visible_device_count"),
        ("decision-contradicts-code", "decisions[2].outcome"),
        ("decisions-in-another-order", "decisions"),
        ("diagnosis-of-a-pass", "diagnosis"),
        ("empty", "empty"),
        ("execution-missing", "."),
        ("exit-code-of-another-code", "exit_code"),
        ("fault-without-anything-to-do", "diagnosis.actions"),
        ("foreign", "foreign"),
        ("gpu-pass-on-the-cpu", "execution.device"),
        ("gpu-pass-with-another-loss", "execution.loss"),
        ("gpu-pass-without-gradient", "execution.gradient_verified"),
        ("gpu-pass-without-product", "execution.product_verified"),
        ("gpu-pass-without-synchronisation", "execution.synchronized"),
        ("gpu-unavailable-with-a-gpu", "pytorch.gpu_available"),
        ("newer-version", "newer 7"),
        ("not-json", "not json"),
        ("out-of-memory-before-the-computation", "stage"),
        ("outcome-unknown", "decisions[1].outcome"),
        ("pass-in-another-dtype", "execution.dtype"),
        ("pass-that-ends-early", "stage"),
        ("product-without-pytorch", "execution.product_verified"),
        ("stage-is-a-number", "stage"),
        ("status-contradicts-code", "status"),
        ("truncated", "truncated"),
        ("unsaved-pass-without-product", "execution.product_verified"),
        ("version-is-text", "version"),
        (
            "visible-index-called-invalid",
            "pytorch.visible_device_count",
        ),
    ];
    let found: Vec<(String, String)> = folder("invalid")
        .into_iter()
        .map(|(name, text)| {
            let said = match Report::from_json(&text).expect_err(&name) {
                ReportError::Empty => "empty".to_owned(),
                ReportError::TooLarge { .. } => "too large".to_owned(),
                ReportError::Truncated { .. } => "truncated".to_owned(),
                ReportError::NotJson { .. } => "not json".to_owned(),
                ReportError::Foreign => "foreign".to_owned(),
                ReportError::TooNew { found, .. } => format!("newer {found}"),
                ReportError::BadVersion => "version".to_owned(),
                ReportError::Shape { field, .. } | ReportError::Rule { field, .. } => field,
            };
            (name, said)
        })
        .collect();
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|(name, said)| (name.as_str(), said.as_str()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_wrong_loss_beside_a_right_product_can_be_told() {
    let (_, text) = folder("valid")
        .into_iter()
        .find(|(name, _)| name == "check-failed")
        .unwrap();
    let mut report = Report::from_json(&text).unwrap();
    report.stage = firstfault_schema::report::Stage::Gradient;
    report.execution.product_verified = Some(true);
    report.execution.gradient_verified = Some(false);
    report.execution.loss = Some(195.5);
    assert_eq!(Report::from_json(&report.to_json()), Ok(report));
}

#[test]
fn the_json_schema_is_the_one_of_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("report.schema.json");
    let fresh = firstfault_schema::parse::json_schema();
    if std::env::var_os("FIRSTFAULT_RENEW").is_some() {
        fs::write(&path, &fresh).unwrap();
    }
    let stored = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        stored == fresh,
        "schema/report.schema.json is stale; renew it with: FIRSTFAULT_RENEW=1 cargo test -p firstfault-schema --test fixtures"
    );
}

#[test]
fn valid_reports_fit_the_json_schema_and_misshapen_ones_do_not() {
    let schema = serde_json::from_str(&firstfault_schema::parse::json_schema()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (name, text) in folder("valid").into_iter().chain(folder("hostile")) {
        let errors: Vec<String> = validator
            .iter_errors(&serde_json::from_str(&text).unwrap())
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
    }
    let misshapen = [
        "execution-missing",
        "outcome-unknown",
        "stage-is-a-number",
        "version-is-text",
    ];
    for (name, text) in folder("invalid")
        .into_iter()
        .filter(|(name, _)| misshapen.contains(&name.as_str()))
    {
        assert!(
            !validator.is_valid(&serde_json::from_str(&text).unwrap()),
            "{name}"
        );
    }
}
