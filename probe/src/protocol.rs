//! What `firstfault` and its workers say to each other, and the order in which a worker must say it.
//!
//! A worker is sent one [`Request`] line on standard input and answers with one JSON object a line. It announces
//! each stage before it does it, so a worker that dies names its stage. Every line carries the request's nonce and
//! the next number: noise can't be taken for an event, and nothing can be left out, repeated or turned round.

use firstfault_schema::report::{RequestedDevice, Stage};
use serde::{Deserialize, Serialize};

/// Version of these messages.
pub(crate) const PROTOCOL: u32 = 1;
/// Rows and columns of the receipt's matrices.
pub(crate) const RECEIPT_SIZE: usize = 16;
/// Entries of the receipt lie between minus this and this: exact in float32, and in TF32 too.
const RECEIPT_BOUND: i32 = 8;

/// What a worker is asked to do.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Request {
    pub(crate) protocol: u32,
    pub(crate) nonce: String,
    pub(crate) device: RequestedDevice,
    pub(crate) index: u32,
    /// Folder that stands first on `sys.path`, as Python would put it; unused without Python.
    pub(crate) program_folder: Option<String>,
    pub(crate) receipt: Receipt,
}

/// Two square matrices of random whole numbers, row by row: their product can't be known beforehand.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Receipt {
    pub(crate) size: usize,
    pub(crate) left: Vec<i32>,
    pub(crate) right: Vec<i32>,
}

impl Receipt {
    fn random() -> Self {
        let mut numbers = random_bytes(2 * RECEIPT_SIZE * RECEIPT_SIZE)
            .into_iter()
            .map(|byte| i32::from(byte) % (2 * RECEIPT_BOUND + 1) - RECEIPT_BOUND);
        let mut matrix = || numbers.by_ref().take(RECEIPT_SIZE * RECEIPT_SIZE).collect();
        Self {
            size: RECEIPT_SIZE,
            left: matrix(),
            right: matrix(),
        }
    }

    /// Whether `product` is the product of the two matrices, exactly.
    pub(crate) fn is_product(&self, product: &[Option<f64>]) -> bool {
        product.len() == self.size * self.size
            && product.iter().enumerate().all(|(at, value)| {
                let (row, column) = (at / self.size, at % self.size);
                let exact: i32 = (0..self.size)
                    .map(|k| self.left[row * self.size + k] * self.right[k * self.size + column])
                    .sum();
                *value == Some(f64::from(exact))
            })
    }
}

impl Request {
    pub(crate) fn new(device: RequestedDevice, index: u32, program_folder: Option<String>) -> Self {
        Self {
            protocol: PROTOCOL,
            nonce: nonce(),
            device,
            index,
            program_folder,
            receipt: Receipt::random(),
        }
    }

    /// The request as one line.
    pub(crate) fn line(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(self).unwrap_or_default();
        line.push(b'\n');
        line
    }

    /// How each of this request's events begins.
    pub(crate) fn event_prefix(&self) -> Vec<u8> {
        format!("{{\"nonce\":\"{}\"", self.nonce).into_bytes()
    }
}

/// 32 hexadecimal digits that nobody can guess.
pub(crate) fn nonce() -> String {
    random_bytes(16)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn random_bytes(count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    #[allow(
        clippy::expect_used,
        reason = "an operating system without random numbers can't run a check"
    )]
    getrandom::fill(&mut bytes).expect("the operating system gives random numbers");
    bytes
}

/// One line of a worker.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Event {
    pub(crate) nonce: String,
    pub(crate) seq: u32,
    #[serde(flatten)]
    pub(crate) what: What,
}

/// What a line says.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum What {
    /// A stage is about to be done. `wait`: the worker waits for `go`, once everything so far is on disk.
    Begin {
        stage: Stage,
        #[serde(default)]
        wait: bool,
    },
    /// It was done.
    End {
        stage: Stage,
        #[serde(default)]
        facts: Facts,
    },
    /// It failed; nothing follows.
    Fault {
        stage: Stage,
        exception: String,
        message: String,
        #[serde(default)]
        facts: Facts,
    },
    /// All stages were done; nothing follows.
    Done,
}

/// Raw values of a stage. Each worker sends those that it has; the parent judges them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Facts {
    pub(crate) python_version: Option<String>,
    pub(crate) python_implementation: Option<String>,
    pub(crate) system: Option<String>,
    pub(crate) architecture: Option<String>,
    pub(crate) torch_version: Option<String>,
    pub(crate) cuda_version: Option<String>,
    pub(crate) hip_version: Option<String>,
    pub(crate) other_backends: Option<Vec<String>>,
    pub(crate) origin: Option<String>,
    pub(crate) missing: Option<bool>,
    pub(crate) import_ms: Option<f64>,
    pub(crate) backend: Option<String>,
    pub(crate) gpu_hooks: Option<bool>,
    pub(crate) cpu_control: Option<bool>,
    pub(crate) visible_device_count: Option<u32>,
    pub(crate) devices: Option<Vec<SeenDevice>>,
    pub(crate) compiled_architectures: Option<Vec<String>>,
    pub(crate) device: Option<String>,
    pub(crate) dtype: Option<String>,
    pub(crate) values: Option<Vec<Option<f64>>>,
    pub(crate) loss: Option<f64>,
    pub(crate) first_pass_ms: Option<f64>,
    pub(crate) following_pass_ms: Option<f64>,
    pub(crate) receipt: Option<Vec<Option<f64>>>,
}

