"""``[launch]``: where trials run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Final, Literal, Self

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


class LaunchMethod(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The way trials are launched; texts still hold their ``{placeholders}``.

    ``ranks`` is ``None`` only for ``local`` and queues whose programs start their ranks themselves.
    """

    kind: Annotated[
        Literal["local", "mpi", "smpi", "slurm", "template", "hosts"],
        Meta(
            description="Where trials run: `local`, on this machine; `mpi`, here by `mpirun`; `smpi`, on a"
            " machine that SimGrid simulates; `slurm`, in jobs of Slurm; `template`, in jobs of any other"
            " queue; `hosts`, on machines that ssh reaches."
        ),
    ] = "local"
    ranks: Annotated[
        _Ranks | None,
        Meta(
            description='How many ranks a trial has: a number, or a factor as in `"{p}"`; with `slurm`,'
            " `srun` starts them."
        ),
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
            description="`mpi` and `slurm`: a core for each rank (none where there are more ranks than CPUs),"
            " nothing, or what the library, or Slurm, does by itself."
        ),
    ] = "core"
    arguments: Annotated[
        tuple[str, ...],
        Meta(
            description="`mpi`: further words for `mpirun`; `slurm`: for `srun`; `smpi`: further `--cfg=…`."
        ),
    ] = ()
    platform: Annotated[
        str | None, Meta(description="`smpi`: the machine, an XML file of SimGrid; `.xml` may be left out.")
    ] = None
    algorithms: Annotated[
        Mapping[str, str],
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
        Noise,
        Meta(description='`smpi`: what else happens there, as in `{ links = 0.1, hosts = "{level}" }`.'),
    ] = Noise()
    seed: Annotated[
        _Seed,
        Meta(
            description="`smpi`: draws noise and scattered hosts; a number, a factor, or, for noise alone,"
            ' `"{trial}"`: noise of its own for every trial.'
        ),
    ] = "1"
    options: Annotated[
        tuple[str, ...],
        Meta(
            description="With `slurm`: further words for `sbatch`; `{source}` may stand in them, and factors,"
            ' as in `"--nodes={p}"`: then each combination of their levels has a job of its own.'
        ),
    ] = ()
    jobs: Annotated[
        int,
        Meta(
            ge=1,
            description="How many jobs may wait or run at once. Blocks are dealt out to them, unless factors"
            " in `options` or `submit`, or nodes that are drawn, say which job a trial is in.",
        ),
    ] = 1
    script: Annotated[
        str | None,
        Meta(description="A job script for bash in which `{run}` runs the trials; needed with `template`."),
    ] = None
    submit: Annotated[
        tuple[str, ...],
        Meta(
            description="With `template`: the command that hands in `{script}`, with output to `{log}`;"
            " `{source}` and `{name}` may stand in it too, and factors, as in `options`."
        ),
    ] = ()
    job: Annotated[
        str, Meta(description="With `template`: its first group, in what `submit` prints, is the job.")
    ] = r"(\S+)\s*\Z"
    cancel: Annotated[
        tuple[str, ...], Meta(description="With `template`: the command that ends `{job}`.")
    ] = ()
    alive: Annotated[
        tuple[str, ...],
        Meta(
            description="With `template`: exits with 0 while `{job}` waits or runs. Without it, a job that is"
            " killed is waited for."
        ),
    ] = ()
    hosts: Annotated[
        tuple[str, ...],
        Meta(
            description='With `hosts`: their names, as ssh knows them: `["n1", "n2"]`. Two or more are drawn'
            " as `node` in `[contexts]` is; each runs one job at a time."
        ),
    ] = ()
    ssh: Annotated[
        tuple[str, ...],
        Meta(
            description='With `hosts`: ssh and its options, as in `["ssh", "-F", "{source}/ssh_config"]`.',
        ),
    ] = ("ssh",)
    stage: Annotated[
        Literal["shared", "copy"],
        Meta(
            description="With `hosts`: `shared`, they see the files that trials need; `copy`, programs,"
            " scripts, standard input and `files` are copied to the same paths there, but for what lies in"
            " `/usr` and the like."
        ),
    ] = "shared"
    files: Annotated[
        tuple[str, ...],
        Meta(
            description='With `stage = "copy"`: files and directories below the spec\'s own that are copied'
            " too: data, libraries."
        ),
    ] = ()
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

    @property
    def queue_words(self) -> tuple[str, ...]:
        """The words of a queue in which factors may stand."""
        return (*self.options, *self.submit)

    @property
    def queue(self) -> Self | None:
        """The same, where trials are handed to a queue."""
        return self if self.kind in ("slurm", "template", "hosts") else None
