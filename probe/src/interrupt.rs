//! Signals: Ctrl-C is noted once and asked for by whoever waits, and a file that may not grow ends nothing.

use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

static INTERRUPTIONS: AtomicU32 = AtomicU32::new(0);
/// The signal that came last.
static SIGNAL: AtomicI32 = AtomicI32::new(SIGINT);

const SIGHUP: i32 = 1;
const SIGINT: i32 = 2;
const SIGTERM: i32 = 15;

/// Notes Ctrl-C from now on instead of dying of it. SIGTERM and SIGHUP keep their meaning: the keeper ends the worker.
#[cfg(unix)]
pub(crate) fn install() {
    note(&[SIGINT]);
}

/// Notes Ctrl-C, and also what job schedulers and closed terminals send: the work of hours shall not be lost to it. What was
/// ignored at the start, as under `nohup`, stays ignored.
#[cfg(unix)]
pub(crate) fn install_for_long_work() {
    let ignored = ignored();
    let mut signals = vec![SIGINT];
    signals.extend(
        [SIGTERM, SIGHUP]
            .iter()
            .filter(|signal| ignored >> (**signal - 1) & 1 == 0),
    );
    note(&signals);
}

#[cfg(not(unix))]
pub(crate) fn install_for_long_work() {
    install();
}

/// Signals that this process ignores, the lowest bit for signal 1; none where the system does not tell.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

#[cfg(unix)]
fn note(signals: &[i32]) {
    // A second handler would count each signal twice.
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        for signal in signals.iter().copied() {
            let note = move || {
                SIGNAL.store(signal, Ordering::SeqCst);
                INTERRUPTIONS.fetch_add(1, Ordering::SeqCst);
            };
            // A handler of its own rather than a thread that waits: where the system gives no more threads, it still works.
            // SAFETY: two writes to atomics are all that the handler does, and that is allowed in one.
            let _ = unsafe { signal_hook::low_level::register(signal, note) };
        }
    });
}

/// The exit code that tells what interrupted: 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP.
pub(crate) fn exit_code() -> u8 {
    u8::try_from(128 + SIGNAL.load(Ordering::SeqCst)).unwrap_or(130)
}

/// Notes Ctrl-C from now on instead of dying of it.
#[cfg(not(unix))]
pub(crate) fn install() {
    // A second installation fails, and the first one still holds.
    let _ = ctrlc::set_handler(|| {
        INTERRUPTIONS.fetch_add(1, Ordering::SeqCst);
    });
}

/// Makes writing past the limit on the size of files an error that can be told, instead of a death. Programs that are
/// started from here meet the signal as ever, since a handler, unlike ignoring, is not inherited.
#[cfg(unix)]
pub(crate) fn outlive_the_file_size_limit() {
    let noted = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    // Where it can't be handled, it ends this process as before.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, noted);
}

/// When whoever waits has to give up, although Ctrl-C was not pressed.
static DEADLINE: Mutex<Option<Instant>> = Mutex::new(None);

/// Does `work`, which is interrupted at `until` as by Ctrl-C; [`times`] tells the two apart.
pub(crate) fn within<T>(until: Option<Instant>, work: impl FnOnce() -> T) -> T {
    let set = |value| *DEADLINE.lock().unwrap_or_else(PoisonError::into_inner) = value;
    set(until);
    let done = work();
    set(None);
    done
}

/// Whether Ctrl-C was pressed, or a deadline has passed.
pub(crate) fn happened() -> bool {
    let deadline = *DEADLINE.lock().unwrap_or_else(PoisonError::into_inner);
    times() > 0 || deadline.is_some_and(|until| Instant::now() >= until)
}

/// How often Ctrl-C was pressed.
pub(crate) fn times() -> u32 {
    INTERRUPTIONS.load(Ordering::SeqCst)
}
