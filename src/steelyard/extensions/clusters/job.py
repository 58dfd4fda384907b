"""``Job``: the folder of one job, which is all that the job and we say to each other."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from steelyard.files.plain import NotPlainError, read_plain, remove_plain, write_plain
from steelyard.run.runner.journal import open_journal

STOPPED: Final = 143
"""Exit code of a runner that was asked to end (SIGTERM), as ``native/runner/README.md`` has it."""

RUN: Final = "{run}"
"""The placeholder at which a user's script runs the trials."""


class End(msgspec.Struct, frozen=True):
    """The last word of a job.

    Attributes
    ----------
    exit : int
        Of the runner; 0: it obeyed all orders.
    host, kernel, cpu : str
        Of the node that started the programs.
    started, ended : int
        Unix time, seconds, by its clock.
    """

    exit: int
    host: str
    kernel: str
    cpu: str
    started: int
    ended: int


class Job(msgspec.Struct, frozen=True):
    """The files of one job.

    Attributes
    ----------
    directory : Path
        Absolute, on a file system that its node sees too.
    """

    directory: Path

    @property
    def orders(self) -> Path:
        """Orders for the runner; gone once the job is settled."""
        return self.directory / "orders"

    @property
    def replies(self) -> Path:
        """Replies of the runner."""
        return self.directory / "replies"

    @property
    def script(self) -> Path:
        """The script that is submitted."""
        return self.directory / "job.sh"

    @property
    def log(self) -> Path:
        """Output of the script and of the queue."""
        return self.leader.directory / f"log{self.task.replace('_', '-')}"

    @property
    def answer(self) -> Path:
        """Answer of the queue to the submission."""
        return self.leader.directory / "answer"

    @property
    def leader(self) -> Job:
        """The job with which it was handed in; itself where it was handed in alone."""
        task = self._read_note("task")
        return self if task is None else Job(self.directory.parent / task.split()[0])

    @property
    def task(self) -> str:
        """What follows an array's number in its own, as in ``_3``; empty where it was handed in alone."""
        task = self._read_note("task")
        return "" if task is None else f"_{task.split()[1]}"

    @property
    def array(self) -> Path:
        """The script of the array that it leads."""
        return self.directory / "array.sh"

    def write_array(self, script: str) -> None:
        """Write the script of the array that it leads."""
        self._write(self.array.name, script)

    def note_task(self, leader: Job, task: int) -> None:
        """Keep that it is handed in as a task of the leader's array."""
        self._write("task", f"{leader.directory.name} {task}\n")

    @property
    def begun(self) -> bool:
        """Whether its runner was started."""
        return self.replies.exists()

    def is_writing(self, journals: Sequence[Path]) -> bool:
        """Whether its runner has the lock of a journal, as far as the file system tells.

        Asking takes the lock for a moment, which would refuse a runner that starts: one that has replied has
        it already.
        """
        if not self.begun or not self.replies.stat().st_size:
            return False
        return any(map(_is_locked, journals))

    @property
    def id(self) -> str | None:
        """Its number in the queue; ``None`` where we died before it was written down."""
        return self._read_note("id")

    def note_id(self, job: str) -> None:
        """Keep what the queue calls it, whole or not at all."""
        self._write("id", job)

    @property
    def node(self) -> str | None:
        """The node that it was handed in for; ``None`` for whichever the queue gives."""
        return self._read_note("node")

    def note_node(self, node: str) -> None:
        """Keep the node that it is handed in for."""
        self._write("node", node)

    @property
    def end(self) -> End | None:
        """Its last word; ``None`` before that, and for ever where it was killed."""
        end = self.read("end")
        return None if end is None else msgspec.json.decode(end, type=End)

    @property
    def settled(self) -> bool:
        """Whether nobody waits for it any more."""
        return (self.directory / "settled").exists()

    @property
    def place(self) -> str | None:
        """The name of its folder on its machine; ``None`` where it was never handed in to one."""
        return self._read_note("place")

    def note_place(self, place: str) -> None:
        """Keep the name of its folder on its machine."""
        self._write("place", place)

    @property
    def journal(self) -> Path:
        """Where its journal is brought to, where it writes elsewhere."""
        return Path(os.path.normpath(self.directory / (self._read_note("journal") or "")))

    def note_journal(self, journal: Path) -> None:
        """Keep where its journal is brought to, so that a record can be moved."""
        name = os.path.relpath(journal, self.directory)
        self._write("journal", name)

    @property
    def payload(self) -> Path:
        """What is sent to its machine; gone once that is done, or the job settled."""
        return self.directory / "payload"

    def write_end(self, end: bytes) -> None:
        """Keep its last word, whole or not at all."""
        self._write("end", end)

    def write_orders(self, orders: bytes) -> None:
        """Say what is to be done. For nobody else's eyes: what programs inherit stands there too."""
        self._write(self.orders.name, orders, mode=0o600)

    def settle(self) -> None:
        """Note that nobody waits for it any more.

        Its orders go: they hold values of the environment, and a job that only begins now must not run them.
        """
        self._write("settled", "")
        self.remove(self.orders.name)
        self.remove(self.payload.name)

    def tail(self, most: int = 4096) -> str:
        """Return the end of its log."""
        log = self.leader.read(self.log.name, most=most)
        return (log or b"").decode(errors="replace").strip()

    def write_script(self, template: str, handed_on: Sequence[str], quoted: Mapping[str, str]) -> None:
        """Write the script: the user's, with ``{run}`` replaced by what runs the trials.

        Parameters
        ----------
        quoted : mapping of str to str
            Words for bash that name runner, journal, orders, replies and end, by ``quote_files`` or
            ``TRAVELLING``.
        """
        self._write(self.script.name, template.replace(RUN, _run(handed_on, quoted)), mode=0o777)

    def read(self, name: str, *, most: int | None = None) -> bytes | None:
        """Read one of its files, as ``read_plain`` does."""
        return read_plain(self.directory / name, within=self._record, most=most)

    def write_replies(self, replies: bytes) -> None:
        """Keep replies of a runner on another machine."""
        self._write(self.replies.name, replies)

    def write_log(self, log: bytes) -> None:
        """Keep the end of a log on another machine."""
        write_plain(self.log, log, within=self._record)

    def remove(self, name: str) -> None:
        """Remove one of its files, as ``remove_plain`` does."""
        remove_plain(self.directory / name, within=self._record)

    @property
    def _record(self) -> Path:
        """The record, which the user may reach through a link; below it, none is followed."""
        return self.directory.parent.parent

    def _read_note(self, name: str) -> str | None:
        note = self.read(name)
        return None if note is None else note.decode()

    def _write(self, name: str, content: str | bytes, *, mode: int = 0o666) -> None:
        data = content.encode() if isinstance(content, str) else content
        write_plain(self.directory / name, data, within=self._record, mode=mode)

    def quote_files(self, runner: Path, journal: Path) -> dict[str, str]:
        """Words for bash of a job whose machine sees our files."""
        paths = (runner, journal, self.orders, self.replies, self.directory / "end")
        return {name: shlex.quote(str(path)) for name, path in zip(TRAVELLING, paths, strict=True)}


