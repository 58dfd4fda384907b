"""How to take the time of a program: what each procedure reads, beside what the program saw of itself.

``python studies/timing-procedures/study.py [--directory LABS] [--small] [--hyperfine PATH] [--summary FILE]``
needs steelyard, a C compiler, GNU time and bash; perf and hyperfine where they are. About three minutes. The
record lies in LABS (timing-procedures.labs); a study that was stopped goes on where it was. ``--small`` takes
seconds and shows nothing but that all of it runs.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from steelyard import Laboratory
from steelyard.api import Experiment, Interval, MachineError, Record, SteelyardError, experiment
from steelyard.api.claims import MeanEvidence, Verdict

HERE: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import kept_values  # noqa: E402 -- what studies share lies beside them

TOLERANCE: Final = 0.01
"""Bias, s and resolution are to be at most this much of a run's length."""
COST: Final = 0.1
"""Taking the time is to make a run at most this much longer."""
READINGS: Final = {
    "own": ("own_s", "runner"),
    "runner": ("wall_s", "runner"),
    "rusage": ("cpu_s", "runner"),
    "perf": ("perf_ns", "perf"),
    "hyperfine": ("hyperfine_s", "hyperfine"),
    "bash": ("bash_s", "bash"),
    "time": ("time_s", "time"),
}
"""Procedures: the metric that holds what each reads, and the treatment that it is read from."""
CALLED: Final = {
    "own": "the program's own clock",
    "runner": "Steelyard's runner, elapsed",
    "rusage": "rusage (wait4), CPU time",
    "perf": "perf stat, elapsed",
    "hyperfine": "hyperfine -N, elapsed",
    "bash": "bash's time, elapsed",
    "time": "/usr/bin/time, elapsed",
}


class Judged(NamedTuple):
    """A procedure on runs of one length: parts of the length and verdicts on them; the cost in seconds."""

    bias: float
    bias_ci95: tuple[float, float]
    unbiased: str
    s: float
    s_ci95: tuple[float, float]
    steady: str
    step: float
    fine: str
    cost_s: float
    cheap: str

    @property
    def trusted(self) -> str:
        """Whether all of bias, s and resolution hold."""
        return together((self.unbiased, self.steady, self.fine))


def together(outcomes: tuple[str, ...]) -> str:
    """One outcome of several that must all hold."""
    if "fails" in outcomes:
        return "fails"
    return "not_resolved" if "not_resolved" in outcomes else "holds"


