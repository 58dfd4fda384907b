"""What a session measured: its record, verdicts on what its tests claim, and where it is kept."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
import pytest

from steelyard.core.errors import SteelyardError
from steelyard.core.units import Scalar
from steelyard.extensions.pytest import reference
from steelyard.extensions.pytest.claims import (
    ABSENT,
    METRIC,
    NOTHING_TIMED,
    claims_of,
    full,
    levels_of_tests,
    makes_claims,
)
from steelyard.extensions.pytest.passes import Ran
from steelyard.files.unlisted import make_unlisted

if TYPE_CHECKING:
    from steelyard.claims.verdict import Verdict
    from steelyard.extensions.exchange.recording import RecordedTrial, Taken


_KEY = re.compile(r"^experiment\(\): claims\[\d+\][.:] ?|^\S*tests\.lab ")
"""What an error begins with that names a key or a record which a test does not have."""


LEAST_POINTS: Final = 5
"""Of growth that fails a test: of ranks that four points state, a tenth is wrong (decision 271)."""


class SessionJudgement(msgspec.Struct, frozen=True):
    """The verdict on a claim of a test.

    Attributes
    ----------
    outcome : str
        ``refused``: the claim cannot be understood; ``not_judged``: the test has no values.
    words : str
        The verdict and its evidence.
    """

    ran: Ran
    outcome: Literal["holds", "fails", "not_resolved", "not_judged", "refused"]
    words: str


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
        """Return the levels of each test, in their order."""
        return [tuple({**extra, **levels}.items()) for levels in self.levels]

    def select(self, test: str) -> File:
        """Return the session as if there were this test alone, at all of its parameters."""
        places = [place for place, levels in enumerate(self.levels) if levels["test"] == test]
        new = {place: number for number, place in enumerate(places)}
        orders = [[new[place] for place in order if place in new] for order in self.orders]
        own_levels = [
            {key: level for key, level in self.levels[i].items() if level != ABSENT} for i in places
        ]
        return File(self.name, [self.ran[place] for place in places], full(own_levels), orders)

    def trials(self, extra: Mapping[str, Scalar]) -> list[RecordedTrial]:
        """One a block and test, in the order in which they ran."""
        from steelyard.extensions.exchange.recording import RecordedTrial

        cells = self.cells(extra)
        return [
            RecordedTrial(
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
    """Return what was timed to the end; ``None`` where nothing was."""
    blocks = len(orders)
    numbers = [place for place, run in enumerate(ran) if len(run.timed.values) == blocks > 0]
    if not numbers:
        return None
    new = {place: number for number, place in enumerate(numbers)}
    runs = [ran[place] for place in numbers]
    return File(
        name,
        runs,
        full(levels_of_tests([run.item for run in runs])),
        [[new[place] for place in order if place in new] for order in orders],
    )


def judge(file: File, recording: Taken, *, strict: bool) -> list[SessionJudgement]:
    """Return the claims of the tests of a file or group, one family.

    A claim that cannot be understood is refused alone.
    """
    levels = levels_of_tests([ran.item for ran in file.ran])
    tests: dict[str, Mapping[str, Scalar]] = {}
    for level in levels:
        tests.setdefault(str(level["test"]), level)
    judgements: list[SessionJudgement] = []
    # A test of several parameters claims its growth once, in the words of all of them.
    distinct: list[tuple[Ran, dict[str, Any]]] = []
    for run, own_levels in zip(file.ran, levels, strict=True):
        try:
            claims = claims_of(run.item, own_levels, tests)
        except pytest.UsageError as error:
            judgements.append(SessionJudgement(run, "refused", str(error)))
            continue
        distinct += [(run, claim) for claim in claims if claim not in [claim_of for _, claim_of in distinct]]
    compared = [pair for pair in distinct if "scales" not in pair[1]]
    judgements += _judge_family(file, compared, recording, strict=strict)
    for run, claim in distinct:
        # Growth is that of one test: others lack its parameters.
        if "scales" in claim:
            alone = file.select(claim["where"]["test"])
            judgements += _judge_family(alone, [(run, claim)], recording, strict=strict)
    return judgements


def judge_untimed(file: File | None, ran: Sequence[Ran]) -> list[SessionJudgement]:
    """Return the claims of tests that passed and have no values."""
    timed = {id(run) for run in file.ran} if file is not None else set()
    return [
        SessionJudgement(run, "not_judged", f"not judged: {NOTHING_TIMED}")
        for run in ran
        if id(run) not in timed and makes_claims(run.item) and all(report.passed for report in run.reports)
    ]


def _judge_family(
    file: File, claims: Sequence[tuple[Ran, dict[str, Any]]], recording: Taken, *, strict: bool
) -> list[SessionJudgement]:
    """Judge claims together; where that is refused, find those that are refused alone, and judge the rest."""
    if not claims:
        return []
    try:
        return _judge_together(file, claims, recording, strict=strict)
    except SteelyardError as error:
        words = _KEY.sub("", error.message) + (f" ({error.hint})" if error.hint else "")
        if len(claims) == 1:
            ((run, _),) = claims
            return [SessionJudgement(run, "refused", f"{run.item.nodeid}: {words}")]
        alone = [_judge_family(file, [pair], recording, strict=strict) for pair in claims]
        sound = [pair for pair, (it,) in zip(claims, alone, strict=True) if it.outcome != "refused"]
        refused = [it for (it,) in alone if it.outcome == "refused"]
        if not refused:
            return [SessionJudgement(ran, "refused", f"{file.name}: {words}") for ran, _ in claims]
        return refused + _judge_family(file, sound, recording, strict=strict)


def _judge_together(
    file: File, claims: Sequence[tuple[Ran, dict[str, Any]]], recording: Taken, *, strict: bool
) -> list[SessionJudgement]:
    from steelyard.extensions.exchange.recording import Selection, write_record
    from steelyard.lab.answer.check import check
    from steelyard.report.claims.text import words

    with tempfile.TemporaryDirectory() as directory:
        recording = msgspec.structs.replace(recording, cells=file.cells({}))
        question = Selection(claims=[claim for _, claim in claims])
        with write_record(Path(directory, "tests.lab"), file.trials({}), recording, question) as record:
            checked = check(record)
    verdicts = (checked.strictly() if strict else checked).verdicts
    return [
        _judge_growth(SessionJudgement(run, verdict.outcome, words(verdict)), verdict)
        for (run, _), verdict in zip(claims, verdicts, strict=True)
    ]


def _judge_growth(judgement: SessionJudgement, verdict: Verdict) -> SessionJudgement:
    """Return the judgement; growth over few points fails no test."""
    from steelyard.extensions.growth.evidence import ScalesEvidence

    models = [
        instance.evidence.model
        for instance in verdict.instances
        if isinstance(instance.evidence, ScalesEvidence) and instance.outcome == "fails"
    ]
    few = [model for model in models if model is not None and model.points < LEAST_POINTS]
    if judgement.outcome != "fails" or not few:
        return judgement
    text = f"{judgement.words}; {few[0].points} points fail no test, use {LEAST_POINTS} or more"
    return SessionJudgement(judgement.ran, "not_resolved", text.replace(": fails;", ": not resolved;", 1))


def save(files: Sequence[File], directory: Path, recording: Taken) -> None:
    """Write one record of all files; tests are compared within each."""
    from steelyard.extensions.exchange.recording import FILE, Selection, write_record

    together = full([levels for file in files for levels in file.levels])
    cells_of = iter(together)
    joined = [File(file.name, file.ran, [next(cells_of) for _ in file.ran], file.orders) for file in files]
    trials = [trial for file in joined for trial in file.trials({FILE: file.name})]
    cells = [cell for file in joined for cell in file.cells({FILE: file.name})]
    # A block is one pass of each file.
    trials.sort(key=lambda recorded_trial: recorded_trial.block)
    tests = len({levels["test"] for levels in together}) > 1
    recording = msgspec.structs.replace(recording, cells=cells)
    write_record(directory, trials, recording, Selection(compare="test" if tests else None)).close()


def describe_recording(files: Sequence[File], host: Mapping[str, Scalar]) -> Taken:
    """How a session takes its values, with what its readers must know.

    Parameters
    ----------
    host : Mapping
        Facts to keep with the record, such as the commit that was tested.
    """
    from steelyard import __version__
    from steelyard.extensions.exchange.recording import Quantity, Taken

    moving = [
        run.item.nodeid
        for file in files
        for run in file.ran
        if run.timed.warmup and not run.timed.warmup.steady
    ]
    notes = [f"Times still fell when the warm-up ended: {', '.join(moving)}."] if moving else []
    return Taken(
        f"pytest {__version__}",
        {METRIC: Quantity("s"), reference.METRIC: Quantity("s")},
        blocked=True,
        one_process=True,
        host=host,
        notes=notes,
    )


def next_record(directory: Path, *, replace: bool = False) -> Path:
    """Where the next record of a name goes; with ``replace``, in the place of the last one."""
    make_unlisted(directory)
    if replace:
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(exist_ok=True)
    numbers = [int(path.stem) for path in directory.glob("*.lab") if path.stem.isdigit()]
    return directory / f"{max(numbers, default=0) + 1:04}.lab"


def keep(record: Path, directory: Path) -> Path:
    """Move a record to where those of a name are kept; its new place."""
    return record.rename(next_record(directory))
