"""Explain: blocks of four arms, profiles beside the record, and the answer from both."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.core.errors import MachineError, ProgramError, RecordError
from steelyard.core.sample import Sample
from steelyard.core.units import format_quantity
from steelyard.extensions.explain.contributions import (
    add_chains,
    compare_means,
    estimate_remainder,
    judge,
    scale_weights,
    tabulate,
)
from steelyard.extensions.explain.counting import add_counts
from steelyard.extensions.explain.family import FEWEST_BLOCKS
from steelyard.extensions.explain.linking import (
    DIGESTS,
    compute_digests,
    copy_objects,
    is_drawn,
    name_program,
    refuse_changed,
)
from steelyard.extensions.explain.names import COMPILED, NO_SYMBOL, list_programs
from steelyard.extensions.explain.profiles import (
    Chain,
    Function,
    Profile,
    Profiles,
    read_profiles,
    write_profiles,
)
from steelyard.extensions.explain.request import (
    ARMS,
    METRICS,
    NAME,
    NEW,
    OLD,
    SAMPLED,
    ExplainRequest,
    list_words,
)
from steelyard.extensions.explain.results import (
    MUCH_UNNAMED,
    ArmQuality,
    Explanation,
    Node,
    SamplerEffect,
    Trust,
)
from steelyard.extensions.explain.sampling import Profiler
from steelyard.extensions.explain.validation import add_validations
from steelyard.files.plain import write_plain
from steelyard.lab.run.run import run
from steelyard.lab.run.run_loop import Watch
from steelyard.results.interval import Interval
from steelyard.run.measure.extract.harness import LABEL
from steelyard.store import Record
from steelyard.store.facts import FILE
from steelyard.store.reading import Reading

ALPHA: Final = 0.05
_SHARE_OF_CHANGE: Final = 0.25
"""Of the difference that sampling may change before nothing is named."""
_LEAST_MARGIN: Final = 0.005
_SECONDS: Final = {"ns": 1e-9, "samples": 1.0}
_LOADERS: Final = ("ld-linux", "ld-musl")
_ROOTS: Final = frozenset(
    {
        *("_start", "main", "__libc_start_main", "__libc_start_call_main", "__libc_start_main_impl"),
        *(
            "start_thread",
            "clone",
            "clone3",
            "__clone",
            "__clone3",
            "_dl_start_user",
            "<module>",
            "_dl_start",
        ),
    }
)
"""Outermost functions of a chain that is whole."""


def explain(
    request: ExplainRequest, profiler: Profiler, directory: Path, *, watch: Watch, tell: Callable[[str], None]
) -> None:
    """Measure both programs, plain and sampled, into a record.

    Raises
    ------
    MachineError
        This machine cannot sample.
    RecordError
        The directory holds another experiment.
    ProgramError, InterruptedRunError
        As ``steelyard.lab.run.run.run``; after an interruption, the same call goes on.
    """
    _refuse_other(directory)
    profiler.refuse_missing()
    if request.linking is None:
        _refuse_set_user_id(request)
    scratch = directory.absolute().with_name(f"{directory.name}-sampled")
    scratch.mkdir(parents=True, exist_ok=True)
    objects = locate_objects(directory)
    linking = request.linking
    if linking is not None:
        refuse_changed(linking, directory)
        copy_objects(linking, {OLD: linking.old, NEW: linking.new}, objects)
    try:
        run(request.experiment(profiler, scratch, objects), directory, watch=watch)
    finally:
        if linking is not None and directory.is_dir():
            write_plain(directory / DIGESTS, msgspec.json.encode(compute_digests(linking)))
    with Record.open(directory) as record:
        trials = _list_sampled(record)
    programs = _list_files(request)
    files = {trial: scratch / f"{trial:012d}.profile" for trial in trials}
    stored = read_profiles(directory)
    if stored is None or not set(trials) <= set(stored.trials):
        tell("explain: naming the functions of all samples")
        read = profiler.read(files, programs)
        write_profiles(directory, Profiles(profiler.unit, read, request.benchmark))
    shutil.rmtree(scratch, ignore_errors=True)


def locate_objects(directory: Path) -> Path:
    """Return where the copies of objects are while a record is made."""
    return directory.absolute().with_name(f"{directory.name}-objects")


def _list_files(request: ExplainRequest) -> frozenset[str]:
    """Return the names that the files of both programs have."""
    words = (request.old[0], request.new[0])
    if request.linking is not None:
        return frozenset(map(name_program, words))
    return list_programs(request.files or [shutil.which(word) or "" for word in words])


def _refuse_set_user_id(request: ExplainRequest) -> None:
    """Refuse programs of another user's rights, of which the kernel shows nothing to a profiler."""
    for word in request.files or (request.old[0], request.new[0]):
        file = Path(shutil.which(word) or word)
        if not os.geteuid() or not file.is_file():
            continue
        facts = file.stat()
        if facts.st_mode & (stat.S_ISUID | stat.S_ISGID) and facts.st_uid != os.geteuid():
            raise MachineError(
                f"{file} runs with the rights of another user (set-user-ID), and nothing may sample it",
                hint="explain a copy of it, which has no such rights, or call explain as root",
            )


