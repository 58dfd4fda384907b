"""Hosts whose ssh is a script on this machine: what a job does that was never handed in, or cannot be."""

from __future__ import annotations

import platform
from types import SimpleNamespace

import pytest

from steelyard.core.errors import MachineError
from steelyard.extensions.clusters import host_script
from steelyard.extensions.clusters.commands import UnreachableError
from steelyard.extensions.clusters.hosts import Hosts
from steelyard.extensions.clusters.job import Job
from steelyard.extensions.clusters.scheduler import Handover


@pytest.fixture
def there(tmp_path, monkeypatch):
    """Begins with ``begin``, prints ``banner``, and keeps its jobs in ``jobs``."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    begin = tmp_path / "begin"
    begin.write_text("")
    ssh = tmp_path / "ssh"
    ssh.write_text(f'#!/bin/sh\n. {begin}\nfor last; do :; done\nexec /bin/sh -c "$last"\n')
    ssh.chmod(0o755)
    return SimpleNamespace(ssh=[str(ssh)], begin=begin, jobs=tmp_path / "cache/steelyard/jobs")


@pytest.fixture
def job(tmp_path):
    made = Job(tmp_path / "jobs/000001")
    made.directory.mkdir(parents=True)
    made.write_orders(b"")
    made.script.write_text("sleep 0\n")
    journal = tmp_path / "journal"
    journal.touch()
    made.note_journal(journal)
    return made


def test_a_job_of_a_run_that_was_killed_before_it_was_handed_in_has_ended(there, job):
    hosts = Hosts(["n1"], there.ssh)
    assert hosts.state(job) == "ended"
    hosts.cancel(job)
    hosts.forget(job)
    assert not there.jobs.exists()


def test_a_job_that_was_refused_before_it_began_is_found_no_second_time(there, job):
    hosts = Hosts(["n1"], there.ssh)
    job.note_place("one")
    assert hosts.find(job, "one") is None
    assert hosts.find(job, "one") is None
    with pytest.raises(MachineError):
        hosts.submit(Handover(job, "one"))


def test_a_job_that_has_begun_without_saying_how_is_not_taken_for_none(there, job, monkeypatch):
    monkeypatch.setattr(host_script, "SCRIPT", host_script.SCRIPT.replace("{1..50}", "1"))
    hosts = Hosts(["n1"], there.ssh)
    job.note_place("one")
    (there.jobs / "one/started").mkdir(parents=True)
    assert hosts.state(job) == "unreachable"
    with pytest.raises(UnreachableError, match="does not say which process"):
        hosts.find(job, "one")


def test_a_host_that_refuses_keeps_no_other_job_from_being_ended(there, job):
    job.note_place("one")
    there.begin.write_text("exit 72\n")
    Hosts(["n1"], there.ssh).cancel(job)


def test_a_file_that_cannot_be_copied_is_named(there, job, tmp_path):
    hosts = Hosts(["n1"], there.ssh, copies=True, trees=[tmp_path / "data"])
    with pytest.raises(MachineError, match="data cannot be copied to n1: No such file"):
        hosts.submit(Handover(job, "one"))
    assert not job.payload.exists()


def test_a_directory_that_is_there_keeps_its_rights(there, job, tmp_path):
    shared, absent = tmp_path / "shared", tmp_path / "cache/new"
    shared.mkdir(mode=0o751)
    shared.chmod(0o751)
    absent.mkdir(parents=True)
    there.begin.write_text(f"chmod 700 {shared}; rmdir {absent}\n")
    hosts = Hosts(["n1"], there.ssh, copies=True)
    hosts.submit(Handover(job, "one", programs=[shared, absent]))
    assert shared.stat().st_mode & 0o777 == 0o700
    assert absent.is_dir()


def test_a_shell_that_greets_is_told_from_another_machine(there):
    there.begin.write_text("echo Welcome to n1\n")
    with pytest.raises(MachineError, match="prints 2 lines where one is its answer"):
        Hosts(["n1"], there.ssh).check()
    there.begin.write_text("")
    Hosts(["n1"], there.ssh).check()


def test_words_of_a_host_that_are_not_utf_8_are_told(there, job):
    there.begin.write_text("printf 'caf\\351\\n' >&2; exit 3\n")
    with pytest.raises(MachineError, match="n1 refuses the job: caf"):
        Hosts(["n1"], there.ssh).submit(Handover(job, "one"))


def test_a_journal_that_is_cut_off_leaves_the_job_without_its_last_word(there, job):
    place = there.jobs / "one"
    place.mkdir(parents=True)
    (place / "end").write_text("{}")
    (place / "journal").write_text("x" * 100)
    job.note_place("one")
    job.note_id(f"boot 1 1 {platform.machine()}")
    there.begin.write_text('PATH="$(dirname "$0")/bin:$PATH"\n')
    bin_ = there.begin.parent / "bin"
    bin_.mkdir()
    (bin_ / "tail").write_text("#!/bin/sh\nexit 1\n")
    (bin_ / "tail").chmod(0o755)
    assert Hosts(["n1"], there.ssh).state(job) == "unreachable"
    assert job.end is None