def has_perf() -> bool:
    """Whether ``perf stat`` can time a program here."""
    if shutil.which("perf") is None:
        return False
    command = ["perf", "stat", "-x", ",", "-e", "duration_time", "true"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode == 0 and ",ns,duration_time" in done.stderr


def question(hyperfine: str | None, *, small: bool) -> Experiment:
    """The experiment, with the procedures that are here.

    Raises
    ------
    MachineError
        A program that every machine is expected to have is missing.
    """
    tables: dict[str, Any] = tomllib.loads((HERE / "timing.toml").read_text(encoding="utf-8"))
    for name, package in (("/usr/bin/time", "time"), ("bash", "bash"), ("cc", "gcc")):
        if shutil.which(name) is None:
            raise MachineError(f"{name} is missing", hint=f"apt-get install {package}")
    commands, metrics = tables["program"]["commands"], tables["metrics"]
    if not has_perf():
        del commands["perf"], metrics["perf_ns"], metrics["ratio_perf"]
    if hyperfine:
        level = {"command": "hyperfine"}
        # Its results go to stderr, so that they and what the program prints are kept apart.
        commands["hyperfine"] = [
            *(hyperfine, "-N", "--style", "none", "--runs", "1", "--output", "inherit"),
            *("--export-json", "/dev/stderr", "{build}/hold {length_us}"),
        ]
        pattern = r'"times": *\[\s*([0-9.e-]+)'
        metrics["hyperfine_s"] = {"pattern": pattern, "source": "stderr", "unit": "s", "where": level}
        ratio = {"derive": "hyperfine_s / own_s", "better": "neither", "where": level}
        metrics["ratio_hyperfine"] = ratio
    if small:
        tables["factors"]["length_us"] = [1000, 10000]
        tables["design"] |= {"blocks": 10, "discard": 0}
    return experiment(source=HERE, **tables)


def values(lab: Laboratory, metric: str, command: str) -> dict[int, Any]:
    """What was found, by length in microseconds."""
    return {
        int(sample.treatment.levels["length_us"]): np.asarray(sample.values)
        for sample in lab.samples(metric)
        if sample.treatment.levels["command"] == command
    }


def resolution(readings: Mapping[int, Any]) -> float:
    """The largest power of ten, down to 1e-9, of which readings of all lengths are multiples."""
    all_of = np.concatenate(list(readings.values()))
    for digits in range(10):
        if np.allclose(all_of, np.round(all_of, digits), rtol=0, atol=1e-12):
            return float(10.0**-digits)
    return 1e-9


def interval_of_s(ratios: Any) -> tuple[float, float]:
    """Percentile bootstrap of the standard deviation, 95 %."""
    drawn = np.random.default_rng(2014).choice(ratios, size=(4000, len(ratios)))
    low, high = np.quantile(drawn.std(axis=1, ddof=1), [0.025, 0.975])
    return float(low), float(high)


def against(low: float, high: float, limit: float) -> str:
    """Of an interval and an upper limit."""
    return "holds" if high <= limit else "fails" if low > limit else "not_resolved"


def claims(name: str, command: str, length_us: int) -> list[dict[str, Any]]:
    """Bias within the tolerance from both sides, and cost; of medians, which one slow run does not move."""
    bounds = (
        (f"ratio_{name}", "max", 1 + TOLERANCE),
        (f"ratio_{name}", "min", 1 - TOLERANCE),
        ("cost_s", "max", COST * length_us / 1e6),
    )
    common = {"at": {"command": command, "length_us": length_us}, "quantile": 0.5}
    return [{"limit": metric, side: bound, **common} for metric, side, bound in bounds]


def measured(verdict: Verdict) -> tuple[float, Interval | None]:
    """The median that was held to a limit, and its interval."""
    evidence = verdict.instances[0].evidence
    # A limit of what was measured has no other evidence, and no trial here may fail.
    assert isinstance(evidence, MeanEvidence)  # noqa: S101
    assert evidence.mean is not None  # noqa: S101
    return evidence.mean, evidence.interval


def judged(lab: Laboratory) -> dict[str, dict[int, Judged]]:
    """All claims of all procedures, in one family."""
    names = {item.name for item in lab.experiment.metrics}
    readings = {name: reading for name, reading in READINGS.items() if f"ratio_{name}" in names}
    lengths = [int(n) for n in next(f.levels for f in lab.experiment.factors if f.name == "length_us")]
    pairs = [(name, length) for name in readings for length in lengths]
    all_claims = [claim for name, length in pairs for claim in claims(name, readings[name][1], length)]
    verdicts = iter(lab.check(claims=all_claims).value.verdicts)
    result: dict[str, dict[int, Judged]] = {name: {} for name in readings}
    for name, length in pairs:
        metric, command = readings[name]
        above, below, cost = next(verdicts), next(verdicts), next(verdicts)
        mean, ends = measured(above)
        cost_s, _ = measured(cost)
        ratios = values(lab, f"ratio_{name}", command)[length]
        spread = interval_of_s(ratios)
        step_s = 1e-9 if metric == "perf_ns" else resolution(values(lab, metric, command))
        step = step_s / (length / 1e6)
        result[name][length] = Judged(
            bias=mean - 1,
            bias_ci95=(ends.low - 1, ends.high - 1) if ends else (float("-inf"), float("inf")),
            unbiased=together((above.outcome, below.outcome)),
            s=float(np.std(ratios, ddof=1)),
            s_ci95=spread,
            steady=against(*spread, TOLERANCE),
            step=step,
            fine="holds" if step <= TOLERANCE else "fails",
            cost_s=cost_s,
            cheap=cost.outcome,
        )
    return result


SIGNS: Final = {"holds": "yes", "fails": "no", "not_resolved": "?"}


def interval(value: float, ends: tuple[float, float], outcome: str) -> str:
    """In percent, with its verdict."""
    return f"{100 * value:.2f} ({100 * ends[0]:.2f} to {100 * ends[1]:.2f}) {SIGNS[outcome]}"


def lines(verdicts: Mapping[str, Mapping[int, Judged]]) -> list[str]:
    """The tables."""
    lengths = list(next(iter(verdicts.values())))
    columns = [
        f"To be trusted: bias, s and resolution are each within {TOLERANCE:.0%} of the run",
        f"{'':<28}" + "".join(f"{length / 1000:>9g} ms" for length in lengths),
    ]
    columns += [
        f"{CALLED[name]:<28}" + "".join(f"{SIGNS[by_length[length].trusted]:>12}" for length in lengths)
        for name, by_length in verdicts.items()
    ]
    for length in lengths:
        columns += ["", f"Runs of {length / 1000:g} ms; yes, no and ? are verdicts", ""]
        columns.append(f"{'':<28}{'bias % (95 %)':>28}{'s % (95 %)':>28}{'step %':>14}{'cost ms':>12}")
        for name, by_length in verdicts.items():
            row = by_length[length]
            columns.append(
                f"{CALLED[name]:<28}{interval(row.bias, row.bias_ci95, row.unbiased):>28}"
                f"{interval(row.s, row.s_ci95, row.steady):>28}"
                f"{100 * row.step:>10.2g} {SIGNS[row.fine]:>3}{1e3 * row.cost_s:>8.2f} {SIGNS[row.cheap]:>3}"
            )
    return columns


def main() -> int:
    """Run what is not finished, judge, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--directory", type=Path, default=Path("timing-procedures.labs"))
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--hyperfine", default=shutil.which("hyperfine"), help="its path")
    parser.add_argument("--summary", type=Path, help="also write this JSON file")
    parser.add_argument("--keep", action="store_true", help="keep every value in values/timing.csv")
    args = parser.parse_args()
    try:
        result = question(args.hyperfine, small=args.small)
        args.directory.mkdir(parents=True, exist_ok=True)
        lab = Laboratory(result, record=args.directory.absolute() / "timing.lab")
        lab.run()
        verdicts = judged(lab)
        if args.keep:
            with Record.open(args.directory / "timing.lab") as record:
                kept_values.keep(HERE, "timing", record, ("wall_s", "cpu_s"))
    except SteelyardError as error:
        sys.stderr.write(error.explain())
        return error.exit_code
    print("\n".join(lines(verdicts)))
    if missing := [CALLED[name] for name in READINGS if name not in verdicts]:
        print(f"\nNot on this machine: {', '.join(missing)}")
    if args.summary:
        summary = {
            name: {
                str(length): {**row._asdict(), "trusted": row.trusted} for length, row in by_length.items()
            }
            for name, by_length in verdicts.items()
        }
        args.summary.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
