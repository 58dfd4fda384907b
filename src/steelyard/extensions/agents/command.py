"""``steelyard mcp``."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.declared import Options, declare, take
from steelyard.cli.options import max_time_option
from steelyard.cli.paths import InputPath, PathCommand
from steelyard.core.errors import MachineError, UsageError


class McpOptions(Options):
    """Options of ``steelyard mcp``."""

    root: Path = declare(
        "Directory that all paths and programs lie in.", metavar="DIR", default=".", type=InputPath()
    )
    allowed: tuple[str, ...] = declare(
        "Installed program that tools may start, such as cargo; may be given several times.",
        "--allow",
        metavar="NAME",
    )
    max_time_s: float = max_time_option("End the command of a tool after this, builds included.", "1 h")
    skill: bool = declare("Print SKILL.md, which says when to use which tool, and end.")


@click.command(cls=PathCommand, short_help="Serve four tools to agents: compare, gate, ratchet, explain.")
@take(McpOptions)
def command(options: McpOptions) -> None:
    """Serve the Model Context Protocol over stdin and stdout, for one client, until it leaves.

    Tools start without a shell programs inside the root, and those that --allow names. Paths that lead out of
    the root are refused. This guards against mistakes and is not a sandbox: a program does what its user may.

    \b
    steelyard mcp --root . --allow cargo
    steelyard mcp --skill > .claude/skills/steelyard/SKILL.md
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    from steelyard.extensions.agents.skill import FILE
    from steelyard.extensions.agents.workplace import Workplace

    if options.skill:
        click.echo(FILE.read_text(encoding="utf-8"), nl=False)
        return
    if not options.root.is_dir():
        raise UsageError(f"{options.root} is not a directory", hint="name that of the project: --root DIR")
    wrong = next((name for name in options.allowed if "/" in name or not name), None)
    if wrong is not None:
        raise UsageError(f"--allow {wrong!r}: not the name of an installed program", hint="--allow cargo")
    try:
        from steelyard.extensions.agents.server import make_server
    except ImportError as error:
        raise MachineError(
            f"the SDK of the protocol is not installed ({error})",
            hint="install the extra: pip install mcp, or '.[mcp]' in a checkout",
        ) from None
    make_server(Workplace(options.root, options.allowed), options.max_time_s).run()
