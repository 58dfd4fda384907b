"""Many small gates of every harness that is installed: equal suites, and suites with 10 % planted.

A suite has two benchmarks, one of which is 10 % slower in the commit ``slow``. Both sides are built once; a
gate is of two directories. The harness that has taken least time is next, with one equal gate and, every
fifth time, one planted gate, so that an interrupted witness has something of each. A gate is a line of
``witness.jsonl`` with all values of its processes, from which the rules of peers judge the same data
(``peers.py``).
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from peers import BY_SIGNIFICANCE, Values, judge_by_benchstat, judge_by_limit, judge_by_perfgate
from projects import PAIR, PROJECTS, Project, check_out, make_repository
from real import read_regressions
from scipy import stats

BUDGETS_S = (6.0, 24.0, 120.0)
"""Of an equal gate: the first in which six blocks fit."""
MOST_S = 60.0
"""Of a gate, whatever two runs of the harness take."""
EVERY = 5
"""Equal gates to one that is planted."""
TIMES = 1.5
"""Two runs of the harness, within which 10 % is to be found."""
SHOWN = {0, 1}
"""Exit codes of an answer without a benchmark that is gone."""
TOO_SHORT = 3
ERRORS = 5
"""Gates of a harness that failed, after which it is left out."""


class Bench:
    """One harness with its trees and its lines."""

    def __init__(self, project: Project, directory: Path) -> None:
        self.project = project
        repository = make_repository(project, directory, PAIR)
        self.place = repository.parent
        for branch in ("base", "equal", "slow"):
            check_out(project, repository, branch)
        if project.name == "asv":
            subprocess.run(["asv", "machine", "--yes"], cwd=repository, capture_output=True, check=True)
        self.environment = {
            **os.environ,
            "XDG_STATE_HOME": str(self.place / "state"),
            "CARGO_TARGET_DIR": str(self.place / "target"),
            "CRITERION_HOME": str(self.place / "saved"),
            "RUSTC_BOOTSTRAP": "1",
        }

    def run_by_hand(self) -> dict[str, Any]:
        """Seconds of a run of base and one of the slow commit by the harness's defaults."""
        if self.project.own_s is not None:
            return {"seconds": self.project.own_s * len(PAIR), "is_counted": True}
        shutil.rmtree(self.place / "saved", ignore_errors=True)
        seconds, printed = 0.0, ""
        for branch in ("base", "slow"):
            tree = self.place / branch
            if self.project.tool in ("cargo", "go"):
                run = ["cargo", "bench", "--no-run"] if self.project.tool == "cargo" else ["go", "vet"]
                subprocess.run(run, cwd=tree, env=self.environment, capture_output=True, check=True)
            words = [*self.project.command, *(word.format(file=os.devnull) for word in self.project.output)]
            if self.project.name == "asv":
                words += ["--python=same", "--set-commit-hash=HEAD"]
            began = time.monotonic()
            done = subprocess.run(
                words, cwd=tree, env=self.environment, capture_output=True, text=True, check=False
            )
            seconds += time.monotonic() - began
            printed = done.stdout
            if done.returncode:
                raise SystemExit(f"{words} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        line: dict[str, Any] = {"seconds": seconds}
        if self.project.name == "criterion":
            line["criterion"] = read_regressions(printed)
        return line

    def gate(self, head: str, budget_s: float) -> dict[str, Any]:
        """Verdicts, seconds, and all values of a gate of base against a branch."""
        output = self.place / "gate"
        shutil.rmtree(output, ignore_errors=True)
        words = [sys.executable, "-m", "steelyard", "gate", "--base-dir", str(self.place / "base")]
        words += ["--head-dir", str(self.place / head), "--max-time", f"{budget_s:.3f}s", "--json"]
        words += ["--repo", str(self.place / "base"), "-o", str(output), "--", *self.project.command]
        began = time.monotonic()
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, check=False)
        line: dict[str, Any] = {
            "budget_s": budget_s,
            "wall_s": time.monotonic() - began,
            "code": done.returncode,
        }
        if done.returncode not in SHOWN:
            return line if done.returncode == TOO_SHORT else {**line, "error": done.stderr[-2000:]}
        answer = json.loads(done.stdout)
        calls = {identify(entry["name"]): entry["verdict"] for entry in answer["benchmarks"]}
        metric = answer["metrics"][0]["name"]
        return {
            **line,
            "seconds": answer["measured_s"],
            "calls": calls,
            "values": read_values(output, metric),
        }


