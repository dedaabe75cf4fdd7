//! The facts of a report, group by group, and both witnesses side by side.

use firstfault_schema::compare::{Unit, Value, driver_version, word_id};
use firstfault_schema::facts;
use firstfault_schema::guidance::Guidance;
use firstfault_schema::report::{Evidence, Report, Scalar, Timings};

use super::{Fact, FactGroup, WitnessRow, size};
use crate::format;

struct Facts<'a> {
    words: &'a Guidance,
    facts: Vec<Fact>,
}

impl Facts<'_> {
    fn text(&mut self, id: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.push(id, value.to_owned(), true);
        }
    }

    fn word(&mut self, id: &str, prefix: &'static str, value: Option<String>) {
        if let Some(name) = value {
            let value = self.words.text(&word_id(prefix, &name));
            self.push(id, value, false);
        }
    }

    fn push(&mut self, id: &str, value: String, machine: bool) {
        self.facts.push(Fact {
            name: self.words.text(id),
            value,
            machine,
        });
    }

    fn group(self, title: &str) -> Option<FactGroup> {
        (!self.facts.is_empty()).then(|| FactGroup {
            title: self.words.text(title),
            facts: self.facts,
        })
    }
}

fn name_of<T: serde::Serialize>(value: T) -> Option<String> {
    serde_json::to_value(value)
        .ok()?
        .as_str()
        .map(str::to_owned)
}

/// The facts, group by group. What was not asked is left out; the raw report shows every field.
pub fn evidence(report: &Report, words: &Guidance) -> Vec<FactGroup> {
    let new = || Facts {
        words,
        facts: Vec::new(),
    };
    let mut groups = Vec::new();

    let mut judged = new();
    if let Some(diagnosis) = &report.diagnosis {
        judged.word(
            "field-layer",
            "layer",
            Some(diagnosis.layer.name().to_owned()),
        );
        judged.text("field-signature", Some(&diagnosis.signature));
        judged.text("field-message", diagnosis.message.as_deref());
        for fact in &diagnosis.evidence {
            judged.facts.push(evidence_fact(fact, words));
        }
    }
    groups.extend(judged.group("facts-diagnosis"));

    let (runtime, pytorch) = (&report.runtime, &report.pytorch);
    let mut package = new();
    package.text("field-pytorch-version", pytorch.version.as_deref());
    package.text(
        "field-installed-version",
        pytorch.installed_version.as_deref(),
    );
    package.word(
        "field-backend",
        "backend",
        pytorch.backend.and_then(name_of),
    );
    package.text("field-cuda-version", pytorch.cuda_version.as_deref());
    package.text("field-hip-version", pytorch.hip_version.as_deref());
    if let Some(available) = pytorch.gpu_available {
        package.push("field-gpu-available", truth(Some(available), words), false);
    }
    package.text(
        "field-visible-devices",
        pytorch
            .visible_device_count
            .map(|count| count.to_string())
            .as_deref(),
    );
    let architectures = pytorch
        .compiled_architectures
        .as_ref()
        .map(|list| list.join(" "));
    package.text("field-architectures", architectures.as_deref());
    groups.extend(package.group("facts-pytorch"));

    let mut devices = new();
    for device in pytorch.devices.iter().flatten() {
        let mut parts = vec![device.name.clone()];
        parts.extend(device.compute_capability.clone());
        parts.extend(device.total_memory_bytes.map(|bytes| size(bytes, words)));
        let name = words.text_with(
            "field-device",
            &[("index", device.index.to_string().into())],
        );
        devices.facts.push(Fact {
            name,
            value: parts.join(" · "),
            machine: true,
        });
        let identity = device.identity.as_ref();
        devices.text("field-identity", identity.and_then(|hash| hash.get(..8)));
    }
    groups.extend(devices.group("facts-devices"));

    let mut system = new();
    let python = match (&runtime.python_implementation, &runtime.python_version) {
        (Some(name), Some(version)) => Some(format!("{name} {version}")),
        (_, version) => version.clone(),
    };
    system.text("field-python", python.as_deref());
    system.word(
        "field-environment",
        "environment",
        runtime.environment.and_then(name_of),
    );
    let machine: Vec<&str> = [&runtime.system, &runtime.architecture]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    system.text(
        "field-system",
        (!machine.is_empty()).then(|| machine.join(" ")).as_deref(),
    );
    system.word(
        "field-container",
        "container",
        runtime.container.and_then(name_of),
    );
    groups.extend(system.group("facts-system"));

    let mut host = new();
    if let Some(facts) = &report.host {
        host.word("field-host-status", "host-status", name_of(facts.status));
        for gpu in facts.gpus.iter().flatten() {
            let memory = match (gpu.used_memory_bytes, gpu.total_memory_bytes) {
                (Some(used), Some(total)) => Some(words.text_with(
                    "memory-used-of",
                    &[
                        ("used", size(used, words).into()),
                        ("total", size(total, words).into()),
                    ],
                )),
                (_, total) => total.map(|total| size(total, words)),
            };
            let processes = gpu.process_memory_bytes.map(|used| {
                words.text_with("memory-by-processes", &[("size", size(used, words).into())])
            });
            let value: Vec<String> = [Some(gpu.name.clone()), memory, processes]
                .into_iter()
                .flatten()
                .collect();
            host.push("field-host-gpu", value.join(" · "), true);
        }
    }
    host.text(
        "field-driver-version",
        driver_version(report).filter(|_| report.host.is_some()),
    );
    groups.extend(host.group("facts-host"));

    let mut own = new();
    for (name, value) in &report.attempt.parameters {
        own.facts.push(Fact {
            name: name.clone(),
            value: value.to_string(),
            machine: true,
        });
    }
    groups.extend(own.group("facts-parameters"));
    groups
}

