"""Protocol and baseline that the command line asks for instead of those of the spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from steelyard.core.analysis import Analysis
from steelyard.core.errors import UsageError
from steelyard.core.extension import find_protocol
from steelyard.core.sample import Treatment
from steelyard.core.units import Scalar


def choose_analysis(
    declared: Analysis,
    treatments: Sequence[Treatment],
    protocol: str | None,
    against: str | Mapping[str, Scalar] | None,
) -> Analysis:
    """Return the declaration with another protocol or another baseline.

    Parameters
    ----------
    protocol : str or None
        ``"default"``, or a published one, which compares all pairs, unless there is a baseline.
    against : str, Mapping or None
        ``FACTOR=LEVEL``, joined by commas, the label of a treatment, or factors with their levels: what the
        others are compared with. As in a spec, every other factor is a stratum then, unless strata are
        declared.

    Raises
    ------
    UsageError
        Unknown protocol, factor, level or treatment.
    """
    if protocol not in (None, "default"):
        find_protocol(protocol)
    if against is not None:
        baseline = _find_levels(against, treatments)
        strata = [name for name in declared.strata or () if name not in baseline]
        if not strata:
            strata = [name for name in treatments[0].levels if name not in baseline]
        declared = replace(declared, family="baseline", baseline=baseline, strata=tuple(strata))
    if protocol == "default":
        return replace(declared, protocol="default")
    if protocol is None or declared.protocol != "default":
        return declared
    family = declared.family or "baseline" if declared.baseline else "all-pairs"
    return replace(declared, protocol=protocol, alternative="two-sided", ks_policy="flag", family=family)


def _find_levels(against: str | Mapping[str, Scalar], treatments: Sequence[Treatment]) -> dict[str, Scalar]:
    if isinstance(against, Mapping):
        return _find_among(against, treatments)
    for treatment in treatments:
        if against == treatment.label:
            return dict(treatment.levels)
    chosen: dict[str, Scalar] = {}
    for part in against.split(","):
        name, equals, text = part.partition("=")
        levels = {str(t.levels[name]): t.levels[name] for t in treatments if name in t.levels}
        if not equals or text not in levels:
            raise _make_unknown(against, name if equals else "", levels, treatments)
        chosen[name] = levels[text]
    return chosen


def _find_among(against: Mapping[str, Scalar], treatments: Sequence[Treatment]) -> dict[str, Scalar]:
    for name, level in against.items():
        levels = {str(t.levels[name]): t.levels[name] for t in treatments if name in t.levels}
        if level not in levels.values():
            raise _make_unknown(f"{name}={level}", name, levels, treatments)
    return dict(against)


def _make_unknown(
    against: str, name: str, levels: dict[str, Scalar], treatments: Sequence[Treatment]
) -> UsageError:
    if levels:
        some = ", ".join(f"{name}={level}" for level in list(levels)[:8])
        return UsageError(f"--against {against!r}: {name} has no such level", hint=f"one of: {some}")
    labels = ", ".join(treatment.label for treatment in treatments[:8])
    factors = ", ".join(treatments[0].levels)
    return UsageError(
        f"--against {against!r} is neither a treatment nor a level of a factor",
        hint=f"write FACTOR=LEVEL (factors: {factors}) or one of: {labels}",
    )