def _refuse_other(directory: Path) -> None:
    if not (directory / FILE).exists():
        return
    with Record.open(directory) as record:
        if record.experiment.name != NAME:
            raise RecordError(
                f"{directory} is the record of another experiment ({record.experiment.name})",
                hint="name a directory that does not exist yet: -o NAME.lab",
            )


def _list_sampled(record: Reading) -> list[int]:
    """List the trials of complete blocks in which a program was sampled."""
    return [
        trial
        for sample in record.samples("wall_s")
        if str(sample.treatment.levels.get("command", "")).endswith(SAMPLED)
        for trial in sample.trials
    ]


def read_explanation(record: Reading, _metric: str) -> Explanation | None:
    """Explain a record for its page; ``None`` where it is of another kind, or cannot be explained yet."""
    profiles = _read_profiles(record)
    if profiles is None:
        return None
    try:
        return _add_others(explain_record(record, profiles), record.directory)
    except ProgramError:
        return None


def _add_others(explanation: Explanation, directory: Path) -> Explanation:
    """Add what a record has beside its profiles: counts, and tests of named functions."""
    return add_validations(add_counts(explanation, directory), directory)


def _read_profiles(record: Reading) -> Profiles | None:
    is_ours = record.experiment.name == NAME and set(ARMS) <= record.experiment.program.commands.keys()
    return read_profiles(record.directory) if is_ours else None


def explain_directory(directory: Path) -> Explanation:
    """Explain the record of a directory.

    Raises
    ------
    RecordError
        It has no profiles, or was edited.
    ProgramError
        Too few blocks, or no samples.
    """
    with Record.open(directory) as record:
        record.refuse_edited()
        profiles = _read_profiles(record)
        if profiles is not None:
            return _add_others(explain_record(record, profiles), directory)
        commands = [shlex.join(words) for words in record.experiment.program.commands.values()]
    raise RecordError(
        f"{directory} has no profiles: it is a record of other runs",
        hint=f"steelyard explain {shlex.join(commands[:2])}"
        if len(commands) > 1
        else "steelyard explain OLD NEW",
    )


class _Arms(msgspec.Struct, frozen=True, eq=False):
    """Values by block of the blocks that all four arms have; profiles in the same order.

    Attributes
    ----------
    plain : (array, array)
        Of what functions have parts in, of both programs without sampling: CPU time, or the time that a
        harness reports.
    sampled : (array, array)
        The same under the sampler, in any unit of both.
    elapsed, sampled_elapsed : (array, array)
        Elapsed times.
    samples : (Sample, Sample)
        Of the metric that is explained.
    """

    plain: tuple[Floats, Floats]
    sampled: tuple[Floats, Floats]
    elapsed: tuple[Floats, Floats]
    sampled_elapsed: tuple[Floats, Floats]
    samples: tuple[Sample, Sample]
    old: tuple[Profile, ...]
    new: tuple[Profile, ...]

    @property
    def difference(self) -> Floats:
        """New minus old by block, without sampling."""
        return self.plain[1] - self.plain[0]

    def calibrate(self) -> _Arms:
        """Return the arms with weights in seconds.

        All plain runs together calibrate all sampled ones, which favours neither program: what sampling adds
        to both is in no contribution, and a profiler may count in any unit.
        """
        factor = sum(map(np.sum, self.plain)) / sum(map(np.sum, self.sampled))
        scaled = [
            tuple(
                scale_weights(profile, float(factor * spent) / total)
                if (total := sum(profile.weights.values()))
                else profile
                for profile, spent in zip(profiles, self.sampled[side], strict=True)
            )
            for side, profiles in enumerate((self.old, self.new))
        ]
        return replace(self, old=scaled[0], new=scaled[1])


