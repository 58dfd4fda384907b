"""What travels to a host: runner, orders, script, and where no files are shared, what trials need."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from steelyard.extensions.clusters.job import Job
from steelyard.files.plain import open_plain
from steelyard.run.launch.launch import Launch
from steelyard.run.launch.launch_plan import find_script
from steelyard.run.launch.preloading import VARIABLE
from steelyard.run.native import RUNNER, native_file

_INSTALLED: Final = tuple(
    map(Path, ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/etc", "/dev", "/proc", "/sys"))
)
"""What every machine has of its own, and what is not overwritten there."""


def list_needed(launch: Launch) -> Iterator[Path]:
    """List files and directories, absolute, that a launch cannot start without.

    They are its program, the script that an interpreter is given, standard input, libraries that are
    preloaded, the working directory; and those of commands around it. Other files among its words may be what
    it writes.
    """
    for command in (launch, *launch.prepare, *launch.cleanup):
        preloaded = [entry.removeprefix(VARIABLE) for entry in command.env if entry.startswith(VARIABLE)]
        script = find_script(command)
        texts = (command.path, str(script or ""), command.stdin, *":".join(preloaded).split(":"))
        yield from (Path(text) for text in texts if text.startswith("/") and Path(text).is_file())
        yield from (Path(text) for text in (command.cwd, command.cwd_source) if text)


def pack(job: Job, programs: Iterable[Path], trees: Iterable[Path]) -> Path:
    """Write the payload of a job, for nobody else's eyes, and return it.

    Parameters
    ----------
    programs : iterable of Path
        Files that are copied, and directories that are made, at the same path there.
    trees : iterable of Path
        Files and directories that are copied with all that they hold.
    """
    staged = io.BytesIO()
    travelling = [path for path in dict.fromkeys(programs) if not any(map(path.is_relative_to, _INSTALLED))]
    folders = [path for path in travelling if path.is_dir()]
    with tarfile.open(fileobj=staged, mode="w", dereference=True) as archive:
        for path in travelling:
            if path not in folders:
                archive.add(path, _name_member(path))
        for path in trees:
            archive.add(path, _name_member(path))
    payload = job.payload
    with (
        os.fdopen(_open_payload(payload), "wb") as file,
        tarfile.open(fileobj=file, mode="w") as archive,
    ):
        archive.add(native_file(RUNNER), RUNNER)
        _add_bytes(archive, job.orders.name, job.read(job.orders.name) or b"")
        archive.add(job.script, job.script.name)
        # Not as members: tar would give a directory that is there already, such as /tmp, the rights of ours.
        _add_bytes(archive, "folders", b"".join(os.fsencode(path) + b"\0" for path in folders))
        _add_bytes(archive, "staged", staged.getvalue())
        # The last one: whatever was cut off lacks it.
        _add_bytes(archive, "complete", b"")
    return payload


def _open_payload(payload: Path) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    return open_plain(payload, flags, within=payload.parent.parent.parent, mode=0o600)


def _name_member(path: Path) -> str:
    return str(path).lstrip("/")


def _add_bytes(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    archive.addfile(member, io.BytesIO(content))
