"""What a lake costs: bytes a trial, a day of a million trials, a year of history; and sealed records.

``./dev bench lake [--quick] [--keep DIR]`` with the extra ``lake`` installed. Records are made up from a
seed; with ``--keep`` they stay, and what is there is not made again.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from steelyard.core.sample import Treatment
from steelyard.design.plan import Block
from steelyard.extensions.lake.exporting import export_to
from steelyard.extensions.lake.location import Location
from steelyard.lab.summary.condensing import write_summary
from steelyard.run.measure.measurement import Measurement
from steelyard.spec.experiment import Design, Experiment, Factor, Program
from steelyard.store import Record

DAY_S = 86_400
FIRST_S = 1_767_225_600
"""The first day of 2026."""

HOST: dict[str, str | int | float | bool] = {
    "cpu_model": "made up", "cpus_online": 2, "cpus_usable": 2, "hostname": "bench", "kernel": "Linux 6.18",
    "clock_step_s": 4e-8, "clock_cost_s": 8e-8, "queue_wait_available": True,
}  # fmt: skip


def record(directory: Path, blocks: int, draw: random.Random) -> Path:
    """A record of two treatments, of which the second takes 3 % longer, with so many blocks."""
    experiment = Experiment(
        name="bench",
        source="/",
        program=Program(commands={"": ("prog", "{f}")}),
        factors=(Factor("f", ("a", "b")),),
        design=Design(blocks=blocks, seed=draw.randrange(2**31)),
    )
    treatments = [Treatment(i, f"f={name}", {"f": name}) for i, name in enumerate("ab", 1)]
    with Record.create(directory, experiment, treatments=treatments, trials=2 * blocks) as new:
        run = new.begin_run(HOST, "boot")
        journal = new.journal_path(run).name
        for first in range(1, blocks + 1, 5_000):
            drawn = [
                Block(id_, 1, None, draw.choice(((1, 2), (2, 1))))
                for id_ in range(first, min(first + 5_000, blocks + 1))
            ]
            new.add_blocks(drawn)
            trials = [trial(block, place, draw) for block in drawn for place in (1, 2)]
            new.take(run, trials, journal, first)
        new.end_run(run, "complete")
    return directory


def trial(block: Block, place: int, draw: random.Random) -> Measurement:
    """A trial of about a millisecond."""
    treatment = block.order[place - 1]
    wall_ns = round(1e6 * (1.03 if treatment == 2 else 1) * draw.lognormvariate(0, 0.05))
    number = 2 * (block.id - 1) + place
    return Measurement(
        trial=number,
        block=block.id,
        place=place,
        treatment=treatment,
        status="ok",
        start_ns=FIRST_S * 10**9 + number * 1_200_000,
        wall_ns=wall_ns,
        user_us=wall_ns // 2_000,
        system_us=wall_ns // 4_000,
        rss_bytes=1_040_384 + 4096 * draw.randrange(20),
        minor_faults=60 + draw.randrange(5),
        major_faults=0,
        voluntary_switches=1,
        involuntary_switches=0,
        queue_wait_ns=draw.randrange(3_000),
        exit_code=0,
        signal=None,
        cpu=draw.randrange(2),
        argv_bytes=48,
        env_bytes=512,
        left_processes=0,
        values=(),
    )


def date(directory: Path, at_s: int) -> None:
    """Let a record be made at a time."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(directory / "record.sqlite")) as connection, connection:
        connection.execute("UPDATE record SET created_ns = ?", (at_s * 10**9,))
    with Record.open(directory, write=True):
        pass  # its digests are of what it is now


