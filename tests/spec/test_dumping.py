from __future__ import annotations

import tomllib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.core.estimand import INTERVALS
from steelyard.core.extension import list_protocols
from steelyard.interventions import INTERVENTIONS
from steelyard.spec import Experiment, dumps, experiment, load, loads
from steelyard.spec.text.placeholders import RESERVED, escape

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
WORD = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=12
).filter(str.strip)
NAME = st.from_regex(r"[a-z][a-z0-9_]{0,6}", fullmatch=True).filter(
    lambda n: n not in {*RESERVED, *INTERVENTIONS, "command", "aslr_"}
)
LEVEL = st.one_of(TEXT, st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False))
SECONDS = st.floats(1e-3, 1e6)


@st.composite
def levels(draw):
    return draw(st.lists(LEVEL, min_size=1, max_size=4, unique_by=(str, lambda level: level)))


@st.composite
def hooks(draw):
    return draw(st.lists(st.lists(WORD.map(escape), min_size=1, max_size=3), max_size=2))


@st.composite
def programs(draw, names):
    words = [f"{{{name}}}" for name in names]
    first = draw(WORD.map(escape))
    program = {
        "env": draw(
            st.dictionaries(st.from_regex(r"[A-R][A-Z_]{0,5}", fullmatch=True), TEXT.map(escape), max_size=2)
        ),
        "inherit": draw(st.booleans()),
        "output": draw(st.sampled_from(["capture", "null"])),
        "prepare": draw(hooks()),
        "after_block": draw(hooks()),
        "counters": draw(st.lists(st.sampled_from(["cycles", "page_faults:u"]), max_size=2, unique=True)),
        "verify": {"exit": draw(st.sampled_from(["any", 0, 3]))},
    }
    if draw(st.booleans()):
        program |= {
            "cwd": draw(WORD.map(escape)),
            "stdin": draw(WORD.map(escape)),
            "nice": draw(st.integers(-20, 19)),
            "inputs": draw(st.lists(WORD.map(escape), max_size=2)),
        }
    if draw(st.booleans()):
        program["timeout"] = draw(SECONDS)
    if draw(st.booleans()):
        keys = draw(st.lists(WORD, min_size=1, max_size=3, unique=True))
        return program | {"commands": {key: [first, *words] for key in keys}}
    return program | {"command": [first, *words]}


@st.composite
def protocols(draw):
    # A copy of ./dev test alone may lack it.
    if not list_protocols() or draw(st.booleans()):
        return {}
    family = draw(st.sampled_from([None, "baseline", "all-pairs"]))
    directions = ["two-sided", "faster"] if family == "baseline" else ["two-sided"]
    return {
        "protocol": "nogueira-matias-2014",
        "family": family,
        "alternative": draw(st.sampled_from(directions)),
        "ks_policy": draw(st.sampled_from(["flag", "veto"])),
    }


@st.composite
def experiments(draw):
    names = draw(st.lists(NAME, min_size=1, max_size=4, unique=True))
    factors = {name: draw(levels()) for name in names}
    passes = draw(st.integers(1, 3))
    blocks = passes * draw(st.integers(1, 20))
    tables = {
        "name": draw(st.sampled_from(["x", 'O2 "against" O3', "é 😀 \\n"])),
        "program": draw(programs(names)),
        "factors": factors,
        "design": {
            "blocks": blocks,
            "replicates": draw(st.integers(1, 3)),
            "discard": draw(st.integers(0, 3)),
            "seed": draw(st.integers(0, 2**63 - 1)),
        },
        "analysis": {
            "alpha": draw(st.floats(0.001, 0.5)),
            "margin": draw(st.none() | st.floats(0.001, 0.5)),
            "failures": draw(st.sampled_from(["refuse", "ignore"])),
            **draw(protocols()),
            "uncertainty": draw(st.sampled_from(["mean", "sample"])),
            **draw(
                st.sampled_from(
                    [{"estimand": e, "interval": i} for e, kinds in INTERVALS.items() for i in kinds]
                )
            ),
        },
    }
    if draw(st.booleans()):
        level = {"factor": names[0], "level": factors[names[0]][-1], "leave": ["rm", draw(WORD.map(escape))]}
        tables["levels"] = [level | draw(st.sampled_from([{}, {"change": "hard"}, {"enter": ["x"]}]))]
    if draw(st.booleans()):
        tables["contexts"] = {
            "env_bytes": draw(st.sampled_from(["random", {"range": [0, 4096], "step": 16}])),
            "passes": passes,
        }
        tables["contexts"]["heap_offset"] = draw(st.sampled_from([None, "random", 64, [0, 64]]))
        tables["contexts"]["scheduling"] = draw(st.sampled_from([None, "random", "batch", ["other", "idle"]]))
        tables["contexts"]["aslr"] = draw(st.sampled_from([None, "off", True, ["on", "off"]]))
        stop = {"rel_halfwidth": draw(st.floats(0.001, 0.5)), "max_blocks": passes * (blocks + 10)}
        strict = {"strict": True, "max_blocks": passes * (blocks + 40)}
        result = draw(st.sampled_from([{}, {"max_time": 0.1}, {"max_time": "3 h"}, strict]))
        tables["design"]["stop"] = stop | result
    if draw(st.booleans()):
        tables["factors"] = {
            **factors,
            "linked_0": {"zip": ["affinity", "aslr_"], "levels": [["0", 1], ["none", 2]]},
        }
        tables["program"]["stdin"] = "{aslr_}"
    # The protocol compares all pairs unless it is told otherwise, and these have no baseline.
    pairs = "protocol" in tables["analysis"] and tables["analysis"]["family"] != "baseline"
    if len(factors[names[0]]) > 1 and not pairs and draw(st.booleans()):
        tables["analysis"]["baseline"] = {names[0]: draw(st.sampled_from(factors[names[0]]))}
    elif draw(st.booleans()):
        tables["analysis"]["strata"] = names[:1]
    if len(factors[names[0]]) > 2:
        tables["design"]["exclude"] = (
            [{names[0]: factors[names[0]][-1]}] if "baseline" not in tables["analysis"] else []
        )
    if "exclude" not in tables["design"] and "baseline" not in tables["analysis"]:
        tables["design"]["kind"] = draw(st.sampled_from(["full", "one-at-a-time"]))
    tables["metrics"] = {
        "Rate": {"source": "lines", "unit": draw(st.sampled_from(["", "1/s", "s"])), "reduce": "min"},
        "Derived": {
            "derive": "Rate * 2 / wall_s",
            "better": draw(st.sampled_from(["lower", "higher", "neither"])),
        },
    }
    return experiment(source="/lab", **tables)


