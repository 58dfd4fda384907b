"""Real harnesses on real projects: ``steelyard gate`` and the rules of its peers on the same commits.

Each step (a harness, a pair of commits, a repeat, a rule) is a line of ``results.jsonl``; what is there is
not measured again, so that an interrupted benchmark goes on.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from projects import PLANTED, PROJECTS, Project, check_out, make_repository
from scipy import stats

from steelyard.extensions.exchange.reports import read_reports

Values = dict[str, list[float]]
COUNT = 10
"""Runs of either side that benchstat asks for."""
SECONDS_OF_TEN = 0.3
"""Of each of these runs, so that all of them end within the time of the benchmark."""
PAIRS = ("equal", "slow")


class Log:
    """The lines of results."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.lines: list[dict[str, Any]] = (
            [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
        )

    def measure(self, key: dict[str, Any], step: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The line of this key, measured unless it is there."""
        for line in self.lines:
            if all(line.get(name) == value for name, value in key.items()):
                return line
        load = os.getloadavg()[0]
        line = {**key, "load": round(load, 1), **step()}
        self.lines.append(line)
        with self.file.open("a") as out:
            out.write(json.dumps(line) + "\n")
        return line


def identify(title: str) -> str:
    """The planted name within the title of a benchmark."""
    return next(name for name in PLANTED if name in title)


def run_gate(project: Project, repository: Path, head: str, options: Sequence[str]) -> dict[str, Any]:
    """Verdicts of a gate, and its seconds of measurement and in all."""
    words = [sys.executable, "-m", "steelyard", "gate", "base", head, "--json", "--repo", str(repository)]
    words += [*(["--build", project.build] if project.build else []), *options, "--", *project.command]
    state = repository.parent / "state"
    shutil.rmtree(state, ignore_errors=True)
    environment = {**os.environ, "XDG_STATE_HOME": str(state)}
    if project.tool == "cargo":
        environment["CARGO_TARGET_DIR"] = str(repository.parent / "target")
    began = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
    if done.returncode not in (0, 1):  # An answer without a benchmark that is gone.
        raise SystemExit(f"gate of {project.name} ended with {done.returncode}:\n{done.stderr}")
    answer = json.loads(done.stdout)
    return {
        "calls": {identify(benchmark["name"]): benchmark["verdict"] for benchmark in answer["benchmarks"]},
        "seconds": answer["measured_s"],
        "wall_s": time.monotonic() - began,
    }


def run_harness(project: Project, directory: Path, count: int = 1) -> tuple[Values, float, str]:
    """What a run by the harness's own defaults reports, its seconds, and what it printed."""
    file = directory.parent / "report.json"
    file.unlink(missing_ok=True)
    words = [*project.command, *(word.format(file=file) for word in project.output)]
    if count > 1:
        words += [f"-count={count}", f"-benchtime={SECONDS_OF_TEN}s"]
    began = time.monotonic()
    done = subprocess.run(words, cwd=directory, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - began
    if done.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    text = file.read_text() if file.exists() else done.stdout
    values: Values = defaultdict(list)
    for report in read_reports(text, project.name, project.source):
        if report.metric == project.metric:
            values[identify(report.benchmark)] += report.values
    return values, seconds, done.stdout


def run_by_hand(project: Project, repository: Path, head: str) -> dict[str, Any]:
    """A run of base, then one of head: what peers decide by."""
    sides = [check_out(project, repository, branch) for branch in ("base", head)]
    for side in sides:  # Builds of cargo and go do not count.
        if project.tool in ("cargo", "go"):
            words = (
                ["cargo", "bench", "--no-run"] if project.tool == "cargo" else ["go", "test", "-run", "^$"]
            )
            subprocess.run(words, cwd=side, capture_output=True, check=True)
    if project.name == "criterion":
        # Both save into one directory, as one checkout does that moves from commit to commit.
        shutil.rmtree(repository.parent / "saved", ignore_errors=True)
        os.environ["CRITERION_HOME"] = str(repository.parent / "saved")
    (base, base_s, _), (new, new_s, printed) = (run_harness(project, side) for side in sides)
    means = {name: statistics.fmean(new[name]) / statistics.fmean(base[name]) for name in PLANTED}
    line: dict[str, Any] = {"ratios": means, "seconds": base_s + new_s}
    if project.name == "criterion":
        line["criterion"] = read_regressions(printed)
    return line


def read_regressions(printed: str) -> dict[str, bool]:
    """Benchmarks that criterion says have regressed."""
    calls = dict.fromkeys(PLANTED, False)
    current = ""
    for line in printed.splitlines():
        current = next((name for name in PLANTED if line.startswith(name)), current)
        if "Performance has regressed" in line:
            calls[current] = True
    return calls


def run_benchstat(project: Project, repository: Path, head: str) -> dict[str, Any]:
    """Ten runs of base, then ten of head, Mann-Whitney at 0.05: what benchstat reports."""
    sides = [check_out(project, repository, branch) for branch in ("base", head)]
    (base, base_s, _), (new, new_s, _) = (run_harness(project, side, COUNT) for side in sides)
    calls = {
        name: bool(
            stats.mannwhitneyu(base[name], new[name]).pvalue < 0.05
            and statistics.median(new[name]) > statistics.median(base[name])
        )
        for name in PLANTED
    }
    return {"calls": calls, "seconds": base_s + new_s}


def list_calls(lines: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str, dict[str, bool], float, float]]:
    """Rule, pair of commits, what it calls slower, its seconds, and those of two runs by hand."""
    own = {
        (line["harness"], line["pair"], line["repeat"], line["busy"]): line
        for line in lines
        if line["rule"] == "hand"
    }
    for line in lines:
        hand = own.get((line["harness"], line["pair"], line["repeat"], line["busy"]))
        two_s = hand["seconds"] if hand else float("nan")
        match line["rule"]:
            case "gate":
                calls = {name: verdict == "slower" for name, verdict in line["calls"].items()}
                yield f"{line['harness']}: steelyard gate", line["pair"], calls, line["seconds"], two_s
            case "benchstat":
                yield (
                    f"{line['harness']}: benchstat, 10 runs",
                    line["pair"],
                    line["calls"],
                    line["seconds"],
                    two_s,
                )
            case "hand":
                rules = {"github-action-benchmark, 110 %": 1.1, "github-action-benchmark, 200 %": 2.0}
                if line["harness"] == "pytest-benchmark":
                    rules["pytest-benchmark, mean:5%"] = 1.05
                for name, limit in rules.items():
                    calls = {item: ratio > limit for item, ratio in line["ratios"].items()}
                    yield f"{line['harness']}: {name}", line["pair"], calls, line["seconds"], two_s
                if "criterion" in line:
                    yield (
                        "criterion: its own verdict",
                        line["pair"],
                        line["criterion"],
                        line["seconds"],
                        two_s,
                    )


def print_table(lines: Sequence[dict[str, Any]]) -> None:
    """Counts over repeats, a row a harness and rule."""
    rows: dict[str, list[tuple[str, dict[str, bool], float, float]]] = defaultdict(list)
    for rule, pair, calls, seconds, two_s in list_calls(lines):
        rows[rule].append((pair, calls, seconds, two_s))
    print("| harness: rule | false alarms | 5 % found | 10 % | 20 % | seconds | × two runs |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for rule, entries in rows.items():
        alarms = [
            called
            for pair, calls, _, _ in entries
            for name, called in calls.items()
            if pair == "equal" or not PLANTED[name]
        ]
        cells = [f"{sum(alarms)} of {len(alarms)}"]
        for name in ("five", "ten", "twenty"):
            result = [calls[name] for pair, calls, _, _ in entries if pair == "slow"]
            cells.append(f"{sum(result)} of {len(result)}")
        seconds = statistics.fmean(entry[2] for entry in entries)
        two_s = statistics.fmean(entry[3] for entry in entries)
        print(f"| {rule} | {' | '.join(cells)} | {seconds:.0f} | {seconds / two_s:.1f} |")


def measure_all(
    names: Sequence[str], repeats: int, directory: Path, *, busy: bool, options: Sequence[str]
) -> int:
    """Measure what is not measured yet, and print the table."""
    directory.mkdir(parents=True, exist_ok=True)
    log = Log(directory / "results.jsonl")
    began = time.monotonic()
    for name in names or PROJECTS:
        project = PROJECTS[name]
        if shutil.which(project.tool) is None:
            print(f"{name}: {project.tool} is not installed", file=sys.stderr)
            continue
        repository = make_repository(project, directory)
        for repeat in range(repeats):
            for pair in PAIRS:
                key = {"harness": name, "pair": pair, "repeat": repeat, "busy": busy}
                print(f"{time.monotonic() - began:5.0f} s  {name}, {pair}, {repeat + 1}", file=sys.stderr)
                place = (project, repository, pair)
                log.measure({**key, "rule": "gate"}, partial(run_gate, *place, options))
                log.measure({**key, "rule": "hand"}, partial(run_by_hand, *place))
                if name == "go":
                    log.measure({**key, "rule": "benchstat"}, partial(run_benchstat, *place))
    chosen = [line for line in log.lines if line["busy"] == busy]
    print_table(chosen)
    loads = [line["load"] for line in chosen]
    print(f"\nLoad of the machine when a step began: {min(loads)} to {max(loads)}; {os.cpu_count()} CPUs.")
    return 0
