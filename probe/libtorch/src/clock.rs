//! How long this process has been running: the loader takes libtorch in before `main` can look at a clock.

use rustix::param::clock_ticks_per_second;
use rustix::time::{ClockId, clock_gettime};

/// Milliseconds since the kernel started this process, in the kernel's own steps (usually 10 ms); none where the kernel
/// does not tell.
#[allow(
    clippy::cast_precision_loss,
    reason = "ticks and seconds since boot are far below 2^53"
)]
pub(crate) fn since_start_ms() -> Option<f64> {
    let started = start_ticks(&std::fs::read_to_string("/proc/self/stat").ok()?)?;
    let now = clock_gettime(ClockId::Boottime);
    let now_ms = now.tv_sec as f64 * 1e3 + now.tv_nsec as f64 / 1e6;
    let started_ms = started as f64 * 1e3 / clock_ticks_per_second() as f64;
    Some((now_ms - started_ms).max(0.0))
}

/// Field 22 of `/proc/self/stat`. The name, field 2, may hold anything, brackets and spaces included:
/// `4242 (firstfault-lib) R 1 4242 4242 0 -1 4194304 90 0 0 0 0 0 0 0 20 0 1 0 8675309 3000000`.
fn start_ticks(stat: &str) -> Option<u64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_ascii_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_read_behind_any_name() {
        let stat =
            "4242 (a) b (c) R 1 4242 4242 0 -1 4194304 90 0 0 0 0 0 0 0 20 0 1 0 8675309 3000000";
        assert_eq!(start_ticks(stat), Some(8_675_309));
        assert_eq!(start_ticks("4242 (a) R 1"), None);
    }

    #[test]
    fn this_process_started_a_short_while_ago() {
        let since_start = since_start_ms().unwrap();
        assert!((0.0..600_000.0).contains(&since_start), "{since_start}");
    }
}
