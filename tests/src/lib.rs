//! End to end tests of FirstFault, and what they share.
//!
//! The programs and environments are named by variables that `cargo xtask test` sets. A variable that is not set is
//! an error: no test is ever skipped.

pub mod ended;
pub mod environments;
pub mod faults;
pub mod group;
pub mod planted;
pub mod processes;
pub mod scene;
pub mod sweeps;

pub use ended::Ended;
pub use environments::{Environment, StandIn, named_by};
pub use group::Group;
pub use scene::{Run, Scene};
