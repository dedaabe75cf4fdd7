//! From raw observations to the first failing layer, its owner and the actions.

use crate::catalogue::{self, ENTRIES, Entry, Facts, UNKNOWN};
use crate::clean;
use crate::code::Code;
use crate::facts;
use crate::index;
use crate::matching::{self, Finding, Group, Line};
use crate::report::{
    Backend, Diagnosis, Evidence, Layer, Libtorch, Owner, Pytorch, RequestedDevice, Stage,
    WitnessAnswer,
};

/// The most bytes of a text that are looked at.
const MAX_TEXT_BYTES: usize = 64 * 1024;

/// What an attempt saw, with the raw message: everything that a judgement may rest on.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// How the attempt ended.
    pub code: Code,
    /// Where it ended.
    pub stage: Stage,
    /// What was demanded.
    pub requested_device: RequestedDevice,
    /// Raw message of the first error, with its exception class before it; none where there was none.
    pub message: Option<&'a str>,
    /// The end of what the worker printed on standard error, raw; may be empty.
    pub stderr: &'a str,
    /// What PyTorch said of itself.
    pub pytorch: &'a Pytorch,
    /// What the other engine says.
    pub libtorch: &'a Libtorch,
    /// Facts that were collected after the failure.
    pub evidence: &'a [Evidence],
}

/// What a condition of the catalogue may ask beside the facts of `facts.rs`: what the attempt itself showed.
pub const ATTEMPT_FACTS: &[&str] = &[
    "code",
    "stage",
    "requested_device",
    "backend",
    "torch_version",
    "cuda_version",
    "hip_version",
    "visible_device_count",
    "gpu_available",
    "witness",
    "witness_computed",
];

/// Names the first failing layer. There is always at least one action.
pub fn diagnose(seen: &Observation<'_>) -> Diagnosis {
    let facts = learn(seen);
    let mut groups = Vec::new();
    read(seen.message.unwrap_or_default(), &mut groups);
    read(seen.stderr, &mut groups);
    read(
        seen.libtorch.message.as_deref().unwrap_or_default(),
        &mut groups,
    );
    groups.extend(matching::by_facts(&facts));
    let findings = matching::settle(&groups, &facts, |entry| may_fail(seen, entry));

    // Of those that follow from no other, the one with the best evidence; the earlier of two equals.
    let leading = findings.iter().filter(|finding| !finding.follows).fold(
        None::<&Finding>,
        |best, finding| match best {
            Some(best) if best.score >= finding.score => Some(best),
            _ => Some(finding),
        },
    );
    let mut evidence: Vec<Evidence> = seen
        .evidence
        .iter()
        .filter(|item| facts::is_allowed(&item.fact, &item.value))
        .cloned()
        .collect();
    let Some(leading) = leading else {
        let (layer, owner) = base(seen.code, seen.stage);
        return Diagnosis {
            layer,
            owner,
            signature: UNKNOWN.to_owned(),
            candidates: Vec::new(),
            message: message(seen, None),
            evidence,
            actions: usual_actions(layer)
                .iter()
                .map(|id| (*id).to_owned())
                .collect(),
        };
    };
    let entry = &ENTRIES[leading.entry];
    let mut candidates = leading.candidates.clone();
    for other in findings
        .iter()
        .filter(|other| !other.follows && other.entry != leading.entry)
    {
        let other = &ENTRIES[other.entry];
        if other.tier > catalogue::Tier::Generic
            && !candidates.contains(&other.id)
            && candidates.len() < 4
        {
            candidates.push(other.id);
        }
    }
    if leading.contested {
        evidence.push(Evidence {
            fact: facts::CONFLICTING_EVIDENCE.to_owned(),
            value: true.into(),
        });
    }
    Diagnosis {
        layer: leading.layer,
        owner: leading.owner,
        signature: entry.id.to_owned(),
        candidates: candidates.into_iter().map(str::to_owned).collect(),
        message: message(seen, groups.get(leading.group)),
        evidence,
        actions: matching::actions(entry, leading.owner),
    }
}

/// The layer that code and stage prove by themselves, and who usually acts on it.
pub const fn base(code: Code, stage: Stage) -> (Layer, Owner) {
    match code {
        Code::InterpreterFailed | Code::TorchMissing => (Layer::Interpreter, Owner::Program),
        Code::TorchImportFailed => (Layer::Import, Owner::Package),
        Code::GpuBackendAbsent => (Layer::Package, Owner::Package),
        Code::GpuUnavailable => (Layer::Driver, Owner::Host),
        Code::DeviceIndexInvalid => (Layer::Exposure, Owner::Program),
        _ => match stage {
            Stage::Interpreter => (Layer::Interpreter, Owner::Program),
            Stage::Import => (Layer::Import, Owner::Package),
            Stage::Backend => (Layer::Package, Owner::Package),
            Stage::Device => (Layer::Driver, Owner::Host),
            Stage::Allocation => (Layer::Allocation, Owner::Host),
            Stage::Product | Stage::Gradient => (Layer::Computation, Owner::Package),
            Stage::Synchronize => (Layer::Synchronization, Owner::Host),
            Stage::Application | Stage::Output => (Layer::Output, Owner::Program),
        },
    }
}

