"""``file_cache``: whether the program and the files that it reads are in memory when it starts.

Of those files only: the program, its standard input, files that words of the command name (the script of an
interpreter is one), and ``inputs`` of ``[program]``. ``posix_fadvise`` tells the kernel to drop its pages of
them; the rest of the host's cache stays, and no right is needed. Pages that another process has mapped cannot
be dropped (libraries, a running interpreter); if that is all of them, the trial fails and says so.
"""

from __future__ import annotations

from typing import ClassVar

from steelyard.core.units import Scalar
from steelyard.interventions.launch_change import LaunchChange
from steelyard.interventions.named import Named


class FileCache(Named):
    """The page cache of the program's own files."""

    name: ClassVar[str] = "file_cache"
    about: ClassVar[str] = "whether the program and the files that it reads are in memory when it starts"
    levels_text: ClassVar[str] = '"warm" (read just before) or "dropped" (from memory)'
    levels: ClassVar[tuple[str, ...]] = ("warm", "dropped")

    def change(self, level: Scalar) -> LaunchChange:
        """Treatment of the files just before each trial."""
        return LaunchChange(file_cache="warm" if level == "warm" else "dropped")
