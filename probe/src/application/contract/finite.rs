//! Whether the numbers of a tensor are finite, told from their bits while its bytes go by.

/// How floating-point numbers lie in bytes, the little end first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Float {
    F64,
    F32,
    F16,
    Bf16,
    /// Five bits of exponent: infinities and NaN as in wider formats.
    F8E5M2,
    /// Four bits of exponent, no infinity, and one pattern that is NaN.
    F8E4M3,
}

/// What stands in a tensor beside finite numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Unfit {
    pub(super) nan: bool,
    pub(super) infinite: bool,
}

impl Float {
    /// Looks through whole numbers.
    pub(super) fn look(self, bytes: &[u8], unfit: &mut Unfit) {
        match self {
            Self::F64 => look(bytes, unfit, 0x7ff0_0000_0000_0000, u64::from_le_bytes),
            Self::F32 => look(bytes, unfit, 0x7f80_0000, u32::from_le_bytes),
            Self::F16 => look(bytes, unfit, 0x7c00, u16::from_le_bytes),
            Self::Bf16 => look(bytes, unfit, 0x7f80, u16::from_le_bytes),
            Self::F8E5M2 => look(bytes, unfit, 0x7c, u8::from_le_bytes),
            Self::F8E4M3 => {
                let nan = |any, byte: &u8| any | (byte & 0x7f == 0x7f);
                unfit.nan |= bytes.iter().fold(false, nan);
            }
        }
    }
}

/// `exponent` is the mask of its bits: all of them are set in an infinity and in NaN, which has a fraction too.
fn look<const WIDTH: usize, T>(
    bytes: &[u8],
    unfit: &mut Unfit,
    exponent: T,
    read: impl Fn([u8; WIDTH]) -> T,
) where
    T: Copy + PartialEq + std::ops::BitAnd<Output = T> + std::ops::Shl<u32, Output = T>,
{
    let (numbers, _) = bytes.as_chunks::<WIDTH>();
    // Without a branch, so that many numbers are looked at together.
    let any = numbers.iter().fold(false, |any, number| {
        any | (read(*number) & exponent == exponent)
    });
    if !any {
        return;
    }
    for number in numbers {
        let number = read(*number);
        if number & exponent == exponent {
            // Without its sign, an infinity is the exponent alone.
            let infinite = number << 1 == exponent << 1;
            unfit.infinite |= infinite;
            unfit.nan |= !infinite;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_seen(float: Float, numbers: &[&[u8]], nan: bool, infinite: bool) {
        let mut unfit = Unfit::default();
        float.look(&numbers.concat(), &mut unfit);
        assert_eq!(unfit, Unfit { nan, infinite }, "{float:?} {numbers:?}");
    }

    #[test]
    fn nan_and_infinity_are_told_in_every_width() {
        for value in [0.0, -1.5, f64::MAX, f64::MIN_POSITIVE / 4.0] {
            assert_seen(Float::F64, &[&value.to_le_bytes()], false, false);
        }
        assert_seen(
            Float::F64,
            &[&1_f64.to_le_bytes(), &f64::NAN.to_le_bytes()],
            true,
            false,
        );
        assert_seen(Float::F64, &[&f64::NEG_INFINITY.to_le_bytes()], false, true);
        assert_seen(Float::F32, &[&f32::MAX.to_le_bytes()], false, false);
        let both: [&[u8]; 2] = [&f32::INFINITY.to_le_bytes(), &(-f32::NAN).to_le_bytes()];
        assert_seen(Float::F32, &both, true, true);
        for (float, most, infinity, nan) in [
            (Float::F16, 0x7bff_u16, 0xfc00_u16, 0x7e00_u16),
            (Float::Bf16, 0xff7f, 0x7f80, 0xffc0),
        ] {
            assert_seen(float, &[&most.to_le_bytes()], false, false);
            assert_seen(float, &[&infinity.to_le_bytes()], false, true);
            assert_seen(float, &[&nan.to_le_bytes()], true, false);
        }
        assert_seen(Float::F8E5M2, &[&[0x7b, 0xfb]], false, false);
        assert_seen(Float::F8E5M2, &[&[0xfc]], false, true);
        assert_seen(Float::F8E5M2, &[&[0x7d]], true, false);
        assert_seen(Float::F8E4M3, &[&[0x7e, 0xfe]], false, false);
        assert_seen(Float::F8E4M3, &[&[0xff]], true, false);
    }
}
