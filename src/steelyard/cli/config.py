"""``steelyard config``."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.declared import Options, declare, take
from steelyard.core.errors import UsageError

_PACKAGE = Path(__file__).parent.parent
_PLACES = {
    "include": _PACKAGE / "include",
    "cmake": _PACKAGE / "share" / "cmake" / "steelyard",
    "pkgconfig": _PACKAGE / "share" / "pkgconfig",
}


class ConfigOptions(Options):
    """Options of ``steelyard config``."""

    cflags: bool = declare("Flags of a compiler (the default).")
    include: bool = declare("Directory of steelyard.h.")
    cmake: bool = declare("Directory for steelyard_DIR.")
    schema: bool = declare("The JSON schema of specs, for editors.")
    pkgconfig: bool = declare("Directory for PKG_CONFIG_PATH.")


@click.command(short_help="Print where steelyard.h is, for compilers, pkg-config and CMake.")
@take(ConfigOptions)
def command(options: ConfigOptions) -> None:
    """Print where the header of programs that measure themselves is, or the JSON schema of specs.

    \b
    cc $(steelyard config) program.c
    PKG_CONFIG_PATH=$(steelyard config --pkgconfig) pkg-config --cflags steelyard
    cmake -Dsteelyard_DIR=$(steelyard config --cmake) ...
    steelyard config --schema > spec.schema.json
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    pieces = [name for name, is_chosen in vars(options).items() if is_chosen]
    if len(pieces) > 1:
        raise UsageError(f"--{pieces[0]} and --{pieces[1]}: one is printed", hint="leave one of them out")
    piece = pieces[0] if pieces else "cflags"
    if piece == "schema":
        from steelyard.results.document import write_json
        from steelyard.spec import schema

        click.echo(write_json(schema()), nl=False)
        return
    click.echo(str(_PLACES[piece]) if piece in _PLACES else f"-I{_PLACES['include']}")