def fill(lake: Path, scratch: Path, days: int, per_day: int, blocks: int, seed: int) -> None:
    """Fill a lake with made-up records, day by day; a day that is there stays."""
    draw = random.Random(seed)
    for day in range(days):
        marker = lake.with_name(f"{lake.name}-{day}.done")
        generator = random.Random(draw.randrange(2**31))
        if marker.exists():
            continue
        with tempfile.TemporaryDirectory(dir=scratch) as place:
            records = []
            for number in range(per_day):
                records.append(record(Path(place) / f"r{day:03}-{number:03}.lab", blocks, generator))
                date(records[-1], FIRST_S + day * DAY_S + number * (DAY_S // per_day))
            export_to(records, Location(lake))
        marker.touch()


def bytes_of(place: Path) -> int:
    """Bytes of all files below."""
    return sum(file.stat().st_size for file in place.rglob("*") if file.is_file())


def sizes(scratch: Path) -> Iterator[tuple[int, float, float, float]]:
    """Trials of a record; bytes of each in the file, in all of the record, and in a lake."""
    for trials in (32, 100, 300, 1_000, 10_000):
        directory = record(scratch / f"{trials}.lab", trials // 2, random.Random(trials))
        write_summary(directory)
        lake = scratch / f"lake-{trials}"
        export_to([directory], Location(lake))
        file = (directory / "record.sqlite").stat().st_size
        yield trials, file / trials, bytes_of(directory) / trials, bytes_of(lake) / trials


def sealed(scratch: Path, count: int) -> tuple[float, float]:
    """Records of 32 trials that a history reads in a second, without their seals and with them."""
    from steelyard.extensions.history.gathering import gather

    place, draw = scratch / "sealed", random.Random(5)
    records = [record(place / f"{number}.lab", 16, draw) for number in range(count)]
    gather(records[:2], ())
    rates = []
    for step in ("read", "sealed"):
        if step == "sealed":
            for directory in records:
                write_summary(directory)
        times = []
        for _ in range(3):
            start = time.perf_counter()
            gather([place], ())
            times.append(time.perf_counter() - start)
        rates.append(count / statistics.median(times))
    return rates[0], rates[1]


ASK = """
import json, os, resource, sys, time
start = time.perf_counter()
pid = os.posix_spawn(
    sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
)
_, status, usage = os.wait4(pid, 0)
if status:
    sys.exit(f"{sys.argv[1:]}: status {status}")
print(json.dumps([time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024]))
"""


def ask(*words: str) -> list[float]:
    """Seconds, CPU seconds and MiB of ``steelyard`` as a process."""
    command = [sys.executable, "-S", "-c", ASK, sys.executable, "-m", "steelyard", *words]
    answer: list[float] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return answer


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of everything")
    parser.add_argument("--keep", type=Path, help="make the lakes there, or use those that are there")
    options = parser.parse_args()
    tenth = 10 if options.quick else 1
    with tempfile.TemporaryDirectory() as temporary:
        scratch = Path(temporary)
        root = options.keep or scratch
        root.mkdir(parents=True, exist_ok=True)
        print("trials   bytes a trial: record.sqlite, whole record, lake")
        for trials, file, summary, lake in sizes(scratch):
            print(f"{trials:>6,}{file:>27.0f}{summary:>14.0f}{lake:>6.0f}")
        read, with_seals = sealed(scratch, 1_000 // tenth)
        print(f"history, records of 32 trials a second: {read:,.0f} read, {with_seals:,.0f} sealed")
        day, year = root / "day", root / "year"
        fill(day, scratch, 1, 100 // tenth, 5_000, 1)
        fill(year, scratch, 365 // tenth, 10, 15, 2)
        for name, words in (
            (f"analyze a day of {1_000_000 // tenth:,} trials", ("analyze", str(day))),
            (
                f"report of that day, {100 // tenth} records",
                ("report", str(day), "-o", str(scratch / "p.html")),
            ),
            (f"history of {365 // tenth} days, {3_650 // tenth:,} records", ("history", str(year))),
        ):
            answers = [ask(*words) for _ in range(5)]
            seconds, cpu, mebibytes = (statistics.median(column) for column in zip(*answers, strict=True))
            print(f"{name:<44}{seconds:7.2f} s{cpu:8.2f} CPU s{mebibytes:6.0f} MiB")


if __name__ == "__main__":
    main()
