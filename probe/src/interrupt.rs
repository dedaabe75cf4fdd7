//! Signals: Ctrl-C is noted once and asked for by whoever waits, and a file that may not grow ends nothing.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

static INTERRUPTIONS: AtomicU32 = AtomicU32::new(0);

/// Notes Ctrl-C from now on instead of dying of it. SIGTERM and SIGHUP keep their meaning: the keeper ends the worker.
#[cfg(unix)]
pub(crate) fn install() {
    // A handler of its own rather than a thread that waits: where the system gives no more threads, Ctrl-C still works.
    let note = || {
        INTERRUPTIONS.fetch_add(1, Ordering::SeqCst);
    };
    // A second one would count each press twice.
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        // SAFETY: an atomic addition is all that the handler does, and that is allowed in one.
        let _ = unsafe { signal_hook::low_level::register(signal_hook::consts::SIGINT, note) };
    });
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
