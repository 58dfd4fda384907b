from __future__ import annotations

import pytest

from steelyard.report.text.box import BOX, MEDIAN, WHISKER, format_boxes
from steelyard.results.interval import Interval
from steelyard.results.samples import Summary


def summary(low, first, median, third, high):
    return Summary(5, median=median, quartiles=Interval(first, third), min=low, max=high)


def test_a_box_stands_between_the_quartiles_and_whiskers_reach_the_ends():
    (plot,) = format_boxes([summary(-4, -2, 0, 2, 4)], 9)
    assert plot == WHISKER * 2 + BOX * 2 + MEDIAN + BOX * 2 + WHISKER * 2


def test_all_plots_share_an_axis_that_is_logarithmic_where_all_values_are_positive():
    plots = format_boxes([summary(*[value] * 5) for value in (1, 10, 100)], 21)
    assert [plot.index(MEDIAN) for plot in plots] == [0, 10, 20]


@pytest.mark.parametrize("its", [Summary(0), summary(3, 3, 3, 3, 3)])
def test_nothing_is_drawn_of_no_values_or_of_one_place(its):
    assert format_boxes([its], 10) == [""]


def test_a_plot_is_never_wider_than_asked():
    plots = format_boxes([summary(0.9, 0.95, 1, 1.05, 40), summary(0, 0, 1, 2, 3)], 12)
    assert max(map(len, plots)) <= 12
