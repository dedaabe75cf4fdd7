//! The worker's side of the protocol: one request in, events out, on descriptors that libraries can't reach.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::ExitCode;
use std::sync::mpsc;

use rustix::process::{Resource, Rlimit};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::fault::Fault;

/// The only protocol version that this worker speaks.
const PROTOCOL: u32 = 1;
/// The most bytes of a request: two receipts of 256 small numbers and a few words are far below it.
const MAX_REQUEST_BYTES: u64 = 64 * 1024;

/// What the parent asks for.
#[derive(Debug, Deserialize, PartialEq, Eq)]
pub(crate) struct Request {
    /// Protocol version.
    pub(crate) protocol: u32,
    /// Repeated in every event, so that nothing else in this process can forge one.
    pub(crate) nonce: String,
    /// GPU or CPU.
    pub(crate) device: Requested,
    /// Index of the GPU; ignored on the CPU.
    #[serde(default)]
    pub(crate) index: u32,
    /// Matrices whose product only a real multiplication can give.
    pub(crate) receipt: Receipt,
}

/// The kind of device.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Requested {
    /// A GPU.
    Gpu,
    /// The CPU, on explicit request.
    Cpu,
}

/// Two square matrices of small integers, row by row.
#[derive(Debug, Deserialize, PartialEq, Eq)]
pub(crate) struct Receipt {
    /// Rows and columns.
    pub(crate) size: usize,
    /// Left factor.
    pub(crate) left: Vec<i8>,
    /// Right factor.
    pub(crate) right: Vec<i8>,
}

impl Request {
    fn parse(line: &str) -> io::Result<Self> {
        let request: Self = serde_json::from_str(line).map_err(io::Error::other)?;
        if request.protocol != PROTOCOL {
            let problem = format!(
                "protocol {} was asked for, this worker speaks {PROTOCOL}",
                request.protocol
            );
            return Err(io::Error::other(problem));
        }
        let cells = request.receipt.size.checked_mul(request.receipt.size);
        if cells != Some(request.receipt.left.len()) || cells != Some(request.receipt.right.len()) {
            return Err(io::Error::other(
                "the receipt's matrices do not have its size",
            ));
        }
        Ok(request)
    }
}

/// Private ends of standard input and output.
pub(crate) struct Streams {
    stdin: BufReader<File>,
    stdout: File,
}

/// Takes standard input and output away from everything else in this process: what a library prints from now on
/// goes to standard error. Core dumps are switched off, since a crash here is an expected answer.
pub(crate) fn take_streams() -> io::Result<Streams> {
    rustix::process::setrlimit(
        Resource::Core,
        Rlimit {
            current: Some(0),
            maximum: Some(0),
        },
    )?;
    let stdout = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    let stdin = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    Ok(Streams {
        stdin: BufReader::new(stdin.into()),
        stdout: stdout.into(),
    })
}

impl Streams {
    /// Reads the request; from then on the end of standard input means that the parent is gone, and ends this process.
    pub(crate) fn first_request(self) -> io::Result<(Request, Events)> {
        let Self { mut stdin, stdout } = self;
        let mut line = String::new();
        Read::by_ref(&mut stdin)
            .take(MAX_REQUEST_BYTES)
            .read_line(&mut line)?;
        let request = Request::parse(&line)?;
        let (told, orders) = mpsc::channel();
        std::thread::spawn(move || listen(stdin, &told));
        let events = Events {
            nonce: request.nonce.clone(),
            next: 0,
            out: stdout,
            orders,
        };
        Ok((request, events))
    }
}

/// Passes each further line on. A computation that hangs in a driver can't be asked to stop, so when the parent is gone
/// the whole process leaves.
fn listen(stdin: BufReader<File>, told: &mpsc::Sender<()>) {
    for _ in stdin.lines().map_while(Result::ok) {
        // The worker may have ended meanwhile.
        let _ = told.send(());
    }
    leave();
}

/// Ends the process at once: the clean-up of libtorch and of the driver takes time, can hang or crash, and nothing here
/// needs it.
pub(crate) fn leave() -> ! {
    // SAFETY: runs no handlers, and every event has been written without a buffer.
    unsafe { libc::_exit(0) }
}

/// Writes events, each as one line in one write.
pub(crate) struct Events {
    nonce: String,
    next: u64,
    out: File,
    orders: mpsc::Receiver<()>,
}

