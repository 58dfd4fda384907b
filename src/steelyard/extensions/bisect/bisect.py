"""Find the commit that changed a program, by measuring commits side by side with both ends."""

from __future__ import annotations

import math
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.core.errors import InterruptedRunError, ProgramError, UsageError
from steelyard.core.sample import Sample
from steelyard.core.units import Metric
from steelyard.extensions.bisect.bisection import Compared, Search, pool_variance
from steelyard.extensions.bisect.ends import LOOKS, EndsComparison, compare_ends, decide
from steelyard.extensions.bisect.request import BisectRequest
from steelyard.extensions.bisect.results import Bisection, Candidate, ComparedCommit, SkippedCommit
from steelyard.extensions.repository.joining import join_samples
from steelyard.extensions.repository.layouts import Linking, draw_number, fill_layout
from steelyard.extensions.repository.repository import Repository
from steelyard.extensions.repository.tree_request import locate_start
from steelyard.extensions.repository.trees import DIGITS, Trees
from steelyard.lab.run.process import interruptible
from steelyard.lab.run.run import run
from steelyard.lab.run.run_loop import Watch, watch_part
from steelyard.results.direction import Direction
from steelyard.spec import Experiment, experiment
from steelyard.spec.text.placeholders import escape
from steelyard.store import Record
from steelyard.store.facts import FILE

Tell = Callable[[str], None]
"""Told in a sentence what happens."""

TREE = "commit"
"""The factor whose levels are names of trees."""


def bisect(
    request: BisectRequest,
    repository: Repository,
    directory: Path,
    *,
    watch: Watch = lambda _: None,
    tell: Tell = lambda _: None,
) -> Bisection:
    """Search, or go on where a search was interrupted.

    Parameters
    ----------
    directory : Path
        Where the records are kept, and the work trees until the end.

    Raises
    ------
    UsageError
        A revision that is unknown, or ends that are not in one line.
    ProgramError
        An end does not build or does not run.
    InterruptedRunError
        The same call goes on.
    """
    line = _list_line(request, repository)
    # With ids, which mean the same when a branch has moved on.
    bisect_request = replace(request, good=line[0], bad=line[-1]).keep_in(directory)
    trees = Trees(
        repository,
        directory.absolute() / "trees",
        fill_layout(bisect_request.build, 0),
        Path(bisect_request.place),
    )
    if repository.dirty:
        tell("uncommitted changes are not measured")
    bisection = _Bisection(bisect_request, line, trees, directory)
    with bisect_request.lock(directory), interruptible(), _told_how_to_go_on(directory):
        try:
            search = bisection.search(watch, tell)
        finally:
            # Also where the search was interrupted: a repository must not keep trees of ours.
            trees.remove()
    return bisection.answer(search, repository)


def _list_line(request: BisectRequest, repository: Repository) -> list[str]:
    """Good, and every commit of bad's first parents that contains it, up to bad."""
    good, bad = repository.commit(request.good), repository.commit(request.bad)
    if good == bad:
        raise UsageError(
            f"{request.good} and {request.bad} are one commit, {good[:DIGITS]}", hint="name two revisions"
        )
    if not repository.is_ancestor(good, bad):
        reversed_ = repository.is_ancestor(bad, good)
        hint = "a commit that both have may be the good one: git merge-base GOOD BAD"
        if reversed_:
            hint = f"steelyard bisect {request.bad} {request.good} …: the older one first"
        elif repository.shallow:
            hint = "this clone is shallow: git fetch --unshallow (actions/checkout: fetch-depth: 0)"
        raise UsageError(f"{request.bad} does not contain {request.good}", hint=hint)
    behind = set(repository.descendants(good, bad))  # Not all, if good is on a branch that was merged.
    return [
        good,
        *(first_parent for first_parent in repository.first_parents(bad, good) if first_parent in behind),
    ]


@contextmanager
def _told_how_to_go_on(directory: Path) -> Iterator[None]:
    try:
        yield
    except (KeyboardInterrupt, InterruptedRunError):
        raise InterruptedRunError(
            f"interrupted; measurements so far are in {directory}",
            hint=f"the same command goes on, with -o {shlex.quote(str(directory))}",
        ) from None