/// A fact of the evidence, worded by the catalogue where it knows it.
pub fn evidence_fact(evidence: &Evidence, words: &Guidance) -> Fact {
    let name = words
        .find(&word_id("fact", &evidence.fact), &[])
        .unwrap_or_else(|| evidence.fact.clone());
    let kind = facts::ALL
        .iter()
        .find(|fact| fact.id == evidence.fact)
        .map(|fact| fact.kind);
    let value = match (&evidence.value, kind) {
        (Scalar::Bool(value), _) => truth(Some(*value), words),
        (Scalar::Number(number), Some(facts::Kind::Bytes)) => format::value(
            &number.as_f64().map_or(Value::Missing, Value::Number),
            Unit::Bytes,
            words,
        ),
        (Scalar::Number(number), _) => format::value(
            &number.as_f64().map_or(Value::Missing, Value::Number),
            Unit::Plain,
            words,
        ),
        (Scalar::Text(text), Some(facts::Kind::Word(_))) => words
            .find(&word_id("fact-value", text), &[])
            .unwrap_or_else(|| text.clone()),
        (Scalar::Text(text), _) => text.clone(),
    };
    let machine =
        matches!(&evidence.value, Scalar::Text(_)) && !matches!(kind, Some(facts::Kind::Word(_)));
    Fact {
        name,
        value,
        machine,
    }
}

/// A receipt in a word.
pub fn truth(value: Option<bool>, words: &Guidance) -> String {
    words.text(match value {
        Some(true) => "value-true",
        Some(false) => "value-false",
        None => "value-missing",
    })
}

/// Both engines, point by point. Where libtorch decided, Python was not asked.
pub fn witnesses(report: &Report, words: &Guidance) -> Vec<WitnessRow> {
    let (execution, libtorch) = (&report.execution, &report.libtorch);
    let decided = libtorch.answer == firstfault_schema::report::WitnessAnswer::Decided;
    let missing = words.text("value-missing");
    let mut rows = Vec::new();
    let mut row = |id: &str, deciding: String, witness: String| {
        let (python, libtorch) = if decided {
            (missing.clone(), deciding)
        } else {
            (deciding, witness)
        };
        if python != missing || libtorch != missing {
            rows.push(WitnessRow {
                name: words.text(id),
                python,
                libtorch,
            });
        }
    };
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| missing.clone());
    let count =
        |value: Option<u32>| value.map_or_else(|| missing.clone(), |count| count.to_string());
    row(
        "field-visible-devices",
        count(report.pytorch.visible_device_count),
        count(libtorch.visible_device_count),
    );
    row(
        "field-result-device",
        text(&execution.device),
        text(&libtorch.device),
    );
    row(
        "field-product",
        truth(execution.product_verified, words),
        truth(libtorch.product_verified, words),
    );
    row(
        "field-gradient",
        truth(execution.gradient_verified, words),
        truth(libtorch.gradient_verified, words),
    );
    row(
        "field-synchronized",
        truth(execution.synchronized, words),
        truth(libtorch.synchronized, words),
    );
    let loss = execution.loss.map_or_else(
        || missing.clone(),
        |loss| format::number(loss, 4, words.language()),
    );
    row("field-loss", loss, missing.clone());
    let time = |value: Option<f64>| {
        value.map_or_else(
            || missing.clone(),
            |value| format::milliseconds(value, words.language()),
        )
    };
    let mut times = |id: &str, of: fn(&Timings) -> Option<f64>| {
        row(
            id,
            time(of(&execution.timings)),
            time(of(&libtorch.timings)),
        );
    };
    times("field-import-time", |timings| timings.import_ms);
    times("field-first-pass", |timings| timings.first_pass_ms);
    times("field-following-pass", |timings| timings.following_pass_ms);
    row(
        "field-cpu-control",
        missing.clone(),
        truth(libtorch.cpu_control, words),
    );
    row(
        "field-gpu-hooks",
        missing.clone(),
        truth(libtorch.gpu_hooks, words),
    );
    row(
        "field-missing-library",
        missing.clone(),
        text(&libtorch.missing),
    );
    rows
}
