//! What a proof of stop and resume asks of a contract beside the outputs: where things lie, how the loss went, and whether
//! checkpoints can be opened.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::npy::Failure;
use super::parallel::{BLOCK, Run};
use super::points::Word;
use super::record::{Record, Vector, Visitor, Wish};
use super::text::{Contract, Format};
use super::{broken::Place, checkpoint, files, outputs};
use crate::application::project;

/// The most losses of one log that are held against others: 16 bytes each.
const MAX_LOSSES: usize = 1 << 22;
/// How often files that have to be read as a whole are counted.
const COUNT_WHOLE: Duration = Duration::from_secs(1);

/// A loss as the log tells it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Loss {
    /// NaN where the contract names no field for it.
    pub(crate) step: f64,
    /// NaN where it is not finite.
    pub(crate) loss: f64,
}

/// A checkpoint of the contract as it was found.
#[derive(Debug)]
pub(crate) struct Opened {
    /// Which of the contract's, from 0.
    pub(crate) index: usize,
    /// Why it can't be opened; none where it can.
    pub(crate) damage: Option<Word>,
}

impl Contract {
    /// The same contract for files that were taken to another folder.
    pub(crate) fn relocated(&self, folder: &Path) -> Self {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        let mut moved = self.clone();
        let change = |pattern: &mut String| {
            *pattern = project::below(&folder, &folder.join(&*pattern))
                .to_string_lossy()
                .into_owned();
        };
        for output in &mut moved.outputs {
            output.records.paths.iter_mut().for_each(change);
        }
        for metric in &mut moved.metrics {
            change(&mut metric.path);
        }
        if let Some(plan) = &mut moved.training {
            if let Some((path, _, _)) = &mut plan.log {
                change(path);
            }
            plan.after.iter_mut().for_each(change);
            plan.checkpoints.iter_mut().for_each(change);
        }
        moved.resume.state.iter_mut().for_each(change);
        moved
    }

    /// The same contract with nothing but its outputs and its log.
    pub(crate) fn outputs_alone(&self) -> Self {
        let mut alone = self.clone();
        alone.metrics.clear();
        alone.resume.state.clear();
        if let Some(plan) = &mut alone.training {
            plan.after = None;
            plan.checkpoints.clear();
        }
        alone
    }

    /// Patterns of what the command reads.
    pub(crate) fn read_by_it(&self) -> &[String] {
        self.input
            .as_ref()
            .map_or(&[], |input| input.records.paths.as_slice())
    }

    /// Patterns of the checkpoints.
    pub(crate) fn checkpoints(&self) -> &[String] {
        self.training
            .as_ref()
            .map_or(&[], |plan| plan.checkpoints.as_slice())
    }

    /// Whether the contract names a log of losses.
    pub(crate) fn has_log(&self) -> bool {
        self.training
            .as_ref()
            .is_some_and(|plan| plan.log.is_some())
    }

    /// Whether the log of losses stands among the outputs too.
    pub(crate) fn log_is_output(&self, folder: &Path) -> bool {
        let log = self.training.as_ref().and_then(|plan| plan.log.as_ref());
        let Some((log, _, _)) = log else {
            return false;
        };
        let is_log = |pattern: &String| {
            pattern == log
                || files::matching(folder, pattern)
                    .iter()
                    .any(|path| files::matching(folder, log).contains(path))
        };
        self.outputs
            .iter()
            .flat_map(|output| &output.records.paths)
            .any(is_log)
    }

    /// Whether the log counts steps.
    pub(crate) fn counts_steps(&self) -> bool {
        self.training
            .as_ref()
            .is_some_and(|plan| plan.step.is_some())
    }

