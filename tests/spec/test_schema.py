from __future__ import annotations

import json

import msgspec

from steelyard.spec import schema
from steelyard.spec.tables.spec import SpecTable


def test_the_schema_knows_every_table_and_refuses_other_keys():
    document = json.loads(json.dumps(schema()))
    spec = document["$defs"]["SpecTable"]
    assert set(spec["properties"]) == set(SpecTable.__struct_fields__)
    assert spec["required"] == ["program"]
    assert all(item["additionalProperties"] is False for item in document["$defs"].values())


def test_the_schema_knows_ranges_and_alternatives():
    design = schema()["$defs"]["Design"]["properties"]
    assert design["blocks"]["minimum"] == 1
    assert design["order"]["enum"] == ["nogueira-matias-2014", "randomized", "sequential"]
    assert design["blocks"]["default"] == 10


def test_the_schema_says_a_sentence_about_every_key():
    for table in schema()["$defs"].values():
        for key, key_schema in table["properties"].items():
            assert key_schema["description"].endswith("."), (table["title"], key)


def test_the_schema_is_of_a_version_that_editors_know():
    assert schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema()["$ref"] == "#/$defs/SpecTable"


def test_tables_and_experiment_agree_about_defaults():
    tables = msgspec.convert({"program": {"command": ["p"]}}, SpecTable)
    from steelyard.spec import experiment

    built = experiment(program={"command": ["p"]})
    for name in ("blocks", "replicates", "discard", "seed", "order", "kind"):
        assert getattr(tables.design, name) == getattr(built.design, name)
    keys = ("metric", "estimand", "alpha", "margin", "failures", "protocol", "alternative", "ks_policy")
    for name in keys:
        assert getattr(tables.analysis, name) == getattr(built.analysis, name)
    assert (tables.analysis.family, built.analysis.family) == (None, "baseline")  # hangs on the protocol
