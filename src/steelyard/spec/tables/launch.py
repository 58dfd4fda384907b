"""``[launch]``: where trials run, a table for each kind; texts still hold their ``{placeholders}``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec
from msgspec import Meta

from steelyard.spec.tables.values import Duration

HANDED_ON: Final = ("SLURM", "PBS_", "LSB_", "FLUX_", "PMI")

if TYPE_CHECKING:
    _Ranks = str
    _Seed = str
    _Share = str
else:
    _Ranks = Annotated[int, Meta(ge=1)] | str
    _Seed = Annotated[int, Meta(ge=0)] | str
    _Share = Annotated[float, Meta(ge=0, lt=1)] | str


class Noise(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Noise on a simulated machine: fractions from 0 to below 1, or factors as in `"{level}"`."""

    links: Annotated[
        _Share,
        Meta(description="Fraction of every shared link that other jobs' messages take."),
    ] = "0.0"
    hosts: Annotated[
        _Share,
        Meta(description="Fraction of time in which something else has a rank's core, 10 µs at a time."),
    ] = "0.0"


_StartedRanks = Annotated[
    _Ranks,
    Meta(description='How many ranks a trial has: a number, or a factor as in `"{p}"`.', examples=[4, "{p}"]),
]
_Binding = Literal["core", "none", "library"]


class _Launch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    """What every kind has: its name."""

    @property
    def kind(self) -> str:
        """Value of the key ``kind``."""
        return str(self.__struct_config__.tag)


class LocalLaunch(_Launch, frozen=True, tag="local"):
    """On this machine, without anything between the runner and the program."""


class MpiLaunch(_Launch, frozen=True, kw_only=True, tag="mpi"):
    """On this machine, where ``mpirun`` starts ranks."""

    ranks: _StartedRanks
    implementation: Annotated[
        str | None,
        Meta(description="The library to be found: `openmpi`, `mpich` or `impi`; any by default."),
    ] = None
    mpirun: Annotated[str | None, Meta(description="Path of the starter; `mpirun` in `PATH` by default.")] = (
        None
    )
    binding: Annotated[
        _Binding,
        Meta(
            description="A core for each rank (none where there are more ranks than CPUs), nothing, or what"
            " the library does by itself."
        ),
    ] = "core"
    arguments: Annotated[tuple[str, ...], Meta(description="Further words for `mpirun`.")] = ()


class SimulatedLaunch(_Launch, frozen=True, kw_only=True, tag="smpi"):
    """On a machine that SimGrid simulates."""

    ranks: _StartedRanks
    platform: Annotated[
        str,
        Meta(
            description="The machine, an XML file of SimGrid; `.xml` may be left out.",
            examples=["machine.xml"],
        ),
    ]
    algorithms: Annotated[
        Mapping[str, str],
        Meta(description='Algorithm by operation, as in `{ bcast = "binomial_tree" }`.'),
    ] = {}
    selector: Annotated[
        str | None,
        Meta(description="Whose choice of algorithms is imitated: `ompi`, `mpich`, `mvapich2`, `impi`."),
    ] = None
    placement: Annotated[
        str,
        Meta(
            description="The hosts that are filled, core by core: `packed`, in the order of the platform, or"
            " `scattered`, in an order drawn by `seed`, as a batch system may hand them out."
        ),
    ] = "packed"
    noise: Annotated[
        Noise,
        Meta(description='What else happens there, as in `{ links = 0.1, hosts = "{level}" }`.'),
    ] = Noise()
    seed: Annotated[
        _Seed,
        Meta(
            description="Draws noise and scattered hosts; a number, a factor, or, for noise alone,"
            ' `"{trial}"`: noise of its own for every trial.'
        ),
    ] = "1"
    arguments: Annotated[tuple[str, ...], Meta(description="Further `--cfg=…` for SimGrid.")] = ()


