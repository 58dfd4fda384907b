"""How soon ``steelyard compare`` answers at a terminal: an 8-fold difference, and 5 % where noise is 3 %.

``python benchmarks/until/terminal.py [--repeats N]`` with steelyard installed and a C compiler, on a quiet
machine; at most four minutes for 8, with and without ``--until verdict``. Times are of the whole command. A
program computes for 10 ms, times a normal factor of 3 % that each run draws; the other for
5 % longer. ``sleep 0.01`` and ``sleep 0.08`` are 8 times apart. Exits with 1 where a median with ``--until
verdict`` is above the goal, 1 s and 3 s, or an answer is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

SOURCE: Final = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

int main(int argc, char** argv) {
    uint32_t draws[12];
    if (argc < 2 || getrandom(draws, sizeof draws, 0) != sizeof draws) return 1;
    double normal = -6;
    for (int i = 0; i < 12; ++i) normal += draws[i] / 4294967296.0;
    uint64_t state = 1;
    long long rounds = (long long)(atof(argv[1]) * (1 + 0.03 * normal));
    for (; rounds > 0; --rounds) state = state * 6364136223846793005u + 1442695040888963407u;
    return printf("%d\\n", (int)(state >> 63)) < 0;
}
"""
SECONDS: Final = 0.01
MORE: Final = 1.05
GOALS: Final = {"8 ×": 1.0, "5 %, σ 3 %": 3.0}


def build(directory: Path) -> Path:
    """Compile the program."""
    compiler = shutil.which("cc") or sys.exit("error: no C compiler\n\nhint: apt install gcc")
    source, program = directory / "noisy.c", directory / "noisy"
    source.write_text(SOURCE, encoding="utf-8")
    subprocess.run([compiler, "-O1", "-o", program, source], check=True)
    return program


def calibrate(program: Path) -> float:
    """Rounds that take ``SECONDS`` of CPU time."""
    rounds, seconds = 1e7, []
    for _ in range(9):
        before = os.times().children_user
        for _ in range(10):
            subprocess.run([program, str(rounds)], check=True, stdout=subprocess.DEVNULL)
        seconds.append((os.times().children_user - before) / 10)
    return rounds * SECONDS / statistics.median(seconds)


def ask(commands: list[str], place: Path, until: str) -> tuple[float, str]:
    """Seconds that the command takes, and the verdict on the second program."""
    begin = time.perf_counter()
    words = ["-m", "steelyard", "compare", "--until", until, "--json", *commands]
    done = subprocess.run([sys.executable, *words], cwd=place, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - begin
    if not done.stdout:
        sys.exit(f"error: {done.stderr}")
    first = next(entry for entry in json.loads(done.stdout)["comparisons"] if entry["metric"] == "wall_s")
    return seconds, str(first["verdict"])


def main() -> int:
    """Print a row for each difference and rule."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=8)
    options = parser.parse_args()
    is_missed = False
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        program = build(place)
        rounds = calibrate(program)
        noisy = [shlex.join([str(program), f"{rounds * more:.0f}"]) for more in (1.0, MORE)]
        pairs = {"8 ×": ["sleep 0.01", "sleep 0.08"], "5 %, σ 3 %": noisy}
        load = os.getloadavg()[0]
        print(
            f"{options.repeats} repeats, load {load:.1f}\n\n| difference | until | median, longest | slower |"
        )
        print("|---|---|---|---|")
        for title, commands in pairs.items():
            for until in ("verdict", "size"):
                answers = [ask(commands, place, until) for _ in range(options.repeats)]
                seconds = [took for took, _ in answers]
                right = sum(verdict == "slower" for _, verdict in answers)
                is_wrong = any(verdict == "faster" for _, verdict in answers)
                median = statistics.median(seconds)
                print(f"| {title} | {until} | {median:.2f} s, {max(seconds):.2f} s | {right} |", flush=True)
                is_missed |= is_wrong or (until == "verdict" and median > GOALS[title])
    return int(is_missed)


if __name__ == "__main__":
    sys.exit(main())
