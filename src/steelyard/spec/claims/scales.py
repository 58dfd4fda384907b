"""``scales``: how a metric is expected to grow."""

from __future__ import annotations

from collections.abc import Mapping

from steelyard.errors import UsageError
from steelyard.spec.claims.claim import Scales
from steelyard.spec.claims.question import Question, check_metric, check_parameter, select
from steelyard.spec.claims.tables import ScalesTable
from steelyard.spec.text.origin import Origin, Path


def read_scales(table: ScalesTable, question: Question, origin: Origin, path: Path) -> Scales:
    """The claim, where its Big-O texts can be read and speak of what grows."""
    check_metric(table.scales, question, origin, (*path, "scales"))
    if (table.expect is None) == (table.accepted is None):
        what = "expect and accepted are both given" if table.expect else "nothing says what is expected"
        raise origin.error(path, what, 'write expect = "O(log p)", or accepted = "FILE"')
    if table.accepted is not None and not table.accepted.strip():
        raise origin.error((*path, "accepted"), "is empty", "name the file that --accept wrote")
    if table.parameter is not None:
        check_parameter(table.parameter, table.scales, question, origin, (*path, "parameter"))
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
