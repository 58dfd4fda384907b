from __future__ import annotations

import pytest

from steelyard.design import treatments
from steelyard.spec import dumps, loads
from steelyard.spec.layout import layout_of

FACTORS = """
[program]
command = ["prog", "{a}", "{b}", "{c}", "{d}", "{e}", "{f}"]
[factors]
a = [1, 2, 4]
b = ["x", "y"]
c = [10, 20]
d = [0, 1]
link = { zip = ["e", "f"], levels = [[1, 14], [2, 15], [4, 16]] }
"""


def design(text, analysis=""):
    return f"{FACTORS}[design]\n{text}\n{analysis}"


def test_two_levels_are_the_first_and_the_last(read):
    result = treatments(read(design('kind = "two-level"')))
    assert len(result) == 32
    assert {(t.levels["a"], t.levels["e"], t.levels["f"]) for t in result} == {
        (1, 1, 14), (1, 4, 16), (4, 1, 14), (4, 4, 16),
    }  # fmt: skip


def test_two_levels_can_be_named(read):
    result = treatments(read(design('kind = "two-level"\nends = { a = [4, 2] }')))
    assert list(dict.fromkeys(t.levels["a"] for t in result)) == [4, 2]


def test_generators_take_factors_and_links_by_name(read):
    result = read(design('kind = "fraction"\ngenerators = ["link=-a*b  c", "d = b c"]'))
    assert result.design.generators == ("link = -a b c", "d = b c")
    assert len(treatments(result)) == 8


@pytest.mark.parametrize(
    ("question", "count", "resolution"),
    [
        ("resolution = 3", 8, 3),
        ("resolution = 5", 16, 5),
        ("treatments = 8", 8, 3),
        ("treatments = 16", 16, 5),
    ],
)
def test_a_fraction_can_be_asked_for_by_resolution_or_by_size(read, question, count, resolution):
    result = read(design(f'kind = "fraction"\n{question}'))
    layout = layout_of(result)
    assert (len(treatments(result)), layout.fraction.resolution) == (count, resolution)
    assert loads(dumps(result), source=result.source) == result


@pytest.mark.parametrize(
    "kind", ['"plackett-burman"', '"one-at-a-time"', '"two-level"\nends = { a = [2, 1], c = [20, 10] }']
)
def test_every_kind_survives_its_text(read, kind):
    result = read(design(f"kind = {kind}"))
    assert loads(dumps(result), source=result.source) == result


def test_one_at_a_time_departs_from_the_baseline(read):
    result = read(design('kind = "one-at-a-time"', "[analysis]\nbaseline = { a = 2, f = 16 }"))
    first, *rest = treatments(result)
    base = {"a": 2, "b": "x", "c": 10, "d": 0, "e": 4, "f": 16}
    assert first.levels == base == result.analysis.baseline
    assert result.analysis.strata == ()
    assert len(rest) == 2 + 1 + 1 + 1 + 2
    assert loads(dumps(result), source=result.source) == result


def test_a_screening_of_many_factors_is_small(read):
    names = [f"x{i}" for i in range(23)]
    words = ", ".join(f'"{{{name}}}"' for name in names)
    levels = "\n".join(f"{name} = [0, 1]" for name in names)
    text = f'[program]\ncommand = ["p", {words}]\n[factors]\n{levels}\n[design]\nkind = "plackett-burman"\n'
    assert len(treatments(read(text))) == 24


def test_a_screening_of_more_factors_than_any_design_has_is_refused_with_a_cure(refused):
    names = [f"x{i}" for i in range(48)]
    words = ", ".join(f'"{{{name}}}"' for name in names)
    levels = "\n".join(f"{name} = [0, 1]" for name in names)
    text = f'[program]\ncommand = ["p", {words}]\n[factors]\n{levels}\n[design]\nkind = "plackett-burman"\n'
    message, hint = refused(text)
    assert "48 factors vary, and Plackett-Burman designs here have room for 47" in message
    assert hint == "vary fewer factors"


