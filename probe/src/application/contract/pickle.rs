//! The names, shapes and places of tensors in the description that `torch.save` writes.
//!
//! The description is a pickle. It is *read*, never run: no class is looked up, nothing is called, and what is no
//! tensor, text, number or container becomes a dead leaf. Source: Python's pickletools, and torch.serialization.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::finite::Float;

/// The most objects that a description may hold.
const MAX_OBJECTS: usize = 16 << 20;
/// Containers inside one another; what lies deeper is a dead leaf.
const MAX_DEPTH: u32 = 32;

/// A tensor, and where its bytes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stored {
    /// Name of the entry below `data/`.
    pub(super) storage: String,
    /// `FloatStorage` and the like; torch's name of the number format where the storage is one of bytes.
    kind: String,
    /// Elements of the whole storage.
    elements: u64,
    offset: u64,
    shape: Vec<u64>,
    stride: Vec<u64>,
}

impl Stored {
    /// Number format and shape.
    pub(super) fn form(&self) -> String {
        format!("{} {:?}", self.kind, self.shape)
    }

    fn count(&self) -> Option<u64> {
        self.shape
            .iter()
            .try_fold(1_u64, |product, side| product.checked_mul(*side))
    }

    /// Whether the tensor is all of its storage.
    pub(super) fn whole_storage(&self) -> bool {
        self.offset == 0 && self.count() == Some(self.elements)
    }

    /// Whether it is one number without any side.
    pub(super) fn is_single(&self) -> bool {
        self.shape.is_empty()
    }

    /// How its floating-point numbers lie in bytes.
    pub(super) fn float(&self) -> Option<Float> {
        Some(match self.number() {
            "Double" | "float64" | "ComplexDouble" | "complex128" => Float::F64,
            "Float" | "float32" | "ComplexFloat" | "complex64" => Float::F32,
            "Half" | "float16" => Float::F16,
            "BFloat16" | "bfloat16" => Float::Bf16,
            "float8_e5m2" => Float::F8E5M2,
            "float8_e4m3fn" => Float::F8E4M3,
            _ => return None,
        })
    }

    /// The name of its number format, by that of a typed storage or of torch's dtype.
    fn number(&self) -> &str {
        self.kind.trim_end_matches("Storage")
    }

    /// Bytes of an element; none for formats that hold several in a byte, and for those that are not known.
    fn width(&self) -> Option<u64> {
        Some(match self.number() {
            "ComplexDouble" | "complex128" => 16,
            "Double" | "Long" | "ComplexFloat" | "float64" | "int64" | "uint64" | "complex64" => 8,
            "Float" | "Int" | "float32" | "int32" | "uint32" | "complex32" => 4,
            "Half" | "BFloat16" | "Short" | "float16" | "bfloat16" | "int16" | "uint16" => 2,
            "Byte" | "Char" | "Bool" | "uint8" | "int8" | "bool" => 1,
            other if other.starts_with("float8_") => 1,
            _ => return None,
        })
    }

    /// Bytes to pass over, and bytes to read; none where elements don't lie side by side, or their width isn't known.
    pub(super) fn range(&self) -> Option<(u64, u64)> {
        let width = self.width()?;
        let mut expected = 1;
        for (side, stride) in self.shape.iter().zip(&self.stride).rev() {
            if *side > 1 && *stride != expected {
                return None;
            }
            expected = expected.checked_mul(*side)?;
        }
        Some((
            self.offset.checked_mul(width)?,
            self.count()?.checked_mul(width)?,
        ))
    }
}

/// What a pickle builds, as far as it matters.
#[derive(Clone, Debug)]
enum Object {
    Dead,
    Mark,
    Whole(i64),
    Text(Rc<str>),
    /// A class or function, by module and name.
    Global(Rc<str>),
    /// A list or tuple, and how deep the lists inside it go.
    List(Rc<Vec<Object>>, u32),
    /// Its number: a dictionary is filled after it was put away.
    Dict(usize),
    Storage(Rc<(String, String, u64)>),
    Tensor(Rc<Stored>),
}

impl Object {
    fn list(items: Vec<Self>) -> Self {
        let depth = 1 + items.iter().map(Self::depth).max().unwrap_or(0);
        if depth > MAX_DEPTH {
            return Self::Dead;
        }
        Self::List(Rc::new(items), depth)
    }

