"""Small projects with benchmarks of real harnesses, in git, each with a commit that changes nothing and one
that makes some benchmarks slower by a known part.

Every benchmark is a chain of dependent integer operations, so that its time is the number of its steps. Sizes
lie in the source: in the commit ``slow``, ``five`` has 5 % more steps than before, ``ten`` and ``twenty`` as
many as they say.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

STEPS = 40_000
PLANTED = {"equal_a": 0.0, "equal_b": 0.0, "five": 0.05, "ten": 0.1, "twenty": 0.2}
"""Benchmark to the part by which the commit ``slow`` makes it slower."""
PAIR = {"equal_a": 0.0, "ten": 0.1}
"""The same, of suites that are small, so that many of them are gated."""
IDENTITY = {
    f"GIT_{text}_{what}": value
    for text in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Bench"), ("EMAIL", "bench@example.org"))
} | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


class Project(NamedTuple):
    """A project and its harness.

    ``tool`` must be installed; ``source`` is the format of its report, ``metric`` what is compared.
    """

    name: str
    tool: str
    files: dict[str, str]
    command: tuple[str, ...]
    source: str
    build: str = ""
    output: tuple[str, ...] = ()
    """Words that make a run by hand write JSON to ``{file}``."""
    metric: str = "time_s"
    own_s: float | None = None
    """Seconds of two runs by its defaults for each benchmark, where these take too long to be run."""


RUST = """\
pub fn chain(steps: u64) -> u64 {
    let mut x = 88172645463325252u64;
    for _ in 0..steps { x ^= x << 13; x ^= x >> 7; x ^= x << 17; }
    x
}
"""
CARGO = """\
[package]
name = "chains"
version = "0.1.0"
edition = "2021"
[dev-dependencies]
{dependency}
[[bench]]
name = "chains"
harness = false
"""
CRITERION = """\
use criterion::{criterion_group, criterion_main, Criterion};
use std::hint::black_box;
fn all(c: &mut Criterion) {
%s
}
criterion_group!(benches, all);
criterion_main!(benches);
"""
DIVAN = """\
use std::hint::black_box;
fn main() { divan::main(); }
%s
"""
GO = """\
package chains

import "testing"

var sink uint64

