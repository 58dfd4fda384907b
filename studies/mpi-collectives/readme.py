"""Put tables into README.md, from what the study keeps: ``readme.py``.

Below each heading that names a table, what is there up to the next heading, figure or paragraph in bold is
written again. Nothing is simulated; the text around stays, and may have to follow.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import cells
import conclusions
import further
import pages
import study

PRINTED = ("topologies", "selectors", "noise", "allocations", "sizes", "memory", "real", "connected")
MACHINES = ("flat", "torus", "fat-tree", "dragonfly")
LIBRARIES = ("openmpi", "mpich", "impi")


def made() -> Iterator[tuple[str, str]]:
    """Headings, and what stands below each."""
    for part in PRINTED:
        for block in re.split(r"^### ", study.tables_kept(part), flags=re.MULTILINE)[1:]:
            title, _, body = block.partition("\n")
            yield title, body
    yield "What § 3.3 concludes, claim by claim, simulated", conclusions.table()
    result = cells.kept()
    for library in LIBRARIES:
        yield f"{library}, guidelines", cells.by_size(library, result)
    for machine in MACHINES:
        texts = [
            fromkey
            for fromkey in dict.fromkeys(item.of for item in result)
            if fromkey.partition("@")[0] == machine
        ]
        yield f"{machine}, guidelines, simulated", cells.by_machine(result, texts)
    for part in further.REACH:
        yield f"{part}, continued", further.table(further.loop_of(part))


def main() -> int:
    """Write the file; the exit code is 1 where a table has no heading there."""
    text = pages.read(study.HERE)
    missing = []
    for title, body in made():
        below = re.compile(rf"(?<=^#### {re.escape(title)}\n).*?(?=^(?:#|!|\*\*))", re.MULTILINE | re.DOTALL)
        # A backslash in a table is itself.
        stripped = body.strip().replace("\\", r"\\")
        text, result = below.subn(f"\n{stripped}\n\n", text, count=1)
        missing += [] if result else [title]
    pages.write(study.HERE, text)
    for title in missing:
        print(f"README.md has no heading '#### {title}'", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
