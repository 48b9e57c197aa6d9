//! Texts, deflated one after another.

use std::fmt;

use miniz_oxide::{
    DataFormat,
    deflate::{
        CompressionLevel,
        core::{CompressorOxide, TDEFLFlush, TDEFLStatus, compress},
    },
};

/// How hard texts are compressed.
const EFFORT: CompressionLevel = CompressionLevel::BestSpeed;

/// Shorter texts are not worth it.
const WORTH: usize = 256;

/// Deflates texts. What that takes, some hundred kilobytes, is made once and not for each.
#[derive(Default)]
pub(super) struct Packer(Option<Box<CompressorOxide>>);

impl Packer {
    /// The text as a zlib stream, where that is smaller.
    pub(super) fn packed(&mut self, text: &[u8]) -> Option<Vec<u8>> {
        if text.len() < WORTH {
            return None;
        }
        let new = || Box::new(CompressorOxide::with_format_and_level(DataFormat::Zlib, EFFORT));
        let compressor = match &mut self.0 {
            Some(used) => {
                used.reset();
                used
            }
            none => none.insert(new()),
        };
        let mut packed = vec![0; text.len()];
        // What has no room in as many bytes is not smaller.
        let (status, _, length) = compress(compressor, text, &mut packed, TDEFLFlush::Finish);
        packed.truncate(length);
        (status == TDEFLStatus::Done && length < text.len()).then_some(packed)
    }
}

impl fmt::Debug for Packer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Packer").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use miniz_oxide::inflate::decompress_to_vec_zlib;

    use super::*;

    #[test]
    fn each_text_stands_alone() {
        let mut packer = Packer::default();
        let texts = ["one line\n", "another\n", "one line\n"].map(|line| line.repeat(500));
        for text in &texts {
            let packed = packer.packed(text.as_bytes()).unwrap();
            assert!(packed.len() < text.len() / 10);
            assert_eq!(decompress_to_vec_zlib(&packed).unwrap(), text.as_bytes());
        }
        assert_eq!(packer.packed(texts[0].as_bytes()), packer.packed(texts[2].as_bytes()));
    }

    #[test]
    fn what_does_not_shrink_stays_as_it_is() {
        let mut packer = Packer::default();
        assert_eq!(packer.packed(&[b'a'; WORTH - 1]), None);
        let hashes = (0..100_u32).map(|number| agent_tools::sha256(&number.to_le_bytes()));
        let bytes: Vec<u8> = hashes
            .flat_map(|hash| {
                let pairs: Vec<u8> = hash.into_bytes();
                pairs
                    .chunks(2)
                    .map(|pair| u8::from_str_radix(&String::from_utf8_lossy(pair), 16).unwrap())
                    .collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(packer.packed(&bytes), None);
        assert!(packer.packed(&[b'a'; WORTH]).is_some());
    }
}
