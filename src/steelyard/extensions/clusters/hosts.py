"""Hosts that are reached by ssh: no queue, no Python there, and no file system that they share with us."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, Final

import msgspec

from steelyard.core.errors import MachineError
from steelyard.extensions.clusters.commands import UnreachableError, ask, fill_words, refuse_absent
from steelyard.extensions.clusters.host_script import (
    ANOTHER_MACHINE,
    NO_PROCESS,
    NO_RUNNER,
    NO_SPACE,
    quote_command,
)
from steelyard.extensions.clusters.job import Job
from steelyard.extensions.clusters.payload import pack
from steelyard.extensions.clusters.scheduler import Handover, JobState, Scheduler
from steelyard.files.plain import open_plain

_OPTIONS: Final = (
    *("-o", "BatchMode=yes", "-o", "ConnectTimeout=15"),
    *("-o", "ServerAliveInterval=10", "-o", "ServerAliveCountMax=3"),
)
_CONNECTION_FAILED: Final = 255
"""Exit code of ssh itself."""
_AT_ONCE: Final = 32
"""Connections."""
_CHUNK_BYTES: Final = 64 << 20
_SENDING_S: Final = 600.0

_CURES: Final = (
    ("Host key verification failed", "connect to it once by hand, and compare the key: ssh {host}"),
    (
        "IDENTIFICATION HAS CHANGED",
        "find out why its key differs; then ssh-keygen -R {host}, and connect once",
    ),
    ("Permission denied", "give it a key that needs no password: ssh-copy-id {host}, ssh-agent"),
    ("Could not resolve", "correct the name under hosts, or give it an address in ~/.ssh/config"),
)
"""Words of ssh, and what to do."""
_REASONS: Final = ("No space left", "Read-only file system", "quota exceeded", "Permission denied")
"""Why a file cannot be written, in words of the C library."""


class _Look(msgspec.Struct, frozen=True):
    """The first line of an answer: state, and bytes of the last word, replies, log and journal."""

    state: str
    end: int
    replies: int
    log: int
    journal: int


class Hosts(Scheduler):
    """Hosts, each of which runs one job at a time.

    Attributes
    ----------
    names : sequence of str
        As ssh knows them.
    ssh : sequence of str
        The program and its first words.
    copies : bool
        Whether what trials need is copied to the same paths there.
    trees : sequence of Path
        What is copied besides what launches name.
    source : str
        Directory of the spec.
    """

    travels: ClassVar[bool] = True

    def __init__(
        self,
        names: Sequence[str],
        ssh: Sequence[str],
        *,
        copies: bool = False,
        trees: Sequence[Path] = (),
        source: str = "",
    ) -> None:
        self.names = names
        self.ssh = ssh
        self.copies = copies
        self.trees = trees
        self.source = source
        self._states: dict[Path, JobState] = {}
        """By ``look_at``, until asked for."""
        self._ends: dict[Path, str] = {}
        """How jobs ended, in the words of the script."""

    def foresee(self) -> None:
        """See ``Scheduler.foresee``: ``ssh`` is a command of the spec, and may be of a stranger's."""
        refuse_absent(fill_words(self.ssh, source=self.source)[:1])

    @property
    def unasked(self) -> Sequence[str]:
        """See ``Scheduler.unasked``."""
        return self.names

    def check(self) -> None:
        """See ``Scheduler.check``: each host is reached, has what a job takes, and room for it.

        Names of one machine are refused: containers of one host share its boot, as its CPUs.
        """
        self.foresee()
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            answers = list(pool.map(self._check, self.names))
        if failed := [answer for answer in answers if isinstance(answer, MachineError)]:
            rest = f" (and {len(failed) - 1} hosts more)" if len(failed) > 1 else ""
            raise MachineError(f"{failed[0].message}{rest}", hint=failed[0].hint)
        names: dict[str, str] = {}
        for host, boot in zip(self.names, map(str, answers), strict=True):
            if names.setdefault(boot, host) != host:
                raise _refuse_same(names[boot], host)

    def _check(self, host: str) -> MachineError | str:
        """Return the boot of a host, by a number that no other start of a machine has."""
        try:
            answer = self._ask(host, "check", f"check-{os.getpid()}")
        except MachineError as error:
            return error
        lines = answer.splitlines()
        if len(lines) != 1:
            return MachineError(
                f"{host} prints {len(lines)} lines where one is its answer: {answer[:80]!r}",
                hint="let its shell print only to a terminal: `[ -t 1 ]` before it in ~/.bashrc there",
            )
        machine, _, boot = lines[0].partition(" ")
        return boot or host if machine == platform.machine() else _refuse_machine(host, machine)

    def list_nodes(self) -> Sequence[str]:
        """See ``Scheduler.list_nodes``."""
        return self.names

    def submit(self, handover: Handover) -> str:
        """See ``Scheduler.submit``."""
        job = handover.job
        job.note_place(handover.name)
        programs = (*handover.programs, job.directory) if self.copies else ()
        host = self._find_host(job)
        words = ("start", handover.name, host, platform.machine())
        try:
            payload = pack(job, programs, self.trees if self.copies else ())
            return self._ask(host, *words, payload=payload, into=job.answer).strip()
        except OSError as error:
            raise MachineError(
                f"{error.filename or job.directory} cannot be copied to {host}: {error.strerror or error}",
                hint="correct files under [launch], or the permissions of files that trials need",
            ) from error
        finally:
            job.remove(job.payload.name)

    def submit_all(self, handovers: Sequence[Handover]) -> None:
        """See ``Scheduler.submit_all``.

        A host that does not answer now may have begun its job; ``state`` finds out.
        """

        def submit_one(handover: Handover) -> MachineError | None:
            try:
                handover.job.note_id(self.submit(handover))
            except UnreachableError:
                return None
            except MachineError as error:
                return error
            return None

        pool = ThreadPoolExecutor(_AT_ONCE)
        try:
            failed = [error for error in pool.map(submit_one, handovers) if error is not None]
        finally:
            pool.shutdown(cancel_futures=True)
        if failed:
            raise failed[0]

    def number(self, answer: str) -> str | None:
        """See ``Scheduler.number``: boot of the host, process and its start."""
        return answer.strip() if len(answer.split()) == 3 and answer.endswith("\n") else None

    def look_at(self, jobs: Sequence[Job]) -> None:
        """See ``Scheduler.look_at``."""
        if len(jobs) > 1:
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                self._states.update(
                    zip((job.directory for job in jobs), pool.map(self._state, jobs), strict=True)
                )

    def state(self, job: Job) -> JobState:
        """See ``Scheduler.state``; what the job has written so far is then here."""
        return self._states.pop(job.directory, None) or self._state(job)

    def _state(self, job: Job) -> JobState:
        name = job.place
        if name is None:
            return "ended"
        try:
            if job.id is None and (number := self.find(job, name)) is not None:
                job.note_id(number)
            if job.id is None:
                return "ended"
            look = self._fetch(job)
        except UnreachableError:
            return "unreachable"
        if look.state == "running":
            return "running"
        self._ends[job.directory] = look.state
        return "ended"

    def cancel(self, job: Job) -> None:
        """See ``Scheduler.cancel``; one that has not begun never will."""
        # What one host refuses must not keep the jobs of others going.
        with suppress(MachineError):
            if self._state(job) == "running":
                self._try(job, "cancel")

    def find(self, job: Job, name: str) -> str | None:
        """See ``Scheduler.find``; from then on, a job that is not found cannot begin.

        Raises
        ------
        MachineError
        """
        return self.number(self._ask(self._find_host(job), "find", name))

    def was_taken_away(self, job: Job) -> bool:
        """See ``Scheduler.was_taken_away``: its host was booted anew, or its folder is gone."""
        return self._ends.get(job.directory) in ("rebooted", "gone")

    def last_words(self, job: Job) -> str:
        """See ``Scheduler.last_words``."""
        text = {
            "rebooted": "was booted anew",
            "gone": "has lost the folder of the job",
            "died": "has no process of the job any more",
        }.get(self._ends.get(job.directory, ""), "")
        return f"{self._find_host(job)} {text}" if text else ""

    def forget(self, job: Job) -> None:
        """See ``Scheduler.forget``."""
        self._try(job, "forget")

    def _find_host(self, job: Job) -> str:
        return job.node or self.names[0]

    def _try(self, job: Job, verb: str) -> None:
        """Say something to a host that need not hear it."""
        name = job.place
        if name is not None:
            ask(
                self._make_command(self._find_host(job), verb, name),
                may_fail=True,
                label=self._find_host(job),
                timeout_s=60,
            )

    def _fetch(self, job: Job) -> _Look:
        """Bring here what the job has written since: the journal first, its last word last."""
        while True:
            with os.fdopen(_open_to_write(job.journal), "wb") as file:
                have = file.seek(0, os.SEEK_END)
            words = ("look", job.place or "", str(have), str(_CHUNK_BYTES))
            answer = self._ask(self._find_host(job), *words).encode("utf-8", "surrogateescape")
            line, _, rest = answer.partition(b"\n")
            state, *sizes = line.decode().split()
            look = _Look(state, *map(int, sizes))
            end, rest = rest[: look.end], rest[look.end :]
            replies, rest = rest[: look.replies], rest[look.replies :]
            log, journal = rest[: look.log], rest[look.log :]
            # Not appended: a look that an interrupt left behind may write the same bytes at the same time.
            with os.fdopen(_open_to_write(job.journal), "wb") as file:
                file.seek(have)
                file.write(journal)
            if have + len(journal) < look.journal:
                if journal:
                    continue
                raise UnreachableError(
                    f"{self._find_host(job)} sends {have} bytes of {look.journal} of a journal",
                    hint="see whether the file system there can be read",
                )
            if replies:
                job.write_replies(replies)
            if log:
                job.write_log(log)
            if end:
                job.write_end(end)
            return look

    def _make_command(self, host: str, *words: str) -> list[str]:
        return [*fill_words(self.ssh, source=self.source), *_OPTIONS, "--", host, quote_command(*words)]

    def _ask(self, host: str, *words: str, payload: Path | None = None, into: Path | None = None) -> str:
        """Return what the script says; bytes that are not UTF-8 as ``surrogateescape`` has them.

        Raises
        ------
        UnreachableError
            The host cannot be reached by ssh.
        MachineError
            The script on the host failed.
        """
        done = ask(
            self._make_command(host, *words),
            may_fail=True,
            into=into,
            payload=payload,
            label=f"{self.ssh[0]} {host}",
            timeout_s=_SENDING_S if payload else 60.0,
        )
        if done.returncode == 0:
            return done.stdout
        raise _explain(host, done.returncode, done.stderr.strip())


