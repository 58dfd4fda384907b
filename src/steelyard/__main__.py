"""``python -m steelyard``."""

from __future__ import annotations

from steelyard.cli import main

if __name__ == "__main__":
    try:
        main()
    finally:
        # CPython ends ``python -m`` by SIGINT, not with our 130, once Ctrl-C has passed through text that was
        # being evaluated (a namedtuple's); text that is evaluated to its end takes that back.
        eval("0")  # noqa: S307 -- a constant