    const fn depth(&self) -> u32 {
        match self {
            Self::List(_, depth) => *depth,
            _ => 0,
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    stack: Vec<Object>,
    memo: BTreeMap<u64, Object>,
    dicts: Vec<Vec<(Object, Object)>>,
    objects: usize,
}

/// All tensors by name; those in dictionaries inside dictionaries as `model.layer.weight`.
///
/// # Errors
/// It is no such description.
pub(super) fn tensors(bytes: &[u8]) -> Result<BTreeMap<String, Stored>, ()> {
    let mut reader = Reader {
        bytes,
        stack: Vec::new(),
        memo: BTreeMap::new(),
        dicts: Vec::new(),
        objects: 0,
    };
    let whole = reader.run()?;
    let mut named = BTreeMap::new();
    reader.name(&whole, "", 0, &mut named);
    Ok(named)
}

impl Reader<'_> {
    fn take(&mut self, count: usize) -> Result<&[u8], ()> {
        if count > self.bytes.len() {
            return Err(());
        }
        let (taken, rest) = self.bytes.split_at(count);
        self.bytes = rest;
        Ok(taken)
    }

    /// A number of up to eight bytes, the little end first.
    fn number(&mut self, width: usize) -> Result<u64, ()> {
        let mut raw = [0; 8];
        raw[..width].copy_from_slice(self.take(width)?);
        Ok(u64::from_le_bytes(raw))
    }

    fn line(&mut self) -> Result<String, ()> {
        let end = memchr::memchr(b'\n', self.bytes).ok_or(())?;
        let line = String::from_utf8_lossy(self.take(end + 1)?)
            .trim_end()
            .to_owned();
        Ok(line)
    }

    fn text(&mut self, length: u64) -> Result<Object, ()> {
        let length = usize::try_from(length).map_err(|_| ())?;
        let text = String::from_utf8_lossy(self.take(length)?).into_owned();
        Ok(Object::Text(text.into()))
    }

    fn push(&mut self, object: Object) -> Result<(), ()> {
        self.objects += 1;
        if self.objects > MAX_OBJECTS {
            return Err(());
        }
        self.stack.push(object);
        Ok(())
    }

    fn pop(&mut self) -> Result<Object, ()> {
        self.stack.pop().ok_or(())
    }

    /// Everything above the last mark.
    fn since_mark(&mut self) -> Result<Vec<Object>, ()> {
        let mark = self
            .stack
            .iter()
            .rposition(|object| matches!(object, Object::Mark))
            .ok_or(())?;
        let above = self.stack.split_off(mark + 1);
        self.stack.pop();
        Ok(above)
    }

    fn tuple(&mut self, count: usize) -> Result<(), ()> {
        let start = self.stack.len().checked_sub(count).ok_or(())?;
        let items = self.stack.split_off(start);
        self.push(Object::list(items))
    }

    fn dict(&mut self) -> Result<(), ()> {
        self.dicts.push(Vec::new());
        self.push(Object::Dict(self.dicts.len() - 1))
    }

    fn set(&mut self, items: Vec<Object>) {
        let Some(Object::Dict(at)) = self.stack.last() else {
            return;
        };
        let mut items = items.into_iter();
        while let (Some(key), Some(value)) = (items.next(), items.next()) {
            self.dicts[*at].push((key, value));
        }
    }

    fn append(&mut self, items: Vec<Object>) {
        let inside = items.iter().map(Object::depth).max().unwrap_or(0);
        if let Some(top @ Object::List(..)) = self.stack.last_mut() {
            if inside >= MAX_DEPTH {
                *top = Object::Dead;
            } else if let Object::List(list, depth) = top {
                Rc::make_mut(list).extend(items);
                *depth = (*depth).max(inside + 1);
            }
        }
    }

    fn run(&mut self) -> Result<Object, ()> {
        loop {
            let opcode = self.take(1)?[0];
            match opcode {
                b'.' => return self.pop(),
                // PROTO, FRAME
                0x80 => drop(self.take(1)?),
                0x95 => drop(self.take(8)?),
                b'(' => self.push(Object::Mark)?,
                b'0' => drop(self.pop()?),
                b'1' => drop(self.since_mark()?),
                b'2' => {
                    let top = self.stack.last().cloned().ok_or(())?;
                    self.push(top)?;
                }
                // NONE, NEWTRUE, NEWFALSE
                b'N' | 0x88 | 0x89 => self.push(Object::Dead)?,
                b'J' => {
                    let raw = self.number(4)? as u32;
                    self.push(Object::Whole(i64::from(raw.cast_signed())))?;
                }
                b'K' => {
                    let whole = self.number(1)?.cast_signed();
                    self.push(Object::Whole(whole))?;
                }
                b'M' => {
                    let whole = self.number(2)?.cast_signed();
                    self.push(Object::Whole(whole))?;
                }
                // LONG1
                0x8a => {
                    let width = self.number(1)?;
                    let whole = if width <= 8 {
                        let unused = 64 - 8 * width as u32;
                        let raw = self.number(width as usize)?.cast_signed();
                        Object::Whole(if width == 0 {
                            0
                        } else {
                            raw << unused >> unused
                        })
                    } else {
                        self.take(width as usize)?;
                        Object::Dead
                    };
                    self.push(whole)?;
                }
                // BINFLOAT
                b'G' => {
                    self.take(8)?;
                    self.push(Object::Dead)?;
                }
                // FLOAT, INT, LONG, STRING, PERSID as lines of text
                b'F' | b'I' | b'L' | b'S' | b'P' => {
                    self.line()?;
                    self.push(Object::Dead)?;
                }
                b'V' => {
                    let text = self.line()?;
                    self.push(Object::Text(text.into()))?;
                }
                // SHORT_BINUNICODE, BINUNICODE, BINUNICODE8, SHORT_BINSTRING, BINSTRING
                0x8c | b'U' => self.sized_text(1)?,
                b'X' | b'T' => self.sized_text(4)?,
                0x8d => self.sized_text(8)?,
                // SHORT_BINBYTES, BINBYTES, BINBYTES8, BYTEARRAY8
                b'C' => self.sized_bytes(1)?,
                b'B' => self.sized_bytes(4)?,
                0x8e | 0x96 => self.sized_bytes(8)?,
                b'}' => self.dict()?,
                b'd' => {
                    let items = self.since_mark()?;
                    self.dict()?;
                    self.set(items);
                }
                b']' | b')' => self.push(Object::list(Vec::new()))?,
                // TUPLE and LIST from a mark, FROZENSET likewise
                b't' | b'l' | 0x91 => {
                    let items = self.since_mark()?;
                    self.push(Object::list(items))?;
                }
                0x8f => self.push(Object::Dead)?,
                0x90 => drop(self.since_mark()?),
                0x85 => self.tuple(1)?,
                0x86 => self.tuple(2)?,
                0x87 => self.tuple(3)?,
                b'a' => {
                    let item = self.pop()?;
                    self.append(vec![item]);
                }
                b'e' => {
                    let items = self.since_mark()?;
                    self.append(items);
                }
                b's' => {
                    let value = self.pop()?;
                    let key = self.pop()?;
                    self.set(vec![key, value]);
                }
                b'u' => {
                    let items = self.since_mark()?;
                    self.set(items);
                }
                b'c' => {
                    let name = format!("{} {}", self.line()?, self.line()?);
                    self.push(Object::Global(name.into()))?;
                }
                // STACK_GLOBAL
                0x93 => {
                    let (name, module) = (self.pop()?, self.pop()?);
                    let global = match (module, name) {
                        (Object::Text(module), Object::Text(name)) => {
                            Object::Global(format!("{module} {name}").into())
                        }
                        _ => Object::Dead,
                    };
                    self.push(global)?;
                }
                // PUT, BINPUT, LONG_BINPUT, MEMOIZE
                b'p' => {
                    let at = self.line()?.parse().map_err(|_| ())?;
                    self.put(at)?;
                }
                b'q' => {
                    let at = self.number(1)?;
                    self.put(at)?;
                }
                b'r' => {
                    let at = self.number(4)?;
                    self.put(at)?;
                }
                0x94 => self.put(self.memo.len() as u64)?,
                b'g' => {
                    let at = self.line()?.parse().map_err(|_| ())?;
                    self.get(at)?;
                }
                b'h' => {
                    let at = self.number(1)?;
                    self.get(at)?;
                }
                b'j' => {
                    let at = self.number(4)?;
                    self.get(at)?;
                }
                // BINPERSID
                b'Q' => {
                    let storage = storage(&self.pop()?);
                    self.push(storage)?;
                }
                // REDUCE, NEWOBJ: a function or class, and what it would be called with
                b'R' | 0x81 => {
                    let (arguments, function) = (self.pop()?, self.pop()?);
                    let made = self.made(&function, &arguments)?;
                    self.push(made)?;
                }
                // NEWOBJ_EX
                0x92 => {
                    self.tuple(3)?;
                    self.pop()?;
                    self.push(Object::Dead)?;
                }
                // BUILD: the state of an object that is a dead leaf, or an attribute of a dictionary
                b'b' => drop(self.pop()?),
                // INST, OBJ
                b'i' => {
                    self.line()?;
                    self.line()?;
                    self.since_mark()?;
                    self.push(Object::Dead)?;
                }
                b'o' => {
                    self.since_mark()?;
                    self.push(Object::Dead)?;
                }
                _ => return Err(()),
            }
        }
    }

    fn sized_text(&mut self, width: usize) -> Result<(), ()> {
        let length = self.number(width)?;
        let text = self.text(length)?;
        self.push(text)
    }

    fn sized_bytes(&mut self, width: usize) -> Result<(), ()> {
        let length = usize::try_from(self.number(width)?).map_err(|_| ())?;
        self.take(length)?;
        self.push(Object::Dead)
    }

    fn put(&mut self, at: u64) -> Result<(), ()> {
        let top = self.stack.last().cloned().ok_or(())?;
        self.memo.insert(at, top);
        Ok(())
    }

    fn get(&mut self, at: u64) -> Result<(), ()> {
        let object = self.memo.get(&at).cloned().ok_or(())?;
        self.push(object)
    }

    /// What a call would give, where that is a tensor or a dictionary.
    fn made(&mut self, function: &Object, arguments: &Object) -> Result<Object, ()> {
        let (Object::Global(name), Object::List(arguments, _)) = (function, arguments) else {
            return Ok(Object::Dead);
        };
        let made = match &**name {
            "collections OrderedDict" | "collections defaultdict" => {
                self.dicts.push(Vec::new());
                Object::Dict(self.dicts.len() - 1)
            }
            "torch._utils _rebuild_tensor_v2" | "torch._utils _rebuild_tensor_v3" => {
                tensor(arguments).map_or(Object::Dead, |tensor| Object::Tensor(Rc::new(tensor)))
            }
            // A parameter holds its tensor first.
            "torch._utils _rebuild_parameter" | "torch._utils _rebuild_parameter_with_state" => {
                arguments.first().cloned().unwrap_or(Object::Dead)
            }
            _ => Object::Dead,
        };
        Ok(made)
    }

    /// Walks through what was built. The same list can stand in many places, so the walk itself is bounded.
    fn name(
        &mut self,
        object: &Object,
        path: &str,
        depth: u32,
        named: &mut BTreeMap<String, Stored>,
    ) {
        self.objects += 1;
        if self.objects > 2 * MAX_OBJECTS || depth > MAX_DEPTH {
            return;
        }
        let inside = |key: &dyn std::fmt::Display| {
            if path.is_empty() {
                key.to_string()
            } else {
                format!("{path}.{key}")
            }
        };
        match object {
            Object::Tensor(tensor) => {
                named.insert(path.to_owned(), (**tensor).clone());
            }
            Object::Dict(at) => {
                // Taken out meanwhile, so that a dictionary inside itself is empty.
                let items = std::mem::take(&mut self.dicts[*at]);
                for (key, value) in &items {
                    let path = match key {
                        Object::Text(text) => inside(text),
                        Object::Whole(whole) => inside(whole),
                        _ => continue,
                    };
                    self.name(value, &path, depth + 1, named);
                }
                self.dicts[*at] = items;
            }
            Object::List(items, _) => {
                for (at, value) in items.iter().enumerate() {
                    self.name(value, &inside(&at), depth + 1, named);
                }
            }
            _ => {}
        }
    }
}

/// `('storage', torch.FloatStorage, '0', 'cpu', 12)`
fn storage(object: &Object) -> Object {
    let Object::List(items, _) = object else {
        return Object::Dead;
    };
    match &items[..] {
        [
            Object::Text(word),
            Object::Global(kind),
            Object::Text(key),
            _,
            Object::Whole(elements),
        ] if &**word == "storage" => {
            let kind = kind.rsplit(' ').next().unwrap_or_default().to_owned();
            let elements = u64::try_from(*elements).unwrap_or(0);
            Object::Storage(Rc::new((key.to_string(), kind, elements)))
        }
        _ => Object::Dead,
    }
}

/// `(storage, offset, shape, stride, …)`; since torch 2.1 newer number formats lie in a storage of bytes, and stand at the
/// seventh place.
fn tensor(arguments: &[Object]) -> Option<Stored> {
    let [
        Object::Storage(storage),
        Object::Whole(offset),
        shape,
        stride,
        ..,
    ] = arguments
    else {
        return None;
    };
    let (key, kind, elements) = &**storage;
    // Entries are named by numbers; anything else is no entry of this archive.
    let plain = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
    plain.then_some(())?;
    let bytes = kind == "UntypedStorage";
    let kind = match arguments.get(6) {
        Some(Object::Global(name)) if bytes => {
            name.strip_prefix("torch ").unwrap_or(name).to_owned()
        }
        _ => kind.clone(),
    };
    let mut tensor = Stored {
        storage: key.clone(),
        kind,
        elements: *elements,
        offset: u64::try_from(*offset).ok()?,
        shape: sides(shape)?,
        stride: sides(stride)?,
    };
    if bytes && let Some(width) = tensor.width() {
        tensor.elements /= width;
    }
    Some(tensor)
}

fn sides(object: &Object) -> Option<Vec<u64>> {
    let Object::List(items, _) = object else {
        return None;
    };
    let whole = |item: &Object| match item {
        Object::Whole(whole) => u64::try_from(*whole).ok(),
        _ => None,
    };
    items.iter().map(whole).collect()
}
