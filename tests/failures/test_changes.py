"""What changes between two runs of one record: the spec, the host, the boot."""

from __future__ import annotations

import os
import sys

import killing
import pytest

import steelyard.lab.run.run as running
from steelyard.core.errors import RecordError
from steelyard.lab.answer.analyze import analyze
from steelyard.lab.run.run import run
from steelyard.laboratory import Laboratory
from steelyard.run.host import host_facts
from steelyard.spec import experiment, load
from steelyard.store import Record

# The second trial of the fourth block waits, so that the run can be killed there.
WAITING = """
case $1 in *8) touch held; while ! [ -e go ]; do sleep 0.01; done;; esac
"""


@pytest.fixture
def interrupted(tmp_path):
    """An experiment whose runner was killed in the middle of a block, its record and that block."""
    spec_ = experiment(
        name="waiting",
        source=str(tmp_path),
        program={
            "commands": {arm: ["/bin/sh", "-c", WAITING, arm, "{trial}"] for arm in ("one", "the other")}
        },
        design={"blocks": 6, "discard": 0},
    )
    pid = killing.start_run(spec_, tmp_path / "a.lab")
    while not (tmp_path / "held").exists():
        assert not killing.has_ended(pid)
    killing.kill(killing.find(pid, killing.RUNNER))
    assert killing.end_of(pid) == 5
    (tmp_path / "go").touch()
    with Record.open(tmp_path / "a.lab") as record:
        assert record.finished_trials(4) == {7}
    return spec_, tmp_path / "a.lab", 4


def states(directory):
    """Block to state."""
    with Record.open(directory) as record:
        return {outcome.block.id: outcome.state for outcome in record.outcomes()}


def test_a_changed_spec_is_refused_with_every_difference_and_the_record_stays(tmp_path):
    directory = tmp_path / "a.lab"
    run(killing.logging_experiment(tmp_path, blocks=3), directory)
    content = (directory / "record.sqlite").read_bytes()
    changed = killing.logging_experiment(tmp_path, blocks=4, seed=2, analysis={"alpha": 0.01})
    with pytest.raises(RecordError) as error:
        run(changed, directory)
    for difference in ("design.blocks: 3 → 4", "design.seed: 1 → 2", "analysis.alpha: 0.05 → 0.01"):
        assert difference in error.value.message
    assert "put the spec back" in str(error.value.hint)
    assert (directory / "record.sqlite").read_bytes() == content


def test_a_block_never_spans_two_boots(interrupted, monkeypatch):
    question, directory, begun = interrupted
    monkeypatch.setattr(running, "boot_id", lambda: "another boot")
    run(question, directory)
    assert states(directory)[begun] == "incomplete"
    assert list(states(directory).values()).count("complete") == 6
    with Record.open(directory) as record:
        boots = {item.id: item.boot for item in record.runs()}
    assert len(set(boots.values())) == 2
    of_blocks = killing.rows(directory, "SELECT block, run FROM trial")
    for block, state in states(directory).items():
        spanned = {boots[run_id] for of, run_id in of_blocks if of == block}
        assert state == "incomplete" or len(spanned) == 1


def test_a_run_that_dies_right_after_a_restart_does_not_hide_it(interrupted, monkeypatch):
    question, directory, begun = interrupted
    monkeypatch.setattr(running, "boot_id", lambda: "another boot")
    with monkeypatch.context() as dying:
        dying.setattr(running, "_conduct", lambda *_: sys.exit())
        with pytest.raises(SystemExit):
            run(question, directory)
    run(question, directory)
    assert states(directory)[begun] == "incomplete"


@pytest.mark.parametrize(
    ("key", "value"), [("cpu_model", "Another CPU"), ("kernel", "Linux 99"), ("hostname", "elsewhere")]
)
def test_another_host_is_a_warning_that_is_stored_with_the_samples(interrupted, monkeypatch, key, value):
    question, directory, _ = interrupted
    monkeypatch.setattr(running, "host_facts", lambda: {**host_facts(), key: value})
    run(question, directory)
    with Record.open(directory) as record:
        (warning,) = record.warnings()
        assert (warning.kind, warning.run) == ("host_changed", record.runs()[-1].id)
        assert key in warning.text
        assert f"and is {value}:" in warning.text
        assert record.runs()[-1].host[key] == value
        assert any(notice.fields.get("text") == warning.text for notice in analyze(record).warnings)


@pytest.fixture
def checkout(tmp_path):
    """A spec with a program of its own, run once."""
    place = tmp_path / "checkout"
    place.mkdir()
    (place / "prog").write_text("#!/bin/sh\n")
    (place / "prog").chmod(0o755)
    (place / "a.toml").write_text('[program]\ncommand = ["./prog"]\n[design]\nblocks = 3\n')
    run(load(place / "a.toml"), place / "a.lab")
    return place


def test_a_spec_that_is_reached_by_a_link_is_the_same_experiment(checkout, tmp_path):
    (tmp_path / "link").symlink_to(checkout)
    assert run(load(tmp_path / "link/a.toml"), tmp_path / "link/a.lab") == "complete"


