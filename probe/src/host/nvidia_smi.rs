//! The host check: what `nvidia-smi` is asked, and how its answer is read. NVIDIA's only: it has no equivalent for ROCm.

use firstfault_schema::facts::is_version;
use firstfault_schema::report::{Host, HostGpu, HostStatus};

/// The program's name, looked for on PATH.
pub const PROGRAM: &str = "nvidia-smi";

/// Its arguments.
pub const fn arguments() -> [&'static str; 2] {
    [
        "--query-gpu=name,memory.total,memory.used,driver_version",
        "--format=csv,noheader,nounits",
    ]
}

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It exited with this number.
    Exited(i32),
    /// It was stopped at its limit.
    TimedOut,
    /// It isn't there, or can't be started.
    NotStarted,
    /// A signal ended it.
    Crashed,
}

/// The most GPUs that are kept.
const MOST_GPUS: usize = 64;

/// Reads the answer. A failure keeps what was told before it: with one broken GPU among several, `nvidia-smi` lists the
/// others and exits with a number other than zero.
pub fn parse(stdout: &str, end: End) -> Host {
    let mut gpus = Vec::new();
    let mut driver_version = None;
    for line in stdout.lines() {
        if let Some((gpu, version)) = parse_line(line)
            && gpus.len() < MOST_GPUS
        {
            gpus.push(gpu);
            driver_version = driver_version.or(version);
        }
    }
    let answered = !gpus.is_empty();
    let status = match end {
        End::NotStarted => HostStatus::NotInstalled,
        End::TimedOut => HostStatus::TimedOut,
        End::Exited(0) if answered || says_no_devices(stdout) => HostStatus::Answered,
        End::Exited(6) if says_no_devices(stdout) => HostStatus::Answered,
        End::Exited(_) | End::Crashed => HostStatus::Failed,
    };
    Host {
        status,
        driver_version,
        gpus: (answered || status == HostStatus::Answered).then_some(gpus),
    }
}

/// With a driver and no GPU it says on standard output, and exits with 6:
/// ```text
/// No devices were found
/// ```
fn says_no_devices(stdout: &str) -> bool {
    stdout
        .lines()
        .any(|line| line.trim() == "No devices were found")
}

/// One GPU a line, memory in MiB:
/// ```text
/// NVIDIA H200, 143771, 0, 570.124.06
/// NVIDIA GeForce RTX 3060 Laptop GPU, 6144, 10, 535.183.01
/// NVIDIA GH200 480GB, [N/A], [N/A], 550.54.14
/// Orin (nvgpu), [N/A], [N/A], 540.3.0
/// ```
/// What is no such line is an error's text:
/// ```text
/// NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA ...
/// Failed to initialize NVML: Driver/library version mismatch
/// NVML library version: 550.144
/// Unable to determine the device handle for GPU0000:41:00.0: Unknown Error
/// ```
fn parse_line(line: &str) -> Option<(HostGpu, Option<String>)> {
    // A name may hold a comma, so the fields are taken from the end.
    let mut fields = line.rsplitn(4, ',').map(str::trim);
    let driver = fields.next()?;
    let used = fields.next()?;
    let total = fields.next()?;
    let name = fields.next().filter(|name| !name.is_empty())?;
    let not_told = |text: &str| text.starts_with('[') && text.ends_with(']');
    if !is_version(driver) && !not_told(driver) {
        return None;
    }
    let mebibytes = |text: &str| -> Option<Option<u64>> {
        if not_told(text) {
            return Some(None);
        }
        let number: u64 = text.parse().ok()?;
        Some(Some(number.checked_mul(1024 * 1024)?))
    };
    let gpu = HostGpu {
        name: crate::names::product(name),
        total_memory_bytes: mebibytes(total)?,
        used_memory_bytes: mebibytes(used)?,
        process_memory_bytes: None,
    };
    Some((gpu, is_version(driver).then(|| driver.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1024 * 1024;

    #[test]
    fn every_gpu_is_read_with_its_memory() {
        let host = parse(
            "NVIDIA H200, 143771, 512, 570.124.06\nNVIDIA H200, 143771, 0, 570.124.06\n",
            End::Exited(0),
        );
        assert_eq!(host.status, HostStatus::Answered);
        assert_eq!(host.driver_version.as_deref(), Some("570.124.06"));
        let gpus = host.gpus.unwrap();
        assert_eq!(gpus.len(), 2);
        assert_eq!(gpus[0].name, "NVIDIA H200");
        assert_eq!(gpus[0].total_memory_bytes, Some(143_771 * MIB));
        assert_eq!(gpus[0].used_memory_bytes, Some(512 * MIB));
    }

    #[test]
    fn what_is_not_told_is_null_and_not_zero() {
        let host = parse(
            "NVIDIA GH200 480GB, [N/A], [N/A], 550.54.14\n",
            End::Exited(0),
        );
        let gpus = host.gpus.unwrap();
        assert_eq!(gpus[0].total_memory_bytes, None);
        assert_eq!(gpus[0].used_memory_bytes, None);
        let host = parse("Orin (nvgpu), [N/A], [N/A], [N/A]\n", End::Exited(0));
        assert_eq!(host.driver_version, None);
        assert_eq!(host.gpus.unwrap().len(), 1);
    }

    #[test]
    fn an_errors_text_is_no_answer() {
        for text in [
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n\n",
            "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.144\n",
            "Failed to initialize NVML: Unknown Error\n",
            "Unable to determine the device handle for GPU0000:41:00.0: Unknown Error\n",
            "a, b, c, 1.2.3\n",
            "",
        ] {
            let host = parse(text, End::Exited(9));
            assert_eq!(host.status, HostStatus::Failed, "{text}");
            assert_eq!(host.gpus, None, "{text}");
            assert_eq!(host.driver_version, None, "{text}");
        }
        // An answer without a GPU is no pass either.
        assert_eq!(parse("", End::Exited(0)).status, HostStatus::Failed);
    }

    #[test]
    fn a_driver_without_a_gpu_has_answered() {
        let host = parse("No devices were found\n", End::Exited(6));
        assert_eq!(host.status, HostStatus::Answered);
        assert_eq!(host.gpus, Some(Vec::new()));
    }

    #[test]
    fn a_broken_gpu_among_several_keeps_the_others() {
        let host = parse(
            "NVIDIA A100-SXM4-80GB, 81920, 4, 535.104.05\nUnable to determine the device handle for GPU0000:47:00.0: Unknown Error\n",
            End::Exited(255),
        );
        assert_eq!(host.status, HostStatus::Failed);
        assert_eq!(host.gpus.unwrap().len(), 1);
    }

    #[test]
    fn an_end_without_an_answer_is_told_apart() {
        assert_eq!(parse("", End::TimedOut).status, HostStatus::TimedOut);
        assert_eq!(parse("", End::NotStarted).status, HostStatus::NotInstalled);
        assert_eq!(parse("", End::Crashed).status, HostStatus::Failed);
    }
}
