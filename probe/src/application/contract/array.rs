//! Numbers as they lie in memory: the rows of .npy, .npz, safetensors and checkpoints.

use half::{bf16, f16};

use super::record::Numbers;

/// How one number is stored, little end first unless said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    Bf16,
    F32,
    F64,
}

/// The type of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dtype {
    pub(super) kind: Kind,
    /// Whether the big end comes first.
    pub(super) swapped: bool,
}

impl Dtype {
    /// Bytes of one element.
    pub(super) const fn bytes(self) -> usize {
        match self.kind {
            Kind::Bool | Kind::I8 | Kind::U8 => 1,
            Kind::I16 | Kind::U16 | Kind::F16 | Kind::Bf16 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 => 4,
            Kind::I64 | Kind::U64 | Kind::F64 => 8,
        }
    }

    /// The statistics of `bytes`; without `values`, only their count and whether all are finite.
    pub(super) fn numbers(self, bytes: &[u8], values: bool) -> Numbers {
        macro_rules! as_native {
            ($width:literal, $read:expr) => {
                self.fold::<$width>(bytes, values, $read)
            };
        }
        #[allow(clippy::cast_precision_loss, reason = "bounds are doubles too")]
        match self.kind {
            Kind::F32 if !self.swapped => f32_numbers(bytes, values),
            Kind::F64 if !self.swapped && !values => f64_form(bytes),
            Kind::Bool | Kind::U8 => as_native!(1, |raw| f64::from(raw[0])),
            Kind::I8 => as_native!(1, |raw| f64::from(i8::from_le_bytes(raw))),
            Kind::I16 => as_native!(2, |raw| f64::from(i16::from_le_bytes(raw))),
            Kind::U16 => as_native!(2, |raw| f64::from(u16::from_le_bytes(raw))),
            Kind::F16 => as_native!(2, |raw| f16::from_le_bytes(raw).to_f64()),
            Kind::Bf16 => as_native!(2, |raw| bf16::from_le_bytes(raw).to_f64()),
            Kind::I32 => as_native!(4, |raw| f64::from(i32::from_le_bytes(raw))),
            Kind::U32 => as_native!(4, |raw| f64::from(u32::from_le_bytes(raw))),
            Kind::F32 => as_native!(4, |raw| f64::from(f32::from_le_bytes(raw))),
            Kind::I64 => as_native!(8, |raw| i64::from_le_bytes(raw) as f64),
            Kind::U64 => as_native!(8, |raw| u64::from_le_bytes(raw) as f64),
            Kind::F64 => as_native!(8, f64::from_le_bytes),
        }
    }

    fn fold<const WIDTH: usize>(
        self,
        bytes: &[u8],
        values: bool,
        read: impl Fn([u8; WIDTH]) -> f64,
    ) -> Numbers {
        let whole = !matches!(self.kind, Kind::F16 | Kind::Bf16 | Kind::F32 | Kind::F64);
        let mut numbers = Numbers::NONE;
        if whole && !values {
            numbers.count = (bytes.len() / WIDTH) as u64;
            return numbers;
        }
        for raw in bytes.as_chunks::<WIDTH>().0 {
            let mut raw = *raw;
            if self.swapped {
                raw.reverse();
            }
            numbers.add(read(raw));
        }
        numbers
    }

    /// The elements of `bytes`, one after the other.
    pub(super) fn values(self, bytes: &[u8], into: &mut Vec<f64>) {
        let width = self.bytes();
        into.extend(bytes.chunks_exact(width).map(|bytes| self.value(bytes)));
    }

    fn value(self, bytes: &[u8]) -> f64 {
        let mut raw = [0_u8; 8];
        let width = self.bytes();
        raw[..width].copy_from_slice(bytes);
        if self.swapped {
            raw[..width].reverse();
        }
        let [one, two, three, four, ..] = raw;
        #[allow(clippy::cast_precision_loss, reason = "a tolerance is a double too")]
        match self.kind {
            Kind::Bool | Kind::U8 => f64::from(one),
            Kind::I8 => f64::from(one.cast_signed()),
            Kind::I16 => f64::from(i16::from_le_bytes([one, two])),
            Kind::U16 => f64::from(u16::from_le_bytes([one, two])),
            Kind::F16 => f16::from_le_bytes([one, two]).to_f64(),
            Kind::Bf16 => bf16::from_le_bytes([one, two]).to_f64(),
            Kind::I32 => f64::from(i32::from_le_bytes([one, two, three, four])),
            Kind::U32 => f64::from(u32::from_le_bytes([one, two, three, four])),
            Kind::F32 => f64::from(f32::from_le_bytes([one, two, three, four])),
            Kind::I64 => i64::from_le_bytes(raw) as f64,
            Kind::U64 => u64::from_le_bytes(raw) as f64,
            Kind::F64 => f64::from_le_bytes(raw),
        }
    }

    /// The element at the beginning of `bytes` as an identifier; none unless it is a whole number.
    pub(super) fn whole(self, bytes: &[u8]) -> Option<i128> {
        let mut raw = [0_u8; 8];
        let width = self.bytes();
        raw[..width].copy_from_slice(bytes.get(..width)?);
        if self.swapped {
            raw[..width].reverse();
        }
        let unsigned = u64::from_le_bytes(raw);
        let unused = 64 - 8 * width as u32;
        match self.kind {
            Kind::U8 | Kind::U16 | Kind::U32 | Kind::U64 => Some(i128::from(unsigned)),
            Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64 => {
                Some(i128::from(unsigned.cast_signed() << unused >> unused))
            }
            _ => None,
        }
    }
}

