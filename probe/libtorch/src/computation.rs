//! The fixed computation and the receipt, on any device.
//!
//! A = [[1, 2], [3, 4]], B = [[2, 0], [1, 2]]; the product is [[4, 4], [10, 8]], the loss, its sum of squares, 196, and
//! the gradient of the loss with respect to A [[16, 24], [40, 52]]. Every number is exact in float32.

use std::time::Instant;

use tch::{Device, Kind, TchError, Tensor};

use crate::gpu::synchronize;

const LEFT: [f32; 4] = [1.0, 2.0, 3.0, 4.0];
const RIGHT: [f32; 4] = [2.0, 0.0, 1.0, 2.0];
const PRODUCT: [f32; 4] = [4.0, 4.0, 10.0, 8.0];
const GRADIENT: [f32; 4] = [16.0, 24.0, 40.0, 52.0];
const LOSS: f64 = 196.0;

/// The two factors on their device.
pub(crate) struct Factors {
    left: Tensor,
    right: Tensor,
    device: Device,
}

/// A value with the time that it took, in ms, from one synchronisation of the device to the next.
pub(crate) struct Timed<T> {
    pub(crate) value: T,
    pub(crate) elapsed_ms: f64,
}

/// The gradient of the loss, and the loss.
pub(crate) struct Gradient {
    pub(crate) values: Vec<f32>,
    pub(crate) loss: f64,
}

impl Factors {
    /// Puts both factors on the device.
    pub(crate) fn allocate(device: Device) -> Result<Timed<Self>, TchError> {
        timed(device, || {
            let left = square(&LEFT, 2, device)?.f_set_requires_grad(true)?;
            let right = square(&RIGHT, 2, device)?;
            Ok(Self {
                left,
                right,
                device,
            })
        })
    }

    /// Where the left factor really is.
    pub(crate) fn device(&self) -> Device {
        self.left.device()
    }

    /// The number format that the left factor really has.
    pub(crate) fn kind(&self) -> Result<Kind, TchError> {
        self.left.f_kind()
    }

    /// The product of both factors.
    pub(crate) fn product(&self) -> Result<Timed<Tensor>, TchError> {
        timed(self.device, || self.left.f_matmul(&self.right))
    }

    /// The gradient of the sum of squares of `product` with respect to the left factor.
    pub(crate) fn gradient(&self, product: &Tensor) -> Result<Timed<Gradient>, TchError> {
        let Timed {
            value: loss,
            elapsed_ms,
        } = timed(self.device, || {
            let loss = product.f_square()?.f_sum(Kind::Float)?;
            loss.f_backward()?;
            Ok(loss)
        })?;
        let gradient = Gradient {
            values: values(&self.left.f_grad()?)?,
            loss: loss.f_double_value(&[])?,
        };
        Ok(Timed {
            value: gradient,
            elapsed_ms,
        })
    }

    /// The same by its formula, 2 P Bᵀ.
    fn gradient_by_formula(&self, product: &Tensor) -> Result<Timed<Gradient>, TchError> {
        let Timed {
            value: (loss, gradient),
            elapsed_ms,
        } = timed(self.device, || {
            let loss = product.f_square()?.f_sum(Kind::Float)?;
            Ok((loss, product.f_add(product)?.f_matmul(&self.right.f_tr()?)?))
        })?;
        let gradient = Gradient {
            values: values(&gradient)?,
            loss: loss.f_double_value(&[])?,
        };
        Ok(Timed {
            value: gradient,
            elapsed_ms,
        })
    }
}

/// How the control computes the gradient. libtorch's autograd asks every loaded backend for its devices when it is
/// first used, on the CPU as well: with a GPU library, a driver that hangs or crashes does so there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    /// With autograd, as a program does.
    Autograd,
    /// By the formula: nothing but the CPU is asked.
    Formula,
}

/// Computes everything on the CPU; gives its time in ms, or says what differs when it is not exact.
pub(crate) fn control(way: Control) -> Result<Result<f64, String>, TchError> {
    let Timed {
        value: factors,
        elapsed_ms: allocation_ms,
    } = Factors::allocate(Device::Cpu)?;
    let Timed {
        value: product,
        elapsed_ms: product_ms,
    } = factors.product()?;
    let Timed {
        value: gradient,
        elapsed_ms: gradient_ms,
    } = match way {
        Control::Autograd => factors.gradient(&product)?,
        Control::Formula => factors.gradient_by_formula(&product)?,
    };
    let product = values(&product)?;
    #[allow(clippy::float_cmp, reason = "every number is exact in float32")]
    let exact = product == PRODUCT && gradient.values == GRADIENT && gradient.loss == LOSS;
    Ok(if exact {
        Ok(allocation_ms + product_ms + gradient_ms)
    } else {
        let Gradient { values, loss } = gradient;
        Err(format!(
            "the CPU gave the product {product:?}, the gradient {values:?} and the loss {loss}"
        ))
    })
}

/// Multiplies two square matrices of integers on the device; gives the product and where it is. The time is that of
/// doing it a second time: the first one still loads what a product of this size needs.
pub(crate) fn receipt(
    size: usize,
    left: &[i8],
    right: &[i8],
    device: Device,
) -> Result<(Timed<Vec<f32>>, Device), TchError> {
    let floats = |integers: &[i8]| {
        integers
            .iter()
            .map(|value| f32::from(*value))
            .collect::<Vec<_>>()
    };
    let left = square(&floats(left), size, device)?;
    let right = square(&floats(right), size, device)?;
    drop(left.f_matmul(&right)?);
    synchronize(device)?;
    let Timed {
        value: product,
        elapsed_ms,
    } = timed(device, || left.f_matmul(&right))?;
    Ok((
        Timed {
            value: values(&product)?,
            elapsed_ms,
        },
        product.device(),
    ))
}

/// All values of a tensor, row by row, copied from its device.
pub(crate) fn values(tensor: &Tensor) -> Result<Vec<f32>, TchError> {
    let mut values = vec![0.0; tensor.numel()];
    tensor.f_copy_data(&mut values, tensor.numel())?;
    Ok(values)
}

fn square(values: &[f32], size: usize, device: Device) -> Result<Tensor, TchError> {
    let size = i64::try_from(size).map_err(|error| TchError::Shape(error.to_string()))?;
    Tensor::f_from_slice(values)?
        .f_reshape([size, size])?
        .f_to_device(device)
}

/// Nothing may be pending on the device before; afterwards nothing is.
fn timed<T>(
    device: Device,
    work: impl FnOnce() -> Result<T, TchError>,
) -> Result<Timed<T>, TchError> {
    let begin = Instant::now();
    let value = work()?;
    synchronize(device)?;
    Ok(Timed {
        value,
        elapsed_ms: begin.elapsed().as_secs_f64() * 1e3,
    })
}
