//! The texts of the chosen language, handed to every component.

use std::ops::Deref;
use std::rc::Rc;

use firstfault_schema::guidance::Guidance;
use yew::prelude::*;

/// The texts; equal when the language is.
#[derive(Clone)]
pub struct Words(pub Rc<Guidance>);

impl PartialEq for Words {
    fn eq(&self, other: &Self) -> bool {
        self.0.language() == other.0.language()
    }
}

impl Deref for Words {
    type Target = Guidance;

    fn deref(&self) -> &Guidance {
        &self.0
    }
}

/// The texts of the chosen language.
#[hook]
pub fn use_words() -> Words {
    use_context::<Words>().unwrap_or_else(|| Words(Rc::new(Guidance::new(Default::default()))))
}
