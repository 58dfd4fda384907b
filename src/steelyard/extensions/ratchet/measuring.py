"""Blocks of runs of two builds, in records; with a record a block where each block has builds of its own."""

from __future__ import annotations

import hashlib
import shutil
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import ProgramError, UsageError
from steelyard.core.sample import Sample
from steelyard.extensions.ratchet.builds import LAYOUT, draws_layouts
from steelyard.extensions.ratchet.results import Ledger
from steelyard.extensions.repository.tree_request import TreeRequest, locate_program, locate_start
from steelyard.extensions.repository.trees import DIGITS, Trees
from steelyard.interventions.built import LARGEST_SEED
from steelyard.lab.run.run import run
from steelyard.lab.run.run_loop import Watch
from steelyard.spec import Experiment, experiment
from steelyard.spec.text.placeholders import escape
from steelyard.store import Record
from steelyard.store.facts import FILE

TREE: Final = "tree"
"""The factor whose levels are names of trees: the best's, then its rival's."""
RIVAL: Final = 2
"""The treatment of the second level."""
DRAWS: Final = 4
"""Numbers that are drawn for a block before a build that makes the same program again is refused."""
_APART: Final = 1_000_000
"""Between the trials of two records, so that the order of all is kept."""


class BuildPair(msgspec.Struct, frozen=True):
    """Two commits to compare.

    Attributes
    ----------
    directory : Path
        Of the ledger, in which ``name`` begins the names of records.
    best, rival : str
        Commits.
    """

    ledger: Ledger
    directory: Path
    best: str
    rival: str
    name: str
    blocks: int


def fill_layout(build: str, layout: int) -> list[str]:
    """Return the words of a build with the number of a layout."""
    return [word.replace(LAYOUT, str(layout)) for word in TreeRequest(build=build).build_words]


def measure_builds(pair: BuildPair, trees: Trees, watch: Watch) -> tuple[Sample, Sample]:
    """Run both builds in blocks, unless that was done, and return the samples of best and rival.

    Where layouts are drawn, both are built anew before each block, with a number that both share.

    Raises
    ------
    ProgramError
        The rival fails or prints something else in any run, the best in three in a row; a build fails; or a
        value is not above 0.
    UsageError
        A build makes the same program with another layout.
    """
    for commit in (pair.best, pair.rival):
        trees.build(commit)
    if not draws_layouts(pair.ledger):
        return _measure_record(pair, pair.name, pair.blocks, watch)
    parts = []
    for block in range(1, pair.blocks + 1):
        name = f"{pair.name}-{block:03}"
        if not _is_complete(_locate(pair, name)):
            # One block that was not finished has programs that cannot be built again in their order.
            shutil.rmtree(_locate(pair, name), ignore_errors=True)
            _draw_layouts(pair, name, trees)
        parts.append(_measure_record(pair, name, 1, watch))
    before, after = zip(*parts, strict=True)
    return _join(before), _join(after)


def measure_more(pair: BuildPair, trees: Trees, watch: Watch) -> tuple[Sample, Sample]:
    """Run both builds as the trees have them, in blocks that look for slow runs; no layout is drawn.

    Raises
    ------
    ProgramError
        As ``measure_builds``.
    """
    for commit in (pair.best, pair.rival):
        trees.build(commit)
    return _measure_record(pair, pair.name, pair.blocks, watch)


