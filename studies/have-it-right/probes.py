"""Sections 2.1 and 2.2 once more, with every value kept: beliefs, calls of counters, places of counters.

    .venv/bin/python studies/have-it-right/probes.py [PART ...] [--records DIRECTORY] [--no-run]

PART is belief, compiler, calls, inside, added or places; all of them by default, some fifteen minutes on two
CPUs. An interrupted run goes on where it stopped. Tables go to stdout, as Markdown; ``sections.py`` writes
them into README.md from what is kept in ``values/``.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from scipy.stats import spearmanr

from steelyard.api import Record, analyze
from steelyard.api.claims import RatioEvidence, check
from steelyard.api.text import Scalar

HERE: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import kept_values  # noqa: E402 -- what studies share lies beside them
import parts  # noqa: E402
from changes import Change, changes  # noqa: E402

PAPERS_SCALE: Final = 0.02
"""The most instructions that the paper's software counters add."""


def percent(change: Change) -> str:
    """With its interval."""
    return f"{100 * change.value:+.2f} % [{100 * change.low:.2f}, {100 * change.high:.2f}]"


def span(changes: Sequence[Change]) -> str:
    """From the least to the largest, and how many are rejected."""
    values = [100 * item.value for item in changes]
    rejected = sum(change.rejected for change in changes)
    return f"{min(values):+.2f} to {max(values):+.2f} % ({rejected} of {len(changes)})"


def beliefs(record: Record) -> str:
    """A row a belief: what the probe showed, what the program alone did, the verdict."""
    rows = []
    for verdict in check(record).verdicts:
        cells = [str(verdict.claim.name)]
        for instance in verdict.instances:
            evidence = instance.evidence
            assert isinstance(evidence, RatioEvidence)  # noqa: S101 -- a belief has no other
            assert evidence.ratio is not None and evidence.interval is not None  # noqa: S101, PT018
            low, high = evidence.interval.low, evidence.interval.high
            cells.append(f"{evidence.ratio:.3f} × less [{low:.3f}, {high:.3f}]")
        rows.append([*cells, verdict.outcome.replace("_", " ")])
    return parts.table(["belief", "in the profile", "CPU time without it", ""], rows)


def belief(record: Record) -> str:
    """Shares of the profile with the calls apart and together, then the beliefs."""
    medians = {
        (metric, sample.treatment.levels["batch"]): statistics.median(sample.values)
        for metric in ("mix_s", "gather_s", "cpu_s")
        for sample in record.samples(metric)
        if sample
        and sample.treatment.levels["links"] == max(_levels(record, "links"))
        and (metric == "cpu_s") == (sample.treatment.levels["timed"] == 0)
    }
    rows = []
    for batch in _levels(record, "batch"):
        mix_s, gather_s, alone_s = (medians[metric, batch] for metric in ("mix_s", "gather_s", "cpu_s"))
        rows.append(
            [
                f"{32 // int(str(batch))} calls of mix a round",
                f"mix {mix_s / (mix_s + gather_s):.0%}, gather {gather_s / (mix_s + gather_s):.0%}",
                f"{1e3 * (mix_s + gather_s):.0f} ms",
                f"{1e3 * alone_s:.0f} ms",
            ]
        )
    head = ["program", "its profile says", "in the profile", "CPU time without it"]
    return f"{parts.table(head, rows)}\n\n{beliefs(record)}"


def compiler(record: Record) -> str:
    """What the compiler's own profile gives each pass, then the beliefs."""
    total, tracking, elimination = (
        statistics.median(sample.values)
        for metric in ("total_s", "tracking_s", "pre_s")
        for sample in record.samples(metric)
        if sample and sample.treatment.levels["passes"] == "-O2"
    )
    named = (
        ("variable tracking, three lines", tracking),
        ("partial redundancy elimination (tree PRE)", elimination),
    )
    rows = [[name, f"{1e3 * value:.0f} ms", f"{value / total:.1%}"] for name, value in named]
    head = ["of a compilation", "-ftime-report", f"of {total:.2f} s"]
    return f"{parts.table(head, rows)}\n\n{beliefs(record)}"


def calls(record: Record) -> str:
    """A row a program: what identical programs differ by, code without calls, both, and the calls alone."""
    result = list(changes(analyze(record).judged))
    alone = list(changes(analyze(record, against={"calls": 0}).judged))
    rows = []
    for file in _levels(record, "file"):
        selection = [item for item in result if item.levels["file"] == file]
        identical = [change for change in selection if change.levels["counters"] == 0]
        code = [
            change for change in selection if change.levels["counters"] != 0 and change.levels["calls"] == 0
        ]
        both = [
            change for change in selection if change.levels["counters"] != 0 and change.levels["calls"] == 1
        ]
        changed = [
            change for change in alone if change.levels["file"] == file and change.levels["counters"] != 0
        ]
        twice = f"{100 * identical[0].value:+.2f} %"
        rows.append([Path(str(file)).stem, twice, *(span(change) for change in (code, both, changed))])
    head = ["program", "one program twice", "code, never run", "code and calls", "calls alone"]
    return parts.table(head, rows)


