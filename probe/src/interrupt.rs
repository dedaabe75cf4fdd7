//! Ctrl-C: noted once, asked for by whoever waits.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Notes Ctrl-C from now on instead of dying of it. SIGTERM and SIGHUP keep their meaning: the keeper ends the worker.
pub(crate) fn install() {
    // A second installation fails, and the first one still holds.
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::SeqCst));
}

/// Whether Ctrl-C was pressed.
pub(crate) fn happened() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}
