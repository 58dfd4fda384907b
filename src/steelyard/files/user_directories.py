"""Where a user's caches and records lie, by the XDG Base Directory Specification (version 0.8)."""

from __future__ import annotations

import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.core.errors import MachineError

if TYPE_CHECKING:
    from collections.abc import Mapping


def locate_cache(environ: Mapping[str, str]) -> Path:
    """Find ``$XDG_CACHE_HOME/steelyard``, or the same below ``~/.cache``.

    Raises
    ------
    MachineError
        No variable says where, and the user has no home.
    """
    return _choose_base(environ, "XDG_CACHE_HOME", ".cache") / "steelyard"


def locate_state(environ: Mapping[str, str]) -> Path:
    """Find ``$XDG_STATE_HOME/steelyard``, or the same below ``~/.local/state``.

    Raises
    ------
    MachineError
        No variable says where, and the user has no home.
    """
    return _choose_base(environ, "XDG_STATE_HOME", ".local/state") / "steelyard"


def propose_record(environ: Mapping[str, str], kind: str) -> Path:
    """Make up a new name below ``$XDG_STATE_HOME/steelyard``, where records without a spec are kept.

    Raises
    ------
    MachineError
        No variable says where, and the user has no home.
    """
    return locate_state(environ) / kind / f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}"


def _choose_base(environ: Mapping[str, str], variable: str, below_home: str) -> Path:
    # The specification: a relative path is to be ignored.
    base = Path(environ.get(variable, ""))
    if base.is_absolute():
        return base
    home = Path(environ.get("HOME", ""))
    if not home.is_absolute():
        try:
            home = Path("~").expanduser()
        except RuntimeError:
            home = Path()
    if not home.is_absolute():
        raise MachineError(
            f"neither {variable} nor HOME names a directory, and this user has no home",
            hint=f"export {variable}=DIRECTORY, an absolute path",
        )
    return home / below_home