    /// Opens every checkpoint in `folder`. One that was named and is not there is none.
    pub(crate) fn open_checkpoints(
        &self,
        folder: &Path,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Vec<Opened> {
        let run = Run::new(1, stop);
        let mut opened = Vec::new();
        for (index, pattern) in self.checkpoints().iter().enumerate() {
            for path in files::matching(folder, pattern) {
                if !path.is_file() {
                    continue;
                }
                let damage = match checkpoint::open(&path, run) {
                    Ok(()) => None,
                    Err(Failure::Io) => Some(Word::Unreadable),
                    Err(Failure::Flaw(word)) => Some(word),
                };
                opened.push(Opened { index, damage });
            }
        }
        opened
    }

    /// The losses of the training in `folder`, in the order of the log; none where the contract names no log.
    pub(crate) fn losses(
        &self,
        folder: &Path,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<Vec<Loss>> {
        let plan = self.training.as_ref()?;
        let (log, format, loss) = plan.log.as_ref()?;
        let wish = Wish {
            id: plan.step.as_deref(),
            vector: Some(loss),
            values: true,
            skip_blank: plan.skip_blank,
            ..Wish::default()
        };
        let mut curve = Curve {
            by_step: plan.step.is_some(),
            losses: Vec::new(),
        };
        for path in files::find(folder, std::slice::from_ref(log), None).fresh {
            // What can't be read on was told by the contract's own points.
            let _ = outputs::read(&path, 0, *format, &wish, Run::new(1, stop), &mut curve);
        }
        Some(curve.losses)
    }
}

/// Gathers losses with their steps.
struct Curve {
    by_step: bool,
    losses: Vec<Loss>,
}

impl Visitor for Curve {
    fn record(&mut self, _: Place, record: &Record<'_>) {
        let loss = match record.vector {
            Some(Vector::Numbers(numbers)) if numbers.count == 1 && numbers.finite => numbers.min,
            Some(Vector::Numbers(numbers)) if numbers.count != 1 => return,
            Some(_) => f64::NAN,
            None => return,
        };
        let step = record
            .id
            .as_deref()
            .and_then(|id| std::str::from_utf8(id).ok()?.trim().parse().ok());
        let step = match step {
            Some(step) => step,
            None if self.by_step => return,
            None => f64::NAN,
        };
        self.losses.push(Loss { step, loss });
    }

    /// Other lines of the log.
    fn flawed(&mut self, _: Place, _: Word, _: &Record<'_>) {}

    fn is_content(&self) -> bool {
        self.losses.len() >= MAX_LOSSES
    }

    fn fork(&self) -> Self {
        Self {
            by_step: self.by_step,
            losses: Vec::new(),
        }
    }

    fn join(&mut self, other: Self) {
        self.losses.extend(other.losses);
    }
}

/// Counts outputs while they are written: lines as they grow, other files when they have changed.
pub(crate) struct Growing<'a> {
    contract: &'a Contract,
    folder: &'a Path,
    lines: HashMap<PathBuf, Lines>,
    looked_at: Option<Instant>,
    whole: HashMap<PathBuf, SystemTime>,
    counted: u64,
}

#[derive(Default)]
struct Lines {
    read: u64,
    ended: u64,
}

impl<'a> Growing<'a> {
    /// A counter that has seen nothing.
    pub(crate) fn new(contract: &'a Contract, folder: &'a Path) -> Self {
        Self {
            contract,
            folder,
            lines: HashMap::new(),
            looked_at: None,
            whole: HashMap::new(),
            counted: 0,
        }
    }

    /// How many there are now.
    pub(crate) fn count(&mut self) -> u64 {
        let mut lines = 0;
        for plan in &self.contract.outputs {
            let heading = match plan.records.format {
                Format::Csv(_) => 1,
                Format::JsonLines | Format::Json | Format::Lines | Format::Files => 0,
                _ => continue,
            };
            for pattern in &plan.records.paths {
                for path in files::matching(self.folder, pattern) {
                    let known = self.lines.entry(path.clone()).or_default();
                    lines += known.follow(&path).saturating_sub(heading);
                }
            }
        }
        if self.looked_at.is_none_or(|at| at.elapsed() >= COUNT_WHOLE) {
            self.looked_at = Some(Instant::now());
            self.count_whole();
        }
        lines + self.counted
    }

    fn count_whole(&mut self) {
        let is_whole = |format: Format| {
            matches!(
                format,
                Format::Npy | Format::Npz | Format::Safetensors | Format::Parquet
            )
        };
        let mut now = HashMap::new();
        let plans = self.contract.outputs.iter();
        for plan in plans.filter(|plan| is_whole(plan.records.format)) {
            for pattern in &plan.records.paths {
                for path in files::matching(self.folder, pattern) {
                    let modified = path.metadata().and_then(|data| data.modified());
                    if let Ok(modified) = modified {
                        now.insert(path, modified);
                    }
                }
            }
        }
        let same = now.len() == self.whole.len()
            && now
                .iter()
                .all(|(path, modified)| self.whole.get(path) == Some(modified));
        if !same {
            self.whole = now;
            self.counted = self.contract.count_whole(self.folder);
        }
    }
}

impl Contract {
    /// Outputs in the files of one piece.
    fn count_whole(&self, folder: &Path) -> u64 {
        let mut only = self.clone();
        only.outputs.retain(|plan| {
            matches!(
                plan.records.format,
                Format::Npy | Format::Npz | Format::Safetensors | Format::Parquet
            )
        });
        only.count_outputs(folder, true, &|| false)
    }
}

impl Lines {
    /// Counts the lines that have ended since.
    fn follow(&mut self, path: &Path) -> u64 {
        let Ok(mut file) = File::open(path) else {
            *self = Self::default();
            return 0;
        };
        let length = file.metadata().map_or(0, |data| data.len());
        if length < self.read {
            *self = Self::default();
        }
        if length > self.read && file.seek(SeekFrom::Start(self.read)).is_ok() {
            let mut block =
                vec![0; BLOCK.min(usize::try_from(length - self.read).unwrap_or(BLOCK))];
            while let Ok(read @ 1..) = file.read(&mut block) {
                self.read += read as u64;
                self.ended += memchr::memchr_iter(b'\n', &block[..read]).count() as u64;
            }
        }
        self.ended
    }
}
