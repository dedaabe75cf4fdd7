//! Three moments of outputs, in every format.

use std::fs;
use std::path::Path;

use super::compare::{Compared, Moments, is_close};
use super::text::Contract;

const CONTRACT: &str = r#"
    [[output]]
    path = "out.jsonl"
    id = "id"
"#;

/// The files of three moments, written by `write` into the folder of each.
fn compared(contract: &str, write: impl Fn(&Path, usize)) -> Compared {
    let scene = tempfile::tempdir().unwrap();
    let folders = ["reference", "before", "after"].map(|name| scene.path().join(name));
    for (moment, folder) in folders.iter().enumerate() {
        fs::create_dir(folder).unwrap();
        write(folder, moment);
    }
    let moments = Moments {
        reference: &folders[0],
        before: &folders[1],
        after: &folders[2],
    };
    let contract = Contract::from_toml(contract).unwrap();
    contract.compare(&moments, 1e-5, &[], &|| false)
}

fn of_texts(contract: &str, name: &str, texts: [&str; 3]) -> Compared {
    compared(contract, |folder, moment| {
        fs::write(folder.join(name), texts[moment]).unwrap();
    })
}

fn counts(found: &Compared) -> [u64; 5] {
    [
        found.lost,
        found.repeated,
        found.changed,
        found.different,
        found.unknown,
    ]
}

fn line(id: &str, value: &str) -> String {
    format!("{{\"id\": \"{id}\", \"v\": [{value}], \"word\": \"x\"}}\n")
}

#[test]
fn a_clean_continuation_breaks_nothing() {
    let [a, b, c] = [("a", "1.5"), ("b", "NaN"), ("c", "3")].map(|(id, value)| line(id, value));
    let reference = format!("{a}{b}{c}");
    // A torn line at the stop is no output; the order does not matter; what is written later may differ a little.
    let before = format!("{b}{}", &a[..a.len() - 1]);
    let after = format!("{b}{}{}", line("c", "3.000001"), line("a", "1.5"));
    let found = of_texts(CONTRACT, "out.jsonl", [&reference, &before, &after]);
    assert_eq!((found.reference, found.before, found.after), (3, 1, 3));
    assert_eq!(counts(&found), [0; 5]);
    assert_eq!(found.examples, Vec::<String>::new());
}

#[test]
fn each_way_to_break_it_is_counted_for_itself() {
    let [a, b, c] = [("a", "1"), ("b", "2"), ("c", "3")].map(|(id, value)| line(id, value));
    let reference = format!("{a}{b}{c}");
    let before = format!("{a}{b}");
    for (after, expected, example) in [
        (format!("{a}{c}"), [1, 0, 0, 0, 0], "b"),
        (format!("{a}{b}{b}{c}"), [0, 1, 0, 0, 0], "b"),
        (
            // The same number in another spelling is another output.
            format!("{}{b}{c}", line("a", "1.0")),
            [0, 0, 1, 0, 0],
            "a",
        ),
        (format!("{a}{b}{}", line("c", "3.1")), [0, 0, 0, 1, 0], "c"),
        (
            format!("{a}{b}{}", c.replace("\"x\"", "\"y\"")),
            [0, 0, 0, 1, 0],
            "c",
        ),
        (format!("{a}{b}{c}{}", line("d", "4")), [0, 0, 0, 0, 1], "d"),
    ] {
        let found = of_texts(CONTRACT, "out.jsonl", [&reference, &before, &after]);
        assert_eq!(counts(&found), expected, "{after}");
        assert_eq!(found.examples, [example], "{after}");
    }
}

#[test]
fn what_was_there_at_the_stop_is_held_against_the_reference_too() {
    let [a, b, c] = [("a", "1"), ("b", "2"), ("c", "3")].map(|(id, value)| line(id, value));
    let reference = format!("{a}{b}{c}");
    // Stopped in the middle of its work, the command wrote down what it had not computed.
    let before = format!("{a}{}", line("b", "0"));
    let after = format!("{before}{c}");
    let found = of_texts(CONTRACT, "out.jsonl", [&reference, &before, &after]);
    assert_eq!(counts(&found), [0, 0, 0, 1, 0]);
    assert_eq!(found.examples, ["b"]);
}

#[test]
fn of_equal_identifiers_each_record_counts_for_itself() {
    let [one, other] = ["1", "2"].map(|value| line("a", value));
    let reference = format!("{one}{other}");
    let found = of_texts(
        CONTRACT,
        "out.jsonl",
        [&reference, "", &format!("{one}{one}")],
    );
    assert_eq!(counts(&found), [0, 0, 0, 1, 0]);
    let found = of_texts(
        CONTRACT,
        "out.jsonl",
        [&reference, "", &format!("{other}{one}")],
    );
    assert_eq!(counts(&found), [0; 5]);
}

#[test]
fn without_identifiers_the_place_counts() {
    let contract = "[[output]]\npath = \"out.csv\"\nvector = \"v\"";
    let reference = "v,note\n1,x\n2,x\n3,x\n";
    let found = of_texts(
        contract,
        "out.csv",
        [reference, "v,note\n1,x\n2", reference],
    );
    assert_eq!((found.before, counts(&found)), (1, [0; 5]));
    let found = of_texts(
        contract,
        "out.csv",
        [reference, "v,note\n1,x\n", "v,note\n1,x\n2.5,x\n"],
    );
    assert_eq!(counts(&found), [1, 0, 0, 1, 0]);
    assert_eq!(found.examples, ["#3", "#2"]);
}

/// A `.npy` file of rows of two 32-bit floats.
fn npy(rows: &[[f32; 2]], fortran: bool) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let text = format!(
        "{{'descr': '<f4', 'fortran_order': {order}, 'shape': ({}, 2), }}\n",
        rows.len()
    );
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
    bytes.extend(text.as_bytes());
    if fortran {
        for column in 0..2 {
            bytes.extend(rows.iter().flat_map(|row| row[column].to_le_bytes()));
        }
    } else {
        bytes.extend(rows.iter().flatten().flat_map(|value| value.to_le_bytes()));
    }
    bytes
}

#[test]
fn rows_of_arrays_are_outputs_and_a_torn_file_holds_none() {
    let contract = "[[output]]\npath = \"out.npy\"";
    let reference = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
    let mut other = reference;
    other[2][1] = 6.5;
    for fortran in [false, true] {
        let found = compared(contract, |folder, moment| {
            let bytes = match moment {
                0 => npy(&reference, fortran),
                1 => npy(&reference, fortran)[..90].to_vec(),
                _ => npy(&other, fortran),
            };
            fs::write(folder.join("out.npy"), bytes).unwrap();
        });
        assert_eq!((found.before, found.after), (0, 3));
        assert_eq!(counts(&found), [0, 0, 0, 1, 0], "fortran: {fortran}");
        assert_eq!(found.examples, ["#3"]);
    }
}

#[test]
fn tolerance_counts_absolutely_and_relatively() {
    for (reference, other, close) in [
        (0.0, 0.000_009, true),
        (0.0, 0.000_02, false),
        (1e6, 1e6 + 9.0, true),
        (1e6, 1e6 + 20.0, false),
        (f64::NAN, f64::NAN, true),
        (1.0, f64::NAN, false),
        (f64::INFINITY, f64::INFINITY, true),
        (f64::INFINITY, f64::NEG_INFINITY, false),
    ] {
        assert_eq!(
            is_close(reference, other, 1e-5),
            close,
            "{reference} {other}"
        );
    }
}
