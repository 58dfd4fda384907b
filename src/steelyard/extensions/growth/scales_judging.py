"""``scales``: a metric grows as expected, for every function that was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from steelyard.claims.draft import Draft
from steelyard.claims.observed import Observed, has
from steelyard.claims.verdict import Instance
from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.extensions.growth.evidence import ScalesEvidence
from steelyard.extensions.growth.scales_claim import Scales
from steelyard.extensions.growth.scaling import (
    Expectation,
    NotModelled,
    Question,
    ScalingModel,
    Series,
    model_all,
)
from steelyard.extensions.growth.scaling.holdout import describe_miss, hold_out
from steelyard.extensions.growth.scaling.litmus import cause
from steelyard.extensions.growth.scaling.model import RankAnswer
from steelyard.extensions.growth.scaling.provenance import CROWDED, describe_missing
from steelyard.extensions.growth.scaling.rates import judged_in_doubt
from steelyard.extensions.growth.scaling.status_quo import read_accepted
from steelyard.files.reading import read_text
from steelyard.stats.compare.judgement import Outcome

OUTCOMES: Final[Mapping[RankAnswer, Outcome]] = {
    "match": "holds",
    "approximate": "holds",
    "none": "fails",
    "undecided": "not_resolved",
}
"""A rank within the limits of deviation is what an expectation asks for (Shudler et al. 2019, § 2.3);
``Verdict.strictly`` asks for a match.
"""


def judge_scales(claim: Scales, observed: Observed) -> Draft:
    """Judge by the rank of each model against the expectation.

    A model of several parameters is judged in each that the expectation names.

    Raises
    ------
    UsageError
        ``where`` or ``litmus`` leaves no function, or the file of accepted models cannot be read.
    """
    every = observed.series(claim.scales, (claim.parameter,) if claim.parameter else ())
    series = chosen(every, claim.where, f"scales = {claim.scales!r}: where")
    litmus = chosen(every, claim.litmus, f"scales = {claim.scales!r}: litmus") if claim.litmus else []
    question = Question(
        expectations=_find_expectations(claim, observed.experiment.source),
        parameter=claim.parameter,
        along=claim.along,
        scale=claim.at,
    )
    question.refuse_unmet(every)
    names = {function.name for function in litmus}
    functions = [function for function in series if function.name not in names]
    judged = [
        instance
        for parameter in _judge_in(every[0].parameters, question)
        for instance in _list_instances(
            functions, litmus, replace(question, parameter=parameter), audited=claim.audited
        )
    ]
    return Draft(settled=tuple(judged))


def _judge_in(parameters: tuple[str, ...], question: Question) -> tuple[str | None, ...]:
    """List the parameters in which growth is judged.

    They are the one that is asked about, or all that expectations name; ``None`` stands for the only one.
    """
    if question.parameter is not None or len(parameters) < 2:
        return (question.parameter,)
    named = frozenset[str]().union(
        *(expectation.parameters for expectation in question.expectations.values())
    )
    return tuple(name for name in parameters if name in named) or parameters


def _list_instances(
    functions: Sequence[Series], litmus: Sequence[Series], question: Question, *, audited: bool
) -> Iterator[Instance]:
    """Yield the outcome for each function.

    Which parameter it is about is part of the stratum where models have several.
    """
    tests = [function for function in model_all(litmus, question) if isinstance(function, ScalingModel)]
    test = tests[0] if tests else None
    for series, answer in zip(functions, model_all(functions, question), strict=True):
        several = question.parameter is not None and len(series.parameters) > 1
        about = {"parameter": question.parameter or ""} if several else {}
        outcome, evidence = settle(series, answer, test)
        if audited and outcome in ("holds", "fails"):
            holdout = hold_out(series, question)
            if not holdout.passed:
                reason = f"the audit was not passed: {describe_miss(holdout)}"
                outcome, evidence = "not_resolved", replace(evidence, reason=reason)
        yield Instance({**series.labels, **about}, outcome, evidence)


def settle(
    series: Series, answer: ScalingModel | NotModelled, litmus: ScalingModel | None
) -> tuple[Outcome, ScalesEvidence]:
    """Return the outcome for one function."""
    if isinstance(answer, NotModelled):
        return "not_resolved", ScalesEvidence(series.name, series.metric, None, reason=answer.reason)
    if answer.validation is None:
        reason = "nothing is expected of it"
        return "not_resolved", ScalesEvidence(series.name, series.metric, answer, reason=reason)
    if series.incomplete:
        return "not_resolved", ScalesEvidence(
            series.name, series.metric, answer, reason=describe_missing(series)
        )
    if series.crowded:
        return "not_resolved", ScalesEvidence(series.name, series.metric, answer, reason=CROWDED)
    if (doubted := judged_in_doubt(series, answer)) is not None:
        return "not_resolved", ScalesEvidence(series.name, series.metric, answer, reason=doubted)
    blamed = cause(answer, litmus) if litmus is not None else None
    return OUTCOMES[answer.validation.rank], ScalesEvidence(series.name, series.metric, answer, blamed)


def chosen(series: Sequence[Series], levels: Mapping[str, Scalar], place: str) -> list[Series]:
    """Return the series with these levels and labels.

    Raises
    ------
    UsageError
        No series has these levels.
    """
    chosen_series = [member for member in series if has(member.labels, levels)]
    if not chosen_series:
        text = ", ".join(member.name for member in series[:8]) or "none"
        raise UsageError(
            f"{place} = {dict(levels)} leaves no function", hint=f"name one of the functions: {text}"
        )
    return chosen_series


def expectation_of(claim: Scales) -> Expectation | None:
    """Return what the claim itself states; ``None`` where a file does."""
    if claim.at_most is not None:
        return Expectation(claim.at_most, claim.deviation, at_most=True)
    if claim.at_least is not None:
        return Expectation(claim.at_least, claim.deviation, at_least=True)
    return None if claim.expect is None else Expectation(claim.expect, claim.deviation)


def _find_expectations(claim: Scales, source: str) -> dict[str, Expectation]:
    if (stated := expectation_of(claim)) is not None:
        return {"*": stated}
    file = Path(source, claim.accepted or "")
    try:
        text = read_text(file, hint=f"steelyard model RECORD --accept {file} writes it")
    except UsageError as error:
        raise UsageError(f"scales = {claim.scales!r}: {error.message}", hint=error.hint) from None
    return read_accepted(text, str(file))
