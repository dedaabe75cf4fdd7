//! Sorting, compiled once for all types: the standard library's sort is as large as a whole view, and there
//! would be a copy of it for each.

use std::cmp::Ordering;

/// `items` in the order of `compare`; equal ones stay as they are.
pub fn ordered<T>(items: Vec<T>, compare: &dyn Fn(&T, &T) -> Ordering) -> Vec<T> {
    let mut places: Vec<usize> = (0..items.len()).collect();
    sort(&mut places, &|left, right| {
        compare(&items[left], &items[right])
    });
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    let taken = places.into_iter().filter_map(|at| items[at].take());
    taken.collect()
}

#[inline(never)]
fn sort(places: &mut [usize], compare: &dyn Fn(usize, usize) -> Ordering) {
    places.sort_by(|left, right| compare(*left, *right));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_sorted_and_equal_ones_stay_in_place() {
        let items = vec![(2, 'a'), (1, 'b'), (2, 'c'), (1, 'd')];
        let sorted = ordered(items, &|left, right| left.0.cmp(&right.0));
        assert_eq!(sorted, [(1, 'b'), (1, 'd'), (2, 'a'), (2, 'c')]);
        assert_eq!(ordered(Vec::<u8>::new(), &Ord::cmp), [] as [u8; 0]);
    }
}