/// Independent sums that the processor can keep side by side.
const LANES: usize = 16;

fn f32_numbers(bytes: &[u8], values: bool) -> Numbers {
    let (elements, _) = bytes.as_chunks::<4>();
    let (groups, rest) = elements.as_chunks::<LANES>();
    // An exponent of ones is NaN or infinite.
    const EXPONENT: u32 = 0x7f80_0000;
    let is_odd = |raw: &[u8; 4]| u32::from_le_bytes(*raw) & EXPONENT == EXPONENT;
    let mut odd = [0_u32; LANES];
    for group in groups {
        for (lane, raw) in odd.iter_mut().zip(group) {
            *lane |= u32::from(is_odd(raw));
        }
    }
    let finite = odd.iter().all(|lane| *lane == 0) && !rest.iter().any(is_odd);
    let mut numbers = Numbers {
        count: elements.len() as u64,
        finite,
        ..Numbers::NONE
    };
    if !values {
        return numbers;
    }
    if !finite {
        numbers = Numbers::NONE;
        for raw in elements {
            numbers.add(f64::from(f32::from_le_bytes(*raw)));
        }
        return numbers;
    }
    let mut lows = [f32::INFINITY; LANES];
    let mut highs = [f32::NEG_INFINITY; LANES];
    let mut squares = [0.0_f64; LANES];
    for group in groups {
        for lane in 0..LANES {
            let value = f32::from_le_bytes(group[lane]);
            lows[lane] = if value < lows[lane] {
                value
            } else {
                lows[lane]
            };
            highs[lane] = if value > highs[lane] {
                value
            } else {
                highs[lane]
            };
            squares[lane] += f64::from(value) * f64::from(value);
        }
    }
    for raw in rest {
        let value = f32::from_le_bytes(*raw);
        lows[0] = lows[0].min(value);
        highs[0] = highs[0].max(value);
        squares[0] += f64::from(value) * f64::from(value);
    }
    numbers.min = f64::from(lows.into_iter().fold(f32::INFINITY, f32::min));
    numbers.max = f64::from(highs.into_iter().fold(f32::NEG_INFINITY, f32::max));
    numbers.squares = squares.into_iter().sum();
    numbers
}

fn f64_form(bytes: &[u8]) -> Numbers {
    let (elements, _) = bytes.as_chunks::<8>();
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    let odd = elements.iter().fold(0, |odd, raw| {
        odd | u64::from(u64::from_le_bytes(*raw) & EXPONENT == EXPONENT)
    });
    Numbers {
        count: elements.len() as u64,
        finite: odd == 0,
        ..Numbers::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn native(kind: Kind) -> Dtype {
        Dtype {
            kind,
            swapped: false,
        }
    }

    #[test]
    fn floats_of_every_width_give_the_same_statistics() {
        let values = [1.5_f32, -2.0, 0.25, 100.0];
        let expected = Numbers {
            count: 40,
            finite: true,
            min: -2.0,
            max: 100.0,
            squares: 100_063.125,
        };
        let all = || values.iter().copied().cycle().take(40);
        let swapped = Dtype {
            kind: Kind::F32,
            swapped: true,
        };
        let cases: [(Dtype, Vec<u8>); 5] = [
            (
                native(Kind::F32),
                all().flat_map(f32::to_le_bytes).collect(),
            ),
            (swapped, all().flat_map(f32::to_be_bytes).collect()),
            (
                native(Kind::F64),
                all().flat_map(|v| f64::from(v).to_le_bytes()).collect(),
            ),
            (
                native(Kind::F16),
                all().flat_map(|v| f16::from_f32(v).to_le_bytes()).collect(),
            ),
            (
                native(Kind::Bf16),
                all()
                    .flat_map(|v| bf16::from_f32(v).to_le_bytes())
                    .collect(),
            ),
        ];
        for (dtype, bytes) in cases {
            assert_eq!(dtype.numbers(&bytes, true), expected, "{dtype:?}");
            let form = dtype.numbers(&bytes, false);
            assert_eq!((form.count, form.finite), (40, true), "{dtype:?}");
        }
    }

    #[test]
    fn one_value_that_is_not_finite_is_seen_wherever_it_stands() {
        for at in 0..40 {
            for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                let mut values = [0.5_f32; 40];
                values[at] = odd;
                let bytes: Vec<u8> = values.into_iter().flat_map(f32::to_le_bytes).collect();
                let doubles: Vec<u8> = values
                    .into_iter()
                    .flat_map(|v| f64::from(v).to_le_bytes())
                    .collect();
                for values in [false, true] {
                    let found = native(Kind::F32).numbers(&bytes, values);
                    assert!(!found.finite && found.count == 40);
                    assert!(!native(Kind::F64).numbers(&doubles, values).finite);
                    assert!(!values || found.max == 0.5);
                }
            }
        }
    }

    #[test]
    fn whole_numbers_are_identifiers() {
        assert_eq!(native(Kind::I64).whole(&(-7_i64).to_le_bytes()), Some(-7));
        assert_eq!(native(Kind::I8).whole(&[0xff]), Some(-1));
        assert_eq!(
            native(Kind::U64).whole(&u64::MAX.to_le_bytes()),
            Some(i128::from(u64::MAX))
        );
        let swapped = Dtype {
            kind: Kind::I32,
            swapped: true,
        };
        assert_eq!(swapped.whole(&300_i32.to_be_bytes()), Some(300));
        assert_eq!(native(Kind::F32).whole(&[0; 4]), None);
    }
}
