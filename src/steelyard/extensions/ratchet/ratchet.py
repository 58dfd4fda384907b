"""Try a change against the best so far, confirm what looks faster in fresh runs, and estimate the whole gain.

A change is measured twice: a first look decides whether it is worth more runs and costs no error; a
confirmation in fresh runs is a test at the level that LORD++ leaves it. A confirmation counts as a test as
soon as it begins, so that giving up on one in time gains nothing.
"""

from __future__ import annotations

import hashlib
import secrets
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import ProgramError, UsageError
from steelyard.core.sample import Sample
from steelyard.core.units import BUILTIN
from steelyard.extensions.ratchet.builds import estimate_spread, is_of_two_builds
from steelyard.extensions.ratchet.gain import Gain, count_runs_to_show, judge_gain
from steelyard.extensions.ratchet.ledger import (
    PLACE,
    load_ledger,
    lock_ledger,
    put_attempt,
    read_ledger,
    write_ledger,
)
from steelyard.extensions.ratchet.measuring import (
    BuildPair,
    is_same_program,
    measure_builds,
    measure_more,
)
from steelyard.extensions.ratchet.online_fdr import level
from steelyard.extensions.ratchet.results import Attempt, Ledger, Total
from steelyard.extensions.repository.joining import join_samples
from steelyard.extensions.repository.layouts import fill_layout
from steelyard.extensions.repository.repository import Repository
from steelyard.extensions.repository.tree_request import locate_program, locate_start
from steelyard.extensions.repository.trees import DIGITS, Trees
from steelyard.lab.run.process import interruptible
from steelyard.lab.run.run_loop import Watch
from steelyard.store.sampling import ALWAYS

Tell = Callable[[str], None]

CONFIRMING: Final = 3
"""Times the blocks of the first look; the final gain takes as many."""
METRICS: Final = tuple(name for name in sorted(ALWAYS) if BUILTIN[name].better == "lower")
"""Metrics that a change can win by: every run has them, and less of them is better."""
PROMISING: Final = 0.2
"""One-sided p of the first look above which a change is not measured again."""


class RatchetRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A program and how it is judged; the first try of a repository writes it into the ledger.

    Attributes
    ----------
    chosen : tuple of str
        Fields that the user named: a later try refuses others than the ledger's, and does not pass over them.
    """

    words: tuple[str, ...] = ()
    build: str = ""
    metric: str = "wall_s"
    error: float = 0.05
    margin: float = 0.01
    blocks: int = 10
    any_output: bool = False
    chosen: tuple[str, ...] = ()


class Ratchet:
    """The ratchet of one repository.

    Parameters
    ----------
    repository : Repository
        At the top of its work tree, which is what is tried.
    """

    def __init__(
        self, repository: Repository, *, watch: Watch = lambda _: None, tell: Tell = lambda _: None
    ) -> None:
        top = repository.ask("rev-parse", "--show-toplevel").strip()
        if not top:
            raise UsageError("a bare repository has no work tree to try", hint="clone it and try there")
        self._place = str(repository.place)
        self._repository = Repository(Path(top))
        self.directory = Path(top) / PLACE
        self._watch = watch
        self._tell = tell

    def read(self) -> Ledger:
        """Return the ledger. Raises ``UsageError`` before the first try."""
        return load_ledger(self.directory)

    def try_tree(self, request: RatchetRequest, note: str = "") -> Ledger:
        """Try the work tree as it is now; an interrupted try of the same files goes on.

        Raises
        ------
        UsageError
            No program, another one than before, or nothing that differs from the best.
        ProgramError
            The best does not build or does not run.
        InterruptedRunError
            The same call goes on.
        RecordBusyError
            Another process holds the ledger.
        """
        with lock_ledger(self.directory):
            return self._try_tree(request, note)

    def _try_tree(self, request: RatchetRequest, note: str) -> Ledger:
        ledger = read_ledger(self.directory) or self._start(request)
        _refuse_other(ledger, request)
        commit, tree = self._repository.take_snapshot(PLACE.parts[0])
        last = ledger.attempts[-1] if ledger.attempts else None
        if last is not None and last.outcome == "open":
            if last.tree == tree:
                return self._judge(ledger, last)
            ledger = put_attempt(ledger, replace(last, outcome="abandoned"))
        if self._repository.find_tree(ledger.best) == tree:
            write_ledger(self.directory, ledger)
            raise UsageError(
                f"the work tree is the best so far, {ledger.best[:DIGITS]}: nothing to try",
                hint="change something first",
            )
        number = len(ledger.attempts) + 1
        # Without a name, git would collect it.
        self._repository.ask("update-ref", f"refs/steelyard/ratchet/{number}", commit)
        attempt = Attempt(number, commit, tree, ledger.best, note)
        ledger = put_attempt(ledger, attempt)
        write_ledger(self.directory, ledger)
        return self._judge(ledger, attempt)

    def measure_total(self) -> Ledger:
        """Measure the best against the start in runs that decide nothing, and note the gain.

        Raises
        ------
        UsageError
            Nothing was won yet.
        RecordBusyError
            Another process holds the ledger.
        """
        self.read()
        with lock_ledger(self.directory):
            return self._measure_total()

    def _measure_total(self) -> Ledger:
        ledger = self.read()
        if ledger.best == ledger.start:
            raise UsageError("no change was faster yet: there is no gain to estimate", hint="try one")
        trees = self._make_trees(ledger)
        with interruptible():
            try:
                # Named after the best: an interrupted one of an earlier best is another record.
                name = f"total-{len(ledger.totals) + 1}-{ledger.best[:DIGITS]}"
                pair = self._pair_up(ledger, ledger.start, ledger.best, name, CONFIRMING)
                samples = measure_builds(pair, trees, self._watch)
            finally:
                trees.remove()
        spread = estimate_spread(ledger.attempts) if is_of_two_builds(ledger) else None
        gain = judge_gain(*samples, margin=0.0, spread=spread)
        total = Total(ledger.best, gain.value, gain.ci95, gain.blocks, spread.sd if spread else None)
        ledger = replace(ledger, totals=(*ledger.totals, total))
        write_ledger(self.directory, ledger)
        return ledger

    def _start(self, request: RatchetRequest) -> Ledger:
        if not request.words:
            raise UsageError(
                "no program to measure", hint="steelyard ratchet try --build make -- ./prog input"
            )
        if request.metric not in METRICS:
            raise UsageError(
                f"--metric {request.metric}: not one of which less is better",
                hint=f"one of: {', '.join(METRICS)}",
            )
        start = self._repository.commit("HEAD")
        ledger = Ledger(
            start,
            request.words,
            request.build,
            request.metric,
            request.error,
            request.margin,
            request.blocks,
            secrets.randbits(31),
            None,
            self._place,
        )
        if not request.any_output:
            trees = self._make_trees(ledger)
            try:
                ledger = replace(ledger, stdout_sha256=_hash_output(ledger, trees.build(start)))
            finally:
                trees.remove()
        return ledger

    def _judge(self, ledger: Ledger, attempt: Attempt) -> Ledger:
        trees = self._make_trees(ledger)
        with interruptible():
            try:
                return self._run_attempt(ledger, attempt, trees)
            finally:
                trees.remove()

    def _run_attempt(self, ledger: Ledger, attempt: Attempt, trees: Trees) -> Ledger:
        try:
            trees.build(attempt.against)
        except ProgramError as error:
            raise ProgramError(f"the best so far: {error.message}", hint=error.hint) from None
        attempt = _note_failure(attempt, partial(self._look, ledger, attempt, trees))
        if attempt.outcome != "open":
            return self._close(ledger, attempt)
        if attempt.test is None:
            test = ledger.tests + 1
            granted = level(test, ledger.discoveries, ledger.error)
            attempt = replace(attempt, test=test, level=granted)
            ledger = self._close(ledger, attempt)  # Before the first of its runs: it counts from here on.
        attempt = _note_failure(attempt, partial(self._confirm, ledger, attempt, trees))
        return self._close(ledger, attempt)

    def _look(self, ledger: Ledger, attempt: Attempt, trees: Trees) -> Attempt:
        """Look at a change; it stays open where it is worth a confirmation."""
        trees.build(attempt.commit)
        pair = self._pair_up(ledger, attempt.against, attempt.commit, f"{attempt.number:04}-look", 1)
        is_same = is_same_program(pair, trees)
        first = judge_gain(*measure_builds(pair, trees, self._watch), margin=ledger.margin, screens=True)
        attempt = replace(attempt, gain=first.value, is_same_program=is_same)
        self._tell(f"first look: {first.value:.4g} × the speed of the best ({first.blocks} blocks)")
        if first.p > PROMISING:
            return replace(attempt, outcome="not_faster")
        is_open = attempt.test is None and is_of_two_builds(ledger)
        if is_open and estimate_spread(put_attempt(ledger, attempt).attempts) is None:
            return replace(attempt, outcome="unproven")
        return attempt

    def _confirm(self, ledger: Ledger, attempt: Attempt, trees: Trees) -> Attempt:
        pair = self._pair_up(
            ledger, attempt.against, attempt.commit, f"{attempt.number:04}-confirm", CONFIRMING
        )
        samples = measure_builds(pair, trees, self._watch)
        granted = attempt.level or 0.0
        spread = estimate_spread(ledger.attempts) if is_of_two_builds(ledger) else None
        fresh = judge_gain(*samples, margin=ledger.margin, level=granted, spread=spread)
        if fresh.is_win:
            fresh = self._look_for_slow_runs(ledger, attempt, trees, fresh, samples)
        return replace(
            attempt,
            p=fresh.p,
            confirmed_gain=fresh.value,
            outcome="faster" if fresh.is_win else "not_confirmed",
            why=fresh.why,
            build_sd=spread.sd if spread else None,
        )

    def _look_for_slow_runs(
        self, ledger: Ledger, attempt: Attempt, trees: Trees, won: Gain, samples: tuple[Sample, Sample]
    ) -> Gain:
        """Run a change that won until slow runs which take the gain away would have shown."""
        missing = count_runs_to_show(won, ledger.margin) - won.blocks
        if missing <= 0:
            return won
        self._tell(f"faster: {missing} more blocks would show slow runs that take the gain away")
        name = f"{attempt.number:04}-slow"
        pair = replace(self._pair_up(ledger, attempt.against, attempt.commit, name, 1), blocks=missing)
        further = measure_more(pair, trees, self._watch)
        before, after = map(join_samples, zip(samples, further, strict=True))
        # Whether it won is decided; here the level is that of any gain.
        watched = judge_gain(before, after, margin=ledger.margin, level=0.5)
        why = watched.why or ("" if watched.is_win else "further runs of both are not that fast on average")
        return replace(won, is_win=watched.is_win, why=why)

    def _close(self, ledger: Ledger, attempt: Attempt) -> Ledger:
        ledger = put_attempt(ledger, attempt)
        write_ledger(self.directory, ledger)
        return ledger

    def _make_trees(self, ledger: Ledger) -> Trees:
        words = fill_layout(ledger.build, 0)
        return Trees(self._repository, self.directory / "trees", words, Path(ledger.place))

    def _pair_up(self, ledger: Ledger, best: str, rival: str, name: str, times: int) -> BuildPair:
        return BuildPair(ledger, self.directory, best, rival, name, ledger.blocks * times)


def _note_failure(attempt: Attempt, step: Callable[[], Attempt]) -> Attempt:
    """Return what a step leaves of an attempt, which failed where a program did."""
    try:
        return step()
    except ProgramError as error:
        # Of the best, too: it ran when it became the best, and on its own it can be tried again.
        return replace(attempt, outcome="failed", why=error.message.splitlines()[0])


def _hash_output(ledger: Ledger, tree: Path) -> str:
    """SHA-256 of what the program prints in a tree.

    Raises
    ------
    ProgramError
        It cannot be started, or fails.
    """
    words = locate_program(ledger.words, str(tree), ledger.place)
    try:
        done = subprocess.run(
            words,
            cwd=locate_start(str(tree), ledger.place),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except OSError as error:
        raise ProgramError(
            f"{words[0]} cannot be started: {error.strerror}", hint="give --build, or correct the command"
        ) from None
    if done.returncode:
        raise ProgramError(
            f"HEAD: {words[0]} ended with {done.returncode}", hint="run it by itself to see its output"
        )
    return hashlib.sha256(done.stdout).hexdigest()


def _refuse_other(ledger: Ledger, request: RatchetRequest) -> None:
    hint = (
        "steelyard ratchet try without arguments goes on with it; move .steelyard/ratchet away to start over"
    )
    if request.words and (request.words, request.build) != (ledger.words, ledger.build):
        raise UsageError("this repository's ledger is of another program or build", hint=hint)
    for name in request.chosen:
        is_any = ledger.stdout_sha256 is None
        recorded = is_any if name == "any_output" else getattr(ledger, name)
        if getattr(request, name) != recorded:
            raise UsageError(
                f"--{name.replace('_', '-')}: this repository's ledger was begun with another", hint=hint
            )
