//! The table of a check: stages, decisions, both engines, the fault and what to do, and last the verdict.

use std::fmt::Write as _;
use std::path::Path;

use comfy_table::presets::NOTHING;
use comfy_table::{ContentArrangement, Table};
use firstfault_schema::compare::word_id;
use firstfault_schema::report::{
    Backend, Diagnosis, Engine, Layer, Report, RequestedDevice, Stage, WitnessAnswer,
};
use firstfault_schema::visible::visible;
use firstfault_schema::{Code, Outcome, Status, catalogue, format};

use super::{End, FAILED, PASSED, Printer, QUIET, STRONG, visible_path};
use crate::check::Note;
use crate::error::Error;

/// The stages of a check, as they are shown.
const STAGES: [Stage; 8] = [
    Stage::Interpreter,
    Stage::Import,
    Stage::Backend,
    Stage::Device,
    Stage::Allocation,
    Stage::Product,
    Stage::Gradient,
    Stage::Synchronize,
];

impl Printer {
    /// Prints a check for people. `report` tells the check itself; `saved` where it was saved.
    pub(crate) fn check(
        &self,
        report: &Report,
        notes: &[Note],
        saved: Option<&Path>,
        end: End,
    ) -> Result<(), Error> {
        let mut text = String::new();
        self.head(&mut text, report);
        let left_out = report.code == Code::ApplicationEnded
            || (report.application.is_some()
                && report.decisions[2].outcome == Outcome::NotRequested);
        if !left_out {
            self.table(
                &mut text,
                STAGES.iter().map(|stage| self.stage_row(report, *stage)),
            );
            text.push('\n');
        }
        self.decisions(&mut text, report);
        if !left_out {
            text.push('\n');
            self.table(&mut text, self.engine_rows(report));
        }
        if let Some(host) = &report.host {
            text.push('\n');
            self.table(&mut text, self.host_rows(host));
        }
        if let Some(application) = &report.application {
            self.application(&mut text, application);
            if let Some(resume) = &application.resume {
                let said = report.code == Code::ResumeFailed || is_clean(report);
                self.resume(&mut text, resume, said);
            }
        }
        if let Some(noise) = &report.noise {
            self.noise(&mut text, noise);
        }
        if let Some(diagnosis) = &report.diagnosis {
            self.diagnosis(&mut text, diagnosis);
        }
        if !notes.is_empty() {
            text.push('\n');
        }
        for note in notes {
            let _ = writeln!(text, "{QUIET}{}{QUIET:#}", self.note(note));
        }
        if let Some(path) = saved {
            let _ = writeln!(
                text,
                "{QUIET}{}{QUIET:#}",
                self.with("terminal-saved", &[("file", &visible_path(path))])
            );
        }
        let _ = writeln!(text, "\n{}", self.verdict(report, end));
        self.out(&text)
    }

    /// What was examined, and when.
    pub(super) fn head(&self, text: &mut String, report: &Report) {
        let device = match report.execution.requested_index {
            Some(index) => format!("GPU {index}"),
            None => "CPU".to_owned(),
        };
        let label = report
            .attempt
            .label
            .as_deref()
            .map(|label| format!(" · {}", visible(label)))
            .unwrap_or_default();
        let _ = writeln!(
            text,
            "{STRONG}FirstFault {}{STRONG:#} {QUIET}· {device} · {} · {}{label}{QUIET:#}\n",
            report.tool.version,
            report.attempt.started_at,
            &report.attempt.id[..8]
        );
    }

    /// The four decisions.
    pub(super) fn decisions(&self, text: &mut String, report: &Report) {
        self.table(
            text,
            report.decisions.iter().enumerate().map(|(at, decision)| {
                let name = format!(
                    "{} {}",
                    at + 1,
                    self.text(&format!("decision-{}", decision.id.name()))
                );
                [name, self.outcome(decision.outcome), String::new()]
            }),
        );
    }

