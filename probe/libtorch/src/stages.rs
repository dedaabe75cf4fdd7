//! The stages in their order. Each is announced before it begins, so a process that dies has named it.

use std::io;
use std::process::ExitCode;

use serde_json::{Value, json};
use tch::{Device, Kind, Tensor};

use crate::computation::{self, Control, Factors, Timed};
use crate::fault::Fault;
use crate::libraries::{self, GpuLibrary};
use crate::wire::{Events, Request, Requested};
use crate::{clock, gpu, wire};

/// Does what was requested and tells about it. A fault is an answer: the exit number is 0 as well.
pub(crate) fn run(request: &Request, mut events: Events) -> ExitCode {
    match all(request, &mut events) {
        Ok(()) => wire::leave(),
        Err(error) => wire::refuse(&error),
    }
}

fn all(request: &Request, events: &mut Events) -> io::Result<()> {
    let gpu = request.device == Requested::Gpu;
    let Some(loaded) = stage(events, "import", false, || import(request.device))? else {
        return Ok(());
    };
    let Some(()) = stage(events, "backend", false, || {
        backend(request.device, &loaded)
    })?
    else {
        return Ok(());
    };
    let Some(device) = stage(events, "device", gpu, || device(request))? else {
        return Ok(());
    };
    let Some(factors) = stage(events, "allocation", gpu, || allocation(device))? else {
        return Ok(());
    };
    let Some(product) = stage(events, "product", false, || product(&factors.value))? else {
        return Ok(());
    };
    let Some(gradient_ms) = stage(events, "gradient", false, || {
        gradient(&factors.value, &product.value)
    })?
    else {
        return Ok(());
    };
    // On the CPU the control was the first pass: it has made this one warm.
    let first_pass_ms = match device {
        Device::Cpu => loaded.control_ms,
        _ => factors.elapsed_ms + product.elapsed_ms + gradient_ms,
    };
    let last = || synchronize(request, device, first_pass_ms);
    let Some(()) = stage(events, "synchronize", false, last)? else {
        return Ok(());
    };
    events.done()
}

/// Announces a stage, does it, and tells its facts or its fault; none after a fault. A stage that can lock the host
/// up waits for the parent's word.
fn stage<T>(
    events: &mut Events,
    name: &str,
    wait: bool,
    work: impl FnOnce() -> Result<(T, Value), Fault>,
) -> io::Result<Option<T>> {
    if wait {
        events.begin_when_told(name)?
    } else {
        events.begin(name)?
    }
    match work() {
        Ok((value, facts)) => events.end(name, &facts).map(|()| Some(value)),
        Err(fault) => events.fault(name, &fault).map(|()| None),
    }
}

/// What the stage `import` found.
struct Loaded {
    /// The GPU library beside libtorch.
    library: Option<GpuLibrary>,
    /// How loading it went; well where it was not tried.
    loading: Result<(), Fault>,
    /// Whether it registered itself.
    gpu_hooks: bool,
    /// How long the computation on the CPU took, in ms.
    control_ms: f64,
}

/// Loads the GPU library, if a GPU is wanted, before anything of libtorch is called; then the CPU control shows whether
/// this worker fits these libraries at all.
fn import(requested: Requested) -> Result<(Loaded, Value), Fault> {
    let folder = libraries::libtorch_folder();
    let library = folder.as_deref().and_then(libraries::gpu_library_in);
    let wanted = library.zip(folder).filter(|_| requested == Requested::Gpu);
    let loading = wanted
        .as_ref()
        .map_or(Ok(()), |(library, folder)| library.load(folder));
    let control_ms = control(match wanted {
        Some(_) => Control::Formula,
        None => Control::Autograd,
    })?;
    let gpu_hooks = gpu::has_hooks();
    let name = wanted
        .filter(|_| loading.is_ok())
        .map_or("none", |(library, _)| library.name());
    let facts = json!({
        "import_ms": clock::since_start_ms(),
        "library": name,
        "gpu_hooks": gpu_hooks,
        "cpu_control": true,
        "torch_version": libraries::libtorch_version(),
    });
    Ok((
        Loaded {
            library,
            loading,
            gpu_hooks,
            control_ms,
        },
        facts,
    ))
}

