"""Verdicts of benchstat, Criterion, perfgate and zenbench themselves, beside those of Steelyard.

One program of each harness, which reads the length of its work from a variable: what is compared is the same
machine code, with the same work or with 10 % more. Criterion compares a run with a saved one, benchstat ten
repetitions with ten, perfgate ten processes with ten, and zenbench two benchmarks in turns in one process.
``steelyard import`` reads the files that they judged. A comparison is a line of ``own.jsonl``, from which
the next call goes on.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from peers import BY_SIGNIFICANCE, PERFGATE_CODES, PERFGATE_FAILS
from projects import RUST, STEPS
from witness import Log, bound

PLANTED = {"equal": 0.0, "ten": 0.1}
LATER = "new"
"""The run that Criterion saves last."""
MANIFEST = """\
[package]
name = "chains"
version = "0.1.0"
edition = "2021"
[dev-dependencies]
criterion = "0.8"
zenbench = "=0.1.11"
[[bench]]
name = "crit"
harness = false
[[bench]]
name = "zen"
harness = false
"""
STEPS_OF = 'std::env::var("{}").ok().and_then(|text| text.parse().ok()).unwrap_or(1)'
CRITERION = f"""\
use criterion::{{criterion_group, criterion_main, Criterion}};
use std::hint::black_box;
fn all(c: &mut Criterion) {{
    let steps: u64 = {STEPS_OF.format("HEAD_STEPS")};
    c.bench_function("pair", |b| b.iter(|| chains::chain(black_box(steps))));
}}
criterion_group!(benches, all);
criterion_main!(benches);
"""
ZENBENCH = f"""\
use std::hint::black_box;
use zenbench::prelude::*;
fn all(suite: &mut Suite) {{
    let base: u64 = {STEPS_OF.format("BASE_STEPS")};
    let head: u64 = {STEPS_OF.format("HEAD_STEPS")};
    suite.group("pair", move |g| {{
        g.bench("base", move |b| b.iter(move || chains::chain(black_box(base))));
        g.bench("head", move |b| b.iter(move || chains::chain(black_box(head))));
    }});
}}
zenbench::main!(all);
"""
GO = """\
package chains

import (
	"os"
	"strconv"
	"testing"
)

var sink uint64

func BenchmarkPair(b *testing.B) {
	steps, _ := strconv.Atoi(os.Getenv("HEAD_STEPS"))
	for i := 0; i < b.N; i++ {
		x := uint64(88172645463325252)
		for j := 0; j < steps; j++ {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}
		sink ^= x
	}
}
"""

Verdict = str
Judge = Callable[[Path, Mapping[str, str], Mapping[str, str]], tuple[Verdict, Verdict]]
"""From a directory and the variables of both sides to the harness's verdict and that of Steelyard."""


