"""The session of ``steelyard gate`` that docs/gate.md and the README show, made anew by a real run.

``python scripts/documentation/gate_session.py`` takes examples/gate as a repository of two commits, the
second of which makes one function copy its result for each element, and prints what ``steelyard gate``
says of it. Takes minutes.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

EXAMPLE: Final = Path(__file__).resolve().parents[2] / "examples" / "gate"
COMMAND: Final = ("steelyard", "gate", "main", "--", "python", "-m", "pytest", "benchmarks")
BEFORE: Final = "result.append(left[i])"
AFTER: Final = "result = [*result, left[i]]"
_AUTHOR: Final = ("-c", "user.name=example", "-c", "user.email=example@example.org")


def make_repository(directory: Path) -> None:
    """Make the repository: ``main``, and the slower commit as its head."""
    shutil.copytree(EXAMPLE, directory, dirs_exist_ok=True)
    commit(directory, "init", "--quiet", "--initial-branch=main")
    sorting = directory / "sorting.py"
    sorting.write_text(sorting.read_text(encoding="utf-8").replace(BEFORE, AFTER), encoding="utf-8")
    commit(directory, "checkout", "--quiet", "-b", "change")


def commit(directory: Path, *before: str) -> None:
    """Commit everything, after another command of git."""
    for words in (before, ("add", "--all"), (*_AUTHOR, "commit", "--quiet", "--message", "example")):
        subprocess.run(["git", *words], cwd=directory, check=True)


def main() -> int:
    """Run the gate and print its session; return its exit code, which is 1."""
    with tempfile.TemporaryDirectory() as directory:
        make_repository(Path(directory))
        program = Path(sys.executable).parent / COMMAND[0]
        # The Python of the environment is what runs the benchmarks.
        command = [str(program), *COMMAND[1:4], sys.executable, *COMMAND[5:]]
        done = subprocess.run(command, cwd=directory, stdout=subprocess.PIPE, text=True, check=False)
    print(f"$ {' '.join(COMMAND)}\n{done.stdout}", end="")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
