"""``[[claims]]``: what is understood, and that every mistake names value, place and cure."""

from __future__ import annotations

import json

import msgspec
import pytest

from steelyard.core.errors import SpecError
from steelyard.spec import dumps, experiment, loads, stored
from steelyard.spec.claims.best import Best
from steelyard.spec.claims.limit import Limit
from steelyard.spec.claims.ratio import Equivalent, Faster, NotSlower, Slower

TOP = """[program]
command = ["prog", "{opt}", "{n}"]

[factors]
opt = ["O2", "O3"]
n = [1000, 2000]

[metrics]
latency_s = { source = "lines", unit = "s" }
"""


def test_one_table_of_claims_is_told_of_the_brackets():
    with pytest.raises(SpecError) as caught:
        loads(f'{TOP}\n[claims]\nfaster = {{ opt = "O3" }}\n', source="/lab", name="spec.toml")
    assert caught.value.hint == "write [[claims]], with two brackets on either side"


def claim(text):
    return f"{TOP}\n[[claims]]\n{text}\n"


EVERY_KIND = """
[[claims]]
faster = { opt = "O3" }
than = { opt = "O2" }
by = 1.02
name = "the new optimiser pays"

[[claims]]
slower = { opt = "O2", n = 1000 }
than = { opt = "O3", n = 1000 }

[[claims]]
not_slower = { opt = "O3" }
than = { opt = "O2" }
by = "2.5%"

[[claims]]
equivalent = { n = 1000 }
to = { n = 2000 }
within = 0.05
metric = "rss_bytes"
where = { opt = "O2" }

[[claims]]
limit = "rss_bytes"
at = { n = 8192 }
max = "24 GB"

[[claims]]
limit = "latency_s"
max = "5 ms"
parameter = "p"

[[claims]]
best = "opt"
level = "O3"

"""
KINDS_OF_GROWTH = """
[[claims]]
scales = "latency_s"
parameter = "p"
expect = "O(log p)"
deviation = "p^0.5"
where = { op = "bcast" }
litmus = { op = "tree" }
at = { p = 8192.0 }

[[claims]]
rule = "allreduce <= reduce + bcast"
over = "op"
metric = "latency_s"
parameter = "p"
"""


def test_every_kind_of_the_core_is_read_into_its_type(read):
    claims = read(TOP + EVERY_KIND).claims
    kinds = [Faster, Slower, NotSlower, Equivalent, Limit, Limit, Best]
    assert [type(item) for item in claims] == kinds
    assert claims[0].strata == ("n",)
    assert claims[1].strata == ()
    assert claims[2].by == 0.025
    assert claims[4].max == 24e9
    assert claims[5].max == 0.005


@pytest.mark.extensions("growth")
def test_every_kind_of_growth_is_read_into_its_type(read):
    from steelyard.extensions.growth.rule_claim import Rule
    from steelyard.extensions.growth.scales_claim import Scales

    assert [type(item) for item in read(TOP + KINDS_OF_GROWTH).claims] == [Scales, Rule]


@pytest.mark.parametrize(
    "text", [EVERY_KIND, pytest.param(KINDS_OF_GROWTH, marks=pytest.mark.extensions("growth"))]
)
def test_claims_survive_their_text_and_the_json_of_records(read, text):
    built = read(TOP + text)
    assert loads(dumps(built), source="/lab", name="spec.toml") == built
    assert stored.decode(msgspec.json.encode(built)) == built


def test_a_record_of_a_spec_without_claims_still_opens():
    document = json.loads(msgspec.json.encode(experiment(program={"command": ["p"]})))
    del document["claims"]
    assert stored.decode(json.dumps(document)).claims == ()


def test_without_than_the_baseline_of_the_analysis_is_meant(read):
    (claims,) = read(claim('faster = { opt = "O3" }\n[analysis]\nbaseline = { opt = "O2" }')).claims
    assert claims.than == {"opt": "O2"}


def test_factors_that_change_together_with_a_named_one_are_no_strata(read):
    text = """[program]
command = ["prog", "{nodes}", "{scale}"]
[factors]
weak = { zip = ["nodes", "scale"], levels = [[1, 14], [2, 15]] }
[[claims]]
faster = { nodes = 1 }
than = { nodes = 2 }
"""
    assert read(text).claims[0].strata == ()


