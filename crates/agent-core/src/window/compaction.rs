//! How a conversation is shortened, and by how much: a pure function of what stands in it and of
//! the room there is.

use serde::{Deserialize, Serialize};

/// A conversation was shortened. Positions are those of its messages as they stood then.
///
/// It is a note of the session like any other: what the model is shown follows from the notes, and
/// nothing that was kept is deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compaction {
    /// Long results of tools before this position are shown by their beginning and end.
    pub shorten: usize,
    /// What stands in the place of the oldest part.
    pub digest: Option<Digest>,
}

/// What stands in the place of messages that are no longer shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    /// The messages before this position are replaced, but for the instructions and the request.
    pub before: usize,
    /// The message in their place.
    pub text: String,
}

/// A message as a plan sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Item {
    /// What it takes.
    pub(crate) tokens: u64,
    /// What it takes once it is shortened; the same where it can't be.
    pub(crate) shortened: u64,
    /// Who speaks.
    pub(crate) role: Role,
    /// Whether it is always shown as it is.
    pub(crate) pinned: bool,
}

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The user, or the instructions.
    Says,
    /// The model.
    Model,
    /// A tool, for a call of the model's message before.
    Tool,
}

/// The room for a conversation, in estimated tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    /// As much as there may be.
    pub(crate) high: u64,
    /// As much as is left when it is shortened: well below, so that this happens seldom, and what
    /// is sent begins as it did before in between.
    pub(crate) low: u64,
    /// As much as a digest takes.
    pub(crate) digest: u64,
}

impl Room {
    /// The room in a window where so many tokens are free for the conversation.
    pub(crate) fn of(high: u64) -> Self {
        Self { high, low: high / 2, digest: high / 5 }
    }

    /// As much as may be left where shortening results is to be enough.
    fn enough(self) -> u64 {
        self.low + (self.high - self.low) * 2 / 5
    }

    /// As much as one message may take when it comes in.
    pub(crate) fn one_message(self) -> u64 {
        self.high / 4
    }
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Nothing: it fits.
    Keep,
    /// Long results before this position are shortened. No model is needed.
    Shorten(usize),
    /// What stands before `before` is replaced by a digest, and results before `shorten` are
    /// shortened.
    Digest {
        /// The first message that stays.
        before: usize,
        /// As in [`Plan::Shorten`].
        shorten: usize,
    },
    /// It does not fit, whatever is done.
    Hopeless,
}

/// Plans how `items` come to fit the room, beside `fixed` tokens that always stand there.
///
/// Results that the model has just asked for are the last to be touched. Calls and their results
/// are never parted: a digest ends before a message that is no result.
pub(crate) fn plan(items: &[Item], fixed: u64, room: Room) -> Plan {
    let total = fixed + items.iter().map(|item| item.tokens).sum::<u64>();
    if total <= room.high {
        return Plan::Keep;
    }
    let is_model = |item: &Item| item.role == Role::Model;
    let last_step = items.iter().rposition(is_model).unwrap_or(items.len());
    let (shorten, left) = shortened(&items[..last_step], total, room.low);
    if left <= room.enough() {
        return Plan::Shorten(shorten);
    }

    let fixed = fixed + room.digest;
    let after = |before: usize, shorten: usize| {
        let kept = |(at, item): (usize, &Item)| match (at < before, item.pinned, at < shorten) {
            (true, false, _) => 0,
            (true, true, _) | (false, _, false) => item.tokens,
            (false, _, true) => item.shortened,
        };
        fixed + items.iter().enumerate().map(kept).sum::<u64>()
    };
    let first = items.iter().position(|item| !item.pinned).unwrap_or(items.len());
    let ends = (first + 1..=last_step)
        .filter(|&at| items.get(at).is_some_and(|item| item.role != Role::Tool));
    for before in ends {
        if after(before, last_step) <= room.low {
            return Plan::Digest { before, shorten: last_step };
        }
    }
    // The last step alone is large: only the oldest of its results give way.
    let before = last_step;
    if first < before {
        for shorten in last_step..=items.len() {
            if after(before, shorten) <= room.high {
                return Plan::Digest { before, shorten };
            }
        }
    } else if let (shorten, left) = shortened(items, total, room.high)
        && left <= room.high
    {
        return Plan::Shorten(shorten);
    }
    let all = items.len();
    if first < all && after(all, all) <= room.high {
        return Plan::Digest { before: all, shorten: all };
    }
    Plan::Hopeless
}