/// What helps with any fault of a layer.
pub const fn usual_actions(layer: Layer) -> &'static [&'static str] {
    match layer {
        Layer::Interpreter => &["choose-interpreter", "read-local-log"],
        Layer::Import => &["reinstall-torch", "read-local-log"],
        Layer::Package => &["install-gpu-build", "read-local-log"],
        Layer::Driver => &["ask-host-with-ticket", "read-local-log"],
        Layer::Exposure => &["check-visibility", "read-local-log"],
        Layer::Allocation => &["free-gpu-memory", "read-local-log"],
        Layer::Computation | Layer::Synchronization => &["rerun-blocking", "read-local-log"],
        Layer::Weights => &["verify-weights", "read-local-log"],
        Layer::Extension => &["rebuild-extension", "read-local-log"],
        Layer::Placement => &["move-to-one-device", "read-local-log"],
        Layer::Dtype => &["use-one-dtype", "read-local-log"],
        Layer::Memory => &["reduce-memory", "read-local-log"],
        Layer::Data => &["run-without-workers", "read-local-log"],
        Layer::Output => &["compare-with-cpu", "read-local-log"],
        Layer::Distribution => &["nccl-debug-warn", "read-local-log"],
        Layer::Resume => &["resume-from-earlier", "read-local-log"],
    }
}

fn read(text: &str, groups: &mut Vec<Group>) {
    // The end of a long text is nearer to the failure.
    let mut begin = text.len().saturating_sub(MAX_TEXT_BYTES);
    while !text.is_char_boundary(begin) {
        begin += 1;
    }
    let text = &text[begin..];
    if text.trim().is_empty() {
        return;
    }
    for raw in text.split(['\n', '\r']) {
        let line = Line::new(raw.as_bytes());
        let hits = index::hits(&line, &[], None);
        if !hits.is_empty() {
            // Lines are numbered over all texts, the message first.
            groups.push(Group {
                line: groups.len() as u64 + 1,
                text: Some(line),
                hits,
            });
        }
    }
}

fn message(seen: &Observation<'_>, group: Option<&Group>) -> Option<String> {
    if let Some(Group {
        text: Some(line),
        hits,
        ..
    }) = group
    {
        return Some(clean::line(line, hits));
    }
    seen.message
        .map(clean::clean)
        .filter(|message| !message.is_empty())
}

/// Whether a check that ended so can have met this entry at all: layers after the stage were never reached.
fn may_fail(seen: &Observation<'_>, entry: &Entry) -> bool {
    use Layer::{
        Allocation, Computation, Driver, Exposure, Import, Interpreter, Package, Synchronization,
    };
    let layers: &[Layer] = match seen.code {
        Code::InterpreterFailed => &[Interpreter],
        Code::TorchMissing => &[Interpreter, Import, Package],
        Code::TorchImportFailed => &[Interpreter, Import, Package, Layer::Extension],
        Code::GpuBackendAbsent => &[Interpreter, Package],
        Code::GpuUnavailable | Code::DeviceIndexInvalid => {
            &[Interpreter, Import, Package, Driver, Exposure]
        }
        _ => match seen.stage {
            Stage::Interpreter => &[Interpreter],
            Stage::Import => &[Interpreter, Import, Package, Layer::Extension, Driver],
            Stage::Backend => &[Interpreter, Import, Package],
            Stage::Device => &[Import, Package, Driver, Exposure],
            Stage::Allocation => &[Import, Package, Driver, Exposure, Allocation, Computation],
            Stage::Product | Stage::Gradient | Stage::Synchronize => &[
                Import,
                Package,
                Driver,
                Exposure,
                Allocation,
                Computation,
                Synchronization,
            ],
            Stage::Application | Stage::Output => &Layer::ALL,
        },
    };
    // A process can be killed for memory at any stage.
    layers.contains(&entry.layer)
        || (seen.code == Code::WorkerFailed && entry.layer == Layer::Memory)
}

