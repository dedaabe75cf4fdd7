//! Checkpoints, opened and compared without unpickling: safetensors, and the zip archives of `torch.save`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use xxhash_rust::xxh3::Xxh3;
use zip::ZipArchive;
use zip::result::ZipError;

use super::files;
use super::finite::{Float, Unfit};
use super::npy::Failure;
use super::parallel::{BLOCK, Run};
use super::pickle::{self, Stored};
use super::points::Word;
use super::safetensors;

/// The largest description of tensors that is read: a few hundred bytes for each of them.
const MAX_PICKLE: u64 = 256 << 20;

/// What a tensor holds, without its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Print {
    /// Its number format and shape.
    pub(super) form: String,
    /// 128 bits of its bytes.
    pub(super) hash: u128,
    /// What it holds beside finite numbers; none where it has no floating-point numbers, or none that can be told.
    pub(super) unfit: Option<Unfit>,
    /// It is a single number.
    pub(super) single: bool,
}

/// The tensors of a checkpoint by name.
pub(super) type Prints = BTreeMap<String, Print>;

/// What a file turned out to be.
enum Kind {
    Safetensors,
    Zip,
}

fn kind(mut file: &File) -> Result<Kind, Failure> {
    if file.metadata()?.len() == 0 {
        return Err(Word::Empty.into());
    }
    let mut start = [0; 9];
    let read = file.take(9).read(&mut start)?;
    file.seek(SeekFrom::Start(0))?;
    if start.starts_with(b"PK\x03\x04") {
        return Ok(Kind::Zip);
    }
    if start.starts_with(b"version ") {
        return Err(Word::LfsPointer.into());
    }
    // The header is JSON after its length; before torch 1.6 a checkpoint was a bare pickle, which nobody can check.
    if read == 9 && start[8] == b'{' {
        return Ok(Kind::Safetensors);
    }
    Err(Word::WrongFormat.into())
}

/// Opens a checkpoint to its last byte: the header against the length, or every checksum of the archive.
///
/// # Errors
/// Why it can't be opened.
pub(super) fn open(path: &Path, run: Run<'_>) -> Result<(), Failure> {
    let file = files::open(path)?;
    match kind(&file)? {
        Kind::Safetensors => safetensors::open(&file).map(|_| ()),
        Kind::Zip => {
            let mut archive = ZipArchive::new(BufReader::new(&file)).map_err(of_zip)?;
            if archive.is_empty() {
                return Err(Word::Empty.into());
            }
            for at in 0..archive.len() {
                if (run.stop)() {
                    return Ok(());
                }
                let mut entry = archive.by_index(at).map_err(of_zip)?;
                // Reading to the end compares the checksum.
                io::copy(&mut entry, &mut io::sink())?;
            }
            Ok(())
        }
    }
}

fn of_zip(error: ZipError) -> Failure {
    match error {
        ZipError::Io(error) => error.into(),
        ZipError::FileNotFound => Word::NoField.into(),
        // The directory stands at the end: without it, the end is missing.
        ZipError::InvalidArchive(_) => Word::Truncated.into(),
        _ => Word::WrongFormat.into(),
    }
}

/// The tensors of a checkpoint.
///
/// # Errors
/// Why it can't be opened.
pub(super) fn prints(path: &Path, run: Run<'_>) -> Result<Prints, Failure> {
    let file = files::open(path)?;
    match kind(&file)? {
        Kind::Safetensors => of_safetensors(&file, run),
        Kind::Zip => of_archive(&file, run),
    }
}

fn of_safetensors(mut file: &File, run: Run<'_>) -> Result<Prints, Failure> {
    let header = safetensors::open(file)?;
    let mut prints = Prints::new();
    for (name, info) in header.metadata.tensors() {
        if (run.stop)() {
            break;
        }
        let (start, end) = info.data_offsets;
        file.seek(SeekFrom::Start(header.data + start as u64))?;
        let float = safetensors::float(info.dtype);
        let (hash, unfit) = look(file.take((end - start) as u64), float, run)?;
        let print = Print {
            form: format!("{:?} {:?}", info.dtype, info.shape),
            hash,
            unfit,
            single: info.shape.is_empty(),
        };
        prints.insert(name, print);
    }
    Ok(prints)
}

