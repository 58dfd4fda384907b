"""The libraries that draw: Vega as a script of the page, in the package; vl-convert for figures, an extra."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from steelyard.core.errors import MachineError

if TYPE_CHECKING:
    from types import ModuleType

SCRIPT: Final = Path(__file__).parents[2] / "_native" / "vega.js.gz"
"""Written when the package is built: ``native/page``."""


def converter() -> ModuleType:
    """Import the library that draws figures.

    Raises
    ------
    MachineError
        It is not installed.
    """
    try:
        import vl_convert
    except ImportError:
        raise MachineError(
            "figures need vl-convert, which is not installed",
            hint="pip install vl-convert-python",
        ) from None
    return vl_convert


@cache
def bundle() -> str:
    """Read the script that defines ``vegaEmbed``; it is safe inside of an element of HTML.

    Raises
    ------
    MachineError
        The installation lacks it.
    """
    try:
        return gzip.decompress(SCRIPT.read_bytes()).decode()
    except OSError as error:
        raise MachineError(
            f"{SCRIPT}: the script of the page cannot be read ({error.strerror})",
            hint="pip install --force-reinstall steelyard",
        ) from None
