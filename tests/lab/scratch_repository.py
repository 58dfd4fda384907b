"""Scratch repositories of git, which no configuration of the user's changes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path


class ScratchRepository:
    """A new repository in ``path``, with a branch ``main``, in which the same commands make the same ids."""

    FIRST_COMMAND_AT = 1_760_000_000

    def __init__(self, path: Path, env: Mapping[str, str] | None = None) -> None:
        self.path = path
        self.env = {
            **(os.environ if env is None else env),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
        }
        self._commands = 0
        path.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str) -> str:
        """What ``git WORDS`` prints."""
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        self._commands += 1
        date = f"{self.FIRST_COMMAND_AT + self._commands} +0000"
        env = {**self.env, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        return subprocess.run(
            ["git", *identity, *words], cwd=self.path, env=env, capture_output=True, text=True, check=True
        ).stdout.strip()

    def commit(self, *files: str, message: str = "change") -> str:
        """The id of a commit of these files, or of none."""
        if files:
            self.git("add", *files)
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


class Programs(ScratchRepository):
    """Commits are programs that use memory, of which no other process changes anything; ``sh build`` makes
    ``prog``.
    """

    def program(
        self, mebibytes: int, *, build: str = "cp prog.in prog && chmod +x prog", message: str = "change"
    ) -> str:
        """The id of the commit of a program that uses so much, and up to 5 % more, run after run in turns."""
        runs = self.path.parent / "runs"
        noise = f"$(({mebibytes * 1024} + ($(wc -l < {runs}) % 3) * {mebibytes * 25}))"
        (self.path / "prog.in").write_text(
            f"#!/bin/sh\necho >> {runs}\nexec dd if=/dev/zero of=/dev/null count=1 status=none bs={noise}K\n"
        )
        (self.path / "build").write_text(build + "\n")
        return self.commit("prog.in", "build", message=message)

    def line(self, count: int, at: int, *, small: int = 4, large: int = 16, **options: str) -> list[str]:
        """Commits of which number ``at`` makes it large; ``of`` has builds by ``c3``."""
        return [
            self.program(
                large if place >= at else small,
                message=f"commit {place}",
                **({"build": options[f"c{place}"]} if f"c{place}" in options else {}),
            )
            for place in range(count)
        ]


class Suites(ScratchRepository):
    """Commits are programs that report the contents of a file ``values`` as Google Benchmark would, within
    0.3 %.
    """

    BENCH = """#!/bin/sh
for word; do
    case $word in
        --benchmark_out=*) out=${{word#*=}} ;;
        --benchmark_filter=*) filter=${{word#*=}} ;;
    esac
done
runs=$(wc -l < {runs})
echo "$filter" >> {runs}
awk -v runs="$runs" -v filter="$filter" '
    BEGIN {{ printf "{{\\"context\\": {{}}, \\"benchmarks\\": [" }}
    $1 ~ filter {{
        time = $2 * (1 + ((runs * 7 + NR * 3) % 11 - 5) / 2000)
        printf "%s{{\\"name\\": \\"%s\\", ", comma, $1
        printf "\\"real_time\\": %.6f, \\"time_unit\\": \\"ns\\"}}", time
        comma = ","
    }}
    END {{ print "]}}" }}' values > "$out"
"""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.runs = path.parent / "runs"
        self.runs.touch()

    def suite(self, *, bench: str | None = None, **values: float) -> str:
        """The id of the commit of a program with these benchmarks."""
        (self.path / "bench").write_text(self.BENCH.format(runs=self.runs) if bench is None else bench)
        (self.path / "bench").chmod(0o755)
        (self.path / "values").write_text("".join(f"{name} {value}\n" for name, value in values.items()))
        return self.commit("bench", "values")

    @property
    def filters(self) -> list[str]:
        """The filter of each process, in their order; empty of a probe."""
        return self.runs.read_text().splitlines()
