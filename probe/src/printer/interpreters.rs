//! The Pythons that could be meant.

use std::fmt::Write as _;

use comfy_table::presets::NOTHING;
use comfy_table::{ContentArrangement, Table};
use firstfault_schema::report::Environment;
use firstfault_schema::visible::visible;
use serde_json::{Value, json};

use super::{Printer, QUIET, STRONG, visible_path};
use crate::error::Error;
use crate::interpreter::{Build, Candidate, Installed, Interpreter, Origin, Package, Place};

impl Printer {
    /// The interpreters as one JSON document.
    pub(crate) fn interpreters_json(&self, candidates: &[Candidate]) -> Result<(), Error> {
        let interpreters: Vec<Value> = candidates.iter().map(document).collect();
        self.data(&format!("{:#}\n", json!({ "interpreters": interpreters })))
    }

    /// The interpreters for people: a table whose paths are never broken, so that they can be copied.
    pub(crate) fn interpreters(&self, candidates: &[Candidate]) -> Result<(), Error> {
        if candidates.is_empty() {
            return self.out(&format!("{}\n", self.text("terminal-interpreters-none")));
        }
        let mark = if self.unicode { "▸" } else { ">" };
        let mut table = Table::new();
        table
            .load_style(NOTHING)
            .set_content_arrangement(ContentArrangement::Disabled);
        let head = |id: &str| self.text(&format!("terminal-interpreters-{id}"));
        table.add_row([
            String::new(),
            head("python"),
            head("kind"),
            "PyTorch".to_owned(),
            head("build"),
            head("found-by"),
            head("path"),
        ]);
        let mut problems = Vec::new();
        for candidate in candidates {
            let sign = if candidate.chosen { mark } else { "" };
            let origins: Vec<String> = candidate
                .origins
                .iter()
                .map(|origin| self.origin(origin))
                .collect();
            let [python, kind, torch, build, path] = match &candidate.found {
                Ok(interpreter) => self.interpreter(interpreter),
                Err(problem) => {
                    let path = problem.path().map(visible_path).unwrap_or_default();
                    let why = self.text(&format!("interpreter-{}", problem.id()));
                    problems.push(self.with(
                        "terminal-interpreters-problem",
                        &[("path", &path), ("problem", &why)],
                    ));
                    let dash = || "-".to_owned();
                    [head("broken"), dash(), dash(), dash(), path]
                }
            };
            table.add_row([
                sign.to_owned(),
                python,
                kind,
                torch,
                build,
                origins.join(", "),
                path,
            ]);
        }
        let mut text = String::new();
        for (at, line) in table.trim_fmt().lines().enumerate() {
            let line = line.trim_end();
            let _ = match at {
                0 => writeln!(text, "{STRONG}{line}{STRONG:#}"),
                _ => writeln!(text, "{line}"),
            };
        }
        if !problems.is_empty() {
            text.push('\n');
        }
        for problem in problems {
            let _ = writeln!(text, "{problem}");
        }
        if candidates.iter().any(|candidate| candidate.chosen) {
            let chosen = self.with("terminal-interpreters-chosen", &[("mark", mark)]);
            let _ = writeln!(text, "\n{QUIET}{chosen}{QUIET:#}");
        }
        self.out(&text)
    }

    fn interpreter(&self, interpreter: &Interpreter) -> [String; 5] {
        let dash = || "-".to_owned();
        let (torch, build) = match &interpreter.torch {
            Installed::Present(package) => (
                package
                    .shown_version()
                    .map_or_else(dash, |version| visible(version).into_owned()),
                self.build(package),
            ),
            Installed::Missing => (self.text("terminal-interpreters-missing"), dash()),
            Installed::Unresolved(_) => (self.text("terminal-interpreters-unresolved"), dash()),
        };
        [
            interpreter
                .version
                .as_deref()
                .map_or_else(dash, |version| visible(version).into_owned()),
            environment(interpreter.environment).to_owned(),
            torch,
            build,
            visible_path(&interpreter.program),
        ]
    }

    fn build(&self, package: &Package) -> String {
        let with = |name: &str, version: &Option<String>| match version {
            Some(version) => format!("{name} {}", visible(version)),
            None => name.to_owned(),
        };
        match package.build {
            Some(Build::Cuda) => with("CUDA", &package.cuda),
            Some(Build::Rocm) => with("HIP", &package.hip),
            Some(Build::Xpu) => "XPU".to_owned(),
            Some(Build::Cpu) => self.text("terminal-interpreters-cpu"),
            None => "-".to_owned(),
        }
    }

    fn origin(&self, origin: &Origin) -> String {
        let id = match origin {
            Origin::Kernel(name) => {
                return self.with("terminal-origin-kernel", &[("name", &visible(name))]);
            }
            Origin::Process(pid) => {
                return self.with("terminal-origin-process", &[("pid", &pid.to_string())]);
            }
            other => origin_id(other),
        };
        self.text(&format!("terminal-origin-{}", id.replace('_', "-")))
    }
}

/// One interpreter, with identifiers that stay the same in every language. Null: not known, or it does not apply.
fn document(candidate: &Candidate) -> Value {
    let origins: Vec<Value> = candidate
        .origins
        .iter()
        .map(|origin| match origin {
            Origin::Kernel(name) => json!({ "kind": origin_id(origin), "name": name }),
            Origin::Process(pid) => json!({ "kind": origin_id(origin), "pid": pid }),
            _ => json!({ "kind": origin_id(origin) }),
        })
        .collect();
    match &candidate.found {
        Ok(interpreter) => json!({
            "path": interpreter.program.to_string_lossy(),
            "chosen": candidate.chosen,
            "python_version": interpreter.version,
            "environment": environment(interpreter.environment),
            "found_by": origins,
            "torch": torch(&interpreter.torch),
            "problem": null,
        }),
        Err(problem) => json!({
            "path": problem.path().map(|path| path.to_string_lossy()),
            "chosen": false,
            "python_version": null,
            "environment": null,
            "found_by": origins,
            "torch": null,
            "problem": problem.id(),
        }),
    }
}

fn torch(installed: &Installed) -> Value {
    let package = match installed {
        Installed::Present(package) => package,
        Installed::Missing => return json!({ "state": "missing" }),
        Installed::Unresolved(_) => return json!({ "state": "unresolved" }),
    };
    let build = package.build.map(|build| match build {
        Build::Cuda => "cuda",
        Build::Rocm => "rocm",
        Build::Xpu => "xpu",
        Build::Cpu => "cpu",
    });
    let place = match package.place {
        Place::PythonPath => "pythonpath",
        Place::Environment => "environment",
        Place::UserSite => "user_site",
        Place::System => "system",
    };
    json!({
        "state": "present",
        "version": package.shown_version(),
        "cuda_version": package.cuda,
        "hip_version": package.hip,
        "build": build,
        "place": place,
    })
}

const fn environment(environment: Environment) -> &'static str {
    match environment {
        Environment::Venv => "venv",
        Environment::Conda => "conda",
        Environment::System => "system",
        Environment::Other => "other",
    }
}

const fn origin_id(origin: &Origin) -> &'static str {
    match origin {
        Origin::Active => "active",
        Origin::SearchPath => "search_path",
        Origin::Project => "project",
        Origin::Conda => "conda",
        Origin::Pyenv => "pyenv",
        Origin::Collection => "collection",
        Origin::Kernel(_) => "kernel",
        Origin::Process(_) => "process",
    }
}
