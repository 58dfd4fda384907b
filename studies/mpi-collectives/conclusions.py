"""What § 3.3.3 of the paper concludes of Intel MPI and Open MPI, claim by claim, on latencies of part (b).

``conclusions.py`` prints a Markdown table, from simulated.csv.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Final

import simulated
import study
from msgspec.structs import replace

from steelyard.api.claims import (
    SIGNS,
    RulePointEvidence,
    Verdict,
    check_data,
    combine_outcomes,
    format_claim,
    format_verdict,
)
from steelyard.api.scaling import Expectation, ModelRequest, Question, Series, parse_rule

FILE: Final = study.HERE / "conclusions.toml"
SAID: Final = {
    "(a)": "about half of Intel MPI's models do not match",
    "(b)": "Intel MPI's Bcast and Allgather grow much faster than Open MPI's",
    "(c)": "Intel MPI's litmus test matches, so its library is the cause",
    "(d)": "Intel MPI's Barrier and Reduce are faster than Open MPI's, or on par",
    "(e)": "no operation of Open MPI is a mismatch, nor is its litmus test",
}


def verdicts() -> Iterator[tuple[str, Verdict]]:
    """The name of each claim, and its verdict."""
    latencies = simulated.series_in(simulated.kept("selectors"))
    for claim in tomllib.loads(FILE.read_text(encoding="utf-8"))["claims"]:
        verdict = check_data(FILE.name, _asked(claim, latencies)).verdicts[-1]
        yield claim["name"], verdict if claim.get("growth", True) else _at_points(verdict)


def _at_points(verdict: Verdict) -> Verdict:
    """Without what the models say of growth."""
    points = tuple(
        instance for instance in verdict.instances if isinstance(instance.evidence, RulePointEvidence)
    )
    return replace(verdict, instances=points, outcome=combine_outcomes(point.outcome for point in points))


def _asked(claim: Mapping[str, Any], latencies: list[Series]) -> ModelRequest:
    levels = claim["where"]
    chosen = [latency for latency in latencies if levels.items() <= latency.labels.items()]
    if "rule" not in claim:
        expectations = {item.name: Expectation(claim["expect"], study.DEVIATION) for item in chosen}
        return ModelRequest(chosen, Question(expectations=expectations, parameter="p"))
    rule = parse_rule(claim["rule"])
    sides = [
        replace(item, name=str(item.labels["selector"]))
        for item in chosen
        if item.labels["selector"] in (*rule.left_side, *rule.right)
    ]
    return ModelRequest(sides, Question(parameter="p"), [claim["rule"]])


def table() -> str:
    """A row for each claim, beside the conclusion that it is a part of."""
    lines = ["| conclusion | claim | here |", "|---|---|---|"]
    last = ""
    for name, verdict in verdicts():
        letter, _, claim = name.partition(" ")
        label = "" if letter == last else f"{letter} {SAID[letter]}"
        last = letter
        result = format_verdict(verdict).removeprefix(f"{format_claim(verdict)}: ")
        lines.append(f"| {label} | {claim} | {SIGNS[verdict.outcome]} {result} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
