use super::json::{read, read_vector};
use super::points::Word;
use super::record::{Numbers, Record, Vector, Wish};

fn wish() -> Wish<'static> {
    Wish {
        id: Some("id"),
        vector: Some("v"),
        values: true,
        ..Wish::default()
    }
}

fn numbers(text: &str, wish: &Wish<'_>) -> Result<Numbers, Word> {
    match read_vector(text.as_bytes(), wish)? {
        Vector::Numbers(numbers) => Ok(numbers),
        Vector::Null => Err(Word::NotFinite),
    }
}

#[test]
fn a_record_gives_its_identifier_and_its_numbers() {
    let line = br#" {"text":"a \"b\"","n":{"x":[1,null]},"id":"doc-1","v":[1, -0.5,2e1 , 0]} "#;
    let mut record = Record::default();
    assert_eq!(read(line, &wish(), &mut record), Ok(()));
    assert_eq!(record.id.as_deref(), Some(&b"doc-1"[..]));
    let expected = Numbers {
        count: 4,
        finite: true,
        min: -0.5,
        max: 20.0,
        squares: 401.25,
    };
    assert_eq!(record.vector, Some(Vector::Numbers(expected)));
}

#[test]
fn identifiers_are_compared_as_text() {
    for (line, id) in [
        (r#"{"id":"a\u00e9\n"}"#, "aé\n"),
        (r#"{"id":7}"#, "7"),
        (r#"{"id":7.0}"#, "7"),
        (r#"{"\u0069d":"x"}"#, "x"),
        (r#"{"id":"\ud800"}"#, r"\ud800"),
    ] {
        let wish = Wish {
            id: Some("id"),
            ..Wish::default()
        };
        let mut record = Record::default();
        assert_eq!(read(line.as_bytes(), &wish, &mut record), Ok(()), "{line}");
        assert_eq!(record.id.as_deref(), Some(id.as_bytes()), "{line}");
    }
}

#[test]
fn bare_words_and_null_are_not_finite_and_never_malformed() {
    for values in [true, false] {
        let wish = Wish {
            values,
            ..Wish::default()
        };
        for text in [
            "[1,NaN]",
            "[Infinity , 1]",
            "[1, -Infinity]",
            "[null]",
            "[1e999]",
            "[-1E+400,2]",
            "NaN",
            "-Infinity",
        ] {
            assert_eq!(
                numbers(text, &wish).map(|found| found.finite),
                Ok(false),
                "{text}"
            );
        }
        let huge = format!("[{}]", "9".repeat(400));
        assert_eq!(numbers(&huge, &wish).map(|found| found.finite), Ok(false));
        for text in ["[1,2]", "[]", "[1e308]", "[0.1e-999]", "3"] {
            assert_eq!(
                numbers(text, &wish).map(|found| found.finite),
                Ok(true),
                "{text}"
            );
        }
    }
    assert_eq!(read_vector(b"null", &wish()), Ok(Vector::Null));
}

#[test]
fn every_flaw_has_its_word() {
    for (line, flaw) in [
        ("", Word::Truncated),
        ("{", Word::Truncated),
        (r#"{"id":"a","v":[1,2"#, Word::Truncated),
        (r#"{"id":"a","v":[1,2."#, Word::Truncated),
        (r#"{"id":"a","v":[1,2]"#, Word::Truncated),
        (r#"{"id":"a"#, Word::Truncated),
        (r#"{"id":"a","v":nul"#, Word::Truncated),
        (r#"{"id":"a","v":[1,,2]}"#, Word::WrongFormat),
        (r#"{"id":"a","v":[1 2]}"#, Word::WrongFormat),
        (r#"{"id":"a","v":[1,]}"#, Word::WrongFormat),
        (r#"{"id":"a","v":[01]}"#, Word::WrongFormat),
        (r#"{"id":"a","v":[+1]}"#, Word::WrongFormat),
        (r#"{"id":"a","v":[1.]}"#, Word::WrongFormat),
        (r#"{"id":"a","v":[1e]}"#, Word::WrongFormat),
        (r#"{"id":"a","v":[--1]}"#, Word::WrongFormat),
        (r#"{"id":"a","v":[1]} x"#, Word::WrongFormat),
        (r#"{"id":"a","v":[1],"n":01}"#, Word::WrongFormat),
        (r#"{"id":"a","v":[1],"n":tru}"#, Word::WrongFormat),
        (r#"{"id":"a","v":[1],"n":"\x"}"#, Word::WrongFormat),
        (r#"{'id':"a"}"#, Word::WrongFormat),
        ("[1,2]", Word::WrongType),
        (r#"{"id":"a","v":"1,2"}"#, Word::WrongType),
        (r#"{"id":"a","v":[true]}"#, Word::WrongType),
        (r#"{"id":"a","v":[[1],[2]]}"#, Word::WrongType),
        (r#"{"id":["a"],"v":[1]}"#, Word::WrongType),
        (r#"{"v":[1]}"#, Word::NoId),
        (r#"{"id":null,"v":[1]}"#, Word::NoId),
        (r#"{"id":"","v":[1]}"#, Word::NoId),
        (r#"{"id":"a"}"#, Word::NoField),
        (r#"{"id":"a","id":"a","v":[1]}"#, Word::DuplicateKey),
        (r#"{"id":"a","v":[1],"v":[1]}"#, Word::DuplicateKey),
    ] {
        let mut record = Record::default();
        assert_eq!(
            read(line.as_bytes(), &wish(), &mut record),
            Err(flaw),
            "{line}"
        );
    }
    let deep = format!(r#"{{"n":{}"#, "[".repeat(100_000));
    let mut record = Record::default();
    assert_eq!(
        read(deep.as_bytes(), &wish(), &mut record),
        Err(Word::WrongFormat)
    );
}

#[test]
fn values_are_the_nearest_double_wherever_it_matters() {
    // Many digits, small numbers, long integers, and lengths around every eighth byte.
    let mut tokens: Vec<String> = [
        "0.04328524321317673",
        "-0.00012345678901234567",
        "1234567890123456789012345",
        "0.000000000000000000000000123",
        "9007199254740993",
        "1.7976931348623157e308",
        "5e-324",
        "123456789.123456789",
    ]
    .map(str::to_owned)
    .to_vec();
    for length in 1..30 {
        tokens.push(format!("0.{}", &"123456789012345678901234567890"[..length]));
        tokens.push(format!(
            "-{}.5",
            &"123456789012345678901234567890"[..length]
        ));
    }
    for token in tokens {
        let value: f64 = token.parse().unwrap();
        let fast = numbers(&format!("[{token}]"), &wish()).unwrap();
        assert!(
            (fast.min - value).abs() <= value.abs() * 1e-15,
            "{token}: {}",
            fast.min
        );
        let near = Wish {
            min: Some(value),
            ..wish()
        };
        let exact = numbers(&format!("[{token}]"), &near).unwrap();
        assert_eq!(exact.min.to_bits(), value.to_bits(), "{token}");
    }
}

#[test]
fn lengths_are_characters_elements_or_the_number_itself() {
    for (value, length) in [
        (r#""Grüße""#, Ok(5)),
        (r#""a\u00fcb""#, Ok(3)),
        ("[1,[2,3],\"x\"]", Ok(3)),
        ("[]", Ok(0)),
        ("512", Ok(512)),
        ("512.0", Ok(512)),
        ("-1", Err(Word::WrongType)),
        ("null", Err(Word::WrongType)),
        ("{}", Err(Word::WrongType)),
    ] {
        let wish = Wish {
            length: Some("text"),
            ..Wish::default()
        };
        let line = format!(r#"{{"text":{value}}}"#);
        let mut record = Record::default();
        let found = read(line.as_bytes(), &wish, &mut record);
        assert_eq!(found.map(|()| record.length.unwrap()), length, "{value}");
    }
}