func chain(steps int) uint64 {
	x := uint64(88172645463325252)
	for i := 0; i < steps; i++ {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}
%s
"""
CPP = """\
#include <benchmark/benchmark.h>
#include <cstdint>
template <std::int64_t Steps>
static void chain(benchmark::State& state) {
    for (auto _ : state) {
        std::uint64_t x = 88172645463325252ULL;
        for (std::int64_t i = 0; i < Steps; ++i) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; }
        benchmark::DoNotOptimize(x);
    }
}
%s
BENCHMARK_MAIN();
"""
PYTHON = """\
def chain(steps):
    x = 1
    for _ in range(steps // 20):
        x = (x * 3 + 1) & 0xFFFF
    return x

%s
"""
NODE = """\
import { Bench } from 'tinybench'
const bench = new Bench({ time: 100, warmupTime: 20 })
let sink = 0
function chain(steps) {
  let x = 123456789
  for (let i = 0; i < steps; i++) { x ^= x << 13; x ^= x >>> 17; x ^= x << 5 }
  sink ^= x
}
%s
await bench.run()
console.table(bench.table())
"""
VITEST = """\
import { test } from 'vitest'
let sink = 0
function chain(steps) {
  let x = 123456789
  for (let i = 0; i < steps; i++) { x ^= x << 13; x ^= x >>> 17; x ^= x << 5 }
  sink ^= x
}
%s
"""
MITATA = """\
import { bench, run } from 'mitata'
let sink = 0
function chain(steps) {
  let x = 123456789
  for (let i = 0; i < steps; i++) { x ^= x << 13; x ^= x >>> 17; x ^= x << 5 }
  sink ^= x
}
%s
await run({ format: 'json' })
"""
JAVA = """\
package org.example;

import org.openjdk.jmh.annotations.Benchmark;

public class Chains {
    static long chain(int steps) {
        long x = 88172645463325252L;
        for (int i = 0; i < steps; i++) { x ^= x << 13; x ^= x >>> 7; x ^= x << 17; }
        return x;
    }
%s
}
"""
POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion>
<groupId>org.example</groupId><artifactId>chains</artifactId><version>1</version>
<properties>
<maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
</properties>
<dependencies>
<dependency>
<groupId>org.openjdk.jmh</groupId><artifactId>jmh-core</artifactId><version>1.37</version>
</dependency>
<dependency><groupId>org.openjdk.jmh</groupId><artifactId>jmh-generator-annprocess</artifactId>
<version>1.37</version><scope>provided</scope></dependency>
</dependencies>
<build><finalName>benchmarks</finalName><plugins><plugin>
<groupId>org.apache.maven.plugins</groupId><artifactId>maven-shade-plugin</artifactId><version>3.5.1</version>
<executions><execution><phase>package</phase><goals><goal>shade</goal></goals><configuration><transformers>
<transformer implementation="org.apache.maven.plugins.shade.resource.ManifestResourceTransformer">
<mainClass>org.openjdk.jmh.Main</mainClass></transformer>
</transformers></configuration></execution></executions>
</plugin></plugins></build>
</project>
"""
CATCH2 = """\
#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#include <catch2/catch.hpp>
#include <cstdint>
static std::uint64_t chain(std::int64_t steps) {
    std::uint64_t x = 88172645463325252ULL;
    for (std::int64_t i = 0; i < steps; ++i) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; }
    return x;
}
%s
"""
ASV_CONFIG = """\
{"version": 1, "project": "chains", "repo": ".", "branches": ["base"], "environment_type": "existing"}
"""
ZENBENCH = """\
use zenbench::prelude::*;
fn all(suite: &mut Suite) {
%s
}
zenbench::main!(all);
"""
LIBTEST = """\
#![feature(test)]
extern crate test;
use std::hint::black_box;
use test::Bencher;
%s
"""
PROJECTS = {
    project.name: project
    for project in (
        Project(
            "google-benchmark",
            "c++",
            {"bench.cpp": CPP},
            ("./bench",),
            "google-benchmark",
            build="c++ -O2 bench.cpp -o bench -lbenchmark -lpthread",
            output=("--benchmark_format=json",),
            metric="real_time_s",
        ),
        Project(
            "go",
            "go",
            {"chains_test.go": GO, "go.mod": "module example.org/chains\n"},
            ("go", "test", "-bench", "."),
            "go-bench",
        ),
        Project(
            "pytest-benchmark",
            "python3",
            {"test_chains.py": PYTHON},
            ("python", "-m", "pytest", "-p", "no:steelyard", "test_chains.py"),
            "pytest-benchmark",
            output=("--benchmark-json={file}",),
        ),
        Project(
            "tinybench",
            "npm",
            {"bench.mjs": NODE, "package.json": '{"dependencies": {"tinybench": "6.2.5"}}\n'},
            ("node", "bench.mjs"),
            "tinybench",
            build="npm install --silent --no-audit --no-fund",
        ),
        Project(
            "divan",
            "cargo",
            {
                "Cargo.toml": CARGO.format(dependency='divan = "=0.1.21"'),
                "src/lib.rs": RUST,
                "benches/chains.rs": DIVAN,
            },
            ("cargo", "bench", "--bench", "chains"),
            "divan",
        ),
        Project(
            "criterion",
            "cargo",
            {
                "Cargo.toml": CARGO.format(
                    dependency='criterion = { version = "=0.5.1", default-features = false }'
                ),
                "src/lib.rs": RUST,
                "benches/chains.rs": CRITERION,
            },
            ("cargo", "bench", "--bench", "chains"),
            "criterion",
        ),
        Project(
            "vitest",
            "npm",
            {"chains.bench.mjs": VITEST, "package.json": '{"devDependencies": {"vitest": "5.1.2"}}\n'},
            ("npx", "vitest", "bench"),
            "vitest",
            build="npm install --silent --no-audit --no-fund",
            output=("--run", "--reporter=json", "--outputFile={file}"),
        ),
        Project(
            "mitata",
            "npm",
            {"bench.mjs": MITATA, "package.json": '{"dependencies": {"mitata": "1.0.34"}}\n'},
            ("node", "bench.mjs"),
            "mitata",
            build="npm install --silent --no-audit --no-fund",
        ),
        Project(
            "jmh",
            "mvn",
            {"src/main/java/org/example/Chains.java": JAVA, "pom.xml": POM},
            ("java", "-jar", "target/benchmarks.jar"),
            "jmh",
            build="mvn -q -B package",
            own_s=1000.0,
        ),
        Project(
            "catch2",
            "c++",
            {"bench.cpp": CATCH2},
            ("./bench",),
            "catch2",
            build="c++ -O2 bench.cpp -o bench",
            output=("-r", "xml"),
        ),
        Project(
            "asv",
            "asv",
            {"benchmarks/__init__.py": "", "benchmarks/chains.py": PYTHON, "asv.conf.json": ASV_CONFIG},
            ("asv", "run"),
            "asv",
        ),
        Project(
            "zenbench",
            "cargo",
            {
                "Cargo.toml": CARGO.format(dependency='zenbench = "=0.1.11"'),
                "src/lib.rs": RUST,
                "benches/chains.rs": ZENBENCH,
            },
            ("cargo", "bench", "--bench", "chains"),
            "zenbench",
            output=("--", "--format=json"),
        ),
        Project(
            "libtest",
            "cargo",
            {
                "Cargo.toml": CARGO.format(dependency="").replace("harness = false\n", ""),
                "src/lib.rs": RUST,
                "benches/chains.rs": LIBTEST,
            },
            ("cargo", "bench", "--bench", "chains"),
            "libtest",
        ),
    )
}
LINES = {
    "criterion": '    c.bench_function("{name}", |b| b.iter(|| chains::chain(black_box({steps}))));',
    "divan": "#[divan::bench]\nfn {name}() -> u64 {{ chains::chain(black_box({steps})) }}",
    "go": (
        "func Benchmark_{name}(b *testing.B) {{\n"
        "\tfor i := 0; i < b.N; i++ {{\n\t\tsink ^= chain({steps})\n\t}}\n}}"
    ),
    "google-benchmark": 'BENCHMARK(chain<{steps}>)->Name("{name}");',
    "pytest-benchmark": "def test_{name}(benchmark):\n    benchmark(chain, {steps})\n",
    "tinybench": "bench.add('{name}', () => chain({steps}))",
    "vitest": (
        "test('{name}', async ({{ bench }}) => {{ await bench('{name}', () => chain({steps})).run() }})"
    ),
    "mitata": "bench('{name}', () => chain({steps}))",
    "jmh": "    @Benchmark public long {name}() {{ return chain({steps}); }}",
    "catch2": 'TEST_CASE("{name}") {{ BENCHMARK("{name}") {{ return chain({steps}); }}; }}',
    "asv": "def time_{name}():\n    chain({steps})\n",
    "zenbench": '    suite.bench_fn("{name}", || chains::chain(black_box({steps})));',
    "libtest": "#[bench] fn {name}(b: &mut Bencher) {{ b.iter(|| chains::chain(black_box({steps}))); }}",
}
"""One benchmark in the source of each project."""


def write_files(project: Project, directory: Path, planted: dict[str, float], *, is_slow: bool) -> None:
    """The sources of one commit."""
    lines = [
        LINES[project.name].format(name=name, steps=round(STEPS * (1 + part * is_slow)))
        for name, part in planted.items()
    ]
    for name, text in project.files.items():
        file = directory / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("%s", "\n".join(lines)))
    ignored = "target/\nnode_modules/\nCargo.lock\npackage-lock.json\nbench\n.benchmarks/\n__pycache__/\n"
    (directory / ".gitignore").write_text(ignored)


