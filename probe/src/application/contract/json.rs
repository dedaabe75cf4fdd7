//! One JSON record, read in a single pass without a tree: numbers go straight into statistics.
//!
//! Written for this one purpose because the field's parsers refuse the bare `NaN` and `Infinity` that Python writes,
//! and build or skip what is then read once more. Eight digits are taken at a time. Everything is checked but the
//! code points of escapes; values that nobody wants are checked for their form too.

use std::borrow::Cow;

use super::points::Word;
use super::record::{Numbers, Record, Vector, Wish, number_id};

/// Objects and arrays inside one another; Python's own limit is about 1000.
const MAX_DEPTH: u32 = 128;

/// Only the form is read: the numbers' count, and whether they are finite.
const FORM: u8 = 0;
/// Values are right to within two units in the last place.
const FAST: u8 = 1;
/// Values are the nearest double.
const EXACT: u8 = 2;

const POW10: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];
const POW10_WHOLE: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// Reads one record into `record`. What was found before a flaw stays in it.
///
/// # Errors
/// The first flaw.
pub(super) fn read<'a>(
    text: &'a [u8],
    wish: &Wish<'_>,
    record: &mut Record<'a>,
) -> Result<(), Word> {
    let mut scanner = Scanner { bytes: text, at: 0 };
    scanner.skip_space();
    if scanner.peek() != b'{' {
        scanner.value(0)?;
        return Err(Word::WrongType);
    }
    scanner.members(|scanner, key| scanner.wanted(&key.text(), wish, record))?;
    scanner.end()?;
    if wish.id.is_some() && record.id.is_none() {
        return Err(Word::NoId);
    }
    let complete = (wish.vector.is_none() || record.vector.is_some())
        && (wish.length.is_none() || record.length.is_some());
    if complete { Ok(()) } else { Err(Word::NoField) }
}

/// Reads a list of numbers, or one number.
///
/// # Errors
/// What is wrong with it.
pub(super) fn read_vector(text: &[u8], wish: &Wish<'_>) -> Result<Vector, Word> {
    let mut scanner = Scanner { bytes: text, at: 0 };
    scanner.skip_space();
    let vector = scanner.vector(wish)?;
    scanner.end()?;
    Ok(vector)
}

/// The number at the end of some steps through objects. The whole document has to be well formed.
///
/// # Errors
/// It isn't there, it is no number, or the document is not well formed.
pub(super) fn find_number(text: &[u8], steps: &[&str]) -> Result<f64, Word> {
    let mut scanner = Scanner { bytes: text, at: 0 };
    scanner.skip_space();
    if scanner.peek() != b'{' {
        scanner.value(0)?;
        scanner.end()?;
        return Err(Word::WrongType);
    }
    let mut found = None;
    scanner.step(steps, &mut found)?;
    scanner.end()?;
    found.unwrap_or(Err(Word::NoField))
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// The text between two quotation marks, as it stands there.
struct Raw<'a> {
    bytes: &'a [u8],
    escaped: bool,
}

impl<'a> Raw<'a> {
    fn text(&self) -> Cow<'a, [u8]> {
        if !self.escaped {
            return Cow::Borrowed(self.bytes);
        }
        let mut quoted = Vec::with_capacity(self.bytes.len() + 2);
        quoted.push(b'"');
        quoted.extend_from_slice(self.bytes);
        quoted.push(b'"');
        // Half of a surrogate pair is no text, and yet Python writes it: it stays as it stands.
        serde_json::from_slice::<String>(&quoted).map_or(Cow::Borrowed(self.bytes), |text| {
            Cow::Owned(text.into_bytes())
        })
    }
}

struct Number {
    value: f64,
    /// Whether `value` is the nearest double.
    exact: bool,
}

impl<'a> Scanner<'a> {
    #[inline(always)]
    fn peek(&self) -> u8 {
        // A zero byte is nowhere valid, so it can stand for the end.
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    #[inline(always)]
    fn skip_space(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r' | b'\n') {
            self.at += 1;
        }
    }

    /// What is wrong here: the end came too early, or another byte was expected.
    #[cold]
    fn flaw(&self) -> Word {
        if self.at >= self.bytes.len() {
            Word::Truncated
        } else {
            Word::WrongFormat
        }
    }

    fn end(&mut self) -> Result<(), Word> {
        self.skip_space();
        if self.at == self.bytes.len() {
            Ok(())
        } else {
            Err(Word::WrongFormat)
        }
    }

