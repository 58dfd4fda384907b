"""``steelyard completion``: the script that makes a shell complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete


@click.command(short_help="Print the completion script for bash, zsh or fish.")
@click.argument("shell", metavar="bash|zsh|fish", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script for a shell. It belongs into this file:

    \b
    bash   ~/.local/share/bash-completion/completions/steelyard
    zsh    "${fpath[1]}/_steelyard"
    fish   ~/.config/fish/completions/steelyard.fish
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    completion = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}[shell]
    click.echo(completion(ctx.find_root().command, {}, "steelyard", "_STEELYARD_COMPLETE").source())
