"""What a drawn length of the environment does to a comparison: places of the stack, widths of intervals.

``python benchmarks/environment/bench.py --output DIR`` with steelyard installed and a C compiler. Two copies
of one program are compared as they are started (ASLR on), with a drawn length (ASLR on), and with a drawn
length and ASLR off, in turns. Records stay in DIR, and what is there is not run again.

``--common N`` asks what a drawn length costs, ASLR on: N common commands, each against itself, as started and
drawn, in turns; the ratio of the two widths, and its mean over the commands.
"""

from __future__ import annotations

import argparse
import math
import shutil
import statistics
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from scipy.special import stdtrit

from steelyard.lab.answer.analyze import analyze
from steelyard.lab.run.run import run
from steelyard.results.undefined import Undefined
from steelyard.spec import experiment
from steelyard.store import Record

SOURCES = Path(__file__).parents[2] / "src" / "steelyard" / "extensions" / "demo" / "programs"
WAYS = {
    "as started": None,
    "drawn, ASLR on": {"env_bytes": "random", "aslr": "on"},
    "drawn, ASLR off": {"env_bytes": "random", "aslr": "off"},
}
PROGRAMS = {"stack_split": "400000", "nbody": "20000"}
COMMON = {
    "awk": ["awk", "{{ n += $1 }} END {{ print n }}"],
    "base64": ["base64"],
    "bzip2": ["bzip2", "-1", "-c"],
    "cksum": ["cksum"],
    "cut": ["cut", "-c", "2-4"],
    "factor": ["factor", "1000000007000000005700000010999"],
    "grep": ["grep", "-c", "7.*3"],
    "gzip": ["gzip", "-1", "-c"],
    "jq": ["jq", "-s", "add"],
    "md5sum": ["md5sum"],
    "nbody": ["{copy}", "20000"],
    "od": ["od", "-x"],
    "perl": ["perl", "-ne", "$n += $_; END {{ print $n }}"],
    "sed": ["sed", "s/1/2/g"],
    "seq": ["seq", "1000000"],
    "sha256sum": ["sha256sum"],
    "sort": ["sort", "-r"],
    "stack_split": ["{copy}", "100000"],
    "tr": ["tr", "1", "2"],
    "uniq": ["uniq", "-w", "3"],
    "wc": ["wc"],
    "zstd": ["zstd", "-c"],
}
"""Commands that read numbers, one a line, from standard input, or nothing; some milliseconds each."""
LINES = 100_000
METRIC = "cpu_s"
"""CPU time, since other work on the machine is in elapsed time."""
STEP_BYTES, PAGE_BYTES = 16, 4096


def compile_copies(name: str, directory: Path) -> list[Path]:
    """Build the program, and a copy with a name of the same length."""
    compiler = shutil.which("cc") or sys.exit("error: no C compiler\n\nhint: apt install gcc")
    copies = [directory / f"{name}-{letter}" for letter in "ab"]
    if not copies[0].exists():
        command: list[str | Path] = [
            compiler,
            "-std=c11",
            "-O2",
            "-o",
            copies[0],
            SOURCES / f"{name}.c",
            "-lm",
        ]
        subprocess.run(command, check=True)
        shutil.copy(copies[0], copies[1])
    return copies


def measure(name: str, way: str, number: int, blocks: int, directory: Path) -> tuple[float, float]:
    """Relative half-width of the interval, and the speedup's distance from 1 in half-widths."""
    record = directory / f"{name}-{list(WAYS).index(way)}-{number}.lab"
    copies = compile_copies(name, directory)
    commands = {letter: [str(copy), PROGRAMS[name]] for letter, copy in zip("ab", copies, strict=True)}
    return measure_commands(record, commands, way, 1000 * number + len(way), blocks)


