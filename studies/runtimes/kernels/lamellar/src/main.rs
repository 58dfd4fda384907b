//! The kernels on Lamellar's distributed arrays, as its examples use them: `lamellar-kernels NAME`.
//!
//! Inputs and sums are those of `kernels.hpp`.

use lamellar::active_messaging::prelude::*;
use lamellar::array::prelude::*;
use std::time::Instant;

const PLACES_OF_RANK: u64 = 1 << 20;
const ACCESSES_OF_RANK: u64 = 1 << 22;
const REPETITIONS: usize = 5;

/// A bijection of 64 bits (Steele, Lea, Flood 2014, DOI 10.1145/2660193.2660195).
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D049BB133111EB);
    x ^ (x >> 31)
}

fn draw_below(limit: u64, index: u64) -> u64 {
    let bits = mix((index + 1).wrapping_mul(0x9E3779B97F4A7C15).wrapping_add(1));
    ((bits >> 32) * limit) >> 32
}

/// The indices that a process accesses, over the whole array: dealt to processes in turn.
fn accesses(rank: u64, ranks: u64) -> Vec<usize> {
    (0..ACCESSES_OF_RANK)
        .map(|i| draw_below(PLACES_OF_RANK * ranks, rank * ACCESSES_OF_RANK + i) as usize)
        .collect()
}

/// Seconds of each run, the first left out, and the sum over all processes.
fn measure(world: &LamellarWorld, name: &str) -> (Vec<f64>, u64) {
    let (rank, ranks) = (world.my_pe() as u64, world.num_pes() as u64);
    let places = accesses(rank, ranks);
    let size = (PLACES_OF_RANK * ranks) as usize;
    let array = AtomicArray::<u64>::new(world, size, Distribution::Cyclic).block();
    let sums = AtomicArray::<u64>::new(world, world.num_pes(), Distribution::Block).block();
    let mut times = Vec::new();
    let mut sum = 0;
    for _ in 0..=REPETITIONS {
        let mut part = 0u64;
        let local = array.local_data();
        for (i, element) in local.iter().enumerate() {
            let value = if name == "gather" { mix(i as u64 * ranks + rank) } else { 0 };
            element.store(value);
        }
        world.barrier();
        let begin = Instant::now();
        let mut answers = Vec::new();
        if name == "gather" {
            answers = array.batch_load(places.clone()).block();
        } else {
            array.batch_add(places.clone(), 1).block();
        }
        world.wait_all();
        world.barrier();
        times.push(begin.elapsed().as_secs_f64());
        if name == "gather" {
            for (i, answer) in answers.iter().enumerate() {
                part = part.wrapping_add(answer.wrapping_mul(2 * i as u64 + 1));
            }
        } else {
            for (i, element) in local.iter().enumerate() {
                part = part.wrapping_add(mix(i as u64 * ranks + rank).wrapping_mul(element.load()));
            }
        }
        sums.local_data().at(0).store(part);
        world.barrier();
        sum = (0..world.num_pes())
            .map(|pe| sums.load(pe).block())
            .fold(0u64, |all, each| all.wrapping_add(each));
        world.barrier();
    }
    times.remove(0);
    (times, sum)
}

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    if name != "histogram" && name != "gather" {
        eprintln!("error: no such kernel");
        std::process::exit(2);
    }
    let world = LamellarWorldBuilder::new().build();
    let (times, sum) = measure(&world, &name);
    if world.my_pe() == 0 {
        println!("{{\"steelyard\": 1, \"metric\": \"time_s\", \"unit\": \"s\", \"values\": {times:?}}}");
        println!("{{\"steelyard\": 1, \"metric\": \"sum\", \"values\": [{}]}}", sum & ((1 << 53) - 1));
    }
}