class _Bisection:
    """A search over commits of a line; its state is what its records hold."""

    def __init__(self, request: BisectRequest, line: Sequence[str], trees: Trees, directory: Path) -> None:
        self.request = request
        self.line = line
        self.trees = trees
        self._directory = directory
        self._batches = 0
        self._linking = Linking(request.build, request.words, request.place, request.seed or 0)
        self._differences = np.empty(0)
        self._ends: list[tuple[Sample, Sample]] = []
        self._blocks: dict[int, list[tuple[Floats, Floats]]] = {}
        self.metric = Metric(request.metric, "")

    def search(self, watch: Watch, tell: Tell) -> Search:
        """Compare the ends, then the commits between them, until the answer is as small as it can get."""
        search = self._measure_ends(watch, tell)
        if search is None:
            return Search(0, pool_variance(self._differences, {}))
        while (following := search.following(self.request.error, search.verdict())) is not None:
            if self._batches >= self.request.most_batches:
                break
            self._measure_between(following, watch, tell)
            search = self._state()
        return search

    def _measure_ends(self, watch: Watch, tell: Tell) -> Search | None:
        for look, batches in enumerate(LOOKS):
            blocks = self.request.blocks * (batches - (LOOKS[look - 1] if look else 0))
            if not self._is_measured(blocks):
                self._build_ends()
            values = self._measure([self.line[0], self.line[-1]], blocks, watch)
            self._differences = np.concatenate([self._differences, values[1] - values[0]])
            ends = self._compare_ends()
            if (differs := decide(look, ends)) is not None:
                tell(f"bad is {ends.ratio:.4g} × good ({self._differences.size} blocks)")
                return self._state() if differs else None
        raise AssertionError("the last look decides")

    def _build_ends(self) -> None:
        for end in (self.line[0], self.line[-1]):
            try:
                self.trees.build(end)
            except ProgramError as error:
                raise ProgramError(f"{end[:DIGITS]}: {error.message}", hint=error.hint) from None

    def _compare_ends(self) -> EndsComparison:
        good, bad = map(join_samples, zip(*self._ends, strict=True))
        return compare_ends(good, bad, self.request.error)

    def _state(self) -> Search:
        compared = {
            place: Compared(
                np.concatenate([middles for middles, _ in parts]),
                float(np.concatenate([over for _, over in parts]).mean()),
                len(parts),
            )
            for place, parts in self._blocks.items()
        }
        skipped = frozenset(
            place
            for place, commit in enumerate(self.line[1:])
            if self.trees.get_skip_reason(commit) is not None
        )
        ends = pool_variance(self._differences, compared)
        return Search(len(self.line) - 1, ends, compared, skipped, self._linking.draws_layouts)

    def _measure_between(self, place: int, watch: Watch, tell: Tell) -> None:
        commit = self.line[place + 1]
        trio = [self.line[0], commit, self.line[-1]]
        try:
            if not self._is_measured(self.request.blocks):
                for text in trio:  # The ends are there, unless an answer removed them.
                    self.trees.build(text)
            good, middle, bad = self._measure(trio, self.request.blocks, watch)
        except ProgramError as error:
            why = error.message.splitlines()[0]
            self.trees.skip(commit, why)
            # It was built and did not run: the next commit has this number.
            for record in self._directory.glob(f"{self._batches + 1:03}*.lab"):
                record.rename(self._directory / f"{commit[:DIGITS]}-failed{record.stem[3:]}.lab")
            tell(f"{commit[:DIGITS]} is skipped: {why}")
            return
        self._differences = np.concatenate([self._differences, bad - good])
        self._blocks.setdefault(place, []).append((2 * middle - good - bad, middle - good))
        state = self._state()
        verdict = state.verdict()
        count = len(state.credible(self.request.error, verdict))
        tell(
            f"{commit[:DIGITS]} is {math.exp(state.compared[place].over_good):.4g} × good"
            f" ({state.compared[place].middles.size} blocks): {state.likeness(place, verdict.tau)};"
            f" {count} commit{'s' * (count != 1)} left"
        )

    def _list_records(self, blocks: int) -> list[tuple[Path, int]]:
        """Return the records of the next batch, and their blocks: one where each block is linked anew."""
        name = f"{self._batches + 1:03}"
        if not self._linking.draws_layouts:
            return [(self._directory / f"{name}.lab", blocks)]
        return [(self._directory / f"{name}-{block:03}.lab", 1) for block in range(1, blocks + 1)]

    def _is_measured(self, blocks: int) -> bool:
        """Whether the next batch was measured before an interruption, and is as it was."""
        return all(_is_complete(record) for record, _ in self._list_records(blocks))

    def _measure(self, commits: Sequence[str], blocks: int, watch: Watch) -> list[Floats]:
        """Logarithms of the metric for each commit, block by block; the last is that of the bad end."""
        records = self._list_records(blocks)
        parts = [
            self._measure_record(commits, *record, watch_part(watch, done, len(records)))
            for done, record in enumerate(records)
        ]
        self._batches += 1
        samples = [join_samples(of_commit) for of_commit in zip(*parts, strict=True)]
        self.metric = samples[0].metric
        values = [np.asarray(sample.values) for sample in samples]
        if any(len(value) != len(values[0]) or not len(value) or value.min() <= 0 for value in values):
            raise ProgramError(
                f"{self.request.metric} was not observed in every run, or is not positive",
                hint="choose another --metric",
            )
        self._ends.append((samples[0], samples[-1]))
        return [np.log(value) for value in values]

    def _measure_record(
        self, commits: Sequence[str], record: Path, blocks: int, watch: Watch
    ) -> Sequence[Sample]:
        if not _is_complete(record):
            if self._linking.draws_layouts:
                # A block that was not finished has programs that were linked for it alone.
                shutil.rmtree(record, ignore_errors=True)
                self._linking.draw_layouts(self.trees, commits, record.stem)
            run(self._make_experiment(commits, blocks, record.stem), record, watch=watch)
        with Record.open(record) as opened:
            return opened.samples(self.request.metric)

    def _make_experiment(self, commits: Sequence[str], blocks: int, record: str) -> Experiment:
        seed = (self.request.seed or 0) + self._batches
        if self._linking.draws_layouts:
            seed = draw_number(self._linking.seed, record)
        names = [commit[:DIGITS] for commit in commits]
        trees = escape(str(self.trees.path(commits[0]).parent))
        # Braces of the user's words stay what they are; the tree alone is put in.
        marked = self.request.program("\0")
        return experiment(
            name="bisect",
            source=str(self._directory.absolute()),
            program={
                "command": [escape(word).replace("\0", f"{trees}/{{{TREE}}}") for word in marked],
                "cwd": escape(locate_start("\0", self.request.place)).replace("\0", f"{trees}/{{{TREE}}}"),
                "inherit": True,
            },
            factors={TREE: names},
            design={"blocks": blocks, "discard": 1, "seed": seed},
            analysis={"metric": self.request.metric},
        )

    def answer(self, search: Search, repository: Repository) -> Bisection:
        """Return the search as an answer."""
        request, ends, drawn = self.request, self._compare_ends(), self._linking.draws_layouts
        verdict = search.verdict() if search.n else None
        chosen: tuple[int, ...] = ()
        if verdict is not None and verdict.no_change < 1 - request.error:
            chosen = search.credible(request.error, verdict)
        candidates = tuple(
            Candidate(commit, repository.subject(commit), float(verdict.commits[place]))
            for place in chosen
            if verdict is not None
            for commit in [self.line[place + 1]]
        )
        return Bisection(
            program=shlex.join(request.words),
            metric=self.metric,
            good=request.good,
            bad=request.bad,
            commits=len(self.line) - 1,
            error=request.error,
            ratio=ends.ratio,
            ci95=ends.ci95,
            p=ends.p,
            direction=_make_direction(self.metric, ends.ratio),
            end_blocks=search.ends.n,
            candidates=candidates,
            probability=sum(candidate.probability for candidate in candidates),
            tested=()
            if verdict is None
            else tuple(self._test(search, place, verdict.tau) for place in search.compared),
            skipped=tuple(
                SkippedCommit(commit, why)
                for commit in self.line
                if (why := self.trees.get_skip_reason(commit))
            ),
            resolvable=ends.resolvable if verdict is None else None,
            no_change=None if verdict is None else verdict.no_change,
            several=None if verdict is None else verdict.two_changes,
            between_builds=None if verdict is None or drawn else math.expm1(verdict.tau),
            is_named=verdict is not None and search.is_named(request.error, verdict),
            ended_early=verdict is not None and search.following(request.error, verdict) is not None,
            refused=verdict is None and ends.refused,
            layouts=search.ends.n if drawn else 0,
        )

    def _test(self, search: Search, place: int, tau: float) -> ComparedCommit:
        compared = search.compared[place]
        return ComparedCommit(
            commit=self.line[place + 1],
            blocks=compared.middles.size,
            ratio=math.exp(compared.over_good),
            p_bad=search.p_bad(place, tau),
            like=search.likeness(place, tau),
        )


def _is_complete(record: Path) -> bool:
    """Whether a record was measured to its end, and is as it was."""
    if not (record / FILE).exists():
        return False
    with Record.open(record) as opened:
        opened.refuse_edited()
        runs = opened.runs()
    return bool(runs) and runs[-1].state == "complete"


def _make_direction(metric: Metric, ratio: float) -> Direction:
    if metric.better == "neither":
        return "neither"
    return "worse" if (ratio > 1) == (metric.better == "lower") else "better"