/// Everything that conditions may ask: collected facts, what the attempt showed, and what follows from both.
fn learn(seen: &Observation<'_>) -> Facts {
    let mut facts = Facts::default();
    facts.learn_evidence(seen.evidence);
    facts.learn("code", seen.code.name());
    facts.learn("stage", seen.stage.name());
    facts.learn(
        "requested_device",
        match seen.requested_device {
            RequestedDevice::Gpu => "gpu",
            RequestedDevice::Cpu => "cpu",
        },
    );
    let pytorch = seen.pytorch;
    if let Some(backend) = pytorch.backend {
        facts.learn(
            "backend",
            match backend {
                Backend::Cuda => "cuda",
                Backend::Rocm => "rocm",
                Backend::None => "none",
            },
        );
    }
    let texts = [
        (
            "torch_version",
            pytorch
                .version
                .as_ref()
                .or(pytorch.installed_version.as_ref()),
        ),
        ("cuda_version", pytorch.cuda_version.as_ref()),
        ("hip_version", pytorch.hip_version.as_ref()),
    ];
    for (id, text) in texts {
        if let Some(text) = text {
            facts.learn(id, text.clone());
        }
    }
    if let Some(count) = pytorch.visible_device_count {
        facts.learn("visible_device_count", u64::from(count));
    }
    if let Some(available) = pytorch.gpu_available {
        facts.learn("gpu_available", available);
    }
    facts.learn("witness", seen.libtorch.answer.name());
    let computed = seen.libtorch.answer == WitnessAnswer::Disagrees
        && seen.libtorch.product_verified == Some(true)
        && seen.libtorch.gradient_verified == Some(true)
        && seen.libtorch.synchronized == Some(true);
    facts.learn("witness_computed", computed);
    conclude(seen, &mut facts);
    facts
}

/// Facts that follow from others, where the collector did not tell them.
fn conclude(seen: &Observation<'_>, facts: &mut Facts) {
    let text = |facts: &Facts, id: &str| facts.get(id).map(ToString::to_string);
    if let (Some(kernel), Some(user)) = (
        text(facts, facts::KERNEL_DRIVER_VERSION),
        text(facts, facts::USER_DRIVER_VERSION),
    ) {
        facts.learn(facts::DRIVER_MISMATCH, kernel != user);
    }
    if let (Some(ceiling), Some(built)) = (
        text(facts, facts::DRIVER_CUDA_VERSION),
        seen.pytorch.cuda_version.as_deref(),
    ) {
        // Within one major version an older driver serves a newer toolkit.
        let major = |version: &str| {
            version
                .split('.')
                .next()
                .and_then(|part| part.parse::<u32>().ok())
        };
        if let (Some(ceiling), Some(built)) = (major(&ceiling), major(built)) {
            facts.learn(facts::DRIVER_NEW_ENOUGH, ceiling >= built);
        }
    }
    let device = seen
        .pytorch
        .devices
        .as_ref()
        .and_then(|devices| devices.first())
        .and_then(|device| device.compute_capability.as_deref());
    if let Some(architecture) = device.filter(|text| facts::is_architecture(text)) {
        facts.learn(facts::DEVICE_ARCHITECTURE, architecture);
    }
    if let (Some(device), Some(compiled)) = (device, seen.pytorch.compiled_architectures.as_deref())
        && let Some(support) = architecture_support(device, compiled)
    {
        facts.learn(facts::ARCHITECTURE_SUPPORT, support);
    }
}

/// Whether a build with kernels for `compiled` (`sm_90`, `compute_90`, `gfx1100`) serves a device (`9.0`, `gfx1100`):
/// `supported`, `ptx` when the driver must compile for it, or `missing`. None where the lists say nothing.
pub fn architecture_support(device: &str, compiled: &[String]) -> Option<&'static str> {
    if compiled.is_empty() {
        return None;
    }
    if device.starts_with("gfx") {
        let bare = device.split(':').next().unwrap_or(device);
        let has = compiled
            .iter()
            .any(|architecture| architecture.split(':').next() == Some(bare));
        return Some(if has { "supported" } else { "missing" });
    }
    let (major, minor) = device.split_once('.')?;
    let (major, minor): (u32, u32) = (major.parse().ok()?, minor.parse().ok()?);
    let mut support = "missing";
    for architecture in compiled {
        let (ptx, number) = match (
            architecture.strip_prefix("sm_"),
            architecture.strip_prefix("compute_"),
        ) {
            (Some(number), _) => (false, number),
            (_, Some(number)) => (true, number),
            _ => continue,
        };
        // A letter at the end binds the kernel to exactly this architecture.
        let exact = number.ends_with(|letter: char| letter.is_ascii_lowercase());
        let Ok(number) = number
            .trim_end_matches(|letter: char| letter.is_ascii_lowercase())
            .parse::<u32>()
        else {
            continue;
        };
        let (built_major, built_minor) = (number / 10, number % 10);
        if ptx {
            if !exact && (built_major, built_minor) <= (major, minor) && support == "missing" {
                support = "ptx";
            }
        } else if built_major == major && (built_minor == minor || (!exact && built_minor < minor))
        {
            return Some("supported");
        }
    }
    Some(support)
}