def explain_record(record: Reading, profiles: Profiles) -> Explanation:
    """Explain a record from its profiles.

    Raises
    ------
    ProgramError
        Too few blocks, or no samples.
    """
    experiment = record.experiment
    arms = _collect(record, profiles)
    blocks, count = len(arms.old), sum(profile.samples for profile in (*arms.old, *arms.new))
    if blocks < FEWEST_BLOCKS:
        raise ProgramError(
            f"{blocks} blocks are too few to name functions",
            hint=f"-m {FEWEST_BLOCKS} or more, or a longer --max-time",
        )
    if not count:
        raise ProgramError(
            f"no samples in {2 * blocks} runs of {format_quantity(float(arms.plain[0].mean()), 's')}",
            hint="give the programs more work, or sample faster: --rate",
        )
    old_quality, new_quality = (_assess(side, profiles.unit) for side in (arms.old, arms.new))
    if max(old_quality.unnamed, new_quality.unnamed) > MUCH_UNNAMED:
        arms = replace(arms, old=tuple(map(_join_program, arms.old)), new=tuple(map(_join_program, arms.new)))
    arms = arms.calibrate()
    times = tabulate(arms.old, arms.new)
    is_elapsed = experiment.analysis.metric == "wall_s"
    plain = arms.elapsed[0] if is_elapsed else arms.plain[0]
    per_sample = float(times.old.sum() + times.new.sum()) / count
    judged = judge(times, plain, per_sample, alpha=ALPHA, seed=experiment.design.seed)
    sampled = times.new.sum(axis=1) - times.old.sum(axis=1)
    waits = arms.elapsed[1] - arms.elapsed[0] - arms.difference if is_elapsed else None
    change, interval = compare_means(*arms.samples)
    ends = [float(np.mean(sample.values)) for sample in arms.samples]
    return Explanation(
        old=shlex.join(list_words(experiment, OLD)),
        new=shlex.join(list_words(experiment, NEW)),
        metric=arms.samples[0].metric,
        old_s=ends[0],
        new_s=ends[1],
        change=change,
        ci95=interval,
        blocks=blocks,
        contributions=judged.contributions,
        pool=judged.pool,
        waiting=None if waits is None else estimate_remainder(waits, plain),
        unnamed=judged.unnamed,
        remainder=estimate_remainder(arms.difference - sampled, plain),
        sampler=_judge_sampler(sampled, arms, change, by_elapsed=profiles.unit != "ns"),
        old_quality=old_quality,
        new_quality=new_quality,
        detectable=judged.detectable,
        alpha=ALPHA,
        seed=experiment.design.seed,
        chains=tuple(Node(*entry) for entry in add_chains(arms.old, arms.new, times)),
        layouts=blocks if is_drawn(experiment.build) else 0,
    )


