//! The fault bench: what the real CUDA build of PyTorch meets with a driver that fails, and what must be found.
//!
//! The false driver injects at initialisation only, so no row is evidence for anything that fails later. Used by
//! `cargo xtask faults`, which shows the table, and by a test.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Seconds that a check may take (`--timeout`) in a row in which something hangs: enough to import PyTorch on a busy machine.
const HANG_TIMEOUT_S: u64 = 15;
/// Seconds that a check may take by default.
const DEFAULT_TIMEOUT_S: u64 = 30;
/// What comes after the deciding engine when only evidence is still collected: 3 s for it, and 2 s for all the rest.
const EVIDENCE_AND_REST_S: u64 = 5;
/// What a witness has after a timeout.
const WITNESS_AFTER_TIMEOUT_S: u64 = 5;

/// Which of NVIDIA's libraries stand first on the loader's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Libraries {
    /// The system's own, which a machine without a GPU does not have.
    System,
    /// The false `libcuda.so.1`.
    Cuda,
    /// The false `libcuda.so.1` and `libnvidia-ml.so.1`.
    CudaAndNvml,
    /// An empty file named `libcuda.so.1`.
    Torn,
}

/// Who decides in the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Python decides, libtorch is the witness.
    Auto,
    /// Python alone.
    Python,
    /// libtorch alone.
    Libtorch,
}

impl Engine {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Python, Self::Libtorch];

    /// The word for the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Python => "python",
            Self::Libtorch => "libtorch",
        }
    }
}

/// Layer, owner and signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming {
    /// The first failing layer.
    pub layer: String,
    /// Who must act.
    pub owner: String,
    /// The fault in the catalogue.
    pub signature: String,
}

impl fmt::Display for Naming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} / {} / {}", self.layer, self.owner, self.signature)
    }
}

/// One fault, and what must be found.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What is broken.
    pub name: &'static str,
    /// Which libraries are false.
    pub libraries: Libraries,
    /// What they do: the variable `FAULT_DRIVER`.
    pub behaviour: &'static str,
    /// `--device`.
    pub device: &'static str,
    /// `CUDA_VISIBLE_DEVICES`; none: not set.
    pub visible: Option<&'static str>,
    /// Whether the engines hang.
    pub hangs: bool,
    /// The engines that meet it.
    pub engines: &'static [Engine],
    /// The result code.
    pub code: &'static str,
    /// The stage in which the check ends.
    pub stage: &'static str,
    /// Layer, owner and signature; more than one where the machine on which the bench runs decides.
    pub names: &'static [(&'static str, &'static str, &'static str)],
    /// The witness's answer in `auto`.
    pub witness: &'static str,
    /// What NVML must have been seen to say, as the fact `nvml_status`; none where it is not part of the row.
    pub nvml_status: Option<&'static str>,
}

/// A row that fails at once in the stage `device` and that both engines see alike.
const UNAVAILABLE: Row = Row {
    name: "",
    libraries: Libraries::Cuda,
    behaviour: "",
    device: "gpu",
    visible: None,
    hangs: false,
    engines: &Engine::ALL,
    code: "GPU_UNAVAILABLE",
    stage: "device",
    names: &[],
    witness: "agrees",
    nvml_status: None,
};

