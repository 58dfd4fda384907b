"""The status quo as expectation: accepted models, kept as text, so that a later change of growth is seen.

``{"format": "steelyard/expectations", "version": 1, "expectations": {"bcast latency_s": {"expect": "O(log
p)"}}}``; by hand, ``"at_most"`` in place of ``"expect"`` makes it an upper bound.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from steelyard.core.errors import UPGRADE, UsageError
from steelyard.core.series import Series
from steelyard.extensions.growth.scaling.model import ScalingModel
from steelyard.extensions.growth.scaling.modelling import model_all
from steelyard.extensions.growth.scaling.question import Expectation, Question
from steelyard.files.reading import parse_json

HINT: Final = "steelyard model DATA --accept FILE writes one"
FORMAT: Final = "steelyard/expectations"
VERSION: Final = 1


NOTHING_ELSE: Final = Question()
WIDER: Final = (None, "log {0}", "{0}^0.25", "{0}^0.5", "{0}", "{0}^2")
"""Deviations that are tried, the default first: what was accepted from data is to pass on them."""


def accept(
    models: Iterable[ScalingModel], series: Sequence[Series], question: Question = NOTHING_ELSE
) -> tuple[str, tuple[str, ...]]:
    """Return the leading terms of models as expectations, with the deviation within which the data know them.

    Returns the document, and the functions whose growth is known within none of ``WIDER``.

    Raises
    ------
    UsageError
        There is no function whose growth is known: a document without expectations would judge nothing.
    """
    growths = {(m.name, m.metric): m.growth() for m in models}
    parameter = {m.name: question.parameter or m.parameters[0] for m in models}
    open_ = [function for function in series if (function.name, function.metric) in growths]
    expectations: dict[str, dict[str, str]] = {}
    for wider in WIDER:
        stated = {
            f"{function.name} {function.metric}": Expectation(
                growths[function.name, function.metric], wider and wider.format(parameter[function.name])
            )
            for function in open_
        }
        answers = model_all(open_, replace(question, expectations=stated, targets=(), scale={}))
        undecided = []
        for function, answer in zip(open_, answers, strict=True):
            rank = answer.validation.rank if isinstance(answer, ScalingModel) and answer.validation else None
            key = f"{function.name} {function.metric}"
            if rank in ("match", "approximate"):
                expectation = stated[key]
                expectations[key] = {
                    "expect": expectation.expect,
                    **({"deviation": expectation.deviation} if expectation.deviation else {}),
                }
            else:
                undecided.append(function)
        open_ = undecided
    if not expectations:
        raise UsageError(
            "nothing to accept: no function has a growth that is known",
            hint="measure more points, or more launches of each",
        )
    ordered = {
        key: expectations[key]
        for function in series
        if (key := f"{function.name} {function.metric}") in expectations
    }
    document = {"format": FORMAT, "version": VERSION, "expectations": ordered}
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    return text, tuple(f"{function.name} {function.metric}" for function in open_)


def read_accepted(text: str, place: str) -> dict[str, Expectation]:
    """Read expectations that were accepted, or written by hand in the same form.

    Raises
    ------
    UsageError
        Not such a document, or of a newer version.
    """
    document = parse_json(text, place, hint=HINT)
    try:
        if document["format"] != FORMAT:
            raise UsageError(f"{place}: format {document['format']!r} is not {FORMAT!r}", hint=HINT)
        if document["version"] > VERSION:
            raise UsageError(
                f"{place}: version {document['version']} is newer than {VERSION}",
                hint=UPGRADE,
            )
        return {str(name): _make_expectation(entry) for name, entry in document["expectations"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UsageError(f"{place}: not a document of expectations", hint=HINT) from None


def _make_expectation(entry: Mapping[str, str]) -> Expectation:
    key = next((name for name in ("at_most", "at_least") if name in entry), "expect")
    return Expectation(
        str(entry[key]), entry.get("deviation"), at_most=key == "at_most", at_least=key == "at_least"
    )
