#![no_main]

libfuzzer_sys::fuzz_target!(|input: agent_fuzz::edit::Input| agent_fuzz::edit::check(&input));
