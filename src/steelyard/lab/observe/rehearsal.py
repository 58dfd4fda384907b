"""The rehearsal: each level runs once before anything is measured, to see whether it still does the same.

A level that behaves differently is reported and left out: its time is not the cost of observing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from steelyard.design import treatments
from steelyard.errors import MachineError, ProgramError
from steelyard.lab.run.programs import build
from steelyard.run.launch.launch_plan import LaunchPlan
from steelyard.run.measure.verify import ending
from steelyard.run.runner.journal import RawTrial
from steelyard.run.runner.runner import probe_launches
from steelyard.spec.experiment import Experiment

_OWN: bytes = b"steelyard_probe: "
_LACKS = 4
LONGEST = 1 << 16
"""Bytes at the head of the output to which every run is held."""


class Rehearsal(msgspec.Struct, frozen=True):
    """Outcome of the rehearsal, level by level.

    Attributes
    ----------
    exit_code : int
        Of the baseline.
    differs : Mapping[str, str]
        Level to how it behaves differently.
    repeats : bool
        Whether the baseline printed the same twice, so that outputs could be compared.
    printed : str or None
        Pattern of what it printed, to which every run can be held; ``None`` where it does not repeat.
    cut : bool
        Whether the pattern is that of the first ``LONGEST`` bytes alone.
    """

    exit_code: int
    differs: Mapping[str, str]
    repeats: bool
    printed: str | None = None
    cut: bool = False


def rehearse(experiment: Experiment) -> Rehearsal:
    """Run every level once, and the baseline twice; the baseline is the first.

    Raises
    ------
    MachineError
        A counter that a probe needs is not available.
    ProgramError
        The program itself fails to start, or is ended by a signal; a build fails.
    """
    drawn = treatments(experiment)
    programs = build(experiment, drawn, lambda _: None)
    launches = LaunchPlan(experiment, drawn, builds=programs.first, built_in=programs.in_context)
    launches.check()
    made = launches.in_context(None)
    first, *others = drawn
    raws = probe_launches([made[first.id], made[first.id], *(made[each.id] for each in others)])
    baseline, again, *probed = raws
    if baseline.status != "ok" or baseline.exit_code is None:
        raise ProgramError(
            f"the program without a probe {ending(baseline) if baseline.status == 'ok' else 'cannot be run'}",
            hint="run the command by itself to see what it does",
        )
    repeats = _output(baseline) == _output(again)
    differs = {}
    for level, raw in zip(others, probed, strict=True):
        if raw.exit_code == _LACKS and raw.stderr.startswith(_OWN):
            message = raw.stderr.decode(errors="replace").splitlines()[0].removeprefix(_OWN.decode())
            raise MachineError(f"the probe {level.levels['command']}: {message}", hint="leave this probe out")
        if how := _difference(baseline, raw, repeats=repeats):
            differs[str(level.levels["command"])] = how
    cut = baseline.stdout_bytes > LONGEST
    pattern = _pattern(baseline.stdout, cut=cut) if repeats else None
    return Rehearsal(baseline.exit_code, differs, repeats, pattern, cut)


def _pattern(printed: bytes, *, cut: bool) -> str:
    """Of an output as it is searched: what is not UTF-8 is U+FFFD there."""
    text = printed[:LONGEST].decode(errors="replace")
    # The cut may go through the last character.
    return rf"\A{re.escape(text[:-1])}" if cut else rf"\A{re.escape(text)}\Z"


def _output(raw: RawTrial) -> tuple[bytes, int]:
    return raw.stdout, raw.stdout_bytes


def _difference(baseline: RawTrial, raw: RawTrial, *, repeats: bool) -> str | None:
    """Describe how a run behaves differently; stderr does not count, where tools report."""
    if raw.status != "ok":
        return "it cannot be run" if raw.status != "timed_out" else "it does not end in time"
    if (raw.exit_code, raw.signal) != (baseline.exit_code, baseline.signal):
        return f"it {ending(raw)}; without a probe it {ending(baseline)}"
    if repeats and _output(raw) != _output(baseline):
        pairs = zip(raw.stdout, baseline.stdout, strict=False)
        same = next(
            (i for i, (a, b) in enumerate(pairs) if a != b), min(len(raw.stdout), len(baseline.stdout))
        )
        return f"it prints something else, from byte {same:,} on"
    return None
