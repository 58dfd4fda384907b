"""Experiments on two hosts over ssh, which see no file of ours and have no Python."""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from contextlib import suppress
from types import SimpleNamespace

import pytest
import ssh_hosts

from steelyard.core.errors import MachineError, SteelyardError
from steelyard.extensions.clusters import hosts as module
from steelyard.extensions.clusters.hosts import Hosts
from steelyard.extensions.clusters.job import jobs_in
from steelyard.extensions.clusters.jobs import JOBS
from steelyard.extensions.plan.preview import preview
from steelyard.extensions.plan.question import format_where
from steelyard.lab.run.run import run
from steelyard.run.runner.journal import read_journal
from steelyard.spec import experiment
from steelyard.store import Record

pytestmark = pytest.mark.extensions("plan")

WRITES = 'echo "$1 $(uname -n)" >> "$0"; ./prog'


@pytest.fixture
def both(tmp_path_factory):
    # For each test its own: some kill a host.
    if lacks := ssh_hosts.missing():
        pytest.skip(f"no hosts on this machine: {lacks}")
    place = tmp_path_factory.mktemp("ssh") / "hosts"
    with ssh_hosts.running_hosts(place) as running:
        yield SimpleNamespace(place=place, **running)


@pytest.fixture
def here(both, tmp_path):
    """A directory for the spec that no host sees, while ``tmp_path`` is seen by all."""
    source = both.place / "here" / tmp_path.name
    source.mkdir()
    program = source / "prog"
    python = f"{sys.executable} -c '' 2>/dev/null"
    program.write_text(f"#!/bin/sh\n! {python} && ! [ -e {sys.prefix}/bin ] && echo value=1\n")
    program.chmod(0o755)
    return source


@pytest.fixture
def asked(both, here, tmp_path):
    def spec(*, more="", blocks=4, **launch):
        return experiment(
            name="away",
            source=str(here),
            program={"command": ["/bin/sh", "-c", more + WRITES, str(tmp_path / "log"), "{trial}", "{kind}"]},
            factors={"kind": ["a", "b"]},
            metrics={"value": {"pattern": "value=(.*)"}},
            design={"blocks": blocks, "discard": 0},
            launch={
                "kind": "hosts",
                "hosts": ["n1", "n2"],
                "ssh": ["ssh", "-F", str(both.place / "ssh_config")],
                "stage": "copy",
                "files": ["prog"],
                "poll": "0.2 s",
                **launch,
            },
        )

    return spec


def rows(tmp_path):
    log = tmp_path / "log"
    return [line.split() for line in log.read_text().splitlines()] if log.exists() else []


def ran_once(tmp_path, trials):
    return Counter(int(trial) for trial, _ in rows(tmp_path)) == Counter(range(1, trials + 1))


def held(tmp_path):
    return f'while ! [ -e "{tmp_path}/go" ] && [ "$1" -gt 4 ]; do sleep 0.02; done; '


def test_blocks_lie_on_both_hosts_without_python_or_our_files(both, asked, tmp_path):
    assert run(asked(), tmp_path / "it.lab") == "complete"
    assert ran_once(tmp_path, 8)
    names = {int(trial): host for trial, host in rows(tmp_path)}
    with Record.open(tmp_path / "it.lab") as record:
        assert (record.progress().trials, record.progress().failed) == (8, 0)
        for outcome in record.outcomes():
            block = outcome.block
            on = {names[block.first_trial + i] for i in range(2)}
            assert on == {block.context.settings["node"]}
        (done,) = record.runs()
        assert record.journals() == []
        assert not [warning for warning in record.warnings() if warning.kind == "host_changed"]
    assert Counter(names.values()) == {"n1": 4, "n2": 4}
    assert "Linux" in done.host["node n1"]
    assert done.host["hostname"] in ("n1, n2", "n2, n1")
    for host in (both.n1, both.n2):
        assert list(host.jobs.iterdir()) == []
    for job in jobs_in(tmp_path / "it.lab" / JOBS):
        assert not job.payload.exists()
        assert not job.orders.exists()


@pytest.mark.parametrize("put", ["ln -s", "ln"])
@pytest.mark.parametrize("file", ["end", "replies", "journal", "log", "id"])
def test_a_program_that_replaces_files_of_its_job_reaches_nothing_else(both, asked, tmp_path, file, put):
    victim = both.place / "victim"
    victim.write_text("precious")
    replace = f"cd {both.place}/$(uname -n)/cache/steelyard/jobs/*/ && rm -f {file} && {put} {victim} {file}"
    with suppress(SteelyardError):
        run(asked(more=f"({replace});", blocks=1, hosts=["n1"]), tmp_path / "it.lab")
    assert victim.read_text() == "precious"
    files = [path for path in (tmp_path / "it.lab").rglob("*") if path.is_file()]
    assert not [path for path in files if b"precious" in path.read_bytes()]


