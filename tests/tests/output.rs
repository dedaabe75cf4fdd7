//! Where a report is saved: wholly and only once, or not at all, and then it is still printed.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use firstfault_schema::report::Stage;
use firstfault_schema::{Code, Report};
use firstfault_tests::ended::outcomes;
use firstfault_tests::{Ended, Scene};

/// Expects that the report could not be saved, and that it says so and still tells the truth.
fn expect_unsaved(ended: &Ended, truth: Code) -> Report {
    let report = ended.report();
    assert_eq!(report.code, Code::OutputWriteFailed, "{ended}");
    assert_eq!(report.stage, Stage::Output, "{ended}");
    assert_eq!(report.unsaved_code, Some(truth), "{ended}");
    assert!(ended.stderr.contains("error: "), "{ended}");
    assert!(ended.stderr.contains("hint: "), "{ended}");
    report
}

#[test]
fn a_saved_report_is_the_one_that_is_printed() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let ended = scene.check(&python, ["--output", "report.json"]).end();
    ended.expect(Code::GpuCheckPassed);
    let saved = fs::read_to_string(scene.work("report.json")).unwrap();
    assert_eq!(saved, ended.stdout);
    assert_eq!(scene.names(), ["report.json"]);
    let mode = fs::metadata(scene.work("report.json"))
        .unwrap()
        .permissions()
        .mode();
    // As the user's umask has it, so that others may read it where that is allowed.
    let probe = scene.work("probe");
    fs::write(&probe, "").unwrap();
    assert_eq!(mode, fs::metadata(probe).unwrap().permissions().mode());
}

#[test]
fn whatever_is_there_already_stays_as_it_is() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    fs::write(scene.work("file.json"), "mine").unwrap();
    fs::create_dir(scene.work("folder.json")).unwrap();
    symlink("nowhere", scene.work("dangling.json")).unwrap();
    symlink("file.json", scene.work("link.json")).unwrap();
    let before = scene.names();
    for name in ["file.json", "folder.json", "dangling.json", "link.json"] {
        let ended = scene.check(&python, ["--output", name]).end();
        let report = expect_unsaved(&ended, Code::GpuCheckPassed);
        assert!(report.diagnosis.is_none(), "{ended}");
        assert_eq!(scene.names(), before, "{ended}");
    }
    assert_eq!(fs::read(scene.work("file.json")).unwrap(), b"mine");
    assert!(fs::symlink_metadata(scene.work("nowhere")).is_err());
}

#[test]
fn a_place_that_cannot_be_written_is_told_and_the_truth_stays() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    fs::write(scene.work("file"), "").unwrap();
    fs::create_dir(scene.work("closed")).unwrap();
    fs::set_permissions(scene.work("closed"), fs::Permissions::from_mode(0o555)).unwrap();
    let before = scene.names();
    // Permissions hold nobody back who is root: there the kernel's own folders refuse.
    let closed = if rustix::process::geteuid().is_root() {
        "/sys/report.json"
    } else {
        "closed/report.json"
    };
    let places = [
        "no/such/folder/report.json",
        "file/report.json",
        "/proc/report.json",
        closed,
        ".",
    ];
    for (words, truth) in [
        ("", Code::GpuCheckPassed),
        ("product:out-of-memory", Code::OutOfMemory),
    ] {
        for place in places {
            let ended = scene
                .check(&python, ["--output", place])
                .stand_in(words)
                .end();
            let report = expect_unsaved(&ended, truth);
            let saved = scene.check(&python, [""; 0]).stand_in(words).end().report();
            assert_eq!(outcomes(&report), outcomes(&saved), "{ended}");
            assert_eq!(
                report.execution.product_verified,
                saved.execution.product_verified
            );
            assert_eq!(report.diagnosis.is_some(), truth == Code::OutOfMemory);
            assert_eq!(scene.names(), before, "{ended}");
        }
    }
}

#[test]
fn the_last_line_for_people_names_what_failed_and_the_truth() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let ended = scene
        .run(["check", "--output", "/proc/report.json", "--python"])
        .args([&python])
        .end();
    ended.expect_exit(12);
    let last = ended.stdout.lines().last().unwrap_or_default();
    assert!(last.contains("OUTPUT_WRITE_FAILED"), "{ended}");
    assert!(last.contains("GPU_CHECK_PASSED"), "{ended}");
}

#[test]
fn of_checks_that_race_for_one_file_exactly_one_writes_it() {
    for _ in 0..6 {
        let scene = Scene::new();
        let python = scene.stand_in().python();
        let running: Vec<_> = (0..4)
            .map(|number| {
                scene
                    .check(&python, ["--output", "report.json", "--label"])
                    .args([format!("runner {number}")])
                    .start()
            })
            .collect();
        let ended: Vec<Ended> = running.into_iter().map(|running| running.end()).collect();
        let saved = fs::read_to_string(scene.work("report.json")).unwrap();
        Report::from_json(&saved).unwrap();
        let winners = ended
            .iter()
            .filter(|ended| ended.exit() == Some(0))
            .inspect(|winner| assert_eq!(winner.stdout, saved))
            .count();
        assert_eq!(winners, 1);
        for loser in ended.iter().filter(|ended| ended.exit() != Some(0)) {
            expect_unsaved(loser, Code::GpuCheckPassed);
        }
        assert_eq!(scene.names(), ["report.json"]);
    }
}

/// Arguments that make a report of more than 4 KiB: a disk can fill up in its middle.
fn many_parameters() -> Vec<String> {
    (0..60)
        .flat_map(|number| {
            [
                "--set".to_owned(),
                format!("parameter-{number}=words of the person who runs this"),
            ]
        })
        .collect()
}

