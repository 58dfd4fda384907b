"""Programs that an experiment has built, before its first block and in contexts that change them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from steelyard.core.sample import Treatment
from steelyard.core.units import Scalar
from steelyard.design import blocks_until, next_look
from steelyard.design.contexts import draw_context
from steelyard.files.plain import read_plain, write_plain
from steelyard.lab.run.run_loop import Watch
from steelyard.results.status import Progress
from steelyard.run.launch.launch_plan import BuiltIn
from steelyard.spec.experiment import Experiment

if TYPE_CHECKING:
    from steelyard.run.build import Builder, Recipe

Settings = Mapping[str, Scalar]


class Programs(msgspec.Struct, frozen=True):
    """Programs that were built.

    Attributes
    ----------
    first : Mapping[int, Path]
        Where the program of each treatment is, in the first context; empty without ``[build]``.
    in_context : callable or None
        Where it is in others, built when it is asked for; ``None`` where all contexts share it.
    logs : Mapping[str, Path]
        What each build printed so far, under the name of its directory.
    """

    first: Mapping[int, Path] = {}
    in_context: BuiltIn | None = None
    logs: Mapping[str, Path] = {}

    def keep_logs(self, directory: Path) -> None:
        """Copy what each build printed so far into ``directory``: the cache may be emptied."""
        for name, log in self.logs.items():
            path = directory / f"{name}.log"
            path.parent.mkdir(exist_ok=True)
            if read_plain(path, within=directory.parent, most=0) is None:
                write_plain(path, log.read_bytes(), within=directory.parent)


def build(experiment: Experiment, drawn: Sequence[Treatment], watch: Watch) -> Programs:
    """Build what is run until the first look; later contexts are built when their turn comes.

    Raises
    ------
    ProgramError, SpecError, UsageError, MachineError
        As ``Builder.build``.
    """
    if experiment.build is None:
        return Programs()
    from steelyard.run.build import Builder

    builder = Builder(experiment.build, Path(experiment.source))
    varied = _in_contexts(experiment, builder)
    needed = [
        (treatment, settings)
        for settings in _get_settings(experiment, drawn, varied=varied)
        for treatment in drawn
    ]
    logs: dict[str, Path] = {}

    def build_one(treatment: Treatment, settings: Settings) -> Path:
        built = builder.build({**treatment.levels, **settings})
        logs[built.directory.name] = built.log
        return built.directory

    first: dict[int, Path] = {}
    for done, (treatment, settings) in enumerate(needed):
        watch(Progress(done, len(needed), 0.0, None, "programs"))
        first.setdefault(treatment.id, build_one(treatment, settings))
    return Programs(first, build_one if varied else None, logs)


def recipes(experiment: Experiment, drawn: Sequence[Treatment]) -> list[Recipe]:
    """List the recipes of the programs that are built until the first look; empty without ``[build]``."""
    if experiment.build is None:
        return []
    from steelyard.run.build import Builder

    builder = Builder(experiment.build, Path(experiment.source))
    needed = (
        builder.recipe({**treatment.levels, **settings})
        for settings in _get_settings(experiment, drawn, varied=_in_contexts(experiment, builder))
        for treatment in drawn
    )
    return list({tuple(recipe.levels.items()): recipe for recipe in needed}.values())


def _in_contexts(experiment: Experiment, builder: Builder) -> bool:
    """Whether contexts change what is built."""
    return experiment.contexts is not None and bool(builder.factors & experiment.contexts.settings.keys())


def _get_settings(experiment: Experiment, drawn: Sequence[Treatment], *, varied: bool) -> list[Settings]:
    """Return the settings of the contexts until the first look, the first context first."""
    if not varied or experiment.contexts is None:
        return [{}]
    blocks = blocks_until(experiment, drawn, (), next_look(experiment, 0) or experiment.design.blocks)
    first = draw_context(experiment.contexts, experiment.design.seed, 1)
    contexts = {block.context.id: block.context for block in blocks if block.context is not None}
    return [context.settings for context in ({first.id: first} | contexts).values()]