def make_repository(project: Project, directory: Path, planted: dict[str, float] = PLANTED) -> Path:
    """The repository with branches ``base``, ``equal`` and ``slow``, unless it is there."""
    place = directory / project.name / "repository"
    if (place / ".complete").exists():
        return place
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    git(place, "init", "-q", "-b", "base")
    for branch in ("base", "equal", "slow"):
        if branch != "base":
            git(place, "checkout", "-q", "-b", branch, "base")
        write_files(project, place, planted, is_slow=branch == "slow")
        (place / "NOTES").write_text(f"the commit {branch}\n")
        git(place, "add", "-A")
        git(place, "commit", "-q", "-m", branch)
    (place / ".git/info/exclude").write_text(".complete\n")
    (place / ".complete").touch()
    return place


def check_out(project: Project, repository: Path, branch: str) -> Path:
    """A checkout of a branch, built, for runs by hand."""
    place = repository.parent / branch
    if not place.exists():
        git(repository, "worktree", "add", "-q", "--detach", str(place), branch)
        if project.build:
            subprocess.run(project.build.split(), cwd=place, check=True)
    return place


def git(directory: Path, *words: str) -> None:
    """Run git without the user's configuration."""
    subprocess.run(["git", *words], cwd=directory, env={**os.environ, **IDENTITY}, check=True)