TRAVELLING: Final = {
    name: f'"$steelyard_place"/{file}'
    for name, file in (
        ("runner", "steelyard-runner"),
        ("journal", "journal"),
        ("orders", "orders"),
        ("replies", "replies"),
        ("end", "end"),
    )
}
"""Words for bash of a job in a folder of its own."""


def _run(handed_on: Sequence[str], quoted: Mapping[str, str]) -> str:
    """Commands for bash: the runner, with those variables only that programs are to see, then its end.

    The runner's parent is the script: where the queue kills that, the guard ends what is left.
    """
    text = "|".join(f"{prefix}*" for prefix in handed_on) or "''"
    return f"""
steelyard_started=$(date +%s)
steelyard_place=${{STEELYARD_PLACE:-}}
# Created by us or not at all: another job's program may have put a link there.
rm -f {quoted["replies"]}
(
    for name in $(compgen -e); do
        case $name in {text}) ;; *) unset "$name" 2>/dev/null ;; esac
    done
    [ -f {quoted["orders"]} ] && [ ! -L {quoted["orders"]} ] || {{ echo "no file of orders" >&2; exit 1; }}
    set -o noclobber
    exec {quoted["runner"]} --journal {quoted["journal"]} <{quoted["orders"]} >{quoted["replies"]}
) &
steelyard_runner=$!
trap 'kill -TERM $steelyard_runner 2>/dev/null' TERM INT
wait $steelyard_runner; steelyard_exit=$?
while kill -0 $steelyard_runner 2>/dev/null; do wait $steelyard_runner; steelyard_exit=$?; done
steelyard_cpu=$(sed -n 's/^model name[[:space:]]*: *//p;' /proc/cpuinfo | head -n 1 | tr -d '"\\\\')
steelyard_node=${{STEELYARD_NODE:-${{SLURMD_NODENAME:-$(uname -n)}}}}
steelyard_end=$(mktemp {quoted["end"]}.XXXXXX) &&
    printf '{{"exit":%d,"host":"%s","kernel":"%s","cpu":"%s","started":%d,"ended":%d}}\\n' \\
    $steelyard_exit "$steelyard_node" "$(uname -r)" "$steelyard_cpu" $steelyard_started "$(date +%s)" \\
    >"$steelyard_end" && mv -fT "$steelyard_end" {quoted["end"]}
"""


def _is_locked(journal: Path) -> bool:
    import fcntl  # which Windows lacks, where records are read

    try:
        with open_journal(journal) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except (OSError, NotPlainError):  # gone, replaced, or on a file system without locks
        return False
    return False


def jobs_in(directory: Path) -> list[Job]:
    """All jobs of a record, in the order in which they were made."""
    return [Job(path) for path in sorted(directory.iterdir())] if directory.exists() else []


def describe_nodes(jobs: Sequence[Job]) -> dict[str, str]:
    """Each node that ran trials, and its CPU and Linux; the first one first."""
    ends = [end for job in jobs if (end := job.end) is not None]
    return {end.host: f"{end.cpu or 'CPU unknown'}, Linux {end.kernel}" for end in ends}


def find_misplaced(jobs: Sequence[Job]) -> list[str]:
    """Jobs that ran on another node than the one that they were handed in for, in words."""
    return [
        f"job {job.id} was for {node} and ran on {end.host}"
        for job in jobs
        if (node := job.node) is not None
        and (end := job.end) is not None
        and end.host.partition(".")[0] != node.partition(".")[0]
    ]
