"""pytest-codspeed: tests with its fixture or its mark, run by pytest, in wall time."""

from __future__ import annotations

import os
import posixpath
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from steelyard.extensions.gate.harnesses import gather
from steelyard.extensions.gate.harnesses.harness import (
    SHARE,
    HarnessProgram,
    Selection,
    Tree,
    add_missing,
)
from steelyard.extensions.gate.harnesses.pytest_benchmark import PytestBenchmark, is_test_path

_OPTION: Final = "--codspeed"


class Codspeed(PytestBenchmark):
    """It writes JSON into a directory, with names of files that are of the repository around them."""

    name = "pytest-codspeed"
    source = "pytest-codspeed"
    default_s = 4.0

    def is_started_by(self, words: Sequence[str], tree: Path) -> bool:
        """Recognise the harness by one of its options among the words of pytest."""
        return super().is_started_by(words, tree) and any(word.startswith(_OPTION) for word in words)

    def find_programs(self, words: Sequence[str], tree: Tree) -> list[HarnessProgram]:
        """Return the command, with the top of the tree as it is seen from where it starts."""
        (program,) = super().find_programs(words, tree)
        top = os.path.relpath(tree.root, tree.path)
        return [replace(program, words=(*program.words, f"{gather.ROOT}{top}"))]

    def launch(self, program: HarnessProgram, selection: Selection) -> list[str]:
        """Return rounds for a short time, of these tests alone."""
        *words, root = program.words
        top = root.removeprefix(gather.ROOT)
        short = {
            _OPTION: "",
            "--codspeed-mode": "walltime",
            "--codspeed-warmup-time": f"{0.2 / SHARE:g}",
            "--codspeed-max-time": f"{3 / SHARE:g}",
            "--rootdir": ".",
        }
        return [
            *(sys.executable, "-I", gather.__file__, selection.metrics, "results/*.json", root),
            *("env", f"CODSPEED_PROFILE_FOLDER={gather.RESULTS}"),
            *(word for word in words if not (selection.names and is_test_path(word))),
            *add_missing(words, short),
            *("-q", "-p", "no:cacheprovider"),
            *(posixpath.normpath(posixpath.join(top, name)) for name in selection.names),
        ]