def inside(record: Record) -> str:
    """A row a number of counters in events.c: code that is never run, and the calls alone, in short runs and
    in long ones.
    """
    result = list(changes(analyze(record).judged))
    alone = list(changes(analyze(record, against={"calls": 0}).judged))
    rows = []
    for counters in _levels(record, "counters"):
        cells = [str(counters)]
        for probes, called in ((result, 0), (alone, 1)):
            for rounds in _levels(record, "rounds"):
                selection = [
                    item
                    for item in probes
                    if (item.levels["counters"], item.levels["calls"], item.levels["rounds"])
                    == (counters, called, rounds)
                ]
                cells += [percent(selection[0]) if selection else "–"]
        rows.append(cells)
    head = [
        "counters",
        "code, never run, 200,000 rounds",
        "2,000,000 rounds",
        "calls alone, 200,000",
        "2,000,000",
    ]
    return parts.table(head, rows)


def added(record: Record) -> str:
    """Instructions that the counters of each share and place add, as a part of all."""
    return parts.values(record, "instructions", ("place",), "sites")


def instructions(record: Record) -> dict[tuple[Scalar, Scalar], float]:
    """What counters add, as a fraction, by share and place."""
    counted = {
        (sample.treatment.levels["sites"], sample.treatment.levels["place"]): statistics.median(sample.values)
        for sample in record.samples("instructions")
    }
    return {key: value / counted[0, key[1]] - 1 for key, value in counted.items() if key[0] != 0}


class Placed(NamedTuple):
    """A program with software counters at a share of its places, drawn."""

    share: Scalar
    added: float
    """Instructions, as a fraction."""
    change: Change

    @property
    def is_small(self) -> bool:
        """Whether it adds no more than the paper's; where none was drawn, it is the program without any."""
        return 0 < self.added <= PAPERS_SCALE


def list_placed(record: Record, counted: Record) -> list[Placed]:
    """Every program with counters: what they add, and what they change."""
    adds = instructions(counted)
    result = [(item.levels["sites"], item.levels["place"], item) for item in changes(analyze(record).judged)]
    return [Placed(share, adds[share, place], change) for share, place, change in result]


def places(record: Record, counted: Record | None = None) -> str:
    """A row a share of places: what its places add and change; then those at the paper's scale."""
    if counted is None:
        with kept_values.rebuilt(HERE, "added") as opened:
            return places(record, opened)
    first = _levels(record, "place")[0]
    identical = [
        item
        for item in changes(analyze(record, against={"place": first}).judged)
        if item.levels["sites"] == 0
    ]
    every = list_placed(record, counted)
    groups = {
        **{f"{share} %": [it for it in every if it.share == share] for share in _levels(record, "sites")[1:]},
        f"at most {PAPERS_SCALE:.0%} more instructions": [it for it in every if it.is_small],
        "all of them": every,
    }
    rows = [["none: one program", str(len(identical)), "", span(identical), ""]]
    for name, programs in groups.items():
        added = [it.added for it in programs]
        changed = [it.change for it in programs]
        range_text = f"{100 * min(added):.2f} to {100 * max(added):.2f} %"
        rho = correlation(added, [change.value for change in changed])
        rows.append([name, str(len(programs)), range_text, span(changed), rho])
    head = ["counters at", "programs", "more instructions", "change of CPU time", "ρ of the two"]
    return parts.table(head, rows)


def correlation(added: Sequence[float], change: Sequence[float]) -> str:
    """Spearman's, with its two-sided p."""
    rho, p = spearmanr(added, change)
    return f"{rho:.2f} (p {p:.2g})"


def _levels(record: Record, factor: str) -> tuple[Scalar, ...]:
    return next(item.levels for item in record.experiment.factors if item.name == factor)


PARTS: Final = {item.__name__: item for item in (belief, compiler, calls, inside, added, places)}
KEPT: Final = {"belief": ("cpu_s",), "compiler": ("cpu_s", "wall_s")}

if __name__ == "__main__":
    keep = {part: partial(kept_values.keep, HERE, part, metrics=metrics) for part, metrics in KEPT.items()}
    sys.exit(parts.main(HERE, __doc__, PARTS, keep=keep))
