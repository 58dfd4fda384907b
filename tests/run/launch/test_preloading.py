"""Libraries before those of a program."""

from __future__ import annotations

from pathlib import Path

import pytest

from steelyard.core.errors import MachineError
from steelyard.run.launch.preloading import preload


def test_what_was_preloaded_before_stays_preloaded():
    assert preload(("A=1", "LD_PRELOAD=/x.so", "B=2"), Path("/n.so")) == (
        "A=1",
        "B=2",
        "LD_PRELOAD=/n.so:/x.so",
    )
    assert preload(("A=1",), Path("/n.so")) == ("A=1", "LD_PRELOAD=/n.so")


@pytest.mark.parametrize("name", ["/with blank/n.so", "/with:colon/n.so"])
def test_a_name_that_the_loader_would_split_is_refused(name):
    with pytest.raises(MachineError, match="it splits names at blanks and colons"):
        preload((), Path(name))
