"""The rehearsal: each level runs once before anything is measured, to see whether it still does the same.

A level that behaves differently is reported and left out: its time is not the cost of observing. Every later
run is held to the digests of all that the program writes: to stdout, to stderr, and to files.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import MachineError, ProgramError, UsageError
from steelyard.design import treatments
from steelyard.extensions.observe.written_files import MOST_ENTRIES, changed_files, list_files
from steelyard.files.plain import NotPlainError, refuse_replaced
from steelyard.lab.run.programs import build
from steelyard.run.launch.launch import Launch
from steelyard.run.launch.launch_plan import LaunchPlan
from steelyard.run.launch.provenance import file_sha256
from steelyard.run.measure.verify import ending
from steelyard.run.runner.journal import FileDigest, RawTrial
from steelyard.run.runner.runner import probe_launches
from steelyard.spec.check.program import MOST_FILES
from steelyard.spec.experiment import Experiment, Verify
from steelyard.spec.text.placeholders import escape

_OWN: bytes = b"steelyard_probe: "
_LACKS = 4
APART_S: float = 1.1
"""From the first run without a probe to the second at least: times of day are often printed in seconds."""
LONGEST: Final = 256 << 20
"""Bytes of a file or stream that the runner digests at most."""
_STREAMS: Final = ("stdout", "stderr")


class Rehearsal(msgspec.Struct, frozen=True):
    """Outcome of the rehearsal, level by level.

    Attributes
    ----------
    differs : Mapping[str, str]
        Level to how it behaves differently.
    verify : Verify
        What every run is held to: how the program ends, and what it writes as far as that repeats.
    uncompared : Mapping[str, str]
        What the program writes and runs are not held to, each with the reason.
    """

    differs: Mapping[str, str]
    verify: Verify
    uncompared: Mapping[str, str]


def rehearse(experiment: Experiment, directory: Path, files: Sequence[str] = ()) -> Rehearsal:
    """Run every level once, and the baseline twice; the baseline is the first.

    Parameters
    ----------
    directory : Path
        Of the records, where files are not the program's.
    files : sequence of str
        Files that the program writes; without any, those that it is seen to write in its working directory.

    Raises
    ------
    MachineError
        A counter that a probe needs is not available.
    UsageError
        The program writes none of ``files``.
    ProgramError
        The program itself fails to start, or is ended by a signal; a build fails.
    """
    drawn = treatments(experiment)
    programs = build(experiment, drawn, lambda _: None)
    launches = LaunchPlan(experiment, drawn, builds=programs.first, built_in=programs.in_context)
    launches.check()
    launches_of = launches.start_in_context(None)
    first, *rest = drawn
    start_s = time.monotonic()
    alone = _run_alone(launches_of[first.id], directory, files)
    baseline, digests = alone.raw, alone.expected
    probed = probe_launches([_digest(launches_of[level.id], alone.paths) for level in rest])
    time.sleep(max(0.0, APART_S - (time.monotonic() - start_s)))
    (again,) = probe_launches([_digest(launches_of[first.id], alone.paths)])
    uncompared = alone.uncompared | {
        name: reason
        for name, first_time, second_time in zip(
            (*_STREAMS, *digests), (*baseline.digests, *digests.values()), again.digests, strict=True
        )
        if (reason := _get_varying(first_time, second_time))
    }
    contents = dict(zip(_STREAMS, baseline.digests, strict=True)) | digests
    compared = {name: digest.sha256 for name, digest in contents.items() if name not in uncompared}
    differs = {}
    noisy = []
    for level, raw in zip(rest, probed, strict=True):
        name = str(level.levels["command"])
        if raw.exit_code == _LACKS and raw.stderr.startswith(_OWN):
            message = raw.stderr.decode(errors="replace").splitlines()[0].removeprefix(_OWN.decode())
            raise MachineError(f"the probe {name}: {message}", hint="leave this probe out")
        if how := _get_difference(baseline, raw, compared, list(digests)):
            differs[name] = how
        elif "stderr" in compared and raw.digests[1].sha256 != compared["stderr"]:
            noisy.append(name)
    if noisy:
        uncompared["stderr"] = f"it differs under {', '.join(noisy)}, where a tool may report"
        del compared["stderr"]
    return Rehearsal(
        differs,
        Verify(
            exit=alone.exit_code,
            stdout_sha256=compared.pop("stdout", None),
            stderr_sha256=compared.pop("stderr", None),
            files={escape(name): sha256 for name, sha256 in compared.items()},
        ),
        uncompared,
    )


class _Alone(msgspec.Struct, frozen=True):
    """The first run without a probe.

    Attributes
    ----------
    expected : dict of str to FileDigest
        Name of each file that it wrote to the contents.
    paths : list of str
        Of these files, absolute.
    uncompared : dict of str to str
        What is not compared, each with the reason.
    """

    raw: RawTrial
    exit_code: int
    expected: dict[str, FileDigest]
    paths: list[str]
    uncompared: dict[str, str]


def _run_alone(launch: Launch, directory: Path, files: Sequence[str]) -> _Alone:
    """Run the program without a probe, and look for what it writes."""
    place = Path(launch.cwd)
    before = {} if files else list_files(place, directory)
    (baseline,) = probe_launches([_digest(launch, ())])
    if baseline.status != "ok" or baseline.exit_code is None:
        raise ProgramError(
            f"the program without a probe {ending(baseline) if baseline.status == 'ok' else 'cannot be run'}",
            hint="run the command by itself to see its output",
        )
    after = {} if files else list_files(place, directory)
    uncompared: dict[str, str] = {}
    if before is None or after is None:
        names: list[str] = []
        uncompared["files"] = f"more than {MOST_ENTRIES:,} entries below {place}: name files with --file"
    else:
        names = list(dict.fromkeys(files or changed_files(before, after)))
    uncompared |= dict.fromkeys(names[MOST_FILES:], f"more than {MOST_FILES} files are written")
    # A file may bear the name of a stream.
    names = [f"./{name}" if name in _STREAMS else name for name in names[:MOST_FILES]]
    digests = {name: _make_digest(place / name) for name in names}
    for name, digest in digests.items() if files else ():
        if digest.state == "missing":
            raise UsageError(
                f"the program does not write {name!r}", hint="name a file that exists after each run"
            )
    return _Alone(baseline, baseline.exit_code, digests, [str(place / name) for name in names], uncompared)


def _digest(launch: Launch, files: Sequence[str]) -> Launch:
    return replace(launch, digests=True, files=tuple(files))


def _make_digest(path: Path) -> FileDigest:
    """Return the digest of a file after the first run."""
    try:
        refuse_replaced(path)
        if path.stat().st_size > LONGEST:
            return FileDigest("too_long")
        return FileDigest("whole", file_sha256(path))
    except NotPlainError as error:
        return FileDigest("not_plain", kind=error.kind)
    except OSError:
        return FileDigest("missing")


def _get_varying(first: FileDigest, second: FileDigest) -> str | None:
    """Why a stream or file of two runs cannot be compared with those of others."""
    match second.state:
        case "too_long":
            return "longer than 256 MiB"
        case "not_plain":
            return f"{second.kind}, not a plain file"
        case "missing" | "unwritten":
            return "not written by every run"
        case "whole":
            return None if first == second else "differs from run to run"


def _get_difference(
    baseline: RawTrial, raw: RawTrial, compared: Mapping[str, str], written: Sequence[str]
) -> str | None:
    """Describe how a run behaves differently. What it says on stderr does not count: tools report there."""
    if raw.status != "ok":
        return "it cannot be run" if raw.status != "timed_out" else "it does not end in time"
    if (raw.exit_code, raw.signal) != (baseline.exit_code, baseline.signal):
        return f"it {ending(raw)}; without a probe it {ending(baseline)}"
    return next(_compare_contents(baseline, raw, compared, written), None)


def _compare_contents(
    baseline: RawTrial, raw: RawTrial, compared: Mapping[str, str], written: Sequence[str]
) -> Iterator[str]:
    if "stdout" in compared and raw.digests[0].sha256 != compared["stdout"]:
        pairs = zip(raw.stdout, baseline.stdout, strict=False)
        shorter = min(len(raw.stdout), len(baseline.stdout))
        count = next((i for i, (a, b) in enumerate(pairs) if a != b), shorter)
        yield f"it prints something else, from byte {count:,} on"
    for name, digest in zip(written, raw.digests[len(_STREAMS) :], strict=True):
        if name in compared and digest.sha256 != compared[name]:
            missing = digest.state in ("missing", "unwritten", "not_plain")
            yield f"it does not write {name}" if missing else f"it writes something else to {name}"
