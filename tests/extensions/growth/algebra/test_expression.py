"""Reading big-O text: the expectations of Shudler et al. 2019 and what people type."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.growth.algebra import Growth, parse, parse_deviation, parse_growth


@pytest.mark.parametrize(
    ("text", "power", "log", "exp2"),
    [
        ("O(1)", 0, 0, 0),
        ("O(log p)", 0, 1, 0),
        ("O(p^0.5 log^2 p)", "1/2", 2, 0),
        ("O(p^{2/3} log p)", "2/3", 1, 0),
        ("p log p", 1, 1, 0),
        ("p*log2(p)", 1, 1, 0),
        ("p·ln p", 1, 1, 0),
        ("√p", "1/2", 0, 0),
        ("sqrt(p) log(p)^2", "1/2", 2, 0),
        ("O(p**1.5)", "3/2", 0, 0),
        ("p/log p", 1, -1, 0),
        ("1/p", -1, 0, 0),
        ("p^-0.25", "-1/4", 0, 0),
        ("log p^2", 0, 1, 0),
        ("100 p + p^2 + 3", 2, 0, 0),
        ("(p + 1)^2", 2, 0, 0),
        ("p (p - 1) / 2", 2, 0, 0),
        ("p p - p p + p", 1, 0, 0),
        ("2^p", 0, 0, 1),
        ("4^(p/2)", 0, 0, 1),
        ("p^3 2^p", 3, 0, 1),
        ("2^(log p)", 1, 0, 0),
        ("2^(3 log p + 7)", 3, 0, 0),
        ("log(2^p)", 1, 0, 0),
        ("2^(log(p^3))", 3, 0, 0),
        ("2^(log(4^p) / 2)", 0, 0, 1),
        ("2^10 p", 1, 0, 0),
        ("p^2.8074", "28074/10000", 0, 0),
    ],
)
def test_text_becomes_its_leading_term(text, power, log, exp2):
    assert parse_growth(text, "p") == Growth.make(power, log, exp2)


def test_only_the_parameter_that_varies_counts():
    sample_sort = parse("O(n/p log(n/p) + p^2 log p)")
    assert sample_sort.parameters == ("n", "p")
    assert sample_sort.growth("p") == Growth.make(2, 1)
    assert sample_sort.growth("n") == Growth.make(1, 1)


def test_weak_scaling_makes_the_work_of_a_process_constant():
    histogram_sort = parse("O(n/p log(n/p) + p log(n/p))")
    # Table 8 reduces to Table 10 with n = C·p.
    assert histogram_sort.growth("p", along={"n": "p"}) == Growth.make(1)
    assert parse("O(n/p log(n/p) + p log^2 n)").growth("p", along={"n": "p"}) == Growth.make(1, 2)
    assert parse("O(b/k (n/p + 2^k + log p))").growth("p", along={"n": "p"}) == Growth.make(0, 1)


def test_a_parameter_that_does_not_occur_is_constant():
    assert parse("O(n log n)").growth("p") == Growth()


def test_terms_come_fastest_first():
    assert parse("1 + log p + p").terms("p") == (Growth.make(1), Growth.make(0, 1), Growth())


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "empty"),
        ("O(log p", 8, "closing parenthesis"),
        ("O(p ^ )", 7, "not expected"),
        ("O(p) p)", 7, "not expected"),
        ("p $ q", 3, "means nothing"),
        ("p ^ q", 5, "must be a number"),
        ("3^p", 1, "powers of 2"),
        ("O(p^2e1)", 5, "'2e1' is in scientific notation"),
        ("1.5E-3 p", 1, "'1.5E-3' is in scientific notation"),
        ("log log p", 1, "logarithm of a logarithm"),
        ("2^(p^2)", 1, "grows faster"),
        ("p +", 4, "ends too early"),
        ("(" * 200, 101, "nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_pointed_at(text, column, message):
    with pytest.raises(UsageError, match=message) as caught:
        parse_growth(text, "p")
    assert f"column {column}:" in caught.value.message
    assert caught.value.hint


def test_a_number_may_stand_before_a_parameter_whose_name_begins_with_e():
    assert parse("2e p + 3 e1 + 4elements").parameters == ("e", "p", "e1", "elements")


@pytest.mark.parametrize("text", ["0", "O(1)", "O(p^-1)", "n/p", "1/log p"])
def test_a_deviation_that_does_not_grow_is_refused(text):
    with pytest.raises(UsageError, match="does not grow") as caught:
        parse_deviation(text, "p")
    assert text in caught.value.message
    assert caught.value.hint


def test_a_deviation_grows_with_one_parameter_and_leaves_the_others():
    assert parse_deviation("O(log n)", "n") == Growth.make(0, 1)
    assert parse_deviation("O(log n)", "p") == Growth()