@pytest.mark.extensions("growth")
@pytest.mark.parametrize(
    ("text", "words", "cure"),
    [
        ("by = 2", "claims[1]: no key names a kind of claim", "faster"),
        ('fastr = { opt = "O3" }', "no key names a kind of claim", "did you mean faster?"),
        ('faster = { opt = "O3" }\nbest = "opt"', "faster and best are two claims", "[[claims]]"),
        ('faster = { opt = "O3" }', "faster without than", "write than"),
        ('faster = { opt = "O33" }\nthan = { opt = "O2" }', 'opt has no level "O33"', 'did you mean "O3"?'),
        ('faster = { op = "O3" }\nthan = { opt = "O2" }', "unknown factor op", "did you mean opt?"),
        (
            'faster = { opt = "O3" }\nthan = { opt = "O3" }',
            "compares a treatment with itself",
            "another level",
        ),
        (
            'faster = { opt = "O3", n = 1000 }\nthan = { opt = "O2" }',
            "is 2 treatments: n differ",
            "level of n",
        ),
        ('faster = {}\nthan = { opt = "O2" }', "names no level", "levels of one treatment"),
        ('faster = { opt = "O3" }\nthan = { opt = "O2" }\nbye = 2', "bye: unknown key", "did you mean by?"),
        (
            'faster = { opt = "O3" }\nthan = { opt = "O2" }\nby = 0',
            "must be a number above 0, got 0",
            "above 0",
        ),
        ('faster = { opt = "O3" }\nthan = { opt = "O2" }\nmetric = "wall"', "unknown metric wall", "wall_s"),
        (
            'faster = { opt = "O3" }\nthan = { opt = "O2" }\nwhere = { m = 1 }',
            "unknown factor m",
            "factors",
        ),
        ('equivalent = { opt = "O3" }\nto = { opt = "O2" }', "the key within is missing", "within"),
        ('limit = "wall_s"', "has no bound", "max"),
        ('limit = "wall_s"\nmax = 1\nmin = 1', "two claims", "either"),
        ('limit = "wall_s"\nmax = "24 GB"', "'24 GB' is not a time", "60 s"),
        ('limit = "minor_faults"\nmax = "many"', 'got "many"', "write a number"),
        ('limit = "wall_s"\nmax = 1\nat = { opt = "O4" }', 'opt has no level "O4"', "levels"),
        ('limit = "wall_s"\nmax = 1\nat = { n = 1000 }\nparameter = "n"', "at says already", "leave out"),
        ('best = "optt"', "unknown factor optt", "did you mean opt?"),
        ('best = "opt"\nlevel = "O1"', 'opt has no level "O1"', "O2"),
        ('scales = "wall_s"', "no expectation is stated", "expect"),
        ('scales = "wall_s"\nexpect = "O(log"', "column", "write it as"),
        (
            'scales = "wall_s"\nexpect = "O(1)"\nparameter = "opt"',
            "levels of opt are not numbers",
            "[factors]",
        ),
        ('scales = "wall_s"\nexpect = "O(1)"\ndeviation = "0"', "does not grow", "factor that grows"),
        ('scales = "wall_s"\nexpect = "O(1)"\nat = { n = 1.0 }', "growth has no value", "above 1"),
        ('scales = "wall_s"\nexpect = "O(1)"\naccepted = "a.json"', "both given", "expect"),
        (
            'scales = "wall_s"\nat_most = "O(1)"\nexpect = "O(1)"',
            "at_most and expect are both",
            "upper bound",
        ),
        ('scales = "wall_s"\nat_most = "O(log"', "column", "write it as"),
        ('rule = "O2 < O3"\nover = "opt"', "not of the form", "allreduce"),
        ('rule = "O2 <= O3"\nover = "opt"', "n has 2 levels, and growth needs at least 3", "more levels"),
        ('rule = "O2 <= O3"\nover = "opt"\nparameter = "n"', "n has 2 levels", "more levels"),
        ('rule = "O2 <= O1"\nover = "opt"', 'opt has no level "O1"', "O2"),
        ('rule = "a <= b"\nover = "op"', "unknown factor op", "did you mean opt?"),
        ('limit = "wall_s"\nmax = "1 s"\nat = { op = "O2" }', "unknown factor op", "did you mean opt?"),
        ('best = "opt"\nname = ""', "the name of a claim is empty", "one line"),
    ],
)
def test_a_mistake_names_value_place_and_cure(refused, text, words, cure):
    message, hint = refused(claim(text))
    assert words in message
    assert message.startswith("claims[1]")
    assert cure in hint


def test_the_line_of_a_mistake_is_in_its_own_claim(refused):
    from steelyard.core.errors import SpecError

    text = claim('faster = { opt = "O3" }\nthan = { opt = "O2" }') + "[[claims]]\nbest = 'op'\n"
    with pytest.raises(SpecError) as caught:
        loads(text, source="/lab", name="spec.toml")
    line = text.splitlines().index("best = 'op'") + 1
    assert caught.value.message.startswith(f"spec.toml:{line}: claims[2].best")


def test_treatments_that_were_excluded_are_in_no_claim(read, refused):
    excluded = TOP + '[design]\nexclude = [{ opt = "O3", n = 1000 }]\n'
    text = excluded + '[[claims]]\nfaster = { opt = "O3" }\nthan = { opt = "O2" }\n'
    assert read(text).claims[0].strata == ("n",)
    message, _ = refused(text + "where = { n = 1000 }\n")
    assert "no treatment has" in message
