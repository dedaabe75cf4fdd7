//! Which libraries the dynamic loader would take, worked out from files without loading any (Linux).
//!
//! The order is the loader's: RPATH, LD_LIBRARY_PATH, RUNPATH, the cache of `ldconfig`, the default folders.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use elf::ElfStream;
use elf::abi;
use elf::endian::AnyEndian;
use firstfault_schema::facts;

use super::Collector;
use crate::interpreter::Surroundings;

/// The most names that a fact shows.
const MOST_NAMES: usize = 12;
/// The most libraries whose needs are followed.
const MOST_LIBRARIES: usize = 512;

/// The loader's view of the system.
pub(super) struct Loader {
    first: Vec<PathBuf>,
    cache: HashMap<String, Vec<PathBuf>>,
    defaults: Vec<PathBuf>,
    machine: Option<u16>,
}

impl Loader {
    pub(super) fn new(surroundings: &Surroundings) -> Self {
        let cache = std::fs::read(surroundings.system("etc/ld.so.cache"))
            .map(|bytes| parse_cache(&bytes))
            .unwrap_or_default();
        let mut by_name: HashMap<String, Vec<PathBuf>> = HashMap::new();
        for (name, path) in cache {
            let path = surroundings.system(path.trim_start_matches('/'));
            by_name.entry(name).or_default().push(path);
        }
        let triplet = format!("{}-linux-gnu", std::env::consts::ARCH);
        let defaults = ["lib64", "usr/lib64", "lib", "usr/lib"]
            .into_iter()
            .map(|folder| surroundings.system(folder))
            .chain(["lib", "usr/lib"].map(|folder| surroundings.system(folder).join(&triplet)))
            .collect();
        Self {
            first: surroundings.paths("LD_LIBRARY_PATH"),
            cache: by_name,
            defaults,
            machine: Header::of_this_process().map(|header| header.machine),
        }
    }

    /// The file that the loader would take for a name that a program asks for.
    pub(super) fn find(&self, name: &str) -> Option<PathBuf> {
        self.find_for(name, &Paths::default())
    }

    fn find_for(&self, name: &str, paths: &Paths) -> Option<PathBuf> {
        let in_folders = |folders: &[PathBuf]| {
            folders
                .iter()
                .map(|folder| folder.join(name))
                .find(|path| self.fits(path))
        };
        in_folders(&paths.rpath)
            .or_else(|| in_folders(&self.first))
            .or_else(|| in_folders(&paths.runpath))
            .or_else(|| {
                let cached = self.cache.get(name)?;
                cached.iter().find(|path| self.fits(path)).cloned()
            })
            .or_else(|| in_folders(&self.defaults))
    }

    /// A library for another architecture is passed over.
    fn fits(&self, path: &Path) -> bool {
        path.is_file()
            && match (self.machine, Header::of(path)) {
                (Some(own), Some(header)) => header.machine == own,
                (_, None) => false,
                (None, Some(_)) => true,
            }
    }
}

/// The begin of an ELF file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Word size, 32 or 64.
    pub(super) bits: u64,
    /// `e_machine`: 62 is x86-64, 183 is AArch64.
    pub(super) machine: u16,
}

impl Header {
    pub(super) fn of(path: &Path) -> Option<Self> {
        use std::io::Read as _;
        let mut bytes = [0; 20];
        std::fs::File::open(path)
            .ok()?
            .read_exact(&mut bytes)
            .ok()?;
        Self::parse(&bytes)
    }

    fn of_this_process() -> Option<Self> {
        Self::of(&std::env::current_exe().ok()?)
    }

    /// The magic number, class (1: 32 bits, 2: 64 bits) and byte order, and at 18 the machine.
    fn parse(bytes: &[u8; 20]) -> Option<Self> {
        if !bytes.starts_with(b"\x7fELF") {
            return None;
        }
        let bits = match bytes[4] {
            1 => 32,
            2 => 64,
            _ => return None,
        };
        let machine = [bytes[18], bytes[19]];
        let machine = match bytes[5] {
            2 => u16::from_be_bytes(machine),
            _ => u16::from_le_bytes(machine),
        };
        Some(Self { bits, machine })
    }
}

