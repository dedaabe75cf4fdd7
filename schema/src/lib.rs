//! The contract of FirstFault: what a report is, how one is read, and what it means.
//!
//! Everything here is pure: no files, no clock, no processes, no browser. The native program writes
//! [`Report`]s and the page reads them through the one door, [`Report::from_json`].

pub mod carry;
pub mod catalogue;
pub mod clean;
pub mod code;
pub mod compare;
pub mod decision;
pub mod diagnosis;
pub mod explain;
pub mod facts;
pub mod format;
pub mod guidance;
mod index;
mod matching;
pub mod noise;
pub mod parse;
pub mod report;
mod rules;
mod search;
pub mod ticket;
pub mod visible;
pub mod vocabulary;

pub use code::{Code, Status};
pub use decision::{Decision, DecisionId, Outcome};
pub use parse::ReportError;
pub use report::Report;
