"""Values of a gate that depend on the side before: named once for the benchmark that shows it best."""

from __future__ import annotations

import sys
from array import array
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from steelyard.core.sample import Treatment
from steelyard.extensions.gate.turns import TurnTally

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks" / "coverage"))

from carrying import NOISES, Design, draw

RECORDS = 3


def make_title(program, name):
    return f"{program}/{name}"


def draw_record(rng, benchmark, carried):
    sides = draw(rng, Design(2, 20), NOISES["normal, 3 %"], carried=carried)
    treatments = [Treatment(1, "base", {"command": "base"}), Treatment(2, "head", {"command": "head"})]
    return [
        replace(sample, treatment=side, labels={"benchmark": benchmark})
        for sample, side in zip(sides, treatments, strict=True)
    ]


@pytest.mark.parametrize(("carried", "notes"), [(0.2, 1), (0.0, 0)])
def test_the_benchmark_and_the_side_before_are_named_over_all_records(carried, notes):
    rng, turns = np.random.default_rng(476), TurnTally()
    for _ in range(RECORDS):
        turns.add(1, [*draw_record(rng, "calm", 0.0), *draw_record(rng, "warm", carried)])
    sentences = turns.list_notes(make_title)
    assert len(sentences) == notes
    for sentence in sentences:
        assert sentence.startswith("1/warm: head is 1.2")
        assert "slower right after base than after itself" in sentence


def test_the_first_process_of_a_record_follows_none_of_the_record_before():
    """One block a record, as with --layout: both sides were linked in between."""
    rng, turns = np.random.default_rng(477), TurnTally()
    for _ in range(60):
        first, second = draw_record(rng, "warm", 0.5)
        turns.add(0, [sample.select([0]) for sample in (first, second)])
    assert turns.list_notes(make_title) == []


def test_blocks_of_two_records_are_not_one_block():
    """A record whose times are all 100 times as long changes nothing of the ratios in its blocks."""
    rng, turns = np.random.default_rng(478), TurnTally()
    for record in range(RECORDS):
        slow = [
            replace(sample, values=array("d", [100.0**record * value for value in sample.values]))
            for sample in draw_record(rng, "warm", 0.3)
        ]
        turns.add(0, slow)
    (sentence,) = turns.list_notes(make_title)
    assert sentence.startswith("0/warm: head is 1.3")
