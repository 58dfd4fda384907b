"""What could be unseen, against the rule that it comes from: (1 - share) ** n = 5 %."""

from __future__ import annotations

import pytest

from steelyard.stats.planning.unseen import unseen_share


@pytest.mark.parametrize(("n", "share"), [(10, 0.26), (20, 0.14), (30, 0.095)])
def test_the_largest_mode_that_could_be_unseen_is_the_one_known(n, share):
    assert unseen_share(n) == pytest.approx(share, abs=0.005)
    assert (1 - unseen_share(n)) ** n == pytest.approx(0.05)


def test_nothing_seen_excludes_nothing():
    assert unseen_share(0) == 1.0
