"""Vega, Vega-Lite and Vega-Embed as one script, from the installed vl-convert; nothing is fetched."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from steelyard.errors import MachineError
from steelyard.files.user_directories import locate_cache

if TYPE_CHECKING:
    from types import ModuleType


def converter() -> ModuleType:
    """Import the library that draws figures and has the scripts.

    Raises
    ------
    MachineError
        It is not installed.
    """
    try:
        import vl_convert
    except ImportError:
        raise MachineError(
            "pages and figures need vl-convert, which is not installed",
            hint="pip install vl-convert-python",
        ) from None
    return vl_convert


@cache
def bundle() -> str:
    """The script that defines ``vegaEmbed``; safe inside of an element of HTML.

    To put it together takes two seconds of CPU, so that it is kept under ``$XDG_CACHE_HOME/steelyard``, a
    file for each version of vl-convert; a cache that cannot be read or written costs the time only.
    """
    library = converter()
    file = locate_cache(os.environ) / f"vega-{library.__version__}.js"
    with suppress(OSError, UnicodeError):
        if (kept := file.read_text(encoding="utf-8")).endswith(_END):
            return kept
    code: str = library.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    made = code.replace("</script", "<\\/script").replace("<!--", "<\\!--") + _END
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_suffix(f".{os.getpid()}")
        partial.write_text(made, encoding="utf-8")
        partial.replace(file)
    return made


_END = "\n// whole\n"
