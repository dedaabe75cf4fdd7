//! Which kind of container this process runs in, from the marks that each kind leaves.

use firstfault_schema::report::Container;

use crate::interpreter::Surroundings;

/// The kind of container; `None` where there is none. Reads a few small files, none of them a driver's.
pub fn kind(surroundings: &Surroundings) -> Container {
    let exists = |path: &str| surroundings.system(path).exists();
    let is_set = |name: &str| surroundings.variable(name).is_some();
    // Kubernetes names itself to every container, whatever its runtime. The file stays where variables are cleared.
    if is_set("KUBERNETES_SERVICE_HOST")
        || exists("var/run/secrets/kubernetes.io")
        || exists("run/secrets/kubernetes.io")
    {
        return Container::Kubernetes;
    }
    if is_set("APPTAINER_CONTAINER") || is_set("SINGULARITY_CONTAINER") || exists(".singularity.d")
    {
        return Container::Apptainer;
    }
    if exists("run/.containerenv") {
        return Container::Podman;
    }
    if exists(".dockerenv") {
        return Container::Docker;
    }
    // systemd writes it for what it started as a container; LXC names itself in it. Also readable without root.
    let manager = super::read_line(&surroundings.system("run/systemd/container"));
    let variable = surroundings
        .variable("container")
        .map(|value| value.to_string_lossy().into_owned());
    if let Some(manager) = manager.or(variable) {
        return match manager.as_str() {
            "docker" => Container::Docker,
            "podman" => Container::Podman,
            "lxc" | "lxc-libvirt" => Container::Lxc,
            "wsl" => Container::Wsl,
            _ => Container::Other,
        };
    }
    if exists("dev/lxd/sock") || exists("dev/incus/sock") {
        return Container::Lxc;
    }
    let init = super::read(&surroundings.system("proc/1/environ")).unwrap_or_default();
    if init.split('\0').any(|entry| entry == "container=lxc") {
        return Container::Lxc;
    }
    if wsl(surroundings) != Wsl::None {
        return Container::Wsl;
    }
    let groups = super::read(&surroundings.system("proc/1/cgroup")).unwrap_or_default();
    of_control_groups(&groups).unwrap_or(Container::None)
}

/// The name of a kind, as facts and reports write it.
pub(super) const fn name(kind: Container) -> &'static str {
    match kind {
        Container::None => "none",
        Container::Docker => "docker",
        Container::Podman => "podman",
        Container::Kubernetes => "kubernetes",
        Container::Apptainer => "apptainer",
        Container::Lxc => "lxc",
        Container::Wsl => "wsl",
        Container::Other => "other",
    }
}

/// Version 1 of control groups shows the container's own path:
/// ```text
/// 12:memory:/docker/3f1a0c...
/// 11:devices:/kubepods/besteffort/pod2f.../3f1a0c...
/// 10:cpuset:/lxc/web
/// 0::/system.slice/containerd.service/kubepods-besteffort.slice
/// ```
fn of_control_groups(text: &str) -> Option<Container> {
    let holds = |mark: &str| text.lines().any(|line| line.contains(mark));
    if holds("kubepods") {
        Some(Container::Kubernetes)
    } else if holds(":/docker/") || holds("/docker-") {
        Some(Container::Docker)
    } else if holds("/libpod-") {
        Some(Container::Podman)
    } else if holds(":/lxc/") || holds("/lxc.payload") {
        Some(Container::Lxc)
    } else {
        None
    }
}

/// Windows Subsystem for Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wsl {
    None,
    One,
    Two,
}

/// Whether this is WSL, and which.
pub(super) fn wsl(surroundings: &Surroundings) -> Wsl {
    super::read(&surroundings.system("proc/version"))
        .map_or(Wsl::None, |text| parse_kernel_version(&text))
}

/// ```text
/// Linux version 5.15.146.1-microsoft-standard-WSL2 (root@65c757a075e2) (gcc (GCC) 11.2.0, ...) #1 SMP ...
/// Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com) (gcc version 5.4.0 (GCC) ) #1237-Microsoft ...
/// ```
fn parse_kernel_version(text: &str) -> Wsl {
    let release = text.split_whitespace().nth(2).unwrap_or_default();
    if release.contains("WSL2") || release.contains("microsoft-standard") {
        Wsl::Two
    } else if release.ends_with("-Microsoft") {
        Wsl::One
    } else {
        Wsl::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_with(files: &[(&str, &str)], variables: &[(&str, &str)]) -> Container {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let variables = variables
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()));
        let surroundings = Surroundings::new(variables, folder.path().to_path_buf())
            .with_root(folder.path().to_path_buf());
        kind(&surroundings)
    }

    #[test]
    fn each_kind_is_known_by_its_mark() {
        assert_eq!(kind_with(&[], &[]), Container::None);
        assert_eq!(kind_with(&[(".dockerenv", "")], &[]), Container::Docker);
        assert_eq!(
            kind_with(
                &[(".dockerenv", "")],
                &[("KUBERNETES_SERVICE_HOST", "10.0.0.1")]
            ),
            Container::Kubernetes
        );
        assert_eq!(
            kind_with(&[("run/.containerenv", "engine=\"podman-4.3.1\"")], &[]),
            Container::Podman
        );
        assert_eq!(
            kind_with(&[], &[("APPTAINER_CONTAINER", "/images/a.sif")]),
            Container::Apptainer
        );
        assert_eq!(
            kind_with(&[("run/systemd/container", "lxc\n")], &[]),
            Container::Lxc
        );
        assert_eq!(kind_with(&[], &[("container", "oci")]), Container::Other);
        assert_eq!(
            kind_with(
                &[(
                    "proc/1/cgroup",
                    "12:memory:/docker/3f1a0c\n0::/docker/3f1a0c\n"
                )],
                &[]
            ),
            Container::Docker
        );
        assert_eq!(
            kind_with(
                &[(
                    "proc/version",
                    "Linux version 5.15.146.1-microsoft-standard-WSL2 (root@65c757a075e2)"
                )],
                &[]
            ),
            Container::Wsl
        );
    }

    #[test]
    fn a_plain_host_is_no_container() {
        let cgroup =
            "12:memory:/user.slice/user-1000.slice\n1:name=systemd:/init.scope\n0::/init.scope\n";
        let version =
            "Linux version 6.8.0-45-generic (buildd@lcy02-amd64-115) (gcc 13.2.0) #45-Ubuntu SMP";
        assert_eq!(
            kind_with(&[("proc/1/cgroup", cgroup), ("proc/version", version)], &[]),
            Container::None
        );
        assert_eq!(
            parse_kernel_version("Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com)"),
            Wsl::One
        );
    }
}