class _Queue(_Launch, frozen=True, kw_only=True):
    """What is common to trials in jobs, which start elsewhere."""

    script: Annotated[
        str | None,
        Meta(description="A job script for bash in which `{run}` runs the trials.", examples=["job.sh"]),
    ] = None
    hand_on: Annotated[
        tuple[str, ...],
        Meta(
            description="Beginnings of the names of variables that a program gets from its job; by default"
            " those of Slurm, PBS, LSF, Flux and PMI."
        ),
    ] = HANDED_ON
    poll_s: Annotated[Duration, Meta(description="Pause between two questions to the queue.")] = (
        msgspec.field(name="poll", default=10.0)
    )


_Jobs = Annotated[
    int,
    Meta(
        ge=1,
        description="How many jobs may wait or run at once. Blocks are dealt out to them, unless factors"
        " in the words that hand in a job, or nodes that are drawn, say which job a trial is in.",
    ),
]


class SlurmLaunch(_Queue, frozen=True, kw_only=True, tag="slurm"):
    """In jobs of Slurm."""

    ranks: Annotated[
        _Ranks | None,
        Meta(
            description='How many ranks `srun` starts for a trial: a number, or a factor as in `"{p}"`;'
            " without it, programs start their ranks themselves."
        ),
    ] = None
    binding: Annotated[
        _Binding,
        Meta(description="A core for each rank that `srun` starts, nothing, or what Slurm does by itself."),
    ] = "core"
    arguments: Annotated[tuple[str, ...], Meta(description="Further words for `srun`.")] = ()
    options: Annotated[
        tuple[str, ...],
        Meta(
            description="Further words for `sbatch`; `{source}` may stand in them, and factors,"
            ' as in `"--nodes={p}"`: then each combination of their levels has a job of its own.'
        ),
    ] = ()
    jobs: _Jobs = 1


class TemplateLaunch(_Queue, frozen=True, kw_only=True, tag="template"):
    """In jobs of any other queue, by its own commands."""

    submit: Annotated[
        tuple[str, ...],
        Meta(
            description="The command that hands in `{script}`, with output to `{log}`; `{source}` and"
            ' `{name}` may stand in it too, and factors, as in `"nodes={p}"`: then each combination of their'
            " levels has a job of its own."
        ),
    ] = ()
    job: Annotated[str, Meta(description="Its first group, in what `submit` prints, is the job.")] = (
        r"(\S+)\s*\Z"
    )
    cancel: Annotated[tuple[str, ...], Meta(description="The command that ends `{job}`.")] = ()
    alive: Annotated[
        tuple[str, ...],
        Meta(
            description="Exits with 0 while `{job}` waits or runs. Without it, a job that is killed is waited"
            " for."
        ),
    ] = ()
    jobs: _Jobs = 1


class HostsLaunch(_Queue, frozen=True, kw_only=True, tag="hosts"):
    """On machines that ssh reaches."""

    hosts: Annotated[
        tuple[str, ...],
        Meta(
            description='Their names, as ssh knows them: `["n1", "n2"]`. Two or more are drawn as `node` in'
            " `[contexts]` is; each runs one job at a time."
        ),
    ] = ()
    ssh: Annotated[
        tuple[str, ...],
        Meta(description='ssh and its options, as in `["ssh", "-F", "{source}/ssh_config"]`.'),
    ] = ("ssh",)
    stage: Annotated[
        Literal["shared", "copy"],
        Meta(
            description="`shared`, they see the files that trials need; `copy`, programs, scripts, standard"
            " input and `files` are copied to the same paths there, but for what lies in `/usr` and the like."
        ),
    ] = "shared"
    files: Annotated[
        tuple[str, ...],
        Meta(
            description='With `stage = "copy"`: files and directories below the spec\'s own that are copied'
            " too: data, libraries."
        ),
    ] = ()


SubmittedLaunch = SlurmLaunch | TemplateLaunch
"""Kinds whose jobs are handed to a queue, by words in which factors may stand."""
QueueLaunch = SubmittedLaunch | HostsLaunch
"""Kinds whose trials start elsewhere, in jobs."""
LaunchMethod = LocalLaunch | MpiLaunch | SimulatedLaunch | QueueLaunch
