//! What the command's marks tell (`docs/markers.md`): stages, passes, tensors, parameters and the model. Bounded, whatever
//! is written; a line that can't be read is left out.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::time::Instant;

use firstfault_schema::report::Memory;
use serde::Deserialize;

use super::series::Series;

/// The longest line that is read.
const MAX_LINE_BYTES: usize = 64 * 1024;
/// Bytes of the file that are read at once, and those that one look reads at most: a command can write faster, and can
/// make the file as long as it likes.
const BLOCK: usize = 1024 * 1024;
const MAX_LOOK_BYTES: u64 = 16 * 1024 * 1024;
/// The most bytes of the file that are read at all.
const MAX_BYTES: u64 = 1024 * 1024 * 1024;
/// How many ended stages are kept: the first ones and the last ones.
const FIRST_STAGES: usize = 200;
const LAST_STAGES: usize = 40;
/// The most of everything else that is kept.
const MAX_OPEN: usize = 4096;
const MAX_NAMES: usize = 512;
const MAX_TENSORS: usize = 64;
const MAX_PARAMETERS: usize = 64;
/// Names under which a computation is usually marked, where no stage says that it is one.
const COMPUTE_NAMES: &[&str] = &[
    "compute",
    "computation",
    "embed",
    "encode",
    "forward",
    "generate",
    "inference",
    "pass",
    "predict",
    "step",
    "train",
    "train_step",
    "training",
    "training_step",
];

#[derive(Debug, Default, Deserialize)]
struct Line {
    #[serde(default)]
    v: u32,
    #[serde(default)]
    event: String,
    t_ns: Option<u64>,
    #[serde(default)]
    pid: i64,
    rank: Option<u32>,
    id: Option<u64>,
    stage: Option<String>,
    kind: Option<String>,
    resident: Option<u64>,
    synchronized: Option<bool>,
    allocated: Option<u64>,
    reserved: Option<u64>,
    peak: Option<u64>,
    grad: Option<bool>,
    inference: Option<bool>,
    training: Option<bool>,
    name: Option<String>,
    shape: Option<Vec<u64>>,
    dtype: Option<String>,
    /// An index in the marks of stages, a name in those of tensors.
    device: Option<serde_json::Value>,
    values: Option<serde_json::Map<String, serde_json::Value>>,
    parameters: Option<u64>,
    dtypes: Option<Vec<String>>,
    devices: Option<Vec<String>>,
}

impl Line {
    fn memory(&self) -> Option<Memory> {
        let memory = Memory {
            allocated_bytes: self.allocated,
            reserved_bytes: self.reserved,
            peak_allocated_bytes: self.peak,
            resident_bytes: self.resident,
        };
        (memory != Memory::default()).then_some(memory)
    }
}

/// A stage that was begun.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stage {
    pub(crate) name: String,
    /// Which repetition in its process, from 1.
    pub(crate) pass: u32,
    pub(crate) is_compute: bool,
    /// After the start of the command.
    pub(crate) began_ms: f64,
    /// None for one that never ended.
    pub(crate) ended_ms: Option<f64>,
    pub(crate) synchronized: Option<bool>,
    pub(crate) before: Option<Memory>,
    pub(crate) after: Option<Memory>,
    process: i64,
    id: Option<u64>,
    order: u64,
}

/// Switches in a compute stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Switches {
    pub(crate) training: Option<bool>,
    pub(crate) gradients: Option<bool>,
    pub(crate) inference_mode: Option<bool>,
}

/// The model as it was named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Model {
    pub(crate) parameters: Option<u64>,
    pub(crate) dtypes: Vec<String>,
    pub(crate) devices: Vec<String>,
    pub(crate) training: Option<bool>,
}

/// A tensor as it was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tensor {
    pub(crate) name: String,
    pub(crate) shape: Vec<u64>,
    pub(crate) dtype: String,
    pub(crate) device: String,
}

/// Everything that was marked so far.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    open: Vec<Stage>,
    first: Vec<Stage>,
    last: VecDeque<Stage>,
    /// Passes so far, and what repeated, by process and name.
    series: HashMap<(i64, String), Series>,
    /// Processes that marked stages, in the order of their first mark, with their rank.
    processes: Vec<(i64, Option<u32>)>,
    order: u64,
    ended: u64,
    last_completed: Option<(i64, String)>,
    pub(crate) switches: Option<Switches>,
    /// Whether the model was in training mode in any compute stage, and in any evaluation mode.
    pub(crate) modes_seen: (bool, bool),
    pub(crate) model: Option<Model>,
    pub(crate) tensors: Vec<Tensor>,
    pub(crate) parameters: Vec<(String, serde_json::Value)>,
}