def measure_commands(
    record: Path, commands: dict[str, list[str]], way: str, seed: int, blocks: int, **program: Any
) -> tuple[float, float]:
    """As ``measure``, of two commands."""
    keys: dict[str, Any] = {"contexts": WAYS[way]} if WAYS[way] else {}
    spec_ = experiment(
        name="environment",
        source=str(record.parent),
        program={"commands": commands, "inherit": True, **program},
        design={"blocks": blocks, "discard": 1, "seed": seed},
        analysis={"metric": METRIC},
        **keys,
    )
    run(spec_, record)
    with Record.open(record) as opened:
        (comparison,) = (item for item in analyze(opened).comparisons if item.metric.name == METRIC)
    if isinstance(comparison.speedup, Undefined) or comparison.ci95 is None:
        sys.exit(f"error: {record} has no interval")
    halfwidth = math.log(comparison.ci95.high / comparison.ci95.low) / 2
    return halfwidth, abs(math.log(comparison.speedup.value)) / halfwidth


def count_places(program: Path, launches: int) -> tuple[int, float]:
    """Distinct places of the stack in a page over launches as started, and chi-square over its freedom."""
    places: Counter[int] = Counter()
    for _ in range(launches):
        done = subprocess.run([program, "--where"], check=True, capture_output=True, text=True)
        fields = dict(word.split("=") for word in done.stdout.split())
        places[int(fields["offset_in_page"])] += 1
    cells = PAGE_BYTES // STEP_BYTES
    expected = launches / cells
    squares = sum(count**2 / expected for count in places.values()) - launches
    return len(places), squares / (cells - 1)


def compare_widths(count: int, repeats: int, blocks: int, directory: Path) -> None:
    """Print the width with a drawn length over that as started, for each command and over all of them."""
    numbers = directory / "numbers.txt"
    numbers.write_text("".join(f"{number}\n" for number in range(LINES)))
    present = [name for name, (first, *_) in COMMON.items() if first == "{copy}" or shutil.which(first)]
    logs = []
    print("| command | half-width as started | drawn, ASLR on | ratio |")
    print("|---|---|---|---|")
    for place, name in enumerate(present[:count]):
        words = COMMON[name]
        if words[0] == "{copy}":
            words = [str(compile_copies(name, directory)[0]), *words[1:]]
        widths: dict[str, list[float]] = {"as started": [], "drawn, ASLR on": []}
        for number in range(repeats):
            for way, measured in widths.items():
                record = directory / f"common-{name}-{list(WAYS).index(way)}-{number}.lab"
                seed = 1_000_000 + 1000 * place + 10 * number + len(way) % 10
                commands = {"a": words, "b": words}
                measured.append(measure_commands(record, commands, way, seed, blocks, stdin=str(numbers))[0])
        started, drawn = (statistics.fmean(map(math.log, measured)) for measured in widths.values())
        logs.append(drawn - started)
        print(f"| {name} | {math.exp(started):.2%} | {math.exp(drawn):.2%} | {math.exp(logs[-1]):.3f} |")
    if len(logs) > 1:
        mean, se = statistics.fmean(logs), statistics.stdev(logs) / math.sqrt(len(logs))
        half = float(stdtrit(len(logs) - 1, 0.975)) * se
        low, high = math.exp(mean - half), math.exp(mean + half)
        print(f"\n{len(logs)} commands: {math.exp(mean):.3f} × (95 % CI {low:.3f} to {high:.3f})")


def main() -> int:
    """Measure, and print two tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--blocks", type=int, default=40)
    parser.add_argument("--launches", type=int, default=2_560)
    parser.add_argument("--common", type=int, default=0)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    if options.common:
        compare_widths(options.common, options.repeats, options.blocks, options.output)
        return 0
    copies = compile_copies("stack_split", options.output)
    distinct, chi2 = count_places(copies[0], options.launches)
    print(
        f"{options.launches} launches as started: {distinct} of {PAGE_BYTES // STEP_BYTES} places,"
        f" chi²/df {chi2:.2f}"
    )
    print("| program | way | half-width, median (least to most) | largest distance from 1, in half-widths |")
    print("|---|---|---|---|")
    for name in PROGRAMS:
        figures: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
        for number in range(options.repeats):
            for way in WAYS:
                figures[way].append(measure(name, way, number, options.blocks, options.output))
        for way, pairs in figures.items():
            widths = sorted(width for width, _ in pairs)
            middle = statistics.median(widths)
            spread = f"{middle:.2%} ({widths[0]:.2%} to {widths[-1]:.2%})"
            print(f"| {name} | {way} | {spread} | {max(far for _, far in pairs):.2f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
