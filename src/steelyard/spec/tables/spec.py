"""The whole spec: its tables by name."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from steelyard.core.analysis import Analysis
from steelyard.core.units import Scalar
from steelyard.spec.tables.build import Build
from steelyard.spec.tables.contexts import ContextsTable
from steelyard.spec.tables.design import Design
from steelyard.spec.tables.factors import LevelCommands, Zip
from steelyard.spec.tables.launch import LaunchMethod, LocalLaunch
from steelyard.spec.tables.metrics import UserMetric
from steelyard.spec.tables.program import Program


class SpecTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A Steelyard spec: what to run, which factors to vary, and how."""

    name: Annotated[
        str | None, Meta(description="What reports call the experiment; the name of the file by default.")
    ] = None
    program: Annotated[Program, Meta(description="What is launched.")]
    build: Annotated[Build | None, Meta(description="How programs are built, where they are.")] = None
    factors: Annotated[
        dict[str, tuple[Scalar, ...] | Zip],
        Meta(description="What varies: each factor with its levels, or a link of several."),
    ] = {}
    levels: Annotated[
        tuple[LevelCommands, ...],
        Meta(description="Commands that set up levels, one table each."),
    ] = ()
    contexts: Annotated[
        ContextsTable | None, Meta(description="Nuisance settings, drawn for each context.")
    ] = None
    design: Annotated[Design, Meta(description="How many trials in which order.")] = Design()
    metrics: Annotated[
        dict[str, UserMetric],
        Meta(description="Metrics that the program reports, and metrics derived from them."),
    ] = {}
    analysis: Annotated[Analysis, Meta(description="Comparisons, margins and error rates.")] = Analysis()
    launch: Annotated[LaunchMethod, Meta(description="Where trials run.")] = LocalLaunch()
    claims: Annotated[
        list[dict[str, Any]],
        Meta(description="Claims that `steelyard check` judges, one `[[claims]]` each."),
    ] = []
