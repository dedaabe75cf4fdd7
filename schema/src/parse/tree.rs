//! A report's types, read out of a JSON tree: every failure knows the path of its field.
//!
//! serde_json's own reader takes an array for a struct as well, which no report uses: each type would be compiled
//! twice, and the page is small.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, Expected, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde_json::Value;

/// A value of the tree.
pub(super) struct Node(pub(super) Value);

/// What could not be read, and where.
#[derive(Debug)]
pub(super) struct Failure {
    /// Steps of the path, the innermost first.
    steps: Vec<Step>,
    /// What is wrong.
    pub(super) problem: String,
}

#[derive(Debug)]
enum Step {
    Key(String),
    Index(usize),
}

impl Failure {
    fn within(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// The path of the field, for example `decisions[2].outcome`; `.` for the whole.
    pub(super) fn path(&self) -> String {
        let mut path = String::new();
        for step in self.steps.iter().rev() {
            match step {
                Step::Index(at) => path.push_str(&format!("[{at}]")),
                Step::Key(key) => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(key);
                }
            }
        }
        if path.is_empty() {
            path.push('.');
        }
        path
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for Failure {}

impl Error for Failure {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self {
            steps: Vec::new(),
            problem: message.to_string(),
        }
    }
}

fn invalid(value: &Value, expected: &dyn Expected) -> Failure {
    let found = match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(value) => Unexpected::Bool(*value),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => Unexpected::Unsigned(number),
            (None, Some(number)) => Unexpected::Signed(number),
            (None, None) => Unexpected::Float(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    };
    Failure::invalid_type(found, expected)
}

impl Node {
    #[inline(never)]
    fn scalar<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => visitor.visit_u64(number),
                (None, Some(number)) => visitor.visit_i64(number),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or_default()),
            },
            Value::String(text) => visitor.visit_string(text),
            other => Err(invalid(&other, &visitor)),
        }
    }

    fn list<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.0 {
            Value::Array(items) => visitor.visit_seq(Items {
                items: items.into_iter(),
                at: 0,
            }),
            other => Err(invalid(&other, &visitor)),
        }
    }

    fn object<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.0 {
            Value::Object(fields) => visitor.visit_map(Fields {
                fields: fields.into_iter(),
                current: None,
            }),
            other => Err(invalid(&other, &visitor)),
        }
    }
}

macro_rules! scalars {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
            self.scalar(visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for Node {
    type Error = Failure;

    scalars! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_f32 deserialize_f64
        deserialize_char deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf
        deserialize_unit deserialize_identifier
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.0 {
            Value::Array(_) => self.list(visitor),
            Value::Object(_) => self.object(visitor),
            _ => self.scalar(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        self.list(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, Failure> {
        self.list(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, Failure> {
        self.list(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        self.object(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        self.object(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Failure> {
        self.scalar(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Failure> {
        visitor.visit_newtype_struct(self)
    }

    /// Names only: no enum of a report holds data.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        match self.0 {
            Value::String(name) => visitor.visit_enum(Name(name)),
            other => Err(invalid(&other, &visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_unit()
    }
}

struct Items {
    items: std::vec::IntoIter<Value>,
    at: usize,
}

impl<'de> SeqAccess<'de> for Items {
    type Error = Failure;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Failure> {
        let Some(item) = self.items.next() else {
            return Ok(None);
        };
        let at = self.at;
        self.at += 1;
        match seed.deserialize(Node(item)) {
            Ok(value) => Ok(Some(value)),
            Err(failure) => Err(failure.within(Step::Index(at))),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Fields {
    fields: serde_json::map::IntoIter,
    current: Option<(String, Value)>,
}

impl<'de> MapAccess<'de> for Fields {
    type Error = Failure;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Failure> {
        self.current = self.fields.next();
        match &self.current {
            Some((key, _)) => seed.deserialize(StrDeserializer::new(key)).map(Some),
            None => Ok(None),
        }
    }

    // Shared by all fields of a type.
    #[inline(never)]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Failure> {
        let (key, value) = self.current.take().unwrap_or_default();
        seed.deserialize(Node(value))
            .map_err(|failure| failure.within(Step::Key(key)))
    }
}

struct Name(String);

impl<'de> EnumAccess<'de> for Name {
    type Error = Failure;
    type Variant = Unit;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Unit), Failure> {
        let name = seed.deserialize(StrDeserializer::new(&self.0))?;
        Ok((name, Unit))
    }
}

/// A variant without data.
struct Unit;

impl Unit {
    fn none<T>() -> Result<T, Failure> {
        Err(Failure::custom("a name has no data"))
    }
}

impl<'de> VariantAccess<'de> for Unit {
    type Error = Failure;

    fn unit_variant(self) -> Result<(), Failure> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _seed: T) -> Result<T::Value, Failure> {
        Self::none()
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        _length: usize,
        _visitor: V,
    ) -> Result<V::Value, Failure> {
        Self::none()
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Failure> {
        Self::none()
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Outer {
        name: String,
        #[serde(default)]
        inner: Vec<Inner>,
        share: Option<f64>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Inner {
        count: u8,
        kind: Kind,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        First,
        Second,
    }

    fn read(text: &str) -> Result<Outer, (String, String)> {
        let tree = serde_json::from_str(text).unwrap();
        Outer::deserialize(Node(tree)).map_err(|failure| (failure.path(), failure.problem))
    }

    fn place(text: &str) -> String {
        read(text).unwrap_err().0
    }

    #[test]
    fn what_fits_is_read_and_what_is_unknown_is_left() {
        let text =
            r#"{"name": "a", "new": [{}], "share": 1, "inner": [{"count": 3, "kind": "second"}]}"#;
        let expected = Outer {
            name: "a".to_owned(),
            inner: vec![Inner {
                count: 3,
                kind: Kind::Second,
            }],
            share: Some(1.0),
        };
        assert_eq!(read(text), Ok(expected));
    }

    #[test]
    fn a_failure_tells_the_path_of_its_field() {
        assert_eq!(place(r#"{"name": 5}"#), "name");
        assert_eq!(
            read(r#"{"name": "a", "inner": [{"count": 1, "kind": "first"}, {"count": 300, "kind": "first"}]}"#)
                .unwrap_err(),
            (
                "inner[1].count".to_owned(),
                "invalid value: integer `300`, expected u8".to_owned()
            )
        );
        assert_eq!(
            place(r#"{"name": "a", "inner": [{"count": 1, "kind": "third"}]}"#),
            "inner[0].kind"
        );
        assert_eq!(
            place(r#"{"name": "a", "inner": [{"count": 1, "kind": {"first": 1}}]}"#),
            "inner[0].kind"
        );
        assert_eq!(
            place(r#"{"name": "a", "inner": [[1, "first"]]}"#),
            "inner[0]"
        );
    }

    #[test]
    fn a_missing_field_is_told_by_what_should_hold_it() {
        assert_eq!(place("{}"), ".");
        assert_eq!(
            place(r#"{"name": "a", "inner": [{"count": 1}]}"#),
            "inner[0]"
        );
    }
}
