//! Components, one file each. A component is a function of its properties.

pub(crate) mod actions;
pub(crate) mod app;
pub(crate) mod chart;
pub(crate) mod compare;
pub(crate) mod copy;
pub(crate) mod decisions;
pub(crate) mod dossier;
pub(crate) mod evidence;
pub(crate) mod header;
pub(crate) mod icon;
pub(crate) mod log;
pub(crate) mod many;
pub(crate) mod noise;
pub(crate) mod notices;
pub(crate) mod picker;
pub(crate) mod proofs;
pub(crate) mod raw;
pub(crate) mod report;
pub(crate) mod resume;
pub(crate) mod start;
pub(crate) mod strip;
pub(crate) mod sweep;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod timeline;
pub(crate) mod verdict;
