"""The page of 100,000 trials over 40 treatments: time, size, and its first chart in Chromium.

``./dev bench report [--blocks N]``: a record of made-up values, read, answered and written as ``steelyard
report`` does it. Limits: 5 s of CPU, 3 MB, and 2 s from opening the file to the first chart.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from steelyard.extensions.exchange.recording import Quantity, RecordedTrial, Selection, Taken, write_record

TREATMENTS = 40
LIMIT_S = 5.0
LIMIT_BYTES = 3_000_000
LIMIT_CHART_S = 2.0
VISITS = 3
MARK = "performance.getEntriesByName('first-chart')[0].startTime"


def make(directory: Path, blocks: int) -> None:
    """A record in which every block has every treatment."""
    draw = random.Random(1)
    trials = [
        RecordedTrial((("n", n),), {"time_s": (1e-3 * (1 + n / 100) * draw.lognormvariate(0, 0.03),)}, block)
        for block in range(1, blocks + 1)
        for n in draw.sample(range(TREATMENTS), TREATMENTS)
    ]
    record = Taken("benchmarks/report", {"time_s": Quantity("s")}, blocked=True)
    write_record(directory, trials, record, Selection(compare="n")).close()


def first_chart_s(page: Path) -> float:
    """Seconds from opening the page to its first chart; the least of a few visits."""
    from playwright.sync_api import sync_playwright

    seconds = []
    with sync_playwright() as started:
        options = ["--no-sandbox", "--disable-gpu"]
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=options)
        for _ in range(VISITS):
            visit = browser.new_page(viewport={"width": 1000, "height": 900})
            visit.goto(page.as_uri())
            visit.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)
            seconds.append(visit.evaluate(MARK) / 1e3)
            visit.close()
        browser.close()
    return float(min(seconds))


def main() -> int:
    """Measure, print, and say whether the limits are met."""
    parser = argparse.ArgumentParser(description=__doc__, prog="./dev bench report")
    parser.add_argument("--blocks", type=int, default=2500)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        record, page = Path(name, "made.lab"), Path(name, "made.html")
        make(record, args.blocks)
        before, started = os.times(), time.monotonic()
        subprocess.run([sys.executable, "-m", "steelyard", "report", record, "-o", page], check=True)
        took, after = time.monotonic() - started, os.times()
        spent = after.children_user + after.children_system - before.children_user - before.children_system
        size = page.stat().st_size
        chart = first_chart_s(page)
    print(f"{args.blocks * TREATMENTS:,} trials over {TREATMENTS} treatments")
    print(f"page written in {spent:.2f} s of CPU ({took:.2f} s elapsed), limit {LIMIT_S:g} s")
    print(f"{size / 1e6:.2f} MB, limit {LIMIT_BYTES / 1e6:g} MB")
    print(f"first chart after {chart:.2f} s, limit {LIMIT_CHART_S:g} s")
    met = spent <= LIMIT_S and size <= LIMIT_BYTES and chart <= LIMIT_CHART_S
    print("limits met" if met else "limits not met")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
