"""Run a harness that writes its results into a directory, and gather them into one file of JSON.

A program of its own, with the standard library alone: ``python -I gather.py FILE PATTERN WORDS…``.
``{results}`` in the words is a new directory; files in it that match the pattern are joined, lists of equal
names after one another. A value that is not a number becomes null. The exit code is that of the harness.
``CONFIG=FILE`` among the words is a file of ASV, of which a copy with these results stands there.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

RESULTS: Final = "{results}"
CONFIG: Final = "CONFIG="
_PATHS: Final = ("repo", "benchmark_dir", "env_dir", "html_dir")
"""Of a configuration of ASV, which are relative to it."""
_STRING_OR_COMMENT: Final = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)


def join(documents: list[dict[str, Any]]) -> dict[str, Any]:
    """One document of several: lists are joined, of the rest the first counts."""
    joined: dict[str, Any] = {}
    for document in documents:
        for key, value in document.items():
            if isinstance(joined.get(key), list) and isinstance(value, list):
                joined[key] = [*joined[key], *value]
            else:
                joined.setdefault(key, value)
    return joined


def read_config(text: str) -> dict[str, Any]:
    """JSON with comments and commas at ends, as ASV reads it."""

    def keep(match: re.Match[str]) -> str:
        return match[0] if match[0].startswith('"') else ""

    # Commas may stand before comments.
    document = json.loads(_STRING_OR_COMMENT.sub(keep, _STRING_OR_COMMENT.sub(keep, text)))
    return document if isinstance(document, dict) else {}


def copy_config(file: Path, place: Path) -> str:
    """Return a copy of a configuration in ``place``, with results there and all other paths as they were."""
    config = read_config(file.read_text(encoding="utf-8"))
    for key in _PATHS:
        value = config.get(key, "benchmarks" if key == "benchmark_dir" else None)
        if value is not None and "://" not in value:
            config[key] = str((file.parent / value).resolve())
    config["results_dir"] = str(place / "results")
    copy = place / "asv.conf.json"
    copy.write_text(json.dumps(config), encoding="utf-8")
    return f"--config={copy}"


def _replace(file: Path, content: bytes) -> None:
    """Write a new file and give it the name: a link that a benchmark put there is not followed."""
    with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as out:
        out.write(content)
    Path(out.name).replace(file)


def main(words: list[str]) -> int:
    """Run, gather, and return the exit code of the harness."""
    metrics, pattern, *command = words
    with tempfile.TemporaryDirectory(prefix="steelyard-gather-") as name:
        place = Path(name)
        launched = [
            copy_config(Path(word.removeprefix(CONFIG)), place)
            if word.startswith(CONFIG)
            else word.replace(RESULTS, name)
            for word in command
        ]
        code = subprocess.run(launched, stdin=subprocess.DEVNULL, check=False).returncode
        if code:
            return code if code > 0 else 128 - code
        documents = [
            json.loads(file.read_text(encoding="utf-8-sig"), parse_constant=lambda _: None)
            for file in sorted(place.glob(pattern))
        ]
    if documents:
        _replace(Path(metrics), json.dumps(join(documents)).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
