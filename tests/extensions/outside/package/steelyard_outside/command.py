"""``steelyard answer``."""

from __future__ import annotations

import click


@click.command(short_help="Print the answer.")
def command() -> None:
    """Print the answer to everything."""
    click.echo("42")
