//! Starts the page.

fn main() {
    firstfault_viewer::browser::start();
}