def run(words: list[str], place: Path, variables: Mapping[str, str]) -> str:
    """What a program prints; one that fails ends the benchmark."""
    environment = {**os.environ, **variables}
    done = subprocess.run(words, cwd=place, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{words} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def judge_by_import(files: list[str], place: Path, *options: str, metric: str = "time_s") -> Verdict:
    """What Steelyard says of the files that a harness wrote: slower, faster or open."""
    record = place / "own.lab"
    shutil.rmtree(record, ignore_errors=True)
    steelyard = [sys.executable, "-m", "steelyard"]
    run([*steelyard, "import", *files, *options, "-o", str(record)], place, {})
    answer = json.loads(run([*steelyard, "analyze", str(record), "--json"], place, {}))
    verdicts = {entry["verdict"] for entry in answer["comparisons"] if entry["metric"] == metric}
    return next((name for name in ("slower", "faster") if name in verdicts), "open")


def judge_criterion(place: Path, base: Mapping[str, str], head: Mapping[str, str]) -> tuple[Verdict, Verdict]:
    """Criterion with half a second of warm-up and a second of measurement."""
    home = place / "saved"
    shutil.rmtree(home, ignore_errors=True)
    words = [str(place / "crit"), "--bench", "--noplot", "--warm-up-time", "0.5", "--measurement-time", "1"]
    variables = {"CRITERION_HOME": str(home)}
    run([*words, "--save-baseline", "base"], place, {**base, **variables})
    text = run([*words, "--baseline", "base"], place, {**head, **variables})
    own = "slower" if "has regressed" in text else "faster" if "has improved" in text else "open"
    files = [str(home), "--compare", "saved", "--against", "base"]
    return own, judge_by_import(files, place)


def judge_zenbench(place: Path, base: Mapping[str, str], head: Mapping[str, str]) -> tuple[Verdict, Verdict]:
    """Judge by the defaults of zenbench, both sides in turns in one process."""
    variables = {"BASE_STEPS": base["HEAD_STEPS"], "HEAD_STEPS": head["HEAD_STEPS"]}
    text = run([str(place / "zen"), "--bench", "--format=json"], place, variables)
    (place / "zen.json").write_text(text)
    (group,) = json.loads(text)["comparisons"]
    ((_, _, analysis),) = group["analyses"]
    side = "slower" if analysis["pct_change"] > 0 else "faster"
    own = side if analysis["significant"] else "open"
    return own, judge_by_import(["zen.json", "--compare", "benchmark"], place)


def judge_benchstat(place: Path, base: Mapping[str, str], head: Mapping[str, str]) -> tuple[Verdict, Verdict]:
    """Ten repetitions of a tenth of a second of base, then of head."""
    words = [str(place / "go.test"), "-test.bench=.", "-test.count=10", "-test.benchtime=100ms"]
    for name, variables in (("base", base), ("head", head)):
        (place / f"{name}.txt").write_text(run(words, place, variables))
    text = run(["benchstat", "-format", "csv", "base.txt", "head.txt"], place, {})
    row = next(line for line in text.splitlines() if line.startswith("Pair"))
    cells = row.split(",")
    change = next((cell for cell in cells if cell[:1] in "+-" and cell.endswith("%")), "")
    own = {"+": "slower", "-": "faster"}.get(change[:1], "open")
    return own, judge_by_import(["base.txt", "head.txt"], place)


def judge_perfgate(place: Path, base: Mapping[str, str], head: Mapping[str, str]) -> tuple[Verdict, Verdict]:
    """Ten processes of about a tenth of a second of base, then of head; perfgate calls nothing faster."""
    program = ["--", str(place / "go.test"), "-test.bench=.", "-test.benchtime=1000x"]
    for name, variables in (("base", base), ("head", head)):
        words = ["perfgate", "run", "--name", "pair", "--repeat", "10", "--out", f"{name}.json", *program]
        run(words, place, variables)
    words = ["perfgate", "compare", "--baseline", "base.json", "--current", "head.json", *BY_SIGNIFICANCE]
    done = subprocess.run([*words, "--out", "compare.json"], cwd=place, capture_output=True, check=False)
    if done.returncode not in PERFGATE_CODES:
        raise SystemExit(f"{words} ended with {done.returncode}:\n{done.stderr.decode()}")
    verdict = "slower" if done.returncode == PERFGATE_FAILS else "open"
    return verdict, judge_by_import(["base.json", "head.json"], place, metric="wall_s")


JUDGES: dict[str, tuple[str, Judge]] = {
    "criterion 0.8": ("cargo", judge_criterion),
    "benchstat": ("benchstat", judge_benchstat),
    "perfgate, 5 % and p of 0.05": ("perfgate", judge_perfgate),
    "zenbench 0.1.11": ("cargo", judge_zenbench),
}


def build(place: Path, tools: set[str]) -> None:
    """The programs of the harnesses with these tools, unless they are there."""
    place.mkdir(parents=True, exist_ok=True)
    if "cargo" in tools and not (place / "zen").exists():
        files = {
            "Cargo.toml": MANIFEST,
            "src/lib.rs": RUST,
            "benches/crit.rs": CRITERION,
            "benches/zen.rs": ZENBENCH,
        }
        for name, text in files.items():
            (place / name).parent.mkdir(exist_ok=True)
            (place / name).write_text(text)
        words = ["cargo", "bench", "--no-run", "--message-format=json-render-diagnostics"]
        for line in run(words, place, {}).splitlines():
            message = json.loads(line)
            if message.get("executable") and "bench" in message["target"]["kind"]:
                shutil.copy2(message["executable"], place / message["target"]["name"])
    if tools & {"benchstat", "perfgate"} and not (place / "go.test").exists():
        (place / "go.mod").write_text("module example.org/chains\n")
        (place / "chains_test.go").write_text(GO)
        run(["go", "test", "-c", "-o", "go.test", "."], place, {})


def list_rows(log: Log) -> Iterator[str]:
    """A row a harness, with its own verdicts and those of ``import``."""
    for name in JUDGES:
        cells = []
        for who in ("own", "steelyard"):
            equal = [line[who] != "open" for line in log.select(name, "equal")]
            planted = [line[who] == "slower" for line in log.select(name, "ten")]
            red = f"{sum(equal)} of {len(equal)}"
            cells += [red, f"{100 * bound(sum(equal), len(equal)):.0f} %" if equal else "–"]
            cells.append(f"{sum(planted)} of {len(planted)}")
        if log.select(name, "equal"):
            yield f"| {name} | {' | '.join(cells)} |"


def compare_verdicts(names: list[str], count: int, directory: Path, piece_s: float) -> int:
    """Compare until each harness has ``count`` of each kind or the piece is over; print what there is."""
    place = directory / "own"
    log = Log(directory / "own.jsonl")
    began = time.monotonic()
    judges = {
        name: judge
        for name, (tool, judge) in JUDGES.items()
        if shutil.which(tool) and (not names or name.partition(" ")[0].rstrip(",") in names)
    }
    build(place, {tool for name, (tool, _) in JUDGES.items() if name in judges})
    for _ in range(count):
        for name, judge in judges.items():
            for kind, part in PLANTED.items():
                if len(log.select(name, kind)) >= count or time.monotonic() - began > piece_s:
                    continue
                base, head = ({"HEAD_STEPS": str(round(STEPS * (1 + share)))} for share in (0.0, part))
                line: dict[str, Any] = dict(zip(("own", "steelyard"), judge(place, base, head), strict=True))
                log.add(name, kind, line)
    print("| harness | own: equal called different | at most | 10 % called slower", end="")
    print(" | import: equal called different | at most | 10 % called slower |")
    print(f"|---|{'--:|' * 6}")
    print("\n".join(list_rows(log)))
    loads = [line["load"] for line in log.lines]
    if loads:
        print(f"\nLoad at the end of each comparison: {min(loads)} to {max(loads)}.")
    return 0
