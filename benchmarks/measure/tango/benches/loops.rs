//! Loops of about 10, 100 and 500 µs, longer by the percents that PLANTED_PERCENT said when they were compiled.

use std::hint::black_box;

use tango_bench::{benchmark_fn, tango_benchmarks, IntoBenchmarks};

const SIZES: [(&str, u64); 3] = [("10 µs", 10), ("100 µs", 100), ("500 µs", 500)];
const STEPS_A_US: u64 = 370;

fn planted(steps: u64) -> u64 {
    steps + steps * option_env!("PLANTED_PERCENT").map_or(0, |percent| percent.parse().unwrap()) / 100
}

fn loops() -> impl IntoBenchmarks {
    SIZES.map(|(name, us)| {
        let steps = planted(us * STEPS_A_US);
        benchmark_fn(name, move |b| b.iter(move || (0..steps).fold(0, |sum, step| black_box(sum + step))))
    })
}

tango_benchmarks!(loops());
