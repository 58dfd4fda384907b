"""Input files of the packaged programs, the same bytes everywhere: ``inputs.py DIRECTORY``."""

from __future__ import annotations

import random
import sys
from pathlib import Path

SEED = 2014
WORDS = 60_000
LETTERS = "etaoinshrdlu"
BLOB_BYTES = 12_000_000


def text(source: random.Random) -> str:
    """Lines of ten words, the k-th word of a vocabulary about 1/k as often as the first."""
    vocabulary = [
        "".join(LETTERS[int(source.random() * len(LETTERS))] for _ in range(2 + int(source.random() * 8)))
        for _ in range(2000)
    ]
    # random() alone has the same values in every version of Python.
    drawn = [vocabulary[int(len(vocabulary) ** source.random()) - 1] for _ in range(WORDS)]
    return "".join(" ".join(drawn[i : i + 10]) + "\n" for i in range(0, WORDS, 10))


def main() -> None:
    """Write ``text``, ``blob`` and ``pi.bc``."""
    directory = Path(sys.argv[1])
    source = random.Random(SEED)
    (directory / "text").write_text(text(source), encoding="ascii")
    (directory / "blob").write_bytes(
        bytes(int(256 * source.random()) for _ in range(BLOB_BYTES // 400)) * 400
    )
    (directory / "pi.bc").write_text("scale = 350\n4 * a(1)\nquit\n", encoding="ascii")


if __name__ == "__main__":
    main()
