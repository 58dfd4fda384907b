"""``[contexts]``: what settings are drawn from."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from steelyard.units import Scalar


class RangeTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whole numbers to draw from."""

    range: Annotated[
        list[int], Meta(min_length=2, max_length=2, description="First number, and the number to stay below.")
    ]
    step: Annotated[int, Meta(ge=1, description="Distance from one number to the next.")] = 1


Setting = Scalar | list[Scalar] | RangeTable
"""``"random"``, one level for all contexts, levels to draw from, or a range of them."""


class ContextsTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Nuisance settings, drawn for each context: one key for each intervention."""

    env_bytes: Annotated[
        Setting | None, Meta(description="Bytes by which the environment grows, which moves the stack.")
    ] = None
    aslr: Annotated[
        Setting | None,
        Meta(description='Address space layout randomisation: `"on"`, as the system has it, or `"off"`.'),
    ] = None
    affinity: Annotated[
        Setting | None,
        Meta(description='CPUs (`"0-3,7"`), or the places of OpenMP threads: `"compact"`, `"scatter"`.'),
    ] = None
    argv0_bytes: Annotated[
        Setting | None,
        Meta(description="Bytes by which the program's own name (`argv[0]`) grows, which moves the stack."),
    ] = None
    cwd_bytes: Annotated[
        Setting | None, Meta(description="Bytes of the working directory's name, as `getcwd` gives it.")
    ] = None
    stack_offset: Annotated[
        Setting | None,
        Meta(description="Bytes by which the stack begins lower; arguments and environment stay the same."),
    ] = None
    heap_offset: Annotated[
        Setting | None,
        Meta(description="Bytes by which the heap of a dynamically linked program begins later."),
    ] = None
    omp_wait_policy: Annotated[
        Setting | None,
        Meta(description='Waiting threads of an OpenMP program spin (`"active"`) or sleep (`"passive"`).'),
    ] = None
    nice: Annotated[Setting | None, Meta(description="Nice value of the program, -20 to 19.")] = None
    scheduling: Annotated[
        Setting | None,
        Meta(description='Scheduling class: `"other"`, `"batch"`, `"idle"`; in real time `"fifo"`, `"rr"`.'),
    ] = None
    background_load: Annotated[
        Setting | None,
        Meta(
            description='Load beside the program: `"none"`, `"cpu"`, `"memory"`, `"disk"`, as in'
            ' `"cpu x2 50% on 0-1"`.'
        ),
    ] = None
    file_cache: Annotated[
        Setting | None,
        Meta(description='Program and files that it reads are in memory (`"warm"`) or not (`"dropped"`).'),
    ] = None
    transparent_huge_pages: Annotated[
        Setting | None,
        Meta(
            description='Huge pages without asking: as the host has it (`"system"`), `"never"`; `"always"`'
            ' and `"madvise"` change the host.'
        ),
    ] = None
    governor: Annotated[
        Setting | None,
        Meta(description='Governor of the frequency, or `"system"`; changes the host while it runs.'),
    ] = None
    link_order: Annotated[
        Setting | None,
        Meta(description="Order in which `{objects}` of `[build]` are linked, drawn from the number."),
    ] = None
    padding: Annotated[
        Setting | None,
        Meta(description="Bytes by which code and data shift: `{padding_file}` of `[build]`, linked first."),
    ] = None
    passes: Annotated[
        int,
        Meta(
            ge=1,
            le=1000,
            description="Visits of each context; contexts can be judged from two visits on.",
        ),
    ] = 1
