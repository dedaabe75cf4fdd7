//! Facts for a diagnosis, collected after a failure by processes of their own: a driver may hang or crash any of them.
//!
//! There are three parts, so that one hang costs the facts of that part alone. Within a part the harmless facts come
//! first, and each is handed out at once.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use firstfault_schema::facts;
use firstfault_schema::report::{Container, Evidence};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[cfg(target_os = "linux")]
use super::libraries::{self, Loader};
use super::variables::Known;
use super::{
    Collector, amd, bus, cuda, driver, memory, nodes, nvml, package, read, system, variables,
};
use crate::interpreter::{Installed, Interpreter, Surroundings, describe_own};

/// One process's share of the collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Files, variables and device nodes.
    System,
    /// NVIDIA's management library.
    Nvml,
    /// The user-space driver.
    Cuda,
}

impl Part {
    /// Every part, the one with the most facts first.
    pub const ALL: [Self; 3] = [Self::System, Self::Nvml, Self::Cuda];

    /// Its name, as an argument.
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Nvml => "nvml",
            Self::Cuda => "cuda",
        }
    }

    /// The parts that a request needs: without a demand for a GPU no driver is asked.
    pub fn wanted(request: &EvidenceRequest) -> &'static [Self] {
        if request.gpu {
            &Self::ALL
        } else {
            &Self::ALL[..1]
        }
    }

    /// What it means that this part's process was stopped at its limit, or ended by itself without having finished.
    pub fn unfinished(self, timed_out: bool) -> Option<Evidence> {
        let word = if timed_out { "timed_out" } else { "crashed" };
        match self {
            Self::Nvml => Some(Evidence {
                fact: facts::NVML_STATUS.to_owned(),
                value: word.into(),
            }),
            Self::System | Self::Cuda => None,
        }
    }
}

/// What is to be collected. The process must be started with the variables of the interpreter under examination.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceRequest {
    /// Whether a GPU was demanded.
    pub gpu: bool,
    /// Index of the wanted GPU.
    pub index: u32,
    /// The interpreter's program; none where none was settled on.
    #[serde(with = "path")]
    pub program: Option<PathBuf>,
    /// The folder that stands first on `sys.path`.
    #[serde(with = "path")]
    pub program_folder: Option<PathBuf>,
    /// Architectures that the imported build has kernels for.
    pub compiled_architectures: Vec<String>,
    /// CUDA version of the imported build; none where it wasn't imported: then that of the installed one counts.
    pub cuda_version: Option<String>,
    /// [`memory::kills`] before the attempt.
    pub memory_kills_before: Option<u64>,
}