/// The parent recognises a line by its beginning, so the nonce stands first.
#[derive(Serialize)]
struct Event<'a> {
    nonce: &'a str,
    seq: u64,
    #[serde(flatten)]
    what: What<'a>,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum What<'a> {
    Begin {
        stage: &'a str,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        wait: bool,
    },
    End {
        stage: &'a str,
        facts: &'a Value,
    },
    Fault {
        stage: &'a str,
        exception: &'a str,
        message: &'a str,
    },
    Done,
}

impl Events {
    /// A stage is about to begin.
    pub(crate) fn begin(&mut self, stage: &str) -> io::Result<()> {
        self.send(What::Begin { stage, wait: false })
    }

    /// A stage that can lock the host up is about to begin: returns once the parent has what was told so far on disk.
    pub(crate) fn begin_when_told(&mut self, stage: &str) -> io::Result<()> {
        self.send(What::Begin { stage, wait: true })?;
        self.orders.recv().map_err(io::Error::other)
    }

    /// A stage ended well, with these facts.
    pub(crate) fn end(&mut self, stage: &str, facts: &Value) -> io::Result<()> {
        self.send(What::End { stage, facts })
    }

    /// A stage failed. This is an answer, and the last one.
    pub(crate) fn fault(&mut self, stage: &str, fault: &Fault) -> io::Result<()> {
        self.send(What::Fault {
            stage,
            exception: fault.exception,
            message: &fault.message,
        })
    }

    /// Every stage ended well.
    pub(crate) fn done(&mut self) -> io::Result<()> {
        self.send(What::Done)
    }

    fn send(&mut self, what: What<'_>) -> io::Result<()> {
        // Whatever a library printed while it was loaded, before `main`, ends before the first event.
        let mut line = if self.next == 0 {
            b"\n".to_vec()
        } else {
            Vec::new()
        };
        serde_json::to_writer(
            &mut line,
            &Event {
                nonce: &self.nonce,
                seq: self.next,
                what,
            },
        )?;
        line.push(b'\n');
        self.next += 1;
        self.out.write_all(&line)
    }
}

/// Says on standard error why there is no answer; the exit number is that of a usage error.
pub(crate) fn refuse(error: &io::Error) -> ExitCode {
    // Nobody is left to be told when standard error is closed.
    let _ = writeln!(io::stderr(), "firstfault-libtorch: {error}");
    ExitCode::from(2)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_is_read() {
        let line = r#"{"protocol":1,"nonce":"n","device":"gpu","index":1,"receipt":{"size":1,"left":[-8],"right":[8]}}"#;
        let request = Request::parse(line).unwrap();
        assert_eq!(request.device, Requested::Gpu);
        assert_eq!(request.index, 1);
        assert_eq!(
            request.receipt,
            Receipt {
                size: 1,
                left: vec![-8],
                right: vec![8]
            }
        );
    }

    #[test]
    fn another_protocol_is_refused() {
        let line = r#"{"protocol":2,"nonce":"n","device":"cpu","receipt":{"size":0,"left":[],"right":[]}}"#;
        assert!(
            Request::parse(line)
                .unwrap_err()
                .to_string()
                .contains("protocol 2")
        );
    }

    #[test]
    fn a_receipt_of_another_size_is_refused() {
        let line = r#"{"protocol":1,"nonce":"n","device":"cpu","receipt":{"size":2,"left":[1],"right":[1]}}"#;
        assert!(
            Request::parse(line)
                .unwrap_err()
                .to_string()
                .contains("size")
        );
    }

    #[test]
    fn an_event_begins_with_the_nonce_and_a_rising_number() {
        let path =
            std::env::temp_dir().join(format!("firstfault-libtorch-events-{}", std::process::id()));
        let (told, orders) = mpsc::channel();
        let mut events = Events {
            nonce: "n".to_owned(),
            next: 0,
            out: File::create(&path).unwrap(),
            orders,
        };
        events.begin("import").unwrap();
        events.end("import", &json!({"value": f64::NAN})).unwrap();
        told.send(()).unwrap();
        events.begin_when_told("device").unwrap();
        events
            .fault("device", &Fault::new("RuntimeError", "broken"))
            .unwrap();
        events.done().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "",
                r#"{"nonce":"n","seq":0,"event":"begin","stage":"import"}"#,
                r#"{"nonce":"n","seq":1,"event":"end","stage":"import","facts":{"value":null}}"#,
                r#"{"nonce":"n","seq":2,"event":"begin","stage":"device","wait":true}"#,
                r#"{"nonce":"n","seq":3,"event":"fault","stage":"device","exception":"RuntimeError","message":"broken"}"#,
                r#"{"nonce":"n","seq":4,"event":"done"}"#,
            ]
        );
    }
}
