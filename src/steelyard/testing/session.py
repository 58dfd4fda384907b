"""What a session measured: its record, verdicts on what its tests claim, and the means of saved sessions."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from steelyard.testing import reference
from steelyard.testing.claims import ABSENT, METRIC, claims_of, full, levels_of
from steelyard.testing.passes import Ran
from steelyard.units import Scalar

if TYPE_CHECKING:
    from steelyard.claims.verdict import Verdict
    from steelyard.exchange.recording import Taken, Trial
    from steelyard.sample import Sample
    from steelyard.stats.compare.sessions import Means


class File(msgspec.Struct):
    """The timed tests of one file or group, each with a value for each block.

    Attributes
    ----------
    name : str
    ran : list of Ran
        Those that were timed to the end.
    levels : list of dict
        Of each.
    orders : list of lists of int
        For each block the places in ``ran``, in the order of execution.
    """

    name: str
    ran: list[Ran]
    levels: list[dict[str, Scalar]]
    orders: list[list[int]]

    def cells(self, extra: Mapping[str, Scalar]) -> list[tuple[tuple[str, Scalar], ...]]:
        """The levels of each test, in their order."""
        return [tuple({**extra, **levels}.items()) for levels in self.levels]

    def only(self, test: str) -> File:
        """As if there were this test alone, at all of its parameters."""
        places = [place for place, levels in enumerate(self.levels) if levels["test"] == test]
        new = {place: number for number, place in enumerate(places)}
        orders = [[new[place] for place in order if place in new] for order in self.orders]
        its = [{key: level for key, level in self.levels[i].items() if level != ABSENT} for i in places]
        return File(self.name, [self.ran[place] for place in places], full(its), orders)

    def trials(self, extra: Mapping[str, Scalar]) -> list[Trial]:
        """One a block and test, in the order in which they ran."""
        from steelyard.exchange.recording import Trial

        cells = self.cells(extra)
        return [
            Trial(
                cells[place],
                {
                    METRIC: (self.ran[place].timed.values[number - 1],),
                    reference.METRIC: (self.ran[place].beside[number - 1],),
                },
                number,
            )
            for number, order in enumerate(self.orders, 1)
            for place in order
        ]


def timed_file(name: str, ran: Sequence[Ran], orders: Sequence[Sequence[int]]) -> File | None:
    """What was timed to the end; ``None`` where nothing was."""
    blocks = len(orders)
    whole = [place for place, one in enumerate(ran) if len(one.timed.values) == blocks > 0]
    if not whole:
        return None
    new = {place: number for number, place in enumerate(whole)}
    kept = [ran[place] for place in whole]
    return File(
        name,
        kept,
        full(levels_of([one.item for one in kept])),
        [[new[place] for place in order if place in new] for order in orders],
    )


def judge(file: File, taken: Taken, *, strict: bool) -> list[tuple[Ran, Verdict, str]]:
    """The claims of the tests of a file or group: who makes each, the verdict, and its words.

    Raises
    ------
    pytest.UsageError
        A marker that cannot be understood.
    """
    own = levels_of([one.item for one in file.ran])
    others: dict[str, Mapping[str, Scalar]] = {}
    for levels in own:
        others.setdefault(str(levels["test"]), levels)
    made = [
        (one, claim)
        for one, levels in zip(file.ran, own, strict=True)
        for claim in claims_of(one.item, levels, others)
    ]
    if not made:
        return []
    # A test of several parameters claims its growth once, in the words of all of them.
    distinct: list[tuple[Ran, dict[str, Any]]] = []
    for one, claim in made:
        if claim not in [known for _, known in distinct]:
            distinct.append((one, claim))
    compared = [(one, claim) for one, claim in distinct if "scales" not in claim]
    found = _verdicts(file, compared, taken, strict=strict)
    for one, claim in distinct:
        # Growth is that of one test: others lack its parameters.
        if "scales" in claim:
            found += _verdicts(file.only(claim["where"]["test"]), [(one, claim)], taken, strict=strict)
    return found


def _verdicts(
    file: File, made: Sequence[tuple[Ran, dict[str, Any]]], taken: Taken, *, strict: bool
) -> list[tuple[Ran, Verdict, str]]:
    if not made:
        return []
    from steelyard.errors import SteelyardError
    from steelyard.exchange.recording import Question, write_record
    from steelyard.lab.answer.check import check
    from steelyard.report.claims.text import words

    with tempfile.TemporaryDirectory() as directory:
        taken = msgspec.structs.replace(taken, cells=file.cells({}))
        question = Question(claims=[claim for _, claim in made])
        try:
            with write_record(Path(directory, "tests.lab"), file.trials({}), taken, question) as record:
                checked = check(record)
        except SteelyardError as error:
            raise pytest.UsageError(f"{file.name}: {error.message} ({error.hint})") from None
    verdicts = (checked.strictly() if strict else checked).verdicts
    return [(one, verdict, words(verdict)) for (one, _), verdict in zip(made, verdicts, strict=True)]


def save(files: Sequence[File], directory: Path, taken: Taken) -> None:
    """Write one record of all files; tests are compared within each."""
    from steelyard.exchange.recording import FILE, Question, write_record

    together = full([levels for file in files for levels in file.levels])
    its = iter(together)
    whole = [File(each.name, each.ran, [next(its) for _ in each.ran], each.orders) for each in files]
    trials = [trial for each in whole for trial in each.trials({FILE: each.name})]
    cells = [cell for each in whole for cell in each.cells({FILE: each.name})]
    # A block is one pass of each file.
    trials.sort(key=lambda each: each.block)
    tests = len({levels["test"] for levels in together}) > 1
    taken = msgspec.structs.replace(taken, cells=cells)
    write_record(directory, trials, taken, Question(compare="test" if tests else None)).close()


def taken(files: Sequence[File]) -> Taken:
    """How a session takes its values, with what its readers must know."""
    from steelyard import __version__
    from steelyard.exchange.recording import Quantity, Taken

    moving = [
        one.item.nodeid
        for file in files
        for one in file.ran
        if one.timed.warmup and not one.timed.warmup.steady
    ]
    notes = [f"Times still fell when the warm-up ended: {', '.join(moving)}."] if moving else []
    return Taken(
        f"pytest {__version__}",
        {METRIC: Quantity("s"), reference.METRIC: Quantity("s")},
        blocked=True,
        one_process=True,
        notes=notes,
    )


def next_record(directory: Path, *, replace: bool) -> Path:
    """Where the next record of a name goes; with ``replace``, in the place of the last one."""
    import shutil

    if replace:
        shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True, exist_ok=True)
    (directory.parent / ".gitignore").write_text("*\n")
    numbers = [int(each.stem) for each in directory.glob("*.lab") if each.stem.isdigit()]
    return directory / f"{max(numbers, default=0) + 1:04}.lab"


def means(directory: Path) -> dict[str, Means]:
    """The mean logarithms of each test in a saved session, by its name."""
    from steelyard.stats.compare.sessions import Means
    from steelyard.store import Record

    with Record.open(directory) as record:
        known = any(metric.name == reference.METRIC for metric in record.metrics)
        beside = {each.treatment.id: each for each in record.samples(reference.METRIC)} if known else {}
        return {
            _name(sample.treatment.levels): Means(
                _mean_log(sample), _mean_log(beside.get(sample.treatment.id))
            )
            for sample in record.samples(METRIC)
            if len(sample)
        }


def _mean_log(sample: Sample | None) -> float:
    """Of its values; NaN without any."""
    return fmean(map(math.log, sample.values)) if sample is not None and len(sample) else math.nan


def _name(levels: Mapping[str, Scalar]) -> str:
    """The name of a treatment, which other tests of its session do not change."""
    where, test, *rest = (level for level in levels.values() if level != ABSENT)
    return f"{where}::{test}" + (f"[{'-'.join(map(str, rest))}]" if rest else "")
