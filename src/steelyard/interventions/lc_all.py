"""``lc_all``: locale, language and character set of the program (``LC_ALL``, POSIX.1-2024, chapter 8.2).

Sorting, matching and formatting text take several times as long in some locales as in C.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final

from steelyard.core.units import Scalar
from steelyard.interventions.intervention import Intervention
from steelyard.interventions.launch_change import LaunchChange

INHERITED: Final = "inherited"
ALWAYS: Final = ("C", "C.UTF-8")
_NAME: Final = re.compile(r"(C|POSIX|[a-z]{2,3}_[A-Z]{2})(\.[A-Za-z0-9-]+)?(@[a-z]+)?")
_ALL_CATEGORIES: Final = 0x1FBF
"""``LC_ALL_MASK`` of glibc, less ``LC_ALL`` itself."""
_INSTALLED: Final = Path("/usr/lib/locale")


def has_locale(name: str) -> bool:
    """Whether the C library of this machine has a locale; the process keeps its own."""
    import ctypes

    library = ctypes.CDLL(None)
    library.newlocale.restype = ctypes.c_void_p
    library.newlocale.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
    library.freelocale.argtypes = (ctypes.c_void_p,)
    handle = library.newlocale(_ALL_CATEGORIES, name.encode(), None)
    if handle:
        library.freelocale(handle)
    return bool(handle)


class LcAll(Intervention):
    """Locale of the program."""

    name: ClassVar[str] = "lc_all"
    about: ClassVar[str] = "language and character set (LC_ALL)"
    levels_text: ClassVar[str] = (
        'the name of a locale, such as "C" or "en_US.UTF-8", or "inherited" (as the environment has it)'
    )
    variables: ClassVar[frozenset[str]] = frozenset({"LC_ALL"})

    def check(self, level: Scalar) -> Scalar:
        """Return the name; see ``Intervention.check``."""
        if level != INHERITED and not (isinstance(level, str) and _NAME.fullmatch(level)):
            raise self.make_refusal(level)
        return level

    def missing(self, level: Scalar) -> str | None:
        """Missing for the level: a locale that is not installed."""
        if level == INHERITED or has_locale(str(level)):
            return None
        return f"the locale {level} is not installed (locale -a lists those that are)"

    def change(self, level: Scalar) -> LaunchChange:
        """One variable; none where the environment decides."""
        return LaunchChange() if level == INHERITED else LaunchChange(env={"LC_ALL": str(level)})

    def population(self) -> Sequence[Scalar]:
        """Return the environment's own, the two that every machine has, and the first further one."""
        names = sorted(place.name for place in _INSTALLED.glob("*_*") if place.is_dir())
        further = next((name for name in ("en_US.UTF-8", "en_GB.UTF-8", *names) if has_locale(name)), None)
        return (INHERITED, *(name for name in ALWAYS if has_locale(name)), *([further] if further else []))
