"""What the record costs: a transaction while an experiment runs, and questions to a million trials.

``python benchmarks/record/bench.py [--quick]`` with steelyard installed; figures are medians of repeats.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from msgspec.structs import replace

from steelyard.core.sample import Treatment
from steelyard.core.units import Metric
from steelyard.design.plan import Block
from steelyard.run.measure.measurement import Measurement, Value
from steelyard.spec.experiment import Design, Experiment, Factor, Program, UserMetric
from steelyard.store import Record

BATCH_TRIALS = 110
"""What 100 ms of ``/bin/true`` are."""

EXPERIMENT = Experiment(
    name="bench",
    source="/",
    program=Program(commands={"": ("true",)}),
    factors=(Factor("f", ("a", "b")),),
    design=Design(),
    metrics=(UserMetric("rate", unit="1/s", better="higher", source="stdout", pattern="(.*)"),),
)
METRICS = (Metric("rate", "1/s", "user", "higher"),)


def measurement(trial: int, per_block: int, order: tuple[int, ...], values: tuple[Value, ...]) -> Measurement:
    """A trial whose numbers follow from its number."""
    block, place = divmod(trial - 1, per_block)
    return Measurement(
        trial=trial,
        block=block + 1,
        place=place + 1,
        treatment=order[place],
        status="ok",
        start_ns=1_785_000_000_000_000_000 + trial * 900_000,
        wall_ns=780_000 + trial * 7919 % 50_000,
        user_us=300,
        system_us=450,
        rss_bytes=1_040_384,
        minor_faults=60,
        major_faults=0,
        voluntary_switches=1,
        involuntary_switches=0,
        queue_wait_ns=trial * 104_729 % 30_000,
        exit_code=0,
        signal=None,
        cpu=trial % 2,
        argv_bytes=48,
        env_bytes=512,
        left_processes=0,
        values=values,
    )


def drawn(block: int, per_block: int) -> tuple[int, ...]:
    """Not random, and different from block to block."""
    shift = block * 7919 % per_block
    return tuple((shift + i) % per_block + 1 for i in range(per_block))


def create(directory: Path, treatments: int) -> Record:
    """A new record of so many treatments."""
    arms = [Treatment(i, f"f={i}", {"f": i}) for i in range(1, treatments + 1)]
    return Record.create(directory, EXPERIMENT, treatments=arms, metrics=METRICS)


def transactions(place: Path, batches: int) -> Iterator[tuple[str, list[float], list[float]]]:
    """Seconds for the blocks and for the trials of each batch."""
    for name, values in (("no values", 0), ("10 values a trial", 10)):
        with create(place / f"{values}.lab", 2) as record:
            run = record.begin_run({}, "boot")
            journal = record.journal_path(run).name
            result = tuple(Value("rate", 1.5, i) for i in range(values))
            blocks_s, take_s = [], []
            per_batch = BATCH_TRIALS // 2
            for batch in range(batches):
                first = batch * per_batch + 1
                blocks = [Block(id_, 1, None, drawn(id_, 2)) for id_ in range(first, first + per_batch)]
                trials = [
                    measurement((block.id - 1) * 2 + place, 2, block.order, result)
                    for block in blocks
                    for place in (1, 2)
                ]
                start = time.perf_counter()
                record.add_blocks(blocks)
                middle = time.perf_counter()
                record.take(run, trials, journal, batch + 1)
                take_s.append(time.perf_counter() - middle)
                blocks_s.append(middle - start)
        yield name, blocks_s, take_s


def journal_modes(place: Path, batches: int) -> Iterator[tuple[str, list[float]]]:
    """Seconds of bare transactions of a batch's size in each of SQLite's modes: what the choice rests on."""
    row = tuple(range(20))
    for mode in ("WAL", "DELETE", "TRUNCATE", "PERSIST"):
        for synchronous in ("NORMAL", "FULL"):
            file = place / f"{mode}-{synchronous}.sqlite"
            with closing(sqlite3.connect(file, isolation_level=None)) as connection:
                connection.execute(f"PRAGMA journal_mode = {mode}")
                connection.execute(f"PRAGMA synchronous = {synchronous}")
                columns = ", ".join(f"c{i} INTEGER" for i in range(20))
                connection.execute(f"CREATE TABLE t (id INTEGER PRIMARY KEY, {columns})")
                seconds = []
                for batch in range(batches):
                    start = time.perf_counter()
                    connection.execute("BEGIN IMMEDIATE")
                    connection.executemany(
                        f"INSERT INTO t VALUES ({', '.join('?' * 21)})",  # noqa: S608 -- question marks
                        ((batch * BATCH_TRIALS + i, *row) for i in range(BATCH_TRIALS)),
                    )
                    connection.execute("COMMIT")
                    seconds.append(time.perf_counter() - start)
            yield f"{mode}, synchronous {synchronous}", seconds


def fill(directory: Path, trials: int, treatments: int) -> None:
    """A record of so many trials with one value each, through its own door."""
    with create(directory, treatments) as record:
        run = record.begin_run({}, "boot")
        journal = record.journal_path(run).name
        count = trials // treatments
        step = max(1, 20_000 // treatments)
        for first in range(1, count + 1, step):
            blocks = [
                Block(id_, 1, None, drawn(id_, treatments), discard=id_ == 1)
                for id_ in range(first, min(first + step, count + 1))
            ]
            record.add_blocks(blocks)
            measurements = [
                measurement(
                    (block.id - 1) * treatments + place, treatments, block.order, (Value("rate", place / 3),)
                )
                for block in blocks
                for place in range(1, treatments + 1)
            ]
            # A few fail, as in life.
            measurements = [
                replace(m, status="failed", values=()) if m.trial % 20_011 == 0 else m for m in measurements
            ]
            record.take(run, measurements, journal, first)


QUESTIONS: dict[str, Callable[[Record], object]] = {
    "progress()": Record.progress,
    "failures()": Record.failures,
    'samples("wall_s")': lambda record: record.samples("wall_s"),
    'samples("wall_s", "cpu_s", "rss_bytes")': lambda record: record.samples("wall_s", "cpu_s", "rss_bytes"),
    'samples("rate")': lambda record: record.samples("rate"),
    "outcomes()": Record.outcomes,
    'progress() and samples("wall_s")': lambda record: (record.progress(), record.samples("wall_s")),
}


ASK = """
import json, resource, sys, time
sys.path.insert(0, sys.argv[3])
import bench
start, start_cpu = time.perf_counter(), time.process_time()
with bench.Record.open(bench.Path(sys.argv[1])) as record:
    answer = bench.QUESTIONS[sys.argv[2]](record)
seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
print(json.dumps([seconds, cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def ask(directory: Path, question: str) -> list[float]:
    """Seconds from open to closed, CPU seconds, and peak memory in MiB, of a process of its own."""
    command = [sys.executable, "-c", ASK, str(directory), question, str(Path(__file__).parent)]
    answer: list[float] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return answer


COMMANDS = (("status",), ("status", "--json"), ("analyze",), ("analyze", "--json"))

# A process of its own starts the command: the memory of whoever starts a program is the least that can be
# reported of it, and this one has filled a record.
START = """
import json, os, sys, time
start = time.perf_counter()
pid = os.posix_spawn(
    sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
)
_, status, usage = os.wait4(pid, 0)
seconds = time.perf_counter() - start
if status:
    sys.exit(f"{sys.argv[1:]}: status {status}")
print(json.dumps([seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024]))
"""


def start(directory: Path, words: tuple[str, ...]) -> list[float]:
    """Seconds, CPU seconds and peak memory in MiB of ``steelyard`` as a process, asked about a record."""
    command = [sys.executable, "-m", "steelyard", words[0], str(directory), *words[1:]]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-S", "-c", START, *command], env=environment, stdout=subprocess.PIPE, check=True
    )
    answer: list[float] = json.loads(done.stdout)
    return answer


def show(title: str, answers: list[list[float]]) -> None:
    """A line of medians."""
    seconds, cpu, mebibytes = map(statistics.median, zip(*answers, strict=True))
    print(f"  {title:<42}{seconds:7.3f} s{cpu:8.3f} CPU s{mebibytes:6.0f} MiB")


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of everything")
    parser.add_argument("--keep", type=Path, help="put the large records there, or use those that are there")
    options = parser.parse_args()
    trials, batches, repeats = (100_000, 30, 2) if options.quick else (1_000_000, 300, 5)

    with tempfile.TemporaryDirectory() as place:
        root = options.keep or Path(place)
        root.mkdir(parents=True, exist_ok=True)
        print(f"one transaction of {BATCH_TRIALS} trials, ms (median, 99th percentile)")
        for name, seconds in journal_modes(Path(place), batches):
            print(f"  bare SQLite, {name:<28}{row(seconds)}")
        for name, blocks_s, take_s in transactions(Path(place), batches):
            print(f"  add_blocks, 55 of them       {row(blocks_s)}")
            print(f"  take, {name:<22} {row(take_s)}")
        for treatments in (2, 1000):
            directory = root / f"{treatments}-treatments.lab"
            if not directory.exists():
                begin = time.perf_counter()
                fill(directory, trials, treatments)
                filled_s = time.perf_counter() - begin
                size = (directory / "record.sqlite").stat().st_size
                print(
                    f"{trials:,} trials of {treatments} treatments, one value each: {size / 1e6:.0f} MB,"
                    f" written at {trials / filled_s:,.0f} trials a second"
                )
            for question in QUESTIONS:
                show(question, [ask(directory, question) for _ in range(repeats)])
            for words in COMMANDS:
                show(f"steelyard {' '.join(words)}", [start(directory, words) for _ in range(repeats)])


def row(seconds: list[float]) -> str:
    """Median and 99th percentile in milliseconds."""
    ordered = sorted(seconds)
    return f"{statistics.median(ordered) * 1e3:8.2f}{ordered[int(len(ordered) * 0.99)] * 1e3:8.2f}"


if __name__ == "__main__":
    main()
