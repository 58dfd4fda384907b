"""A copy of the tree in which a mutant stands on disk, so that processes that tests start meet it, too."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

import selection
from mutants import ROOT, Mutant

sys.path.insert(0, str(ROOT / "scripts"))

from door.alone import EXTENSIONS, Part, copy_tree
from door.levels import read_needs
from door.stages import environment

LIMIT_S: Final = 600.0
"""For the tests of one mutant, which judge nothing where it runs out. A test without an end fails by a limit
of its own."""
TEST_LIMIT_S: Final = 120
FAILED: Final = "FAILED "

State = Literal["killed", "out of time", "survived", "no test"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of a mutant."""

    state: State
    by: str
    """The first test that failed; empty where none did."""
    files: int
    """How many files of tests were chosen for it."""
    took_s: float


@dataclass(slots=True)
class Bench:
    """A copy of the whole laboratory, one mutant at a time."""

    copy: Path
    passing: set[str] = field(default_factory=set)
    """Tests that are known to pass without a mutant."""
    failing: set[str] = field(default_factory=set)
    """Tests that fail without one here: they judge nothing."""

    @classmethod
    def make(cls, directory: Path) -> Bench:
        """Copy the tree with all extensions, and compile it: no byte code is written later."""
        names = read_needs(ROOT / EXTENSIONS / "__init__.py")
        copy_tree(Part("all", frozenset(names)), directory)
        python = str(directory / ".venv/bin/python")
        subprocess.run([python, "-m", "compileall", "-q", str(directory / "src")], check=True)
        return cls(directory)

    def judge(self, mutant: Mutant) -> Judgement:
        """Run the tests that are chosen for a mutant until one fails that passes without it."""
        files = [name for name in selection.choose(mutant.path) if (self.copy / name).exists()]
        started = time.monotonic()
        if not files:
            return Judgement("no test", "", 0, 0.0)
        file = self.copy / mutant.path.relative_to(ROOT)
        # Of the copy: the tree may have changed since, and another file of today belongs to other neighbours.
        original, status = file.read_bytes(), file.stat()
        state: State | None = None
        by = ""
        while state is None:
            file.write_text(mutant.code)
            code, by = self._test(files)
            # With the time that it had, so that its byte code is that of its text again.
            file.write_bytes(original)
            os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
            if code is None:
                state = "out of time"
            elif code == 0:
                state = "survived"
            elif not by or by in self.passing or self._test([by])[0] == 0:
                # Without a name: modules do not import, so that nothing was collected.
                self.passing.add(by)
                state = "killed"
            else:
                self.failing.add(by)
        return Judgement(state, by, len(files), time.monotonic() - started)

    def _test(self, tests: list[str]) -> tuple[int | None, str]:
        """Return the exit code, ``None`` where time ran out, and the first test that failed."""
        options = ["-x", "-q", "--tb=no", "-rfE", "-p", "no:cacheprovider", f"--timeout={TEST_LIMIT_S}"]
        options += ["-m", "not simulates and not installs", "--hypothesis-profile=brief"]
        options += [f"--deselect={test}" for test in sorted(self.failing)]
        env = environment() | {"PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1"}
        env["PATH"] = f"{self.copy / '.venv/bin'}{os.pathsep}{env['PATH']}"
        try:
            done = subprocess.run(
                [self.copy / ".venv/bin/python", "-m", "pytest", *options, *tests],
                cwd=self.copy,
                env=env,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=LIMIT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None, ""
        named = [line for line in done.stdout.splitlines() if line.startswith((FAILED, "ERROR "))]
        first = named[0].partition(" ")[2].partition(" - ")[0] if named else ""
        # 5: every test that was chosen is left out by its mark.
        return 0 if done.returncode == 5 else done.returncode, first if "::" in first else ""
