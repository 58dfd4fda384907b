"""Published ranks as declarations: the paper's method and ours on points, each its own verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from statistics import median
from typing import Final, NamedTuple

from declarations import Answer, Cause, Data, Declaration, Judge, Origin, Verdict
from ranking import describe, grows_more, is_rising, model_points, rank

from steelyard.api.scaling import Method, ScalingModel, parse_growth

Points = Callable[[Data], Mapping[float, float]]
"""Values by scale, of the data as they are or as a test has changed them."""
RULE: Final = "the published rank by least squares"
CLAIM: Final = "the published rank by the posterior"
DOUBTS: Final = frozenset({"hidden", "misfit", "noise"})
"""Kinds of warnings that leave a rank undecided, whatever the posterior says."""

INSIDE: Final = frozenset({"match", "approximate"})
SURE: Final = 0.8
"""Probability from which on a rank is stated, as the laboratory does."""


class Cell(NamedTuple):
    """A published rank, and how the models that it is held to are made.

    ``growth`` is the published leading term, where the paper prints one.
    """

    printed: str
    expectation: str
    parameter: str
    space: str | tuple[str, ...] = "seed001"
    deviation: str = "half"
    growth: str = ""

    @property
    def is_more(self) -> bool | None:
        """Whether the published term grows faster than the expectation; ``None`` where none is printed."""
        if not self.growth:
            return None
        printed, expected = (parse_growth(text, self.parameter) for text in (self.growth, self.expectation))
        return is_rising(printed / expected)


def is_inside(model: ScalingModel) -> bool:
    """Whether growth is within the limits, be it a match or approximate, with the doubts of both counted."""
    checked = model.validation
    return checked is not None and checked.probability.within >= SURE


def has_printed_rank(model: ScalingModel, cell: Cell) -> bool:
    """Whether a model has the published rank, on the published side of the expectation.

    Where the paper prints no term, a rank of none is one of more growth than expected.
    """
    if rank(model) != cell.printed or cell.printed == "match":
        return rank(model) == cell.printed
    is_more = cell.is_more if cell.is_more is not None else True if cell.printed == "none" else None
    return is_more is None or grows_more(model) == is_more


def modelled(data: Data, name: str, points: Points, cell: Cell, method: Method) -> ScalingModel:
    """The model of these points by one method, made once."""

    def make() -> ScalingModel:
        return model_points(
            points(data),
            cell.expectation,
            parameter=cell.parameter,
            method=method,
            space=cell.space,
            deviation=cell.deviation,
        )

    return data.remember(("rank", name, method), make)


def by_paper(name: str, points: Points, cell: Cell) -> Judge:
    """Whether the paper's method gives the published rank, for growth on the same side of the expectation."""

    def judge(data: Data) -> Answer:
        model = modelled(data, name, points, cell, "seed001")
        return Answer(describe(model), "holds" if has_printed_rank(model, cell) else "fails")

    return judge


def by_ours(name: str, points: Points, cell: Cell, command: str) -> Judge:
    """Whether the posterior gives the published rank.

    It is open where neither side of the limits has a probability of .8, where another rank may hide, and
    where growth is approximate on the other side of the expectation.
    """

    def judge(data: Data) -> Answer:
        model = modelled(data, name, points, cell, "posterior")
        checked = model.validation
        assert checked is not None  # noqa: S101 -- each has an expectation
        within = checked.probability.within
        text = f"{describe(model)} (inside {within:.2f})"
        if rank(model) == "undecided":
            doubts = [warning.words for warning in model.warnings if warning.kind in DOUBTS]
            why = doubts[-1] if doubts else f"inside the limits with a probability of {within:.2f}"
            return Answer(text, "not resolved", Cause("too few runs", why, command))
        if has_printed_rank(model, cell):
            return Answer(text, "holds")
        if rank(model) == cell.printed == "approximate":
            why = "inside the limits, where larger scales would show on which side of the expectation"
            return Answer(text, "not resolved", Cause("too few runs", why, command))
        return Answer(text, "fails")

    return judge


def judge_ranks(
    models: Mapping[str, ScalingModel],
    allowed: Iterable[str],
    cause: Cause,
    say: Callable[[ScalingModel], str] = describe,
    *,
    is_more: bool | None = None,
) -> Answer:
    """Judge whether the rank of each of several models is one of these; open where one is undecided.

    A rank of none counts where growth is faster than expected. Where both ranks inside the limits are
    allowed, their probability together decides, since which of them it is does not matter. ``say`` writes a
    model behind its name, ``is_more`` says on which side of the expectation an approximate rank counts.
    """
    chosen, verdicts = {*allowed}, set()
    for model in models.values():
        stated = "approximate" if chosen >= INSIDE and is_inside(model) else rank(model)
        side = {"none": True, "approximate": is_more}.get(stated)
        is_rank = stated in chosen and side in (None, grows_more(model))
        verdicts.add("not resolved" if stated == "undecided" else "holds" if is_rank else "fails")
    text = "; ".join(f"{name} {say(model)}".lstrip() for name, model in models.items())
    if "fails" in verdicts:
        return Answer(text, "fails")
    return Answer(text, "not resolved", cause) if "not resolved" in verdicts else Answer(text, "holds")


def declare_rank(
    name: str,
    points: Points,
    cell: Cell,
    data: tuple[str, ...],
    command: str,
    *,
    limits: Mapping[Verdict, Cause] | None = None,
    origin: Origin = "measured here",
    remark: str = "",
) -> Declaration:
    """Declare a published rank; ``command`` measures points that would decide it."""
    return Declaration(
        name,
        "measured",
        data,
        RULE,
        by_paper(name, points, cell),
        CLAIM,
        by_ours(name, points, cell, command),
        limits=limits or {},
        origin=origin,
        remark=remark,
    )


def medians(file: str, metric: str, parameter: str, **filters: str) -> Points:
    """Medians of a metric of a file of values by scale, of the rows with these levels."""

    def points(data: Data) -> dict[float, float]:
        values: dict[float, list[float]] = {}
        for row in data.table(file):
            if row[metric] and all(row[name] == level for name, level in filters.items()):
                values.setdefault(float(row[parameter]), []).append(float(row[metric]))
        return {scale: median(values[scale]) for scale in sorted(values)}

    return points
