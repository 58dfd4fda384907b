from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from steelyard.design import blocks_until, separability, treatments
from steelyard.spec import experiment


def declare(*, hard, replicates=1, seed=1, order="randomized", services=3, **keys):
    levels = [f"s{number}" for number in range(services)]
    return experiment(
        program={"command": ["true", "{size}"]},
        factors={"service": levels, "size": [1, 2]},
        levels=[
            {"factor": "service", "level": level, "enter": ["true"], "leave": ["true"]}
            | ({"change": "hard"} if hard and level == levels[-1] else {})
            for level in levels
        ],
        design={"blocks": 6, "discard": 0, "seed": seed, "replicates": replicates, "order": order},
        **keys,
    )


def services(made, block):
    named = {treatment.id: treatment.levels["service"] for treatment in treatments(made)}
    return [named[item] for item in block.order]


@given(st.integers(0, 2**63 - 1), st.integers(1, 3), st.integers(2, 4))
def test_each_block_has_each_whole_plot_once_and_all_its_treatments_in_it(seed, replicates, count):
    result = declare(hard=True, seed=seed, replicates=replicates, services=count)
    for block in blocks_until(result, treatments(result), (), 6):
        plots = [level for level, _ in itertools.groupby(services(result, block))]
        assert sorted(plots) == [f"s{number}" for number in range(count)]
        assert sorted(block.order) == sorted([t.id for t in treatments(result)] * replicates)


def test_the_order_of_whole_plots_and_within_is_random_and_follows_from_the_seed():
    result = declare(hard=True, seed=3)
    blocks = blocks_until(result, treatments(result), (), 6)
    assert blocks == blocks_until(result, treatments(result), (), 6)
    assert len({tuple(services(result, block)) for block in blocks}) > 1
    assert len({block.order for block in blocks}) > 3


def test_every_order_of_three_whole_plots_is_equally_likely():
    result = declare(hard=True, seed=11)
    drawn = [tuple(services(result, b)[::2]) for b in blocks_until(result, treatments(result), (), 6)]
    for seed in range(199):
        factors = declare(hard=True, seed=seed)
        drawn += [tuple(services(factors, b)[::2]) for b in blocks_until(factors, treatments(factors), (), 6)]
    counts = [drawn.count(order) for order in set(itertools.permutations(["s0", "s1", "s2"]))]
    # 1200 draws of 1 in 6: outside 150 to 250 with probability 6e-4 for any of the six (exact binomial).
    assert all(150 <= count <= 250 for count in counts)


def test_a_factor_that_is_easy_to_change_keeps_the_order_of_earlier_versions():
    easy = declare(hard=False, seed=5)
    plain = experiment(
        program={"command": ["true", "{size}", "{service}"]},
        factors={"service": ["s0", "s1", "s2"], "size": [1, 2]},
        design={"blocks": 6, "discard": 0, "seed": 5},
    )
    assert [b.order for b in blocks_until(easy, treatments(easy), (), 6)] == [
        b.order for b in blocks_until(plain, treatments(plain), (), 6)
    ]


def test_a_sequential_order_takes_one_whole_plot_after_the_other():
    spec_ = experiment(
        program={"command": ["true", "{size}", "{service}"]},
        factors={"size": [1, 2], "service": ["s0", "s1"]},
        levels=[{"factor": "service", "level": "s0", "change": "hard"}],
        design={"blocks": 2, "discard": 0, "order": "sequential"},
    )
    (block,) = blocks_until(spec_, treatments(spec_), (), 2)
    assert services(spec_, block) == ["s0"] * 4 + ["s1"] * 4


def test_what_a_whole_plot_cannot_separate_is_said_before_anything_runs():
    (text,) = [item for item in separability(declare(hard=True)) if "hard to change" in item]
    assert text.startswith("service is hard to change")
    assert "blocks are the units" in text
    assert not any("hard to change" in element for element in separability(declare(hard=False)))