/// Names and paths in `/etc/ld.so.cache`, in the format that the C library has written since 1999: a header of 48 bytes,
/// entries of 24 bytes, then zero-terminated texts. An older table may stand before it.
fn parse_cache(bytes: &[u8]) -> Vec<(String, String)> {
    const MAGIC: &[u8] = b"glibc-ld.so.cache1.1";
    const HEADER: usize = 48;
    const ENTRY: usize = 24;
    let Some(start) = bytes
        .windows(MAGIC.len())
        .position(|window| window == MAGIC)
    else {
        return Vec::new();
    };
    let table = &bytes[start..];
    let number = |at: usize| -> Option<usize> {
        let bytes = table.get(at..at.checked_add(4)?)?;
        usize::try_from(u32::from_ne_bytes(bytes.try_into().ok()?)).ok()
    };
    let text = |at: usize| -> Option<String> {
        let rest = table.get(at..)?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        Some(String::from_utf8_lossy(&rest[..end]).into_owned())
    };
    let count = number(MAGIC.len()).unwrap_or(0).min(table.len() / ENTRY);
    (0..count)
        .filter_map(|entry| {
            let at = HEADER + entry * ENTRY;
            Some((text(number(at + 4)?)?, text(number(at + 8)?)?))
        })
        .collect()
}

/// Folders that a library itself names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Paths {
    rpath: Vec<PathBuf>,
    runpath: Vec<PathBuf>,
}

/// What a library needs, and where it says that this lies.
struct Needs {
    names: Vec<String>,
    paths: Paths,
}

fn needs_of(path: &Path) -> Option<Needs> {
    let file = std::fs::File::open(path).ok()?;
    let mut stream = ElfStream::<AnyEndian, _>::open_stream(file).ok()?;
    let entries: Vec<(i64, usize)> = stream
        .dynamic()
        .ok()??
        .iter()
        .map(|entry| {
            (
                entry.d_tag,
                usize::try_from(entry.d_val()).unwrap_or(usize::MAX),
            )
        })
        .collect();
    let strings = strings_of(&mut stream, &entries)?;
    let text = |at: usize| -> Option<String> {
        let rest = strings.get(at..)?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        Some(String::from_utf8_lossy(&rest[..end]).into_owned())
    };
    let origin = path.parent()?;
    let mut needs = Needs {
        names: Vec::new(),
        paths: Paths::default(),
    };
    for (tag, at) in entries {
        match tag {
            abi::DT_NEEDED => needs.names.extend(text(at)),
            abi::DT_RPATH => needs.paths.rpath = folders(&text(at)?, origin),
            abi::DT_RUNPATH => needs.paths.runpath = folders(&text(at)?, origin),
            _ => {}
        }
    }
    // The loader passes RPATH over where there is a RUNPATH.
    if !needs.paths.runpath.is_empty() {
        needs.paths.rpath.clear();
    }
    Some(needs)
}

/// The texts of the dynamic section, found by their address.
fn strings_of(
    stream: &mut ElfStream<AnyEndian, std::fs::File>,
    entries: &[(i64, usize)],
) -> Option<Vec<u8>> {
    const MOST_BYTES: usize = 64 * 1024 * 1024;
    let value = |wanted: i64| {
        entries
            .iter()
            .find(|(tag, _)| *tag == wanted)
            .map(|(_, value)| *value)
    };
    let address = u64::try_from(value(abi::DT_STRTAB)?).ok()?;
    let size = value(abi::DT_STRSZ).filter(|size| *size <= MOST_BYTES)?;
    let segment = *stream.segments().iter().find(|segment| {
        segment.p_type == abi::PT_LOAD
            && (segment.p_vaddr..segment.p_vaddr.saturating_add(segment.p_filesz))
                .contains(&address)
    })?;
    let strings = elf::segment::ProgramHeader {
        p_type: abi::PT_LOAD,
        p_offset: segment.p_offset + (address - segment.p_vaddr),
        p_filesz: u64::try_from(size).ok()?,
        ..segment
    };
    stream.segment_data(&strings).ok().map(<[u8]>::to_vec)
}

