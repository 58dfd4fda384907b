"""``[program]``: what is launched, and what a run must do to count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from steelyard.spec.tables.values import Command, Commands, Duration, Environment, Size

ExitCode = Annotated[int, Meta(ge=0, le=255)]


class Verify(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Conditions under which a run counts."""

    exit: Annotated[
        ExitCode | Annotated[tuple[ExitCode, ...], Meta(min_length=1)] | Literal["any"],
        Meta(
            description='Wanted exit code, or a list of them; `"any"` accepts every one, and death by a'
            " signal too."
        ),
    ] = 0
    stdout: Annotated[
        str | None,
        Meta(description="Regular expression that must match in stdout; `^` and `$` match at every line."),
    ] = None
    stderr: Annotated[str | None, Meta(description="The same for stderr.")] = None
    stdout_sha256: Annotated[
        str | None,
        Meta(
            description="SHA-256 of all that is written to stdout, as `sha256sum` prints it; up to 256 MiB."
        ),
    ] = None
    stderr_sha256: Annotated[str | None, Meta(description="The same for stderr.")] = None
    files: Annotated[
        Mapping[str, str],
        Meta(
            description="Files that the run must write, at most 64, each with the SHA-256 of its contents:"
            ' `{ "result.bin" = "…" }`.'
        ),
    ] = {}

    @property
    def wants_digests(self) -> bool:
        """Whether a digest of anything is wanted."""
        return self.stdout_sha256 is not None or self.stderr_sha256 is not None or bool(self.files)

    def accepts(self, exit_code: int | None) -> bool:
        """Whether a run with this exit code counts; ``None`` stands for death by a signal."""
        return self.exit == "any" or exit_code in (
            self.exit if isinstance(self.exit, tuple) else (self.exit,)
        )


class Program(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The program; strings still hold their ``{placeholders}``.

    Checked, ``commands`` has the levels of the factor ``command``, or one command named ``""``; with
    ``shell`` each is one word, handed to ``/bin/sh -c``.
    """

    command: Annotated[
        Command | None,
        Meta(description="The program and its arguments, one word each; one text with `shell = true`."),
    ] = None
    commands: Annotated[
        Mapping[str, Command],
        Meta(description="Several commands by name: the levels of a factor that is called `command`."),
    ] = {}
    shell: Annotated[
        bool, Meta(description="Commands are texts that `/bin/sh -c` reads; levels are put in quoted.")
    ] = False
    env: Annotated[Environment, Meta(description="Environment variables to set.")] = {}
    inherit: Annotated[
        bool, Meta(description="Hand on the whole environment instead of `PATH`, `HOME` and `LANG` only.")
    ] = False
    cwd: Annotated[
        str | None, Meta(description="Working directory; the directory of the spec by default.")
    ] = None
    stdin: Annotated[
        str | None, Meta(description="File that is the standard input; empty input by default.")
    ] = None
    inputs: Annotated[
        tuple[str, ...],
        Meta(
            description="Files that the program reads, or patterns with `*` and `**`: `file_cache` warms or"
            " drops them, with the program, its standard input and files that words of the command name."
        ),
    ] = ()
    output: Annotated[
        str,
        Meta(
            description="`capture` keeps the first 1 MiB of stdout and of stderr; `null` keeps nothing; a"
            " path with a `/` is a file that has the stdout of the last trial; no symbolic link may lead to"
            " its directory."
        ),
    ] = "capture"
    prepare: Annotated[Commands, Meta(description="Untimed, before each trial.")] = ()
    cleanup: Annotated[
        Commands, Meta(description="Untimed, after each trial, also after one that failed.")
    ] = ()
    setup_once: Annotated[Commands, Meta(description="Untimed, before the first block of a run.")] = ()
    cleanup_once: Annotated[Commands, Meta(description="Untimed, after the last block of a run.")] = ()
    before_block: Annotated[Commands, Meta(description="Untimed, before each block.")] = ()
    after_block: Annotated[Commands, Meta(description="Untimed, after each block.")] = ()
    between_blocks: Annotated[
        Commands,
        Meta(
            description="Between two blocks, as to restart the machine: the run ends after it, and `steelyard"
            " run` goes on."
        ),
    ] = ()
    between_treatments: Annotated[
        Commands,
        Meta(description='The same between two treatments, under `order = "nogueira-matias-2014"`.'),
    ] = ()
    timeout_s: Annotated[
        Duration | None,
        Meta(description="A trial that takes longer is ended, with all that it started, and has failed."),
    ] = msgspec.field(name="timeout", default=None)
    on_failure: Annotated[
        Literal["stop", "continue"] | None,
        Meta(
            description="`stop`: three trials of a treatment in a row that fail or time out end the run, and"
            " a block with one is run again. `continue`: they are outcomes; every block is run once, to the"
            ' end of the design. The default is `continue` with `failures = "as-limit"` under `[analysis]`,'
            " else `stop`."
        ),
    ] = None
    hook_timeout_s: Annotated[
        Duration,
        Meta(description="An untimed command, as `prepare` or of a level, that takes longer has failed."),
    ] = msgspec.field(name="hook_timeout", default=1800.0)
    cpu_limit_s: Annotated[
        Duration | None,
        Meta(
            description="CPU time of all processes of a trial together; a trial that uses more is ended, and"
            " has failed. Needs cgroup v2."
        ),
    ] = msgspec.field(name="cpu_limit", default=None)
    memory_limit_bytes: Annotated[
        Size | None,
        Meta(
            description="Memory of all processes of a trial together, without swap; the kernel ends a trial"
            " that needs more, and it has failed. Needs cgroup v2 with its memory controller."
        ),
    ] = msgspec.field(name="memory_limit", default=None)
    isolate: Annotated[
        bool,
        Meta(
            description="Give each trial, with its `prepare` and `cleanup`, a file system of its own, `/tmp`"
            " included: it finds the files of this machine, and what it writes is gone after it. Needs"
            " CAP_SYS_ADMIN and overlayfs."
        ),
    ] = False
    network: Annotated[
        bool,
        Meta(
            description="`false` gives each trial, with its `prepare` and `cleanup`, a network without"
            " devices but its own loopback. Needs CAP_SYS_ADMIN."
        ),
    ] = True
    nice: Annotated[
        Annotated[int, Meta(ge=-20, le=19)] | None,
        Meta(description="Nice value of the program; Steelyard's own by default."),
    ] = None
    counters: Annotated[
        tuple[str, ...],
        Meta(description="Events of the kernel to count; `:u` behind a name counts in user mode only."),
    ] = ()
    verify: Annotated[Verify, Meta(description="What a trial must do to count.")] = Verify()

    @property
    def has_limits(self) -> bool:
        """Whether a trial needs a control group of its own."""
        return self.cpu_limit_s is not None or self.memory_limit_bytes is not None
