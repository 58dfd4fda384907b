"""Old runs below directories of tmp_path, beside files of others, links and victims that must stay."""

from __future__ import annotations

import fcntl
import os
import subprocess
import time
from pathlib import Path

import msgspec
import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.bisect.request import BisectRequest
from steelyard.extensions.clean.clean import clean
from steelyard.extensions.gate.request import GateRequest
from steelyard.lab.run.run import run
from steelyard.run.build.cache import Entry
from steelyard.spec import experiment
from steelyard.store.lock import WriterLock

pytestmark = pytest.mark.extensions("bisect", "gate")

DAY_S = 86400.0
KEY = "0123456789abcdef" * 4


@pytest.fixture
def places(tmp_path):
    environ = {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    for command in ("compare", "gate", "bisect"):
        (tmp_path / "state/steelyard" / command).mkdir(parents=True)
    (tmp_path / "cache/steelyard/build").mkdir(parents=True)
    return environ, tmp_path / "state/steelyard", tmp_path / "cache/steelyard/build"


def age(directory: Path, days: float) -> None:
    then = time.time() - days * DAY_S
    for path in [*directory.rglob("*"), directory]:
        os.utime(path, (then, then), follow_symlinks=False)


def make_record(directory: Path, days: float = 40) -> Path:
    run(experiment(program={"command": ["/bin/true"]}, design={"blocks": 2}), directory)
    age(directory, days)
    return directory


def make_gate(directory: Path, days: float = 40) -> Path:
    tree = directory / "trees/base/0123456789ab"
    tree.mkdir(parents=True)
    (tree / "program").write_text("x" * 5000)
    tree.chmod(0o555)
    request = GateRequest(base="a", head="b", words=("make",))
    (directory / request.file_name).write_bytes(msgspec.json.encode(request))
    (directory / "lock").touch()
    age(directory, days)
    return directory


def make_build(root: Path, days: float = 40) -> Path:
    entry = Entry(root, KEY)
    with entry.locked():
        entry.clear()
        (entry.directory / "program").write_text("it")
        entry.log.write_text("built")
        entry.complete()
    age(root, days)
    return entry.directory


def fates(cleaning):
    return {(row.command, Path(row.path).name): row.fate for row in cleaning.leftovers}


def test_old_runs_are_listed_the_oldest_first_and_nothing_is_removed(places):
    environ, state, cache = places
    directories = [
        make_record(state / "compare/a.lab", 50),
        make_gate(state / "gate/b", 60),
        make_build(cache, 40),
    ]
    make_record(state / "compare/young.lab", 3)
    cleaning = clean(environ, 30 * DAY_S, remove=False)
    assert fates(cleaning) == {
        ("gate", "b"): "listed", ("compare", "a.lab"): "listed", ("build", KEY[:16]): "listed",
    }  # fmt: skip
    assert [round(row.age_s / DAY_S) for row in cleaning.leftovers] == [60, 50, 40]
    assert (cleaning.younger, cleaning.foreign) == (1, ())
    for row in cleaning.leftovers:
        blocks = subprocess.run(["du", "-s", "-B1", row.path], capture_output=True, check=True, text=True)
        assert row.size_bytes == int(blocks.stdout.split()[0])
    assert all(path.exists() for path in directories)


def test_old_runs_are_removed_where_that_is_requested_and_young_ones_stay(places):
    environ, state, cache = places
    old = [make_record(state / "compare/a.lab"), make_gate(state / "gate/b"), make_build(cache)]
    young = make_record(state / "compare/young.lab", 3)
    search = state / "bisect/confirmed/01"
    search.mkdir(parents=True)
    request = BisectRequest(good="a", bad="b", words=("make",))
    (search / request.file_name).write_bytes(msgspec.json.encode(request))
    age(state / "bisect/confirmed", 31)
    cleaning = clean(environ, 30 * DAY_S, remove=True)
    assert set(fates(cleaning).values()) == {"removed"}
    assert len(cleaning.leftovers) == 4
    assert not any(path.exists() for path in [*old, state / "bisect/confirmed"])
    assert young.exists()
    # The lock of a build stays: a process that waits for it would hold one that nobody else sees.
    assert [path.name for path in cache.iterdir()] == [f"{KEY[:16]}.lock"]


def test_a_build_whose_cleaning_was_cut_short_is_built_anew(places):
    environ, _, cache = places
    make_build(cache)
    clean(environ, 30 * DAY_S, remove=True)
    entry = Entry(cache, KEY)
    with entry.locked():
        assert entry.fault() == "not built before"


def test_a_build_counts_from_its_latest_use(places):
    environ, _, cache = places
    make_build(cache)
    entry = Entry(cache, KEY)
    with entry.locked():
        entry.note_use()
    assert clean(environ, 30 * DAY_S, remove=True).leftovers == ()
    assert entry.directory.exists()


def test_links_are_neither_followed_nor_removed_as_what_they_name(places, tmp_path):
    environ, state, cache = places
    victim = make_record(tmp_path / "victim.lab")
    (state / "compare/link.lab").symlink_to(victim)
    gate = make_gate(state / "gate/b", 0)
    (gate / "sides").symlink_to(victim, target_is_directory=True)
    (gate / "file").symlink_to(victim / "record.sqlite")
    age(gate, 40)
    age(victim, 40)
    (state / "audit").symlink_to(tmp_path)
    make_build(cache)
    (cache / "fedcba9876543210").symlink_to(victim)
    (cache / "fedcba9876543210.lock").touch()
    before = sorted(path.name for path in victim.iterdir())
    cleaning = clean(environ, 30 * DAY_S, remove=True)
    assert fates(cleaning) == {("gate", "b"): "removed", ("build", KEY[:16]): "removed"}
    assert sorted(path.name for path in victim.iterdir()) == before
    assert set(map(os.path.basename, cleaning.foreign)) == {"link.lab", "audit", "fedcba9876543210"}


@pytest.mark.parametrize(
    "content",
    [
        {"notes.txt": b"mine"},
        {"record.sqlite": b"SQLite format 3\0" + bytes(84)},
        {"gate.json": b"{}"},
        {"gate.json": b"\xff"},
        {"lock": b""},
        {},
    ],
)
def test_directories_without_a_mark_of_ours_stay(places, content):
    environ, state, cache = places
    for foreign in (state / "compare/x.lab", state / "gate/y", cache / "0123456789abcdef"):
        foreign.mkdir()
        for name, data in content.items():
            (foreign / name).write_bytes(data)
        age(foreign, 400)
    cleaning = clean(environ, 30 * DAY_S, remove=True)
    assert cleaning.leftovers == ()
    assert len(cleaning.foreign) == 3
    assert all(Path(path).is_dir() for path in cleaning.foreign)


def test_a_request_behind_a_link_or_a_pipe_is_no_mark(places, tmp_path):
    environ, state, _ = places
    gate = make_gate(tmp_path / "elsewhere")
    for name in ("linked", "piped"):
        (state / "gate" / name).mkdir()
    (state / "gate/linked/gate.json").symlink_to(gate / "gate.json")
    os.mkfifo(state / "gate/piped/gate.json")
    age(state / "gate", 40)
    assert clean(environ, 30 * DAY_S, remove=True).leftovers == ()


def test_a_run_that_somebody_runs_is_kept_and_named(places):
    environ, state, cache = places
    record, gate = make_record(state / "compare/a.lab"), make_gate(state / "gate/b")
    inner = make_record(state / "gate/b/001-1.lab")
    build = make_build(cache)
    with (
        WriterLock(record / "lock"),
        WriterLock(inner / "lock"),
        (cache / f"{KEY[:16]}.lock").open() as lock,
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)
        age(state, 40)
        cleaning = clean(environ, 30 * DAY_S, remove=True)
    assert set(fates(cleaning).values()) == {"kept"}
    reasons = {row.command: row.reason for row in cleaning.leftovers}
    assert f"is being run by process {os.getpid()}" in reasons["compare"]
    assert f"is being run by process {os.getpid()}" in reasons["gate"]
    assert reasons["build"] == "another process builds there"
    assert all(path.exists() for path in (record, gate, inner, build / "program"))


def test_a_run_in_which_a_process_works_is_kept(places):
    environ, state, _ = places
    gate = make_gate(state / "gate/b")
    tree = gate / "trees/base/0123456789ab"
    with subprocess.Popen(["cat"], cwd=tree, stdin=subprocess.PIPE) as process:
        (row,) = clean(environ, 30 * DAY_S, remove=True).leftovers
        process.communicate()
    assert (row.fate, row.reason) == ("kept", f"process {process.pid} runs in it")
    assert tree.exists()


def test_what_changed_within_the_last_hour_is_never_asked_for(places):
    with pytest.raises(UsageError, match="may be in use"):
        clean(places[0], 3599, remove=True)


def test_a_run_whose_removal_was_cut_short_is_recognised_again(places, monkeypatch):
    environ, state, _ = places
    record = make_record(state / "compare/a.lab")
    names = []
    unlink = os.unlink
    monkeypatch.setattr(os, "unlink", lambda name, **options: (names.append(name), unlink(name, **options)))
    clean(environ, 30 * DAY_S, remove=True)
    assert not record.exists()
    marks = [names.index(name) for name in ("lock", "record.sqlite")]
    assert min(marks) == len(names) - 2


def test_no_directory_at_all_is_nothing_to_clean(tmp_path):
    environ = {"XDG_STATE_HOME": str(tmp_path / "no"), "XDG_CACHE_HOME": str(tmp_path / "no")}
    assert clean(environ, 30 * DAY_S, remove=True).leftovers == ()
