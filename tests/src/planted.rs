//! Unusual words that are planted everywhere, to be looked for where they must not be.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// A small generator of random numbers: the same seed plants the same words, so that a failure can be had again.
pub struct Planted {
    state: u64,
    atoms: Vec<String>,
}

impl Planted {
    /// Nothing planted yet.
    pub fn new(seed: u64) -> Self {
        Self {
            state: seed ^ 0x9e37_79b9_7f4a_7c15,
            atoms: Vec::new(),
        }
    }

    fn random(&mut self) -> u64 {
        // SplitMix64.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// One of `choices`.
    pub fn one<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.random() % limit as u64).unwrap()
    }

    fn letters(&mut self, alphabet: &str, count: usize) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        let atom: String = (0..count)
            .map(|_| alphabet[self.below(alphabet.len())])
            .collect();
        self.atoms.push(atom.clone());
        atom
    }

    /// A word that no language has.
    pub fn word(&mut self) -> String {
        self.letters("bcdfghjkqvwxz", 10)
    }

    /// The same in capitals, as a variable or a constant is called.
    pub fn capitals(&mut self) -> String {
        self.letters("BCDFGHJKQVWXZ", 10)
    }

    /// A word with capitals and digits, as a product or a host is called.
    pub fn mixed(&mut self) -> String {
        self.letters("BCDFGHJKQVWXZbcdfghjkqvwxz23456789", 12)
    }

    /// A word beyond ASCII.
    pub fn foreign(&mut self) -> String {
        self.letters("ğışçöüñøłžжщыяλψש漢字ﬀ", 8)
    }

    /// A long number.
    pub fn number(&mut self) -> String {
        self.letters("23456789", 9)
    }

    /// A long number in hexadecimal digits.
    pub fn hexadecimal(&mut self) -> String {
        self.letters("0123456789abcdef", 32)
    }

    /// Something that has a form, as secrets, addresses and paths have.
    pub fn formed(&mut self) -> String {
        let (a, b, c) = (self.word(), self.mixed(), self.number());
        match self.below(14) {
            0 => format!("/home/{a}/{b}/model.bin"),
            1 => format!("C:\\Users\\{a}\\{b}"),
            2 => format!("{a}@{b}.example"),
            3 => format!("https://{a}.example/{b}?token={c}"),
            4 => format!("sk-{b}{a}"),
            5 => self.hexadecimal(),
            6 => format!("{}={b}", self.capitals()),
            7 => format!("lib{a}.so.3"),
            8 => format!("'{a}' and \"{b}\"\n{c}"),
            9 => self.foreign(),
            10 => format!("cuda:{a} device {c}"),
            11 => format!("torch.{a}.{b}"),
            12 => format!("RuntimeError: {a}: CUDA out of memory on {b}"),
            _ => format!("{a} {b} {c}"),
        }
    }

    /// Which of the planted words `text` holds, as they are or in another writing.
    pub fn found_in(&self, text: &str) -> Vec<&str> {
        let lower = text.to_lowercase();
        self.atoms
            .iter()
            .filter(|atom| {
                lower.contains(&atom.to_lowercase())
                    || lower.contains(&percent(atom).to_lowercase())
                    || escaped(atom).is_some_and(|escaped| lower.contains(&escaped))
                    || base64(atom).iter().any(|piece| text.contains(piece))
            })
            .map(String::as_str)
            .collect()
    }
}

/// As in an address.
fn percent(atom: &str) -> String {
    atom.bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

/// As JSON may write what is not ASCII, in lower case; none for what is.
fn escaped(atom: &str) -> Option<String> {
    (!atom.is_ascii()).then(|| {
        atom.encode_utf16()
            .map(|unit| format!("\\u{unit:04x}"))
            .collect()
    })
}

/// As base64 has it inside a longer text, whatever stands before it.
fn base64(atom: &str) -> [String; 3] {
    [0, 1, 2].map(|offset| {
        let bytes = [&b"xx"[..offset], atom.as_bytes()].concat();
        let text = STANDARD_NO_PAD.encode(bytes);
        // The first and the last letters depend on what stands beside the word.
        text[[0, 2, 3][offset]..text.len() - 1].to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_planted_word_is_found_in_every_writing() {
        for seed in 0..50 {
            let mut planted = Planted::new(seed);
            let word = planted.word();
            let foreign = planted.foreign();
            for text in [
                format!("x{word}y"),
                word.to_uppercase(),
                foreign.clone(),
                percent(&foreign),
                escaped(&foreign).unwrap(),
                STANDARD_NO_PAD.encode(format!("/{word}/")),
                STANDARD_NO_PAD.encode(format!("ab{word}")),
                STANDARD_NO_PAD.encode(format!("abc{foreign}abc")),
            ] {
                assert!(!planted.found_in(&text).is_empty(), "{seed}: {text}");
            }
            assert!(planted.found_in("nothing of it").is_empty());
        }
    }
}
