"""The server: four tools, one measurement at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from steelyard import __version__
from steelyard.core.errors import UsageError
from steelyard.extensions.agents.process import Outcome, run_command
from steelyard.extensions.agents.requests import Action, Requests
from steelyard.extensions.agents.skill import read_skill
from steelyard.extensions.agents.workplace import Workplace

JUDGED: Final = frozenset({0, 1, 3, 6})
"""Exit codes of a command that has an answer."""
MEANINGS: Final = {
    "compare": {0: "compared; see comparisons[].verdict", 3: "compared, and not as precisely as wanted"},
    "gate": {
        0: "nothing is slower or gone; what is open is not known to be equal",
        1: "a benchmark is slower",
        6: "a benchmark of base is gone",
    },
    "ratchet": {0: "a win, or what was asked for", 3: "not a win: put the files back"},
    "explain": {0: "answered", 1: "a claim of the record fails", 3: "something is not resolved"},
}

Command = Annotated[
    list[str],
    Field(description="Words of a command, without a shell. The program is a path inside the root."),
]
Build = Annotated[
    list[str], Field(description="Words of the command that builds a work tree; empty for none.")
]
Seconds = Annotated[float, Field(description="Budget of measurement in seconds; builds do not count.")]
Margin = Annotated[
    float | None,
    Field(description="Relative change that does not matter, such as 0.03; the default if null."),
]


def make_server(workplace: Workplace, limit_s: float) -> MCPServer[Any]:
    """Return a server whose tools work inside ``workplace``, each for at most ``limit_s``."""
    server: MCPServer[Any] = MCPServer(
        "steelyard", version=__version__, instructions=read_skill(), log_level="WARNING"
    )
    requests = Requests(workplace)
    turns = anyio.Lock()

    async def answer(tool: str, words: Sequence[str], *, is_json: bool = True) -> dict[str, Any]:
        # Two measurements at once would disturb each other.
        async with turns:
            outcome = await run_command(words, workplace.root, limit_s)
        return read_outcome(tool, outcome, limit_s, is_json=is_json)

    @server.tool()
    async def compare(
        commands: list[Command], max_time_s: Seconds = 60.0, margin: Margin = None
    ) -> dict[str, Any]:
        """Which of two or more commands is faster, by how much, and how sure that is.

        The first is the baseline. For one comparison of programs that exist; for one change of many, use
        ratchet.
        """
        return await answer(
            "compare", _refuse_as_tool(lambda: requests.compare(commands, max_time_s, margin))
        )

    @server.tool()
    async def gate(
        base: str,
        command: Command,
        head: str = "HEAD",
        build: Build = [],  # noqa: B006 -- read only, and part of the schema
        harness: str | None = None,
        max_time_s: Seconds = 300.0,
        margin: Margin = None,
    ) -> dict[str, Any]:
        """Which benchmarks of a project are slower in commit ``head`` than in ``base``.

        The command is that of its harness (cargo bench, go test -bench ., pytest, a program with Google
        Benchmark). Commit it.
        """
        return await answer(
            "gate",
            _refuse_as_tool(lambda: requests.gate(base, head, command, build, harness, max_time_s, margin)),
        )

    @server.tool()
    async def ratchet(
        action: Action,
        command: Command = [],  # noqa: B006
        build: Build = [],  # noqa: B006
        note: str = "",
    ) -> dict[str, Any]:
        """Try one of many changes in a row, show the ledger, or measure the whole gain.

        "try" measures the work tree against the best so far and keeps it if it is faster; "status" shows the
        ledger; "total" measures the whole gain in fresh runs. The first try names command and build, later
        ones only a note. Report the gain of "total", never that of a win.
        """
        return await answer(
            "ratchet", _refuse_as_tool(lambda: requests.ask_ratchet(action, command, build, note))
        )

    @server.tool()
    async def explain(record: str) -> dict[str, Any]:
        """Return what a record (a directory NAME.lab inside the root) says, in words.

        It has effects, intervals, warnings, and what cannot be concluded.
        """
        return await answer("explain", _refuse_as_tool(lambda: requests.explain(record)), is_json=False)

    return server


def read_outcome(tool: str, outcome: Outcome, limit_s: float, *, is_json: bool) -> dict[str, Any]:
    """Return what a tool returns.

    Raises
    ------
    ToolError
        The command has no answer: its time was up, it failed, or it printed too much.
    """
    if outcome.exit_code is None:
        raise ToolError(f"not done within {limit_s:g} s, and ended; ask for less: max_time_s")
    if outcome.exit_code not in JUDGED:
        raise ToolError(f"exit code {outcome.exit_code}: {outcome.stderr.strip()}")
    if outcome.is_cut:
        raise ToolError("the answer is too long; choose fewer benchmarks by a filter of the harness")
    meaning = MEANINGS[tool].get(outcome.exit_code, "")
    document: dict[str, Any] = {"exit_code": outcome.exit_code, "meaning": meaning}
    if not is_json:
        return {**document, "text": outcome.stdout}
    try:
        return {**document, "answer": json.loads(outcome.stdout)}
    except ValueError:
        raise ToolError(f"no answer: {outcome.stderr.strip() or outcome.stdout[:200]}") from None


def _refuse_as_tool(make: Callable[[], list[str]]) -> list[str]:
    """Return the words of a command, or what is wrong with what was asked for."""
    try:
        return make()
    except UsageError as error:
        raise ToolError(f"{error.message}. {error.hint or ''}".strip()) from None
