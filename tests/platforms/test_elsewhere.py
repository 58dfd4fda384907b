"""Records are read and judged on macOS and Windows as on Linux; only measuring is refused there.

Neither system is at hand: ``elsewhere.py`` takes away what Python lacks there. How their kernels and file
systems behave beyond that is not tested.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SHIM = Path(__file__).with_name("elsewhere.py")
SYSTEMS = ("darwin", "win32")
SPEC = """\
name = "sizes"

[program]
commands = { small = ["echo", "size=1"], large = ["echo", "size=2"] }

[design]
blocks = 6

[metrics]
size = { pattern = 'size=(\\d)', better = "lower" }

[analysis]
metric = "size"

[[claims]]
slower = { command = "large" }
than = { command = "small" }
"""
SERIES = "\n".join(
    json.dumps({"params": {"p": p}, "metric": "time", "callpath": "main", "value": 2.0 * p + noise})
    for p in (4, 8, 16, 32, 64)
    for noise in (0.0, 0.01, -0.01)
)
READING = {
    "analyze": ["analyze", "old.lab", "--json"],
    "status": ["status", "old.lab"],
    "check": ["check", "--no-run", "old.lab"],
    "compare": ["compare", "old.lab", "new.lab", "--metric", "size"],
    "history": ["history", "old.lab", "new.lab", "third.lab"],
    "model": ["model", "series.jsonl"],
    "growth": ["check", "series.jsonl", "--at-most", "O(p)"],
    "export": ["export", "old.lab", "--format", "hyperfine-2"],
}
WRITING = {
    "import": ["import", "peer.json", "-o", "imported.lab"],
    "imported": ["analyze", "imported.lab"],
    "report": ["report", "old.lab", "-o", "page.html"],
    "again": ["report", "old.lab", "-o", "page.html"],
    "recover": ["recover", "old.lab", "recovered.lab"],
}
MEASURING = {
    "run": ["run", "sizes.toml", "-o", "fresh.lab"],
    "compare": ["compare", "true", "false"],
    "check": ["check", "sizes.toml"],
    "doctor": ["doctor"],
    "demo": ["demo"],
    "audit": ["audit", "true"],
    "observe": ["observe", "--probe", "strace", "true"],
    "bisect": ["bisect", "a", "b", "--build", "make", "--", "true"],
}


def run_as(system, commands, directory):
    words = [sys.executable, str(SHIM), system, json.dumps(list(commands.values()))]
    done = subprocess.run(words, cwd=directory, capture_output=True, text=True, check=True)
    return dict(zip(commands, json.loads(done.stdout), strict=True))


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """Three records that were measured on this machine, and what Linux says of them."""
    directory = tmp_path_factory.mktemp("platforms")
    (directory / "sizes.toml").write_text(SPEC)
    (directory / "series.jsonl").write_text(SERIES)
    names = ("old", "new", "third")
    results = run_as("linux", {name: ["run", "sizes.toml", "-o", f"{name}.lab"] for name in names}, directory)
    results |= run_as(
        "linux", {"peer": ["export", "old.lab", "-f", "hyperfine", "--metric", "wall_s"]}, directory
    )
    (directory / "peer.json").write_text(results["peer"]["stdout"])
    assert {item["code"] for item in results.values()} == {0}, results
    return directory


@pytest.fixture(scope="module")
def linux(records):
    return run_as("linux", READING, records)


@pytest.fixture(scope="module", params=SYSTEMS)
def elsewhere(request, records, tmp_path_factory):
    system = request.param
    fresh = tmp_path_factory.mktemp(system)
    (fresh / "sizes.toml").write_text(SPEC)
    for name in ("imported.lab", "recovered.lab"):
        shutil.rmtree(records / name, ignore_errors=True)
    return run_as(system, READING | WRITING, records), run_as(system, MEASURING, fresh)


@pytest.mark.parametrize("name", READING)
def test_what_is_read_is_answered_as_on_linux(name, linux, elsewhere):
    outcomes, _ = elsewhere
    assert outcomes[name] == linux[name]
    assert linux[name]["code"] == 0, linux[name]


@pytest.mark.parametrize("name", WRITING)
def test_records_and_pages_are_written(name, elsewhere):
    outcomes, _ = elsewhere
    assert outcomes[name]["code"] == 0, outcomes[name]


@pytest.mark.parametrize("name", MEASURING)
def test_measuring_is_refused_with_what_works_there(name, elsewhere):
    _, refused = elsewhere
    assert refused[name]["code"] == 4, refused[name]
    assert refused[name]["stderr"].startswith("error: measuring needs Linux")
    assert "compare OLD.lab NEW.lab" in refused[name]["stderr"]
