"""``python -m steelyard``."""

from __future__ import annotations

from steelyard.cli import main

if __name__ == "__main__":
    main()
