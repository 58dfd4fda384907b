"""Programs that differ from context to context: built before the first block, and run where they belong."""

from __future__ import annotations

import pytest

from steelyard.extensions.plan.preview import preview
from steelyard.lab.run.run import run
from steelyard.store import Record

pytestmark = pytest.mark.extensions("plan")


def test_each_context_runs_the_program_of_its_link_order_and_both_arms_the_same(
    make_experiment, tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    result = make_experiment(
        program={"command": ["cat", "{build}/order", "{n}"], "verify": {"stdout": "order [a-h]{8}"}},
        build={
            "command": ["/bin/sh", "-c", "echo order $0$1$2$3$4$5$6$7 > {build}/order", "{objects}"],
            "objects": list("abcdefgh"),
            "inputs": ["one"],
        },
        factors={"n": ["one", "two"]},
        contexts={"link_order": [0, 3, 4, 5]},
        design={"blocks": 4, "discard": 0},
    )
    for name in ("one", "two"):
        (tmp_path / name).write_text("")
    # The plan counts them before anything is built: two treatments share each context's program.
    assert preview(result, tmp_path / "made.lab").builds == 4
    assert not (tmp_path / "cache").exists()
    message = []
    run(result, tmp_path / "made.lab", watch=message.append)
    with Record.open(tmp_path / "made.lab") as record:
        assert record.progress().blocks == {"complete": 4}
    # Four contexts until the look, two treatments that share each context's program.
    assert sum(item.noun == "programs" for item in message) == 8
    orders = {path.read_text() for path in (tmp_path / "cache").glob("steelyard/build/*/order")}
    assert len(orders) == 4
    assert "order abcdefgh\n" in orders
    assert len(list((tmp_path / "made.lab" / "build").glob("*.log"))) == len(
        list((tmp_path / "cache").glob("steelyard/build/*/order"))
    )
