//! What `explain` found in a text.

use std::fmt::Write as _;

use firstfault_schema::explain::Fault;
use firstfault_schema::visible::visible;
use serde_json::json;

use super::{PASSED, Printer, QUIET, STRONG};
use crate::error::Error;

impl Printer {
    /// The faults as one JSON document.
    pub(crate) fn faults_json(&self, faults: &[Fault]) -> Result<(), Error> {
        let faults: Vec<_> = faults
            .iter()
            .map(|fault| {
                let actions: Vec<_> = fault
                    .actions
                    .iter()
                    .map(|id| json!({"id": id, "text": self.text(&format!("action-{id}"))}))
                    .collect();
                json!({
                    "signature": fault.signature,
                    "layer": fault.layer,
                    "owner": fault.owner,
                    "line": fault.line,
                    "message": fault.message,
                    "actions": actions,
                    "candidates": fault.candidates,
                })
            })
            .collect();
        self.data(&format!("{:#}\n", json!({ "faults": faults })))
    }

    /// The faults for people: the first cause whole, what follows from it below.
    pub(crate) fn faults(&self, faults: &[Fault]) -> Result<(), Error> {
        let Some((first, further)) = faults.split_first() else {
            return self.out(&format!(
                "{PASSED}{}{PASSED:#}\n",
                self.text("terminal-no-fault")
            ));
        };
        let mut text = String::new();
        self.fault(&mut text, first);
        if !further.is_empty() {
            let _ = writeln!(
                text,
                "\n{STRONG}{}{STRONG:#}",
                self.text("terminal-further-faults")
            );
        }
        for fault in further {
            let line = self.with("terminal-line", &[("line", &fault.line.to_string())]);
            let _ = writeln!(
                text,
                "  {QUIET}{line}{QUIET:#}  {} ({})",
                self.fault_title(&fault.signature, fault.layer),
                fault.layer.name()
            );
        }
        self.out(&text)
    }

    fn fault(&self, text: &mut String, fault: &Fault) {
        let line = self.with("terminal-line", &[("line", &fault.line.to_string())]);
        let layer = self.text(&format!("layer-{}", fault.layer.name()));
        let owner = self.text(&format!("owner-{}", fault.owner.name()));
        let meaning = self.text(&format!("owner-{}-meaning", fault.owner.name()));
        let _ = writeln!(
            text,
            "{STRONG}{}{STRONG:#} {layer} ({}) {QUIET}· {line}{QUIET:#}",
            self.text("terminal-layer"),
            fault.layer.name()
        );
        self.paragraph(text, "  ", &self.fault_title(&fault.signature, fault.layer));
        let _ = writeln!(
            text,
            "{STRONG}{}{STRONG:#} {owner}: {meaning}",
            self.text("terminal-owner")
        );
        let _ = writeln!(text, "{STRONG}{}{STRONG:#}", self.text("terminal-message"));
        self.paragraph(text, "  ", &visible(&fault.message));
        self.candidates(text, &fault.candidates);
        self.actions(text, &fault.actions);
    }
}
