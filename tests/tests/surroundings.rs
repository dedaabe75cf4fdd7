//! Odd surroundings: no variables, names that are no text, closed streams, folders that are gone, tight limits.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use firstfault_schema::Code;
use firstfault_tests::environments::{Environment, StandIn};
use firstfault_tests::{Ended, Scene};

/// Expects a pass, and no more on standard error than notes.
fn expect_pass(ended: &Ended) {
    assert_eq!(ended.report().code, Code::GpuCheckPassed, "{ended}");
    assert!(!ended.stderr.contains("error"), "{ended}");
    assert!(!ended.stderr.contains("bug"), "{ended}");
}

#[test]
fn no_variable_at_all_is_enough_for_a_check() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let mut run = scene.check(&python, [""; 0]);
    for name in ["PATH", "HOME", "XDG_STATE_HOME", "LANG"] {
        run = run.without_env(name);
    }
    // Where no home is named, the system's own list of users names one: nothing may be written there.
    expect_pass(&run.env("XDG_STATE_HOME", scene.path("state")).end());
    let run = scene.check(&python, [""; 0]).without_env("XDG_STATE_HOME");
    expect_pass(&run.env("HOME", "relative/home").end());
}

#[test]
fn names_that_are_no_text_harm_nothing() {
    let scene = Scene::new();
    let odd = |number: u8| OsStr::from_bytes(&[b'x', 0xff, number, 0xc3]).to_owned();
    let stand_in = StandIn::new(&scene.path(odd(1)));
    let work = scene.path(odd(2));
    fs::create_dir(&work).unwrap();
    fs::write(work.join("json.py"), "raise RuntimeError('not yours')\n").unwrap();
    let ended = scene
        .check(&stand_in.python(), ["--output", "report.json"])
        .folder(&work)
        .env("HOME", scene.path(odd(3)))
        .env("XDG_STATE_HOME", scene.path(odd(4)))
        .env("X_ODD", odd(5))
        .env(odd(6), "value")
        .end();
    expect_pass(&ended);
    assert!(work.join("report.json").is_file(), "{ended}");
    let ended = scene
        .run([OsStr::new("validate"), &odd(7)])
        .folder(&work)
        .end();
    ended.expect_exit(2);
    let ended = scene
        .run([OsStr::new("check"), OsStr::new("--label"), &odd(8)])
        .end();
    ended.expect_exit(2);
    assert_eq!(ended.stdout, "", "{ended}");
}

#[test]
fn closed_streams_harm_nothing() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    for closed in ["<&-", "2>&-", "<&- 2>&-"] {
        let script = format!("exec \"$@\" {closed}");
        let ended = scene
            .check(&python, [""; 0])
            .wrapped(["sh", "-c", &script, "sh"])
            .end();
        expect_pass(&ended);
    }
    let ended = scene
        .check(&python, ["--output", "report.json"])
        .wrapped(["sh", "-c", "exec \"$@\" <&- >&- 2>&-", "sh"])
        .end();
    assert!(matches!(ended.exit(), Some(0 | 12)), "{ended}");
    assert!(scene.work("report.json").is_file(), "{ended}");
}

#[test]
fn a_current_folder_that_is_gone_is_no_bug() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let gone = scene.path("gone");
    fs::create_dir(&gone).unwrap();
    let ended = scene
        .check(&python, [""; 0])
        .folder(&gone)
        .wrapped(["sh", "-c", "rmdir \"$PWD\"; exec \"$@\"", "sh"])
        .end();
    assert!(matches!(ended.exit(), Some(0 | 2)), "{ended}");
    assert!(!ended.stderr.contains("bug"), "{ended}");
}

#[test]
fn tight_limits_become_a_code_and_never_a_bug() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    // Open files, processor seconds, and memory for the heap.
    for limit in ["--nofile=40", "--cpu=20", "--stack=1048576"] {
        let ended = scene
            .check(&python, [""; 0])
            .wrapped(["/usr/bin/prlimit", limit])
            .end();
        expect_pass(&ended);
    }
    for limit in ["--nofile=9", "--as=300000000"] {
        let ended = scene
            .check(&python, [""; 0])
            .wrapped(["/usr/bin/prlimit", limit])
            .end();
        let code = ended.exit();
        assert!(
            code.is_some_and(|code| code != 70 && code != 101),
            "{ended}"
        );
    }
}

#[test]
fn libtorch_alone_without_any_libtorch_is_a_usage_error() {
    let scene = Scene::new();
    let ended = scene
        .check(&Environment::Empty.python(), ["--engine", "libtorch"])
        .end();
    ended.expect_exit(2);
    assert_eq!(ended.stdout, "", "{ended}");
    assert!(ended.stderr.contains("hint: "), "{ended}");
    let ended = scene
        .run(["check", "--json", "--engine", "libtorch", "--libtorch"])
        .args([Path::new("/usr/share")])
        .env("VIRTUAL_ENV", scene.stand_in_without_torch())
        .end();
    ended.expect_exit(2);
}

#[test]
fn a_program_that_is_named_need_not_be_there() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    for program in ["missing.py", "no/such/folder/train.py", "."] {
        let ended = scene.check(&python, ["--program", program]).end();
        expect_pass(&ended);
    }
}

#[test]
fn what_is_kept_of_an_attempt_is_for_the_user_alone() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let ended = scene
        .check(&python, [""; 0])
        .stand_in("import:raise")
        .env("STAND_IN_MESSAGE", "kept at home")
        .end();
    let report = ended.expect(Code::TorchImportFailed);
    let state = scene.path("state/firstfault");
    let attempt = state.join("attempts").join(&report.attempt.id);
    for folder in [&state, &attempt] {
        let mode = fs::metadata(folder).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{}", folder.display());
    }
    assert_eq!(fs::read_to_string(state.join(".gitignore")).unwrap(), "*\n");
    let log = fs::read_to_string(attempt.join("python.stderr.log")).unwrap();
    assert!(
        log.contains("Traceback") && log.contains("kept at home"),
        "{log}"
    );
    assert!(!ended.stdout.contains("kept at home"), "{ended}");
    assert!(!ended.stdout.contains("Traceback"), "{ended}");
}