/// Every fault of the bench.
pub const ROWS: &[Row] = &[
    Row {
        name: "library missing",
        libraries: Libraries::System,
        names: &[
            ("exposure", "image", "no-driver-visible"),
            ("driver", "host", "no-driver-visible"),
            ("driver", "host", "no-nvidia-hardware"),
            ("exposure", "image", "container-without-gpu"),
        ],
        ..UNAVAILABLE
    },
    Row {
        name: "library empty",
        libraries: Libraries::Torn,
        names: &[
            ("exposure", "image", "no-driver-visible"),
            ("driver", "host", "no-driver-visible"),
            ("driver", "host", "no-nvidia-hardware"),
            ("exposure", "image", "container-without-gpu"),
        ],
        ..UNAVAILABLE
    },
    Row {
        name: "no device (100)",
        behaviour: "init:100",
        names: &[
            ("exposure", "image", "no-cuda-device"),
            ("driver", "host", "no-nvidia-hardware"),
            ("exposure", "image", "container-without-gpu"),
        ],
        ..UNAVAILABLE
    },
    Row {
        name: "hidden on purpose",
        behaviour: "init:100",
        visible: Some(""),
        names: &[("exposure", "image", "gpu-hidden-on-purpose")],
        ..UNAVAILABLE
    },
    Row {
        name: "unknown error (999)",
        behaviour: "init:999",
        names: &[("driver", "host", "cuda-unknown-error")],
        ..UNAVAILABLE
    },
    Row {
        name: "not yet initialised (802)",
        behaviour: "init:802",
        names: &[("driver", "host", "fabric-not-ready")],
        ..UNAVAILABLE
    },
    Row {
        name: "initialisation failed (3)",
        behaviour: "init:3",
        names: &[("driver", "host", "cuda-init-failed")],
        ..UNAVAILABLE
    },
    Row {
        name: "versions differ (803)",
        behaviour: "init:803",
        names: &[("driver", "host", "driver-version-mismatch")],
        ..UNAVAILABLE
    },
    Row {
        name: "forward compatibility (804)",
        behaviour: "init:804",
        names: &[
            ("driver", "host", "forward-compatibility-refused"),
            // In a container the compatibility package is part of the image.
            ("driver", "image", "forward-compatibility-refused"),
        ],
        ..UNAVAILABLE
    },
    Row {
        name: "driver too old (12.2)",
        behaviour: "init:0,driver_version:12020",
        names: &[("driver", "host", "driver-too-old")],
        ..UNAVAILABLE
    },
    Row {
        name: "stub library (34)",
        behaviour: "init:34",
        names: &[("exposure", "image", "stub-libcuda")],
        ..UNAVAILABLE
    },
    Row {
        name: "busy or unavailable (46)",
        behaviour: "init:46",
        names: &[("exposure", "program", "device-busy")],
        ..UNAVAILABLE
    },
    Row {
        name: "out of memory at once (2)",
        behaviour: "init:2",
        names: &[("driver", "host", "device-count-out-of-memory")],
        ..UNAVAILABLE
    },
    Row {
        name: "initialisation hangs",
        behaviour: "init:hang",
        hangs: true,
        code: "TIMEOUT",
        names: &[("driver", "host", "driver-hangs")],
        ..UNAVAILABLE
    },
    Row {
        name: "initialisation aborts",
        behaviour: "init:abort",
        code: "WORKER_FAILED",
        names: &[("driver", "host", "driver-crashes")],
        ..UNAVAILABLE
    },
    Row {
        name: "initialisation crashes",
        behaviour: "init:segfault",
        code: "WORKER_FAILED",
        names: &[("driver", "host", "driver-crashes")],
        ..UNAVAILABLE
    },
    Row {
        name: "hangs, CPU demanded",
        behaviour: "init:hang",
        device: "cpu",
        hangs: true,
        // libtorch does not load its GPU library for the CPU, so it has no driver to ask.
        engines: &[Engine::Auto, Engine::Python],
        code: "TIMEOUT",
        stage: "gradient",
        names: &[("driver", "host", "driver-hangs")],
        witness: "disagrees",
        ..UNAVAILABLE
    },
    Row {
        name: "crashes, CPU demanded",
        behaviour: "init:segfault",
        device: "cpu",
        engines: &[Engine::Auto, Engine::Python],
        code: "WORKER_FAILED",
        stage: "gradient",
        names: &[("driver", "host", "driver-crashes")],
        witness: "disagrees",
        ..UNAVAILABLE
    },
    Row {
        name: "NVML: versions differ (18)",
        libraries: Libraries::CudaAndNvml,
        behaviour: "init:803,nvml:18",
        nvml_status: Some("version_mismatch"),
        names: &[("driver", "host", "driver-version-mismatch")],
        ..UNAVAILABLE
    },
    Row {
        name: "NVML: driver not loaded (9)",
        libraries: Libraries::CudaAndNvml,
        behaviour: "init:100,nvml:9",
        nvml_status: Some("driver_not_loaded"),
        names: &[
            ("driver", "host", "driver-not-loaded"),
            ("driver", "host", "no-nvidia-hardware"),
            ("exposure", "image", "container-without-gpu"),
            ("exposure", "image", "no-cuda-device"),
        ],
        ..UNAVAILABLE
    },
    Row {
        name: "NVML: no permission (4)",
        libraries: Libraries::CudaAndNvml,
        behaviour: "init:304,nvml:4",
        nvml_status: Some("no_permission"),
        names: &[("exposure", "image", "gpu-nodes-denied")],
        ..UNAVAILABLE
    },
    Row {
        name: "NVML hangs",
        libraries: Libraries::CudaAndNvml,
        behaviour: "init:999,nvml:hang",
        nvml_status: Some("timed_out"),
        names: &[
            ("driver", "host", "nvml-hangs"),
            ("driver", "host", "cuda-unknown-error"),
        ],
        ..UNAVAILABLE
    },
];

