from __future__ import annotations

from steelyard.spec.experiment import Factor, Zip

USE = '[program]\ncommand = ["p", {words}]\n[factors]\n{factors}\n'


def using(factors, *names):
    return USE.format(words=", ".join(f'"{{{name}}}"' for name in names), factors=factors)


def test_factors_and_levels_keep_the_order_and_the_types_of_the_spec(read):
    result = read(
        using('z = ["b", "a"]\na = [2, 1]\nf = [0.5, 1.5]\nt = [true, false]', "z", "a", "f", "t")
    ).factors
    assert result == (
        Factor("z", ("b", "a")),
        Factor("a", (2, 1)),
        Factor("f", (0.5, 1.5)),
        Factor("t", (True, False)),
    )
    assert [type(level) for factor in result[1:] for level in factor.levels] == [
        int,
        int,
        float,
        float,
        bool,
        bool,
    ]


def test_reserved_names_are_interventions_with_levels_as_records_keep_them(read):
    text = '[factors]\naffinity = ["none", "1,0"]\naslr = [true, "off"]\nenv_bytes = [0, 4096]'
    assert read(text).factors == (
        Factor("affinity", ("none", "0-1"), intervention=True),
        Factor("aslr", ("on", "off"), intervention=True),
        Factor("env_bytes", (0, 4096), intervention=True),
    )


def test_linked_factors_are_factors_with_the_levels_of_their_column(read):
    text = using(
        'a = [0]\nweak = { zip = ["nodes", "scale"], levels = [[1, 14], [2, 14], [4, 16]] }',
        "a",
        "nodes",
        "scale",
    )
    experiment = read(text)
    assert experiment.factors == (Factor("a", (0,)), Factor("nodes", (1, 2, 4)), Factor("scale", (14, 16)))
    assert experiment.zips == (Zip(("nodes", "scale"), ((1, 14), (2, 14), (4, 16)), "weak"),)


def test_interventions_can_be_linked(read):
    text = using('both = { zip = ["aslr", "n"], levels = [[true, 1], ["off", 2]] }', "n")
    assert read(text).zips == (Zip(("aslr", "n"), (("on", 1), ("off", 2)), "both"),)


def test_a_level_may_be_any_text_but_nul(read):
    levels = ("", "a b", "new\nline", "../../etc", "'\"", "{n}", "é😀", "$(id)", "\\")
    text = using('x = ["", "a b", "new\\nline", "../../etc", "\'\\"", "{n}", "é😀", "$(id)", "\\\\"]', "x")
    assert read(text).factors[0].levels == levels