    #[inline(always)]
    fn expect(&mut self, byte: u8) -> Result<(), Word> {
        if self.peek() == byte {
            self.at += 1;
            Ok(())
        } else {
            Err(self.flaw())
        }
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Word> {
        let rest = &self.bytes[self.at..];
        if rest.starts_with(word) {
            self.at += word.len();
            Ok(())
        } else if word.starts_with(rest) {
            Err(Word::Truncated)
        } else {
            Err(Word::WrongFormat)
        }
    }

    /// The members of an object; `member` reads each value.
    fn members(
        &mut self,
        mut member: impl FnMut(&mut Self, &Raw<'a>) -> Result<(), Word>,
    ) -> Result<(), Word> {
        self.expect(b'{')?;
        self.skip_space();
        if self.peek() == b'}' {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.skip_space();
            let key = self.string()?;
            self.skip_space();
            self.expect(b':')?;
            self.skip_space();
            member(self, &key)?;
            self.skip_space();
            match self.peek() {
                b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(self.flaw()),
            }
        }
    }

    /// The elements of an array, and how many there are.
    fn elements(
        &mut self,
        mut element: impl FnMut(&mut Self) -> Result<(), Word>,
    ) -> Result<u64, Word> {
        self.expect(b'[')?;
        self.skip_space();
        if self.peek() == b']' {
            self.at += 1;
            return Ok(0);
        }
        let mut count = 0;
        loop {
            self.skip_space();
            element(self)?;
            count += 1;
            self.skip_space();
            match self.peek() {
                b',' => self.at += 1,
                b']' => {
                    self.at += 1;
                    return Ok(count);
                }
                _ => return Err(self.flaw()),
            }
        }
    }

    fn string(&mut self) -> Result<Raw<'a>, Word> {
        self.expect(b'"')?;
        let start = self.at;
        let mut escaped = false;
        loop {
            let rest = &self.bytes[self.at..];
            let Some(found) = memchr::memchr2(b'"', b'\\', rest) else {
                self.at = self.bytes.len();
                return Err(Word::Truncated);
            };
            self.at += found;
            if rest[found] == b'"' {
                let bytes = &self.bytes[start..self.at];
                self.at += 1;
                return Ok(Raw { bytes, escaped });
            }
            escaped = true;
            self.at += 1;
            if !matches!(
                self.peek(),
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' | b'u'
            ) {
                return Err(self.flaw());
            }
            self.at += 1;
        }
    }

    /// Any value, for its form alone.
    fn value(&mut self, depth: u32) -> Result<(), Word> {
        match self.peek() {
            b'{' if depth < MAX_DEPTH => self.members(|scanner, _| scanner.value(depth + 1)),
            b'[' if depth < MAX_DEPTH => self
                .elements(|scanner| scanner.value(depth + 1))
                .map(|_| ()),
            b'"' => self.string().map(|_| ()),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' | b'N' | b'I' | b'-' | b'0'..=b'9' => self.number::<FORM>().map(|_| ()),
            _ => Err(self.flaw()),
        }
    }

    /// Goes on to the first of `steps` inside this object.
    fn step(&mut self, steps: &[&str], found: &mut Option<Result<f64, Word>>) -> Result<(), Word> {
        let [first, rest @ ..] = steps else {
            return self.value(1);
        };
        self.members(|scanner, key| {
            if *key.text() != *first.as_bytes() {
                return scanner.value(2);
            }
            match scanner.peek() {
                b'{' if !rest.is_empty() => scanner.step(rest, found),
                b'n' | b'N' | b'I' | b'-' | b'0'..=b'9' if rest.is_empty() => {
                    let number = scanner.number::<EXACT>()?.value;
                    let twice = found.is_some();
                    *found = Some(if twice {
                        Err(Word::DuplicateKey)
                    } else {
                        Ok(number)
                    });
                    Ok(())
                }
                _ => {
                    *found = Some(Err(Word::WrongType));
                    scanner.value(2)
                }
            }
        })
    }

    /// A value of the record itself: what is wanted of it is taken, each from the same beginning.
    fn wanted(&mut self, key: &[u8], wish: &Wish<'_>, record: &mut Record<'a>) -> Result<(), Word> {
        let is = |wanted: Option<&str>| wanted.is_some_and(|wanted| wanted.as_bytes() == key);
        let start = self.at;
        let mut read = false;
        if is(wish.vector) {
            refuse_second(record.vector.is_some())?;
            record.vector = Some(self.vector(wish)?);
            read = true;
        }
        if is(wish.id) {
            refuse_second(record.id.is_some())?;
            self.at = start;
            record.id = Some(self.id()?);
            read = true;
        }
        if is(wish.length) {
            refuse_second(record.length.is_some())?;
            self.at = start;
            record.length = Some(self.length()?);
            read = true;
        }
        if read { Ok(()) } else { self.value(1) }
    }

    fn id(&mut self) -> Result<Cow<'a, [u8]>, Word> {
        match self.peek() {
            b'"' => {
                let text = self.string()?.text();
                if text.is_empty() {
                    Err(Word::NoId)
                } else {
                    Ok(text)
                }
            }
            b'-' | b'0'..=b'9' => {
                let start = self.at;
                self.number::<FORM>()?;
                let token = std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or_default();
                Ok(number_id(token))
            }
            b'n' => {
                self.word(b"null")?;
                Err(Word::NoId)
            }
            _ => {
                self.value(1)?;
                Err(Word::WrongType)
            }
        }
    }

