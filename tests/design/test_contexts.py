from __future__ import annotations

import os
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from steelyard.design.contexts import different, draw_context, drawn_before
from steelyard.design.plan import Context
from steelyard.spec.experiment import Contexts, Range

PAGE = os.sysconf("SC_PAGE_SIZE")


def settings(contexts, seed, numbers):
    return [draw_context(contexts, seed, number).settings for number in numbers]


@given(seed=st.integers(0, 2**63 - 1))
def test_random_lengths_visit_every_residue_of_a_page_once_before_any_comes_again(seed):
    contexts = Contexts({"env_bytes": "random"})
    count = PAGE // 16
    lengths = [setting["env_bytes"] for setting in settings(contexts, seed, range(1, 2 * count + 1))]
    assert sorted(length // 16 for length in lengths[:count]) == list(range(count))
    assert sorted(length // 16 for length in lengths[count:]) == list(range(count))
    assert lengths[:count] != lengths[count:]


def test_random_lengths_lie_on_no_grid():
    lengths = [
        draw_context(Contexts({"env_bytes": "random"}), 1, k).settings["env_bytes"] for k in range(1, 257)
    ]
    assert set(Counter(length % 16 for length in lengths)) == set(range(16))


def test_a_context_depends_on_seed_and_number_alone():
    contexts = Contexts({"env_bytes": "random", "aslr": "random"})
    forwards = settings(contexts, 5, range(1, 20))
    backwards = settings(contexts, 5, range(19, 0, -1))
    assert forwards == backwards[::-1]
    assert settings(contexts, 6, range(1, 20)) != forwards


def test_a_list_is_drawn_without_replacement_again_and_again():
    contexts = Contexts({"affinity": ("none", "0", "1")})
    drawn = [setting["affinity"] for setting in settings(contexts, 1, range(1, 10))]
    assert [sorted(drawn[i : i + 3]) for i in (0, 3, 6)] == [["0", "1", "none"]] * 3


def test_a_range_is_drawn_without_replacement_and_excludes_its_end():
    contexts = Contexts({"env_bytes": Range((0, 64), 16)})
    assert sorted(setting["env_bytes"] for setting in settings(contexts, 1, range(1, 5))) == [0, 16, 32, 48]


def test_a_range_of_cpus_gives_levels_as_records_keep_them():
    contexts = Contexts({"affinity": Range((0, 2))})
    assert sorted(setting["affinity"] for setting in settings(contexts, 1, (1, 2))) == ["0", "1"]


def test_a_fixed_setting_is_in_every_context_and_ids_are_the_numbers_of_the_draws():
    contexts = Contexts({"aslr": "off"})
    drawn = [draw_context(contexts, 1, k) for k in (1, 2, 3)]
    assert [(item.id, item.settings) for item in drawn] == [(k, {"aslr": "off"}) for k in (1, 2, 3)]


def test_two_settings_are_drawn_independently():
    contexts = Contexts({"env_bytes": Range((0, 32), 16), "aslr": ("on", "off")})
    pairs = Counter(
        (setting["env_bytes"], setting["aslr"]) for setting in settings(contexts, 1, range(1, 401))
    )
    # Four pairs in 200 cycles of two: each is expected 100 times, with a standard deviation of 7.
    assert len(pairs) == 4
    assert all(60 < count < 140 for count in pairs.values())


def test_contexts_that_put_the_stack_at_one_place_count_once():
    drawn = [Context(i, {"env_bytes": length}) for i, length in enumerate((0, 5, 15, 16, 32), 1)]
    assert different(drawn) == 3
    assert different(drawn[:3]) == 0


def test_what_comes_again_is_the_context_that_it_was_before():
    contexts = Contexts({"env_bytes": "random"})
    count = PAGE // 16
    drawn = [draw_context(contexts, 1, number) for number in range(1, 2 * count + 1)]
    again = drawn_before(drawn)
    assert sorted(again) == list(range(count + 1, 2 * count + 1))
    assert sorted(again.values()) == list(range(1, count + 1))
    assert len(drawn) - len(again) == different(drawn)
    for later, earlier in again.items():
        lengths = [drawn[id_ - 1].settings["env_bytes"] for id_ in (later, earlier)]
        assert lengths[0] // 16 == lengths[1] // 16


def test_visits_of_one_context_are_no_other_context():
    context = Context(1, {"aslr": "on"})
    aslr_off = Context(2, {"aslr": "off"})
    assert drawn_before([context, aslr_off, context, aslr_off]) == {}
    assert drawn_before([aslr_off, Context(3, {"aslr": "on"}), context]) == {3: 1}
