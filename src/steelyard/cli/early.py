"""Ctrl-C while the command line is being imported, before there is anything that could be taken back.

From the import of this module to ``end``, it ends the process with 130, where it would be a traceback.
"""

from __future__ import annotations

# Not ``signal``, which loads enum: a millisecond in which Ctrl-C would still be a traceback.
import _signal  # type: ignore[import-not-found]
import os


def _exit(*_: object) -> None:
    # At once: modules that are half there cannot be cleaned up, and nothing else was begun.
    os.write(2, b"interrupted\n")
    os._exit(130)


def _start_early() -> None:
    # A signal that is ignored, or handled by somebody else, stays so.
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _set(_exit)


def end() -> None:
    """Ctrl-C raises ``KeyboardInterrupt`` again."""
    if _signal.getsignal(_signal.SIGINT) is _exit:
        _set(_signal.default_int_handler)


def _set(handler: object) -> None:
    try:
        _signal.signal(_signal.SIGINT, handler)
    except ValueError:  # not in the main thread, which alone gets signals
        return


_start_early()
