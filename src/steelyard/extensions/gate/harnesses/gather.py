"""Run a harness that writes its results into a directory, and gather them into one file of JSON.

A program of its own, with the standard library alone: ``python -I gather.py FILE PATTERN WORDS…``.
``{results}`` in the words is a new directory; files in it that match the pattern are joined, lists of equal
names after one another. A value that is not a number becomes null. The exit code is that of the harness.
``CONFIG=FILE`` among the words is a file of ASV, of which a copy with these results stands there.
``ROOT=DIRECTORY`` is the tree of which pytest-codspeed's files are: it names them by the repository around
it, or by their whole paths.
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
ROOT: Final = "ROOT="
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


def shorten_files(benchmarks: list[dict[str, Any]], root: Path) -> None:
    """Name the files of pytest-codspeed's benchmarks by their paths in a tree."""
    around = next((place for place in (root, *root.parents) if (place / ".git").exists()), root)
    for entry in benchmarks:
        file, between, name = entry["uri"].partition("::")
        path = (around / file).resolve()
        if path.is_relative_to(root):
            entry["uri"] = f"{path.relative_to(root)}{between}{name}"


def _replace(file: Path, content: bytes) -> None:
    """Write a new file and give it the name: a link that a benchmark put there is not followed."""
    with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as out:
        out.write(content)
    Path(out.name).replace(file)


def main(words: list[str]) -> int:
    """Run, gather, and return the exit code of the harness."""
    metrics, pattern, *command = words
    root = command.pop(0).removeprefix(ROOT) if command[0].startswith(ROOT) else None
    with tempfile.TemporaryDirectory(prefix="steelyard-gather-") as name:
        place = Path(name)
        launched = [
            copy_config(Path(word.removeprefix(CONFIG)), place)
            if word.startswith(CONFIG)
            else word.replace(RESULTS, name)
            for word in command
        ]
        code = subprocess.run(launched, stdin=subprocess.DEVNULL, check=False).returncode
        documents = [
            json.loads(file.read_text(encoding="utf-8-sig"), parse_constant=lambda _: None)
            for file in sorted(place.glob(pattern))
        ]
    if documents:
        document = join(documents)
        if root is not None:
            shorten_files(document["benchmarks"], Path(root).resolve())
        _replace(Path(metrics), json.dumps(document).encode())
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
