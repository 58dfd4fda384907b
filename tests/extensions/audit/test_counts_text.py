"""What counts say in words: how many, what differs most, and what they cannot see."""

from __future__ import annotations

from steelyard.extensions.audit.classes import CYCLES
from steelyard.extensions.audit.counts_text import describe_counts
from steelyard.extensions.audit.results import CountClass, Counted

PLAIN = dict.fromkeys(CYCLES, 0.0) | {"instructions": 1e6, "d1_misses": 1000.0}
USUAL = CountClass(252, (0, 320, 912), PLAIN)
SLOW = CountClass(4, (96, 2960), PLAIN | {"d1_misses": 261_000.0, "instructions": 1_000_010.0})


def test_the_event_that_costs_most_is_named_with_both_counts_and_the_lengths():
    many, slow, unseen = describe_counts(Counted(256, 4096, 0.005, 0.0, (USUAL, SLOW)))
    assert many == (
        "256 of 4,096 lengths of the environment by cachegrind: 2 classes of counts (equal to 0.5 % of"
        " estimated cycles); timed 5 representatives"
    )
    assert slow == (
        "4 lengths: 3.57 × the estimated cycles of the largest class (261,000 d1 misses against 1,000), timed"
        " at 96, 2,960 bytes"
    )
    assert unseen.startswith("Counts cannot see what real caches replace")


def test_one_class_has_no_difference_to_tell():
    many, unseen = describe_counts(Counted(256, 4096, 0.005, 0.0, (USUAL,)))
    assert "1 class of counts" in many
    assert unseen.startswith("Counts cannot see")


def test_classes_without_room_are_counted_and_the_most_different_described():
    classes = [
        CountClass(1, (n,) if n > 1 else (), PLAIN | {"instructions": 1e6 * (1 + n / 10)}) for n in range(5)
    ]
    many, *described, _ = describe_counts(Counted(257, 4096, 0.005, 0.0, (USUAL, *classes)))
    assert many.endswith("timed 6 representatives of 4 classes")
    assert [text.split(" ×")[0] for text in described] == ["1 length: 1.4", "1 length: 1.3", "1 length: 1.2"]


def test_lengths_that_the_time_did_not_allow_are_a_share_that_could_differ():
    _, ended, _ = describe_counts(Counted(34, 4096, 0.005, 0.0843, (USUAL,)))
    assert ended.endswith(
        "counts of up to 8.4 % of the lengths could be others (95 % sure); more time: --max-time"
    )