impl Marks {
    /// Takes one line. `now_ms` is the time of reading, `start_ns` the monotonic clock at the start of the command.
    fn take(&mut self, line: &[u8], now_ms: f64, start_ns: Option<u64>) {
        let Ok(line) = serde_json::from_slice::<Line>(line) else {
            return;
        };
        if line.v != 1 {
            return;
        }
        #[allow(clippy::cast_precision_loss, reason = "a time in ms")]
        let at_ms = match (line.t_ns, start_ns) {
            (Some(at), Some(start)) => {
                ((at as f64 - start as f64) / 1e6).clamp(0.0, now_ms.max(0.0))
            }
            _ => now_ms,
        };
        match line.event.as_str() {
            "begin" => self.begin(line, at_ms),
            "end" => self.end(&line, at_ms),
            "tensor" => self.tensor(line),
            "parameters" => self.parameters(line),
            "model" => self.model(line),
            // An aborted stage stays open: it never ended.
            _ => {}
        }
    }

    fn begin(&mut self, line: Line, at_ms: f64) {
        let memory = line.memory();
        let Some(name) = line.stage else { return };
        if self.open.len() >= MAX_OPEN {
            return;
        }
        if !self.processes.iter().any(|(pid, _)| *pid == line.pid) && self.processes.len() < 4096 {
            self.processes.push((line.pid, line.rank));
        }
        let is_compute = line.kind.as_deref() == Some("compute");
        let key = (line.pid, name.clone());
        if !self.series.contains_key(&key) && self.series.len() >= MAX_NAMES {
            return;
        }
        let series = self.series.entry(key).or_default();
        series.begun += 1;
        series.is_compute |= is_compute;
        if is_compute {
            let switches = Switches {
                training: line.training,
                gradients: line.grad,
                inference_mode: line.inference,
            };
            if switches != Switches::default() {
                self.switches = Some(switches);
            }
            match line.training {
                Some(true) => self.modes_seen.0 = true,
                Some(false) => self.modes_seen.1 = true,
                None => {}
            }
        }
        self.order += 1;
        let pass = series.begun;
        self.open.push(Stage {
            name,
            pass,
            is_compute,
            began_ms: at_ms,
            ended_ms: None,
            synchronized: line.synchronized,
            before: memory,
            after: None,
            process: line.pid,
            id: line.id,
            order: self.order,
        });
    }

    fn end(&mut self, line: &Line, at_ms: f64) {
        let Some(name) = &line.stage else { return };
        let same = |stage: &Stage| stage.name == *name && stage.id == line.id;
        let own = |stage: &Stage| same(stage) && stage.process == line.pid;
        let found = self.open.iter().rposition(own).or_else(|| {
            // Each line of a makefile is a shell of its own.
            let of_shells = line.id.is_none();
            of_shells
                .then(|| self.open.iter().rposition(same))
                .flatten()
        });
        let Some(at) = found else { return };
        let mut stage = self.open.remove(at);
        stage.ended_ms = Some(at_ms.max(stage.began_ms));
        stage.after = line.memory();
        stage.synchronized = match (stage.synchronized, line.synchronized) {
            (None, None) => None,
            (before, after) => Some(before == Some(true) && after == Some(true)),
        };
        self.last_completed = Some((stage.process, stage.name.clone()));
        let memory = stage
            .after
            .as_ref()
            .and_then(|memory| memory.allocated_bytes.or(memory.resident_bytes));
        if let Some(series) = self.series.get_mut(&(stage.process, stage.name.clone())) {
            series.add(
                stage.ended_ms.unwrap_or(at_ms) - stage.began_ms,
                stage.synchronized,
                memory,
            );
        }
        self.ended += 1;
        if self.first.len() < FIRST_STAGES {
            self.first.push(stage);
        } else {
            self.last.push_back(stage);
            if self.last.len() > LAST_STAGES {
                self.last.pop_front();
            }
        }
    }

    fn tensor(&mut self, line: Line) {
        let (Some(name), Some(shape), Some(dtype)) = (line.name, line.shape, line.dtype) else {
            return;
        };
        let device = match line.device {
            Some(serde_json::Value::String(device)) => device,
            _ => String::new(),
        };
        let tensor = Tensor {
            name,
            shape,
            dtype,
            device,
        };
        if self.tensors.len() < MAX_TENSORS && !self.tensors.contains(&tensor) {
            self.tensors.push(tensor);
        }
    }

