"""``run_command``: steelyard as a process of its own, with limits of time and output."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import anyio
import anyio.abc
import msgspec

MOST_BYTES: Final = 400_000
"""Of an answer."""
MOST_BYTES_OF_ERROR: Final = 4_000
PATIENCE_S: Final = 10.0
"""From an interrupt to the end by force."""
WIDTH: Final = "100"


class Outcome(msgspec.Struct, frozen=True):
    """How a command ended.

    Attributes
    ----------
    exit_code : int or None
        ``None`` where its time was up.
    stdout, stderr : str
        The beginning of the one, the end of the other.
    is_cut : bool
        Whether more was printed than is kept.
    """

    exit_code: int | None
    stdout: str
    stderr: str
    is_cut: bool


async def run_command(words: Sequence[str], directory: Path, limit_s: float) -> Outcome:
    """Run ``steelyard WORDS`` in a directory; it ends at the latest with this call."""
    environment = {**os.environ, "COLUMNS": WIDTH, "NO_COLOR": "1", "PYTHONUTF8": "1"}
    process = await anyio.open_process(
        [sys.executable, "-P", "-m", "steelyard", *words],
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    output, errors = bytearray(), bytearray()
    is_cut = [False]

    async def keep_beginning(stream: anyio.abc.ByteReceiveStream) -> None:
        async for chunk in stream:
            room = MOST_BYTES - len(output)
            is_cut[0] |= len(chunk) > room
            output.extend(chunk[:room])

    async def keep_end(stream: anyio.abc.ByteReceiveStream) -> None:
        async for chunk in stream:
            errors.extend(chunk)
            del errors[:-MOST_BYTES_OF_ERROR]

    code: int | None = None
    try:
        with anyio.move_on_after(limit_s):
            async with anyio.create_task_group() as tasks:
                for keep, stream in ((keep_beginning, process.stdout), (keep_end, process.stderr)):
                    if stream is not None:  # Both are pipes.
                        tasks.start_soon(keep, stream)
            code = await process.wait()
    finally:
        await _end(process)
    return Outcome(code, output.decode(errors="replace"), errors.decode(errors="replace"), is_cut[0])


async def _end(process: anyio.abc.Process) -> None:
    """End what still runs: an interrupt first, after which its records can be continued."""
    with anyio.CancelScope(shield=True):
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGINT)
            with anyio.move_on_after(PATIENCE_S):
                await process.wait()
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        await process.aclose()
