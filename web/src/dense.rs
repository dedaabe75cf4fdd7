//! Bytes as printable characters: Joachim Henke's basE91, 23 % larger than the bytes where base64 is 33 %.
//!
//! Its `<` is `-` here, so that nothing in the text can begin a tag or a comment. `boot.js` reads it.

const ALPHABET: &[u8; 91] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&()*+,./:;-=>?@[]^_`{|}~\"";

/// `bytes` as text of the alphabet.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 16 / 13 + 2);
    let mut push = |value: usize| {
        text.push(char::from(ALPHABET[value % 91]));
        text.push(char::from(ALPHABET[value / 91]));
    };
    let (mut held, mut bits) = (0_usize, 0);
    for byte in bytes {
        held |= usize::from(*byte) << bits;
        bits += 8;
        if bits > 13 {
            // 91 x 91 pairs hold 13 bits and a little more: small values take 14.
            let width = if held & 0x1fff > 88 { 13 } else { 14 };
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
        let value = |at: u8| ALPHABET.iter().position(|known| *known == at).unwrap();
        let (mut held, mut bits, mut bytes) = (0_usize, 0, Vec::new());
        for pair in text.as_bytes().chunks(2) {
            let number = value(pair[0]) + value(pair[1]) * 91;
            held |= number << bits;
            bits += if number & 0x1fff > 88 { 13 } else { 14 };
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
