//! The commands around reports, and how the program behaves on a command line.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use firstfault_schema::parse::MAX_INPUT_BYTES;
use firstfault_schema::visible::is_hidden;
use firstfault_schema::{Code, carry};
use firstfault_tests::{Ended, Scene};

/// The fixtures in one of their folders, sorted.
fn fixtures(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../schema/fixtures")
        .join(folder);
    let mut found: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension() == Some(OsStr::new("json")))
        .collect();
    found.sort();
    assert!(found.len() > 3, "{}", folder.display());
    found
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../schema/fixtures")
        .join(name)
}

/// Expects text for people that no terminal obeys: neither colours nor anything hidden.
fn expect_plain(ended: &Ended) {
    for text in [&ended.stdout, &ended.stderr] {
        let hidden = text
            .chars()
            .find(|letter| is_hidden(*letter) && *letter != '\n');
        assert_eq!(hidden, None, "{ended}");
    }
}

/// Expects a usage error: 2, a word on standard error, nothing on standard output.
fn expect_usage_error(ended: &Ended) {
    ended.expect_exit(2);
    assert_eq!(ended.stdout, "", "{ended}");
    assert!(ended.stderr.contains("error"), "{ended}");
}

#[test]
fn every_valid_fixture_is_valid_and_named_with_its_code() {
    let scene = Scene::new();
    for folder in ["valid", "hostile"] {
        let files = fixtures(folder);
        let ended = scene.run(["validate"]).args(&files).end();
        ended.expect_exit(0).expect_silence();
        assert_eq!(ended.stdout.lines().count(), files.len(), "{ended}");
        expect_plain(&ended);
    }
}

#[test]
fn every_invalid_fixture_is_refused_beside_the_good_ones() {
    let scene = Scene::new();
    let good = fixture("valid/gpu-check-passed.json");
    for file in fixtures("invalid") {
        let ended = scene.run(["validate"]).args([&good, &file, &good]).end();
        ended.expect_exit(1).expect_silence();
        assert_eq!(ended.stdout.lines().count(), 3, "{ended}");
        expect_plain(&ended);
    }
    let newer = fixture("invalid/newer-version.json");
    let ended = scene.run(["validate"]).args([&newer]).end();
    assert!(ended.stdout.contains("newer version"), "{ended}");
}

#[test]
fn what_cannot_be_read_is_a_usage_error_and_what_is_huge_is_refused_unread() {
    let scene = Scene::new();
    for place in ["missing.json", "."] {
        expect_usage_error(&scene.run(["validate", place]).end());
    }
    let huge = fs::File::create(scene.work("huge.json")).unwrap();
    huge.set_len(1 << 40).unwrap();
    let ended = scene.run(["validate", "huge.json"]).end();
    ended.expect_exit(1).expect_within(Duration::from_secs(5));
    let large = format!("{{\"format\":\"{}\"}}", "x".repeat(MAX_INPUT_BYTES));
    fs::write(scene.work("large.json"), large).unwrap();
    scene.run(["validate", "large.json"]).end().expect_exit(1);
    if cfg!(unix) {
        scene.run(["validate", "/dev/zero"]).end().expect_exit(1);
    }
    fs::write(scene.work("bytes.json"), [0xff, 0xfe, 0x00]).unwrap();
    scene.run(["validate", "bytes.json"]).end().expect_exit(1);
    let nested = "[".repeat(1_000_000);
    fs::write(scene.work("nested.json"), nested).unwrap();
    scene.run(["validate", "nested.json"]).end().expect_exit(1);
}

#[test]
fn names_of_files_can_restyle_no_terminal() {
    let scene = Scene::new();
    let name = "a\u{1b}[31m\u{202e}\u{7}.json";
    fs::copy(fixture("valid/gpu-check-passed.json"), scene.work(name)).unwrap();
    let ended = scene.run(["validate", name]).end();
    ended.expect_exit(0).expect_silence();
    expect_plain(&ended);
    expect_plain(&scene.run(["validate", "\u{1b}[2Jmissing\u{202e}"]).end());
}