def append_sample(first: Sample, second: Sample) -> Sample:
    """Return the runs of two records as one sample, in the order of time."""
    blocks, trials = max(first.blocks, default=0), _APART * (1 + max(first.trials, default=0) // _APART)
    return replace(
        first,
        values=first.values + second.values,
        blocks=first.blocks + array("q", [blocks + block for block in second.blocks]),
        passes=first.passes + second.passes,
        contexts=first.contexts + array("q", [0] * len(second.values)),
        trials=first.trials + array("q", [trials + trial for trial in second.trials]),
    )


def is_same_program(pair: BuildPair, trees: Trees) -> bool:
    """Whether the program of both trees has the same bytes."""
    best, rival = (_read_program(pair.ledger, trees, commit) for commit in (pair.best, pair.rival))
    return best is not None and best == rival


def _find_program(ledger: Ledger, trees: Trees, commit: str) -> Path | None:
    """Return the program where it is a file of the tree."""
    tree = trees.path(commit)
    program = Path(locate_program(ledger.words, str(tree), ledger.place)[0])
    return program if program.is_relative_to(tree) and program.is_file() else None


def _draw_layouts(pair: BuildPair, name: str, trees: Trees) -> None:
    """Build both sides with one number, which changes both programs.

    A build that makes few different programs of many numbers may make the same one twice in a row.
    """
    commits = (pair.best, pair.rival)
    for draw in range(DRAWS):
        layout = 1 + _draw(pair.ledger, f"{name} layout {draw}") % LARGEST_SEED
        before = [_read_program(pair.ledger, trees, commit) for commit in commits]
        for commit in commits:
            trees.build_again(commit, fill_layout(pair.ledger.build, layout))
        after = [_read_program(pair.ledger, trees, commit) for commit in commits]
        if all(old is None or old != new for old, new in zip(before, after, strict=True)):
            return
    raise UsageError(
        f"--build makes the same program with another {LAYOUT} ({layout})",
        hint="it has to link again, as make -B does, in an order that takes the number; a ledger with"
        " another build begins once .steelyard/ratchet is moved away",
    )


def _read_program(ledger: Ledger, trees: Trees, commit: str) -> bytes | None:
    program = _find_program(ledger, trees, commit)
    return None if program is None else program.read_bytes()


def _draw(ledger: Ledger, name: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{ledger.seed} {name}".encode()).digest()[:4])


def _locate(pair: BuildPair, name: str) -> Path:
    return pair.directory / f"{name}.lab"


def _is_complete(record: Path) -> bool:
    if not (record / FILE).exists():
        return False
    with Record.open(record) as opened:
        runs = opened.runs()
    return bool(runs) and runs[-1].state == "complete"


def _measure_record(pair: BuildPair, name: str, blocks: int, watch: Watch) -> tuple[Sample, Sample]:
    record, metric = _locate(pair, name), pair.ledger.metric
    if not _is_complete(record):
        run(_make_experiment(pair, name, blocks), record, watch=watch)
    with Record.open(record) as opened:
        opened.refuse_edited()
        trials = [trial for _, trial in opened.stream_measurements() if trial.treatment == RIVAL]
        before, after = opened.samples(metric)
    failed = [trial for trial in trials if trial.status != "ok"]
    if failed:
        # Blocks without it are those in which it went well: a change that is wrong at times is wrong.
        raise ProgramError(
            f"{len(failed)} of {len(trials)} runs failed; the first: {failed[0].reason}",
            hint="run the program by itself, many times",
        )
    if min(*before.values, *after.values) <= 0:
        raise ProgramError(f"{metric} is 0 in some run", hint="choose another --metric")
    return before, after


def _make_experiment(pair: BuildPair, name: str, blocks: int) -> Experiment:
    ledger = pair.ledger
    trees = pair.directory / "trees"
    program = locate_program(ledger.words, "\0", ledger.place)
    place = escape(str(trees))
    sha256 = {} if ledger.stdout_sha256 is None else {"stdout_sha256": ledger.stdout_sha256}
    return experiment(
        name="ratchet",
        source=str(pair.directory),
        program={
            "command": [escape(word).replace("\0", f"{place}/{{{TREE}}}") for word in program],
            "cwd": escape(locate_start("\0", ledger.place)).replace("\0", f"{place}/{{{TREE}}}"),
            "inherit": True,
            "verify": {"exit": 0, **sha256},
        },
        factors={TREE: [pair.best[:DIGITS], pair.rival[:DIGITS]]},
        contexts={"env_bytes": "random"},
        design={"blocks": blocks, "discard": 1, "seed": _draw(ledger, name)},
        analysis={"metric": ledger.metric},
    )


def _join(samples: Sequence[Sample]) -> Sample:
    """Return samples of one value each as one, a block each, in the order of time."""
    numbers = array("q", range(1, len(samples) + 1))
    trials = [_APART * number + sample.trials[0] for number, sample in enumerate(samples, start=1)]
    return replace(
        samples[0],
        values=array("d", [sample.values[0] for sample in samples]),
        blocks=numbers,
        passes=array("q", [1] * len(samples)),
        contexts=array("q", [0] * len(samples)),
        trials=array("q", trials),
    )
