"""Programs that a study's own programs start: their output, and the lines of the protocol in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

AS_ROOT: Final = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
"""Open MPI refuses root without."""


def output(command: Sequence[object], **env: str) -> str:
    """Run a command and return what it writes, to either stream.

    Ends this program with that output where the command fails.
    """
    # Lines of the protocol go to stdout where no file is named.
    inherited = {name: value for name, value in os.environ.items() if name != "STEELYARD_METRICS"}
    words = [str(word) for word in command]
    done = subprocess.run(
        words,
        env={**inherited, **AS_ROOT, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        program = Path(sys.argv[0]).name
        sys.exit(f"{program}: {' '.join(words)}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def lines(text: str) -> list[dict[str, Any]]:
    """Read the lines of the protocol in an output."""
    return [json.loads(line) for line in text.splitlines() if line.startswith('{"steelyard"')]
