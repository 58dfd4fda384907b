// How long it takes to sort 1,000 numbers, in Rust: rustc -O -o sorting-rs sorting.rs
use std::fs::OpenOptions;
use std::hint::black_box;
use std::io::{self, Write};
use std::time::Instant;

fn report(metric: &str, unit: &str, values: &[f64]) -> io::Result<()> {
    let listed: Vec<String> = values.iter().map(|value| format!("{value:e}")).collect();
    let line = format!(
        "{{\"steelyard\":1,\"metric\":\"{metric}\",\"unit\":\"{unit}\",\"values\":[{}]}}\n",
        listed.join(",")
    );
    match std::env::var_os("STEELYARD_METRICS") {
        // One write, so that lines of several processes stay whole.
        Some(path) => OpenOptions::new().append(true).create(true).open(path)?.write_all(line.as_bytes()),
        None => io::stdout().write_all(line.as_bytes()),
    }
}

fn main() -> io::Result<()> {
    let mut values = Vec::new();
    for _ in 0..30 {
        let mut numbers: Vec<u32> = (0..1000).map(|i| i * 7919 % 1000).collect();
        let start = Instant::now();
        numbers.sort_unstable();
        black_box(&numbers);
        values.push(start.elapsed().as_secs_f64());
    }
    report("sort_s", "s", &values)
}