/// The time of the computation on the CPU, in ms. A worker that does not get it right fits other libraries.
fn control(way: Control) -> Result<f64, Fault> {
    match computation::control(way) {
        Ok(Ok(elapsed_ms)) => Ok(elapsed_ms),
        Ok(Err(difference)) => Err(Fault::new("ControlError", difference)),
        Err(error) => Err(Fault::new("ControlError", Fault::from(error).message)),
    }
}

/// On the CPU the backend is what the library beside libtorch declares; on a GPU it must have loaded and registered.
fn backend(requested: Requested, loaded: &Loaded) -> Result<((), Value), Fault> {
    if let Err(fault) = &loaded.loading {
        return Err(Fault::new(fault.exception, fault.message.clone()));
    }
    if requested == Requested::Gpu {
        if loaded.library.is_none() {
            return Err(Fault::new(
                "NoBackend",
                "this libtorch comes without a GPU library",
            ));
        }
        if !loaded.gpu_hooks {
            return Err(Fault::new(
                "NoBackend",
                "the GPU library of this libtorch has not registered itself",
            ));
        }
    }
    Ok((
        (),
        json!({"backend": loaded.library.map_or("none", GpuLibrary::backend)}),
    ))
}

fn device(request: &Request) -> Result<(Device, Value), Fault> {
    if request.device == Requested::Cpu {
        return Ok((Device::Cpu, json!({"visible_device_count": null})));
    }
    let count = gpu::device_count()?;
    if count == 0 {
        // Counting swallows the driver's answer; using a device does not.
        Factors::allocate(Device::Cuda(0))?;
        return Err(Fault::new(
            "RuntimeError",
            "no GPU is counted, yet an allocation on GPU 0 succeeded",
        ));
    }
    if request.index >= count {
        let message = format!(
            "device index {} is outside the {count} visible devices",
            request.index
        );
        return Err(Fault::new("IndexError", message));
    }
    let index = usize::try_from(request.index)
        .map_err(|error| Fault::new("IndexError", error.to_string()))?;
    // The devices have answered, so autograd may ask for them.
    control(Control::Autograd)?;
    Ok((Device::Cuda(index), json!({"visible_device_count": count})))
}

fn allocation(device: Device) -> Result<(Timed<Factors>, Value), Fault> {
    let factors = Factors::allocate(device)?;
    let facts = json!({"device": device_name(factors.value.device()), "dtype": kind_name(factors.value.kind()?)});
    Ok((factors, facts))
}

fn product(factors: &Factors) -> Result<(Timed<Tensor>, Value), Fault> {
    let product = factors.product()?;
    let facts = json!({"values": computation::values(&product.value)?});
    Ok((product, facts))
}

fn gradient(factors: &Factors, product: &Tensor) -> Result<(f64, Value), Fault> {
    let Timed {
        value: gradient,
        elapsed_ms,
    } = factors.gradient(product)?;
    Ok((
        elapsed_ms,
        json!({"values": gradient.values, "loss": gradient.loss}),
    ))
}

/// The receipt is the following pass: it finds a device that is already warm.
fn synchronize(
    request: &Request,
    device: Device,
    first_pass_ms: f64,
) -> Result<((), Value), Fault> {
    gpu::synchronize(device)?;
    let numbers = &request.receipt;
    let (product, where_it_is) =
        computation::receipt(numbers.size, &numbers.left, &numbers.right, device)?;
    let facts = json!({
        "first_pass_ms": first_pass_ms,
        "following_pass_ms": product.elapsed_ms,
        "receipt": product.value,
        "device": device_name(where_it_is),
    });
    Ok(((), facts))
}

/// A device as PyTorch writes it: `cpu`, `cuda:0`.
fn device_name(device: Device) -> String {
    match device {
        Device::Cpu => "cpu".to_owned(),
        Device::Cuda(index) => format!("cuda:{index}"),
        Device::Mps => "mps".to_owned(),
        Device::Vulkan => "vulkan".to_owned(),
    }
}

/// A number format as PyTorch writes it; those that can't occur here keep tch's name.
fn kind_name(kind: Kind) -> String {
    match kind {
        Kind::Float => "float32".to_owned(),
        Kind::Double => "float64".to_owned(),
        other => format!("{other:?}").to_lowercase(),
    }
}
