"""Every spec of a study can be read, and what it names is there."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from steelyard.api import load
from steelyard.api.design import list_places

STUDIES = Path(__file__).parents[2] / "studies"
SPECS = [
    path for path in sorted(STUDIES.glob("*/*.toml")) if "program" in tomllib.loads(path.read_text("utf-8"))
]
"""Other files have claims alone, which a script adds to a spec."""


def test_the_studies_have_specs_and_no_two_of_one_name():
    names = [load(spec).name for spec in SPECS]
    assert len(names) > 20
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: f"{spec.parent.name}/{spec.stem}")
def test_a_spec_can_be_read_and_the_files_that_it_names_are_there(spec):
    experiment = load(spec)
    if experiment.build is not None:
        for pattern in experiment.build.inputs:
            assert [*Path(experiment.source).glob(pattern.removeprefix("{source}/"))], pattern
    platform = getattr(experiment.launch, "platform", None)
    if platform is not None:
        machines = next(
            (factor.levels for factor in experiment.factors if f"{{{factor.name}}}" in platform), [None]
        )
        for machine in machines:
            assert list_places(spec.parent / f"{platform.replace('{machine}', str(machine))}.xml", 4)