    fn parameters(&mut self, line: Line) {
        for (name, value) in line.values.unwrap_or_default() {
            let known = self.parameters.iter().any(|(other, _)| *other == name);
            if !known && self.parameters.len() < MAX_PARAMETERS {
                self.parameters.push((name, value));
            }
        }
    }

    fn model(&mut self, line: Line) {
        // Of several models the largest one is meant.
        let known = self.model.as_ref().and_then(|model| model.parameters);
        if known.is_none() || line.parameters > known {
            self.model = Some(Model {
                parameters: line.parameters,
                dtypes: line.dtypes.unwrap_or_default(),
                devices: line.devices.unwrap_or_default(),
                training: line.training,
            });
        }
    }

    /// Whether a stage of this name was begun, in any process.
    pub(crate) fn has_begun(&self, stage: &str) -> bool {
        self.series.keys().any(|(_, name)| name == stage)
    }

    /// Whether anything was marked.
    pub(crate) fn is_empty(&self) -> bool {
        self.processes.is_empty()
    }

    /// Of several ranks the first one tells the story; else the process that marked first.
    fn leading(&self) -> Option<i64> {
        self.processes
            .iter()
            .min_by_key(|(_, rank)| rank.unwrap_or(u32::MAX))
            .map(|(pid, _)| *pid)
    }

    /// The stages of the leading process and those of others that never ended, in the order of their begin, and how many
    /// are left out in between.
    pub(crate) fn stages(&self) -> (Vec<Stage>, u64) {
        let leading = self.leading();
        let kept = self.first.len() + self.last.len();
        let mut stages: Vec<Stage> = self
            .first
            .iter()
            .chain(&self.last)
            .chain(self.open.iter().take(LAST_STAGES))
            .filter(|stage| Some(stage.process) == leading || stage.ended_ms.is_none())
            .cloned()
            .collect();
        stages.sort_by_key(|stage| stage.order);
        (stages, self.ended - kept as u64)
    }

    /// Names of stages that ended in some process and are open in none. All of them, whatever a report has room for.
    pub(crate) fn ended_names(&self) -> HashSet<&str> {
        let open: HashSet<&str> = self.open.iter().map(|stage| stage.name.as_str()).collect();
        self.series
            .iter()
            .filter(|((_, name), series)| series.ended > 0 && !open.contains(name.as_str()))
            .map(|((_, name), _)| name.as_str())
            .collect()
    }

    /// The innermost stage of the leading process that is open.
    pub(crate) fn current(&self) -> Option<&Stage> {
        let leading = self.leading();
        self.open
            .iter()
            .rev()
            .find(|stage| Some(stage.process) == leading)
            .or_else(|| self.open.last())
    }

    /// Name of the last stage that ended.
    pub(crate) fn last_completed(&self) -> Option<&str> {
        self.last_completed.as_ref().map(|(_, name)| name.as_str())
    }

    /// The computation of the leading process: its name and how often it was begun; none where none was begun.
    pub(crate) fn computation(&self) -> Option<(&str, &Series)> {
        let leading = self.leading()?;
        let own = || {
            self.series
                .iter()
                .filter(move |((pid, _), _)| *pid == leading)
                .map(|((_, name), series)| (name.as_str(), series))
        };
        let most = |all: &mut dyn Iterator<Item = (&'_ str, &'_ Series)>| {
            all.max_by(|(_, one), (_, other)| one.total_ms.total_cmp(&other.total_ms))
                .map(|(name, _)| name.to_owned())
        };
        let name = most(&mut own().filter(|(_, series)| series.is_compute))
            .or_else(|| most(&mut own().filter(|(name, _)| COMPUTE_NAMES.contains(name))))
            .or_else(|| most(&mut own().filter(|(_, series)| series.begun > 1)))?;
        own().find(|(known, _)| *known == name)
    }
}

/// Reads the file of marks as it grows.
#[derive(Debug)]
pub(crate) struct Reader {
    file: Option<File>,
    at: u64,
    /// Bytes that were read so far.
    done: u64,
    rest: Vec<u8>,
    began: Instant,
    start_ns: Option<u64>,
    pub(crate) marks: Marks,
}

impl Reader {
    /// A reader of `path`, which exists. The command is about to be started.
    pub(crate) fn new(path: &Path) -> Self {
        Self {
            file: File::open(path).ok(),
            at: 0,
            done: 0,
            rest: Vec::new(),
            began: Instant::now(),
            start_ns: monotonic_ns(),
            marks: Marks::default(),
        }
    }