impl Row {
    /// Every naming that is right, the usual one first.
    pub fn expected(&self) -> Vec<String> {
        self.names
            .iter()
            .map(|(layer, owner, signature)| format!("{layer} / {owner} / {signature}"))
            .collect()
    }

    /// The longest that the whole check may take with this engine.
    pub fn limit(&self, engine: Engine) -> Duration {
        let own = if self.hangs {
            HANG_TIMEOUT_S
        } else {
            DEFAULT_TIMEOUT_S
        };
        let witness = if self.hangs && engine == Engine::Auto {
            WITNESS_AFTER_TIMEOUT_S
        } else {
            0
        };
        Duration::from_secs(own + witness + EVIDENCE_AND_REST_S)
    }
}

/// What a check found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The exit number of `firstfault`; none where it ended otherwise.
    pub exit: Option<i32>,
    /// The report; null where standard output was not one JSON document.
    pub report: Value,
    /// Standard error.
    pub stderr: String,
    /// From start to end.
    pub elapsed: Duration,
}

impl Found {
    /// The result code.
    pub fn code(&self) -> &str {
        self.report["code"].as_str().unwrap_or("no report")
    }

    /// The stage in which it ended.
    pub fn stage(&self) -> &str {
        self.report["stage"].as_str().unwrap_or_default()
    }

    /// A collected fact; empty when it is not there.
    fn evidence(&self, fact: &str) -> String {
        let evidence = self.report["diagnosis"]["evidence"].as_array();
        let found = evidence
            .into_iter()
            .flatten()
            .find(|item| item["fact"] == fact);
        found
            .and_then(|item| item["value"].as_str())
            .unwrap_or_default()
            .to_owned()
    }

    /// Layer, owner and signature.
    pub fn naming(&self) -> Naming {
        let word = |name: &str| {
            self.report["diagnosis"][name]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        Naming {
            layer: word("layer"),
            owner: word("owner"),
            signature: word("signature"),
        }
    }

    /// Everything in which this differs from what must be found; empty when it is right.
    pub fn problems(&self, row: &Row, engine: Engine) -> Vec<String> {
        let mut problems = Vec::new();
        let mut expect = |what: &str, expected: &str, found: &str| {
            if expected != found {
                problems.push(format!("{what}: {found} instead of {expected}"));
            }
        };
        expect("code", row.code, self.code());
        expect("stage", row.stage, self.stage());
        let written = self.report["exit_code"]
            .as_i64()
            .map_or("none".to_owned(), |code| code.to_string());
        expect(
            "exit",
            &written,
            &self.exit.map_or("none".to_owned(), |code| code.to_string()),
        );
        if engine == Engine::Auto {
            expect(
                "witness",
                row.witness,
                self.report["libtorch"]["answer"].as_str().unwrap_or("none"),
            );
        }
        if let Some(status) = row.nvml_status {
            expect("NVML", status, &self.evidence("nvml_status"));
        }
        let Naming {
            layer,
            owner,
            signature,
        } = self.naming();
        if !row.names.contains(&(&layer, &owner, &signature)) {
            problems.push(format!(
                "named {} instead of {}",
                self.naming(),
                row.expected().join(" or ")
            ));
        }
        let limit = row.limit(engine);
        if self.elapsed > limit {
            problems.push(format!(
                "took {:.1} s of {} s",
                self.elapsed.as_secs_f64(),
                limit.as_secs()
            ));
        }
        problems
    }
}

impl fmt::Display for Found {
    /// What helps to see why a row is wrong; a whole report would hide it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let diagnosis = &self.report["diagnosis"];
        writeln!(f, "  message: {}", diagnosis["message"])?;
        writeln!(f, "  candidates: {}", diagnosis["candidates"])?;
        writeln!(
            f,
            "  libtorch: {} {}",
            self.report["libtorch"]["answer"], self.report["libtorch"]["message"]
        )?;
        let evidence: Vec<String> = diagnosis["evidence"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|item| {
                format!(
                    "{}={}",
                    item["fact"].as_str().unwrap_or_default(),
                    item["value"]
                )
            })
            .collect();
        writeln!(f, "  evidence: {}", evidence.join(" "))?;
        write!(f, "  stderr: {}", self.stderr.trim())
    }
}

