"""The facts of made-up machines are judged; this machine is looked at once."""

from __future__ import annotations

import errno
import json
import sqlite3
import threading
from contextlib import closing

import pytest

from steelyard.core.errors import MachineError
from steelyard.extensions.doctor import examine, inspect_host
from steelyard.extensions.doctor.finding import HostState
from steelyard.extensions.doctor.results import HostReport
from steelyard.extensions.doctor.text import lines
from steelyard.lab.run.run import run
from steelyard.report.text.line import plain
from steelyard.run.host import LoadChange
from steelyard.run.runner.capabilities import HARDWARE, SOFTWARE, capabilities
from steelyard.run.runner.counter_facts import TREE
from steelyard.run.runner.runner_errors import RunnerDiedError
from steelyard.store import Record

QUIET = LoadChange(0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.1)
GOOD = {
    "cpus_usable": 4,
    "cpus_online": 4,
    "governor": "performance",
    "turbo": False,
    "smt": "off",
    "clock_source": "tsc",
    "clock_step_s": 2e-8,
    "clock_cost_s": 3e-8,
    "huge_pages": "madvise",
    "numa_nodes": 1,
    "aslr": 2,
    "aslr_can_be_off": True,
    "affinity_can_be_set": True,
    "queue_wait_available": True,
    "compiler_available": True,
    "interventions_missing": "",
    "pressure_available": True,
    "counters_available": ",".join((*HARDWARE, *SOFTWARE, *TREE)),
    "energy_pkg_j_source": "perf event, CPU 0; 64 bits, does not wrap",
    "memory_bytes": 8 << 30,
    "memory_available_bytes": 6 << 30,
    "steal_since_boot_s": 0.0,
    "uptime_s": 1000.0,
    "perf_event_paranoid": 2,
}


def find_topic(topic, load=QUIET, **facts):
    """The finding about a topic on a good machine with these facts changed; ``None`` removes one."""
    changed = {name: value for name, value in (GOOD | facts).items() if value is not None}
    (element,) = [item for item in examine(HostState(changed, load)) if item.topic == topic]
    return element


def test_nothing_is_wrong_with_a_good_machine():
    assert {item.weight for item in examine(HostState(GOOD, QUIET))} == {"ok"}


@pytest.mark.parametrize(
    ("topic", "facts", "weight", "cure"),
    [
        ("CPU quota", {"cgroup_cpu_limit": 1.5}, "problem", "docker update --cpus 0 CONTAINER"),
        ("CPU quota", {"cgroup_cpu_limit": 4.0}, "limitation", "docker update --cpus 0 CONTAINER"),
        ("memory", {"memory_available_bytes": 1 << 28}, "problem", "ps -eo rss,pid,comm --sort=-rss | head"),
        ("memory", {"memory_bytes": None}, "limitation", None),
        ("machine", {"virtualization": "kvm", "container": "docker"}, "limitation", None),
        ("machine", {"container": "podman"}, "ok", None),
        ("pressure", {"pressure_available": False}, "limitation", "add psi=1 to the kernel's command line"),
        ("steal", {"steal_since_boot_s": 200.0}, "limitation", None),
        (
            "governor",
            {"governor": "powersave"},
            "limitation",
            "cpupower frequency-set --governor performance",
        ),
        ("governor", {"governor": None}, "limitation", None),
        ("turbo", {"turbo": True}, "limitation", "echo 0 > /sys/devices/system/cpu/cpufreq/boost"),
        (
            "turbo",
            {"turbo": True, "frequency_driver": "intel_pstate"},
            "limitation",
            "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo",
        ),
        ("turbo", {"turbo": None}, "limitation", None),
        ("SMT", {"smt": "on"}, "limitation", "echo off > /sys/devices/system/cpu/smt/control"),
        (
            "clock",
            {"clock_source": "hpet", "clock_sources_available": "tsc hpet acpi_pm"},
            "limitation",
            "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource",
        ),
        ("clock", {"clock_source": "acpi_pm"}, "limitation", None),
        ("clock", {"clock_cost_s": 2e-6}, "limitation", None),
        (
            "huge pages",
            {"huge_pages": "always"},
            "limitation",
            "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
        ),
        ("NUMA", {"numa_nodes": 2, "numa_balancing": 1}, "limitation", "sysctl kernel.numa_balancing=0"),
        ("NUMA", {"numa_nodes": 2, "numa_balancing": 0}, "ok", None),
        (
            "hardware counters",
            {"counters_available": ",".join(SOFTWARE)},
            "limitation",
            "sysctl kernel.perf_event_paranoid=1",
        ),
        (
            "hardware counters",
            {"counters_available": ",".join(SOFTWARE), "virtualization": "kvm"},
            "limitation",
            None,
        ),
        (
            "software counters",
            {"counters_available": ""},
            "limitation",
            "sysctl kernel.perf_event_paranoid=1",
        ),
        ("address randomisation", {"aslr": 0}, "limitation", "sysctl kernel.randomize_va_space=2"),
        (
            "address randomisation",
            {"aslr_can_be_off": False},
            "limitation",
            "docker run --security-opt seccomp=unconfined …",
        ),
        ("affinity", {"affinity_can_be_set": False}, "limitation", None),
        ("affinity", {"cpus_usable": 1}, "limitation", "taskset --cpu-list 0-3 steelyard …"),
        ("run-queue wait", {"queue_wait_available": False}, "limitation", "sysctl kernel.sched_schedstats=1"),
        ("compiler", {"compiler_available": False}, "limitation", "apt install gcc"),
        ("changes", {"interventions_missing": "governor,scheduling=fifo"}, "limitation", None),
        ("changes", {"interventions_missing": None}, "ok", None),
    ],
)
def test_what_limits_results_is_said_with_its_meaning_and_the_command_that_cures_it(
    topic, facts, weight, cure
):
    result = find_topic(topic, **facts)
    assert (result.weight, result.cure) == (weight, cure)
    assert (result.means is None) == (weight == "ok")


