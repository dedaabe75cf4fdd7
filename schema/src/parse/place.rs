//! Which field of a JSON text lies at a line and column: an error of serde_json tells only where it was.
//!
//! Tracking the path while reading costs a copy of every reading function; this walks the text once, after a failure.

/// The part of a path that a container is in.
enum Step {
    /// In an object: the key last read; none before the first.
    Key(Option<String>),
    /// In an array: the index of the current element.
    Index(usize),
}

/// The path of the value that was being read at `line` and `column`, both from 1 and in bytes, for example
/// `decisions[2].outcome`; `.` for the whole text. With `container`, the path of what holds that value.
pub(super) fn field_at(text: &str, line: usize, column: usize, container: bool) -> String {
    let mut steps = walk(read_until(text, line, column));
    if container {
        steps.pop();
    }
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Index(at) => path.push_str(&format!("[{at}]")),
            Step::Key(Some(key)) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&key);
            }
            Step::Key(None) => {}
        }
    }
    if path.is_empty() {
        ".".to_owned()
    } else {
        path
    }
}

/// What had been read: all before that place, and no comma after the value in question.
fn read_until(text: &str, line: usize, column: usize) -> &str {
    let start = match line.checked_sub(2) {
        None => 0,
        Some(nth) => text
            .match_indices('\n')
            .nth(nth)
            .map_or(text.len(), |(at, _)| at + 1),
    };
    let mut end = (start + column).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].trim_end_matches(',')
}

fn walk(text: &str) -> Vec<Step> {
    let bytes = text.as_bytes();
    let mut steps = Vec::new();
    let mut awaits_key = false;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'{' => {
                steps.push(Step::Key(None));
                awaits_key = true;
            }
            b'[' => {
                steps.push(Step::Index(0));
                awaits_key = false;
            }
            // The last closing bracket belongs to the value in question, which is still the current one.
            b'}' | b']' => {
                steps.pop();
            }
            b',' => match steps.last_mut() {
                Some(Step::Index(index)) => *index += 1,
                Some(Step::Key(_)) => awaits_key = true,
                None => {}
            },
            b'"' => {
                let end = string_end(bytes, at);
                if awaits_key && let Some(Step::Key(key)) = steps.last_mut() {
                    *key = Some(serde_json::from_str(&text[at..end]).unwrap_or_default());
                    awaits_key = false;
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    steps
}

/// The byte after the string that begins at `start`, or the end of the text.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::field_at;

    /// The place after the mark `^`, which is taken out.
    fn at(marked: &str, container: bool) -> String {
        let (before, _) = marked.split_once('^').unwrap();
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
        field_at(&marked.replace('^', ""), line, column, container)
    }

    #[test]
    fn the_path_leads_to_the_value_that_was_read() {
        assert_eq!(at("{\"a\": 1, \"stage\": 5^}", false), "stage");
        assert_eq!(
            at("{\"a\": [{\"b\": 1},\n {\"b\": \"x,\\\"]}\"^}]}", false),
            "a[1].b"
        );
        assert_eq!(
            at("{\"a\": {\"b\": [1, 2, 3^]}, \"c\": 1}", false),
            "a.b[2]"
        );
        assert_eq!(
            at("{\"a\": {\"b\": {}}, \"c\": [[], [true,^]]}", false),
            "c[1][0]"
        );
    }

    #[test]
    fn a_missing_field_is_told_by_what_should_hold_it() {
        assert_eq!(at("{\"a\": {\"b\": 1^}}", true), "a");
        assert_eq!(at("{\"a\": {\"b\": 1}^}", true), ".");
    }
}