/// What the rows are run with.
pub struct Bench {
    firstfault: PathBuf,
    python: PathBuf,
    driver: PathBuf,
    /// Holds the state, the current folder and the empty library.
    scratch: tempfile::TempDir,
}

impl Bench {
    /// A bench with this `firstfault`, a Python with the CUDA build of PyTorch, and the folder of the false driver, with
    /// `libcuda.so.1` in it and `nvml/libnvidia-ml.so.1` below it.
    ///
    /// # Errors
    /// When the folders that it needs can't be made.
    pub fn new(firstfault: &Path, python: &Path, driver: &Path) -> io::Result<Self> {
        let scratch = tempfile::tempdir()?;
        for folder in ["state", "work", "torn"] {
            fs::create_dir(scratch.path().join(folder))?;
        }
        fs::write(scratch.path().join("torn/libcuda.so.1"), "")?;
        Ok(Self {
            firstfault: firstfault.to_owned(),
            python: python.to_owned(),
            driver: driver.to_owned(),
            scratch,
        })
    }

    /// Whether this machine can show a row: one with a driver of its own can't be without.
    pub fn can_show(row: &Row) -> bool {
        row.libraries != Libraries::System || !Path::new("/dev/nvidiactl").exists()
    }

    /// Runs one row to its end.
    ///
    /// # Errors
    /// When `firstfault` can't be started.
    pub fn run(&self, row: &Row, engine: Engine) -> io::Result<Found> {
        let mut check = self.command(row, engine);
        let began = Instant::now();
        let output = check.output()?;
        let elapsed = began.elapsed();
        Ok(Found {
            exit: output.status.code(),
            report: serde_json::from_slice(&output.stdout).unwrap_or_default(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            elapsed,
        })
    }

    fn command(&self, row: &Row, engine: Engine) -> Command {
        let mut check = Command::new(&self.firstfault);
        check.current_dir(self.scratch.path().join("work"));
        check.args([
            "check",
            "--json",
            "--lang",
            "en",
            "--engine",
            engine.name(),
            "--device",
            row.device,
        ]);
        check.arg("--python").arg(&self.python);
        if row.hangs {
            check.arg("--timeout").arg(HANG_TIMEOUT_S.to_string());
        }
        check.env("XDG_STATE_HOME", self.scratch.path().join("state"));
        check.env("FAULT_DRIVER", row.behaviour);
        for name in [
            "CUDA_VISIBLE_DEVICES",
            "NVIDIA_VISIBLE_DEVICES",
            "PYTORCH_NVML_BASED_CUDA_CHECK",
            "LD_LIBRARY_PATH",
        ] {
            check.env_remove(name);
        }
        if let Some(visible) = row.visible {
            check.env("CUDA_VISIBLE_DEVICES", visible);
        }
        let folders = match row.libraries {
            Libraries::System => vec![],
            Libraries::Cuda => vec![self.driver.clone()],
            Libraries::CudaAndNvml => vec![self.driver.clone(), self.driver.join("nvml")],
            Libraries::Torn => vec![self.scratch.path().join("torn")],
        };
        if !folders.is_empty() {
            let folders: Vec<_> = folders.iter().map(|folder| folder.as_os_str()).collect();
            check.env("LD_LIBRARY_PATH", folders.join(OsStr::new(":")));
        }
        check.stdin(Stdio::null());
        check
    }
}
