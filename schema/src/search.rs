//! Finds any of many words in a text, without regard to case, at more than the speed of a disk.
//!
//! Every word is known by four consecutive groups of four letters in its rarest part. A search looks at one
//! group in four, since a word can't stand in the text without one of its groups standing at such a place.

/// Letters in a group.
const GROUP: usize = 4;
/// Groups by which a word is known, and how far the search steps.
const STEP: usize = 4;
/// The shortest word that can be looked for.
pub(crate) const SHORTEST: usize = GROUP + STEP - 1;
const BUCKETS: usize = 1 << 16;

struct Place {
    group: u32,
    word: u16,
    /// Where in the word the group stands.
    offset: u16,
}

/// Words to look for.
pub(crate) struct Search {
    words: Vec<&'static str>,
    /// One bit a bucket: whether any place falls into it.
    taken: Vec<u64>,
    /// Places sorted by bucket, and where each bucket begins.
    places: Vec<Place>,
    begins: Vec<u16>,
}

fn fold(bytes: &[u8], at: usize) -> u32 {
    // The bit that tells letters of both cases apart is set in all bytes; words are compared for certain afterwards.
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) | 0x2020_2020
}

const fn bucket(group: u32) -> usize {
    (group.wrapping_mul(0x9e37_79b1) >> 16) as usize
}

impl Search {
    /// Takes lower-case words of at least [`SHORTEST`] bytes, each with the place of its rarest part.
    pub(crate) fn new(words: &[(&'static str, usize)]) -> Self {
        let mut places: Vec<Place> = Vec::with_capacity(words.len() * STEP);
        for (number, (word, rarest)) in words.iter().enumerate() {
            let rarest = (*rarest).min(word.len() - SHORTEST);
            for offset in rarest..rarest + STEP {
                let group = fold(word.as_bytes(), offset);
                places.push(Place {
                    group,
                    word: u16::try_from(number).unwrap_or(u16::MAX),
                    offset: u16::try_from(offset).unwrap_or(0),
                });
            }
        }
        places.sort_by_key(|place| bucket(place.group));
        let mut taken = vec![0_u64; BUCKETS / 64];
        let mut begins = vec![0_u16; BUCKETS + 1];
        for place in &places {
            let bucket = bucket(place.group);
            taken[bucket / 64] |= 1 << (bucket % 64);
            begins[bucket + 1] += 1;
        }
        for bucket in 0..BUCKETS {
            begins[bucket + 1] += begins[bucket];
        }
        Self {
            words: words.iter().map(|(word, _)| *word).collect(),
            taken,
            places,
            begins,
        }
    }

    /// Where the first of the words that comes up begins, at or after `from`.
    pub(crate) fn first(&self, text: &[u8], from: usize) -> Option<usize> {
        let mut first = None;
        self.walk(text, from, |at, _| {
            first = Some(at);
            false
        });
        first
    }

    /// All words in the text, by number; one may come more than once.
    pub(crate) fn all(&self, text: &[u8], mut found: impl FnMut(usize)) {
        self.walk(text, 0, |_, word| {
            found(word);
            true
        });
    }

    fn walk(&self, text: &[u8], from: usize, mut found: impl FnMut(usize, usize) -> bool) {
        let mut at = from;
        while at + GROUP <= text.len() {
            let group = fold(text, at);
            let bucket = bucket(group);
            if self.taken[bucket / 64] >> (bucket % 64) & 1 == 1 {
                let places = usize::from(self.begins[bucket])..usize::from(self.begins[bucket + 1]);
                for place in self.places[places]
                    .iter()
                    .filter(|place| place.group == group)
                {
                    let word = self.words[usize::from(place.word)].as_bytes();
                    let Some(begin) = at
                        .checked_sub(usize::from(place.offset))
                        .filter(|begin| *begin >= from)
                    else {
                        continue;
                    };
                    let stands = text
                        .get(begin..begin + word.len())
                        .is_some_and(|part| part.eq_ignore_ascii_case(word));
                    if stands && !found(begin, usize::from(place.word)) {
                        return;
                    }
                }
            }
            at += STEP;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_word_wherever_it_stands() {
        let words = [
            ("no kernel image", 3),
            ("shortest", 0),
            ("device-side", 4),
            ("kernel image is", 0),
        ];
        let search = Search::new(&words);
        for (number, (word, _)) in words.iter().enumerate() {
            for before in 0..9 {
                for after in 0..3 {
                    let text = format!(
                        "{}{}{}",
                        "x".repeat(before),
                        word.to_uppercase(),
                        "y".repeat(after)
                    );
                    let mut found = Vec::new();
                    search.all(text.as_bytes(), |word| found.push(word));
                    assert!(found.contains(&number), "{text}");
                    assert_eq!(search.first(text.as_bytes(), 0), Some(before), "{text}");
                }
            }
        }
        assert_eq!(search.first(b"nothing of the kind stands here", 0), None);
        assert_eq!(search.first(b"", 0), None);
        assert_eq!(search.first(b"shortest", 1), None);
    }
}
