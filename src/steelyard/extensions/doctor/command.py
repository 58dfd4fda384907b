"""``steelyard doctor``."""

from __future__ import annotations

import click

from steelyard.cli.declared import Options, take
from steelyard.cli.options import json_option
from steelyard.cli.terminal import show
from steelyard.core.errors import MachineError


class DoctorOptions(Options):
    """Options of ``steelyard doctor``."""

    as_json: bool = json_option


@click.command(short_help="Show what can be observed and controlled here, and how to improve it.")
@take(DoctorOptions)
@click.pass_context
def command(ctx: click.Context, options: DoctorOptions) -> None:
    """Show what can and cannot be observed and controlled on this machine, worst first.

    Also show what that means for results, and the one command that would improve each.

    The same facts are stored with every run.
    """
    from steelyard.extensions.doctor import inspect_host
    from steelyard.extensions.doctor.results import DOCTOR
    from steelyard.extensions.doctor.text import lines

    host = inspect_host()
    show(lambda: DOCTOR.text(host), lambda width: lines(host, width), as_json=options.as_json)
    ctx.exit(0 if host.able else MachineError.exit_code)
