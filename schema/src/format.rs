//! Numbers, units and dates for people, by language. Pure.

use crate::compare::{Unit, Value, word_id};
use crate::guidance::{Guidance, Language};

const KIB: f64 = 1024.0;

/// A number with at most `decimals` decimals: 1234.5 → `1,234.5` · `1.234,5` (de, tr). Trailing zeros are left out.
pub fn number(value: f64, decimals: usize, language: Language) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let text = format!("{value:.decimals$}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let (point, group) = match language {
        Language::English => ('.', ','),
        Language::German | Language::Turkish => (',', '.'),
    };
    let (sign, digits) = whole
        .strip_prefix('-')
        .map_or(("", whole), |digits| ("−", digits));
    let mut out = String::from(sign);
    for (at, digit) in digits.chars().enumerate() {
        // Four digits are read at a glance and stay together.
        if at > 0 && digits.len() > 4 && (digits.len() - at) % 3 == 0 {
            out.push(group);
        }
        out.push(digit);
    }
    let fraction = fraction.trim_end_matches('0');
    if !fraction.is_empty() {
        out.push(point);
        out.push_str(fraction);
    }
    out
}

/// 1023 → `1023 B`, 1024 → `1 KiB`, 85899345920 → `80 GiB`.
pub fn bytes(value: f64, language: Language) -> String {
    let mut amount = value;
    for unit in ["B", "KiB", "MiB", "GiB"] {
        if amount.abs() < KIB {
            return format!(
                "{}\u{a0}{unit}",
                number(amount, usize::from(unit != "B"), language)
            );
        }
        amount /= KIB;
    }
    format!("{}\u{a0}TiB", number(amount, 1, language))
}

/// 0.042 → `0.042 ms`, 61.25 → `61.3 ms`, 1281 → `1.28 s`, 125000 → `125 s`.
pub fn milliseconds(value: f64, language: Language) -> String {
    let size = value.abs();
    if size >= 1000.0 {
        let decimals = if size >= 100_000.0 { 0 } else { 2 };
        return format!("{}\u{a0}s", number(value / 1000.0, decimals, language));
    }
    let decimals = match size {
        size if size >= 100.0 => 0,
        size if size >= 1.0 => 1,
        _ => 3,
    };
    format!("{}\u{a0}ms", number(value, decimals, language))
}

/// `2026-11-30T03:28:00Z` → `30 November 2026, 03:28 UTC`; any other text stays as it is.
pub fn date(text: &str, words: &Guidance) -> String {
    let parsed = (|| {
        let (day, time) = text.split_once('T')?;
        let mut parts = day.splitn(3, '-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        let month: u8 = month
            .parse()
            .ok()
            .filter(|month| (1..=12).contains(month))?;
        let day: u8 = day.parse().ok().filter(|day| (1..=31).contains(day))?;
        let year: u16 = year.parse().ok()?;
        let minutes = time.get(..5)?;
        let clock = time.ends_with('Z') && minutes.as_bytes().get(2) == Some(&b':');
        clock.then_some((year, month, day, minutes))
    })();
    let Some((year, month, day, minutes)) = parsed else {
        return text.to_owned();
    };
    let month = words.text(&format!("month-{month}"));
    match words.language() {
        Language::German => format!("{day}. {month} {year}, {minutes} UTC"),
        Language::English | Language::Turkish => format!("{day} {month} {year}, {minutes} UTC"),
    }
}

/// A field's value in words.
pub fn value(value: &Value, unit: Unit, words: &Guidance) -> String {
    let language = words.language();
    match value {
        Value::Missing => words.text("value-missing"),
        Value::Truth(truth) => words.text(if *truth { "value-true" } else { "value-false" }),
        Value::Text(text) => text.clone(),
        Value::Word(prefix, name) => words.text(&word_id(prefix, name)),
        Value::Number(value) => match unit {
            Unit::Plain => number(*value, 4, language),
            Unit::Milliseconds => milliseconds(*value, language),
            Unit::Bytes => bytes(*value, language),
            Unit::PerSecond => format!("{}/s", number(*value, 1, language)),
        },
    }
}

/// A share in percent: 0.06 → `6 %`, 0.0123 → `1.2 %`.
pub fn share(value: f64, language: Language) -> String {
    let percent = value * 100.0;
    let text = number(percent, usize::from(percent.abs() < 10.0), language);
    match language {
        Language::Turkish => format!("%{text}"),
        Language::English | Language::German => format!("{text}\u{a0}%"),
    }
}

/// How much a number changed: `+12.5 %`, `−3 %`; none where the first is zero.
pub fn change(before: f64, after: f64, language: Language) -> Option<String> {
    if before == 0.0 || !before.is_finite() || !after.is_finite() {
        return None;
    }
    let percent = (after - before) / before.abs() * 100.0;
    let decimals = usize::from(percent.abs() < 100.0);
    let text = number(percent, decimals, language);
    let sign = if percent > 0.0 { "+" } else { "" };
    Some(match language {
        Language::Turkish => format!("{sign}%{text}").replace("%−", "−%"),
        Language::English | Language::German => format!("{sign}{text}\u{a0}%"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_language() {
        assert_eq!(number(1234.5, 1, Language::English), "1234.5");
        assert_eq!(number(12_345.5, 1, Language::English), "12,345.5");
        assert_eq!(number(12_345.5, 1, Language::German), "12.345,5");
        assert_eq!(number(-0.25, 2, Language::Turkish), "−0,25");
        assert_eq!(number(196.0, 4, Language::English), "196");
        assert_eq!(number(f64::NAN, 2, Language::English), "NaN");
    }

    #[test]
    fn bytes_change_unit_at_1024() {
        assert_eq!(bytes(1023.0, Language::English), "1023\u{a0}B");
        assert_eq!(bytes(1024.0, Language::English), "1\u{a0}KiB");
        assert_eq!(bytes(85_899_345_920.0, Language::English), "80\u{a0}GiB");
        assert_eq!(bytes(1_610_612_736.0, Language::German), "1,5\u{a0}GiB");
    }

    #[test]
    fn durations_keep_three_figures() {
        assert_eq!(milliseconds(0.042, Language::English), "0.042\u{a0}ms");
        assert_eq!(milliseconds(61.25, Language::English), "61.2\u{a0}ms");
        assert_eq!(milliseconds(1281.0, Language::German), "1,28\u{a0}s");
    }

    #[test]
    fn dates_are_written_out_and_other_text_stays() {
        let german = Guidance::new(Language::German);
        assert_eq!(
            date("2026-03-09T03:28:00Z", &german),
            "9. März 2026, 03:28 UTC"
        );
        let turkish = Guidance::new(Language::Turkish);
        assert_eq!(
            date("2026-11-30T03:28:00Z", &turkish),
            "30 Kasım 2026, 03:28 UTC"
        );
        assert_eq!(date("yesterday", &turkish), "yesterday");
        assert_eq!(
            date("2026-13-01T03:28:00Z", &turkish),
            "2026-13-01T03:28:00Z"
        );
    }

    #[test]
    fn a_change_carries_its_sign() {
        assert_eq!(
            change(100.0, 112.5, Language::English).unwrap(),
            "+12.5\u{a0}%"
        );
        assert_eq!(change(100.0, 97.0, Language::Turkish).unwrap(), "−%3");
        assert_eq!(change(0.0, 97.0, Language::Turkish), None);
    }
}
