#![no_main]

libfuzzer_sys::fuzz_target!(|input: agent_fuzz::locate::Input| agent_fuzz::locate::check(&input));
