//! Text from elsewhere, made harmless to look at: what is invisible or changes the order of reading is shown by name.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character can't be seen, or moves, hides or restyles what stands around it.
pub const fn is_hidden(character: char) -> bool {
    matches!(character,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// `text` with every hidden character shown: the C0 controls and DEL as their pictures (`␛`), others as `⟨U+202E⟩`.
///
/// Line breaks and tabs are shown too; use [`visible_lines`] where they may stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    show(text, |_| false)
}

/// Like [`visible`], but line feeds and tabs stay what they are.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    show(text, |character| matches!(character, '\n' | '\t'))
}

fn show(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text
        .chars()
        .any(|character| is_hidden(character) && !keep(character))
    {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            kept if keep(kept) || !is_hidden(kept) => shown.push(kept),
            control @ '\0'..='\u{1f}' => shown.extend(char::from_u32(0x2400 + control as u32)),
            '\u{7f}' => shown.push('\u{2421}'),
            other => {
                // Writing to a String can't fail.
                let _ = write!(shown, "⟨U+{:04X}⟩", other as u32);
            }
        }
    }
    Cow::Owned(shown)
}

/// The first `most` characters of `text`, and whether anything was left out.
pub fn shortened(text: &str, most: usize) -> (&str, bool) {
    match text.char_indices().nth(most) {
        Some((at, _)) => (&text[..at], true),
        None => (text, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_stays_and_is_not_copied() {
        assert!(matches!(
            visible("Grüße, İstanbul, 你好 🎉"),
            Cow::Borrowed(_)
        ));
    }

    #[test]
    fn escapes_and_marks_of_direction_are_shown() {
        assert_eq!(visible("a\u{1b}[31mb"), "a␛[31mb");
        assert_eq!(visible("\u{202e}gpj.exe"), "⟨U+202E⟩gpj.exe");
        assert_eq!(visible("a\nb"), "a␊b");
        assert_eq!(visible_lines("a\nb\r"), "a\nb␍");
        assert_eq!(visible("\u{9b}\u{7f}\u{feff}"), "⟨U+009B⟩␡⟨U+FEFF⟩");
    }

    #[test]
    fn shortening_counts_characters() {
        assert_eq!(shortened("ıiİ", 2), ("ıi", true));
        assert_eq!(shortened("ıi", 2), ("ıi", false));
    }
}