#[test]
fn a_page_carries_reports_as_they_are_and_no_report_ends_its_element() {
    let scene = Scene::new();
    let files: Vec<PathBuf> = fixtures("hostile")
        .into_iter()
        .chain([fixture("valid/gpu-unavailable.json")])
        .collect();
    let ended = scene
        .run(["page", "--output", "page.html"])
        .args(&files)
        .end();
    ended.expect_exit(0).expect_silence();
    let page = fs::read_to_string(scene.work("page.html")).unwrap();
    let carried = carry::reports_in(&page).unwrap();
    assert_eq!(carried.len(), files.len());
    for (carried, file) in carried.iter().zip(&files) {
        assert_eq!(carried.text, fs::read_to_string(file).unwrap());
    }
    scene
        .run(["page", "--output", "empty.html"])
        .end()
        .expect_exit(0);
    let empty = fs::read_to_string(scene.work("empty.html")).unwrap();
    assert_eq!(carry::reports_in(&empty).unwrap(), []);
    assert!(carry::with_reports(&page, &[]).unwrap() == empty);
    assert_eq!(
        page.matches("</script>").count(),
        empty.matches("</script>").count()
    );

    let again = scene.run(["page", "--output", "page.html"]).end();
    again.expect_exit(12);
    assert_eq!(
        fs::read_to_string(scene.work("page.html")).unwrap(),
        page,
        "{again}"
    );
    let invalid = scene
        .run(["page", "--output", "other.html"])
        .args([fixture("invalid/truncated.json")])
        .end();
    expect_usage_error(&invalid);
    assert_eq!(scene.names(), ["empty.html", "page.html"]);
}

#[test]
fn a_comparison_is_told_by_its_exit_code() {
    let scene = Scene::new();
    let cases = [
        ("gpu-unavailable", "gpu-check-passed", 0),
        ("check-failed", "gpu-check-passed", 0),
        ("gpu-check-passed", "check-failed", 1),
        ("gpu-check-passed", "gpu-unavailable", 1),
        ("gpu-check-passed", "cpu-check-passed", 3),
    ];
    for (baseline, candidate, code) in cases {
        let files = [baseline, candidate].map(|name| fixture(&format!("valid/{name}.json")));
        let ended = scene.run(["compare"]).args(&files).end();
        ended.expect_exit(code).expect_silence();
        expect_plain(&ended);
        let ended = scene.run(["compare", "--json"]).args(&files).end();
        ended.expect_exit(code).expect_silence();
        let value: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(value["exit_code"], code, "{ended}");
    }
    let invalid = [
        fixture("valid/gpu-check-passed.json"),
        fixture("invalid/newer-version.json"),
    ];
    expect_usage_error(&scene.run(["compare"]).args(invalid).end());
    expect_usage_error(&scene.run(["compare", "one.json"]).end());
}

#[test]
fn a_log_is_explained_from_a_file_and_from_standard_input() {
    let scene = Scene::new();
    let log = "Epoch 3\nTraceback (most recent call last):\n  File \"train.py\", line 4, in <module>\n\
               torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB.\n";
    fs::write(scene.work("log"), log).unwrap();
    fs::write(scene.work("well"), "Epoch 3\nloss 0.2\n").unwrap();
    for (exit_code, file, expected) in [
        (false, "log", 0),
        (true, "log", 1),
        (true, "well", 0),
        (false, "well", 0),
    ] {
        let arguments = if exit_code {
            vec!["explain", "--exit-code"]
        } else {
            vec!["explain"]
        };
        let read = scene.run(&arguments).input(&scene.work(file)).end();
        read.expect_exit(expected).expect_silence();
        let named = scene.run(&arguments).args([file]).end();
        named.expect_exit(expected).expect_silence();
        assert_eq!(read.stdout, named.stdout);
        let json = scene.run(&arguments).args([file, "--json"]).end();
        json.expect_exit(expected).expect_silence();
        let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
        let found = value["faults"].as_array().unwrap().len();
        assert_eq!(found > 0, file == "log", "{json}");
    }
    expect_usage_error(&scene.run(["explain", "missing"]).end());
    fs::write(scene.work("bytes"), [0xff, 0x1b, b'[', b'3', 0x00, b'\n']).unwrap();
    let ended = scene.run(["explain", "bytes"]).end();
    ended.expect_exit(0).expect_silence();
    expect_plain(&ended);
}

