"""Lines of code of the core, room by room, and of each extension; and the route of one comparison.

``python scripts/size.py [--route]`` with Steelyard installed. A line of code has a token that is neither a
comment nor a docstring. The route is what ``steelyard compare`` of two commands loads, and the files whose
functions it calls: those that somebody reads who follows it. ``--route`` names them.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import subprocess
import sys
import tokenize
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

PACKAGE: Final = Path(__file__).resolve().parents[1] / "src" / "steelyard"
FACES: Final = ("api", "laboratory.py")
"""What names the core and extensions for programs; counted apart."""
SILENT: Final = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)
COMPARISON: Final = """
import atexit, json, sys, threading
called = set()

def note(frame, event, argument):
    # Modules and classes run when they are imported; only functions have fast locals (CO_OPTIMIZED).
    code = frame.f_code
    if event == "call" and code.co_flags & 1 and not code.co_name.endswith(("comp>", "genexpr>")):
        called.add(code.co_filename)

def tell():
    sys.setprofile(None)
    loaded = [name for name in sys.modules if name.startswith("steelyard.")]
    with open("route.json", "w") as out:
        json.dump([sorted(called), len(loaded)], out)

from steelyard.cli import main
atexit.register(tell)
threading.setprofile(note)
sys.setprofile(note)
sys.argv = ["steelyard", "compare", "--runs", "10", "/bin/true", "/bin/true -x"]
main()
"""


def count_code(text: str) -> int:
    """Count the lines of Python that hold more than a comment or a docstring."""
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        for child in getattr(node, "body", []) if not isinstance(node, ast.Lambda | ast.IfExp) else []:
            # A text that stands alone says something, and does nothing.
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                docstrings.update(range(child.lineno, (child.end_lineno or child.lineno) + 1))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in SILENT:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstrings)


def count_parts() -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Count the lines of code of the rooms of the core, of the extensions, and of what names both."""
    rooms: Counter[str] = Counter()
    extensions: Counter[str] = Counter()
    faces: Counter[str] = Counter()
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(PACKAGE).parts
        code = count_code(file.read_text(encoding="utf-8"))
        if parts[0] == "extensions":
            extensions[parts[1] if len(parts) > 2 else "(the list)"] += code
        elif parts[0] in FACES:
            faces[parts[0]] += code
        else:
            rooms[parts[0] if len(parts) > 1 else "(top)"] += code
    return rooms, extensions, faces


def follow_comparison() -> tuple[list[str], int]:
    """Run a comparison of two commands; return the files that it calls, and how many modules it loads."""
    with TemporaryDirectory() as directory:
        command = [sys.executable, "-c", COMPARISON]
        subprocess.run(command, cwd=directory, check=True, stdout=subprocess.DEVNULL)
        called, loaded = json.loads((Path(directory) / "route.json").read_text())
    inside = [Path(name).relative_to(PACKAGE) for name in called if Path(name).is_relative_to(PACKAGE)]
    return sorted(map(str, inside)), loaded


def main() -> None:
    """Count, follow, tell."""
    parser = argparse.ArgumentParser(prog="./dev size", description=__doc__)
    parser.add_argument("--route", action="store_true", help="name the files of the route")
    args = parser.parse_args()
    rooms, extensions, faces = count_parts()
    for title, counts in (("core", rooms), ("extensions", extensions), ("faces", faces)):
        print(f"{title:<24}{counts.total():>8,} lines of code")
        for name, count in counts.most_common():
            print(f"  {name:<22}{count:>8,}")
    files, loaded = follow_comparison()
    print(f"{'one comparison':<24}{len(files):>8,} files entered, {loaded:,} modules loaded")
    of_rooms = Counter(file.partition("/")[0] for file in files)
    for name, count in of_rooms.most_common():
        print(f"  {name:<22}{count:>8,}")
    if args.route:
        print("\n".join(files))


if __name__ == "__main__":
    main()
