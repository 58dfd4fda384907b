"""A spec in words: where trials run, how their programs are built, and what is claimed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Final

from steelyard.core.counters import find_event
from steelyard.core.units import BUILTIN
from steelyard.report.claims.claim import format_claim_text
from steelyard.report.text.label import join_names, plural, printable
from steelyard.spec.claims.limit import Limit
from steelyard.spec.experiment import Experiment, Factor, LaunchMethod
from steelyard.spec.tables.launch import (
    HostsLaunch,
    LocalLaunch,
    MpiLaunch,
    SimulatedLaunch,
    SlurmLaunch,
    TemplateLaunch,
)
from steelyard.spec.text.placeholders import format_level

_LIBRARIES: Final = {"openmpi": "Open MPI", "mpich": "MPICH", "impi": "Intel MPI"}
_BOUND: Final = {
    "core": "each bound to a core while there are enough",
    "none": "not bound to CPUs",
    "library": "bound as the library does by itself",
}
_PLAIN: Final = re.compile(r"[\w@%+=:,./{}-]+", re.ASCII)
"""A word that no shell takes for anything else: a single name in braces stays what it is."""


def format_where(launch: LaunchMethod, factors: Sequence[Factor] = ()) -> str:
    """Where trials run, and who starts them.

    Parameters
    ----------
    factors : sequence of Factor
        Whose levels stand in place of their names in the number of ranks.
    """
    match launch:
        case LocalLaunch():
            parts = ["on this machine"]
        case MpiLaunch():
            text = launch.implementation or ""
            library = f" of {_LIBRARIES.get(text, text)}" if text else ""
            ranks = _count_ranks(launch.ranks, factors)
            parts = ["on this machine", f"{ranks} by {launch.mpirun or 'mpirun'}{library}"]
            parts.append(_BOUND[launch.binding])
        case SimulatedLaunch():
            ranks = _count_ranks(launch.ranks, factors)
            parts = [f"on a machine that SimGrid simulates ({launch.platform})", ranks]
            parts += [f"algorithms as {launch.selector} chooses them"] if launch.selector else []
            chosen = [f"{operation} by {name}" for operation, name in launch.algorithms.items()]
            parts += [join_names(chosen, 3)] if chosen else []
            parts += _describe_machine(launch)
        case SlurmLaunch():
            parts = [f"in jobs of Slurm: {_join(['sbatch', *launch.options])}"]
            if launch.ranks is not None:
                parts.append(f"{_count_ranks(launch.ranks, factors)} by srun, {_BOUND[launch.binding]}")
            parts += _describe_jobs(launch.jobs)
        case TemplateLaunch():
            parts = [f"in jobs of a queue: {_join(launch.submit)}", *_describe_jobs(launch.jobs)]
        case HostsLaunch():
            parts = [f"on {join_names(list(launch.hosts), 6)}, which {launch.ssh[0]} reaches"]
            parts += ["with what trials need copied there"] if launch.stage == "copy" else []
    return printable(", ".join(parts))


def _count_ranks(text: str, factors: Sequence[Factor]) -> str:
    factor = next((factor for factor in factors if text == f"{{{factor.name}}}"), None)
    numbers = [text] if factor is None else [format_level(level) for level in factor.levels]
    return f"{join_names(numbers, 6)} rank{'s' * (numbers != ['1'])}"


def _describe_jobs(jobs: int) -> list[str]:
    return [f"up to {jobs} jobs at once"] if jobs > 1 else []


def _describe_machine(launch: SimulatedLaunch) -> list[str]:
    """Whose hosts, and what else happens on a simulated machine; nothing where it is packed and still."""
    shares = [("links", launch.noise.links), ("cores", launch.noise.hosts)]
    noisy = [f"{share} of {total}" for total, share in shares if share not in ("0.0", "0")]
    parts = [] if launch.placement == "packed" else [f"hosts {launch.placement}"]
    parts += [f"{' and '.join(noisy)} taken by noise"] if noisy else []
    return [*parts, f"drawn by seed {launch.seed}"] if parts else []


def build_words(experiment: Experiment, builds: int) -> str:
    """Command that builds the programs, and their number; empty without ``[build]``."""
    if experiment.build is None:
        return ""
    command = printable(_join(experiment.build.command))
    return f"{command} ({plural(builds, 'program')}; each is built once and kept)"


def format_claims_words(experiment: Experiment) -> list[str]:
    """Return a sentence for each claim."""
    return [
        format_claim_text(claim, _format_unit(experiment, claim.limit) if isinstance(claim, Limit) else "")
        for claim in experiment.claims
    ]


def _format_unit(experiment: Experiment, metric: str) -> str:
    if metric in BUILTIN:
        return BUILTIN[metric].unit
    if metric in experiment.program.counters:
        return find_event(metric)[0].unit
    return next((user_metric.unit for user_metric in experiment.metrics if user_metric.name == metric), "")


def _join(words: Sequence[str]) -> str:
    """Join words as one would type them; placeholders are not quoted."""
    return " ".join(word if _PLAIN.fullmatch(word) else shlex.quote(word) for word in words)
