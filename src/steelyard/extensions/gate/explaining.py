"""``--explain``: functions that make benchmarks slower, both sides plain and sampled in blocks once more."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from steelyard.core.errors import SteelyardError
from steelyard.extensions.explain.explain import explain, explain_directory
from steelyard.extensions.explain.hunk_replacement import HunkReplacement, Make
from steelyard.extensions.explain.request import BLOCKS, METRICS, OLD, ExplainRequest
from steelyard.extensions.explain.results import Explanation
from steelyard.extensions.explain.sampling import Perf
from steelyard.extensions.explain.sources import Sources, refuse_large
from steelyard.extensions.explain.text import (
    name_source,
    write_builds,
    write_headline,
    write_trust,
    write_validation,
)
from steelyard.extensions.explain.validation import validate
from steelyard.extensions.gate.harnesses.harness import HarnessProgram, Selection, Tree
from steelyard.extensions.gate.plan import Plan, PlannedProgram, list_words
from steelyard.extensions.gate.request import GateRequest
from steelyard.extensions.gate.results import ExplainedFunction, GatedMetric, Reason
from steelyard.extensions.gate.sides import SIDES, GateSides, Side
from steelyard.lab.run.run_loop import Watch
from steelyard.spec.experiment import UserMetric

MOST_EXPLAINED: Final = 3
"""Benchmarks, those that became slowest; each takes as long as 80 of its processes."""
MOST_FUNCTIONS: Final = 3


def refuse_unexplainable() -> None:
    """Refuse ``--explain`` before anything is built, where nothing can be sampled.

    Raises
    ------
    MachineError
    """
    Perf().refuse_missing()


def explain_benchmark(  # noqa: PLR0913
    plan: Plan,
    metric: GatedMetric,
    program: PlannedProgram,
    name: str,
    sides: GateSides,
    directory: Path,
    *,
    gate: GateRequest,
    seed: int,
    watch: Watch,
    tell: Callable[[str], None],
) -> Reason:
    """Explain why a benchmark is slower; a benchmark that cannot be explained has that as its reason.

    Parameters
    ----------
    directory : Path
        Of the record.
    """
    old_name = program.name_on("base", name)
    if old_name != name:
        return Reason(f"it was {old_name} in base, and functions are explained of benchmarks of one name")
    if (
        metric.unit != "s"
        or metric.better == "higher"
        or (program.programs["base"].source is None) != (metric.name in METRICS)
    ):
        return Reason(f"{metric.name} is no time of a run, of which functions have parts")
    if name in program.old_names:
        return Reason(f"it was {program.old_names[name]} in base, and is explained under one name alone")
    if not plan.chosen.can_filter and len(program.list_common(metric.name)) > 1:
        return Reason(f"{plan.harness} runs all its benchmarks in one process")
    selection = Selection(str((directory / "metrics").absolute()), (name,) if plan.chosen.can_filter else ())
    base, head = (
        _list_words(plan, program.programs[side], sides.describe_tree(side), selection) for side in SIDES
    )
    source = program.programs["base"].source
    request = ExplainRequest(
        old=base,
        new=head,
        metric=metric.name,
        blocks=BLOCKS,
        files=tuple(_find_file(program.programs[side], side, sides) for side in SIDES),
        reported=None
        if source is None
        else UserMetric(metric.name, source=source, unit=metric.unit, better="lower"),
        benchmark=name,
        seed=seed,
    )
    try:
        explain(request, Perf(), directory, watch=watch, tell=tell)
        if gate.validate:
            make = partial(_build_copy, plan, program, sides, gate, selection)
            _validate(sides, request, make, directory, watch=watch, tell=tell)
        return _make_reason(explain_directory(directory))
    except SteelyardError as error:
        # A gate that has its verdicts does not fail for want of their reasons.
        return Reason(f"not explained: {error.message}")


def _validate(
    sides: GateSides,
    request: ExplainRequest,
    make: Make,
    directory: Path,
    *,
    watch: Watch,
    tell: Callable[[str], None],
) -> None:
    """Put the lines of base that have named functions back into head, and measure what goes."""
    sources = Sources(sides.locate("base").resolve(), sides.locate("head").resolve())
    refuse_large(sources)
    scratch = directory.absolute().with_name(f"{directory.name}-trees")
    replacement = HunkReplacement(request, sources, scratch, make)
    try:
        validate(replacement, explain_directory(directory), directory, watch=watch, tell=tell)
    finally:
        replacement.discard(directory)


def _build_copy(
    plan: Plan,
    program: PlannedProgram,
    sides: GateSides,
    gate: GateRequest,
    selection: Selection,
    root: Path,
    name: str,
) -> tuple[str, ...]:
    """Build a copy of a side as the side was built, and return the words of its process."""
    side: Side = "base" if name == OLD else "head"
    trees = {entry: sides.describe_tree(entry) for entry in SIDES}
    output = root.with_name(f"{root.name}-programs")
    tree = replace(trees[side], root=root, output=output, cache=output / "cache")
    words = list_words(gate.words, plan.chosen, trees, side)
    sides.build_copy(side, tree)
    programs = plan.chosen.find_programs(words or gate.words, tree)
    return _list_words(plan, next(entry for entry in programs if entry.name == program.name), tree, selection)


def _list_words(plan: Plan, program: HarnessProgram, tree: Tree, selection: Selection) -> tuple[str, ...]:
    """Return the words of a process in a tree, with its directory and its variables."""
    variables = plan.chosen.make_environment(str(tree.root), tree.place)
    start = tree.path / program.directory
    settings = [f"{key}={value}" for key, value in variables.items()]
    return ("env", "-C", str(start), *settings, *plan.chosen.launch(program, selection))


def _find_file(program: HarnessProgram, side: Side, sides: GateSides) -> str:
    """Return the path of the program that runs."""
    word = program.words[0]
    if "/" in word:
        return str(sides.describe_tree(side).path / program.directory / word)
    return shutil.which(word) or word


def _make_reason(explanation: Explanation) -> Reason:
    named = explanation.named[:MOST_FUNCTIONS]
    functions = tuple(
        ExplainedFunction(entry.name, name_source(entry), entry.value, entry.ci95) for entry in named
    )
    if not functions:
        return Reason(f"{write_headline(explanation, 'head')}; {write_trust(explanation)}")
    texts = (write_trust(explanation), write_builds(explanation))
    validations = tuple(write_validation(entry, "base", "head") for entry in explanation.validations)
    return Reason("; ".join(text for text in texts if text), functions, validations)
