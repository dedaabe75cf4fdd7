//! The FirstFault page: opens reports in a browser, offline, and shows what they say.
//!
//! [`state`], [`view_model`], [`many`], [`order`], [`link`] and [`format`] are pure and know no browser;
//! [`browser`] is the only place that does. A component is a function of its properties.

pub use firstfault_schema::format;

pub mod browser;
mod components;
pub mod examples;
pub mod link;
pub mod many;
pub mod order;
pub mod state;
pub mod view_model;
pub mod words;
