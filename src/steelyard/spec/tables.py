"""The tables of a spec as a person writes them: the one definition that decoding, the schema and the
reference come from.

``Experiment`` (``experiment.py``) is what they mean; ``reading`` turns one into the other.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from steelyard.spec.experiment import Reduce, Source
from steelyard.units import Better, Scalar

Command = str | list[str]
"""One command: a list of words; text only with ``shell = true``."""
Commands = list[str | list[str]]
"""One command as a list of words, or a list of such lists."""
Duration = str | float
"""``"60 s"``, ``"10 min"``, or a number of seconds."""


class VerifyTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a run must do to count."""

    exit: Annotated[int, Meta(ge=0, le=255)] | Literal["any"] = 0
    stdout: str | None = None
    stderr: str | None = None


class ProgramTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is launched."""

    command: Command | None = None
    commands: dict[str, Command] | None = None
    shell: bool = False
    env: dict[str, Scalar] = {}
    inherit: bool = False
    cwd: str | None = None
    stdin: str | None = None
    output: Literal["capture", "null"] = "capture"
    prepare: Commands = []
    cleanup: Commands = []
    setup_once: Commands = []
    cleanup_once: Commands = []
    before_block: Commands = []
    after_block: Commands = []
    timeout: Duration | None = None
    nice: Annotated[int, Meta(ge=-20, le=19)] | None = None
    counters: list[str] = []
    verify: VerifyTable = VerifyTable()


class BuildTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How programs are built."""

    command: Command
    inputs: list[str] = []
    env: dict[str, Scalar] = {}
    timeout: Duration = 1800.0


class ZipTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Factors that change together."""

    zip: list[str]
    levels: list[list[Scalar]]


class RangeTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whole numbers to draw from."""

    range: Annotated[list[int], Meta(min_length=2, max_length=2)]
    step: Annotated[int, Meta(ge=1)] = 1


Setting = Scalar | list[Scalar] | RangeTable
"""``"random"``, one level for all contexts, levels to draw from, or a range of them."""


class ContextsTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Nuisance settings, drawn for each context: one key for each intervention."""

    env_bytes: Setting | None = None
    aslr: Setting | None = None
    affinity: Setting | None = None
    passes: Annotated[int, Meta(ge=1, le=1000)] = 1


class StopTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When to stop adding blocks."""

    rel_halfwidth: Annotated[float, Meta(gt=0, lt=1)] | None = None
    max_blocks: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    max_time: Duration | None = None


class DesignTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How trials are laid out."""

    kind: Literal["full"] = "full"
    exclude: list[dict[str, Scalar]] = []
    blocks: Annotated[int, Meta(ge=1, le=1_000_000)] = 10
    replicates: Annotated[int, Meta(ge=1, le=10_000)] = 1
    discard: Annotated[int, Meta(ge=0, le=1000)] = 1
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 1
    order: Literal["randomized", "sequential"] = "randomized"
    stop: StopTable | None = None


class MetricTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A metric that the program reports, or one derived from others."""

    source: Source | None = None
    pattern: str | None = None
    json: str | None = None
    derive: str | None = None
    unit: str = ""
    better: Better = "lower"
    reduce: Reduce = "median"


class AnalysisTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is compared, and how sure one must be."""

    metric: str = "wall_s"
    estimand: Literal["geomean_ratio"] = "geomean_ratio"
    family: Literal["baseline", "all-pairs"] = "baseline"
    strata: list[str] | None = None
    baseline: dict[str, Scalar] | None = None
    alpha: Annotated[float, Meta(gt=0, le=0.5)] = 0.05
    margin: Annotated[float, Meta(gt=0, lt=1)] | None = None


class LaunchTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where trials run."""

    kind: Literal["local"] = "local"


class SpecTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A Steelyard spec: what to run, which factors to vary, and how."""

    name: str | None = None
    program: ProgramTable
    build: BuildTable | None = None
    factors: dict[str, list[Scalar] | ZipTable] = {}
    contexts: ContextsTable | None = None
    design: DesignTable = DesignTable()
    metrics: dict[str, MetricTable] = {}
    analysis: AnalysisTable = AnalysisTable()
    launch: LaunchTable = LaunchTable()
