//! Formats of one piece: arrays, and tables by columns.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufReader, Read, Seek as _, SeekFrom};

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::{Field, Row, RowAccessor as _};

use super::{Each, Gatherer, Reading, digest};
use crate::application::contract::npy::{self, Failure, Header, Ids, NumberRows};
use crate::application::contract::parallel::{BLOCK, Block, Rows};
use crate::application::contract::points::Word;
use crate::application::contract::safetensors;
use crate::application::contract::text::Format;

/// The largest array whose first side runs fastest that is read: its rows lie apart.
const MAX_BY_COLUMNS: u64 = 256 << 20;

/// Reads one file.
///
/// # Errors
/// Why it gives no records.
pub(super) fn read(
    file: &File,
    format: Format,
    reading: Reading<'_>,
    each: Each<'_>,
) -> Result<(), Failure> {
    match format {
        Format::Npy => of_npy(file, None, reading, each),
        Format::Npz => of_npz(file, reading, each),
        Format::Safetensors => of_safetensors(file, reading, each),
        Format::Parquet => of_parquet(file, reading, each),
        _ => Err(Word::WrongFormat.into()),
    }
}

fn of_npy(
    mut file: impl Read,
    ids: Option<&Ids>,
    reading: Reading<'_>,
    each: Each<'_>,
) -> Result<(), Failure> {
    let header = npy::header(&mut file)?;
    let rows = npy::rows(&header)?;
    if header.by_columns() {
        return by_columns(file, &header, &rows, ids, each);
    }
    hand_on(file, &rows, ids, reading, each)
}