    /// Characters of a text, elements of a list, or a number as it is.
    fn length(&mut self) -> Result<u64, Word> {
        match self.peek() {
            b'"' => {
                let text = self.string()?.text();
                // Continuation bytes are no characters of their own.
                Ok(text.iter().filter(|byte| **byte & 0xC0 != 0x80).count() as u64)
            }
            b'[' => self.elements(|scanner| scanner.value(2)),
            _ => {
                let start = self.at;
                self.value(1)?;
                let token = std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or_default();
                let text = number_id(token);
                std::str::from_utf8(&text)
                    .ok()
                    .and_then(|text| text.parse().ok())
                    .ok_or(Word::WrongType)
            }
        }
    }

    fn vector(&mut self, wish: &Wish<'_>) -> Result<Vector, Word> {
        match self.peek() {
            b'[' => {}
            b'n' => {
                self.word(b"null")?;
                return Ok(Vector::Null);
            }
            b'-' | b'0'..=b'9' | b'N' | b'I' => {
                let mut numbers = Numbers::NONE;
                numbers.add(self.number::<EXACT>()?.value);
                return Ok(Vector::Numbers(numbers));
            }
            _ => {
                self.value(1)?;
                return Err(Word::WrongType);
            }
        }
        if !wish.values {
            return Ok(Vector::Numbers(self.numbers::<FORM>()?.0));
        }
        let start = self.at;
        let (mut numbers, exact) = self.numbers::<FAST>()?;
        let near = |value: f64, border: Option<f64>| {
            border.is_some_and(|border| (value - border).abs() <= border.abs() * 1e-15)
        };
        if !exact && (near(numbers.min, wish.min) || near(numbers.max, wish.max)) {
            self.at = start;
            numbers = self.numbers::<EXACT>()?.0;
        }
        Ok(Vector::Numbers(numbers))
    }

    /// A list of numbers; also whether every value is the nearest double.
    fn numbers<const MODE: u8>(&mut self) -> Result<(Numbers, bool), Word> {
        let mut numbers = Numbers::NONE;
        let mut exact = true;
        self.expect(b'[')?;
        self.skip_space();
        if self.peek() == b']' {
            self.at += 1;
            return Ok((numbers, exact));
        }
        loop {
            let first = self.peek();
            if !(first.is_ascii_digit() || matches!(first, b'-' | b'n' | b'N' | b'I')) {
                if matches!(first, b'"' | b'[' | b'{' | b't' | b'f') {
                    self.value(2)?;
                    return Err(Word::WrongType);
                }
                return Err(self.flaw());
            }
            let number = self.number::<MODE>()?;
            numbers.count += 1;
            if number.value.is_finite() {
                if MODE != FORM {
                    exact &= number.exact;
                    numbers.min = if number.value < numbers.min {
                        number.value
                    } else {
                        numbers.min
                    };
                    numbers.max = if number.value > numbers.max {
                        number.value
                    } else {
                        numbers.max
                    };
                    numbers.squares += number.value * number.value;
                }
            } else {
                numbers.finite = false;
            }
            if self.peek() <= b' ' {
                self.skip_space();
            }
            match self.peek() {
                b',' => {
                    self.at += 1;
                    if self.peek() == b' ' {
                        self.at += 1;
                    }
                    if self.peek() <= b' ' {
                        self.skip_space();
                    }
                }
                b']' => {
                    self.at += 1;
                    return Ok((numbers, exact));
                }
                _ => return Err(self.flaw()),
            }
        }
    }

