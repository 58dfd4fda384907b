"""``scales``: how a metric is expected to grow, or how fast at most."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.spec.claims.claim import Claim
from steelyard.spec.claims.keys import Levels, Name, Where
from steelyard.spec.claims.question import ClaimNames, check_metric, check_parameter, select
from steelyard.spec.text.origin import Origin, Path


class Scales(Claim, msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="scales", tag_field="kind"):
    """The metric ``scales`` grows with ``parameter`` as expected.

    That is no faster than ``at_most``, no more slowly than ``at_least``, or as ``expect`` or the file
    ``accepted`` says.
    """

    scales: Annotated[str, Meta(description="The metric.")]
    parameter: Annotated[
        str | None,
        Meta(
            description="The factor or label that growth is about. Left out, one model is made over all that"
            " are numbers, and judged in each that `expect` names."
        ),
    ] = None
    expect: Annotated[
        str | None,
        Meta(description='Growth is this and no other: `"O(log p)"`, `"O(n/p log(n/p) + p^2 log p)"`.'),
    ] = None
    accepted: Annotated[
        str | None,
        Meta(description="In place of both: a file that `steelyard model --accept` wrote, the status quo."),
    ] = None
    deviation: Annotated[
        str | None,
        Meta(
            description="Factor within which growth is still approximately as stated; one logarithm by"
            ' default. `"half"`: the leading exponent halved, as published (Shudler et al. 2019).'
        ),
    ] = None
    litmus: Annotated[
        Levels,
        Meta(description="Levels of a reference test that tells machine problems from program problems."),
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
    at_most: Annotated[
        str | None,
        Meta(
            description="An upper bound, as a gate wants it: growth is that of this big-O text, as"
            ' `"O(n log n)"`, or slower.'
        ),
    ] = None
    at_least: Annotated[
        str | None,
        Meta(
            description='A lower bound of a rate (`better = "higher"`): it grows as this big-O text, as'
            ' `"O(nodes)"`, or faster; `"O(1)"`: it does not fall.'
        ),
    ] = None
    audited: Annotated[
        bool,
        Meta(
            description="The verdict counts only if the model predicts its last points: each is held out,"
            " and the interval made of those before holds it."
        ),
    ] = False
    name: Name = None

    def check_against(self, question: ClaimNames, origin: Origin, path: Path) -> Scales:
        """Return the claim, where its Big-O texts can be read and speak of what grows."""
        check_metric(self.scales, question, origin, (*path, "scales"))
        keys = ("at_most", "at_least", "expect", "accepted")
        stated = [key for key in keys if getattr(self, key) is not None]
        if len(stated) != 1:
            problem = f"{' and '.join(stated)} are both given" if stated else "no expectation is stated"
            hint = (
                'write at_most = "O(n log n)" for an upper bound, at_least = "O(p)" for a lower one of a'
                ' rate, expect = "O(log p)", or accepted = "FILE"'
            )
            raise origin.error(path, problem, hint)
        if self.accepted is not None and not self.accepted.strip():
            raise origin.error((*path, "accepted"), "is empty", "name the file that --accept wrote")
        if self.parameter is not None:
            check_parameter(self.parameter, self.scales, question, origin, (*path, "parameter"))
        for key in ("at_most", "at_least", "expect"):
            if (text := getattr(self, key)) is not None:
                _check_growth(text, self.parameter, self.along, origin, (*path, key))
        if self.deviation is not None:
            self._check_deviation(self.deviation, origin, (*path, "deviation"))
        levels = select(self.where, question, origin, (*path, "where"), metric=self.scales, empty=True)
        litmus = select(self.litmus, question, origin, (*path, "litmus"), metric=self.scales, empty=True)
        for name, scale in self.at.items():
            if not 1 < scale < float("inf"):
                problem = f"growth has no value at {name} = {scale:g}"
                raise origin.error((*path, "at", name), problem, "write a number above 1")
        return replace(self, where=levels, litmus=litmus)

    def resolve_files(self, source: str) -> Scales:
        """Return the claim with its file of accepted models as the spec that declares it has it."""
        return self if self.accepted is None else replace(self, accepted=str(PurePath(source, self.accepted)))

    def _check_deviation(self, text: str, origin: Origin, path: Path) -> None:
        from steelyard.extensions.growth.algebra import HALF, parse_deviation

        if text == HALF:
            return
        _check_growth(text, self.parameter, self.along, origin, path)
        try:
            parse_deviation(text, self.parameter or "p")
        except UsageError as error:
            raise origin.place_error(path, error) from None


def _check_growth(
    text: str, parameter: str | None, along: Mapping[str, str], origin: Origin, path: Path
) -> None:
    from steelyard.extensions.growth.algebra import parse

    try:
        parsed = parse(text)
        parsed.growth(parameter or "p", along)
    except UsageError as error:
        raise origin.place_error(path, error) from None
    named = set(parsed.parameters)
    if parameter is not None and named and not named & {parameter, *along}:
        problem = f"{text} is over {', '.join(sorted(named))}, but {parameter} is what grows"
        raise origin.error(path, problem, f"write it over {parameter}; what stays constant is O(1)")
