"""The examples run as they are, in fewer blocks."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from steelyard.spec import load

EXAMPLES = Path(__file__).parents[2] / "examples"
SPECS = sorted(EXAMPLES.glob("*/*.toml"))


def small(spec: Path) -> str:
    """The spec with two blocks of its own, whatever the precision."""
    lines = spec.read_text().splitlines()
    assert any(line.startswith("blocks = ") for line in lines)
    remaining = [line for line in lines if not line.startswith("stop = ")]
    return "\n".join("blocks = 2" if line.startswith("blocks = ") else line for line in remaining) + "\n"


def test_there_are_four_examples_and_their_readme_names_them():
    readme = (EXAMPLES / "README.md").read_text()
    assert len(SPECS) == 4
    assert all(f"({spec.relative_to(EXAMPLES)})" in readme for spec in SPECS)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler: the examples cannot be built")
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.stem)
def test_an_example_runs_and_every_trial_passes_its_verification(steelyard_cli, tmp_path: Path, spec: Path):
    place = tmp_path / spec.parent.name
    shutil.copytree(spec.parent, place, ignore=shutil.ignore_patterns("*.lab"))
    copy = place / spec.name
    copy.write_text(small(spec))
    done = steelyard_cli("run", str(copy), "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["design"]["blocks"] == 2
    primary = [sample for sample in answer["samples"] if sample["metric"] == load(spec).analysis.metric]
    assert {(item["n"], item["failed"]) for item in primary} == {(2, 0)}
    compared = {comparison["treatment"] for comparison in answer["comparisons"]}
    assert len(compared) == {"options": 2, "weak": 2, "lookups": 2, "flags": 7}[spec.stem]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.stem)
def test_an_example_can_be_planned(steelyard_cli, tmp_path: Path, spec: Path):
    done = steelyard_cli("plan", str(spec), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["experiment"] == load(spec).name
