"""``[[claims]]``: which kind each is, and what every kind must say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from steelyard.errors import SpecError, UsageError
from steelyard.spec.cells import Cell
from steelyard.spec.claim_tables import (
    CLAIM_TABLES,
    BestTable,
    Bound,
    EquivalentTable,
    FasterTable,
    LimitTable,
    RuleTable,
    ScalesTable,
    SlowerTable,
    UnperturbedTable,
    ValidatesTable,
)
from steelyard.spec.claims import (
    Best,
    Claim,
    Equivalent,
    Faster,
    Limit,
    Rule,
    Scales,
    Slower,
    Unperturbed,
    Validates,
)
from steelyard.spec.experiment import Analysis, Factor, UserMetric, Zip
from steelyard.spec.origin import Origin, Path, nearest, suggest
from steelyard.spec.read.levels import find_level
from steelyard.spec.read.names import check_line
from steelyard.spec.read.selectors import check_pair, check_strata, free_factors
from steelyard.spec.toml import shown
from steelyard.units import BUILTIN, Metric, Scalar, parse_duration, parse_size


@dataclass(frozen=True, slots=True)
class Question:
    """What claims may speak of.

    Attributes
    ----------
    metrics : Mapping of str to Metric
        All that every trial, a counter or the program gives.
    labelled : frozenset of str
        Metrics whose values may carry labels, of which a spec knows nothing.
    treatments : sequence of Cell
    """

    factors: tuple[Factor, ...]
    zips: tuple[Zip, ...]
    analysis: Analysis
    metrics: Mapping[str, Metric]
    labelled: frozenset[str]
    treatments: Sequence[Cell]
    levels: Mapping[str, tuple[Scalar, ...]] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", {factor.name: factor.levels for factor in self.factors})


def metrics_known(counters: Sequence[str], metrics: Sequence[UserMetric]) -> dict[str, Metric]:
    """Every metric that a claim may name."""
    return {
        **BUILTIN,
        **{name: Metric(name, "", "counter") for name in counters},
        **{each.name: Metric(each.name, each.unit, "user", each.better) for each in metrics},
    }


def read_claims(
    tables: Sequence[Mapping[str, object]], question: Question, origin: Origin
) -> tuple[Claim, ...]:
    """The claims in the order of the spec.

    Raises
    ------
    SpecError
    """
    return tuple(_read(table, question, origin, ("claims", i)) for i, table in enumerate(tables))


def _read(table: Mapping[str, object], question: Question, origin: Origin, path: Path) -> Claim:
    kinds = [key for key in table if key in CLAIM_TABLES]
    if not kinds:
        known = ", ".join(CLAIM_TABLES)
        close = next((near for key in table if (near := nearest(key, CLAIM_TABLES))), None)
        hint = f"did you mean {close}?" if close else f'write faster = {{ opt = "O3" }}, or one of: {known}'
        raise origin.error(path, "no key says what is claimed", hint)
    if len(kinds) > 1:
        what = f"{' and '.join(kinds)} are two claims"
        raise origin.error(path, what, "give each a [[claims]] of its own")
    struct = CLAIM_TABLES[kinds[0]]
    try:
        decoded: Any = msgspec.convert(table, struct)
    except msgspec.ValidationError:
        from steelyard.spec.mismatch import mismatch

        raise mismatch(struct, table, origin, path) from None
    if decoded.name is not None:
        check_line(decoded.name, "the name of a claim", origin, (*path, "name"))
    return READERS[kinds[0]](decoded, question, origin, path)


def _faster(table: FasterTable, question: Question, origin: Origin, path: Path) -> Claim:
    new, old, where, strata = _pair("faster", table.faster, "than", table, question, origin, path)
    return Faster(new, old, table.by, table.metric, where, strata, table.name)


def _slower(table: SlowerTable, question: Question, origin: Origin, path: Path) -> Claim:
    new, old, where, strata = _pair("slower", table.slower, "than", table, question, origin, path)
    return Slower(new, old, table.by, table.metric, where, strata, table.name)


def _equivalent(table: EquivalentTable, question: Question, origin: Origin, path: Path) -> Claim:
    new, old, where, strata = _pair("equivalent", table.equivalent, "to", table, question, origin, path)
    return Equivalent(new, old, table.within, table.metric, where, strata, table.name)


def _pair(
    key: str,
    new: Mapping[str, Scalar],
    other: str,
    table: FasterTable | SlowerTable | EquivalentTable,
    question: Question,
    origin: Origin,
    path: Path,
) -> tuple[Cell, Cell, Cell, tuple[str, ...]]:
    metric = check_metric(table.metric, question, origin, (*path, "metric"))
    given: Mapping[str, Scalar] | None = getattr(table, other)
    old = question.analysis.baseline if given is None else given
    if old is None:
        what = f"{key} without {other}, and [analysis] has no baseline"
        raise origin.error(path, what, f"write {other} = {{ … }} as well")
    chosen = select(new, question, origin, (*path, key))
    baseline = select(old, question, origin, (*path, other))
    where = select(table.where, question, origin, (*path, "where"), metric=metric, empty=True)
    strata = free_factors(question.factors, question.zips, chosen.keys() | baseline.keys())
    check_pair(question.treatments, chosen, baseline, where, strata, origin, (*path, key), (*path, other))
    return chosen, baseline, where, strata


def _limit(table: LimitTable, question: Question, origin: Origin, path: Path) -> Claim:
    check_metric(table.limit, question, origin, (*path, "limit"))
    bounds = [key for key in ("max", "min") if getattr(table, key) is not None]
    if len(bounds) != 1:
        what = "both max and min are given, which are two claims" if bounds else "there is no bound"
        raise origin.error(path, what, "write either max = … or min = …")
    if table.at and table.parameter is not None:
        what = "at says already for which treatments the limit stands"
        raise origin.error((*path, "parameter"), what, "leave out parameter, or at")
    at: Cell = {}
    for name, level in table.at.items():
        place = (*path, "at", name)
        measured = question.levels.get(name)
        if measured is None:
            _check_label(name, table.limit, question, origin, place)
            at[name] = level
        elif _foretold(level, measured):
            at[name] = level
        else:
            at[name] = find_level(name, measured, level, origin, place)
    if table.parameter is not None:
        _check_parameter(table.parameter, table.limit, question, origin, (*path, "parameter"))
    unit = question.metrics[table.limit].unit
    bound = {key: _bound(getattr(table, key), unit, origin, (*path, key)) for key in bounds}
    return Limit(table.limit, at, bound.get("max"), bound.get("min"), table.parameter, table.name)


def _foretold(level: Scalar, measured: Sequence[Scalar]) -> bool:
    """Whether this is a scale that was not measured, of a factor whose levels are numbers."""
    return (
        _is_number(level) and not any(level == each for each in measured) and all(map(_is_number, measured))
    )


def _bound(value: Bound, unit: str, origin: Origin, path: Path) -> float:
    try:
        if unit == "B":
            return float(parse_size(value))
        if unit == "s":
            return parse_duration(value)
        return float(value)
    except UsageError as error:
        raise origin.placed(path, error) from None
    except ValueError:
        what = f"{shown(value)} is no number, and only sizes and times may have a unit"
        raise origin.error(path, what, f"write a number{f' of {unit}' if unit else ''}") from None


def _best(table: BestTable, question: Question, origin: Origin, path: Path) -> Claim:
    metric = check_metric(table.metric, question, origin, (*path, "metric"))
    if table.best not in question.levels:
        what = f"there is no factor {table.best}"
        raise origin.error((*path, "best"), what, suggest(table.best, question.levels, "factors"))
    levels = question.levels[table.best]
    if len(levels) < 2:
        what = f"{table.best} has one level, which is best and worst"
        raise origin.error((*path, "best"), what, "give it more levels, or remove the claim")
    level = table.level
    if level is not None:
        level = find_level(table.best, levels, level, origin, (*path, "level"))
    where = select(table.where, question, origin, (*path, "where"), metric=metric, empty=True)
    strata = free_factors(question.factors, question.zips, {table.best})
    check_strata(question.treatments, table.best, where, strata, origin, (*path, "best"))
    return Best(table.best, level, table.metric, where, strata, table.name)


def _scales(table: ScalesTable, question: Question, origin: Origin, path: Path) -> Claim:
    check_metric(table.scales, question, origin, (*path, "scales"))
    if (table.expect is None) == (table.accepted is None):
        what = "expect and accepted are both given" if table.expect else "nothing says what is expected"
        raise origin.error(path, what, 'write expect = "O(log p)", or accepted = "FILE"')
    if table.accepted is not None and not table.accepted.strip():
        raise origin.error((*path, "accepted"), "is empty", "name the file that --accept wrote")
    if table.parameter is not None:
        _check_parameter(table.parameter, table.scales, question, origin, (*path, "parameter"))
    for key in ("expect", "deviation"):
        if (text := getattr(table, key)) is not None:
            _check_growth(text, table.parameter, table.along, origin, (*path, key))
    where = select(table.where, question, origin, (*path, "where"), metric=table.scales, empty=True)
    litmus = select(table.litmus, question, origin, (*path, "litmus"), metric=table.scales, empty=True)
    for name, scale in table.at.items():
        if not 1 < scale < float("inf"):
            what = f"{name} = {scale:g} is no scale at which growth has a value"
            raise origin.error((*path, "at", name), what, "write a number above 1")
    return Scales(
        scales=table.scales,
        parameter=table.parameter,
        expect=table.expect,
        accepted=table.accepted,
        deviation=table.deviation,
        litmus=litmus,
        where=where,
        along=table.along,
        at=table.at,
        name=table.name,
    )


def _check_growth(
    text: str, parameter: str | None, along: Mapping[str, str], origin: Origin, path: Path
) -> None:
    from steelyard.growth import parse

    try:
        parsed = parse(text)
        parsed.growth(parameter or "p", along)
    except UsageError as error:
        raise origin.placed(path, error) from None
    named = set(parsed.parameters)
    if parameter is not None and named and not named & {parameter, *along}:
        what = f"{text} is over {', '.join(sorted(named))}, and {parameter} is what grows"
        raise origin.error(path, what, f"write it over {parameter}; what stays constant is O(1)")


def _rule(table: RuleTable, question: Question, origin: Origin, path: Path) -> Claim:
    from steelyard.growth import parse_rule

    metric = check_metric(table.metric, question, origin, (*path, "metric"))
    try:
        rule = parse_rule(table.rule)
    except UsageError as error:
        raise origin.placed((*path, "rule"), error) from None
    if table.over in question.levels:
        levels = [str(level) for level in question.levels[table.over]]
        for name in (*rule.left, *rule.right):
            if name not in levels:
                what = f"{table.over} has no level {shown(name)}"
                raise origin.error((*path, "rule"), what, suggest(name, levels, "levels"))
    else:
        _check_label(table.over, metric, question, origin, (*path, "over"))
    if table.parameter is not None:
        _check_parameter(table.parameter, metric, question, origin, (*path, "parameter"))
    where = select(table.where, question, origin, (*path, "where"), metric=metric, empty=True)
    return Rule(table.rule, table.over, table.metric, table.parameter, where, table.name)


def _unperturbed(table: UnperturbedTable, question: Question, origin: Origin, path: Path) -> Claim:
    metric = check_metric(table.unperturbed, question, origin, (*path, "unperturbed"))
    old = question.analysis.baseline if table.without is None else table.without
    if old is None:
        what = "unperturbed without without, and [analysis] has no baseline"
        raise origin.error(path, what, "write without = { … } as well")
    probed = select(table.probe, question, origin, (*path, "probe"))
    alone = select(old, question, origin, (*path, "without"))
    where = select(table.where, question, origin, (*path, "where"), metric=metric, empty=True)
    strata = free_factors(question.factors, question.zips, probed.keys() | alone.keys())
    places = (*path, "probe"), (*path, "without")
    check_pair(question.treatments, probed, alone, where, strata, origin, *places)
    return Unperturbed(metric, probed, alone, table.within, where, strata, table.name)


def _validates(table: ValidatesTable, question: Question, origin: Origin, path: Path) -> Claim:
    metric = check_metric(table.validates, question, origin, (*path, "validates"))
    outcome = check_metric(table.outcome, question, origin, (*path, "outcome"))
    keys = ("intervention", "than", "probe", "without")
    changed, as_it_is, probed, alone = (
        select(getattr(table, key), question, origin, (*path, key)) for key in keys
    )
    where = select(table.where, question, origin, (*path, "where"), metric=metric, empty=True)
    named = changed.keys() | as_it_is.keys() | probed.keys() | alone.keys()
    strata = free_factors(question.factors, question.zips, named)
    places = (*path, "intervention"), (*path, "than")
    for observer in (probed, alone):
        new, old = {**changed, **observer}, {**as_it_is, **observer}
        check_pair(question.treatments, new, old, where, strata, origin, *places)
    return Validates(
        validates=metric,
        intervention=changed,
        than=as_it_is,
        probe=probed,
        without=alone,
        direction=table.direction,
        least=table.least,
        outcome=outcome,
        outcome_least=table.outcome_least,
        within=table.within,
        where=where,
        strata=strata,
        name=table.name,
    )


READERS: Final[dict[str, Callable[[Any, Question, Origin, Path], Claim]]] = {
    "faster": _faster,
    "slower": _slower,
    "equivalent": _equivalent,
    "limit": _limit,
    "best": _best,
    "scales": _scales,
    "rule": _rule,
    "unperturbed": _unperturbed,
    "validates": _validates,
}
"""For each key of ``CLAIM_TABLES``, what makes a claim of its table."""


def check_metric(name: str | None, question: Question, origin: Origin, path: Path) -> str:
    """The metric that is meant.

    Raises
    ------
    SpecError
        There is none of this name; names the nearest.
    """
    if name is None:
        return question.analysis.metric
    if name not in question.metrics:
        raise origin.error(path, f"there is no metric {name}", suggest(name, question.metrics, "metrics"))
    return name


def select(
    levels: Mapping[str, Scalar],
    question: Question,
    origin: Origin,
    path: Path,
    *,
    metric: str | None = None,
    empty: bool = False,
) -> Cell:
    """The levels as the factors have them; with ``metric``, labels of that metric may stand among them.

    Raises
    ------
    SpecError
        Nothing is named (unless ``empty``), or no factor or level is so called; names the nearest.
    """
    if not levels and not empty:
        raise origin.error(path, "names no level", 'write the levels of one treatment: { opt = "O3" }')
    found: Cell = {}
    for name, level in levels.items():
        if name in question.levels:
            found[name] = find_level(name, question.levels[name], level, origin, (*path, name))
        elif metric is not None and metric in question.labelled:
            found[name] = level
        else:
            raise _no_factor(name, question, origin, (*path, name))
    return found


def _check_label(name: str, metric: str, question: Question, origin: Origin, path: Path) -> None:
    if name not in question.levels and metric not in question.labelled:
        raise _no_factor(name, question, origin, path)


def _check_parameter(name: str, metric: str, question: Question, origin: Origin, path: Path) -> None:
    _check_label(name, metric, question, origin, path)
    if name in question.levels and not all(map(_is_number, question.levels[name])):
        what = f"levels of {name} are no numbers, so that nothing grows with them"
        raise origin.error(path, what, "write numbers without quotes in [factors]")


def _no_factor(name: str, question: Question, origin: Origin, path: Path) -> SpecError:
    return origin.error(path, f"there is no factor {name}", suggest(name, question.levels, "factors"))


def _is_number(level: Scalar) -> bool:
    return isinstance(level, (int, float)) and not isinstance(level, bool)
