"""A click group that knows its commands by name and imports a command when it is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from steelyard.core.errors import UsageError
from steelyard.core.extension import Command, find_extensions, list_built_in, load
from steelyard.run.native import require_linux


class CommandGroup(click.Group):
    """Commands of the core and of extensions; ``--help`` imports none of them."""

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
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in self.list_entries().items()])