    /// A number, or a word that stands for one that is not finite.
    #[inline(always)]
    fn number<const MODE: u8>(&mut self) -> Result<Number, Word> {
        let start = self.at;
        let negative = self.peek() == b'-';
        self.at += usize::from(negative);
        let mut mantissa = 0;
        let whole_start = self.at;
        match self.peek() {
            b'0' => self.at += 1,
            b'1'..=b'9' => self.digits::<MODE>(&mut mantissa),
            _ => return self.no_number(negative),
        }
        let whole = self.at - whole_start;
        let mut fraction = 0;
        if self.peek() == b'.' {
            self.at += 1;
            let fraction_start = self.at;
            self.digits::<MODE>(&mut mantissa);
            fraction = self.at - fraction_start;
            if fraction == 0 {
                return Err(self.flaw());
            }
        }
        let exponent = self.peek() | 0x20 == b'e';
        if self.peek().is_ascii_digit() {
            // A zero before other digits.
            return Err(Word::WrongFormat);
        }
        // Nineteen digits fit into 64 bits.
        if exponent || whole + fraction > 19 && (MODE != FORM || whole > 300) {
            return self.long_number(start, exponent);
        }
        if MODE == FORM {
            return Ok(Number {
                value: 0.0,
                exact: true,
            });
        }
        let exact = mantissa <= 1 << 53;
        if MODE == EXACT && !exact {
            return self.long_number(start, false);
        }
        #[allow(clippy::cast_precision_loss, reason = "said by `exact`")]
        let value = mantissa as f64 / POW10[fraction];
        let value = if negative { -value } else { value };
        Ok(Number { value, exact })
    }

    /// `null`, `NaN` or `Infinity`.
    #[cold]
    fn no_number(&mut self, negative: bool) -> Result<Number, Word> {
        match self.peek() {
            b'n' if !negative => self.word(b"null")?,
            b'N' => self.word(b"NaN")?,
            b'I' => self.word(b"Infinity")?,
            _ => return Err(self.flaw()),
        }
        Ok(Number {
            value: f64::NAN,
            exact: true,
        })
    }

    #[cold]
    fn long_number(&mut self, start: usize, exponent: bool) -> Result<Number, Word> {
        if exponent {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), b'+' | b'-'));
            if !self.peek().is_ascii_digit() {
                return Err(self.flaw());
            }
            while self.peek().is_ascii_digit() {
                self.at += 1;
            }
        }
        let token = std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or_default();
        let value = token.parse().map_err(|_| Word::WrongFormat)?;
        Ok(Number { value, exact: true })
    }

    /// Digits, eight at a time; none is fine.
    #[inline(always)]
    fn digits<const MODE: u8>(&mut self, mantissa: &mut u64) {
        loop {
            let chunk = match self.bytes.get(self.at..self.at + 8) {
                Some(eight) => {
                    let mut chunk = [0; 8];
                    chunk.copy_from_slice(eight);
                    u64::from_le_bytes(chunk)
                }
                None => self.last_bytes(),
            };
            // Each byte becomes the digit's value; in what is no digit, the top bit gets set.
            let digits = chunk ^ 0x3030_3030_3030_3030;
            let others =
                (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080;
            if others == 0 {
                if MODE != FORM {
                    *mantissa = mantissa
                        .wrapping_mul(100_000_000)
                        .wrapping_add(eight_digits(digits));
                }
                self.at += 8;
                continue;
            }
            let count = others.trailing_zeros() as usize / 8;
            if MODE != FORM {
                // The first byte is the highest digit: shifted up, zeros come before it.
                let shifted = (digits << (56 - 8 * count)) << 8;
                *mantissa = mantissa
                    .wrapping_mul(POW10_WHOLE[count])
                    .wrapping_add(eight_digits(shifted));
            }
            self.at += count;
            return;
        }
    }

    #[cold]
    fn last_bytes(&self) -> u64 {
        let mut chunk = [0; 8];
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        chunk[..rest.len()].copy_from_slice(rest);
        u64::from_le_bytes(chunk)
    }
}

fn refuse_second(already: bool) -> Result<(), Word> {
    if already {
        Err(Word::DuplicateKey)
    } else {
        Ok(())
    }
}

/// Eight values below ten, the first of them in the lowest byte, as one number.
#[inline(always)]
const fn eight_digits(digits: u64) -> u64 {
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let even = (pairs & 0x0000_00FF_0000_00FF).wrapping_mul(0x000F_4240_0000_0064);
    let odd = ((pairs >> 16) & 0x0000_00FF_0000_00FF).wrapping_mul(0x0000_2710_0000_0001);
    even.wrapping_add(odd) >> 32
}
