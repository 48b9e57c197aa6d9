#![no_main]

libfuzzer_sys::fuzz_target!(|input: agent_fuzz::sketch::Input| agent_fuzz::sketch::check(&input));