/// `$ORIGIN/../../nvidia/cublas/lib:$ORIGIN`
fn folders(list: &str, origin: &Path) -> Vec<PathBuf> {
    list.split(':')
        .filter(|entry| !entry.is_empty())
        .map(|entry| {
            let rest = entry
                .strip_prefix("$ORIGIN")
                .or_else(|| entry.strip_prefix("${ORIGIN}"));
            match rest {
                Some(rest) => origin.join(rest.trim_start_matches('/')),
                None => PathBuf::from(entry),
            }
        })
        .collect()
}

/// Which `libcuda.so.1` the loader would take, and the version in the name of the file behind it.
pub(super) fn libcuda(
    loader: &Loader,
    prefix: Option<&Path>,
    surroundings: &Surroundings,
    collector: &mut Collector<'_>,
) -> Option<String> {
    let Some(path) = loader.find("libcuda.so.1") else {
        collector.add(facts::LIBCUDA, Some("missing"));
        return None;
    };
    let real = std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
    let holds = |part: &str| {
        [&path, &real].iter().any(|path| {
            path.components()
                .any(|component| component.as_os_str() == part)
        })
    };
    let system = [
        "lib",
        "lib64",
        "usr/lib",
        "usr/lib64",
        "usr/local/nvidia",
        "usr/local/lib",
        "run/opengl-driver",
    ];
    let word = if holds("stubs") {
        "stub"
    } else if holds("compat") {
        "compat"
    } else if holds("wsl") {
        "wsl"
    } else if prefix
        .is_some_and(|prefix| prefix != surroundings.system("usr") && path.starts_with(prefix))
    {
        "environment"
    } else if system
        .iter()
        .any(|folder| real.starts_with(surroundings.system(folder)))
    {
        "system"
    } else {
        "other"
    };
    collector.add(facts::LIBCUDA, Some(word));
    let version = version_in_name(&real, "libcuda.so.");
    collector.add(facts::USER_DRIVER_VERSION, version.clone());
    version
}

/// The version of the management library that the loader would take.
pub(super) fn nvml_version(loader: &Loader) -> Option<String> {
    let real = std::fs::canonicalize(loader.find("libnvidia-ml.so.1")?).ok()?;
    version_in_name(&real, "libnvidia-ml.so.")
}

/// `libcuda.so.550.54.14` carries the driver's version, `libcuda.so.1` and `libcuda.so.1.1` (WSL) do not.
fn version_in_name(path: &Path, stem: &str) -> Option<String> {
    let version = path.file_name()?.to_str()?.strip_prefix(stem)?;
    let is_driver = version.split('.').next()?.len() >= 3;
    (is_driver && facts::is_version(version)).then(|| version.to_owned())
}

/// The folders in which the wheel and its companions keep their libraries.
fn wheel_folders(lib_dir: &Path, package_folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut folders = vec![lib_dir.to_path_buf()];
    for packages in package_folders {
        let nvidia = packages.join("nvidia");
        for name in super::names_in(&nvidia) {
            let lib = nvidia.join(name).join("lib");
            if lib.is_dir() {
                folders.push(lib);
            }
        }
    }
    folders
}

fn is_library(name: &str) -> bool {
    name.contains(".so")
}

/// Libraries of the wheel that LD_LIBRARY_PATH replaces by others of the same name.
pub(super) fn before_wheel(
    surroundings: &Surroundings,
    lib_dir: &Path,
    package_folders: &[PathBuf],
) -> Option<String> {
    const MOST_FOLDERS: usize = 32;
    let wheel = wheel_folders(lib_dir, package_folders);
    let real = |folder: &PathBuf| std::fs::canonicalize(folder).ok();
    let wheel_real: Vec<PathBuf> = wheel.iter().filter_map(real).collect();
    let own: HashSet<String> = wheel
        .iter()
        .flat_map(|folder| super::names_in(folder))
        .filter_map(|name| name.into_string().ok())
        .filter(|name| is_library(name))
        .collect();
    let mut before = BTreeSet::new();
    for folder in surroundings
        .paths("LD_LIBRARY_PATH")
        .iter()
        .take(MOST_FOLDERS)
    {
        if real(folder).is_none_or(|real| wheel_real.contains(&real)) {
            continue;
        }
        let names = super::names_in(folder).into_iter();
        before.extend(
            names
                .filter_map(|name| name.into_string().ok())
                .filter(|name| own.contains(name)),
        );
    }
    known(before)
}

