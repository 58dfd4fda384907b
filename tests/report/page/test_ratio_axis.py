import pytest

from steelyard.extensions.page.drawing.expressions import compile_expression
from steelyard.report.page.ratio_axis import Directions, list_round_ratios, make_ratio_axis

pytestmark = pytest.mark.extensions("page")


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.903, 1.099, [0.95, 1.0, 1.05]),
        (0.5, 1.9, [0.5, 1.0, 1.5]),
        (0.4, 2.5, [0.5, 1.0, 2.0]),
        (0.05, 1.0, [0.05, 0.1, 0.2, 0.5, 1.0]),
        (1.0, 1e9, [10.0**power for power in range(10)]),
        (0.9995, 1.0004, [0.9996, 0.9998, 1.0, 1.0002, 1.0004]),
        (1.0, 1.0, [1.0]),
    ],
)
def test_ticks_are_round_ratios_inside_of_what_is_drawn(low, high, ticks):
    assert list_round_ratios(low, high) == ticks


def test_half_as_fast_is_as_far_from_one_as_twice_as_fast():
    axis = make_ratio_axis("value", "speedup", [0.5, 2.0])
    assert axis["scale"]["type"] == "log"
    assert axis["axis"]["values"] == [0.5, 1.0, 2.0]


def test_the_line_at_one_is_on_the_axis_though_every_ratio_lies_beside_it():
    assert 1.0 in make_ratio_axis("value", "speedup", [1.3, 1.4])["axis"]["values"]


def test_ticks_say_by_how_much_something_is_slower_or_faster_on_each_side_of_1():
    encoding = make_ratio_axis("value", "", [0.362, 2.2], Directions("slower", "faster"))
    expression = compile_expression(encoding["axis"]["labelExpr"])
    values = encoding["axis"]["values"]
    assert [expression({"datum": {"value": value}}) for value in values] == [
        "1", "1.5 × slower", "2 × slower", "2.5 × slower", "1.5 × faster", "2 × faster",
    ]  # fmt: skip
    assert values[3] == 1 / 2.5


def test_what_reaches_zero_has_a_linear_axis_since_a_logarithm_would_leave_it_out():
    assert make_ratio_axis("value", "speedup", [-0.2, 2.0])["scale"].get("type", "linear") == "linear"