@given(experiments())
def test_an_experiment_survives_its_text(original):
    text = dumps(original)
    assert loads(text, source="/lab") == original
    assert dumps(loads(text, source="/lab")) == text


@given(experiments())
def test_levels_keep_their_types_in_the_text(original):
    back = loads(dumps(original), source="/lab")
    for before, after in zip(original.factors, back.factors, strict=True):
        assert [type(level) for level in after.levels] == [type(level) for level in before.levels]


@given(experiments())
def test_an_experiment_survives_json_as_records_keep_it(original):
    back = msgspec.json.decode(msgspec.json.encode(original), type=Experiment)
    assert back == original
    assert [type(level) for factor in back.factors for level in factor.levels] == [
        type(level) for factor in original.factors for level in factor.levels
    ]


def test_what_has_its_default_is_left_out():
    assert (
        dumps(experiment(name="x", program={"command": ["p"]}))
        == 'name = "x"\n\n[program]\ncommand = ["p"]\n'
    )


def test_the_text_is_what_a_person_would_write():
    built = experiment(
        name="x",
        program={
            "command": ["{build}/p", "{n}"],
            "timeout": "1 min",
            "verify": {"exit": "any", "stdout": "ok"},
        },
        build={"command": ["make", "OUT={build}"], "timeout": "1 h"},
        factors={"n": [1, 2], "w": {"zip": ["aslr", "affinity"], "levels": [["on", "0"], ["off", "1"]]}},
        contexts={"env_bytes": {"range": [0, 4096], "step": 16}, "passes": 2},
        design={"exclude": [{"n": 1, "aslr": "on"}], "stop": {"rel_halfwidth": 0.02, "max_time": "10 min"}},
        metrics={"rate": {"pattern": "r=(.)", "better": "higher"}},
        analysis={"baseline": {"n": 2}},
    )
    assert (
        dumps(built)
        == """\
name = "x"

[program]
command = ["{build}/p", "{n}"]
timeout = 60.0
verify = { exit = "any", stdout = "ok" }

[build]
command = ["make", "OUT={build}"]
timeout = 3600.0

[factors]
n = [1, 2]
w = { zip = ["aslr", "affinity"], levels = [["on", "0"], ["off", "1"]] }

[contexts]
env_bytes = { range = [0, 4096], step = 16 }
passes = 2

[design]
exclude = [{ n = 1, aslr = "on" }]
stop = { rel_halfwidth = 0.02, max_time = 600.0 }

[metrics]
rate = { pattern = "r=(.)", source = "stdout", better = "higher" }

[analysis]
strata = ["aslr", "affinity"]
baseline = { n = 2 }
"""
    )


def test_a_baseline_without_strata_stays_without_them():
    built = experiment(
        program={"command": ["p", "{n}"]},
        factors={"n": [1, 2]},
        analysis={"baseline": {"n": 1}, "strata": []},
    )
    assert loads(dumps(built), source=built.source, name="experiment").analysis.strata == ()


@pytest.mark.parametrize("command", ["a | b", "echo \"{n}\" 'x'", "multi\nline"])
def test_shell_commands_survive_their_text(command):
    program = {"shell": True, "command": command + " {n}"}
    built = experiment(name="x", program=program, factors={"n": [1, 2]}, source="/lab")
    assert tomllib.loads(dumps(built))["program"]["command"] == program["command"]
    assert loads(dumps(built), source="/lab") == built


def test_the_text_can_be_run_as_a_file(tmp_path):
    built = experiment(name="x", program={"command": ["p"]}, source=tmp_path)
    path = tmp_path / "again.toml"
    path.write_text(dumps(built))
    assert load(path) == built
