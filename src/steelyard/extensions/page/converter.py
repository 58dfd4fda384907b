"""The library that makes PNG and PDF of figures, and SVG of documents of Vega-Lite: vl-convert, an extra."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.core.errors import MachineError

if TYPE_CHECKING:
    from types import ModuleType


def converter() -> ModuleType:
    """Import the library.

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