    /// Takes what was written since, or a good part of it.
    pub(crate) fn read(&mut self) {
        let mut left = MAX_LOOK_BYTES;
        while let Some(taken) = self.read_block()
            && taken < left
        {
            left -= taken;
        }
    }

    /// Takes all that was written since. Nobody writes on.
    pub(crate) fn read_to_end(&mut self) {
        while self.read_block().is_some() {}
    }

    /// Takes one block, and tells how long it was; none at the end.
    fn read_block(&mut self) -> Option<u64> {
        let file = self.file.as_mut()?;
        if self.done >= MAX_BYTES {
            return None;
        }
        if file.metadata().ok()?.len() < self.at {
            // The command emptied it.
            self.at = 0;
            self.rest.clear();
        }
        let mut fresh = Vec::new();
        file.seek(SeekFrom::Start(self.at)).ok()?;
        let read = file.take(BLOCK as u64).read_to_end(&mut fresh).ok()? as u64;
        if read == 0 {
            return None;
        }
        self.at += read;
        self.done += read;
        let now_ms = self.began.elapsed().as_secs_f64() * 1000.0;
        self.take(&fresh, now_ms);
        Some(read)
    }

    fn take(&mut self, mut bytes: &[u8], now_ms: f64) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            if self.rest.is_empty() {
                self.marks.take(&bytes[..end], now_ms, self.start_ns);
            } else {
                self.rest.extend_from_slice(&bytes[..end]);
                let line = std::mem::take(&mut self.rest);
                self.marks.take(&line, now_ms, self.start_ns);
            }
            bytes = &bytes[end + 1..];
        }
        if self.rest.len() + bytes.len() <= MAX_LINE_BYTES {
            self.rest.extend_from_slice(bytes);
        } else {
            self.rest.clear();
        }
    }
}

/// The clock of the marks; none where this process can't read it.
#[cfg(target_os = "linux")]
pub(crate) fn monotonic_ns() -> Option<u64> {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let seconds = u64::try_from(now.tv_sec).ok()?;
    Some(seconds * 1_000_000_000 + u64::try_from(now.tv_nsec).ok()?)
}

