"""``[metrics]``: what the program reports, and what is derived from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.core.extension import list_harnesses
from steelyard.core.units import BUILTIN, Scalar, is_number
from steelyard.spec.check.patterns import check_pattern, check_pointer
from steelyard.spec.check.valgrind import check_counting, check_event
from steelyard.spec.experiment import Factor, Program, UserMetric
from steelyard.spec.hints.did_you_mean import suggest_option
from steelyard.spec.hints.metric_names import suggest_metric
from steelyard.spec.levels import find_level
from steelyard.spec.names import check_identifier, check_line
from steelyard.spec.tables.metrics import HARNESSES, PLAIN
from steelyard.spec.text.gathered import ErrorCollector
from steelyard.spec.text.origin import Origin, Path
from steelyard.spec.text.placeholders import RESERVED
from steelyard.spec.text.toml import format_value
from steelyard.spec.valgrind import EVENTS


def read_metrics(
    tables: Mapping[str, UserMetric], factors: tuple[Factor, ...], program: Program, origin: Origin
) -> tuple[UserMetric, ...]:
    """Return the metrics in the order of the spec.

    Raises
    ------
    SpecError
    """
    needs: dict[str, frozenset[str]] = {}

    def read(name: str, table: UserMetric) -> UserMetric:
        path: Path = ("metrics", name)
        _check_name(name, factors, program, origin, path)
        if table.name:
            raise origin.error((*path, "name"), "unknown key", "a metric is called by its key in [metrics]")
        if table.unit:
            check_line(table.unit, "a unit", origin, (*path, "unit"))
        source = _check_source(table, program, origin, path)
        if table.derive is not None:
            texts = [*BUILTIN, *program.counters, *tables]
            needs[name] = _find_derived(table.derive, texts, factors, origin, (*path, "derive"))
        levels = _find_levels(table.where, factors, origin, (*path, "where"))
        return replace(table, name=name, source=source, where=levels)

    gathered = ErrorCollector()
    every = [gathered(read, name, table) for name, table in tables.items()]
    gathered.refuse()
    metrics = [metric for metric in every if metric is not None]
    _check_order(needs, origin)
    check_counting(metrics, program, origin)
    return tuple(metrics)


def _check_name(name: str, factors: tuple[Factor, ...], program: Program, origin: Origin, path: Path) -> None:
    check_identifier(name, "metric", origin, path, dashes=False)
    if name in BUILTIN or name in program.counters:
        raise origin.error(path, f"{name} is measured already, without a line here", f"rename it: own_{name}")
    if any(name == factor.name for factor in factors):
        raise origin.error(path, f"{name} is a factor and a metric", f"rename one of them: {name}_value")
    if name in RESERVED:
        raise origin.error(path, f"{name} has a meaning of its own", f"rename the metric: {name}_value")


def _check_source(table: UserMetric, program: Program, origin: Origin, path: Path) -> str | None:
    """Return the source, ``stdout`` where a pattern or pointer is given without one."""
    names = tuple(dict.fromkeys((*PLAIN, *HARNESSES, *list_harnesses())))
    if table.source is not None and table.source not in names:
        text = f"unknown source {format_value(table.source)}"
        hint = suggest_option((*path, "source"), table.source, names) or ", ".join(names)
        raise origin.error((*path, "source"), text, hint)
    ways = [key for key in ("pattern", "json", "derive") if getattr(table, key) is not None]
    if table.is_written or table.source in EVENTS:
        ways.append(f'source = "{table.source}"')
    if len(ways) != 1:
        text = (
            f"{' and '.join(ways)} are given, of which one is enough"
            if ways
            else "must say where its values come from"
        )
        raise origin.error(path, text, 'write one of pattern, json, derive, or source = "lines"')
    if table.derive is not None:
        if table.event is not None:
            raise origin.error((*path, "event"), "a derived metric has no event", "leave it out")
        if table.source is not None:
            raise origin.error((*path, "source"), "a derived metric has no source", "leave it out")
        return None
    source = table.source or "stdout"
    check_event(table, origin, path)
    lost = {"capture": (), "null": ("stdout", "stderr")}.get(program.output, ("stdout",))
    if source in lost:
        text = f"{source} is not captured under output = {format_value(program.output)}"
        raise origin.error((*path, "source"), text, 'write output = "capture" in [program]')
    if table.pattern is not None:
        check_pattern(table.pattern, origin, (*path, "pattern"), group=True)
    if table.json is not None:
        check_pointer(table.json, origin, (*path, "json"))
    return source


def _find_levels(
    levels: Mapping[str, Scalar], factors: tuple[Factor, ...], origin: Origin, path: Path
) -> dict[str, Scalar]:
    """Return the levels as the factors have them."""
    levels_of = {factor.name: factor.levels for factor in factors}
    for name in levels:
        if name not in levels_of:
            raise origin.unknown((*path, name), "factor", name, levels_of)
    return {
        name: find_level(name, levels_of[name], level, origin, (*path, name))
        for name, level in levels.items()
    }


def _find_derived(
    derive: str, metrics: Sequence[str], factors: tuple[Factor, ...], origin: Origin, path: Path
) -> frozenset[str]:
    """Return the names that a derived metric is computed from."""
    from steelyard.spec.text.expression import parse

    try:
        names = parse(derive).names
    except UsageError as error:
        raise origin.place_error(path, error) from None
    texts = [*metrics, *(factor.name for factor in factors if all(map(is_number, factor.levels)))]
    for name in sorted(names - set(texts)):
        if any(name == factor.name for factor in factors):
            raise origin.error(
                path, f"levels of {name} are not numbers", "write numbers without quotes in [factors]"
            )
        raise origin.error(
            path, f"unknown metric or factor {name}", suggest_metric(name, texts, "metrics and factors")
        )
    return names


def _check_order(needs: Mapping[str, frozenset[str]], origin: Origin) -> None:
    """Refuse metrics that are derived from each other in a circle."""
    if not needs:
        return
    import graphlib

    try:
        graphlib.TopologicalSorter(needs).prepare()
    except graphlib.CycleError as error:
        circle: list[str] = error.args[1]
        text = f"derived metrics need each other: {' from '.join(reversed(circle))}"
        raise origin.error(
            ("metrics", circle[0], "derive"), text, "derive each from metrics that are measured"
        ) from None
