"""``stored/NAME.toml`` as records keep it: ``NAME.0.json`` of the first version, ``.1`` of the one with
durations as ``…_s``, ``.2`` of the one whose ``[launch]`` had the keys of every kind, ``.3`` of today.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from steelyard.spec import load, stored

FILES = sorted((Path(__file__).parent / "stored").glob("*.json"))


NAMED = [
    # Its claims are of growth.
    pytest.param(file, id=file.stem, marks=[pytest.mark.extensions("growth")] * ("simulated" in file.stem))
    for file in FILES
]


@pytest.mark.parametrize("file", NAMED)
def test_a_record_of_any_version_holds_the_experiment_of_its_spec(file):
    spec = file.with_name(f"{file.stem.partition('.')[0]}.toml")
    result = stored.decode(file.read_bytes())
    assert result == msgspec.structs.replace(load(spec), source="/lab")


def test_there_is_a_record_of_each_version():
    assert {file.stem.partition(".")[2] for file in FILES} == {"0", "1", "2", "3"}


@pytest.mark.parametrize("file", NAMED)
def test_what_is_written_today_reads_back(file):
    result = stored.decode(file.read_bytes())
    assert stored.decode(msgspec.json.encode(result)) == result


@pytest.mark.parametrize("text", ["[]", "{}", '{"program": null}', '{"name": "x", "later": 1}', '"text"'])
def test_the_spec_of_another_version_is_refused_as_such(text):
    with pytest.raises(msgspec.ValidationError):
        stored.decode(text)
