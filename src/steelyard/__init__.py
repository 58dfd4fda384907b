"""Steelyard: a laboratory for performance experiments.

The Python API is ``steelyard.Laboratory`` (docs/python.md), and below it ``steelyard.spec``,
``steelyard.lab`` and ``steelyard.scaling``; importing the package itself costs nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
# As in typing, which takes 4 ms: the command line notices Ctrl-C before it loads that.
if TYPE_CHECKING:
    from typing import Any

    from steelyard.laboratory import Laboratory

__version__ = "0.1.0"
__all__ = ["Laboratory", "__version__"]


def __getattr__(name: str) -> Any:
    if name == "Laboratory":
        from steelyard.laboratory import Laboratory

        return Laboratory
    raise AttributeError(f"module 'steelyard' has no attribute {name!r}")


def __dir__() -> list[str]:
    """What a shell completes: ``Laboratory`` also before it is loaded."""
    return sorted({*globals(), *__all__})