@pytest.mark.parametrize(
    ("busy_s", "weight"), [(0.4, "ok"), (0.6, "limitation"), (1.7, "limitation"), (1.8, "problem")]
)
def test_other_load_weighs_by_the_share_of_the_cpus_that_it_takes(busy_s, weight):
    load = LoadChange(0.5, busy_s, 0.0, None, None, None, None)
    assert find_topic("other load", load).weight == weight


def test_steal_at_the_moment_weighs_more_than_that_of_the_past():
    load = LoadChange(0.5, 0.0, 1.0, None, None, None, None)
    assert find_topic("steal", load).weight == "problem"


def test_the_worst_comes_first():
    facts = {**GOOD, "cgroup_cpu_limit": 0.5, "turbo": True}
    weights = [item.weight for item in examine(HostState(facts, QUIET))]
    assert weights[:2] == ["problem", "limitation"]
    assert set(weights[2:]) == {"ok"}


def test_this_machine_is_judged_by_the_facts_that_are_stored_with_every_run(tmp_path, make_experiment):
    run(make_experiment(design={"blocks": 2}), tmp_path / "a.lab")
    with Record.open(tmp_path / "a.lab") as record:
        stored = record.runs()[0].host
    checked = inspect_host()
    assert checked.able
    # A run that counts neither energy nor trees does not look for where they are read.
    judged = {name for name in checked.facts if not name.endswith("_source")} | {"clock_source"}
    of_the_run = {"environment_bytes", "steelyard", "cpus", "nice", "policy", "swapped_bytes", "throttled_s"}
    assert judged | of_the_run == stored.keys()
    moving = ("load", "steal", "uptime", "clock_step", "clock_cost", "memory_available", "energy", "tree")
    facts = {name: value for name, value in checked.facts.items() if not name.startswith(moving)}
    assert facts == {name: stored[name] for name in facts}


def test_a_tree_that_cannot_be_counted_and_energy_are_limitations_with_their_reasons():
    reason = "/sys/fs/cgroup/x may not be written"
    tree = find_topic("process tree", counters_available=",".join(HARDWARE), tree_cpu_s_source=reason)
    assert (tree.weight, tree.cure) == ("limitation", "systemd-run --user --scope steelyard …")
    assert reason in tree.observed
    v1 = find_topic(
        "process tree", counters_available="tree_cpu_s", tree_memory_bytes_source="cgroup v1 may hold it"
    )
    assert (v1.weight, v1.cure) == ("limitation", None)
    assert "tree_cpu_s" not in v1.observed
    assert find_topic("energy").observed == "energy_pkg_j (perf event, CPU 0; 64 bits, does not wrap)"
    none = find_topic("energy", energy_pkg_j_source="kernel.perf_event_paranoid keeps them from users")
    assert (none.weight, none.cure) == ("limitation", "sysctl kernel.perf_event_paranoid=0")
    assert find_topic("energy", energy_pkg_j_source=None).observed == "not looked at"


