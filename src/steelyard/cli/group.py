"""A click group that knows its commands by name and loads a command's module when it is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from keyword import iskeyword
from typing import Any, Final

import click

from steelyard.core.errors import UsageError
from steelyard.run.runner.native import require_linux

_ALL: Final = "steelyard.all_commands"
"""Key of a context's ``meta``: whether its help describes every command."""


def show_all(ctx: click.Context, _option: click.Parameter, is_set: bool) -> None:
    """Print the help with a line for every command, and end."""
    if is_set and not ctx.resilient_parsing:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help())
        ctx.exit()


class CommandGroup(click.Group):
    """Commands live in ``steelyard.cli.NAME`` as ``command``; their help lines are given beforehand.

    Its help describes those of ``first``, and names the others by topic.
    """

    def __init__(
        self,
        *args: Any,
        commands_help: dict[str, str],
        first: Sequence[str],
        topics: Mapping[str, Sequence[str]],
        linux_only: frozenset[str],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.commands_help = commands_help
        self.first = first
        self.topics = topics
        self.linux_only = linux_only

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the names in the order of the help."""
        return list(self.commands_help)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take ``--help --all`` for ``--all``, whichever comes first: each would print its help and end."""
        is_help = "--all" in args and {*args} <= {"--all", *self.get_help_option_names(ctx)}
        return super().parse_args(ctx, ["--all"] if is_help else args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command; ``None`` for an unknown name."""
        if cmd_name not in self.commands_help:
            return None
        module = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        if cmd_name in self.linux_only and not ctx.resilient_parsing:
            require_linux()
        command: click.Command = import_module(f"steelyard.cli.{module}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve as click does, but answer an unknown command with the nearest one."""
        name = args[0]
        if name not in self.commands_help and not name.startswith("-") and not ctx.resilient_parsing:
            import shlex
            from difflib import get_close_matches
            from shutil import which

            close = get_close_matches(name, self.commands_help, n=1)
            hint = f"steelyard {close[0]}" if close else "steelyard --help"
            if not close and (first := name.split()[:1]) and ("/" in first[0] or which(first[0])):
                # A program: what hyperfine runs without the name of a command.
                hint = f"steelyard compare {shlex.join(args)}"
            raise UsageError(f"unknown command {name!r}", hint=hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help lines without loading any command."""
        names = self.commands_help if _ALL in ctx.meta else self.first
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.commands_help[name]) for name in names])
        if _ALL not in ctx.meta:
            with formatter.section("More commands (steelyard --help --all describes them)"):
                formatter.write_dl([(topic, ", ".join(names)) for topic, names in self.topics.items()])
