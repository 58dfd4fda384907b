"""Verdicts of each tool on two commands: ``faster``, ``slower``, or ``open``, of the second command."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from scipy.stats import ttest_ind

Verdict = Literal["faster", "slower", "open"]
ALPHA = 0.05
PYPERF = "2.9.0"


def steelyard(commands: Sequence[str], directory: Path, runs: int | None, metric: str) -> Verdict:
    """``steelyard compare``, as it answers of the metric."""
    exact = [] if runs is None else ["--runs", str(runs)]
    words = [sys.executable, "-m", "steelyard", "compare", "--json", "--metric", metric, *exact, *commands]
    (result,) = (
        comparison
        for comparison in json.loads(quietly(words, directory))["comparisons"]
        if comparison["metric"] == metric
    )
    return "open" if result["verdict"] == "not_resolved" else result["verdict"]


def hyperfine(program: Path, commands: Sequence[str], directory: Path, runs: int | None) -> Verdict:
    """``hyperfine -N``, which gives no verdict: Welch's t test of the times that it exports."""
    exact = [] if runs is None else ["--runs", str(runs)]
    file = directory / "hyperfine.json"
    quietly([str(program), "-N", "--style=none", *exact, "--export-json", str(file), *commands], directory)
    results = json.loads(file.read_text())["results"]
    return welch(*([run["time_wall_clock"]["value"] for run in result["measurements"]] for result in results))


def pyperf(python: Path, commands: Sequence[str], directory: Path, runs: int | None) -> Verdict:
    """``pyperf command`` of each, and ``compare_to``, which calls a difference significant by its t test.

    As many runs as are asked for are spread over five processes, as each takes half a second to start.
    """
    values = []
    exact = [] if runs is None else ["--loops=1", "--processes=5", f"--values={max(1, runs // 5)}"]
    for place, command in enumerate(commands):
        file = directory / f"pyperf{place}.json"
        file.unlink(missing_ok=True)
        options = [*exact, "-o", str(file)]
        quietly([str(python), "-m", "pyperf", "command", *options, *command.split()], directory)
        workers = json.loads(file.read_text())["benchmarks"][0]["runs"]
        values.append([value for worker in workers for value in worker.get("values", ())])
    return welch(*values)


def welch(old: Sequence[float], new: Sequence[float]) -> Verdict:
    """Two-sided at 5 %."""
    result = ttest_ind(old, new, equal_var=False)
    if not result.pvalue <= ALPHA:
        return "open"
    return "faster" if math.fsum(old) / len(old) > math.fsum(new) / len(new) else "slower"


def quietly(words: Sequence[str], directory: Path) -> str:
    """Run a tool with a state directory of its own; its standard output."""
    env = {**os.environ, "XDG_STATE_HOME": str(directory / "state")}
    done = subprocess.run(words, capture_output=True, text=True, env=env, check=False)
    if done.returncode:
        sys.exit(f"error: {' '.join(words)} ended with {done.returncode}\n{done.stderr}")
    return done.stdout


def find_pyperf(directory: Path) -> Path:
    """A Python with pyperf, in an environment of its own that is made where there is none."""
    python = directory / "bin" / "python"
    if not python.exists():
        venv.create(directory, with_pip=True, clear=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", f"pyperf=={PYPERF}"]
        if subprocess.run(pip, check=False).returncode:
            shutil.rmtree(directory)
            sys.exit(f"error: pyperf {PYPERF} cannot be installed\n\nhint: --tools steelyard,hyperfine")
    return python