fn of_archive(file: &File, run: Run<'_>) -> Result<Prints, Failure> {
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(of_zip)?;
    let name = archive
        .file_names()
        .filter_map(Result::ok)
        .find(|name| name.ends_with("/data.pkl"))
        .map(std::borrow::Cow::into_owned);
    let name = name.ok_or(Word::NoField)?;
    let folder = name.trim_end_matches("data.pkl").to_owned();
    let mut text = Vec::new();
    archive
        .by_name(&name)
        .map_err(of_zip)?
        .take(MAX_PICKLE)
        .read_to_end(&mut text)?;
    let tensors = pickle::tensors(&text).map_err(|()| Word::WrongFormat)?;
    // Several tensors may share one storage, so each storage is read once.
    let mut storages = BTreeMap::new();
    let swapped = is_big_endian(&mut archive, &folder);
    let mut prints = Prints::new();
    for (name, tensor) in tensors {
        if (run.stop)() {
            break;
        }
        let whole = tensor.whole_storage();
        let float = tensor.float().filter(|_| !swapped);
        let key = (tensor.storage.clone(), float);
        let known = storages.get(&key).copied();
        let (hash, unfit) = match known {
            Some(known) if whole => known,
            _ => {
                let path = format!("{folder}data/{}", tensor.storage);
                let mut entry = archive.by_name(&path).map_err(of_zip)?;
                let seen = look_at(&tensor, float, &mut entry, run)?;
                if whole {
                    storages.insert(key, seen);
                }
                seen
            }
        };
        let print = Print {
            form: tensor.form(),
            hash,
            unfit,
            single: tensor.is_single(),
        };
        prints.insert(name, print);
    }
    Ok(prints)
}

/// Whether a machine wrote it that puts the big end of a number first.
fn is_big_endian(archive: &mut ZipArchive<BufReader<&File>>, folder: &str) -> bool {
    let mut word = String::new();
    let read = archive
        .by_name(&format!("{folder}byteorder"))
        .is_ok_and(|entry| entry.take(8).read_to_string(&mut word).is_ok());
    read && word.trim() == "big"
}

/// The bytes of a tensor inside its storage; all of the storage where the tensor takes it in steps.
fn look_at(
    tensor: &Stored,
    float: Option<Float>,
    entry: &mut impl Read,
    run: Run<'_>,
) -> io::Result<(u128, Option<Unfit>)> {
    let Some((skip, bytes)) = tensor.range() else {
        // What lies between the steps may be anything.
        return look(entry, float.filter(|_| tensor.whole_storage()), run);
    };
    io::copy(&mut entry.take(skip), &mut io::sink())?;
    let seen = look(entry.take(bytes), float, run)?;
    // The rest is read too, so that the checksum is compared.
    io::copy(entry, &mut io::sink())?;
    Ok(seen)
}

/// Goes through bytes once: their hash, and what stands among their numbers.
fn look(
    mut reader: impl Read,
    float: Option<Float>,
    run: Run<'_>,
) -> io::Result<(u128, Option<Unfit>)> {
    let mut hasher = Xxh3::new();
    let mut buffer = vec![0; BLOCK];
    let mut unfit = float.map(|_| Unfit::default());
    loop {
        // Filled to the last byte, so that no number lies across two blocks.
        let mut filled = 0;
        while filled < BLOCK {
            let read = reader.read(&mut buffer[filled..])?;
            if read == 0 {
                break;
            }
            filled += read;
        }
        if filled == 0 || (run.stop)() {
            return Ok((hasher.digest128(), unfit));
        }
        let block = &buffer[..filled];
        hasher.update(block);
        if let (Some(float), Some(unfit)) = (float, &mut unfit)
            && !unfit.nan
        {
            float.look(block, unfit);
        }
    }
}
