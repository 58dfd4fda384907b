"""``[analysis]``: what is compared with what."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from steelyard.core.analysis import Analysis, Family, TypeB
from steelyard.core.estimand import INTERVALS, PROPAGATED
from steelyard.core.extension import list_protocols
from steelyard.core.units import BUILTIN, Scalar
from steelyard.spec.cells import Cell, matches
from steelyard.spec.check.effects import read_contrasts, read_effects
from steelyard.spec.check.valgrind import check_not_timed
from steelyard.spec.experiment import Design, Factor, Program, UserMetric, Zip
from steelyard.spec.hints.metric_names import suggest_metric
from steelyard.spec.layout import base_step, cells_of, lay_out, named_axes
from steelyard.spec.levels import find_level
from steelyard.spec.text.gathered import ErrorCollector
from steelyard.spec.text.origin import Origin, Path
from steelyard.spec.text.toml import toml_value


def read_analysis(
    table: Analysis,
    program: Program,
    metrics: Sequence[UserMetric],
    factors: tuple[Factor, ...],
    zips: tuple[Zip, ...],
    design: Design,
    origin: Origin,
) -> Analysis:
    """Return the analysis.

    With a baseline and no strata, every other factor that is not linked to it is a stratum.

    Raises
    ------
    SpecError
    """
    path: Path = ("analysis",)
    gathered = ErrorCollector()
    gathered(_check_metric, table, program, metrics, origin)
    gathered(_check_interval, table, origin)
    gathered(_check_stratum_names, table, factors, origin)
    family = family_of(table)
    gathered(_check_protocol, table, family, origin)
    gathered(_check_failures, table, program, metrics, origin)
    gathered(_check_outcomes, program, design, origin)
    type_b = gathered(_read_type_b, table, origin)
    effects = gathered(read_effects, table.effects, factors, zips, design, origin)
    contrasts = gathered(read_contrasts, table.contrasts, factors, zips, design, origin)
    baseline = None
    if table.baseline is not None:
        baseline = gathered(_read_baseline, table, family, factors, zips, design, origin)
    gathered.refuse()
    strata = _get_strata(table, baseline, factors, zips, design)
    if baseline is not None:
        run = list(cells_of(lay_out(factors, zips, design, baseline), factors, design.exclude))
        instances = [factor.name for factor in factors if factor.name == table.instances]
        _check_strata(baseline, (*strata, *instances), run, origin, (*path, "baseline"))
    gathered(_check_instances, table, strata, baseline, origin)
    gathered(_check_ratio_across, table, factors, baseline, origin)
    gathered.refuse()
    return replace(
        table,
        family=family,
        strata=strata,
        baseline=baseline,
        type_b=type_b,
        effects=effects,
        contrasts=contrasts,
    )


def _check_metric(table: Analysis, program: Program, metrics: Sequence[UserMetric], origin: Origin) -> None:
    path: Path = ("analysis", "metric")
    texts = [*BUILTIN, *program.counters, *(metric.name for metric in metrics)]
    if table.metric not in texts:
        raise origin.error(path, f"unknown metric {table.metric}", suggest_metric(table.metric, texts))
    check_not_timed(table.metric, metrics, origin, path)


def _check_interval(table: Analysis, origin: Origin) -> None:
    allowed = INTERVALS[table.estimand]
    if table.interval is not None and table.interval not in allowed:
        text = f"{table.estimand} has no interval by {table.interval}"
        raise origin.error(("analysis", "interval"), text, f"one of: {', '.join(allowed)}")


def _check_stratum_names(table: Analysis, factors: tuple[Factor, ...], origin: Origin) -> None:
    names = [factor.name for factor in factors]
    strata = table.strata or ()
    for i, stratum in enumerate(strata):
        place: Path = ("analysis", "strata", i)
        if stratum not in names:
            raise origin.unknown(place, "factor", stratum, names)
        if stratum in strata[:i]:
            raise origin.error(place, f"{stratum} is a stratum twice", "leave one out")


def _get_strata(
    table: Analysis,
    baseline: Cell | None,
    factors: tuple[Factor, ...],
    zips: tuple[Zip, ...],
    design: Design,
) -> tuple[str, ...]:
    """Return the strata as declared.

    Without any, under a baseline, they are each factor that does not change with one of it.
    """
    if table.strata is not None or baseline is None or design.kind == "one-at-a-time":
        return tuple(table.strata or ())
    # What changes together with a factor of the baseline changes in every comparison with it.
    linked = {name for link in zips if not baseline.keys().isdisjoint(link.names) for name in link.names}
    free = baseline.keys() | linked | {table.instances}
    return tuple(factor.name for factor in factors if factor.name not in free)


def family_of(table: Analysis) -> Family:
    """Family of comparisons: as declared; under a protocol, all pairs unless a baseline is named."""
    if table.family is not None:
        return table.family
    return "all-pairs" if table.protocol != "default" and table.baseline is None else "baseline"


def _check_protocol(table: Analysis, family: Family, origin: Origin) -> None:
    path: Path = ("analysis",)
    hint = 'write protocol = "nogueira-matias-2014" as well, or leave it out'
    if table.protocol == "default":
        if table.ks_policy != "flag":
            raise origin.error(
                (*path, "ks_policy"), "ks_policy belongs to a protocol, and none is named", hint
            )
        if table.alternative != "two-sided":
            text = "alternative belongs to a protocol, and none is named"
            raise origin.error((*path, "alternative"), text, hint)
    elif table.protocol not in (protocols := list_protocols()):
        text = f"no installed extension has the protocol {table.protocol}"
        names = ", ".join(("default", *protocols))
        raise origin.error((*path, "protocol"), text, f"write one of: {names}")
    if table.alternative == "faster" and family == "all-pairs":
        text = "all pairs are compared, so neither of a pair is the baseline"
        raise origin.error((*path, "alternative"), text, 'name a baseline: baseline = { opt = "O2" }')


def _check_failures(table: Analysis, program: Program, metrics: Sequence[UserMetric], origin: Origin) -> None:
    """``as-limit`` needs a limit, and an estimand that lower bounds leave known."""
    if table.failures != "as-limit":
        return
    path: Path = ("analysis", "failures")
    reported = next((metric for metric in metrics if metric.name == table.metric), None)
    if reported is not None and reported.limit is None:
        text = f"as-limit needs the value of {table.metric} at which runs are ended"
        hint = f'write limit = 60 under [metrics.{table.metric}], or failures = "refuse"'
        raise origin.error(path, text, hint)
    if reported is not None and reported.better != "lower":
        text = f"less {table.metric} is not better: what it would have been is not known"
        raise origin.error(path, text, 'write failures = "refuse"')
    if reported is None and table.metric != "wall_s":
        text = f"what {table.metric} would have been is not known"
        raise origin.error(path, text, 'leave metric at "wall_s", or write failures = "refuse"')
    if reported is None and program.timeout_s is None:
        raise origin.error(path, "as-limit needs a time limit", 'write timeout = "60 s" under [program]')
    if table.estimand != "median_ratio":
        text = f"a {table.estimand} cannot be known from lower bounds"
        raise origin.error(path, text, 'write estimand = "median_ratio"')


def _check_outcomes(program: Program, design: Design, origin: Origin) -> None:
    """Failures that are outcomes leave no precision to stop at: blocks with one have no value of each arm."""
    stop = design.stop
    if program.on_failure == "continue" and stop is not None and stop.looks:
        key = "decided" if stop.decided else "rel_halfwidth"
        raise origin.error(
            ("design", "stop", key),
            f'on_failure = "continue" runs every block once, and {key} ends a run by its values',
            "write blocks = 10 under [design] without it; max_blocks and max_time can stay",
        )


def _check_instances(table: Analysis, strata: Sequence[str], baseline: Cell | None, origin: Origin) -> None:
    """Instances are what comparisons go over: nothing that they go between or stay within."""
    name, path = table.instances, ("analysis", "instances")
    if name is None:
        return
    for key, used in (
        ("baseline", baseline or {}),
        ("strata", strata),
        ("ratio_across", [table.ratio_across]),
    ):
        if name in used:
            text = f"{name} is in {key} too, and instances are compared neither with nor within each other"
            raise origin.error(path, text, "leave it out of one of them")


def _check_ratio_across(
    table: Analysis, factors: tuple[Factor, ...], baseline: Cell | None, origin: Origin
) -> None:
    """Check that a factor with several levels is left free by the baseline."""
    name, path = table.ratio_across, ("analysis", "ratio_across")
    if name is None:
        return
    levels = {factor.name: factor.levels for factor in factors}
    if name not in levels:
        raise origin.unknown(path, "factor", name, levels)
    if baseline is None or name in baseline:
        text = f"speedups at several levels of {name} need a baseline at each"
        raise origin.error(path, text, 'name the levels of other factors: baseline = { opt = "O2" }')
    if len(levels[name]) < 2:
        raise origin.error(path, f"{name} has one level only", "give it another one, or leave this out")


def _read_type_b(table: Analysis, origin: Origin) -> tuple[TypeB, ...]:
    """Return the stated errors by their standard uncertainties; each has one size and a name of its own."""
    path: Path = ("analysis", "type_b")
    kind = table.interval or INTERVALS[table.estimand][0]
    if table.type_b and kind not in PROPAGATED:
        text = f"an interval by {kind} has no place for a stated uncertainty"
        raise origin.error(path, text, 'write interval = "log-delta", or leave type_b out')
    names = [component.name for component in table.type_b]
    for i, type_b in enumerate(table.type_b):
        if type_b.name in names[:i]:
            raise origin.error((*path, i, "name"), f"{type_b.name} is stated twice", "leave one out")
        texts = [size for size in ("u", "half_width", "step") if getattr(type_b, size) is not None]
        if len(texts) != 1:
            text = f"{' and '.join(texts)} are both its size" if texts else f"{type_b.name} has no size"
            raise origin.error((*path, i), text, "give one of u, half_width and step")
    return tuple(
        replace(component, u=component.standard, half_width=None, step=None) for component in table.type_b
    )


def _read_baseline(
    table: Analysis,
    family: Family,
    factors: tuple[Factor, ...],
    zips: tuple[Zip, ...],
    design: Design,
    origin: Origin,
) -> dict[str, Scalar]:
    """Return the baseline's levels as its factors have them.

    One factor at a time departs from a whole treatment.
    """
    path: Path = ("analysis", "baseline")
    if family == "all-pairs":
        text = "all pairs are compared, so a baseline has no meaning"
        raise origin.error(path, text, 'leave it out, or write family = "baseline"')
    if not table.baseline:
        raise origin.error(path, "names no level", 'write baseline = { opt = "O2" }')
    levels = {factor.name: factor.levels for factor in factors}
    for name in table.baseline:
        if name not in levels:
            raise origin.unknown((*path, name), "factor", name, levels)
    baseline = {
        name: find_level(name, levels[name], level, origin, (*path, name))
        for name, level in table.baseline.items()
    }
    return _read_base(baseline, factors, zips, origin, path) if design.kind == "one-at-a-time" else baseline


def _read_base(
    baseline: Cell, factors: tuple[Factor, ...], zips: tuple[Zip, ...], origin: Origin, path: Path
) -> dict[str, Scalar]:
    """Return the treatment from which one factor at a time departs.

    What the baseline leaves open is at its first level.
    """
    levels: dict[str, Scalar] = {}
    for axis in named_axes(factors, zips):
        step = base_step(axis, baseline)
        if step is None:
            text = f"no row of {axis.name} has {toml_value(baseline)}"
            raise origin.error(path, text, "name levels of one row")
        levels |= axis.steps[step]
    return {factor.name: levels[factor.name] for factor in factors}


def _check_strata(
    baseline: Cell, strata: tuple[str, ...], treatments: list[Cell], origin: Origin, path: Path
) -> None:
    """Each stratum needs one baseline, since all else in it is compared with that."""
    within: dict[tuple[Scalar, ...], list[Cell]] = {}
    for cell in treatments:
        within.setdefault(tuple(cell[name] for name in strata), []).append(cell)
    for key, members in within.items():
        result = [cell for cell in members if matches(cell, baseline)]
        text = f" in the stratum {toml_value(dict(zip(strata, key, strict=True)))}" if strata else ""
        if len(result) > 1:
            free = [name for name in result[0] if len({cell[name] for cell in result}) > 1]
            problem = f"{toml_value(baseline)} is {len(result)} treatments{text}: {', '.join(free)} differ"
            hint = f"name a level of {free[0]} as well, or write strata = {toml_value([*strata, *free])}"
            raise origin.error(path, problem, hint)
        if not result and len(members) > 1:
            problem = f"no treatment{text} has {toml_value(baseline)}: nothing there can be compared"
            raise origin.error(path, problem, "choose another baseline, or remove an exclusion")
