"""The tables of a spec as a person writes them: the one definition that decoding, the schema and the
reference come from. What is said of a key here stands in docs/spec.md, and editors show it.

``Experiment`` (``experiment.py``) is what they mean; ``reading`` turns one into the other.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from steelyard.estimand import Estimand, IntervalKind, Uncertainty
from steelyard.factorial.layout import Kind
from steelyard.spec.experiment import OnFailures, Reduce, Source
from steelyard.units import Better, Scalar

Command = str | list[str]
"""One command: a list of words; text only with ``shell = true``."""
Commands = list[str | list[str]]
"""One command as a list of words, or a list of such lists."""
Duration = str | float
"""``"60 s"``, ``"10 min"``, or a number of seconds."""


class VerifyTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a run must do to count."""

    exit: Annotated[
        Annotated[int, Meta(ge=0, le=255)] | Literal["any"],
        Meta(description='Wanted exit code; `"any"` accepts every one, and death by a signal too.'),
    ] = 0
    stdout: Annotated[
        str | None,
        Meta(description="Regular expression that must match in stdout; `^` and `$` match at every line."),
    ] = None
    stderr: Annotated[str | None, Meta(description="The same for stderr.")] = None


class ProgramTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is launched."""

    command: Annotated[
        Command | None,
        Meta(description="The program and its arguments, one word each; one text with `shell = true`."),
    ] = None
    commands: Annotated[
        dict[str, Command] | None,
        Meta(description="Several commands by name: the levels of a factor that is called `command`."),
    ] = None
    shell: Annotated[
        bool, Meta(description="Commands are texts that `/bin/sh -c` reads; levels are put in quoted.")
    ] = False
    env: Annotated[dict[str, Scalar], Meta(description="Environment variables to set.")] = {}
    inherit: Annotated[
        bool, Meta(description="Hand on the whole environment instead of `PATH`, `HOME` and `LANG` only.")
    ] = False
    cwd: Annotated[
        str | None, Meta(description="Working directory; the directory of the spec by default.")
    ] = None
    stdin: Annotated[
        str | None, Meta(description="File that is the standard input; empty input by default.")
    ] = None
    inputs: Annotated[
        list[str],
        Meta(
            description="Files that the program reads, or patterns with `*` and `**`: `file_cache` warms or"
            " drops them, with the program, its standard input and files that words of the command name."
        ),
    ] = []
    output: Annotated[
        Literal["capture", "null"],
        Meta(description="`capture` keeps the first 1 MiB of stdout and of stderr; `null` keeps nothing."),
    ] = "capture"
    prepare: Annotated[Commands, Meta(description="Untimed, before each trial.")] = []
    cleanup: Annotated[
        Commands, Meta(description="Untimed, after each trial, also after one that failed.")
    ] = []
    setup_once: Annotated[Commands, Meta(description="Untimed, before the first block of a run.")] = []
    cleanup_once: Annotated[Commands, Meta(description="Untimed, after the last block of a run.")] = []
    before_block: Annotated[Commands, Meta(description="Untimed, before each block.")] = []
    after_block: Annotated[Commands, Meta(description="Untimed, after each block.")] = []
    between_blocks: Annotated[
        Commands,
        Meta(
            description="Between two blocks, as to restart the machine: the run ends after it, and `steelyard"
            " run` goes on."
        ),
    ] = []
    between_treatments: Annotated[
        Commands,
        Meta(description='The same between two treatments, under `order = "nogueira-matias-2014"`.'),
    ] = []
    timeout: Annotated[
        Duration | None,
        Meta(description="A trial that takes longer is ended, with all that it started, and has failed."),
    ] = None
    nice: Annotated[
        Annotated[int, Meta(ge=-20, le=19)] | None,
        Meta(description="Nice value of the program; Steelyard's own by default."),
    ] = None
    counters: Annotated[
        list[str],
        Meta(description="Events of the kernel to count; `:u` behind a name counts in user mode only."),
    ] = []
    verify: Annotated[VerifyTable, Meta(description="What a trial must do to count.")] = VerifyTable()


class BuildTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How programs are built."""

    command: Annotated[
        Command, Meta(description="The build command and its arguments; what it writes to `{build}` is kept.")
    ]
    inputs: Annotated[
        list[str],
        Meta(description="Files, or patterns with `*` and `**`; when one changes, it is built again."),
    ] = []
    objects: Annotated[
        list[str],
        Meta(
            description="What `{objects}` stands for in `command` and `env`: files to link, in an order that"
            " `link_order` draws; several words where it is a word of its own."
        ),
    ] = []
    env: Annotated[dict[str, Scalar], Meta(description="Environment variables to set.")] = {}
    timeout: Annotated[Duration, Meta(description="A build that takes longer has failed.")] = 1800.0


class ZipTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Factors that change together."""

    zip: Annotated[list[str], Meta(description="The factors that are linked.")]
    levels: Annotated[
        list[list[Scalar]],
        Meta(description="One row for each step, in it one level for each of the factors."),
    ]


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


class StopTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When to stop adding blocks."""

    rel_halfwidth: Annotated[
        Annotated[float, Meta(gt=0, lt=1)] | None,
        Meta(
            description="Stop when the 95 % interval of every speedup (of every effect, in designs of two"
            " levels) is this narrow: half of it, relative."
        ),
    ] = None
    max_blocks: Annotated[
        Annotated[int, Meta(ge=1, le=1_000_000)] | None,
        Meta(description="Stop after so many blocks, whatever the precision."),
    ] = None
    max_time: Annotated[
        Duration | None, Meta(description="Stop after this time, whatever the precision.")
    ] = None
    strict: Annotated[
        bool,
        Meta(description="Look at 40 blocks at the earliest, so that stopping costs next to no coverage."),
    ] = False


class DesignTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How trials are laid out."""

    kind: Annotated[
        Kind,
        Meta(
            description="Which combinations of levels are run: all of them (`full`), all of two levels a"
            " factor, a fraction of these, few for main effects alone, or one change at a time."
        ),
    ] = "full"
    ends: Annotated[
        dict[str, Annotated[list[Scalar], Meta(min_length=2, max_length=2)]],
        Meta(description="The two levels of a factor where two are run; its first and its last by default."),
    ] = {}
    generators: Annotated[
        list[str],
        Meta(description='Which fraction: `"d = a b c"` gives `d` the product of the signs of the others.'),
    ] = []
    resolution: Annotated[
        Annotated[int, Meta(ge=3, le=16)] | None,
        Meta(description="The smallest fraction whose resolution is this or higher."),
    ] = None
    treatments: Annotated[
        Annotated[int, Meta(ge=4)] | None,
        Meta(description="The fraction of so many treatments with the least confounding."),
    ] = None
    exclude: Annotated[
        list[dict[str, Scalar]],
        Meta(description="Treatments to leave out: all that have the levels of one of these tables."),
    ] = []
    blocks: Annotated[
        int,
        Meta(
            ge=1, le=1_000_000, description="Complete blocks to run; with `stop`, the least number of them."
        ),
    ] = 10
    replicates: Annotated[int, Meta(ge=1, le=10_000, description="Trials of each treatment in a block.")] = 1
    discard: Annotated[
        int, Meta(ge=0, le=1000, description="Blocks that are run first, stored and used nowhere.")
    ] = 1
    seed: Annotated[
        int,
        Meta(
            ge=0,
            le=2**63 - 1,
            description="Everything random is drawn from it: the same spec and seed give the same plan.",
        ),
    ] = 1
    order: Annotated[
        Literal["randomized", "sequential", "nogueira-matias-2014"],
        Meta(
            description="Order of the trials of a block; `sequential` exists to show what it does."
            " `nogueira-matias-2014`: the runs of one treatment in a row, the first `discard` not used."
        ),
    ] = "randomized"
    stop: Annotated[StopTable | None, Meta(description="Add blocks until a precision is reached.")] = None


class MetricTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A metric that the program reports, or one derived from others."""

    source: Annotated[
        Source | None,
        Meta(
            description="Where the values are: `stdout` unless said otherwise; `lines`: the protocol;"
            " `cachegrind` and `callgrind`: every trial runs under valgrind, and no time counts."
        ),
    ] = None
    pattern: Annotated[
        str | None,
        Meta(description="Regular expression whose first group is the number; every match is an iteration."),
    ] = None
    json: Annotated[
        str | None,
        Meta(description="JSON pointer (RFC 6901) into the output: to a number, or a list of iterations."),
    ] = None
    derive: Annotated[
        str | None, Meta(description="Arithmetic over metrics, counters and factors with numeric levels.")
    ] = None
    where: Annotated[
        dict[str, Scalar],
        Meta(description="Only treatments with these levels report it; all of them by default."),
    ] = {}
    event: Annotated[
        str | None,
        Meta(description="What valgrind counts: `instructions`, `d1_misses`, …; with its `source` only."),
    ] = None
    unit: Annotated[str, Meta(description="SI unit without prefix; empty for a pure number.")] = ""
    better: Annotated[Better, Meta(description="Which way is better.")] = "lower"
    reduce: Annotated[Reduce, Meta(description="How the iterations of a trial become one observation.")] = (
        "median"
    )


class TypeBTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An error of the metric's values that repetition does not show; its size is one of three keys."""

    name: Annotated[str, Meta(description="What it is: `synchronisation of clocks`.")]
    u: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(description="Standard uncertainty, in the unit of the metric."),
    ] = None
    half_width: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(description="The error lies anywhere within this of 0: u = half_width / √3."),
    ] = None
    step: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(description="Values come in steps of this: u = step / √12."),
    ] = None
    relative: Annotated[bool, Meta(description="The size is relative to the value.")] = False
    shared: Annotated[
        bool,
        Meta(description="All treatments have the same error, as from one clock, so that it partly cancels."),
    ] = False
    nu: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(description="Degrees of freedom of the size; exact by default."),
    ] = None


class AnalysisTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is compared, and how sure one must be."""

    metric: Annotated[str, Meta(description="The metric that is compared.")] = "wall_s"
    estimand: Annotated[
        Estimand,
        Meta(
            description="What a speedup is: the geometric mean of the blocks' ratios, old over new; the ratio"
            " of arithmetic means; or the median of the blocks' ratios."
        ),
    ] = "geomean_ratio"
    interval: Annotated[
        IntervalKind | None,
        Meta(
            description="How intervals are made, where an estimand has several ways: `log-delta`, the first,"
            " or `bootstrap-t`; for `ratio_of_means` also `fieller` and `gum-s1`; `median_ratio` has `sign`."
        ),
    ] = None
    uncertainty: Annotated[
        Uncertainty,
        Meta(
            description="What is shown behind an adjusted speedup: the uncertainty of the mean, or the spread"
            " of single runs, as figures of Firoz et al. 2016 do."
        ),
    ] = "mean"
    family: Annotated[
        Literal["baseline", "all-pairs"] | None,
        Meta(
            description="Compare each treatment with the baseline, or all pairs. The default is the baseline;"
            " under a protocol without `baseline`, all pairs."
        ),
    ] = None
    strata: Annotated[
        list[str] | None,
        Meta(description="Compare within these factors' levels; by default all that `baseline` leaves free."),
    ] = None
    baseline: Annotated[
        dict[str, Scalar] | None,
        Meta(
            description="Levels that mark what the others are compared with; the first treatment by default."
        ),
    ] = None
    alpha: Annotated[
        float,
        Meta(gt=0, le=0.5, description="Probability of one false finding or more in the family, after Holm."),
    ] = 0.05
    failures: Annotated[
        OnFailures,
        Meta(
            description="Whether runs that failed or timed out leave a comparison without a verdict, are left"
            " out of it, or, where they timed out, count as at least the limit (medians of `wall_s`)."
        ),
    ] = "refuse"
    instances: Annotated[
        str | None,
        Meta(
            description="Factor or label whose levels are problem instances, the same ones in every run:"
            " treatments are compared instance by instance."
        ),
    ] = None
    ratio_across: Annotated[
        str | None,
        Meta(
            description="Factor at whose further levels each speedup is divided by that at the first, to see"
            " whether the speedup depends on it."
        ),
    ] = None
    type_b: Annotated[
        list[TypeBTable],
        Meta(description="Errors that repetition does not show, which enter the uncertainty of speedups."),
    ] = []
    effects: Annotated[
        list[str] | None,
        Meta(
            description="Factors whose effects and interactions are estimated; all by default, or all but"
            " strata where these leave two."
        ),
    ] = None
    contrasts: Annotated[
        dict[str, dict[str, list[float]]],
        Meta(description="Further questions by name: one weight for each level of a factor, of sum 0."),
    ] = {}
    unreplicated: Annotated[
        Literal["none", "lenth"],
        Meta(description="Error term of effects where there is one block: none, or that of Lenth."),
    ] = "none"
    margin: Annotated[
        Annotated[float, Meta(gt=0, lt=1)] | None,
        Meta(description="Smallest relative difference that matters; smaller ones are called equivalent."),
    ] = None
    protocol: Annotated[
        Literal["default", "nogueira-matias-2014"],
        Meta(description="Have the published protocol of this name judge the same pairs too."),
    ] = "default"
    alternative: Annotated[
        Literal["two-sided", "faster"],
        Meta(
            description="What the protocol tests: that a treatment differs, or that it is better than its"
            " baseline."
        ),
    ] = "two-sided"
    ks_policy: Annotated[
        Literal["flag", "veto"],
        Meta(
            description="What the protocol does with a rank test where shapes differ (Kolmogorov-Smirnov):"
            " flag it, or not count it."
        ),
    ] = "flag"


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


class LevelTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The user's own commands for a level of a factor, as for a service that is stopped."""

    factor: Annotated[str, Meta(description="The factor, as in `[factors]`.")]
    level: Annotated[Scalar, Meta(description="Its level.")]
    enter: Annotated[list[str] | None, Meta(description="Untimed, before the first trial of the level.")] = (
        None
    )
    leave: Annotated[
        list[str] | None,
        Meta(
            description="Untimed, after its last trial, at the end of the run, and after a crash: puts back"
            " what `enter` changed."
        ),
    ] = None
    change: Annotated[
        Literal["easy", "hard"],
        Meta(
            description="`hard` makes the factor whole plots: its levels change once in a block, in random"
            " order."
        ),
    ] = "easy"


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
        AnalysisTable, Meta(description="What is compared with what, and how sure one must be.")
    ] = AnalysisTable()
    launch: Annotated[LaunchTable, Meta(description="Where trials run.")] = LaunchTable()
    claims: Annotated[
        list[dict[str, Any]],
        Meta(
            description="What is claimed, judged by `steelyard check`: each claim a `[[claims]]` of its own."
        ),
    ] = []