/// A device as a worker sees it. No type of the report: what identifies a card stays out of it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct SeenDevice {
    pub(crate) index: u32,
    pub(crate) name: String,
    pub(crate) compute_capability: Option<String>,
    pub(crate) total_memory_bytes: Option<u64>,
    #[serde(default)]
    pub(crate) uuid: Option<String>,
}

/// What a worker said before it ended, in an order that was enforced.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transcript {
    /// Stages that began and ended, with their facts.
    pub(crate) completed: Vec<(Stage, Facts)>,
    /// The stage that began and has not ended.
    pub(crate) open: Option<Stage>,
    /// The fault that it announced.
    pub(crate) fault: Option<Fault>,
    /// It said that all stages were done.
    pub(crate) done: bool,
    /// It broke the order: nothing after that is believed.
    pub(crate) garbled: bool,
    next_seq: u32,
}

/// A fault that a worker announced.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) stage: Stage,
    pub(crate) exception: String,
    pub(crate) message: String,
    pub(crate) facts: Facts,
}

impl Transcript {
    /// Takes one event. Returns false when it breaks the order, and from then on.
    pub(crate) fn take(&mut self, event: Event) -> bool {
        let closed = self.done || self.fault.is_some();
        if self.garbled || closed || event.seq != self.next_seq {
            self.garbled = true;
            return false;
        }
        self.next_seq += 1;
        let fits = match event.what {
            What::Begin { stage, .. } => {
                // The application and the output are no worker's business.
                let follows = self.open.is_none()
                    && stage <= Stage::Synchronize
                    && self.completed.last().is_none_or(|(last, _)| stage > *last);
                self.open = Some(stage);
                follows
            }
            What::End { stage, facts } => {
                let fits = self.open == Some(stage);
                self.open = None;
                self.completed.push((stage, facts));
                fits
            }
            What::Fault {
                stage,
                exception,
                message,
                facts,
            } => {
                let fits = self.open == Some(stage);
                self.fault = Some(Fault {
                    stage,
                    exception,
                    message,
                    facts,
                });
                fits
            }
            What::Done => {
                self.done = true;
                self.open.is_none()
            }
        };
        self.garbled = !fits;
        fits
    }

    /// The facts of a completed stage.
    pub(crate) fn facts(&self, stage: Stage) -> Option<&Facts> {
        self.completed
            .iter()
            .find(|(done, _)| *done == stage)
            .map(|(_, facts)| facts)
    }

    /// The stage in which the worker is, or was when it ended.
    pub(crate) fn stage(&self) -> Stage {
        self.open
            .or_else(|| self.completed.last().map(|(stage, _)| *stage))
            .unwrap_or(Stage::Interpreter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(seq: u32, text: &str) -> Event {
        serde_json::from_str(&format!("{{\"nonce\":\"n\",\"seq\":{seq},{text}}}")).unwrap()
    }

    #[test]
    fn stages_in_order_are_believed() {
        let mut transcript = Transcript::default();
        assert!(transcript.take(event(0, r#""event":"begin","stage":"import""#)));
        assert!(transcript.take(event(
            1,
            r#""event":"end","stage":"import","facts":{"torch_version":"2.13.0"}"#
        )));
        assert!(transcript.take(event(2, r#""event":"begin","stage":"backend""#)));
        assert_eq!(transcript.stage(), Stage::Backend);
        assert_eq!(
            transcript
                .facts(Stage::Import)
                .unwrap()
                .torch_version
                .as_deref(),
            Some("2.13.0")
        );
    }

    #[test]
    fn a_skipped_number_a_turned_order_and_a_late_event_are_garbled() {
        let mut skipped = Transcript::default();
        assert!(!skipped.take(event(1, r#""event":"begin","stage":"import""#)));
        let mut turned = Transcript::default();
        assert!(turned.take(event(0, r#""event":"begin","stage":"device""#)));
        assert!(turned.take(event(1, r#""event":"end","stage":"device""#)));
        assert!(!turned.take(event(2, r#""event":"begin","stage":"import""#)));
        let mut late = Transcript::default();
        assert!(late.take(event(0, r#""event":"done""#)));
        assert!(!late.take(event(1, r#""event":"begin","stage":"import""#)));
    }

    #[test]
    fn a_stage_that_no_worker_has_is_garbled() {
        for stage in ["application", "output"] {
            let text = format!(r#""event":"begin","stage":"{stage}""#);
            assert!(!Transcript::default().take(event(0, &text)));
        }
    }

    #[test]
    fn an_end_without_its_begin_is_garbled() {
        let mut transcript = Transcript::default();
        assert!(!transcript.take(event(0, r#""event":"end","stage":"product""#)));
        assert!(transcript.garbled);
    }

    #[test]
    fn only_the_exact_product_is_a_receipt() {
        let receipt = Receipt {
            size: 2,
            left: vec![1, 2, 3, 4],
            right: vec![2, 0, 1, 2],
        };
        assert!(receipt.is_product(&[4.0, 4.0, 10.0, 8.0].map(Some)));
        assert!(!receipt.is_product(&[4.0, 4.0, 10.0, 8.5].map(Some)));
        assert!(!receipt.is_product(&[Some(4.0), Some(4.0), Some(10.0), None]));
        assert!(!receipt.is_product(&[4.0, 4.0, 10.0].map(Some)));
    }

    #[test]
    fn two_requests_never_share_a_nonce_or_a_receipt() {
        let [first, second] = [0, 0].map(|index| Request::new(RequestedDevice::Cpu, index, None));
        assert_ne!(first.nonce, second.nonce);
        assert_ne!(first.receipt.left, second.receipt.left);
        assert!(
            first
                .receipt
                .left
                .iter()
                .all(|number| number.abs() <= RECEIPT_BOUND)
        );
    }
}
