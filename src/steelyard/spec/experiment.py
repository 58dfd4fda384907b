"""``Experiment``: what a spec says, checked and typed. Built by ``steelyard.spec``; every other room only
reads it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

import msgspec

from steelyard.analysis import Analysis
from steelyard.factorial.layout import Kind
from steelyard.spec.claims.claim import Claim
from steelyard.units import Better, Scalar

Source = Literal["stdout", "stderr", "lines", "cachegrind", "callgrind"]
Reduce = Literal["median", "mean", "min", "max", "sum", "first", "last"]


class Verify(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a run must do to count.

    ``exit`` is the wanted exit code (``None`` accepts any, a signal included); ``stdout`` and ``stderr`` are
    regular expressions searched in what was captured.
    """

    exit: int | None = 0
    stdout: str | None = None
    stderr: str | None = None


class Program(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is launched; strings still hold their ``{placeholders}``, and a command is a list of words."""

    commands: Mapping[str, tuple[str, ...]]
    """Level of the factor ``command`` to words; the key is ``""`` where the spec has one command only."""
    shell: bool = False
    """Then each command is one word, handed to ``/bin/sh -c``."""
    env: Mapping[str, str] = {}
    inherit: bool = False
    cwd: str | None = None
    """``None``: the directory of the spec."""
    stdin: str | None = None
    inputs: tuple[str, ...] = ()
    """Files that it reads, or patterns: what ``file_cache`` warms and drops besides what the command says."""
    output: Literal["capture", "null"] = "capture"
    prepare: tuple[tuple[str, ...], ...] = ()
    cleanup: tuple[tuple[str, ...], ...] = ()
    setup_once: tuple[tuple[str, ...], ...] = ()
    cleanup_once: tuple[tuple[str, ...], ...] = ()
    before_block: tuple[tuple[str, ...], ...] = ()
    after_block: tuple[tuple[str, ...], ...] = ()
    between_blocks: tuple[tuple[str, ...], ...] = ()
    between_treatments: tuple[tuple[str, ...], ...] = ()
    timeout_s: float | None = None
    nice: int | None = None
    counters: tuple[str, ...] = ()
    verify: Verify = Verify()


class Build(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How programs are built: once per combination of the factors that ``command`` and ``env`` name."""

    command: tuple[str, ...]
    inputs: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    timeout_s: float = 1800.0
    objects: tuple[str, ...] = ()
    """What ``{objects}`` stands for, in the order of ``link_order``."""


class Zip(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Factors that change together: ``levels[i]`` gives one level to each of ``names``."""

    names: tuple[str, ...]
    levels: tuple[tuple[Scalar, ...], ...]
    name: str = ""
    """What the spec calls the link; it is no factor."""


class Factor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A factor and its levels, in the order of the spec."""

    name: str
    levels: tuple[Scalar, ...]
    intervention: bool = False
    """True when the name is a reserved one, whose levels change the launch and not the command."""


class LevelCommands(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the user does to the machine for one level; each command is a list of words."""

    factor: str
    level: Scalar
    enter: tuple[str, ...] | None = None
    leave: tuple[str, ...] | None = None
    change: Literal["easy", "hard"] = "easy"


class Range(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``{ range = [low, high], step = s }``: low, low + s, … below high."""

    range: tuple[int, int]
    step: int = 1


class Contexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Nuisance settings, drawn for each context; ``"random"``, a fixed level, a list to draw from, or a
    range.
    """

    settings: Mapping[str, Scalar | tuple[Scalar, ...] | Range]
    passes: int = 1


class Stop(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When to stop adding blocks: a precision, and caps that stop it short."""

    rel_halfwidth: float | None = None
    max_blocks: int | None = None
    max_time_s: float | None = None
    strict: bool = False
    """The first look is at 40 blocks, not at 10."""


class Design(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How trials are laid out. ``order`` other than ``randomized`` exists to show what it does.

    ``ends`` are the two levels of factors in the kinds that run two, where these are not the first and the
    last; ``generators`` say which fraction is run, whichever way the spec asked for it.
    """

    kind: Kind = "full"
    ends: Mapping[str, tuple[Scalar, Scalar]] = {}
    generators: tuple[str, ...] = ()
    exclude: tuple[Mapping[str, Scalar], ...] = ()
    blocks: int = 10
    replicates: int = 1
    discard: int = 1
    seed: int = 1
    order: Literal["randomized", "sequential", "nogueira-matias-2014"] = "randomized"
    stop: Stop | None = None

    @property
    def in_rows(self) -> bool:
        """Whether one treatment's runs follow each other, so that no block has one of each."""
        return self.order != "randomized"


class UserMetric(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A metric that the program reports, or one derived from others."""

    name: str
    unit: str = ""
    better: Better = "lower"
    source: Source | None = None
    pattern: str | None = None
    """A regular expression whose first group is the number; every match is an iteration."""
    json: str | None = None
    """A JSON pointer (RFC 6901) into the output as one document: a number, or an array of iterations."""
    reduce: Reduce = "median"
    derive: str | None = None
    event: str | None = None
    """What a tool of valgrind counts (``steelyard.spec.valgrind``)."""
    where: Mapping[str, Scalar] = {}
    """Only treatments with these levels have it; others need not report it."""


class Queue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How trials are handed to a queue; ``script`` is a file that holds ``{run}``."""

    script: str | None = None
    options: tuple[str, ...] = ()
    submit: tuple[str, ...] = ()
    job: str = ""
    cancel: tuple[str, ...] = ()
    alive: tuple[str, ...] = ()
    hand_on: tuple[str, ...] = ()
    poll_s: float = 10.0


class Noise(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What else happens on a simulated machine: shares, from 0 to below 1, of the links' time, taken by other
    jobs' messages, and of the cores' time, taken by anything but the ranks.
    """

    links: str = "0.0"
    hosts: str = "0.0"


class Launching(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where trials run; texts still hold their ``{placeholders}``.

    ``ranks`` is a number in text, or the placeholder of a factor; ``None`` only for ``local``.
    """

    kind: Literal["local", "mpi", "smpi", "slurm", "template"] = "local"
    queue: Queue | None = None
    """For the kinds that have one."""
    ranks: str | None = None
    implementation: str | None = None
    mpirun: str | None = None
    binding: Literal["core", "none", "library"] = "core"
    arguments: tuple[str, ...] = ()
    platform: str | None = None
    algorithms: Mapping[str, str] = {}
    selector: str | None = None
    placement: str = "packed"
    noise: Noise = Noise()
    seed: str = "1"
    """Of a scattered placement and of noise."""


class Experiment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One experiment, complete: what ``spec`` gives and everything else takes.

    ``source`` is the absolute directory of the spec (``{source}``), where relative paths start.
    """

    name: str
    source: str
    program: Program
    build: Build | None = None
    factors: tuple[Factor, ...] = ()
    zips: tuple[Zip, ...] = ()
    contexts: Contexts | None = None
    design: Design = Design()
    metrics: tuple[UserMetric, ...] = ()
    analysis: Analysis = Analysis()
    launch: Launching = Launching()
    claims: tuple[Claim, ...] = ()
    levels: tuple[LevelCommands, ...] = ()

    @property
    def needs_queue_wait(self) -> bool:
        """Whether the wait for a CPU is analysed, claimed or computed with, and so needed of every trial."""
        derived = (metric.derive or "" for metric in self.metrics)
        claimed = (field for claim in self.claims for field in msgspec.structs.astuple(claim))
        return (
            self.analysis.metric == "queue_wait_s"
            or any(re.search(r"\bqueue_wait_s\b", text) for text in derived)
            or any(field == "queue_wait_s" for field in claimed)
        )

    @property
    def hard(self) -> tuple[str, ...]:
        """The factors that are hard to change, whose levels make whole plots; in the order of the factors."""
        named = {each.factor for each in self.levels if each.change == "hard"}
        return tuple(factor.name for factor in self.factors if factor.name in named)