#[test]
fn a_long_log_is_read_in_little_memory() {
    let scene = Scene::new();
    let line = "Epoch 3, step 200: loss 0.2 and nothing else of interest in this line\n";
    let mut log = line.repeat(700_000);
    log.push_str("RuntimeError: CUDA out of memory\n");
    log.push_str(&"x".repeat(20_000_000));
    fs::write(scene.work("log"), log).unwrap();
    let ended = scene.run(["explain", "--exit-code", "log"]).end();
    ended.expect_exit(1);
    assert!(
        ended.peak_kib < firstfault_tests::ended::MEMORY_LIMIT_KIB,
        "{ended}"
    );
}

#[test]
fn completions_are_made_for_every_shell() {
    let scene = Scene::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ended = scene.run(["completions", shell]).end();
        ended.expect_exit(0).expect_silence();
        for word in ["check", "validate", "--device-index"] {
            let bare = word.trim_start_matches('-');
            assert!(ended.stdout.contains(bare), "{word}\n{ended}");
        }
    }
}

#[test]
fn usage_errors_write_nothing_but_a_word_on_standard_error() {
    let scene = Scene::new();
    let wrong: &[&[&str]] = &[
        &["check", "--timeout", "4"],
        &["check", "--timeout", "121"],
        &["check", "--timeout", "-1"],
        &["check", "--timeout", "0"],
        &["check", "--timeout", "5.5"],
        &["check", "--timeout", "x"],
        &["check", "--timeout", ""],
        &["check", "--device", "tpu"],
        &["check", "--device-index", "-1"],
        &["check", "--device-index", "4294967296"],
        &["check", "--device", "cpu", "--device-index", "0"],
        &["check", "--engine", "jax"],
        &["check", "--output", ""],
        &["check", "--output", "a.json", "--output", "b.json"],
        &["check", "--unknown"],
        &["check", "file.json"],
        &["check", "--python", "a", "--kernel", "b"],
        &["check", "--json", "--ticket", "host"],
        &["check", "--lang", "fr"],
        &["validate"],
        &["page"],
        &["compare"],
        &["completions", "tcsh-of-nobody"],
        &["no-such-command"],
    ];
    for arguments in wrong {
        expect_usage_error(&scene.run(*arguments).end());
        assert_eq!(scene.names(), [""; 0]);
    }
    for limit in ["5", "120"] {
        let python = scene.path("no-python");
        let ended = scene.check(&python, ["--timeout", limit]).end();
        ended.expect_exit(16);
    }
    // Without any argument the help is shown, as an error.
    scene.run([""; 0]).end().expect_exit(2);
}

#[test]
fn help_and_version_are_data() {
    let scene = Scene::new();
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["check", "--help"],
        &["help", "validate"],
    ] {
        let ended = scene.run(arguments).end();
        ended.expect_exit(0).expect_silence();
        expect_plain(&ended);
    }
}

/// Runs the rest of its arguments with a reader that goes away after the first byte; tells the exit code.
const READ_ONE_BYTE: &str = r#"("$@"; echo "code $?" >&2) | head -c 1 > /dev/null"#;

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let valid = fixtures("valid");
    let runs = [
        scene.check(&python, [""; 0]),
        scene.run(["check", "--python"]).args([&python]),
        scene
            .run(["validate"])
            .args(valid.iter().cycle().take(4000)),
        scene.run(["completions", "zsh"]),
        scene.run(["compare"]).args([&valid[0], &valid[1]]),
    ];
    for run in runs {
        let ended = run.wrapped(["sh", "-c", READ_ONE_BYTE, "sh"]).end();
        ended.expect_exit(0);
        for line in ended.stderr.lines() {
            assert!(
                line.starts_with("code ") || line.starts_with("Examined: "),
                "{ended}"
            );
        }
        assert!(!ended.stderr.contains("code 12"), "{ended}");
        assert!(!ended.stderr.contains("code 101"), "{ended}");
    }
}

