"""Warnings about the models that verdicts rest on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from steelyard.claims.evidence import Caution
from steelyard.claims.verdict import Verdict
from steelyard.report.text.label import join_names, named_levels, printable

MOST_CAUTIONS: Final = 12


def format_cautions(verdicts: Sequence[tuple[str, Verdict]]) -> list[str]:
    """Return a sentence for each warning, with the claims that it is about; what several share is said once.

    Parameters
    ----------
    verdicts : sequence of (text, Verdict)
        Each with what is claimed, in words.
    """
    models_of: dict[str, dict[str, list[str]]] = {}
    models: Counter[str] = Counter()
    for claim, verdict in verdicts:
        for stratum, warnings in _list_models(verdict):
            models[claim] += 1
            for warning in warnings:
                models_of.setdefault(warning.words, {}).setdefault(claim, []).append(stratum)
    texts = [f"{_name_functions(names, models)}{text}" for text, names in models_of.items()]
    if len(texts) > MOST_CAUTIONS:
        texts[MOST_CAUTIONS:] = [f"and {len(texts) - MOST_CAUTIONS} more; --json has all"]
    return texts


def _list_models(verdict: Verdict) -> Iterator[tuple[str, Sequence[Caution]]]:
    """Yield the stratum of each model that a verdict rests on, and its warnings."""
    for instance in verdict.instances:
        if (warnings := instance.evidence.cautions) is not None:
            yield named_levels(instance.stratum), warnings
    for evidence in verdict.breaks:
        yield printable(evidence.name), evidence.warnings


def _name_functions(names: Mapping[str, Sequence[str]], models: Mapping[str, int]) -> str:
    """Return the claims that a warning is about, with their strata where it is not about all of these."""
    if sum(models.values()) > 1 and all(
        len(names.get(claim, ())) == count for claim, count in models.items()
    ):
        return "all models: "
    named = [
        claim if len(strata) == models[claim] else f"{claim}, {join_names(strata, 2)}"
        for claim, strata in names.items()
    ]
    return f"{join_names(named, 2)}: "