def test_a_checkout_that_was_moved_is_the_same_experiment_and_goes_on_with_a_warning(checkout):
    moved = checkout.rename(checkout.with_name("moved far away"))
    assert run(load(moved / "a.toml"), moved / "a.lab") == "complete"
    with Record.open(moved / "a.lab") as record:
        assert record.warnings() == []
    run(load(moved / "a.toml"), moved / "a.lab", extend=2)
    with Record.open(moved / "a.lab") as record:
        (warning,) = record.warnings()
        assert f"the spec was in {checkout} and is in {moved}" in warning.text
        assert record.progress().blocks["complete"] == 5


def test_a_run_that_goes_on_in_an_environment_of_another_length_is_warned_of(checkout, monkeypatch):
    monkeypatch.setenv("HOME", "/a/home/with/a/long/name")
    run(load(checkout / "a.toml"), checkout / "a.lab", extend=2)
    with Record.open(checkout / "a.lab") as record:
        (warning,) = record.warnings()
        assert (warning.kind, warning.run) == ("host_changed", record.runs()[-1].id)
        assert "the environment of the shell had " in warning.text
        assert "where the stack lies" in warning.text


def test_another_program_in_a_moved_checkout_is_refused(checkout):
    moved = checkout.rename(checkout.with_name("moved"))
    (moved / "prog").write_text("#!/bin/sh\nexit 0\n")
    with pytest.raises(RecordError, match="prog is not the program that"):
        run(load(moved / "a.toml"), moved / "a.lab")


def test_the_same_host_goes_on_with_the_block_and_warns_of_nothing(interrupted):
    question, directory, begun = interrupted
    run(question, directory)
    assert states(directory)[begun] == "complete"
    with Record.open(directory) as record:
        assert record.warnings() == []


def test_programs_that_changed_places_in_a_moved_checkout_are_refused(tmp_path):
    place = tmp_path / "pair"
    place.mkdir()
    for name, text in (("a", "#!/bin/sh\n"), ("b", "#!/bin/sh\n: b\n")):
        (place / name).write_text(text)
        (place / name).chmod(0o755)
    (place / "a.toml").write_text('[program]\ncommands = {a = ["./a"], b = ["./b"]}\n[design]\nblocks = 3\n')
    run(load(place / "a.toml"), place / "a.lab")
    moved = place.rename(tmp_path / "moved")
    (moved / "a").rename(moved / "c")
    (moved / "b").rename(moved / "a")
    (moved / "c").rename(moved / "b")
    with pytest.raises(RecordError, match="a is not the program that"):
        run(load(moved / "a.toml"), moved / "a.lab")


def test_a_record_itself_goes_on_where_it_was_moved_to_with_its_programs(checkout):
    moved = checkout.rename(checkout.with_name("moved"))
    laboratory = Laboratory(moved / "a.lab")
    assert laboratory.experiment.source == str(moved)
    laboratory.run(extend=2)
    with Record.open(moved / "a.lab") as record:
        assert record.progress().blocks["complete"] == 5


BUILT = """
[program]
command = ["{build}/prog"]
[build]
command = ["/bin/sh", "-c", "cp prog.sh $0/prog; chmod +x $0/prog", "{build}"]
inputs = ["prog.sh"]
[design]
blocks = 3
"""


@pytest.fixture
def built(tmp_path, monkeypatch):
    """A spec that builds its program into the cache of one home, run once."""
    place = tmp_path / "built"
    place.mkdir()
    (place / "prog.sh").write_text("#!/bin/sh\n")
    (place / "a.toml").write_text(BUILT)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "one"))
    run(load(place / "a.toml"), place / "a.lab")
    return place


def test_a_record_goes_on_in_another_home_where_the_build_gives_the_same_bytes(built, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "another"))
    run(load(built / "a.toml"), built / "a.lab", extend=2)
    with Record.open(built / "a.lab") as record:
        assert record.progress().blocks["complete"] == 5
        texts = [warning.text for warning in record.warnings()]
    assert any(f"prog was in {tmp_path / 'one'}" in text for text in texts), texts


def test_a_record_is_refused_in_another_home_where_the_build_gives_other_bytes(built, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "another"))
    (built / "prog.sh").write_text("#!/bin/sh\n: other\n")
    with pytest.raises(RecordError, match="prog is not the program that") as error:
        run(load(built / "a.toml"), built / "a.lab", extend=2)
    assert "built elsewhere, it may have other paths in it" in (error.value.hint or "")


@pytest.mark.parametrize("text", ["#!/bin/sh\n", "#!/bin/sh\n: other\n"])
def test_a_program_that_path_finds_elsewhere_is_the_same_by_its_contents_alone(tmp_path, monkeypatch, text):
    for name, content in (("one", "#!/bin/sh\n"), ("another", text)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tool").write_text(content)
        (tmp_path / name / "tool").chmod(0o755)
    (tmp_path / "a.toml").write_text('[program]\ncommand = ["tool"]\n[design]\nblocks = 3\n')
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", f"{tmp_path / 'one'}:{path}")
    run(load(tmp_path / "a.toml"), tmp_path / "a.lab")
    monkeypatch.setenv("PATH", f"{tmp_path / 'another'}:{path}")
    if text == "#!/bin/sh\n":
        assert run(load(tmp_path / "a.toml"), tmp_path / "a.lab", extend=2) == "complete"
    else:
        with pytest.raises(RecordError, match="tool is not the program that"):
            run(load(tmp_path / "a.toml"), tmp_path / "a.lab", extend=2)