#[cfg(not(target_os = "linux"))]
pub(crate) const fn monotonic_ns() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(lines: &[&str]) -> Marks {
        let mut marks = Marks::default();
        for line in lines {
            marks.take(line.as_bytes(), 1e9, Some(0));
        }
        marks
    }

    #[test]
    fn a_stage_without_an_end_is_unfinished_and_others_are_passes() {
        let found = marks(&[
            r#"{"v":1,"event":"begin","t_ns":1000000,"pid":7,"id":1,"stage":"compute","kind":"compute","resident":5}"#,
            r#"{"v":1,"event":"end","t_ns":3000000,"pid":7,"id":1,"stage":"compute","resident":9}"#,
            r#"{"v":1,"event":"begin","t_ns":4000000,"pid":7,"id":2,"stage":"compute","kind":"compute"}"#,
            r#"{"v":1,"event":"abort","t_ns":5000000,"pid":7,"id":2,"stage":"compute","exception":"KeyError"}"#,
            "torn line {",
            r#"{"v":2,"event":"begin","t_ns":1,"pid":7,"id":3,"stage":"later"}"#,
        ]);
        let (stages, left_out) = found.stages();
        assert_eq!(left_out, 0);
        assert_eq!(stages.len(), 2);
        assert_eq!((stages[0].pass, stages[0].ended_ms), (1, Some(3.0)));
        assert_eq!((stages[1].pass, stages[1].ended_ms), (2, None));
        assert_eq!(stages[0].after.as_ref().unwrap().resident_bytes, Some(9));
        assert_eq!(found.last_completed(), Some("compute"));
        assert_eq!(found.current().unwrap().pass, 2);
        let (name, series) = found.computation().unwrap();
        assert_eq!((name, series.begun, series.ended), ("compute", 2, 1));
    }

    #[test]
    fn a_shell_script_has_no_numbers_and_ends_the_latest_stage_of_that_name() {
        let found = marks(&[
            r#"{"v":1,"event":"begin","t_ns":1000000,"pid":0,"stage":"data"}"#,
            r#"{"v":1,"event":"end","t_ns":2000000,"pid":0,"stage":"data"}"#,
        ]);
        assert_eq!(found.stages().0[0].ended_ms, Some(2.0));
    }

    #[test]
    fn two_shells_can_mark_the_ends_of_one_stage() {
        let found = marks(&[
            r#"{"v":1,"event":"begin","t_ns":1000000,"pid":7,"stage":"data"}"#,
            r#"{"v":1,"event":"begin","t_ns":1000000,"pid":7,"id":1,"stage":"load"}"#,
            r#"{"v":1,"event":"end","t_ns":2000000,"pid":8,"stage":"data"}"#,
            r#"{"v":1,"event":"end","t_ns":2000000,"pid":8,"id":1,"stage":"load"}"#,
        ]);
        let ends: Vec<_> = found.stages().0.iter().map(|one| one.ended_ms).collect();
        assert_eq!(ends, [Some(2.0), None]);
    }

    #[test]
    fn rank_0_tells_the_story_and_unfinished_stages_of_others_are_told() {
        let found = marks(&[
            r#"{"v":1,"event":"begin","t_ns":1,"pid":8,"rank":1,"id":1,"stage":"data"}"#,
            r#"{"v":1,"event":"begin","t_ns":2,"pid":7,"rank":0,"id":1,"stage":"data"}"#,
            r#"{"v":1,"event":"end","t_ns":3,"pid":7,"rank":0,"id":1,"stage":"data"}"#,
            r#"{"v":1,"event":"begin","t_ns":4,"pid":8,"rank":1,"id":2,"stage":"weights"}"#,
            r#"{"v":1,"event":"end","t_ns":5,"pid":8,"rank":1,"id":2,"stage":"weights"}"#,
        ]);
        let names: Vec<_> = found
            .stages()
            .0
            .into_iter()
            .map(|stage| (stage.process, stage.name))
            .collect();
        assert_eq!(names, [(8, "data".to_owned()), (7, "data".to_owned())]);
    }

    #[test]
    fn a_flood_of_marks_stays_bounded_and_keeps_its_beginning_and_its_end() {
        let mut found = Marks::default();
        for at in 0..20_000_u64 {
            for event in ["begin", "end"] {
                let line = format!(
                    r#"{{"v":1,"event":"{event}","t_ns":{},"pid":1,"id":{at},"stage":"s"}}"#,
                    at * 1_000_000
                );
                found.take(line.as_bytes(), 1e9, Some(0));
            }
        }
        let (stages, left_out) = found.stages();
        assert_eq!(stages.len(), FIRST_STAGES + LAST_STAGES);
        assert_eq!(left_out, 20_000 - (FIRST_STAGES + LAST_STAGES) as u64);
        assert_eq!(stages.last().unwrap().pass, 20_000);
    }

    #[test]
    fn what_ended_is_known_beyond_what_a_report_has_room_for() {
        let mut found = Marks::default();
        let mut mark = |event: &str, name: &str, id: u64| {
            let line = format!(
                r#"{{"v":1,"event":"{event}","t_ns":1,"pid":1,"id":{id},"stage":"{name}"}}"#
            );
            found.take(line.as_bytes(), 1e9, Some(0));
        };
        for at in 0..1000 {
            let name = if at == 300 { "middle" } else { "pass" };
            mark("begin", name, at);
            mark("end", name, at);
        }
        mark("begin", "write", 1001);
        mark("end", "write", 1001);
        for at in 0..100 {
            mark("begin", "left", 2000 + at);
        }
        mark("begin", "write", 3000);
        let ended = found.ended_names();
        assert!(ended.contains("middle") && ended.contains("pass"));
        assert!(!ended.contains("left") && !ended.contains("write"));
    }

    #[test]
    fn lines_that_come_in_pieces_are_read_once_they_are_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("markers.jsonl");
        std::fs::write(&path, r#"{"v":1,"event":"begin","pid":1,"#).unwrap();
        let mut reader = Reader::new(&path);
        reader.read();
        assert!(reader.marks.is_empty());
        let mut file = std::fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .unwrap();
        std::io::Write::write_all(&mut file, b"\"stage\":\"data\"}\n").unwrap();
        reader.read();
        assert_eq!(reader.marks.current().unwrap().name, "data");
    }

    #[test]
    fn a_file_that_was_emptied_or_made_endless_is_read_in_bounded_pieces() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("markers.jsonl");
        let begin = |name: &str| {
            format!("{{\"v\":1,\"event\":\"begin\",\"pid\":1,\"stage\":\"{name}\"}}\n")
        };
        std::fs::write(&path, begin("one").repeat(3)).unwrap();
        let mut reader = Reader::new(&path);
        reader.read();
        std::fs::write(&path, begin("two")).unwrap();
        reader.read();
        assert_eq!(reader.marks.current().unwrap().name, "two");
        let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(1 << 40).unwrap();
        reader.read();
        assert!(reader.done <= MAX_LOOK_BYTES + BLOCK as u64);
        assert!(reader.rest.capacity() <= 2 * BLOCK);
    }
}
