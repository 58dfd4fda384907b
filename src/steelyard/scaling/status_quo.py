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
from steelyard.files.reading import parse_json
from steelyard.scaling.model import ScalingModel
from steelyard.scaling.modelling import model_all
from steelyard.scaling.question import Expectation, Question

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
    open_ = [one for one in series if (one.name, one.metric) in growths]
    found: dict[str, dict[str, str]] = {}
    for wider in WIDER:
        stated = {
            f"{one.name} {one.metric}": Expectation(
                growths[one.name, one.metric], wider and wider.format(parameter[one.name])
            )
            for one in open_
        }
        answers = model_all(open_, replace(question, expectations=stated, targets=(), scale={}))
        left = []
        for one, answer in zip(open_, answers, strict=True):
            rank = answer.validation.rank if isinstance(answer, ScalingModel) and answer.validation else None
            key = f"{one.name} {one.metric}"
            if rank in ("match", "approximate"):
                expectation = stated[key]
                found[key] = {
                    "expect": expectation.expect,
                    **({"deviation": expectation.deviation} if expectation.deviation else {}),
                }
            else:
                left.append(one)
        open_ = left
    if not found:
        raise UsageError(
            "nothing to accept: no function has a growth that is known",
            hint="measure more points, or more launches of each",
        )
    ordered = {key: found[key] for one in series if (key := f"{one.name} {one.metric}") in found}
    document = {"format": FORMAT, "version": VERSION, "expectations": ordered}
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    return text, tuple(f"{one.name} {one.metric}" for one in open_)


def read_accepted(text: str, where: str) -> dict[str, Expectation]:
    """Read expectations that were accepted, or written by hand in the same form.

    Raises
    ------
    UsageError
        Not such a document, or of a newer version.
    """
    document = parse_json(text, where, hint=HINT)
    try:
        if document["format"] != FORMAT:
            raise UsageError(f"{where}: format {document['format']!r} is not {FORMAT!r}", hint=HINT)
        if document["version"] > VERSION:
            raise UsageError(
                f"{where}: version {document['version']} is newer than {VERSION}",
                hint=UPGRADE,
            )
        return {str(name): _make_expectation(entry) for name, entry in document["expectations"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UsageError(f"{where}: not a document of expectations", hint=HINT) from None


def _make_expectation(entry: Mapping[str, str]) -> Expectation:
    at_most = "at_most" in entry
    return Expectation(str(entry["at_most" if at_most else "expect"]), entry.get("deviation"), at_most)