/// Hands on row after row.
fn hand_on(
    reader: impl Read,
    rows: &NumberRows,
    ids: Option<&Ids>,
    reading: Reading<'_>,
    each: Each<'_>,
) -> Result<(), Failure> {
    let mut source = Rows::new(reader, rows.bytes, rows.count);
    let mut block = Block::default();
    let mut gatherer = Gatherer::default();
    while !(reading.stop)() && source.fill(&mut block)? {
        if let Some(flaw) = block.flaw {
            return Err(flaw.into());
        }
        if rows.bytes == 0 {
            return Ok(());
        }
        for (row, bytes) in (block.at..).zip(block.bytes.chunks_exact(rows.bytes)) {
            if !one(row, bytes, rows, ids, &mut gatherer, each) {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn one(
    row: u64,
    bytes: &[u8],
    rows: &NumberRows,
    ids: Option<&Ids>,
    gatherer: &mut Gatherer,
    each: Each<'_>,
) -> bool {
    gatherer.clear();
    rows.dtype.values(bytes, &mut gatherer.numbers);
    gatherer.form.update(&rows.row.to_le_bytes());
    let id = match ids.map(|ids| ids.get(row)) {
        None => None,
        Some(Ok(id)) => Some(id),
        // Without its identifier it is no record.
        Some(Err(_)) => return true,
    };
    each(row, &gatherer.whole(id, digest(bytes)))
}

fn by_columns(
    reader: impl Read,
    header: &Header,
    rows: &NumberRows,
    ids: Option<&Ids>,
    each: Each<'_>,
) -> Result<(), Failure> {
    let bytes = rows.count * rows.bytes as u64;
    if bytes > MAX_BY_COLUMNS {
        return Err(Word::TooLong.into());
    }
    let mut all = Vec::new();
    reader.take(bytes).read_to_end(&mut all)?;
    if all.len() as u64 != bytes {
        return Err(Word::Truncated.into());
    }
    let width = rows.dtype.bytes();
    let count = usize::try_from(rows.count).map_err(|_| Word::WrongFormat)?;
    let columns = header.columns(rows.row);
    let mut gatherer = Gatherer::default();
    let mut row_bytes = Vec::with_capacity(rows.bytes);
    for row in 0..count {
        row_bytes.clear();
        for column in &columns {
            let start = (column * count + row) * width;
            row_bytes.extend_from_slice(&all[start..start + width]);
        }
        if !one(row as u64, &row_bytes, rows, ids, &mut gatherer, each) {
            break;
        }
    }
    Ok(())
}

fn of_npz(file: &File, reading: Reading<'_>, each: Each<'_>) -> Result<(), Failure> {
    let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(npy::of_zip)?;
    let ids = match reading.plan.records.id.as_deref() {
        None => None,
        Some(name) => Some(npy::ids(
            &mut archive
                .by_name(&format!("{name}.npy"))
                .map_err(npy::of_zip)?,
        )?),
    };
    let Some(name) = reading.plan.vector.as_deref() else {
        let ids = ids.ok_or(Failure::Flaw(Word::NoField))?;
        return names_alone(&ids, each);
    };
    let entry = archive
        .by_name(&format!("{name}.npy"))
        .map_err(npy::of_zip)?;
    of_npy(entry, ids.as_ref(), reading, each)
}

fn names_alone(ids: &Ids, each: Each<'_>) -> Result<(), Failure> {
    let gatherer = Gatherer::default();
    let mut row = 0;
    while let Ok(id) = ids.get(row) {
        let exact = digest(&id);
        if !each(row, &gatherer.whole(Some(id), exact)) {
            break;
        }
        row += 1;
    }
    Ok(())
}

fn of_safetensors(mut file: &File, reading: Reading<'_>, each: Each<'_>) -> Result<(), Failure> {
    let header = safetensors::open(file)?;
    let tensor = |name: &str| {
        let info = header.metadata.info(name).ok_or(Word::NoField)?;
        safetensors::known(info)
    };
    let ids = match reading.plan.records.id.as_deref() {
        None => None,
        Some(name) => {
            let (info, dtype) = tensor(name)?;
            let (start, end) = info.data_offsets;
            file.seek(SeekFrom::Start(header.data + start as u64))?;
            let mut bytes = Vec::new();
            file.take((end - start) as u64).read_to_end(&mut bytes)?;
            Some(Ids::whole(dtype, bytes))
        }
    };
    let Some(name) = reading.plan.vector.as_deref() else {
        let ids = ids.ok_or(Failure::Flaw(Word::NoField))?;
        return names_alone(&ids, each);
    };
    let (info, dtype) = tensor(name)?;
    let shape: Vec<u64> = info.shape.iter().map(|side| *side as u64).collect();
    let (count, row) = match shape.split_first() {
        None => (1, 1),
        Some((first, others)) => (*first, others.iter().product()),
    };
    let rows = NumberRows::new(dtype, &shape, count, row)?;
    file.seek(SeekFrom::Start(header.data + info.data_offsets.0 as u64))?;
    hand_on(
        BufReader::with_capacity(BLOCK, file),
        &rows,
        ids.as_ref(),
        reading,
        each,
    )
}

fn of_parquet(file: &File, reading: Reading<'_>, each: Each<'_>) -> Result<(), Failure> {
    let flawed = |_| Failure::Flaw(Word::WrongFormat);
    let reader = SerializedFileReader::new(file.try_clone()?).map_err(flawed)?;
    let mut gatherer = Gatherer::default();
    for (position, row) in (0..).zip(reader.get_row_iter(None).map_err(flawed)?) {
        let row = row.map_err(flawed)?;
        if (reading.stop)() {
            break;
        }
        gatherer.clear();
        let id = match reading.plan.records.id.as_deref() {
            None => None,
            Some(name) => match id_of(&row, name) {
                Some(id) => Some(Cow::Owned(id)),
                None => continue,
            },
        };
        gather_row(&row, &mut gatherer);
        let mut exact = gatherer.form.clone();
        for value in &gatherer.numbers {
            exact.update(&value.to_bits().to_le_bytes());
        }
        if !each(position, &gatherer.whole(id, exact.digest())) {
            break;
        }
    }
    Ok(())
}

fn id_of(row: &Row, name: &str) -> Option<Vec<u8>> {
    let at = row.get_column_iter().position(|(known, _)| known == name)?;
    let id = match row.get_column_iter().nth(at)?.1 {
        Field::Str(text) => text.clone().into_bytes(),
        Field::Bytes(_) => row.get_bytes(at).ok()?.data().to_vec(),
        Field::Byte(id) => id.to_string().into_bytes(),
        Field::Short(id) => id.to_string().into_bytes(),
        Field::Int(id) => id.to_string().into_bytes(),
        Field::Long(id) => id.to_string().into_bytes(),
        Field::UByte(id) => id.to_string().into_bytes(),
        Field::UShort(id) => id.to_string().into_bytes(),
        Field::UInt(id) => id.to_string().into_bytes(),
        Field::ULong(id) => id.to_string().into_bytes(),
        _ => return None,
    };
    (!id.is_empty()).then_some(id)
}

fn gather_row(row: &Row, gatherer: &mut Gatherer) {
    for (name, field) in row.get_column_iter() {
        gatherer.text(name.as_bytes());
        gather_field(field, gatherer);
    }
}

fn gather_field(field: &Field, gatherer: &mut Gatherer) {
    #[allow(clippy::cast_precision_loss, reason = "a tolerance is a double too")]
    match field {
        Field::Null => gatherer.number(f64::NAN),
        Field::Byte(value) => gatherer.number(f64::from(*value)),
        Field::Short(value) => gatherer.number(f64::from(*value)),
        Field::Int(value) => gatherer.number(f64::from(*value)),
        Field::Long(value) => gatherer.number(*value as f64),
        Field::UByte(value) => gatherer.number(f64::from(*value)),
        Field::UShort(value) => gatherer.number(f64::from(*value)),
        Field::UInt(value) => gatherer.number(f64::from(*value)),
        Field::ULong(value) => gatherer.number(*value as f64),
        Field::Float16(value) => gatherer.number(value.to_f64()),
        Field::Float(value) => gatherer.number(f64::from(*value)),
        Field::Double(value) => gatherer.number(*value),
        Field::Str(text) => gatherer.text(text.as_bytes()),
        Field::Bytes(bytes) => gatherer.text(bytes.data()),
        Field::Group(row) => gather_row(row, gatherer),
        Field::ListInternal(list) => {
            gatherer.form.update(b"[");
            for field in list.elements() {
                gather_field(field, gatherer);
            }
            gatherer.form.update(b"]");
        }
        Field::MapInternal(map) => {
            for (key, value) in map.entries() {
                gather_field(key, gatherer);
                gather_field(value, gatherer);
            }
        }
        // Truth values, dates and decimals are held against each other as they are shown.
        other => gatherer.text(other.to_string().as_bytes()),
    }
}