/// Libraries that PyTorch's own ones need and the loader would not find. What the wheel loads beforehand by its path counts
/// as found.
pub(super) fn missing(
    loader: &Loader,
    lib_dir: &Path,
    package_folders: &[PathBuf],
) -> Option<String> {
    let preloaded: Vec<PathBuf> = wheel_folders(lib_dir, package_folders);
    let mut waiting: Vec<PathBuf> = [
        "libtorch_global_deps.so",
        "libtorch_python.so",
        "libtorch_cuda.so",
        "libtorch_hip.so",
    ]
    .iter()
    .map(|name| lib_dir.join(name))
    .filter(|path| path.is_file())
    .collect();
    let mut seen: HashSet<PathBuf> = waiting.iter().cloned().collect();
    let mut found = HashSet::new();
    let mut lacking = BTreeSet::new();
    while let Some(path) = waiting.pop() {
        if seen.len() > MOST_LIBRARIES {
            break;
        }
        let Some(needs) = needs_of(&path) else {
            continue;
        };
        for name in needs.names {
            let place = loader.find_for(&name, &needs.paths).or_else(|| {
                preloaded
                    .iter()
                    .map(|folder| folder.join(&name))
                    .find(|path| path.is_file())
            });
            let Some(place) = place else {
                lacking.insert(name);
                continue;
            };
            found.insert(name);
            // Libraries of the system are complete by themselves: only the wheel's are followed.
            let of_wheel = preloaded
                .iter()
                .any(|folder| place.starts_with(folder) || place.parent() == Some(folder));
            if of_wheel && seen.insert(place.clone()) {
                waiting.push(place);
            }
        }
    }
    // One library's own folders may hold what another one lacks; the loader takes what is loaded already.
    lacking.retain(|name| !found.contains(name));
    known(lacking)
}