/// Paths need not be text.
mod path {
    use super::{Deserialize, Deserializer, OsString, PathBuf, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(
        path: &Option<PathBuf>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        path.as_ref()
            .map(|path| path.as_os_str())
            .serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<PathBuf>, D::Error> {
        let path: Option<OsString> = Deserialize::deserialize(deserializer)?;
        Ok(path.map(PathBuf::from))
    }
}

/// Collects one part. `emit` is called once for each fact, as soon as it is known.
pub fn collect(
    part: Part,
    request: &EvidenceRequest,
    surroundings: &Surroundings,
    emit: &mut dyn FnMut(Evidence),
) {
    let mut collector = Collector { emit };
    match part {
        Part::System => collect_system(request, surroundings, &mut collector),
        Part::Nvml => nvml::collect(
            surroundings,
            request.index,
            nvml_library_found(surroundings),
            &request.compiled_architectures,
            &mut collector,
        ),
        Part::Cuda => {
            let built_for = request
                .cuda_version
                .clone()
                .or_else(|| installed_cuda_version(request, surroundings));
            cuda::collect(built_for.as_deref(), &mut collector);
        }
    }
}

fn installed_cuda_version(
    request: &EvidenceRequest,
    surroundings: &Surroundings,
) -> Option<String> {
    let program = request.program.clone()?;
    match describe_own(program, surroundings).torch {
        Installed::Present(package) => package.cuda,
        Installed::Missing | Installed::Unresolved(_) => None,
    }
}

#[cfg(target_os = "linux")]
fn nvml_library_found(surroundings: &Surroundings) -> bool {
    Loader::new(surroundings)
        .find("libnvidia-ml.so.1")
        .is_some()
}

#[cfg(not(target_os = "linux"))]
const fn nvml_library_found(_: &Surroundings) -> bool {
    false
}

fn collect_system(
    request: &EvidenceRequest,
    surroundings: &Surroundings,
    collector: &mut Collector<'_>,
) {
    let interpreter = request
        .program
        .clone()
        .map(|program| describe_own(program, surroundings));
    if let Some(interpreter) = &interpreter {
        package::collect(interpreter, request.program_folder.as_deref(), collector);
    }
    let container = system::collect(surroundings, collector);
    memory::collect(surroundings, request.memory_kills_before, collector);
    let counts = bus::collect(surroundings, collector);
    amd::topology(surroundings, collector);
    variables::collect(surroundings, known_gpus(surroundings, counts), collector);
    let libraries = libraries_of(interpreter.as_ref(), surroundings, collector);
    if let Some(interpreter) = &interpreter {
        collector.add(
            facts::OTHER_INTERPRETERS_WITH_TORCH,
            Some(package::others_with_torch(interpreter, surroundings)),
        );
    }
    if request.gpu {
        device_nodes(surroundings, container, &libraries, collector);
        kernel_driver(surroundings, &libraries, collector);
    }
}

/// How many GPUs there are, from the nodes that were passed in, else from the bus.
fn known_gpus(surroundings: &Surroundings, counts: bus::Counts) -> Known {
    let nodes = nodes::numbered(&surroundings.system("dev"), "nvidia").len() as u64;
    let positive = |count: u64| (count > 0).then_some(count);
    Known {
        nvidia: positive(nodes).or(positive(counts.nvidia)),
        amd: positive(counts.amd),
    }
}

/// What the search for libraries told.
#[derive(Clone, Debug, Default)]
struct Libraries {
    has_libcuda: bool,
    user_driver: Option<String>,
}

#[cfg(target_os = "linux")]
fn libraries_of(
    interpreter: Option<&Interpreter>,
    surroundings: &Surroundings,
    collector: &mut Collector<'_>,
) -> Libraries {
    let loader = Loader::new(surroundings);
    let prefix = interpreter.and_then(|interpreter| interpreter.prefix.as_deref());
    let user_driver = libraries::libcuda(&loader, prefix, surroundings, collector);
    collector.add(
        facts::NVML_LIBRARY_VERSION,
        libraries::nvml_version(&loader),
    );
    if let Some(interpreter) = interpreter
        && let Installed::Present(package) = &interpreter.torch
        && let Some(lib_dir) = &package.lib_dir
    {
        let packages = &interpreter.package_folders;
        collector.add(
            facts::LIBRARIES_BEFORE_WHEEL,
            libraries::before_wheel(surroundings, lib_dir, packages),
        );
        collector.add(
            facts::LIBRARIES_MISSING,
            libraries::missing(&loader, lib_dir, packages),
        );
    }
    Libraries {
        has_libcuda: loader.find("libcuda.so.1").is_some(),
        user_driver,
    }
}

#[cfg(not(target_os = "linux"))]
fn libraries_of(_: Option<&Interpreter>, _: &Surroundings, _: &mut Collector<'_>) -> Libraries {
    Libraries::default()
}

/// The last facts of this part: opening a node reaches into the driver.
fn device_nodes(
    surroundings: &Surroundings,
    container: Container,
    libraries: &Libraries,
    collector: &mut Collector<'_>,
) {
    if !cfg!(target_os = "linux") {
        return;
    }
    let dev = surroundings.system("dev");
    let gpus = nodes::numbered(&dev, "nvidia");
    collector.add(facts::NODE_NVIDIA_COUNT, Some(gpus.len() as u64));
    #[cfg(unix)]
    collector.add(facts::RENDER_GROUP, amd::render_group(surroundings));
    let exists = |name: &str| dev.join(name).exists();
    if container != Container::None {
        let amd_or_wsl = exists("kfd") || exists("dxg");
        let nodes = exists("nvidiactl") && !gpus.is_empty();
        // ROCm's libraries belong to the image, NVIDIA's are passed in with the nodes.
        let word = match (nodes || exists("dxg"), libraries.has_libcuda) {
            _ if amd_or_wsl && exists("kfd") => "passed",
            (true, true) => "passed",
            (true, false) => "nodes_only",
            (false, true) => "libraries_only",
            (false, false) => "not_passed",
        };
        collector.add(facts::CONTAINER_GPU, Some(word));
    }
    let caps = nodes::numbered(&dev.join("nvidia-caps"), "nvidia-cap");
    let renders = nodes::numbered(&dev.join("dri"), "renderD");
    let tegra = [dev.join("nvhost-gpu"), dev.join("nvmap")];
    let several = [
        (facts::NODE_NVIDIA, gpus.as_slice()),
        (facts::NODE_NVIDIA_CAPS, &caps),
        (facts::NODE_RENDER, &renders),
        (facts::NODE_TEGRA, &tegra),
    ];
    for (fact, name) in [
        (facts::NODE_KFD, "kfd"),
        (facts::NODE_DXG, "dxg"),
        (facts::NODE_NVIDIACTL, "nvidiactl"),
        (facts::NODE_NVIDIA_UVM, "nvidia-uvm"),
    ] {
        collector.add(fact, Some(nodes::word(nodes::state(&dev.join(name)))));
    }
    for (fact, paths) in several {
        collector.add(fact, Some(nodes::word(nodes::worst(paths))));
    }
}

fn kernel_driver(
    surroundings: &Surroundings,
    libraries: &Libraries,
    collector: &mut Collector<'_>,
) {
    let kernel = read(&surroundings.system("proc/driver/nvidia/version"))
        .and_then(|text| driver::parse_version(&text));
    if let Some(kernel) = &kernel {
        collector.add(facts::KERNEL_DRIVER_VERSION, Some(kernel.version.clone()));
        collector.add(facts::KERNEL_MODULE_FLAVOUR, Some(kernel.flavour));
        let mismatch = libraries
            .user_driver
            .as_ref()
            .map(|user| *user != kernel.version);
        collector.add(facts::DRIVER_MISMATCH, mismatch);
    }
    collector.add(
        facts::LAST_XID,
        driver::newest_xid(Path::new(&surroundings.system("dev/kmsg"))),
    );
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A machine in a temporary folder.
    pub(in crate::host) struct Machine {
        folder: tempfile::TempDir,
        variables: Vec<(OsString, OsString)>,
    }

    impl Machine {
        pub(in crate::host) fn new() -> Self {
            Self {
                folder: tempfile::tempdir().unwrap(),
                variables: Vec::new(),
            }
        }

        pub(in crate::host) fn root(&self) -> &Path {
            self.folder.path()
        }

        pub(in crate::host) fn set(&mut self, name: &str, value: impl Into<OsString>) {
            self.variables.push((name.into(), value.into()));
        }

        pub(in crate::host) fn write(&self, path: &str, text: &str) {
            self.write_bytes(path, text.as_bytes());
        }

        pub(in crate::host) fn write_bytes(&self, path: &str, bytes: &[u8]) {
            let path = self.root().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }

        #[cfg(unix)]
        pub(in crate::host) fn link(&self, path: &str, target: &str) {
            let path = self.root().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(target, path).unwrap();
        }

        pub(in crate::host) fn surroundings(&self) -> Surroundings {
            Surroundings::new(self.variables.iter().cloned(), self.root().to_path_buf())
                .with_root(self.root().to_path_buf())
        }

        pub(in crate::host) fn facts(
            &self,
            collect: impl FnOnce(&Surroundings, &mut Collector<'_>),
        ) -> Vec<Evidence> {
            let mut found = Vec::new();
            let mut emit = |evidence| found.push(evidence);
            collect(&self.surroundings(), &mut Collector { emit: &mut emit });
            found
        }
    }

    /// The value of a fact, as text; panics where it is absent or stands twice.
    pub(in crate::host) fn value(found: &[Evidence], fact: &str) -> String {
        let values: Vec<_> = found.iter().filter(|known| known.fact == fact).collect();
        assert_eq!(values.len(), 1, "{fact} in {found:?}");
        values[0].value.to_string()
    }

    fn all_of(part: Part, request: &EvidenceRequest, surroundings: &Surroundings) -> Vec<Evidence> {
        let mut found = Vec::new();
        collect(part, request, surroundings, &mut |evidence| {
            found.push(evidence)
        });
        found
    }

    #[test]
    fn facts_of_this_machine_are_allowed_and_stand_once() {
        let surroundings = Surroundings::of_this_process().unwrap();
        let request = EvidenceRequest {
            gpu: true,
            program: Some("/usr/bin/python3".into()),
            program_folder: Some("/".into()),
            ..EvidenceRequest::default()
        };
        let found = all_of(Part::System, &request, &surroundings);
        assert!(found.len() > 20, "{found:?}");
        for (at, evidence) in found.iter().enumerate() {
            assert!(
                facts::is_allowed(&evidence.fact, &evidence.value),
                "{evidence:?}"
            );
            assert!(
                !found[..at].iter().any(|known| known.fact == evidence.fact),
                "{evidence:?}"
            );
        }
    }

    #[test]
    fn without_a_demand_for_a_gpu_no_driver_is_asked() {
        let machine = Machine::new();
        machine.write(
            "proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  x\n",
        );
        let request = EvidenceRequest::default();
        assert_eq!(Part::wanted(&request), [Part::System]);
        let found = all_of(Part::System, &request, &machine.surroundings());
        assert!(
            found.iter().all(|known| !known.fact.starts_with("node_")
                && known.fact != facts::KERNEL_DRIVER_VERSION),
            "{found:?}"
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_container_with_nodes_and_no_libraries_is_half_of_what_works() {
        let machine = Machine::new();
        machine.write(".dockerenv", "");
        machine.write("dev/nvidiactl", "");
        machine.write("dev/nvidia0", "");
        machine.write(
            "proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.124.06  Release Build\n",
        );
        let request = EvidenceRequest {
            gpu: true,
            ..EvidenceRequest::default()
        };
        let found = all_of(Part::System, &request, &machine.surroundings());
        assert_eq!(value(&found, facts::CONTAINER), "docker");
        assert_eq!(value(&found, facts::CONTAINER_GPU), "nodes_only");
        assert_eq!(value(&found, facts::LIBCUDA), "missing");
        assert_eq!(value(&found, facts::NODE_NVIDIA), "openable");
        assert_eq!(value(&found, facts::NODE_NVIDIA_UVM), "missing");
        assert_eq!(value(&found, facts::NODE_NVIDIA_COUNT), "1");
        assert_eq!(value(&found, facts::KERNEL_DRIVER_VERSION), "570.124.06");
        assert_eq!(value(&found, facts::KERNEL_MODULE_FLAVOUR), "open");
    }

    #[cfg(unix)]
    #[test]
    fn a_request_survives_its_way_even_with_a_path_that_is_no_text() {
        use std::os::unix::ffi::OsStringExt as _;
        let request = EvidenceRequest {
            gpu: true,
            index: 1,
            program: Some(OsString::from_vec(b"/opt/\xff/python".to_vec()).into()),
            ..EvidenceRequest::default()
        };
        let text = serde_json::to_string(&request).unwrap();
        assert_eq!(
            serde_json::from_str::<EvidenceRequest>(&text).unwrap(),
            request
        );
    }

    #[test]
    fn a_part_that_does_not_finish_is_a_fact_where_it_means_something() {
        let hung = Part::Nvml.unfinished(true).unwrap();
        assert_eq!(hung.value.to_string(), "timed_out");
        assert!(facts::is_allowed(&hung.fact, &hung.value));
        assert_eq!(
            Part::Nvml.unfinished(false).unwrap().value.to_string(),
            "crashed"
        );
        assert_eq!(Part::Cuda.unfinished(true), None);
    }
}
