"""``steelyard demo``, as a user stops it; what it shows is tested in test_programs.py beside it."""

from __future__ import annotations

import signal

import pytest

from steelyard.extensions.demo import optimisation as module


def test_a_demo_that_is_stopped_is_said_again_as_a_whole(steelyard_started, tmp_path, eventually):
    process = steelyard_started("demo", "-o", "d")
    eventually(lambda: list(tmp_path.glob("d/itself-sequential.lab/journal/*")), process)
    process.send_signal(signal.SIGINT)
    _, message = process.communicate()
    assert process.returncode == 130, message
    # Between two comparisons there is no record to speak of.
    assert message.strip() == "interrupted" or message.splitlines()[-1] == "hint: steelyard demo -o d"


@pytest.mark.parametrize(("reason", "contexts"), [(None, {"aslr": "off"}), ("not here", None)])
def test_addresses_are_fixed_where_the_machine_can_and_the_answer_says_whether(
    monkeypatch, tmp_path, reason, contexts
):
    settings = []

    def compare(*_, contexts, **__):
        settings.append(contexts)
        return ("compared",)

    monkeypatch.setattr(type(module.INTERVENTIONS["aslr"]), "missing", lambda *_: reason)
    monkeypatch.setattr(module, "_compare", compare)
    result = module.optimisation(tmp_path, lambda *_: None)
    assert settings == [contexts, {"env_bytes": "random", **(contexts or {})}]
    assert result.aslr_off == (reason is None)