def _open_to_write(journal: Path) -> int:
    return open_plain(journal, os.O_WRONLY | os.O_CREAT, within=journal.parent.parent)


def _explain(host: str, code: int, text: str) -> MachineError:
    last = text.splitlines()[-1] if text else f"exit code {code}"
    if code == _CONNECTION_FAILED:
        cure = next((cure for words, cure in _CURES if words in text), "see that `ssh {host} true` works")
        return UnreachableError(f"{host} cannot be reached: {last}", hint=cure.format(host=host))
    if code == ANOTHER_MACHINE:
        return _refuse_machine(host, last)
    if code == NO_RUNNER:
        return MachineError(
            f"{host} cannot execute the runner in {last}",
            hint="set XDG_CACHE_HOME there to a directory whose file system is not mounted noexec",
        )
    if code == NO_PROCESS:
        return UnreachableError(
            f"{host} was to begin a job and does not say which process that is",
            hint=f"see there whether it runs: ssh {host} ps x",
        )
    if code == NO_SPACE:
        # tar ends with words that say nothing.
        reasons = [line for line in text.splitlines() if any(words in line for words in _REASONS)]
        reason = reasons[0] if reasons else last
        return MachineError(f"{host} cannot keep the job: {reason}", hint=f"look there: ssh {host} df -h")
    verb, cure = "refuses the job", f"look there: ssh {host}"
    if "bash" in last and code == 127:
        verb, cure = "has no bash", "install bash there"
    return MachineError(f"{host} {verb}: {last}", hint=cure)


def _refuse_same(host: str, duplicate: str) -> MachineError:
    return MachineError(
        f"{host} and {duplicate} are one machine (its boot is the same): two jobs there would disturb each"
        " other, and count as two machines",
        hint=f"leave {duplicate} out of hosts",
    )


def _refuse_machine(host: str, machine: str) -> MachineError:
    return MachineError(
        f"{host} is a machine of {machine}, and the runner and programs here are for {platform.machine()}",
        hint=f"leave {host} out of hosts; run Steelyard on such a machine, and merge the records",
    )
