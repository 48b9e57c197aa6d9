#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| agent_fuzz::repair::check(text));
