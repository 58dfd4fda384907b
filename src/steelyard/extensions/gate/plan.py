"""``Plan``: the programs of a suite on both sides and the benchmarks in them, kept so that a gate goes on."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import NoReportError, RecordError, UsageError
from steelyard.extensions.gate.harnesses import HARNESSES, find_harness
from steelyard.extensions.gate.harnesses.harness import (
    Harness,
    HarnessProgram,
    NoBenchmarkError,
    Selection,
    Tree,
    find_installed,
)
from steelyard.extensions.gate.identity import have_same_data, is_compiled
from steelyard.extensions.gate.metrics import Reported, choose_metrics
from steelyard.extensions.gate.probing import ProbedHarness, probe
from steelyard.extensions.gate.request import GateRequest
from steelyard.extensions.gate.results import GatedMetric, Shard
from steelyard.extensions.gate.sides import SIDES, GateSides, Side, naming, shorten
from steelyard.extensions.gate.waivers import find_spelling
from steelyard.files.plain import read_plain, write_plain

FILE: Final = "plan.json"
_MEMORY: Final = {"allocs", "bytes", "allocs_per_op", "bytes_per_op"}


class PlannedProgram(msgspec.Struct, frozen=True):
    """A program on the sides that have it, and what one process of each reported."""

    name: str
    programs: dict[Side, HarnessProgram]
    probes: dict[Side, ProbedHarness]
    is_same: bool = False
    """Whether the gate built the same file on both sides."""
    is_same_file: bool = False
    """Whether what is started is the same file on both sides, whoever built it."""
    installed: str | None = None
    """The program of both sides where it is none of a tree: they differ in what it reads."""
    is_identical: bool = False
    """Whether it is machine code, the same on both sides, and no file that it could read differs."""
    old_names: dict[str, str] = {}
    """Benchmark to its name in base, where that is another one."""

    def name_on(self, side: Side, name: str) -> str:
        """Return what a benchmark is called on a side."""
        return self.old_names.get(name, name) if side == "base" else name

    def list_common(self, metric: str) -> tuple[str, ...]:
        """Benchmarks that report a metric on both sides."""
        base, head = (self.list_names(metric, side) for side in SIDES)
        return tuple(name for name in base if name in head)

    def list_only(self, metric: str, side: Side) -> tuple[str, ...]:
        """Benchmarks that report a metric on one side."""
        common = self.list_common(metric)
        return tuple(name for name in self.list_names(metric, side) if name not in common)

    def list_names(self, metric: str, side: Side) -> tuple[str, ...]:
        """Benchmarks that report a metric on a side, in the order of the harness."""
        probe = self.probes.get(side)
        return tuple(probe.values.get(metric, {})) if probe else ()

    @property
    def trouble(self) -> str | None:
        """Why it cannot run, on head where head has it."""
        return next(reversed([*self.programs.values()])).trouble

    def list_skipped(self) -> dict[str, dict[Side, str]]:
        """Benchmarks that the harness skipped; why, by side."""
        reasons: dict[str, dict[Side, str]] = {}
        for side, probed in self.probes.items():
            for name, why in probed.skipped.items():
                reasons.setdefault(name, {})[side] = why
        return reasons

    def list_numberless(self, metrics: Iterable[str]) -> dict[tuple[str, str], dict[Side, str]]:
        """Benchmarks, each with one of these metrics that has no number; why, by side."""
        reasons: dict[tuple[str, str], dict[Side, str]] = {}
        chosen = tuple(metrics)
        for side, probed in self.probes.items():
            for metric in chosen:
                for name, why in probed.numberless.get(metric, {}).items():
                    if name not in probed.skipped:
                        reasons.setdefault((name, metric), {})[side] = why
        return reasons

    @property
    def pair_s(self) -> float:
        """Seconds that one process of each side took, with all its benchmarks."""
        return sum(entry.seconds for entry in self.probes.values())


class Plan(msgspec.Struct, frozen=True):
    """What a gate measures."""

    harness: str
    metrics: tuple[GatedMetric, ...]
    programs: tuple[PlannedProgram, ...]
    is_first: bool = False
    """Whether base has no benchmark at all, so that all are new."""
    shard: Shard | None = None
    """The part of the suite that it is."""

    @property
    def chosen(self) -> Harness:
        """The harness."""
        return next(entry for entry in HARNESSES if entry.name == self.harness)

    def list_common(self, place: int) -> tuple[str, ...]:
        """Benchmarks of both sides of the program in this place, whatever they report."""
        names = (self.programs[place].list_common(metric.name) for metric in self.metrics)
        return tuple(dict.fromkeys(chain.from_iterable(names)))

    def get_default_s(self, place: int) -> float:
        """Seconds that a benchmark of the program in this place takes by the defaults of its harness."""
        return self.chosen.get_default_s(next(iter(self.programs[place].programs.values())))

    def note_renames(self, renames: Mapping[str, str]) -> list[str]:
        """Sentences on renames: those that were followed, and those that were not."""
        old_names = {new: old for entry in self.programs for new, old in entry.old_names.items()}
        followed = [f"{new} was {old} in base" for new, old in old_names.items()]
        unused = (
            []
            if self.shard
            else [
                f"{old} to {new}"
                for new, old in renames.items()
                if find_spelling(new, old_names, self.harness) not in old_names
            ]
        )
        return [
            *([f"Renamed: {'; '.join(followed)}."] if followed else []),
            *(
                f"The rename of {text} is not used: base has no such benchmark, or head none."
                for text in unused
            ),
        ]

    def make_title(self, program: PlannedProgram, benchmark: str) -> str:
        """Return what a benchmark is called among all of them."""
        return f"{program.name}: {benchmark}" if len(self.programs) > 1 else benchmark


Tell = Callable[[str], None]
"""Told in a sentence what happens."""


def make_plan(request: GateRequest, sides: GateSides, directory: Path, tell: Tell) -> Plan:
    """Return the plan of an earlier call, or a new one: both sides built and probed.

    Raises
    ------
    ProgramError, NoReportError, UsageError, MachineError
        As of building and probing; or no benchmark is on both sides.
    """
    file = directory / FILE
    content = read_plain(file)
    if content is not None:
        try:
            return msgspec.json.decode(content, type=Plan)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise RecordError(f"{file}: {error}", hint="begin again: -o NAME of a new directory") from None
    trees: dict[Side, Tree] = {}
    for side in SIDES:
        tell(f"{side} is {shorten(name_revision(request, side))}")
        if request.build:
            tell(f"building {side} by {request.build}; it prints into {sides.locate_log(side)}")
        trees[side] = sides.prepare(side)
    harness = _find_harness(request, trees)
    if request.shard is not None:
        refuse_undivided(harness)
    named, is_first = _find_programs(request, harness, trees, tell)
    programs = []
    for name, members in named.items():
        probes = _probe_sides(request, harness, members, trees)
        is_same_file = _is_same_file({side: trees[side].path for side in members}, members)
        is_same = harness.builds and is_same_file
        installed = _find_installed(harness, members)
        may_skip = is_same_file and not (harness.reads_sources or installed or request.layout)
        is_identical = may_skip and not request.is_null and _cannot_differ(members, trees, directory)
        program = PlannedProgram(name, members, probes, is_same, is_same_file, installed, is_identical)
        programs.append(_rename(program, request.renames, harness.name))
    reported = {
        name: unit for entry in programs for side in SIDES for name, unit in _get_units(entry, side).items()
    }
    is_first = is_first or not any("base" in entry.probes for entry in programs)
    metrics = choose_metrics(request, harness.metric, reported)
    plan = Plan(harness.name, metrics, tuple(programs), is_first)
    if not is_first:
        _refuse_nothing_common(plan)
    if request.shard is not None:
        shard_programs, shard = keep_shard(programs, metrics, request.shard)
        plan = replace(plan, programs=tuple(shard_programs), shard=shard)
    write_plain(file, msgspec.json.encode(plan))
    return plan


def refuse_undivided(harness: Harness) -> None:
    """Refuse a shard of a harness that cannot run some of its benchmarks alone.

    Raises
    ------
    UsageError
    """
    if not harness.can_filter:
        raise UsageError(
            f"--shard: {harness.name} cannot run a part of its benchmarks",
            hint="divide them into several commands, and gate each in a job of its own",
        )


def keep_shard(
    programs: Sequence[PlannedProgram], metrics: Sequence[GatedMetric], shard: Shard
) -> tuple[list[PlannedProgram], Shard]:
    """Leave out the benchmarks of other shards: in the order of their names, each goes to the next shard.

    A program that cannot run counts as a benchmark, which the first shard names.

    Raises
    ------
    UsageError
        There are fewer benchmarks than shards.
    """
    names = sorted({(program.name, name) for program in programs for name in _list_rows(program, metrics)})
    if len(names) < shard.count:
        raise UsageError(
            f"--shard {shard.number}/{shard.count}: the suite has {len(names)} benchmarks",
            hint=f"use {len(names)} shards at most" if names else "see what the command runs",
        )
    chosen_names = {*names[shard.number - 1 :: shard.count]}
    troubles = sum(program.trouble is not None for program in programs)
    rows = len(chosen_names) + (troubles if shard.number == 1 else 0)
    members = [_keep_names(program, chosen_names) for program in programs]
    return members, replace(shard, suite=len(names) + troubles, rows=rows)


def _list_rows(program: PlannedProgram, metrics: Sequence[GatedMetric]) -> set[str]:
    """Return the benchmarks of a program that have a row in the answer of a gate."""
    common = {name for metric in metrics for name in program.list_common(metric.name)}
    alone = {
        name
        for metric in metrics
        for side in SIDES
        for name in program.list_only(metric.name, side)
        if not metric.is_reported
    }
    return common | alone


def _keep_names(program: PlannedProgram, chosen_names: AbstractSet[tuple[str, str]]) -> PlannedProgram:
    """Leave out other benchmarks, and their part of the time that a process took."""
    probes = {}
    for side, probed in program.probes.items():
        values = {
            metric: {name: value for name, value in reported.items() if (program.name, name) in chosen_names}
            for metric, reported in probed.values.items()
        }
        before, after = (len({*chain(*reported.values())}) for reported in (probed.values, values))
        part = after / before if before else 1.0
        probes[side] = replace(probed, values=values, seconds=probed.seconds * part)
    return replace(program, probes=probes)


def _find_harness(request: GateRequest, trees: Mapping[Side, Tree]) -> Harness:
    """Return the harness that base has; that of head where base has none yet."""
    try:
        return find_harness(request.harness, request.words, trees["base"].path)
    except UsageError:
        return find_harness(request.harness, request.words, trees["head"].path)


def _find_programs(
    request: GateRequest, harness: Harness, trees: Mapping[Side, Tree], tell: Tell
) -> tuple[dict[str, dict[Side, HarnessProgram]], bool]:
    """Return the programs of both sides by name, and whether base has none."""
    named: dict[str, dict[Side, HarnessProgram]] = {}
    is_first = False
    for side in SIDES:
        words = list_words(request.words, harness, trees, side)
        if words is None:
            is_first = True
            continue
        with naming(side, name_revision(request, side)):
            if harness.builds:
                tell(f"building the benchmarks of {side}")
            try:
                programs = harness.find_programs(words, trees[side])
            except NoBenchmarkError:
                if side == "head":
                    raise
                is_first, programs = True, []
            for program in programs:
                named.setdefault(program.name, {})[side] = program
    return named, is_first


def list_words(
    words: Sequence[str], harness: Harness, trees: Mapping[Side, Tree], side: Side
) -> tuple[str, ...] | None:
    """Return the command for a side, without paths that only head has.

    ``None`` of base where the program, or every path that chooses benchmarks, is only in head.
    """
    if side == "head":
        return tuple(words)
    base, head = (trees[place].path for place in SIDES)

    def is_new(word: str) -> bool:
        path = word.partition("::")[0]
        return bool(path) and (head / path).exists() and not (base / path).exists()

    if is_new(words[0]):
        return None
    if not harness.paths_choose:
        return tuple(words)
    paths = [
        place
        for place in range(1, len(words))
        if not words[place].startswith("-")
        and not (words[place - 1].startswith("-") and "=" not in words[place - 1])
        and (head / words[place].partition("::")[0]).exists()
    ]
    new = {place for place in paths if is_new(words[place])}
    if new and len(new) == len(paths):
        return None
    return tuple(word for place, word in enumerate(words) if place not in new)


def _probe_sides(
    request: GateRequest,
    harness: Harness,
    members: Mapping[Side, HarnessProgram],
    trees: Mapping[Side, Tree],
) -> dict[Side, ProbedHarness]:
    """Run one process of a program on each side that has it; base may have no benchmark yet."""
    selection = Selection("", has_memory=has_memory(request))
    probes: dict[Side, ProbedHarness] = {}
    for side, program in members.items():
        if program.trouble is not None:
            continue
        with naming(side, name_revision(request, side)):
            tree = trees[side]
            environment = harness.make_environment(str(tree.root), tree.place)
            place = tree.path / program.directory
            harness.check_tree(program, tree, {**os.environ, **environment})
            try:
                probes[side] = probe(
                    harness, program, selection, place, environment, request.timeout_s, tree.output
                )
            except NoBenchmarkError:
                if side == "head":
                    raise
    return probes


def _rename(program: PlannedProgram, renames: Mapping[str, str], harness: str) -> PlannedProgram:
    """Give benchmarks of base the names that they have in head, where each side has its own alone."""
    base, head = (
        {*chain(*program.probes[side].values.values())} if side in program.probes else set() for side in SIDES
    )
    spelled = {
        find_spelling(new, head, harness): find_spelling(old, base, harness) for new, old in renames.items()
    }
    old_names = {
        new: old
        for new, old in spelled.items()
        if old in base and new in head and new not in base and old not in head
    }
    if not old_names:
        return program
    new_names = {old: new for new, old in old_names.items()}
    values = {
        metric: {new_names.get(name, name): value for name, value in reported.items()}
        for metric, reported in program.probes["base"].values.items()
    }
    probes = {**program.probes, "base": replace(program.probes["base"], values=values)}
    return replace(program, probes=probes, old_names=old_names)


def _is_same_file(starts: Mapping[Side, Path], programs: Mapping[Side, HarnessProgram]) -> bool:
    """Whether what both sides start has the same bytes, a file of its tree or one that is installed."""
    files = [
        shutil.which(starts[side] / entry.directory / entry.words[0]) or shutil.which(entry.words[0])
        for side, entry in programs.items()
    ]
    contents = [Path(file).read_bytes() for file in files if file is not None]
    return len(contents) == len(SIDES) and contents[0] == contents[1]


def _cannot_differ(
    programs: Mapping[Side, HarnessProgram], trees: Mapping[Side, Tree], directory: Path
) -> bool:
    base = trees["base"]
    first = Path(base.path, programs["base"].directory, programs["base"].words[0])
    return (
        first.is_file()
        and is_compiled(first)
        and have_same_data(base.root, trees["head"].root, {directory.resolve()})
    )


def _find_installed(harness: Harness, programs: Mapping[Side, HarnessProgram]) -> str | None:
    if harness.builds or harness.reads_sources:
        return None
    words = {entry.words[0] for entry in programs.values()}
    first = next(iter(words))
    return first if len(words) == 1 and find_installed(first) else None


def name_revision(request: GateRequest, side: Side) -> str:
    """Return what a side is called."""
    return request.base if side == "base" else request.head


def has_memory(request: GateRequest) -> bool:
    """Whether a metric is asked for that a harness reports only where an option says so."""
    return not {*request.metrics, *request.reported}.isdisjoint(_MEMORY)


def _get_units(program: PlannedProgram, side: Side) -> Reported:
    return program.probes[side].units if side in program.probes else {}


def _refuse_nothing_common(plan: Plan) -> None:
    metrics = [metric.name for metric in plan.metrics if not metric.is_reported]
    if not any(entry.list_common(metric) for entry in plan.programs for metric in metrics):
        base = [name for entry in plan.programs for name in entry.list_only(metrics[0], "base")]
        raise NoReportError(
            f"no benchmark is on both sides; base has {', '.join(base[:3]) or 'none'}",
            hint="a gate needs one at least; was every benchmark renamed?",
        )
