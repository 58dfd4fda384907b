"""A click group that knows its commands by name and imports a command when it is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import click

from steelyard.core.errors import UsageError
from steelyard.core.extension import Command, find_extensions, list_built_in, list_problems, load
from steelyard.run.native import require_linux

_TOPICS: Final = ("runs and records", "growth", "other tools", "commits", "what moves a time")
"""Order of the first topics of the help; others follow as they come."""
_ALL: Final = "steelyard.all_commands"
"""Key of a context's ``meta``: whether its help describes every command."""


def show_all(ctx: click.Context, _option: click.Parameter, is_set: bool) -> None:
    """Print the help with a line for every command, and end."""
    if is_set and not ctx.resilient_parsing:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help())
        ctx.exit()


class CommandGroup(click.Group):
    """Commands of the core and of extensions; ``--help`` imports none of them.

    It describes those without a topic, and names the others by theirs.
    """

    def __init__(self, *args: Any, core: Mapping[str, Command], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.core = core

    def list_entries(self) -> dict[str, Command]:
        """List every command by name, in the order of the help; extensions replace none of the core."""
        added = {
            name: entry
            for extension in find_extensions().usable
            for name, entry in extension.commands.items()
        }
        return {**self.core, **{name: entry for name, entry in added.items() if name not in self.core}}

    def find_entry(self, name: str) -> Command | None:
        """Find a command; extensions of other packages are looked for only where none of ours has it."""
        if name in self.core:
            return self.core[name]
        for extension in list_built_in():
            if name in extension.commands:
                return extension.commands[name]
        return self.list_entries().get(name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the names in the order of the help."""
        return list(self.list_entries())

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take ``--help --all`` for ``--all``, whichever comes first: each would print its help and end."""
        is_help = "--all" in args and {*args} <= {"--all", *self.get_help_option_names(ctx)}
        return super().parse_args(ctx, ["--all"] if is_help else args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command; ``None`` for an unknown name."""
        entry = self.find_entry(cmd_name)
        if entry is None:
            return None
        if entry.linux_only and not ctx.resilient_parsing:
            require_linux()
        command: click.Command = load(entry.place)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve as click does, but answer an unknown command with the nearest one."""
        name = args[0]
        if not name.startswith("-") and not ctx.resilient_parsing and self.find_entry(name) is None:
            import shlex
            from difflib import get_close_matches
            from shutil import which

            close = get_close_matches(name, self.list_entries(), n=1)
            hint = f"steelyard {close[0]}" if close else "steelyard --help"
            if not close and (first := name.split()[:1]) and ("/" in first[0] or which(first[0])):
                # A program: what hyperfine runs without the name of a command.
                hint = f"steelyard compare {shlex.join(args)}"
            raise UsageError(f"unknown command {name!r}", hint=hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help lines without loading any command."""
        entries = self.list_entries()
        with formatter.section("Commands"):
            described = entries if _ALL in ctx.meta else {n: e for n, e in entries.items() if not e.topic}
            formatter.write_dl([(name, entry.help) for name, entry in described.items()])
        if _ALL not in ctx.meta:
            topics: dict[str, list[str]] = {topic: [] for topic in _TOPICS}
            for name, entry in entries.items():
                if entry.topic:
                    topics.setdefault(entry.topic, []).append(name)
            with formatter.section("More commands (steelyard --help --all describes them)"):
                formatter.write_dl([(topic, ", ".join(names)) for topic, names in topics.items() if names])
        hidden = [
            (extension.name, f"its command {name!r} is one of Steelyard's own: another name can be used")
            for extension in find_extensions().usable
            for name in extension.commands
            if name in self.core
        ]
        if problems := [*((problem.name, problem.reason) for problem in list_problems()), *hidden]:
            with formatter.section("Extensions that cannot be used"):
                formatter.write_dl(problems)
