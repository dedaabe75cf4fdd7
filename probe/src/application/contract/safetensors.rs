//! safetensors: the header tells every tensor's place, and nothing in the file can be executed.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use safetensors::Dtype as Stored;
use safetensors::tensor::{Metadata, TensorInfo};

use super::array::{Dtype, Kind};
use super::finite::Float;
use super::npy::{Failure, Ids, MAX_ID_BYTES, NumberRows};
use super::parallel::{self, Rows, Run};
use super::points::Word;
use super::record::{Visitor, Wish};

/// The format's own limit.
const MAX_HEADER: u64 = 100_000_000;

/// The header of a file whose every byte is accounted for.
pub(super) struct Header {
    pub(super) metadata: Metadata,
    /// Offset of the first tensor's bytes.
    pub(super) data: u64,
}

/// Reads the header, and compares what it promises with the file's length.
///
/// # Errors
/// Why it can't be opened.
pub(super) fn open(mut file: &File) -> Result<Header, Failure> {
    let bytes = file.metadata()?.len();
    if bytes == 0 {
        return Err(Word::Empty.into());
    }
    let mut length = [0; 8];
    file.seek(SeekFrom::Start(0))?;
    file.read_exact(&mut length)?;
    if length.starts_with(b"version ") {
        return Err(Word::LfsPointer.into());
    }
    let length = u64::from_le_bytes(length);
    if length > MAX_HEADER {
        return Err(Word::WrongFormat.into());
    }
    let data = 8 + length;
    if data > bytes {
        return Err(Word::Truncated.into());
    }
    let mut text = Vec::new();
    file.take(length).read_to_end(&mut text)?;
    let metadata: Metadata = serde_json::from_slice(&text).map_err(|_| Word::WrongFormat)?;
    match (data + metadata.data_len() as u64).cmp(&bytes) {
        std::cmp::Ordering::Greater => Err(Word::Truncated.into()),
        std::cmp::Ordering::Less => Err(Word::WrongFormat.into()),
        std::cmp::Ordering::Equal => Ok(Header { metadata, data }),
    }
}

/// How the elements are stored; none for those that hold several values in a byte or two parts.
pub(super) const fn dtype(stored: Stored) -> Option<Dtype> {
    let kind = match stored {
        Stored::BOOL => Kind::Bool,
        Stored::U8 => Kind::U8,
        Stored::I8 => Kind::I8,
        Stored::I16 => Kind::I16,
        Stored::U16 => Kind::U16,
        Stored::I32 => Kind::I32,
        Stored::U32 => Kind::U32,
        Stored::I64 => Kind::I64,
        Stored::U64 => Kind::U64,
        Stored::F16 => Kind::F16,
        Stored::BF16 => Kind::Bf16,
        Stored::F32 => Kind::F32,
        Stored::F64 => Kind::F64,
        _ => return None,
    };
    Some(Dtype {
        kind,
        swapped: false,
    })
}

/// How its floating-point numbers lie in bytes; none where it has none, or holds several in a byte.
pub(super) const fn float(stored: Stored) -> Option<Float> {
    Some(match stored {
        Stored::F64 => Float::F64,
        Stored::F32 | Stored::C64 => Float::F32,
        Stored::F16 => Float::F16,
        Stored::BF16 => Float::Bf16,
        Stored::F8_E5M2 => Float::F8E5M2,
        Stored::F8_E4M3 => Float::F8E4M3,
        _ => return None,
    })
}

/// Reads the rows of one tensor, with the identifiers of another.
///
/// # Errors
/// Why the file gives no records at all.
pub(super) fn read<V: Visitor>(
    mut file: &File,
    index: u32,
    wish: &Wish<'_>,
    run: Run<'_>,
    visitor: &mut V,
) -> Result<(), Failure> {
    let header = open(file)?;
    let tensor = |name: &str| header.metadata.info(name).ok_or(Word::NoField);
    let ids = match wish.id {
        None => None,
        Some(name) => {
            let (info, dtype) = known(tensor(name)?)?;
            let mut bytes = Vec::new();
            file.seek(SeekFrom::Start(header.data + info.data_offsets.0 as u64))?;
            let length = info.data_offsets.1 - info.data_offsets.0;
            let several = info.shape.iter().skip(1).any(|side| *side != 1);
            if several || length as u64 > MAX_ID_BYTES {
                return Err(Word::WrongType.into());
            }
            file.take(length as u64).read_to_end(&mut bytes)?;
            Some(Ids::whole(dtype, bytes))
        }
    };
    // Without numbers, the rows of the identifiers are the records.
    let name = wish.vector.or(wish.id).ok_or(Word::NoField)?;
    let (info, dtype) = known(tensor(name)?)?;
    let shape: Vec<u64> = info.shape.iter().map(|side| *side as u64).collect();
    let (count, row) = match shape.split_first() {
        None => (1, 1),
        Some((first, others)) => (*first, others.iter().product()),
    };
    let rows = NumberRows::new(dtype, &shape, count, row)?;
    file.seek(SeekFrom::Start(header.data + info.data_offsets.0 as u64))?;
    let bytes = rows.count * rows.bytes as u64;
    let source = Rows::new(file, rows.bytes, rows.count);
    parallel::read(source, bytes, run, visitor, |block, visitor| {
        rows.judge(block, ids.as_ref(), index, wish, visitor);
    })?;
    rows.ids_without(ids.as_ref(), index, visitor);
    Ok(())
}

/// A tensor whose elements can be read.
pub(super) fn known(info: &TensorInfo) -> Result<(&TensorInfo, Dtype), Word> {
    dtype(info.dtype)
        .map(|dtype| (info, dtype))
        .ok_or(Word::WrongType)
}
