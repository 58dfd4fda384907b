"""The second part: one real program, ``-O2`` against ``-O3``, in single contexts and across many."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import msgspec

from steelyard.extensions.demo import SOURCES
from steelyard.interventions import INTERVENTIONS
from steelyard.lab.answer.analyze import analyze
from steelyard.lab.run.run import run
from steelyard.lab.run.run_loop import Watch
from steelyard.results.comparison import Comparison
from steelyard.spec import experiment
from steelyard.store import Record

STEPS: Final = 250_000
BLOCKS: Final = 20
SINGLE: Final = (0, 16, 32, 48)
"""Lengths added to the environment: one step of the stack apart, all classes of a 64-byte line."""


class Optimisation(msgspec.Struct, frozen=True):
    """Gain of ``-O3`` over ``-O2``.

    Attributes
    ----------
    single : tuple of Comparison
        One for each length of the environment in ``SINGLE``; each would be "the" answer of an experiment in
        one context.
    across : Comparison
        Over as many contexts as blocks.
    aslr_off : bool
        Whether a context could be held; otherwise every start draws its own.
    """

    single: tuple[Comparison, ...]
    across: Comparison
    contexts: int
    aslr_off: bool


def optimisation(directory: Path, watch: Watch) -> Optimisation:
    """Build n-body twice and compare; records ``single.lab`` and ``across.lab`` stay in ``directory``.

    Raises
    ------
    MachineError
        This machine has no C compiler.
    """
    aslr_off = INTERVENTIONS["aslr"].missing("off") is None
    aslr = {"aslr": "off"} if aslr_off else {}
    single = _compare(
        directory / "single.lab",
        watch,
        factors={"opt": ["O2", "O3"], "env_bytes": list(SINGLE)},
        contexts=aslr or None,
        analysis={"baseline": {"opt": "O2"}, "strata": ["env_bytes"]},
    )
    (across,) = _compare(
        directory / "across.lab",
        watch,
        factors={"opt": ["O2", "O3"]},
        contexts={"env_bytes": "random", **aslr},
    )
    return Optimisation(single, across, BLOCKS, aslr_off)


def _compare(directory: Path, watch: Watch, **keys: Any) -> tuple[Comparison, ...]:
    question = experiment(
        name="n-body, -O2 against -O3",
        source=SOURCES,
        program={"command": ["{build}/nbody", str(STEPS)], "verify": {"stdout": r"energy=-0\.169"}},
        build={
            "command": ["cc", "-std=c11", "-{opt}", "-o", "{build}/nbody", "nbody.c", "-lm"],
            "inputs": ["nbody.c"],
        },
        design={"blocks": BLOCKS},
        **{key: value for key, value in keys.items() if value is not None},
    )
    run(question, directory, watch=watch)
    with Record.open(directory) as record:
        return analyze(record).judged