    pub(super) fn table(&self, text: &mut String, rows: impl IntoIterator<Item = [String; 3]>) {
        let mut table = Table::new();
        table
            .load_style(NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(self.width.saturating_sub(2));
        for row in rows {
            table.add_row(row);
        }
        for line in table.trim_fmt().lines() {
            let _ = writeln!(text, " {}", line.trim_end());
        }
    }

    pub(super) fn outcome(&self, outcome: Outcome) -> String {
        let sign = match (outcome, self.unicode) {
            (Outcome::Passed | Outcome::PassedCpuOnly, true) => "✓",
            (Outcome::Passed | Outcome::PassedCpuOnly, false) => "+",
            (Outcome::Failed, true) => "✗",
            (Outcome::Failed, false) => "X",
            (Outcome::NotReached | Outcome::NotRequested, _) => "-",
            (Outcome::NotProven, _) => "?",
        };
        format!(
            "{sign} {}",
            self.text(&format!("outcome-{}", outcome.name().replace('_', "-")))
        )
    }

    fn stage_row(&self, report: &Report, stage: Stage) -> [String; 3] {
        let cpu = report.execution.requested_device == RequestedDevice::Cpu;
        let libtorch = report.execution.engine == Engine::Libtorch;
        let passed = report.status == Status::Passed;
        let outcome =
            if (cpu && stage == Stage::Device) || (libtorch && stage == Stage::Interpreter) {
                Outcome::NotRequested
            } else if passed || stage < report.stage {
                Outcome::Passed
            } else if stage == report.stage {
                let unproven = report
                    .decisions
                    .iter()
                    .any(|decision| decision.outcome == Outcome::NotProven);
                if unproven {
                    Outcome::NotProven
                } else {
                    Outcome::Failed
                }
            } else {
                Outcome::NotReached
            };
        let detail = if matches!(
            outcome,
            Outcome::Passed | Outcome::Failed | Outcome::NotProven
        ) {
            self.stage_detail(report, stage)
        } else {
            String::new()
        };
        [stage.name().to_owned(), self.outcome(outcome), detail]
    }

    fn stage_detail(&self, report: &Report, stage: Stage) -> String {
        let runtime = &report.runtime;
        let pytorch = &report.pytorch;
        let execution = &report.execution;
        let timings = &execution.timings;
        let parts: Vec<Option<String>> = match stage {
            Stage::Interpreter => vec![
                runtime.python_version.as_deref().map(|version| {
                    format!(
                        "{} {version}",
                        runtime.python_implementation.as_deref().unwrap_or("Python")
                    )
                }),
                runtime
                    .environment
                    .map(|kind| format!("{kind:?}").to_lowercase()),
                runtime.system.as_deref().map(|system| {
                    format!(
                        "{system} {}",
                        runtime.architecture.as_deref().unwrap_or_default()
                    )
                }),
            ],
            Stage::Import => vec![
                pytorch
                    .version
                    .as_deref()
                    .map(|version| format!("PyTorch {version}"))
                    .or_else(|| {
                        pytorch
                            .installed_version
                            .as_deref()
                            .map(|version| self.with("terminal-installed", &[("version", version)]))
                    }),
                timings.import_ms.map(|ms| self.duration(ms)),
            ],
            Stage::Backend => vec![match pytorch.backend {
                Some(Backend::Cuda) => Some(format!(
                    "CUDA {}",
                    pytorch.cuda_version.as_deref().unwrap_or_default()
                )),
                Some(Backend::Rocm) => Some(format!(
                    "ROCm (HIP {})",
                    pytorch.hip_version.as_deref().unwrap_or_default()
                )),
                Some(Backend::None) => Some(self.text("terminal-no-backend")),
                None => None,
            }],
            Stage::Device => {
                let index = execution.requested_index.unwrap_or(0);
                let device = pytorch
                    .devices
                    .iter()
                    .flatten()
                    .find(|device| device.index == index);
                vec![
                    device.map(|device| device.name.clone()),
                    device
                        .and_then(|device| device.total_memory_bytes)
                        .map(|bytes| self.bytes(bytes)),
                    pytorch.visible_device_count.map(|count| {
                        self.with("terminal-visible", &[("count", &count.to_string())])
                    }),
                ]
            }
            Stage::Allocation => vec![execution.device.clone(), execution.dtype.clone()],
            Stage::Product => vec![execution.product_verified.map(|right| self.verified(right))],
            Stage::Gradient => {
                vec![
                    execution
                        .gradient_verified
                        .map(|right| self.verified(right)),
                    execution.loss.map(|loss| format!("loss {loss}")),
                ]
            }
            Stage::Synchronize => vec![
                execution.synchronized.map(|right| self.verified(right)),
                timings
                    .first_pass_ms
                    .map(|ms| self.with("terminal-first-pass", &[("time", &self.duration(ms))])),
                timings.following_pass_ms.map(|ms| {
                    self.with("terminal-following-pass", &[("time", &self.duration(ms))])
                }),
            ],
            Stage::Application | Stage::Output => Vec::new(),
        };
        visible(&parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")).into_owned()
    }

    fn verified(&self, right: bool) -> String {
        self.text(if right {
            "terminal-right"
        } else {
            "terminal-wrong"
        })
    }

    fn engine_rows(&self, report: &Report) -> Vec<[String; 3]> {
        let libtorch = &report.libtorch;
        let answer = self.text(&format!(
            "witness-{}",
            libtorch.answer.name().replace('_', "-")
        ));
        let parts: Vec<Option<String>> = vec![
            libtorch
                .stage
                .filter(|_| libtorch.answer != WitnessAnswer::Agrees)
                .map(|stage| stage.name().to_owned()),
            libtorch.missing.clone(),
            libtorch
                .message
                .clone()
                .filter(|_| libtorch.answer != WitnessAnswer::Agrees),
            libtorch.timings.import_ms.map(|ms| self.duration(ms)),
        ];
        let detail = parts.into_iter().flatten().collect::<Vec<_>>().join(" · ");
        let python = match report.execution.engine {
            Engine::Python => self.text("witness-decided"),
            Engine::Libtorch => self.text("witness-not-run"),
        };
        vec![
            ["python".to_owned(), python, String::new()],
            ["libtorch".to_owned(), answer, visible(&detail).into_owned()],
        ]
    }

    fn host_rows(&self, host: &firstfault_schema::report::Host) -> Vec<[String; 3]> {
        let status = self.text(&format!(
            "terminal-host-{}",
            format!("{:?}", host.status).to_lowercase()
        ));
        let driver = host
            .driver_version
            .as_deref()
            .map(|version| format!("NVIDIA {version}"))
            .unwrap_or_default();
        let mut rows = vec![["host".to_owned(), status, visible(&driver).into_owned()]];
        for gpu in host.gpus.iter().flatten() {
            let memory = match (gpu.used_memory_bytes, gpu.total_memory_bytes) {
                (Some(used), Some(total)) => {
                    format!("{} / {}", self.bytes(used), self.bytes(total))
                }
                _ => String::new(),
            };
            rows.push([String::new(), visible(&gpu.name).into_owned(), memory]);
        }
        rows
    }

    pub(super) fn diagnosis(&self, text: &mut String, diagnosis: &Diagnosis) {
        let layer = self.text(&format!("layer-{}", diagnosis.layer.name()));
        let owner = self.text(&format!("owner-{}", diagnosis.owner.name()));
        let meaning = self.text(&format!("owner-{}-meaning", diagnosis.owner.name()));
        let title = self.fault_title(&diagnosis.signature, diagnosis.layer);
        let _ = writeln!(
            text,
            "\n{STRONG}{}{STRONG:#} {layer} ({})",
            self.text("terminal-layer"),
            diagnosis.layer.name()
        );
        self.paragraph(text, "  ", &title);
        let _ = writeln!(
            text,
            "{STRONG}{}{STRONG:#} {owner}: {meaning}",
            self.text("terminal-owner")
        );
        if let Some(message) = &diagnosis.message {
            let _ = writeln!(text, "{STRONG}{}{STRONG:#}", self.text("terminal-message"));
            self.paragraph(text, "  ", &visible(message));
        }
        self.candidates(text, &diagnosis.candidates);
        // The rest of what was collected stands in the report and on the page.
        let entry = catalogue::find(&diagnosis.signature);
        let facts: Vec<String> = diagnosis
            .evidence
            .iter()
            .filter(|evidence| entry.is_some_and(|entry| entry.asks(&evidence.fact)))
            .map(|evidence| format!("{}={}", evidence.fact, evidence.value))
            .collect();
        if !facts.is_empty() {
            let _ = writeln!(text, "{STRONG}{}{STRONG:#}", self.text("terminal-evidence"));
            self.paragraph(text, "  ", &visible(&facts.join(", ")));
        }
        self.actions(text, &diagnosis.actions);
    }

    /// The catalogue's sentence for a fault; for an unknown one what its layer means.
    pub(super) fn fault_title(&self, signature: &str, layer: Layer) -> String {
        self.guidance()
            .find(&format!("fault-{signature}"), &[])
            .unwrap_or_else(|| self.text(&format!("layer-{}-meaning", layer.name())))
    }

    pub(super) fn candidates(&self, text: &mut String, candidates: &[String]) {
        if !candidates.is_empty() {
            let _ = writeln!(
                text,
                "{STRONG}{}{STRONG:#}",
                self.text("terminal-candidates")
            );
        }
        for candidate in candidates {
            self.paragraph(text, "  ", &self.text(&format!("fault-{candidate}")));
        }
    }

    /// The actions, the one to do first apart, each with its command.
    pub(super) fn actions(&self, text: &mut String, actions: &[String]) {
        for (at, action) in actions.iter().enumerate() {
            match at {
                0 => {
                    let _ = writeln!(
                        text,
                        "\n{STRONG}{}{STRONG:#}",
                        self.text("terminal-first-action")
                    );
                }
                1 => {
                    let _ = writeln!(
                        text,
                        "{STRONG}{}{STRONG:#}",
                        self.text("terminal-further-actions")
                    );
                }
                _ => {}
            }
            self.paragraph(text, "  ", &self.text(&format!("action-{action}")));
            if let Some(command) = catalogue::command(action) {
                let _ = writeln!(text, "    $ {command}");
            }
        }
    }

    /// Text wrapped to the terminal's width, each line after `indent`.
    pub(super) fn paragraph(&self, text: &mut String, indent: &str, words: &str) {
        let width = usize::from(self.width).saturating_sub(indent.len());
        for line in textwrap::wrap(words, width) {
            let _ = writeln!(text, "{indent}{line}");
        }
    }

    pub(super) fn verdict(&self, report: &Report, end: End) -> String {
        let code = report.code;
        if end.unsaved {
            let sentence = self.verdict_sentence(report);
            let failed = Code::OutputWriteFailed;
            let not_saved = self.text("code-output-write-failed");
            return format!("{FAILED}{failed}{FAILED:#} (12), {code}: {not_saved} {sentence}");
        }
        // The code is that of what ended before the signal.
        if let Some(exit_code) = end.interrupted
            && report.status == Status::Passed
        {
            let sign = if self.unicode { "✗" } else { "X" };
            let name = self.text("terminal-verdict-interrupted");
            let sentence = self.text("terminal-verdict-cut-off");
            return format!("{FAILED}{sign} {name}{FAILED:#} ({exit_code}): {sentence}");
        }
        let (style, sign) = match (report.status, self.unicode) {
            (Status::Passed, true) => (PASSED, "✓"),
            (Status::Passed, false) => (PASSED, "+"),
            (Status::Failed, true) => (FAILED, "✗"),
            (Status::Failed, false) => (FAILED, "X"),
        };
        format!(
            "{style}{sign} {code}{style:#} ({}): {}",
            report.exit_code,
            self.verdict_sentence(report)
        )
    }

    /// What the code means, and of the user's own command what decision 4 adds.
    fn verdict_sentence(&self, report: &Report) -> String {
        let code = report.code;
        let resume = report
            .application
            .as_ref()
            .and_then(|application| application.resume.as_ref()?.finding);
        if let Some(finding) = resume.filter(|_| code == Code::ResumeFailed) {
            // What a proof of stop and resume came to tells more than that it failed.
            return self.text(&word_id("resume-finding", finding.name()));
        }
        let sentence = self.text(&word_id("code", &code.name().to_lowercase()));
        let has_command = report.application.is_some() && report.status == Status::Passed;
        let added = match report.decisions[3].outcome {
            Outcome::Passed if has_command => match resume {
                Some(finding) => self.text(&word_id("resume-finding", finding.name())),
                None => self.text("terminal-verdict-contract-holds"),
            },
            _ => return sentence,
        };
        format!("{sentence} {added}")
    }

    pub(super) fn duration(&self, ms: f64) -> String {
        breakable(&format::milliseconds(ms, self.guidance.language()))
    }

    pub(super) fn bytes(&self, bytes: u64) -> String {
        // No memory has 2^52 bytes.
        breakable(&format::bytes(bytes as f64, self.guidance.language()))
    }
}

/// A proof of stop and resume that the last line tells in full.
fn is_clean(report: &Report) -> bool {
    report.status == Status::Passed && report.decisions[3].outcome == Outcome::Passed
}

/// A terminal wraps where it must: spaces that may not be broken only confuse what is copied from it.
pub(super) fn breakable(text: &str) -> String {
    text.replace('\u{a0}', " ")
}
