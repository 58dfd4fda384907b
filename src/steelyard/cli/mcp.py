"""``steelyard mcp``."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.options import max_time_option
from steelyard.cli.paths import InputPath, PathCommand
from steelyard.core.errors import MachineError, UsageError


@click.command(cls=PathCommand, short_help="Serve four tools to agents: compare, gate, ratchet, explain.")
@click.option(
    "--root",
    type=InputPath(),
    default=".",
    show_default=True,
    metavar="DIR",
    help="Directory that all paths and programs lie in.",
)
@click.option(
    "--allow",
    "allowed",
    multiple=True,
    metavar="NAME",
    help="Installed program that tools may start, such as cargo; may be given several times.",
)
@max_time_option("End the command of a tool after this, builds included.", "1 h")
@click.option("--skill", is_flag=True, help="Print SKILL.md, which says when to use which tool, and end.")
def command(root: Path, allowed: tuple[str, ...], max_time_s: float, skill: bool) -> None:
    """Serve the Model Context Protocol over stdin and stdout, for one client, until it leaves.

    Tools start without a shell programs inside the root, and those that --allow names. Paths that lead out of
    the root are refused. This guards against mistakes and is not a sandbox: a program does what its user may.

    \b
    steelyard mcp --root . --allow cargo
    steelyard mcp --skill > .claude/skills/steelyard/SKILL.md
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    from steelyard.agents.skill import FILE
    from steelyard.agents.workplace import Workplace

    if skill:
        click.echo(FILE.read_text(encoding="utf-8"), nl=False)
        return
    if not root.is_dir():
        raise UsageError(f"{root} is not a directory", hint="name that of the project: --root DIR")
    wrong = next((name for name in allowed if "/" in name or not name), None)
    if wrong is not None:
        raise UsageError(f"--allow {wrong!r}: not the name of an installed program", hint="--allow cargo")
    try:
        from steelyard.agents.server import make_server
    except ImportError as error:
        raise MachineError(
            f"the SDK of the protocol is not installed ({error})",
            hint="install the extra: pip install mcp, or '.[mcp]' in a checkout",
        ) from None
    make_server(Workplace(root, allowed), max_time_s).run()
