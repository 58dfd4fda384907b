"""Blocks of runs of two builds, in records; with a record a block where each block has builds of its own."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.errors import ProgramError
from steelyard.core.sample import Sample
from steelyard.extensions.ratchet.builds import draws_layouts
from steelyard.extensions.ratchet.results import Ledger
from steelyard.extensions.repository.joining import join_samples
from steelyard.extensions.repository.layouts import Linking, draw_number
from steelyard.extensions.repository.tree_request import locate_program, locate_start
from steelyard.extensions.repository.trees import DIGITS, Trees
from steelyard.lab.run.run import run
from steelyard.lab.run.run_loop import Watch, watch_part
from steelyard.spec import Experiment, experiment
from steelyard.spec.text.placeholders import escape
from steelyard.store import Record
from steelyard.store.facts import FILE

TREE: Final = "tree"
"""The factor whose levels are names of trees: the best's, then its rival's."""
RIVAL: Final = 2
"""The treatment of the second level."""


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
            _make_linking(pair.ledger).draw_layouts(trees, (pair.best, pair.rival), name)
        parts.append(_measure_record(pair, name, 1, watch_part(watch, block - 1, pair.blocks)))
    before, after = zip(*parts, strict=True)
    return join_samples(before), join_samples(after)


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


def is_same_program(pair: BuildPair, trees: Trees) -> bool:
    """Whether the program of both trees has the same bytes."""
    linking = _make_linking(pair.ledger)
    best, rival = (linking.read_program(trees, commit) for commit in (pair.best, pair.rival))
    return best is not None and best == rival


def _make_linking(ledger: Ledger) -> Linking:
    return Linking(ledger.build, ledger.words, ledger.place, ledger.seed)


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
        design={"blocks": blocks, "discard": 1, "seed": draw_number(ledger.seed, name)},
        analysis={"metric": ledger.metric},
    )