/// The names that may be shown, as a fact holds them.
fn known(names: BTreeSet<String>) -> Option<String> {
    let names: Vec<&str> = names
        .iter()
        .filter_map(|name| firstfault_schema::vocabulary::known_library(name))
        .take(MOST_NAMES)
        .collect();
    (!names.is_empty()).then(|| names.join(", "))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::host::evidence::tests::{Machine, value};

    /// A cache as the C library writes it, with one entry a pair.
    fn cache(entries: &[(&str, &str)]) -> Vec<u8> {
        let mut texts = Vec::new();
        let base = 48 + entries.len() * 24;
        let mut table = Vec::new();
        for (name, path) in entries {
            let mut place = |text: &str| {
                let at = base + texts.len();
                texts.extend_from_slice(text.as_bytes());
                texts.push(0);
                u32::try_from(at).unwrap()
            };
            let (name, path) = (place(name), place(path));
            for number in [0x303, name, path, 0, 0, 0] {
                table.extend_from_slice(&u32::to_ne_bytes(number));
            }
        }
        let mut bytes = b"glibc-ld.so.cache1.1".to_vec();
        for number in [entries.len(), texts.len(), 0, 0, 0, 0, 0] {
            bytes.extend_from_slice(&u32::to_ne_bytes(u32::try_from(number).unwrap()));
        }
        bytes.extend(table);
        bytes.extend(texts);
        bytes
    }

    /// The head of a library for this machine.
    fn library() -> Vec<u8> {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        own[..64].to_vec()
    }

    #[test]
    fn the_systems_own_cache_is_read() {
        let Ok(bytes) = std::fs::read("/etc/ld.so.cache") else {
            return;
        };
        let found = parse_cache(&bytes);
        assert!(
            found
                .iter()
                .any(|(name, path)| name == "libc.so.6" && path.starts_with('/')),
            "{} entries",
            found.len()
        );
    }

    #[test]
    fn a_torn_cache_gives_what_is_whole() {
        let whole = cache(&[("libcuda.so.1", "/usr/lib/libcuda.so.1")]);
        for end in 0..whole.len() {
            assert!(parse_cache(&whole[..end]).len() <= 1);
        }
        assert_eq!(parse_cache(&whole).len(), 1);
    }

    #[test]
    fn the_loader_takes_the_search_path_before_its_cache() {
        let mut machine = Machine::new();
        let usr = "usr/lib/x86_64-linux-gnu";
        machine.write_bytes(&format!("{usr}/libcuda.so.550.54.14"), &library());
        machine.link(&format!("{usr}/libcuda.so.1"), "libcuda.so.550.54.14");
        machine.write_bytes(
            "etc/ld.so.cache",
            &cache(&[("libcuda.so.1", &format!("/{usr}/libcuda.so.1"))]),
        );
        let facts_of = |machine: &Machine| {
            machine.facts(|surroundings, collector| {
                libcuda(&Loader::new(surroundings), None, surroundings, collector);
            })
        };
        let found = facts_of(&machine);
        assert_eq!(value(&found, facts::LIBCUDA), "system");
        assert_eq!(value(&found, facts::USER_DRIVER_VERSION), "550.54.14");

        machine.write_bytes(
            "usr/local/cuda-12.8/compat/libcuda.so.570.86.10",
            &library(),
        );
        machine.link(
            "usr/local/cuda-12.8/compat/libcuda.so.1",
            "libcuda.so.570.86.10",
        );
        machine.link("usr/local/cuda", "cuda-12.8");
        let compat = machine.root().join("usr/local/cuda/compat");
        machine.set("LD_LIBRARY_PATH", compat);
        let found = facts_of(&machine);
        assert_eq!(value(&found, facts::LIBCUDA), "compat");
        assert_eq!(value(&found, facts::USER_DRIVER_VERSION), "570.86.10");

        // A library for another machine is passed over, as the loader does.
        let mut foreign = library();
        foreign[18] ^= 0x55;
        machine.write_bytes("other/libcuda.so.1", &foreign);
        let other = machine.root().join("other");
        machine.set("LD_LIBRARY_PATH", other);
        assert_eq!(value(&facts_of(&machine), facts::LIBCUDA), "system");
        std::fs::remove_file(machine.root().join(format!("{usr}/libcuda.so.1"))).unwrap();
        assert_eq!(value(&facts_of(&machine), facts::LIBCUDA), "missing");
    }

    #[test]
    fn a_driver_version_is_only_taken_from_a_driver_files_name() {
        let version = |name: &str| version_in_name(Path::new(name), "libcuda.so.");
        assert_eq!(
            version("/usr/lib/libcuda.so.550.54.14").as_deref(),
            Some("550.54.14")
        );
        assert_eq!(version("/usr/lib/libcuda.so.1"), None);
        assert_eq!(version("/usr/lib/wsl/lib/libcuda.so.1.1"), None);
        assert_eq!(version("/usr/lib/libcuda.so.550.x"), None);
    }

    #[test]
    fn libraries_that_stand_before_the_wheels_own_are_named() {
        let mut machine = Machine::new();
        for file in [
            "env/torch/lib/libtorch_cpu.so",
            "env/nvidia/cudnn/lib/libcudnn.so.9",
            "env/nvidia/cublas/lib/libcublas.so.12",
            "cluster/lib/libcudnn.so.9",
            "cluster/lib/libcublas.so.11",
            "cluster/lib/libcustomer.so.9",
        ] {
            machine.write(file, "");
        }
        let cluster = machine.root().join("cluster/lib");
        machine.set("LD_LIBRARY_PATH", cluster);
        let lib = machine.root().join("env/torch/lib");
        let packages = [machine.root().join("env")];
        assert_eq!(
            before_wheel(&machine.surroundings(), &lib, &packages).as_deref(),
            Some("libcudnn.so.9")
        );
        // The wheel's own folder before the wheel changes nothing.
        let own = machine.root().join("env/nvidia/cudnn/lib");
        machine.set("LD_LIBRARY_PATH", own);
        assert_eq!(before_wheel(&machine.surroundings(), &lib, &packages), None);
    }

    #[test]
    fn needs_are_read_from_a_real_program() {
        let needs = needs_of(&std::env::current_exe().unwrap()).unwrap();
        assert!(
            needs.names.iter().any(|name| name == "libc.so.6"),
            "{:?}",
            needs.names
        );
        assert_eq!(
            folders(
                "$ORIGIN/../../nvidia/cublas/lib:${ORIGIN}:/opt/x:",
                Path::new("/env/torch/lib")
            ),
            [
                PathBuf::from("/env/torch/lib/../../nvidia/cublas/lib"),
                PathBuf::from("/env/torch/lib/"),
                PathBuf::from("/opt/x")
            ]
        );
    }
}
