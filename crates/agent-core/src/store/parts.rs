//! Where a large content is cut: by what stands there, so that two versions of a file are cut alike
//! wherever they are alike, and most of their parts are the same.

/// Contents up to this size are kept whole.
pub(super) const WHOLE: usize = 4 << 20;

/// No part but the last is smaller, and none is larger.
const SMALLEST: usize = 256 << 10;
const LARGEST: usize = WHOLE;

/// A part ends after bytes whose hash has these bits unset: of a million bytes one.
const CUT: u64 = 0xf_ffff << 44;

/// The hash at a place depends on this many bytes before it.
const REACH: usize = 64;

/// The parts of `content`.
pub(super) fn parts(mut content: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (part, rest) = content.split_at_checked(length(content))?;
        content = rest;
        Some(part).filter(|part| !part.is_empty())
    })
}

/// How long the first part is.
fn length(content: &[u8]) -> usize {
    let most = content.len().min(LARGEST);
    let Some(looked_at) = content.get(SMALLEST - REACH..most) else { return most };
    let mut hash = 0_u64;
    for (place, byte) in looked_at.iter().enumerate() {
        hash = (hash << 1).wrapping_add(mixed(*byte));
        if place >= REACH && hash & CUT == 0 {
            return SMALLEST - REACH + place + 1;
        }
    }
    most
}

/// A number for a byte, with no pattern in it.
fn mixed(byte: u8) -> u64 {
    let mut number = (u64::from(byte) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Bytes without a pattern.
    fn noise(length: usize) -> Vec<u8> {
        let mut seed = 7_u64;
        let mut next = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 56) as u8
        };
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn parts_are_all_of_it_and_of_a_bounded_size() {
        for content in [noise(9 << 20), vec![b'a'; 9 << 20], noise(100), Vec::new()] {
            let cut: Vec<&[u8]> = parts(&content).collect();
            assert_eq!(cut.concat(), content);
            assert!(cut.iter().all(|part| part.len() <= LARGEST));
            assert!(cut.iter().rev().skip(1).all(|part| part.len() >= SMALLEST));
        }
    }

    #[test]
    fn an_edit_leaves_most_parts_as_they_are() {
        let old = noise(20 << 20);
        let mut new = old.clone();
        new.splice(5 << 20..(5 << 20) + 3, *b"something longer");
        let before: HashSet<&[u8]> = parts(&old).collect();
        let added = parts(&new).filter(|part| !before.contains(part)).count();
        assert!((1..=3).contains(&added), "{added} of {} parts", before.len());
    }
}
