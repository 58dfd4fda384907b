"""The whole spec: its tables by name."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from steelyard.analysis import Analysis
from steelyard.spec.tables.build import BuildTable
from steelyard.spec.tables.contexts import ContextsTable
from steelyard.spec.tables.design import DesignTable
from steelyard.spec.tables.factors import LevelTable, ZipTable
from steelyard.spec.tables.launch import LaunchTable
from steelyard.spec.tables.metrics import MetricTable
from steelyard.spec.tables.program import ProgramTable
from steelyard.units import Scalar


class SpecTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A Steelyard spec: what to run, which factors to vary, and how."""

    name: Annotated[
        str | None, Meta(description="What reports call the experiment; the name of the file by default.")
    ] = None
    program: Annotated[ProgramTable, Meta(description="What is launched.")]
    build: Annotated[BuildTable | None, Meta(description="How programs are built, where they are.")] = None
    factors: Annotated[
        dict[str, list[Scalar] | ZipTable],
        Meta(description="What varies: each factor with its levels, or a link of several."),
    ] = {}
    levels: Annotated[
        list[LevelTable], Meta(description="The user's own commands for levels, each in a table of its own.")
    ] = []
    contexts: Annotated[
        ContextsTable | None, Meta(description="Nuisance settings, drawn anew for each context.")
    ] = None
    design: Annotated[DesignTable, Meta(description="How many trials in which order.")] = DesignTable()
    metrics: Annotated[
        dict[str, MetricTable], Meta(description="What the program reports, and what is derived from it.")
    ] = {}
    analysis: Annotated[
        Analysis, Meta(description="What is compared with what, and how sure one must be.")
    ] = Analysis()
    launch: Annotated[LaunchTable, Meta(description="Where trials run.")] = LaunchTable()
    claims: Annotated[
        list[dict[str, Any]],
        Meta(
            description="What is claimed, judged by `steelyard check`: each claim a `[[claims]]` of its own."
        ),
    ] = []