def test_jobs_that_outlive_steelyard_are_waited_for_and_nothing_runs_twice(
    asked, tmp_path, begin, eventually
):
    going_on = asked(more=held(tmp_path))
    process = begin(going_on, tmp_path / "it.lab")
    eventually(lambda: len(rows(tmp_path)) == 4, process)
    process.kill()
    process.join()
    for job in jobs_in(tmp_path / "it.lab" / JOBS):  # as where it died before it noted their numbers
        (job.directory / "id").unlink(missing_ok=True)
    (tmp_path / "go").touch()
    assert run(going_on, tmp_path / "it.lab") == "complete"
    assert ran_once(tmp_path, 8)
    assert len(jobs_in(tmp_path / "it.lab" / JOBS)) == 2


def test_an_interrupted_run_ends_what_runs_there_and_goes_on_later(asked, tmp_path, begin, eventually):
    going_on = asked(more=held(tmp_path))
    process = begin(going_on, tmp_path / "it.lab")
    eventually(lambda: len(rows(tmp_path)) == 4, process)
    os.kill(process.pid, signal.SIGINT)
    process.join(120)
    assert process.exitcode == 130
    jobs = jobs_in(tmp_path / "it.lab" / JOBS)
    assert [(job.settled, job.end.exit) for job in jobs] == [(True, 143)] * 2
    with Record.open(tmp_path / "it.lab") as record:
        assert (record.progress().trials, record.progress().failed) == (4, 0)
    (tmp_path / "go").touch()
    assert run(going_on, tmp_path / "it.lab") == "complete"
    assert ran_once(tmp_path, 8)


def test_a_journal_that_two_looks_fetch_at_once_is_there_once(
    both, asked, tmp_path, begin, eventually, monkeypatch
):
    """As where an interrupt left a look of before behind, and the job is looked at to cancel it."""
    process = begin(asked(more=held(tmp_path)), tmp_path / "it.lab")
    eventually(lambda: len(rows(tmp_path)) == 4, process)
    process.kill()
    process.join()
    job = jobs_in(tmp_path / "it.lab" / JOBS)[0]
    job.journal.unlink(missing_ok=True)
    hosts = Hosts(("n1", "n2"), asked().launch.ssh)
    answer, looks = hosts._ask, []

    def look_twice(host, *words, **options):
        text = answer(host, *words, **options)
        if words[0] == "look" and not looks:
            looks.append(words)
            hosts._fetch(job)
        return text

    monkeypatch.setattr(hosts, "_ask", look_twice)
    look = hosts._fetch(job)
    assert looks
    assert job.journal.stat().st_size == look.journal > 0
    assert len(read_journal(job.journal)[0]) == 2


@pytest.mark.parametrize(("boot", "failed"), [("2", 0), ("1", 1)])
def test_a_host_that_dies_and_comes_back_costs_at_most_the_trial_that_ran(
    both, asked, tmp_path, begin, eventually, boot, failed
):
    """Its processes are gone: a boot tells that this was not the program's fault."""
    waits = f'[ "$1" -gt 4 ] && echo "$1" >> "{tmp_path}/waiting"; '
    process = begin(asked(more=waits + held(tmp_path)), tmp_path / "it.lab")
    eventually(
        lambda: (tmp_path / "waiting").exists() and len((tmp_path / "waiting").read_text().split()) == 2,
        process,
    )
    assert len(rows(tmp_path)) == 4
    both.n2.kill()
    both.n2.start(boot)
    (tmp_path / "go").touch()
    process.join(120)
    assert process.exitcode == 0
    with Record.open(tmp_path / "it.lab") as record:
        assert record.progress().blocks["complete"] == 4
        assert record.progress().failed == failed
    times = Counter(int(trial) for trial, _ in rows(tmp_path))
    assert set(times.values()) == {1}
    assert (set(range(1, 9)) <= set(times)) == (failed == 0)


def test_others_go_on_without_a_host_that_is_away_and_what_it_did_meanwhile_counts(
    both, asked, tmp_path, begin, eventually, monkeypatch
):
    monkeypatch.setattr(Hosts, "patience_s", 1.0)
    going_on = asked(more=held(tmp_path))
    process = begin(going_on, tmp_path / "it.lab")
    eventually(lambda: len(rows(tmp_path)) == 4, process)
    both.n2.set_link("down")
    try:
        (tmp_path / "go").touch()
        process.join(120)
        assert process.exitcode == 4
        eventually(lambda: len(rows(tmp_path)) == 8)
        with Record.open(tmp_path / "it.lab") as record:
            assert record.progress().blocks["complete"] == 2
        with pytest.raises(MachineError, match="n2 cannot be reached") as error:
            run(going_on, tmp_path / "it.lab")
        assert error.value.hint
    finally:
        both.n2.set_link("up")
    assert run(going_on, tmp_path / "it.lab") == "complete"
    assert ran_once(tmp_path, 8)


