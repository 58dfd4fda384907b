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
@click.option("--cflags", "what", flag_value="cflags", help="Flags of a compiler (the default).")
@click.option("--include", "what", flag_value="include", help="Directory of steelyard.h.")
@click.option("--cmake", "what", flag_value="cmake", help="Directory for steelyard_DIR.")
@click.option("--schema", "what", flag_value="schema", help="The JSON schema of specs, for editors.")
@click.option("--pkgconfig", "what", flag_value="pkgconfig", help="Directory for PKG_CONFIG_PATH.")
def command(what: str | None) -> None:
    """Print where the header of programs that measure themselves is, or the JSON schema of specs.

    \b
    cc $(steelyard config) program.c
    PKG_CONFIG_PATH=$(steelyard config --pkgconfig) pkg-config --cflags steelyard
    cmake -Dsteelyard_DIR=$(steelyard config --cmake) ...
    steelyard config --schema > spec.schema.json
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    if what == "schema":
        from steelyard.results.document import written
        from steelyard.spec import schema

        click.echo(written(schema()), nl=False)
        return
    click.echo(str(_PLACES[what]) if what in _PLACES else f"-I{_PLACES['include']}")
