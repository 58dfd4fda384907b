"""Steelyard: a laboratory for performance experiments.

The Python API is ``steelyard.compare``, ``steelyard.measure`` and ``steelyard.Laboratory``, and all of
``steelyard.api`` (docs/python.md). Packages add to it by ``Extension``, ``Command``, ``ClaimKind`` and others
(docs/extensions.md). Importing the package itself costs nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
# As in typing, which takes 4 ms: the command line notices Ctrl-C before it loads that.
if TYPE_CHECKING:
    from typing import Any

    from steelyard.core.extension import (
        ClaimKind,
        Command,
        CompareMode,
        DataJudge,
        Extension,
        Predictor,
        Protocol,
    )
    from steelyard.laboratory import Laboratory, compare, measure

__version__ = "0.13.0"
__all__ = [
    "ClaimKind",
    "Command",
    "CompareMode",
    "DataJudge",
    "Extension",
    "Laboratory",
    "Predictor",
    "Protocol",
    "__version__",
    "compare",
    "measure",
]


def __getattr__(name: str) -> Any:
    if name in ("ClaimKind", "Command", "CompareMode", "DataJudge", "Extension", "Predictor", "Protocol"):
        # By themselves: extensions are looked for while the rest is being imported.
        from steelyard.core import extension

        return getattr(extension, name)
    if name in ("Laboratory", "compare", "measure"):
        from steelyard import laboratory

        return getattr(laboratory, name)
    raise AttributeError(f"module 'steelyard' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Names that a shell completes, also before they are loaded."""
    return sorted({*globals(), *__all__})
