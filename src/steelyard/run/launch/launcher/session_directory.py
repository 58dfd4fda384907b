"""Session directories of MPI libraries: of each trial its own, and removed after it.

Open MPI keeps a session below /tmp, named by the process number of ``mpirun``, and segments in /dev/shm.
When its processes are killed it leaves both, and a later ``mpirun`` with the same number refuses to start.
MPICH makes segments in /dev/shm whose names it chooses; the library that ranks are started with
(``native/ranks``) lists them in the session.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from steelyard.files.plain import NotPlainError, read_plain
from steelyard.run.launch.launch import Launch

_MEMORY: Final = Path("/dev/shm")  # noqa: S108 -- where Open MPI itself puts what ranks share
_REMOVE_LISTED: Final = (
    '[ ! -f "$1" ] || [ -L "$1" ] || while read -r name; do rm -f "$2/${name##*/}"; done < "$1"'
)
"""For ``sh``, which is given the list and the directory of what it names."""
_SEGMENTS: Final = ("btl_sm", "btl_vader", "osc_sm", "osc_rdma")
"""Components that make shared segments; each is told by a parameter of its own."""


def session_directories(run: str) -> tuple[Path, ...]:
    """Where the trials of a run keep their session and, in memory where there is some, their segments.

    Parameters
    ----------
    run : str
        Of one length for all runs; no other run has it at the same time.
    """
    places = [Path(tempfile.gettempdir())]
    if os.access(_MEMORY, os.W_OK | os.X_OK):
        places.append(_MEMORY)
    return tuple(place / f"steelyard-{run}" for place in dict.fromkeys(places))


def session_variables(run: str) -> Mapping[str, str]:
    """Parameters of Open MPI 4 (ORTE) and 5 (PRRTE) that name the directories."""
    session, *memory = session_directories(run)
    base = {"PRTE_MCA_prte_tmpdir_base": str(session), "OMPI_MCA_orte_tmpdir_base": str(session)}
    return base | {f"OMPI_MCA_{segment}_backing_directory": str(*memory) for segment in _SEGMENTS if memory}


def segment_list(run: str) -> str:
    """Return the file in which ranks list the segments that they make."""
    return str(session_directories(run)[0] / "segments")


def open_session(launch: Launch, run: str) -> Launch:
    """Return the launch with commands around it that make the directories and always remove them."""
    directories = tuple(map(str, session_directories(run)))
    remove = _make_command(launch, "rm", "-rf", *directories)
    # What a killed run left goes first. What somebody else put there is not taken: the trial fails.
    make = _make_command(launch, "mkdir", "-m", "700", *directories)
    return replace(launch, prepare=(remove, make, *launch.prepare), cleanup=(*launch.cleanup, remove))


def remove_segments(launch: Launch, run: str) -> Launch:
    """Return the launch with a command behind it that removes the segments that its ranks have listed."""
    remove = _make_command(launch, "sh", "-c", _REMOVE_LISTED, "sh", segment_list(run), str(_MEMORY))
    return replace(launch, cleanup=(*launch.cleanup, remove))


def remove_session(run: str) -> None:
    """Remove what trials left whose runner was killed, when none of their processes lives any more."""
    list_of_segments = Path(segment_list(run))
    with suppress(OSError, NotPlainError):
        content = read_plain(list_of_segments, within=list_of_segments.parent.parent) or b""
        for name in content.decode(errors="surrogateescape").split():
            (_MEMORY / Path(name).name).unlink(missing_ok=True)
    for directory in session_directories(run):
        shutil.rmtree(directory, ignore_errors=True)


def _make_command(launch: Launch, name: str, *words: str) -> Launch:
    return Launch(shutil.which(name) or f"/bin/{name}", (name, *words), launch.env, "/")
