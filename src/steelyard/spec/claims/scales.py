"""``scales``: how a metric is expected to grow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from steelyard.errors import UsageError
from steelyard.spec.claims.keys import Levels, Name, Where
from steelyard.spec.claims.question import Question, check_metric, check_parameter, select
from steelyard.spec.text.origin import Origin, Path


class Scales(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="scales", tag_field="kind"):
    """The metric ``scales`` grows with ``parameter`` as ``expect`` says, or as the file ``accepted``."""

    scales: Annotated[str, Meta(description="The metric.")]
    parameter: Annotated[
        str | None,
        Meta(
            description="The factor or label that growth is about. Left out, one model is made over all that"
            " are numbers, and judged in each that `expect` names."
        ),
    ] = None
    expect: Annotated[
        str | None, Meta(description='Big-O text: `"O(log p)"`, `"O(n/p log(n/p) + p^2 log p)"`.')
    ] = None
    accepted: Annotated[
        str | None,
        Meta(
            description="Instead of `expect`: a file that `steelyard model --accept` wrote, the status quo."
        ),
    ] = None
    deviation: Annotated[
        str | None,
        Meta(description="How far off is still approximate; the leading exponent halved by default."),
    ] = None
    litmus: Annotated[
        Levels,
        Meta(
            description="Levels of a simple test whose growth tells the machine's fault from the program's."
        ),
    ] = {}
    where: Where = {}
    along: Annotated[
        Mapping[str, str],
        Meta(description='Parameters that grow with another, as in weak scaling: `{ n = "p" }`.'),
    ] = {}
    at: Annotated[
        Mapping[str, float],
        Meta(description="A scale of interest, at which rank and value are said too."),
    ] = {}
    name: Name = None

    def checked(self, question: Question, origin: Origin, path: Path) -> Scales:
        """Return the claim, where its Big-O texts can be read and speak of what grows."""
        check_metric(self.scales, question, origin, (*path, "scales"))
        if (self.expect is None) == (self.accepted is None):
            what = "expect and accepted are both given" if self.expect else "nothing says what is expected"
            raise origin.error(path, what, 'write expect = "O(log p)", or accepted = "FILE"')
        if self.accepted is not None and not self.accepted.strip():
            raise origin.error((*path, "accepted"), "is empty", "name the file that --accept wrote")
        if self.parameter is not None:
            check_parameter(self.parameter, self.scales, question, origin, (*path, "parameter"))
        for key in ("expect", "deviation"):
            if (text := getattr(self, key)) is not None:
                _check_growth(text, self.parameter, self.along, origin, (*path, key))
        if self.deviation is not None:
            _check_deviation(self.deviation, self.parameter, origin, (*path, "deviation"))
        where = select(self.where, question, origin, (*path, "where"), metric=self.scales, empty=True)
        litmus = select(self.litmus, question, origin, (*path, "litmus"), metric=self.scales, empty=True)
        for name, scale in self.at.items():
            if not 1 < scale < float("inf"):
                what = f"growth has no value at {name} = {scale:g}"
                raise origin.error((*path, "at", name), what, "write a number above 1")
        return replace(self, where=where, litmus=litmus)


def _check_deviation(text: str, parameter: str | None, origin: Origin, path: Path) -> None:
    from steelyard.growth import parse_deviation

    try:
        parse_deviation(text, parameter or "p")
    except UsageError as error:
        raise origin.placed(path, error) from None


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
        what = f"{text} is over {', '.join(sorted(named))}, but {parameter} is what grows"
        raise origin.error(path, what, f"write it over {parameter}; what stays constant is O(1)")