/// Up to where results have to be shortened, the oldest first, and what is left of `total`, which
/// is no more than `wanted` where that can be had.
fn shortened(items: &[Item], total: u64, wanted: u64) -> (usize, u64) {
    let mut left = total;
    for (at, item) in items.iter().enumerate() {
        if left <= wanted {
            return (at, left);
        }
        left -= item.tokens - item.shortened;
    }
    (items.len(), left)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ROOM: Room = Room { high: 1000, low: 500, digest: 100 };

    fn says(tokens: u64) -> Item {
        Item { tokens, shortened: tokens, role: Role::Says, pinned: false }
    }

    fn pinned(tokens: u64) -> Item {
        Item { pinned: true, ..says(tokens) }
    }

    fn model(tokens: u64) -> Item {
        Item { role: Role::Model, ..says(tokens) }
    }

    fn tool(tokens: u64) -> Item {
        Item { tokens, shortened: tokens.min(20), role: Role::Tool, pinned: false }
    }

    /// Instructions and request, then `steps` of a call and its results.
    fn items(steps: &[&[u64]]) -> Vec<Item> {
        let mut items = vec![pinned(100), pinned(50)];
        for results in steps {
            items.push(model(10));
            items.extend(results.iter().map(|&tokens| tool(tokens)));
        }
        items
    }

    #[test]
    fn plans_do_as_little_as_they_have_to() {
        for (steps, expected) in [
            (&[&[300][..], &[300]][..], Plan::Keep),
            // The oldest result gives way, and the next, until half is free.
            (&[&[700], &[100], &[200]], Plan::Shorten(4)),
            (&[&[300], &[400], &[300]], Plan::Shorten(6)),
            // Too many calls for that.
            (&[&[20][..]; 40], Plan::Digest { before: 66, shorten: 80 }),
            // The last step takes more than half, but fits.
            (&[&[300], &[300], &[600]], Plan::Digest { before: 6, shorten: 6 }),
            // And here it does not, so that its first result gives way too.
            (&[&[300], &[600, 600]], Plan::Digest { before: 4, shorten: 6 }),
            (&[&[600, 600]], Plan::Shorten(4)),
        ] {
            assert_eq!(plan(&items(steps), 0, ROOM), expected, "{steps:?}");
        }
        let huge = [pinned(100), pinned(50), model(2000), tool(10)];
        assert_eq!(plan(&huge, 0, ROOM), Plan::Digest { before: 4, shorten: 4 });
        assert_eq!(plan(&[pinned(100), pinned(2000)], 0, ROOM), Plan::Hopeless);
        assert_eq!(plan(&items(&[&[300]]), 2000, ROOM), Plan::Hopeless, "too much is fixed");
        assert_eq!(plan(&[], 0, ROOM), Plan::Keep);
    }

    fn item() -> impl Strategy<Value = Item> {
        prop_oneof![
            (0u64..300).prop_map(says),
            (0u64..200).prop_map(model),
            (0u64..900).prop_map(tool),
        ]
    }

    proptest! {
        #[test]
        fn what_is_planned_fits(body in prop::collection::vec(item(), 0..60), fixed in 0u64..300) {
            let mut items = vec![pinned(100), pinned(50)];
            items.extend(body);
            let total = |items: &[Item]| fixed + items.iter().map(|item| item.tokens).sum::<u64>();
            match plan(&items, fixed, ROOM) {
                Plan::Keep => prop_assert!(total(&items) <= ROOM.high),
                Plan::Shorten(upto) => {
                    for item in &mut items[..upto] {
                        item.tokens = item.shortened;
                    }
                    prop_assert!(total(&items) <= ROOM.high);
                }
                Plan::Digest { before, shorten } => {
                    prop_assert!(before > 2 && before <= items.len());
                    prop_assert!(items.get(before).is_none_or(|item| item.role != Role::Tool));
                    for item in &mut items[..shorten] {
                        item.tokens = item.shortened;
                    }
                    let kept: Vec<Item> = items[..2].iter().chain(&items[before..]).copied().collect();
                    prop_assert!(total(&kept) + ROOM.digest <= ROOM.high);
                }
                Plan::Hopeless => prop_assert!(fixed + 150 + ROOM.digest > ROOM.high),
            }
        }
    }
}
