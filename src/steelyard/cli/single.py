"""Options that a command line gives once: a value that a later one replaces would be dropped in silence."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

import click

from steelyard.core.errors import UsageError


class SingleOption(click.Option):
    """An option that is refused where it is given twice, unless it is ``multiple``."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Keep every value that the command line gives."""
        if self.multiple or self.count:
            super().add_to_parser(parser, ctx)
        elif self.is_flag:
            parser.add_option(self, self.opts, self.name, action="append_const", const=True)
        else:
            parser.add_option(self, self.opts, self.name, action="append", nargs=self.nargs)

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """Take the one value.

        Raises
        ------
        UsageError
            There are several.
        """
        if self.name in opts and not (self.multiple or self.count):
            values = opts[self.name]
            if len(values) > 1 and not ctx.resilient_parsing:
                raise self._refuse(values)
            opts = {**opts, self.name: values[-1]}
        return super().handle_parse_result(ctx, opts, args)

    def _refuse(self, values: list[Any]) -> UsageError:
        """Name the values that one command line gives, of which one would be lost."""
        name = max(self.opts, key=len)
        times = "twice" if len(values) == 2 else f"{len(values)} times"
        if self.is_flag:
            return UsageError(f"{name} is given {times}", hint="give it once")
        *first, last = (shlex.join(value if isinstance(value, tuple) else [str(value)]) for value in values)
        return UsageError(f"{name} is given {times}: {', '.join(first)} and {last}", hint="give it once")
