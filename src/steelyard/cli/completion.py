"""``steelyard completion``: the script that makes a shell complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete


@click.command(short_help="Print the completion script for bash, zsh or fish.")
@click.argument("shell", metavar="bash|zsh|fish", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    r"""Print the completion script for a shell.

    \b
    bash   steelyard completion bash > ~/.local/share/bash-completion/completions/steelyard
    zsh    steelyard completion zsh > "${fpath[1]}/_steelyard"
    fish   steelyard completion fish > ~/.config/fish/completions/steelyard.fish
    """
    completion = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}[shell]
    click.echo(completion(ctx.find_root().command, {}, "steelyard", "_STEELYARD_COMPLETE").source())
