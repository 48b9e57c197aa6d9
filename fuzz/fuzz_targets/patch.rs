#![no_main]

libfuzzer_sys::fuzz_target!(|input: agent_fuzz::patch::Input| agent_fuzz::patch::check(&input));
