"""``[launch]``: where trials run."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from steelyard.spec.tables.noise import NoiseTable
from steelyard.spec.tables.values import Duration


class LaunchTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where trials run."""

    kind: Annotated[
        Literal["local", "mpi", "smpi", "slurm", "template"],
        Meta(
            description="Where trials run: `local`, on this machine; `mpi`, here by `mpirun`; `smpi`, on a"
            " machine that SimGrid simulates; `slurm`, in jobs of Slurm; `template`, in jobs of any other"
            " queue."
        ),
    ] = "local"
    ranks: Annotated[
        Annotated[int, Meta(ge=1)] | str | None,
        Meta(description='How many ranks a trial has: a number, or a factor as in `"{p}"`.'),
    ] = None
    implementation: Annotated[
        str | None,
        Meta(description="`mpi`: the library to be found: `openmpi`, `mpich` or `impi`; any by default."),
    ] = None
    mpirun: Annotated[
        str | None, Meta(description="`mpi`: path of the starter; `mpirun` in `PATH` by default.")
    ] = None
    binding: Annotated[
        Literal["core", "none", "library"],
        Meta(
            description="`mpi`: a core for each rank (none where there are more ranks than CPUs), nothing,"
            " or what the library does by itself."
        ),
    ] = "core"
    arguments: Annotated[
        list[str], Meta(description="`mpi`: further words for `mpirun`; `smpi`: further `--cfg=…`.")
    ] = []
    platform: Annotated[
        str | None, Meta(description="`smpi`: the machine, an XML file of SimGrid; `.xml` may be left out.")
    ] = None
    algorithms: Annotated[
        dict[str, str],
        Meta(description='`smpi`: algorithm by operation, as in `{ bcast = "binomial_tree" }`.'),
    ] = {}
    selector: Annotated[
        str | None,
        Meta(
            description="`smpi`: whose choice of algorithms is imitated: `ompi`, `mpich`, `mvapich2`, `impi`."
        ),
    ] = None
    placement: Annotated[
        str,
        Meta(
            description="`smpi`: the hosts that are filled, core by core: `packed`, in the order of the"
            " platform, or `scattered`, in an order drawn by `seed`, as a batch system may hand them out."
        ),
    ] = "packed"
    noise: Annotated[
        NoiseTable,
        Meta(description='`smpi`: what else happens there, as in `{ links = 0.1, hosts = "{level}" }`.'),
    ] = NoiseTable()
    seed: Annotated[
        Annotated[int, Meta(ge=0)] | str,
        Meta(
            description="`smpi`: draws noise and scattered hosts; a number, a factor, or, for noise alone,"
            ' `"{trial}"`: noise of its own for every trial.'
        ),
    ] = 1
    options: Annotated[list[str], Meta(description="With `slurm`: further words for `sbatch`.")] = []
    script: Annotated[
        str | None,
        Meta(description="A job script for bash in which `{run}` runs the trials; needed with `template`."),
    ] = None
    submit: Annotated[
        list[str],
        Meta(description="With `template`: the command that hands in `{script}`, with output to `{log}`."),
    ] = []
    job: Annotated[
        str, Meta(description="With `template`: its first group, in what `submit` prints, is the job.")
    ] = r"(\S+)\s*\Z"
    cancel: Annotated[list[str], Meta(description="With `template`: the command that ends `{job}`.")] = []
    alive: Annotated[
        list[str],
        Meta(
            description="With `template`: exits with 0 while `{job}` waits or runs. Without it, a job that is"
            " killed is waited for."
        ),
    ] = []
    hand_on: Annotated[
        list[str] | None,
        Meta(
            description="Beginnings of the names of variables that a program gets from its job; by default"
            " those of Slurm, PBS, LSF, Flux and PMI."
        ),
    ] = None
    poll: Annotated[Duration, Meta(description="Pause between two questions to the queue.")] = 10.0