def test_what_is_tried_out_is_tried_when_no_trial_can_be_disturbed_by_it(
    tmp_path, make_experiment, monkeypatch
):
    calls = []

    def able() -> dict[str, object]:
        with closing(sqlite3.connect(tmp_path / "a.lab" / "record.sqlite")) as record:
            calls.append(record.execute("SELECT count(*) FROM trial").fetchone()[0])
        return {"aslr_can_be_off": True}

    monkeypatch.setattr("steelyard.lab.run.run.capabilities", able)
    run(make_experiment(design={"blocks": 2}), tmp_path / "a.lab")
    with Record.open(tmp_path / "a.lab") as record:
        (result,) = record.runs()
        assert set(calls) == {sum(len(outcome.block.order) for outcome in record.outcomes())}
    assert result.host["aslr_can_be_off"] is True
    assert "kernel" in result.host


@pytest.mark.parametrize(
    "trouble",
    [
        MachineError("there is no runner"),
        RunnerDiedError("the runner ended in the middle of its work"),
        OSError(errno.EMFILE, "Too many open files"),
    ],
)
def test_a_run_that_ended_well_is_not_spoiled_by_what_cannot_be_tried_out(
    tmp_path, make_experiment, monkeypatch, capfd, trouble
):
    def unable() -> dict[str, object]:
        raise trouble

    monkeypatch.setattr("steelyard.lab.run.run.capabilities", unable)
    assert run(make_experiment(design={"blocks": 2}), tmp_path / "a.lab") == "complete"
    with Record.open(tmp_path / "a.lab") as record:
        (result,) = record.runs()
    assert result.state == "complete"
    assert "kernel" in result.host
    assert "Traceback" not in capfd.readouterr().err


def test_a_run_ends_well_where_no_thread_can_be_started_for_what_is_tried_out(
    tmp_path, make_experiment, monkeypatch
):
    class NoThread(threading.Thread):
        def start(self) -> None:
            raise RuntimeError("can't start new thread")

    monkeypatch.setattr("steelyard.lab.run.process.Thread", NoThread)
    assert run(make_experiment(design={"blocks": 2}), tmp_path / "a.lab") == "complete"
    with Record.open(tmp_path / "a.lab") as record:
        (result,) = record.runs()
    assert (result.state, "aslr_can_be_off" in result.host) == ("complete", False)


def test_every_line_but_a_command_fits_80_columns():
    facts = {**GOOD, "cgroup_cpu_limit": 0.5, "turbo": True, "smt": "on", "cpu_model": "C" * 100}
    text = plain(lines(HostReport({"kernel": "Linux 6"}, examine(HostState(facts, QUIET)), able=True), 80))
    assert max(len(line) for line in text.splitlines() if "try:" not in line) <= 80
    assert "try: echo off > /sys/devices/system/cpu/smt/control\n" in text


def test_counters_are_available_or_missing_and_never_both():
    facts = capabilities()
    available, missing = (
        {name for name in str(facts[f"counters_{text}"]).split(",") if name}
        for text in ("available", "missing")
    )
    assert available | missing == {*HARDWARE, *SOFTWARE, *TREE}
    assert not available & missing


def test_the_command_prints_text_and_one_json_document(steelyard_cli):
    text = steelyard_cli("doctor")
    assert (text.returncode, text.stderr) == (0, "")
    document = json.loads(steelyard_cli("doctor", "--json").stdout)
    assert (document["format"], document["version"], document["able"]) == ("steelyard/doctor", 2, True)
    for finding in document["findings"]:
        assert finding["topic"] in text.stdout
    assert document["facts"]["kernel"].startswith("Linux")


def test_without_a_runner_the_machine_cannot_measure_and_that_is_said_first(steelyard_cli):
    process = steelyard_cli("doctor", env={"STEELYARD_RUNNER": "/nowhere/steelyard-runner"})
    assert process.returncode == 4
    assert "/nowhere/steelyard-runner" in process.stdout
    first = next(
        line for line in process.stdout.splitlines() if line.startswith(("problem", "limitation", "ok"))
    )
    assert first.startswith("problem     runner")


def test_trying_is_done_once_a_process():
    capabilities()
    before = capabilities.cache_info().misses
    capabilities()
    assert capabilities.cache_info().misses == before
