"""The column *evidence*: what decides a statement, and by which factor virtual time is off."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import beside
import pytest
from declarations import Data, Declaration
from evidence import Effect, read_effects, write_effect, write_evidence

STUDIES = Path(__file__).resolve().parents[1]
VALUES = {
    "here.csv": [{"implementation": "openmpi"}],
    "plain.csv": [{"time_s": "1"}],
    "there.csv": [{"implementation": "virtual"}, {"implementation": "virtual"}],
    "torus.csv": [{"implementation": "smpi"}],
    "mixed.csv": [{"implementation": "virtual"}, {"implementation": "openmpi"}],
}
DATA = Data(STUDIES, VALUES)


def cell(*files: str, origin: str = "measured here", **module: object) -> str:
    """The cell of a statement that rests on these files."""
    declaration = Declaration("rate", "measured", files, origin=origin)  # type: ignore[arg-type]
    return write_evidence(declaration, SimpleNamespace(**module), DATA)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (("here.csv",), "real"),
        (("plain.csv",), "real"),
        (("there.csv",), "virtual"),
        (("torus.csv",), "SimGrid"),
        (("mixed.csv",), "real"),
        (("here.csv", "there.csv", "plain.csv"), "real, virtual"),
    ],
)
def test_values_say_what_ran_for_them(files, words):
    assert cell(*files) == words


def test_a_study_says_what_ran_where_its_values_do_not():
    assert cell("plain.csv", EVIDENCE={"plain.csv": "virtual"}) == "virtual"
    assert cell("plain.csv", EVIDENCE={"here.csv": "virtual"}) == "real"


def test_counts_are_told_and_data_of_authors_stand_alone():
    assert cell("there.csv", BY_COUNTS={"rate"}) == "virtual, count"
    assert cell("there.csv", BY_COUNTS={"another"}) == "virtual"
    assert cell("there.csv", origin="the authors' data") == "the authors' data"


def test_a_definition_rests_on_nothing():
    assert write_evidence(Declaration("rate", "set-up"), SimpleNamespace(), DATA) == ""  # type: ignore[arg-type]


def test_an_effect_carries_its_factor_only_where_virtual_time_misses_it():
    effects = [Effect("a over b", 1, 2.0, 2.4), Effect("a over b", 2, 2.0, 1.0), Effect("c over d", 1, 1, 9)]
    assert write_effect("a over b", effects) == "a over b: 0.5 × at p = 2"
    assert write_effect("a over b", effects[:1]) == "a over b: within 25 %"
    assert write_effect("c over d", effects) == "c over d: 9 × at p = 1"


@pytest.mark.parametrize(("virtual", "is_held"), [(1.25, True), (1.26, False), (0.8, True), (0.79, False)])
def test_the_limit_is_the_same_either_way(virtual, is_held):
    assert Effect("", 1, 1.0, virtual).is_held == is_held


def test_an_effect_that_nobody_measured_is_an_error():
    with pytest.raises(LookupError, match="no effect 'a over b'"):
        write_effect("a over b", [])


@pytest.mark.parametrize("study", beside.studies())
def test_every_named_statement_file_and_effect_exists(study):
    module = beside.load(study)
    cells = (declared for _, declared in getattr(module, "CELLS", ()))
    declared = {item.id: item for item in (*module.DECLARATIONS, *cells) if isinstance(item, Declaration)}
    files = {file for item in declared.values() for file in item.data}
    assert set(getattr(module, "EVIDENCE", {})) <= files
    assert set(getattr(module, "BY_COUNTS", ())) <= set(declared)
    effects = getattr(module, "EFFECTS", {})
    assert set(effects) <= set(declared)
    assert {name for names in effects.values() for name in names} <= {item.name for item in read_effects()}


@pytest.mark.parametrize("study", ["grappa", "value-of-variance"])
def test_statements_of_times_in_virtual_time_name_the_effects_they_hang_on(study):
    module = beside.load(study)
    data = Data(STUDIES / study)
    for item in module.DECLARATIONS:
        words = write_evidence(item, module, data)
        if "virtual" in words.partition(" (")[0].split(", ") and "count" not in words.partition(" (")[0]:
            rests_on = [module.EFFECTS, module.NOT_MEASURED, getattr(module, "OWN_RATE", ())]
            assert [item.id in table for table in rests_on].count(True) == 1, item.id
