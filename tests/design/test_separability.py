from __future__ import annotations

from steelyard.design import separability

ONE_CONTEXT = "all blocks have one context: whether the answer holds in others is not seen ([contexts])"


def test_a_full_factorial_in_one_context_leaves_only_the_context_open(varied):
    assert separability(varied({"opt": ["O2", "O3"], "n": [1, 2]})) == [ONE_CONTEXT]


def test_contexts_that_are_visited_several_times_leave_nothing_open(compared):
    contexts = {"env_bytes": "random", "aslr": "off", "passes": 2}
    assert separability(compared(contexts=contexts)) == []


def test_a_factor_with_one_level_has_no_effect_to_be_seen(varied):
    assert separability(varied({"opt": ["O2", "O3"], "n": [7]}))[0] == (
        "n has one level (7): its effect cannot be seen"
    )


def test_linked_factors_cannot_be_separated(varied):
    link = {"zip": ["nodes", "scale", "x"], "levels": [[1, 14, 0], [2, 15, 1], [4, 16, 3]]}
    assert separability(varied({"weak": link}))[0] == (
        "nodes, scale and x change together (weak): their effects cannot be separated"
    )


def test_an_excluded_cell_breaks_an_interaction(varied):
    result = separability(
        varied({"opt": ["O2", "O3"], "n": [1, 2]}, design={"exclude": [{"opt": "O3", "n": 1}]})
    )
    assert result[0] == (
        "1 of 4 combinations of opt and n are not run: their interaction can be judged on the others only"
    )


def test_exclusions_of_the_same_factors_are_one_sentence(varied):
    exclude = [{"opt": "O3", "n": 1}, {"n": 2, "opt": "O2"}]
    result = separability(varied({"opt": ["O1", "O2", "O3"], "n": [1, 2]}, design={"exclude": exclude}))
    assert result[:-1] == [
        "2 of 6 combinations of opt and n are not run: their interaction can be judged on the others only"
    ]


def test_exclusions_can_tie_two_factors_to_each_other(varied):
    exclude = [{"opt": "O3", "n": 1}, {"opt": "O2", "n": 2}]
    result = separability(
        varied({"opt": ["O2", "O3"], "n": [1, 2], "z": [0, 1]}, design={"exclude": exclude})
    )
    assert result[0] == 'opt cannot be separated from n: opt "O2" only with n 1 / opt "O3" only with n 2'


def test_a_level_that_is_never_run_breaks_nothing(varied):
    result = separability(
        varied({"opt": ["O1", "O2", "O3"], "n": [1, 2]}, design={"exclude": [{"opt": "O3"}]})
    )
    assert result == [ONE_CONTEXT]


def test_exclusions_of_three_factors_break_their_threefold_interaction(varied):
    exclude = [{"a": 1, "b": 1, "c": 1}]
    result = separability(varied({"a": [0, 1], "b": [0, 1], "c": [0, 1]}, design={"exclude": exclude}))
    assert result[0].startswith("1 of 8 combinations of a, b and c are not run")


def test_contexts_that_are_visited_once_say_nothing_about_a_single_one(compared):
    (only,) = separability(compared(contexts={"env_bytes": "random"}))
    assert only.startswith("each context (env_bytes) is visited once: the effect of a context cannot be")


def test_settings_that_are_drawn_together_cannot_be_separated(compared):
    result = separability(compared(contexts={"env_bytes": "random", "aslr": ["on", "off"], "passes": 2}))
    assert result == ["env_bytes and aslr are drawn together: their effects cannot be separated"]


def test_fixed_settings_make_one_context(compared):
    assert separability(compared(contexts={"aslr": "off"})) == [
        "no setting of the contexts is drawn, so all blocks have one context"
    ]


def test_a_sequential_order_mixes_treatments_with_time(compared):
    result = separability(compared(design={"order": "sequential"}))
    assert result[-1].startswith("one treatment runs after the other: changes over time")


def test_only_the_first_levels_of_many_are_named(varied):
    exclude = [{"a": a, "b": b} for a in range(5) for b in range(2) if (a < 4) != (b == 0)]
    result = separability(varied({"a": list(range(5)), "b": [0, 1]}, design={"exclude": exclude}))
    assert result[0] == "a cannot be separated from b: a 0, 1, 2 and 1 more only with b 0 / a 4 only with b 1"


def test_levels_between_two_ends_are_not_run(varied):
    result = separability(varied({"opt": ["O2", "O3"], "n": [1, 2, 8]}, design={"kind": "two-level"}))
    assert result[0] == "n is run at 1 and 8 only, of its 3 levels"


def test_a_fraction_names_what_it_confounds(varied):
    result = separability(
        varied(
            {"opt": ["O2", "O3"], "n": [1, 2], "t": [1, 2]},
            design={"kind": "fraction", "generators": ["t = opt n"]},
        )
    )
    assert result[0] == "the effect of opt cannot be told from that of n × t"
