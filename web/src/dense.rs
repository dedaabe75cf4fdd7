//! Bytes as printable characters, after Joachim Henke's basE91: 22 % larger than the bytes where base64 is 33 %.
//!
//! Every printable ASCII character is used but `<`, so that nothing in the text can begin a tag or a comment.
//! `boot.js` reads it.

/// Characters of the alphabet: from the space to `~`, without `<`.
const CHARACTERS: usize = 94;
/// Pairs of characters beyond those that 13 bits need: that many small values take a fourteenth bit.
const SMALL: usize = CHARACTERS * CHARACTERS - (1 << 13);

/// The character of a value below [`CHARACTERS`].
#[allow(
    clippy::cast_possible_truncation,
    reason = "a value has at most 7 bits"
)]
fn character(value: usize) -> char {
    let character = b' ' + (value % CHARACTERS) as u8;
    char::from(character + u8::from(character >= b'<'))
}

/// `bytes` as text of the alphabet.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 16 / 13 + 2);
    let mut push = |value: usize| {
        text.push(character(value % CHARACTERS));
        text.push(character(value / CHARACTERS));
    };
    let (mut held, mut bits) = (0_usize, 0);
    for byte in bytes {
        held |= usize::from(*byte) << bits;
        bits += 8;
        if bits > 13 {
            let width = if held & 0x1fff >= SMALL { 13 } else { 14 };
            push(held & ((1 << width) - 1));
            held >>= width;
            bits -= width;
        }
    }
    if bits > 0 {
        push(held);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `boot.js` does, with the same steps.
    fn decode(text: &str) -> Vec<u8> {
        let value = |at: u8| usize::from(at - b' ' - u8::from(at > b'<'));
        let (mut held, mut bits, mut bytes) = (0_usize, 0, Vec::new());
        for pair in text.as_bytes().chunks(2) {
            let number = value(pair[0]) + value(pair[1]) * CHARACTERS;
            held |= number << bits;
            bits += if number & 0x1fff >= SMALL { 13 } else { 14 };
            while bits > 7 {
                bytes.push(u8::try_from(held & 255).unwrap());
                held >>= 8;
                bits -= 8;
            }
        }
        bytes
    }

    #[test]
    fn every_byte_comes_back_and_no_tag_can_begin() {
        for length in [0, 1, 2, 3, 255, 4096] {
            let bytes: Vec<u8> = (0..length)
                .map(|at: u32| (at.wrapping_mul(2_654_435_761) >> 13) as u8)
                .collect();
            let text = encode(&bytes);
            // A last pair may bring bits of nothing; they are fewer than a byte, or zero.
            assert_eq!(&decode(&text)[..bytes.len()], bytes);
            assert!(!text.contains('<') && text.is_ascii());
        }
        assert_eq!(decode(&encode(&[0; 300]))[..300], [0; 300]);
    }
}