#[test]
fn standard_output_that_cannot_be_written_is_told() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    for json in [&["--json"][..], &[]] {
        let ended = scene
            .run(["check", "--python"])
            .args([&python])
            .args(json)
            .wrapped(["sh", "-c", "exec \"$@\" > /dev/full", "sh"])
            .end();
        ended.expect_exit(12);
        assert!(ended.stderr.contains("error: "), "{ended}");
    }
}

#[test]
fn neither_the_language_nor_a_pipe_changes_what_is_data() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let run = |language: &str| {
        let ended = scene
            .check(&python, ["--device", "cpu"])
            .env("LANG", language)
            .end();
        let mut report = ended.expect(Code::CpuCheckPassed);
        report.attempt.id.clear();
        report.attempt.started_at.clear();
        report.execution.timings = Default::default();
        report
    };
    let english = run("en_GB.UTF-8");
    // A Turkish locale must not turn an i of an identifier into something else.
    for language in ["de_DE.UTF-8", "tr_TR.UTF-8", "C"] {
        assert!(run(language) == english, "{language}");
    }
}

#[test]
fn people_are_told_in_their_language_and_in_what_their_terminal_can_show() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let table = |variables: &[(&str, &str)], arguments: &[&str]| {
        let mut run = scene
            .run(["check", "--python"])
            .args([&python])
            .args(arguments)
            .stand_in("allocation:out-of-memory");
        for (name, value) in variables {
            run = run.env(name, value);
        }
        let ended = run.end();
        ended.expect_exit(9).expect_silence();
        expect_plain(&ended);
        ended
    };
    let english = table(&[("LANG", "en_GB.UTF-8")], &[]);
    let german = table(&[("LANG", "de_DE.UTF-8")], &[]);
    let turkish = table(&[("LC_ALL", "tr_TR.UTF-8")], &[]);
    for ended in [&english, &german, &turkish] {
        let last = ended.stdout.lines().last().unwrap_or_default();
        assert!(last.contains("OUT_OF_MEMORY"), "{ended}");
    }
    assert!(english.stdout.contains("not reached"), "{english}");
    assert!(german.stdout.contains("nicht erreicht"), "{german}");
    assert_ne!(turkish.stdout, english.stdout);
    assert_ne!(turkish.stdout, german.stdout);
    let chosen = table(&[("LANG", "tr_TR.UTF-8")], &["--lang", "de"]);
    assert!(chosen.stdout.contains("nicht erreicht"), "{chosen}");
    for language in ["en", "de", "tr"] {
        let plain = table(&[("LC_ALL", "C")], &["--lang", language]);
        assert!(plain.stdout.is_ascii(), "{plain}");
        assert!(plain.stdout.contains("OUT_OF_MEMORY"), "{plain}");
    }
}

#[test]
fn a_terminal_gets_colours_unless_they_are_unwanted() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let on_a_terminal = |variables: &[(&str, &str)]| {
        let mut run = scene
            .run(["check", "--python"])
            .args([&python])
            .env("TERM", "xterm-256color")
            .wrapped([
                "sh",
                "-c",
                "out=$1; shift; for word do line=\"$line '$word'\"; done; exec script -qec \"$line\" \"$out\" < /dev/null",
                "sh",
                "/dev/null",
            ]);
        for (name, value) in variables {
            run = run.env(name, value);
        }
        let ended = run.end();
        ended.expect_exit(0);
        assert!(ended.stdout.contains("GPU_CHECK_PASSED"), "{ended}");
        ended
    };
    // Cursor movements of the progress line end otherwise: only colours and weights end in `m`.
    let styled = |text: &str| {
        text.split('\u{1b}').skip(1).any(|after| {
            let end = after[1..].trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
            after.starts_with('[') && end.starts_with('m')
        })
    };
    let coloured = on_a_terminal(&[]);
    assert!(styled(&coloured.stdout), "{coloured}");
    let plain = on_a_terminal(&[("NO_COLOR", "1")]);
    assert!(!styled(&plain.stdout), "{plain}");
    let dumb = on_a_terminal(&[("TERM", "dumb")]);
    assert!(!styled(&dumb.stdout), "{dumb}");
}
