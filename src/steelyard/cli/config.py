"""``steelyard config``."""

from __future__ import annotations

from pathlib import Path

import click

_PACKAGE = Path(__file__).parent.parent
_PLACES = {
    "include": _PACKAGE / "include",
    "cmake": _PACKAGE / "share" / "cmake" / "steelyard",
    "pkgconfig": _PACKAGE / "share" / "pkgconfig",
}


@click.command(short_help="Print where steelyard.h is, for compilers, pkg-config and CMake.")
@click.option("--cflags", "piece", flag_value="cflags", help="Flags of a compiler (the default).")
@click.option("--include", "piece", flag_value="include", help="Directory of steelyard.h.")
@click.option("--cmake", "piece", flag_value="cmake", help="Directory for steelyard_DIR.")
@click.option("--schema", "piece", flag_value="schema", help="The JSON schema of specs, for editors.")
@click.option("--pkgconfig", "piece", flag_value="pkgconfig", help="Directory for PKG_CONFIG_PATH.")
def command(piece: str | None) -> None:
    """Print where the header of programs that measure themselves is, or the JSON schema of specs.

    \b
    cc $(steelyard config) program.c
    PKG_CONFIG_PATH=$(steelyard config --pkgconfig) pkg-config --cflags steelyard
    cmake -Dsteelyard_DIR=$(steelyard config --cmake) ...
    steelyard config --schema > spec.schema.json
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    if piece == "schema":
        from steelyard.results.document import write_json
        from steelyard.spec import schema

        click.echo(write_json(schema()), nl=False)
        return
    click.echo(str(_PLACES[piece]) if piece in _PLACES else f"-I{_PLACES['include']}")