#[test]
fn a_limit_on_the_size_of_files_leaves_nothing_half_written() {
    for (limit, arguments) in [(0, vec![]), (1024, vec![]), (4096, many_parameters())] {
        let scene = Scene::new();
        let python = scene.stand_in().python();
        let ended = scene
            .check(&python, ["--output", "report.json"])
            .args(arguments)
            .wrapped(["/usr/bin/prlimit".to_owned(), format!("--fsize={limit}")])
            .end();
        expect_unsaved(&ended, Code::GpuCheckPassed);
        assert_eq!(scene.names(), [""; 0], "{ended}");
    }
}

/// Mounts a file system of this many KiB over the folder `$1`, fills all but this many, runs the rest of its arguments,
/// and shows what lies there afterwards.
const ON_A_SMALL_DISK: &str = r#"
mount -t tmpfs -o size="$2"k none "$1" || exit 99
head -c "$3"k /dev/zero > "$1/filling" || exit 99
folder=$1
shift 3
"$@"
code=$?
echo "there: $(ls -A "$folder" | tr '\n' ' ')" >&2
exit $code
"#;

#[test]
fn a_full_disk_leaves_nothing_half_written() {
    // A mount of its own needs root, or a kernel that lends it to everybody.
    let may = |arguments: &[&str]| {
        Command::new("/usr/bin/unshare")
            .args(arguments)
            .args(["mount", "-t", "tmpfs", "none", "/mnt"])
            .output()
            .is_ok_and(|output| output.status.success())
    };
    let privately: &[&str] = if may(&["--mount"]) {
        &["--mount"]
    } else if may(&["--mount", "--map-root-user"]) {
        &["--mount", "--map-root-user"]
    } else {
        // The limit on the size of files, in a test of its own, then is all that shows a failing write.
        let _ = writeln!(
            std::io::stderr(),
            "no file system can be mounted here: a full disk is shown by a limit on the size of files alone"
        );
        return;
    };
    for (size, filled, arguments) in [(8, 8, vec![]), (12, 8, many_parameters())] {
        let scene = Scene::new();
        let python = scene.stand_in().python();
        let disk = scene.path("disk");
        fs::create_dir(&disk).unwrap();
        let (size, filled) = (size.to_string(), filled.to_string());
        let wrapper: Vec<&str> = ["/usr/bin/unshare"]
            .into_iter()
            .chain(privately.iter().copied())
            .chain(["sh", "-c", ON_A_SMALL_DISK, "sh"])
            .chain([disk.to_str().unwrap(), &size, &filled])
            .collect();
        let ended = scene
            .check(&python, ["--output"])
            .args([disk.join("report.json")])
            .args(arguments)
            .wrapped(wrapper)
            .end();
        expect_unsaved(&ended, Code::GpuCheckPassed);
        assert!(ended.stderr.contains("there: filling \n"), "{ended}");
    }
}

#[test]
fn a_full_state_folder_does_not_hinder_the_check() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    fs::write(scene.path("file"), "").unwrap();
    for state in [
        scene.path("file"),
        Path::new("/proc/state").to_owned(),
        Path::new("/dev/full").to_owned(),
    ] {
        let ended = scene
            .check(&python, [""; 0])
            .env("XDG_STATE_HOME", &state)
            .end();
        assert_eq!(ended.report().code, Code::GpuCheckPassed, "{ended}");
        assert!(ended.stderr.lines().count() <= 2, "{ended}");
    }
}

#[test]
fn the_page_of_a_check_carries_its_report_and_is_never_written_over() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    let arguments = ["--output", "report.json", "--page", "report.html"];
    let ended = scene.check(&python, arguments).end();
    ended.expect(Code::GpuCheckPassed);
    let page = fs::read_to_string(scene.work("report.html")).unwrap();
    let carried = firstfault_schema::carry::reports_in(&page).unwrap();
    assert_eq!(carried.len(), 1);
    assert_eq!(carried[0].text, ended.stdout);
    fs::remove_file(scene.work("report.json")).unwrap();
    let again = scene.check(&python, arguments).end();
    expect_unsaved(&again, Code::GpuCheckPassed);
    assert_eq!(
        fs::read_to_string(scene.work("report.html")).unwrap(),
        page,
        "{again}"
    );
}

#[test]
fn a_page_that_cannot_be_written_is_told_beside_a_report_that_is_saved() {
    let scene = Scene::new();
    let python = scene.stand_in().python();
    fs::write(scene.work("page.html"), "mine").unwrap();
    for (number, page) in ["page.html", "/proc/page.html", "no/such/page.html"]
        .into_iter()
        .enumerate()
    {
        let report = format!("report-{number}.json");
        let ended = scene
            .check(&python, ["--output", &report, "--page", page])
            .end();
        expect_unsaved(&ended, Code::GpuCheckPassed);
        let saved = fs::read_to_string(scene.work(report)).unwrap();
        assert_eq!(
            Report::from_json(&saved).unwrap().code,
            Code::GpuCheckPassed,
            "{ended}"
        );
    }
    assert_eq!(fs::read(scene.work("page.html")).unwrap(), b"mine");
    let limited = scene
        .check(&python, ["--page", "other.html"])
        .wrapped(["/usr/bin/prlimit", "--fsize=100000"])
        .end();
    expect_unsaved(&limited, Code::GpuCheckPassed);
    assert!(!scene.names().contains(&"other.html".to_owned()));
    assert!(scene.names().iter().all(|name| !name.ends_with(".part")));
}