@pytest.mark.parametrize(
    ("text", "words", "hint"),
    [
        (
            'kind = "two-level"\nexclude = [{ a = 1, b = "x" }]',
            'design.exclude: kind = "two-level" runs chosen combinations, and without one it has no balance',
            'remove exclude, take levels out of [factors], or write kind = "full"',
        ),
        (
            "ends = { a = [1, 2] }",
            'design.ends: kind = "full" runs every level, not two of each factor',
            None,
        ),
        ("resolution = 4", 'design.resolution: kind = "full" is not a fraction', None),
        ('kind = "fraction"', "design.kind: nothing says which fraction", None),
        (
            'kind = "fraction"\nresolution = 3\ntreatments = 8',
            "design.treatments: resolution and treatments are given together",
            None,
        ),
        (
            'kind = "fraction"\ntreatments = 12',
            "design.treatments: 5 factors have no fraction of 12 treatments",
            "write one of: 8, 16",
        ),
        (
            'kind = "fraction"\ntreatments = 32',
            "design.treatments: 32 treatments are all combinations of 5 factors at two levels",
            'write kind = "two-level", and remove treatments',
        ),
        (
            'kind = "fraction"\nresolution = 7',
            "design.resolution: no fraction of 5 factors has resolution 7",
            'write resolution = 5, or kind = "two-level" for all combinations',
        ),
        (
            'kind = "fraction"\ngenerators = ["d = a e"]',
            "design.generators[1]: 'd = a e': e does not vary here; factors that do: a, b, c, d, link",
            "e is linked: write link",
        ),
        (
            'kind = "fraction"\ngenerators = ["d = a"]',
            "design.generators[1]: 'd = a': is not of the form NAME = NAME NAME …",
            None,
        ),
        (
            'kind = "fraction"\ngenerators = ["d = a d"]',
            "design.generators[1]: 'd = a d': names a factor twice",
            None,
        ),
        (
            'kind = "fraction"\ngenerators = ["d = a b", "d = a c"]',
            "design.generators[2]: d has two generators",
            "leave one out",
        ),
        (
            'kind = "fraction"\ngenerators = ["d = a b", "link = c d"]',
            "design.generators[2]: link rests on d, which a generator fixes itself",
            "put the names of that generator in its place; a name that comes twice drops out",
        ),
        ('kind = "two-level"\nends = { a = [1, 1] }', "design.ends.a: both ends are 1", "name two levels"),
        ('kind = "two-level"\nends = { a = [1, 3] }', "design.ends.a[2]: a has no level 3", None),
        (
            'kind = "two-level"\nends = { e = [1, 2] }',
            "design.ends.e: e is linked, and the ends of a link are its first and its last row",
            "order the rows of link in [factors]",
        ),
        ('kind = "two-level"\nends = { g = [1, 2] }', "design.ends.g: unknown factor g", None),
    ],
)
def test_what_would_unbalance_a_design_is_refused(refused, text, words, hint):
    message, cure = refused(design(text))
    assert message == words
    assert hint is None or cure == hint


def test_too_few_factors_for_a_kind_are_refused(refused):
    text = '[program]\ncommand = ["p", "{a}"]\n[factors]\na = [1, 2]\n[design]\nkind = "two-level"\n'
    message, hint = refused(text)
    assert message == 'design.kind: kind = "two-level" needs 2 factors that vary, and there are 1'
    assert hint == 'add factors, or write kind = "full"'


def test_a_baseline_that_no_row_of_a_link_has_is_refused(refused):
    message, _ = refused(design('kind = "one-at-a-time"', "[analysis]\nbaseline = { e = 1, f = 16 }"))
    assert message == "analysis.baseline: no row of link has { e = 1, f = 16 }"


def test_a_claim_speaks_of_what_the_design_runs(read, refused):
    claim = "[[claims]]\nfaster = { d = 1 }\nthan = { d = 0 }"
    message, _ = refused(design('kind = "fraction"\nresolution = 3', claim))
    assert message == "claims[1].faster: { d = 1 } and { d = 0 } are in no stratum together"
    assert read(design('kind = "two-level"', claim)).claims
    single = read(design('kind = "one-at-a-time"', claim))
    assert single.claims[0].faster == {"d": 1}
    between = "[[claims]]\nfaster = { a = 2 }\nthan = { a = 1 }"
    message, _ = refused(design('kind = "two-level"', between))
    assert message == "claims[1].faster: no treatment has { a = 2 }"