def test_a_plan_says_where_the_blocks_go_and_starts_nothing(asked, tmp_path):
    plan = preview(asked(blocks=5), tmp_path / "it.lab", ask=True)
    assert (plan.refused, plan.unasked) == ((), ())
    assert sorted(plan.nodes.values()) == [2, 3]
    assert format_where(asked().launch) == (
        "on n1 and n2, which ssh reaches, with what trials need copied there"
    )
    assert rows(tmp_path) == []


def test_a_plan_that_asks_names_a_host_that_is_away_and_another_starts_no_ssh(both, asked, tmp_path):
    away = asked(ssh=["ssh", "-F", str(both.place / "ssh_config"), "-o", "Port=23"])
    (refused,) = preview(away, tmp_path / "it.lab", ask=True).refused
    assert refused.error.startswith("n1 cannot be reached")
    plan = preview(away, tmp_path / "it.lab")
    assert (plan.refused, plan.unasked) == ((), ("n1", "n2"))


def test_an_sshd_that_ends_at_once_fails_a_test_at_once_with_its_log(tmp_path, monkeypatch):
    monkeypatch.setattr(ssh_hosts, "SSHD", f"{ssh_hosts.SSHD}NoSuchOption yes\n")
    monkeypatch.setattr(ssh_hosts, "NAMES", ("n1",))
    with pytest.raises(AssertionError, match="NoSuchOption"), ssh_hosts.running_hosts(tmp_path / "hosts"):
        pass


def test_one_host_is_no_context(asked, tmp_path):
    assert run(asked(hosts=["n2"]), tmp_path / "it.lab") == "complete"
    assert {host for _, host in rows(tmp_path)} == {"n2"}
    with Record.open(tmp_path / "it.lab") as record:
        assert record.experiment.contexts is None


def test_another_key_of_a_host_is_refused_before_anything_runs(both, asked, tmp_path):
    (tmp_path / "known").write_text("")
    ssh = ["ssh", "-F", str(both.place / "ssh_config"), "-o", f"UserKnownHostsFile={tmp_path}/known"]
    with pytest.raises(MachineError, match="Host key verification failed") as error:
        run(asked(ssh=ssh), tmp_path / "it.lab")
    assert "compare the key" in (error.value.hint or "")
    assert not (tmp_path / "it.lab").exists()


def test_a_name_that_nobody_knows_is_refused(asked, tmp_path):
    with pytest.raises(MachineError, match=r"nowhere\.invalid cannot be reached"):
        run(asked(hosts=["n1", "nowhere.invalid"]), tmp_path / "it.lab")


def test_another_architecture_is_refused(asked, tmp_path, monkeypatch):
    monkeypatch.setattr(module.platform, "machine", lambda: "riscv64")
    with pytest.raises(MachineError, match=r"n1 is a machine of \w+, and the runner .* for riscv64"):
        run(asked(), tmp_path / "it.lab")


STAND_IN = """#!/bin/sh
# An ssh that runs the command in mounts of its own, on a file system with these options.
while [ "$1" != -- ]; do shift; done
export XDG_CACHE_HOME={place} COMMAND="$3"
exec unshare -m sh -c 'mount -t tmpfs -o {options} none "$XDG_CACHE_HOME" && eval "$COMMAND"'
"""
REFUSED_BY_HOST = {
    "no room": ("size=16k", "cannot keep the job: .*No space left"),
    "programs that cannot be executed there": ("noexec", "cannot execute the runner"),
    "a file system for readers": ("ro", "cannot keep the job: .*Read-only"),
}


@pytest.mark.parametrize("case", REFUSED_BY_HOST)
def test_what_a_host_lacks_is_said(case, both, asked, tmp_path):
    options, message = REFUSED_BY_HOST[case]
    (tmp_path / "cache").mkdir()
    program = tmp_path / "ssh"
    program.write_text(STAND_IN.format(place=tmp_path / "cache", options=options))
    program.chmod(0o755)
    with pytest.raises(MachineError, match=message):
        run(asked(hosts=["n1"], ssh=[str(program)]), tmp_path / "it.lab")
    assert rows(tmp_path) == []


def test_one_machine_under_two_names_is_refused(both, asked, tmp_path):
    boots = [both.place / name / "boot_id" for name in ("n1", "n2")]
    boots[1].write_text(boots[0].read_text())
    with pytest.raises(MachineError, match=r"n1 and n2 are one machine") as error:
        run(asked(), tmp_path / "a.lab")
    assert error.value.hint == "leave n2 out of hosts"
    assert rows(tmp_path) == []
