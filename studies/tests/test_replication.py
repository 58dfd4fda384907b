"""``studies/replication``: series are those of the studies, thinned and paired as said, and agreement is
that of the models.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest
from scripts_of_studies import load_script

STUDY = Path(__file__).parents[1] / "replication"
sys.path.insert(0, str(STUDY.parent))
sys.path.insert(0, str(STUDY))

import replicated  # noqa: E402
import series  # noqa: E402


@pytest.fixture(scope="module")
def study():
    """The script of the study."""
    return load_script("replication_study", STUDY / "study.py")


POINTS = {2.0**i: float(i) for i in range(1, 13)}


def test_points_are_thinned_to_the_smaller_half_and_to_every_other():
    assert series.thin(POINTS, "all") == POINTS
    assert sorted(series.thin(POINTS, "smaller half")) == [2, 4, 8, 16, 32, 64]
    assert sorted(series.thin(POINTS, "every other")) == [4, 16, 64, 256, 1024, 4096]
    seven = dict(list(POINTS.items())[:7])
    assert len(series.thin(seven, "smaller half")) == series.FEWEST


def test_medians_are_of_the_scales_that_every_campaign_has():
    first, second, third = {1.0: 5.0, 2.0: 1.0}, {1.0: 3.0, 2.0: 9.0, 4.0: 2.0}, {1.0: 4.0, 2.0: 2.0}
    assert series.medians_of([first, second, third]) == {1.0: 4.0, 2.0: 2.0}


def test_campaigns_are_blocks_and_drawn_days_of_the_studies_own_values():
    every = series.campaigns()
    counts = Counter((entry.source, entry.campaign) for entry in every)
    assert counts["MAFIA", "2"] == counts["MAFIA", "medians"] == len(series.PHASES)
    assert counts["heaps", "1"] == 3 * len(series.HEAPS)
    assert counts["allocations (simulated)", "day=1"] == 6
    assert counts["collectives (simulated)", "only"] == 0
    (gen,) = (entry for entry in every if entry[:3] == ("MAFIA", "gen", "2"))
    (row,) = (
        row
        for row in series.read("mafia/values/phases.csv")
        if (row["k"], row["phase"], row["block"]) == ("16", "gen", "2")
    )
    assert gen.points[16.0] == float(row["phase_s"])


def test_kept_models_are_those_of_the_points_and_none_is_missing(study):
    stored = {
        tuple(row[key] for key in study.KEY): row for row in replicated.read(STUDY / "values/models.csv")
    }
    keys = [*study.wanted()]
    assert {(*campaign[:3], method, chosen) for campaign, method, chosen in keys} == {*stored}
    for campaign, method, chosen in keys[:: len(keys) // 12]:
        computed = {key: str(value) for key, value in study.model(campaign, method, chosen).items()}
        assert computed == stored[*campaign[:3], method, chosen]


def planted(second):
    """Models of one source in two campaigns, least squares alone."""
    return {
        (name, campaign, "seed001", "all"): {"growth": growth, "rank": rank}
        for campaign, terms in (("1", FIRST), ("2", second))
        for name, (growth, rank) in terms.items()
    }


FIRST = {f"s{i}": (f"O(p^{i})", "match" if i % 2 else "none") for i in range(8)}


def campaigns_of(second):
    """How two campaigns agree."""
    (result,) = (row for row in replicated._campaigns("planted", planted(second)) if row is not None)
    return result


def test_a_campaign_agrees_with_itself_and_reversed_in_no_term():
    campaigns = campaigns_of(FIRST)
    assert (campaigns.growth.agree, campaigns.growth.by_chance, campaigns.rank.agree) == (8, 1.0, 8)
    assert replicated.verdict(campaigns.growth).startswith("holds")
    reversed_ = campaigns_of(dict(zip(FIRST, [*FIRST.values()][::-1], strict=True)))
    assert (reversed_.growth.agree, reversed_.rank.agree) == (0, 0)
    assert replicated.verdict(reversed_.growth) == "not resolved (p 1)"


def test_undecided_ranks_agree_with_nothing():
    undecided = {name: (growth, replicated.UNDECIDED) for name, (growth, _) in FIRST.items()}
    result = campaigns_of(undecided)
    assert (result.growth.agree, result.rank.agree, result.rank.by_chance) == (8, 0, 0.0)
    assert not replicated.is_same(replicated.UNDECIDED, replicated.UNDECIDED)


def test_agreement_over_fewer_points_leaves_out_series_that_keep_all_points():
    for row in replicated.of_kind("points"):
        assert row.growth.cells == row.rank.cells > 0
    fits = replicated.models()["collectives (simulated)"]
    keys = [key for key, row in fits.items() if key[3] == "smaller half" and key[2] == "seed001"]
    (compared,) = (
        row
        for row in replicated.of_kind("points")
        if row.ways == "all points and the smaller half, least squares"
        and row.source.startswith("collectives")
    )
    fewer = [key for key in keys if int(fits[key]["number"]) < int(fits[*key[:3], "all"]["number"])]
    assert compared.growth.cells == len(fewer) < len(keys)
    assert compared.growth.agree == sum(
        fits[key]["growth"] == fits[*key[:3], "all"]["growth"] for key in fewer
    )