def identify(title: str) -> str:
    """The planted name within the title of a benchmark."""
    return next(name for name in PAIR if name in title.rpartition("/")[2] or name in title)


def read_values(output: Path, metric: str) -> dict[str, dict[str, list[float]]]:
    """Benchmark to the values of either side, a median a process, from the records of a gate."""
    values: dict[str, dict[str, list[float]]] = {name: {"base": [], "head": []} for name in PAIR}
    for record in sorted(output.glob("*.lab")):
        words = [sys.executable, "-m", "steelyard", "export", "--long", "-f", "csv", str(record)]
        text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        processes: dict[tuple[str, str, str], list[float]] = defaultdict(list)
        for row in csv.DictReader(text.splitlines()):
            if row["metric"] == metric:
                labels = json.loads(row["labels"])
                key = (identify(labels["benchmark"]), row["command"], row["trial"])
                processes[key].append(float(row["value"]))
        for (name, side, _), result in processes.items():
            values[name][side].append(float(f"{sorted(result)[len(result) // 2]:.7g}"))
    return values


class Log:
    """Lines of all gates."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.lines: list[dict[str, Any]] = (
            [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
        )

    def select(self, harness: str, kind: str) -> list[dict[str, Any]]:
        """Lines of one harness and kind."""
        return [line for line in self.lines if (line["harness"], line["kind"]) == (harness, kind)]

    def sum_seconds(self, harness: str) -> float:
        """Seconds that a harness has taken, so that all have their turns."""
        return sum(float(line.get("wall_s", 0.0)) for line in self.lines if line["harness"] == harness)

    def add_gate(self, harness: str, kind: str, line: dict[str, Any]) -> None:
        """Write the line of a gate; what failed is of a kind of its own."""
        self.add(harness, "error" if "error" in line else kind, line)

    def add(self, harness: str, kind: str, line: dict[str, Any]) -> None:
        """Write one line."""
        entry = {"harness": harness, "kind": kind, "load": round(os.getloadavg()[0], 1), **line}
        self.lines.append(entry)
        with self.file.open("a") as out:
            out.write(json.dumps(entry) + "\n")


def prepare(names: Sequence[str], directory: Path) -> Iterator[Bench]:
    """The harnesses that are installed, each with its trees built; the others are named."""
    for name in names or PROJECTS:
        project = PROJECTS[name]
        try:
            if shutil.which(project.tool) is None:
                raise FileNotFoundError(f"{project.tool} is not installed")
            yield Bench(project, directory)
        except (subprocess.CalledProcessError, FileNotFoundError) as error:
            print(f"{name}: left out: {error}", file=sys.stderr)


def advance(bench: Bench, log: Log) -> None:
    """One turn of one harness: an equal gate, and a planted one where it is due."""
    name = bench.project.name
    if not log.select(name, "hand"):
        log.add(name, "hand", bench.run_by_hand())
    two_s = log.select(name, "hand")[0]["seconds"]
    planted = log.select(name, "planted")
    if len(planted) * EVERY <= len(log.select(name, "equal")):
        log.add_gate(name, "planted", bench.gate("slow", min(TIMES * two_s, MOST_S)))
    for budget_s in BUDGETS_S[len(log.select(name, "short")) :]:
        line = bench.gate("equal", budget_s)
        log.add_gate(name, "short" if line["code"] == TOO_SHORT else "equal", line)
        if line["code"] != TOO_SHORT:
            break


def is_open(log: Log, name: str, count: int) -> bool:
    """Whether a harness has gates to come, of which six blocks fit into a budget."""
    limits = {"equal": count, "short": len(BUDGETS_S), "error": ERRORS}
    return all(len(log.select(name, kind)) < most for kind, most in limits.items())


def bound(times: int, of: int) -> float:
    """Upper limit of a rate, 95 % (Clopper and Pearson), one-sided."""
    return 1.0 if times == of else float(stats.beta.ppf(0.95, times + 1, of - times))


def is_red(line: dict[str, Any], equal: Sequence[str] = tuple(PAIR)) -> bool:
    """Whether a gate called a benchmark slower that is equal."""
    return any(line["calls"].get(name) == "slower" for name in equal)


def print_witness(log: Log) -> None:
    """A row a harness, then peers on the same data."""
    print("| harness | equal gates red | at most | open | 10 % found | too short | s | × two runs |")
    print(f"|---|{'--:|' * 7}")
    for name in dict.fromkeys(line["harness"] for line in log.lines):
        equal = [line for line in log.select(name, "equal") if line["code"] in SHOWN]
        planted = log.select(name, "planted")
        judged = [line for line in planted if line["code"] in SHOWN]
        if not equal or not planted:
            continue
        red = sum(map(is_red, equal))
        calls = [call for line in equal for call in line["calls"].values()]
        result = sum(line["calls"].get("ten") == "slower" for line in judged)
        seconds = [line["seconds"] for line in judged]
        two_s = log.select(name, "hand")[0]["seconds"]
        mean_s = sum(seconds) / len(seconds) if seconds else None
        times = "– | –" if mean_s is None else f"{mean_s:.1f} | {mean_s / two_s:.2f}"
        print(
            f"| {name} | {red} of {len(equal)} | {100 * bound(red, len(equal)):.1f} % "
            f"| {calls.count('open')} of {len(calls)} | {result} of {len(planted)} "
            f"| {len(planted) - len(judged)} | {times} |"
        )
    print_peers(log)
    loads = [line["load"] for line in log.lines]
    print(
        f"\nLoad at the end of each gate: {min(loads)} to {max(loads)},"
        f" {sum(loads) / len(loads):.1f} on average."
    )


def print_peers(log: Log) -> None:
    """The rules of peers on the values of the same gates."""
    rules: dict[str, Callable[[Values], set[str] | None]] = {
        "benchstat": judge_by_benchstat,
        "perfgate, 20 %": judge_by_perfgate,
        "perfgate, 5 % and p of 0.05": partial(judge_by_perfgate, options=BY_SIGNIFICANCE),
        "github-action-benchmark, 110 %": partial(judge_by_limit, limit=1.1),
        "pytest-benchmark, mean:5%": partial(judge_by_limit, limit=1.05),
    }
    print("\n| rule, on the same values | equal suites red | 10 % found | other benchmark of these red |")
    print("|---|--:|--:|--:|")
    lines = [line for line in log.lines if line.get("code") in SHOWN and "values" in line]
    verdicts = [(line, {name for name, call in line["calls"].items() if call == "slower"}) for line in lines]
    print_rule("steelyard gate", verdicts)
    for rule, judge in rules.items():
        results = [(line, judge(line["values"])) for line in lines]
        judged = [(line, called) for line, called in results if called is not None]
        if judged:
            print_rule(rule, judged)


def print_rule(rule: str, results: Sequence[tuple[dict[str, Any], set[str]]]) -> None:
    """One row."""
    equal = [called for line, called in results if line["kind"] == "equal"]
    planted = [called for line, called in results if line["kind"] == "planted"]
    print(
        f"| {rule} | {sum(map(bool, equal))} of {len(equal)}"
        f" | {sum('ten' in called for called in planted)} of {len(planted)}"
        f" | {sum('equal_a' in called for called in planted)} of {len(planted)} |"
    )


def witness(names: Sequence[str], count: int, directory: Path, piece_s: float) -> int:
    """Gate until each harness has ``count`` equal gates or the piece is over; print what there is."""
    directory.mkdir(parents=True, exist_ok=True)
    log = Log(directory / "witness.jsonl")
    began = time.monotonic()
    benches = list(prepare(names, directory)) if piece_s > 0 else []
    while time.monotonic() - began < piece_s:
        benches = [entry for entry in benches if is_open(log, entry.project.name, count)]
        if not benches:
            break
        advance(min(benches, key=lambda entry: log.sum_seconds(entry.project.name)), log)
    print_witness(log)
    return 0
