"""Errors of a spec, told together, and not all of thousands."""

from __future__ import annotations

import pytest

from steelyard.core.errors import SpecError
from steelyard.spec import loads
from steelyard.spec.text.gathered import MOST, ErrorCollector


def errors(text):
    with pytest.raises(SpecError) as caught:
        loads(text, source="/")
    return [caught.value, *caught.value.further]


@pytest.mark.parametrize(
    ("line", "message"),
    [("key{} = 1", "unknown key"), ("[table{}]\nx = 1", "unknown key"), ("[[claims]]\nfaster = {}", "table")],
)
def test_ten_mistakes_are_told_and_that_there_are_more(line, message):
    start = '[program]\ncommand = ["true"]\n'
    few = errors(start + "\n".join(line.format(i) for i in range(MOST)))
    many = errors(start + "\n".join(line.format(i) for i in range(900)))
    assert len(few) == MOST
    assert all(message in item.message for item in few)
    assert [element.message for element in many[:MOST]] == [element.message for element in few]
    assert many[MOST].message == "more is wrong than these 10"
    assert len(many) == MOST + 1


def test_nothing_is_read_once_there_are_more_than_are_told():
    read = []

    def refuse(number):
        read.append(number)
        raise SpecError(f"{number}")

    gathered = ErrorCollector()
    for number in range(900):
        assert gathered(refuse, number) is None
    with pytest.raises(SpecError, match="0"):
        gathered.refuse()
    assert len(read) == MOST + 1
