"""``steelyard completion``, and what a shell completes as the value of an option.

Names are looked up when they are asked for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Complete = Callable[[click.Context, click.Parameter, str], list[str]]
CompletePaths = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]


def complete_names(names: Callable[[], Iterable[str]]) -> Complete:
    """Complete one of the names, which are looked up when a shell asks."""
    return lambda _ctx, _param, begun: [name for name in names() if name.startswith(begun)]


def _complete_list(names: Callable[[], Iterable[str]]) -> Complete:
    """Complete the last of names that are joined by commas."""

    def complete(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[str]:
        before, comma, last = begun.rpartition(",")
        texts = before.split(",")
        return [f"{before}{comma}{name}" for name in names() if name.startswith(last) and name not in texts]

    return complete


def _make_metrics() -> Iterable[str]:
    from steelyard.core.units import BUILTIN

    return BUILTIN


def _make_counters() -> Iterable[str]:
    from steelyard.core.counters import EVENTS

    return EVENTS


def _make_paths(*, specs: bool, records: bool) -> CompletePaths:
    """Complete specs or records in the directory being typed; without any, directories."""

    def complete(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        place, slash, start = begun.rpartition("/")
        path = Path(os.path.expanduser(place + slash) or os.curdir)  # noqa: PTH111 -- "~/" alone is not a Path
        entries = [text for text in _list(path) if text.startswith(start) and (start or text[0] != ".")]
        ours = [
            entry
            for entry in entries
            if (records and _is_record(path / entry)) or (specs and _is_spec(path / entry))
        ]
        if not ours:
            return [CompletionItem(begun, type="dir")]
        if any(re.search(r"[^\w./~+:@%^,=-]", our) for our in ours):
            # The shell writes what has to be quoted; it offers all files then.
            return [CompletionItem(begun, type="file")]
        rest = [path / entry for entry in entries if entry not in ours]
        texts = [f"{path.name}/" for path in rest if path.is_dir() and not _is_record(path)]
        return [CompletionItem(place + slash + text) for text in (*ours, *texts)]

    return complete


def _get_files(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Leave completion to the shell: a command starts with a file or a program."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(begun, type="file")]


def _list(directory: Path) -> list[str]:
    try:
        return sorted(os.listdir(directory))  # noqa: PTH208 -- names are all that is wanted
    except OSError:
        return []


def _is_record(path: Path) -> bool:
    return path.name == "record.sqlite" or (path / "record.sqlite").is_file()


def _is_spec(path: Path) -> bool:
    return path.suffix == ".toml" and path.is_file()


def _format_baselines(ctx: click.Context, _param: click.Parameter, begun: str) -> list[str]:
    """Complete factors with their levels, of the record on the line; nothing if it cannot be read."""
    from steelyard.core.errors import SteelyardError
    from steelyard.lab.run.existing_record import find_record
    from steelyard.store import Record

    # With an option that still lacks its value, click leaves the argument unread.
    named = ctx.params.get("record") or next(iter(ctx.args), None)
    try:
        if named is None:
            return []
        with Record.open(find_record(Path(named))) as record:
            levels = [treatment.levels for treatment in record.treatments]
    except (SteelyardError, OSError):
        return []
    words = dict.fromkeys(f"{name}={level}" for row in levels for name, level in row.items())
    return [word for word in words if word.startswith(begun)]


metrics = complete_names(_make_metrics)
counters = _complete_list(_make_counters)
baselines: Complete = _format_baselines
specs = _make_paths(specs=True, records=False)
# A record is also named by its spec, if that is beside it.
records = _make_paths(specs=True, records=True)
commands: CompletePaths = _get_files


@click.command(short_help="Print the completion script for bash, zsh or fish.")
@click.argument("shell", metavar="bash|zsh|fish", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script for a shell. It belongs in this file:

    \b
    bash   ~/.local/share/bash-completion/completions/steelyard
    zsh    "${fpath[1]}/_steelyard"
    fish   ~/.config/fish/completions/steelyard.fish
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    from click.shell_completion import BashComplete, FishComplete, ZshComplete

    made_by = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}[shell]
    click.echo(made_by(ctx.find_root().command, {}, "steelyard", "_STEELYARD_COMPLETE").source())
