//! Signals: Ctrl-C is noted once and asked for by whoever waits, and a file that may not grow ends nothing.

use std::sync::atomic::{AtomicU32, Ordering};

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

/// Whether Ctrl-C was pressed.
pub(crate) fn happened() -> bool {
    times() > 0
}

/// How often Ctrl-C was pressed.
pub(crate) fn times() -> u32 {
    INTERRUPTIONS.load(Ordering::SeqCst)
}