def _collect(record: Reading, profiles: Profiles) -> _Arms:
    metric = record.experiment.analysis.metric
    by_arm: dict[tuple[str, str], Sample] = {
        (sample.metric.name, str(sample.treatment.levels["command"])): sample
        for sample in record.samples(*dict.fromkeys((*METRICS, metric)))
        if sample.metric.name in METRICS or str(sample.labels.get(LABEL, "")) in ("", profiles.benchmark)
    }
    divided = "cpu_s" if metric in METRICS else metric
    if lacking := [name for name in ARMS if (divided, name) not in by_arm]:
        raise ProgramError(
            f"no run of {lacking[0]} reported {metric}", hint="look at what the harness prints"
        )
    places = [{block: place for place, block in enumerate(by_arm[divided, name].blocks)} for name in ARMS]
    common = sorted(set.intersection(*(set(members) for members in places)))

    def list_values(name: str, side: int) -> Floats:
        sample = by_arm[name, ARMS[side]]
        values = dict(zip(sample.blocks, sample.values, strict=True))
        return np.array([values[block] for block in common])

    sampled = [
        tuple(profiles.trials[by_arm[divided, ARMS[side]].trials[places[side][block]]] for block in common)
        for side in (2, 3)
    ]
    if metric not in METRICS:
        # Time per iteration: starting the harness is in none.
        sampled = [tuple(map(_drop_start, side)) for side in sampled]
    unit = _SECONDS[profiles.unit]
    spent = [
        list_values(divided, side)
        if metric not in METRICS
        else np.array([unit * sum(profile.weights.values()) for profile in sampled[side - 2]])
        for side in (2, 3)
    ]
    return _Arms(
        plain=(list_values(divided, 0), list_values(divided, 1)),
        sampled=(spent[0], spent[1]),
        elapsed=(list_values("wall_s", 0), list_values("wall_s", 1)),
        sampled_elapsed=(list_values("wall_s", 2), list_values("wall_s", 3)),
        samples=(by_arm[metric, OLD], by_arm[metric, NEW]),
        old=sampled[0],
        new=sampled[1],
    )


def _judge_sampler(sampled: Floats, arms: _Arms, change: float, *, by_elapsed: bool) -> SamplerEffect:
    """Compare the difference under sampling with that without, block by block.

    Parameters
    ----------
    sampled : array of double
        New minus old by block under the sampler, calibrated.
    by_elapsed : bool
        Whether what sampling adds to each program is known by elapsed times alone, its start included.
    """
    effect = estimate_remainder(sampled - arms.difference, arms.plain[0])
    margin = max(_LEAST_MARGIN, _SHARE_OF_CHANGE * abs(change))
    trust: Trust = "not_resolved"
    bounds = effect.ci95 or Interval(effect.value, effect.value)
    if bounds.low >= -margin and bounds.high <= margin:
        trust = "alike"
    elif bounds.low > margin or bounds.high < -margin:
        trust = "changed"
    before, after = (arms.elapsed, arms.sampled_elapsed) if by_elapsed else (arms.plain, arms.sampled)
    ratios = [float(top.sum() / bottom.sum()) - 1 for top, bottom in zip(after, before, strict=True)]
    return SamplerEffect(ratios[0], ratios[1], effect.value, effect.ci95, margin, trust)


def _drop_start(profile: Profile) -> Profile:
    """Return a profile without the loader."""
    weights = {
        chain: weight
        for chain, weight in profile.weights.items()
        if not any(function.place.startswith(_LOADERS) for function in chain)
    }
    return Profile(weights, profile.samples, profile.lost)


def _join_program(profile: Profile) -> Profile:
    """Return a profile in which the program's own code is one function: of one build it has no names."""
    weights: dict[Chain, float] = {}
    for chain, weight in profile.weights.items():
        joined = tuple(function if function.place else Function(NO_SYMBOL) for function in chain)
        weights[joined] = weights.get(joined, 0.0) + weight
    return Profile(weights, profile.samples, profile.lost)


def _assess(profiles: Sequence[Profile], unit: str) -> ArmQuality:
    """Assess the samples of one program."""
    total = program = unnamed = rooted = compiled = 0.0
    for profile in profiles:
        for chain, weight in profile.weights.items():
            total += weight
            if not chain[-1].place:
                program += weight
                unnamed += weight * (chain[-1].name == NO_SYMBOL)
            compiled += weight * (chain[-1].name == NO_SYMBOL and chain[-1].place == COMPILED)
            rooted += weight * _is_rooted([function.name for function in chain])
    return ArmQuality(
        samples=sum(profile.samples for profile in profiles) / len(profiles),
        unnamed=unnamed / program if program else 0.0,
        rooted=1.0 if unit == "samples" else rooted / total if total else 0.0,
        lost=sum(profile.lost for profile in profiles),
        compiled=compiled / total if total else 0.0,
    )


def _is_rooted(names: Collection[str]) -> bool:
    return any(name in _ROOTS for name in names)


def propose_directory() -> Path:
    """Make up a directory for a record without a name."""
    from steelyard.files.user_directories import propose_record

    return propose_record(os.environ, NAME).with_suffix(".lab")
