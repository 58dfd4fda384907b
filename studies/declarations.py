"""Statements of a paper as declarations, whose marks are functions of their data and of nothing else.

``compared.py`` of a study has ``DECLARATIONS``, one for each statement of ``statements.csv``: the data, the
paper's rule, our claim, a control. ``beside.py`` writes the marks; tests change the data and see the marks
move.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeVar

import kept_values

from steelyard.api import Experiment, Record

T = TypeVar("T")
Rows = list[dict[str, str]]
Verdict = Literal["holds", "fails", "not resolved"]
Kind = Literal["measured", "recomputed", "set-up"]
"""By data, by what the paper prints, or by neither: a method, a definition, a drawing."""
Origin = Literal["measured here", "the authors' data", "simulated"]
Mark = Literal["reproduced", "contradicted", "not resolved", "set-up"]
CauseKind = Literal["stand-in", "too few runs", "machine", "program", "no interval", "methods", "control"]

LEGEND: Final = (
    "A mark is a function of data, the paper's rule, our claim and a control; none is typed."
    " *Reproduced*: the rule and the claim hold, and the control does not give the same."
    " *Contradicted*: the claim fails, on data measured here or the authors' own; a simulation contradicts"
    " nothing. *Not resolved* names its cause and what would decide it: a stand-in, too few runs, the"
    " machine, a program that is not there, no interval, methods that disagree, or a control that gives the"
    " same. *Not attempted*: the reason stands beside it. What sums up a printed table is recomputed from it,"
    " and our data stand beside; whether the table comes out here is a row of its own. Methods, definitions"
    " and drawings are listed and"
    " not counted."
)


class Cause(NamedTuple):
    """Why a statement is not resolved, and the command that would decide it."""

    kind: CauseKind
    text: str
    command: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}" + (f" (`{self.command}`)" if self.command else "")


class Answer(NamedTuple):
    """What data say of a rule, a claim or a control; one that is not resolved has a cause."""

    text: str
    verdict: Verdict
    cause: Cause | None = None


class Data:
    """Files of a study, of which a test may replace some.

    Parameters
    ----------
    study : Path
        The folder; files are named relative to it.
    replaced : mapping
        Rows of tables (``.csv``) and documents (``.json``) in place of those on disk.
    """

    def __init__(self, study: Path, replaced: Mapping[str, Any] | None = None) -> None:
        self.study = study
        self.replaced = dict(replaced or {})
        self._remembered: dict[object, Any] = {}

    def table(self, name: str) -> Rows:
        """Rows of a table."""
        if name in self.replaced:
            return [dict(row) for row in self.replaced[name]]
        with (self.study / name).open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def document(self, name: str) -> Any:
        """A document of JSON."""
        if name in self.replaced:
            return self.replaced[name]
        return json.loads((self.study / name).read_text(encoding="utf-8"))

    @contextmanager
    def rebuilt(self, part: str, experiment: Experiment | None = None) -> Iterator[Record]:
        """The record of a part, made of its rows."""
        folder, _, name = part.rpartition("/")
        rows = self.replaced.get(f"{folder}/values/{name}.csv".lstrip("/"))
        with kept_values.rebuilt(self.study / folder, name, experiment, rows) as record:
            yield record

    def remember(self, key: object, make: Callable[[], T]) -> T:
        """What ``make`` gives, made once."""
        if key not in self._remembered:
            self._remembered[key] = make()
        answer: T = self._remembered[key]
        return answer

    def replace(self, name: str, contents: Any) -> Data:
        """The same data with another table or document."""
        return Data(self.study, {**self.replaced, name: contents})


Judge = Callable[[Data], Answer]


class Declaration(NamedTuple):
    """One statement: what it rests on, and what decides it.

    Attributes
    ----------
    data : tuple of str
        Files that decide, relative to the study.
    rule, by_paper : str, callable
        The paper's method and threshold, and what the data give by it.
    claim, by_ours : str, callable
        Our claim, and what the laboratory says of it.
    control : callable or None
        The same claim where the cause that the paper names is absent.
    limits : mapping
        Verdicts of the claim that do not carry over to the paper's statement here, each with its cause.
    """

    id: str
    kind: Kind
    data: tuple[str, ...] = ()
    rule: str = ""
    by_paper: Judge | None = None
    claim: str = ""
    by_ours: Judge | None = None
    control: Judge | None = None
    limits: Mapping[Verdict, Cause] = {}
    origin: Origin = "measured here"
    remark: str = ""


class Judged(NamedTuple):
    """A declaration with its answers and its mark."""

    declaration: Declaration
    mark: Mark
    by_paper: Answer | None = None
    by_ours: Answer | None = None
    control: Answer | None = None
    cause: Cause | None = None


def mark_of(
    rule: Answer, claim: Answer, control: Answer | None, limits: Mapping[Verdict, Cause], origin: Origin
) -> tuple[Mark, Cause | None]:
    """The mark, and the cause where it is *not resolved*.

    Raises
    ------
    ValueError
        A claim is not resolved and names no cause.
    """
    limit = limits.get(claim.verdict)
    if claim.verdict == "not resolved":
        cause = claim.cause or limit
        if cause is None:
            raise ValueError(f"not resolved without a cause: {claim.text}")
    elif claim.verdict == "holds":
        cause = _doubt(rule, control) or limit
    elif origin == "simulated":
        cause = limit or Cause("stand-in", "a simulation contradicts no measurement")
    else:
        cause = limit
    if cause is not None:
        return "not resolved", cause
    return ("reproduced" if claim.verdict == "holds" else "contradicted"), None


def _doubt(rule: Answer, control: Answer | None) -> Cause | None:
    """Why a claim that holds does not reproduce its statement."""
    if rule.verdict != "holds":
        return Cause("methods", "our claim holds, the paper's rule does not give it")
    if control is not None and control.verdict == "holds":
        return Cause("control", "the same without the cause that the paper names")
    return None


def judge(declaration: Declaration, data: Data) -> Judged:
    """Judge one statement by these data."""
    if declaration.kind == "set-up":
        return Judged(declaration, "set-up")
    assert declaration.by_paper is not None  # noqa: S101 -- a test holds every declaration to it
    assert declaration.by_ours is not None  # noqa: S101
    rule, claim = declaration.by_paper(data), declaration.by_ours(data)
    control = None if declaration.control is None else declaration.control(data)
    mark, cause = mark_of(rule, claim, control, declaration.limits, declaration.origin)
    return Judged(declaration, mark, rule, claim, control, cause)


def runs_to_decide(runs: int, half_width: float, distance: float) -> int:
    """Runs after which an interval that now has ``half_width`` has one of ``distance``: by 1/√n."""
    return math.ceil(runs * (half_width / distance) ** 2)


def judge_interval(
    text: str,
    interval: tuple[float, float],
    bounds: tuple[float, float],
    runs: int,
    command: str,
    unit: str = "",
) -> Answer:
    """Judge whether an interval lies between two bounds, beyond them, or across one, which then is open.

    Parameters
    ----------
    runs : int
        That gave the interval; the cause says how many ``unit`` of this spread would decide.
    command : str
        Measures them.
    """
    (low, high), (least, most) = interval, bounds
    if least <= low and high <= most:
        return Answer(text, "holds")
    if high < least or low > most:
        return Answer(text, "fails")
    middle = (low + high) / 2
    near = min(abs(middle - bound) for bound in bounds if math.isfinite(bound))
    if near == 0:
        return Answer(text, "not resolved", Cause("too few runs", "it lies on a bound", command))
    runs_needed = runs_to_decide(runs, (high - low) / 2, near)
    return Answer(
        text, "not resolved", Cause("too few runs", f"{runs_needed:,}{unit} of this spread", command)
    )
