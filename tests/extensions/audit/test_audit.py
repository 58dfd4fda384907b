"""An audit finds the planted context, in whatever metric: here one that is no clock."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from steelyard.core.errors import InterruptedRunError, MachineError, ProgramError, UsageError
from steelyard.extensions.audit.audit import audit
from steelyard.extensions.audit.candidates import AuditCandidate, candidates, list_unvaried, place_threads
from steelyard.extensions.audit.effort import effort
from steelyard.extensions.audit.request import AuditRequest
from steelyard.extensions.audit.results import AS_STARTED
from steelyard.extensions.audit.stages import Stages, computes
from steelyard.interventions import INTERVENTIONS
from steelyard.interventions.argv0_bytes import Argv0Bytes
from steelyard.interventions.aslr import Aslr
from steelyard.interventions.env_bytes import EnvBytes
from steelyard.interventions.heap_offset import HeapOffset
from steelyard.lab.run.existing_record import existing_seed
from steelyard.store import Record

PAGE = 256
"""Bytes of the page that is audited here: every byte of a true one would be visited sixteen times as long."""

# Touches 300 pages more where its stack ends in one line of the 4 of such a page: the slow context of
# set_conflict.c, in page faults instead of time.
FAULTS = r"""
#include <stdint.h>
#include <stdlib.h>
int main(void) {
    char here;
    int pages = (uintptr_t)&here % PAGE / 64 == 1 ? 600 : 300;
    volatile char *memory = malloc((size_t)pages * 4096);
    for (int i = 0; i < pages; i++) memory[i * 4096] = 1;
    return 0;
}
"""


def silent(_: object) -> None:
    pass


@pytest.fixture(scope="module")
def faults(tmp_path_factory) -> Path:
    if INTERVENTIONS["aslr"].missing("off"):
        pytest.skip("address randomisation cannot be switched off here")
    directory = tmp_path_factory.mktemp("faults")
    (directory / "faults.c").write_text(FAULTS)
    subprocess.run(["cc", "-O1", f"-DPAGE={PAGE}", "-o", "faults", "faults.c"], cwd=directory, check=True)
    return directory / "faults"


@pytest.fixture
def small_page(monkeypatch) -> None:
    for kind in (EnvBytes, Argv0Bytes):
        monkeypatch.setitem(INTERVENTIONS, kind.name, kind(PAGE))


@pytest.fixture
def audit_request(faults, small_page) -> AuditRequest:
    """As much as there is and as often as must be, so that nothing depends on how fast this machine is."""
    return AuditRequest(
        command=str(faults), metric="minor_faults", only=("env_bytes",), thorough=True, max_time_s=0.1, seed=5
    )


def test_one_slow_line_in_4_is_found_with_its_size_where_every_residue_is_visited(audit_request, tmp_path):
    message: list[str] = []
    result = audit(audit_request, tmp_path, watch=silent, tell=message.append)
    (finding,) = result.findings
    assert (finding.context, finding.verdict) == ("env_bytes", "moves")
    assert (finding.population, len(finding.screened), finding.unseen) == (PAGE, PAGE, 0)
    slow = [item.level for item in finding.screened if item.ratio > 1.3]
    assert len(slow) == 64
    assert finding.beyond(0.02) == 64
    assert finding.extreme.level in slow
    # 300 pages of some 400: the effect is that of the program, whatever its start touches.
    assert 1.4 < finding.extreme.ratio < 2
    assert result.metric == finding.metric == "minor_faults"
    assert message[0].startswith("audit: 256 of 256 levels of env_bytes; about ")


# Touches 300 pages more where its name begins at one byte of eight, wherever its stack is.
BYTE = r"""
#include <stdint.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    (void)argc;
    int pages = (uintptr_t)argv[0] % 8 == 5 ? 600 : 300;
    volatile char *memory = malloc((size_t)pages * 4096);
    for (int i = 0; i < pages; i++) memory[i * 4096] = 1;
    return 0;
}
"""


def test_a_program_that_feels_at_which_byte_a_string_lies_is_found(faults, small_page, tmp_path):
    (tmp_path / "byte.c").write_text(BYTE)
    subprocess.run(["cc", "-O1", "-o", "byte", "byte.c"], cwd=tmp_path, check=True)
    for kind in ("env_bytes", "argv0_bytes"):
        request = AuditRequest(
            command=str(tmp_path / "byte"),
            metric="minor_faults",
            only=(kind,),
            thorough=True,
            max_time_s=0.1,
        )
        (finding,) = audit(request, tmp_path / kind, watch=silent, tell=silent).findings
        assert finding.verdict == "moves"
        slow = [int(item.level) for item in finding.screened if item.ratio > 1.3]
        assert len(slow) == PAGE / 8
        assert len({level % 8 for level in slow}) == 1


def test_levels_are_drawn_at_any_byte_and_in_each_step_before_twice_in_one():
    (env,), _ = candidates(AuditRequest(command="true", only=("env_bytes",)))
    steps = len(env.population)
    few, once, twice = (env.draw(count, 3) for count in (steps // 4, steps, 2 * steps))
    for drawn, most in ((few, 1), (once, 1), (twice, 2)):
        per_step = Counter(level // 16 for level in drawn)
        assert max(per_step.values()) == most
        assert len(set(drawn)) == len(drawn)
        assert {level % 16 for level in drawn} == set(range(16))
    assert env.draw(env.levels, 3) == tuple(range(16 * steps))
    assert (env.unseen(env.levels), round(env.unseen(steps), 4)) == (0, round(1 - 0.05 ** (1 / steps), 4))


DRAWS = 500


@pytest.mark.parametrize("kinds", [16, 40, 64])
def test_the_share_unseen_bounds_how_often_a_kind_is_missed_however_its_levels_lie(kinds):
    # Witness: the kind is planted in whole steps of the stack, or spread over all of them, and drawn for.
    env = AuditCandidate("env_bytes", 0, tuple(range(0, 512, 16)), numeric=True)
    visited = 24
    for levels in (range(kinds), range(0, 512, 512 // kinds)):
        planted = set(list(levels)[:kinds])
        missed = sum(planted.isdisjoint(env.draw(visited, seed)) for seed in range(DRAWS)) / DRAWS
        bound = (1 - len(planted) / 512) ** visited
        assert missed <= bound + 3 * (bound * (1 - bound) / DRAWS) ** 0.5


def test_every_kind_that_was_not_varied_is_named_with_what_this_machine_lacks(monkeypatch):
    class Immovable(HeapOffset):
        def missing(self, level):
            return "this machine has no heap"

    monkeypatch.setitem(INTERVENTIONS, "heap_offset", Immovable())
    among, left_out = candidates(AuditRequest(command="true"))
    assert left_out["heap_offset"] == "this machine has no heap"
    names = {
        *(element.name for element in among),
        *left_out,
        *list_unvaried({*(e.name for e in among), *left_out}),
    }
    assert names == {
        name for name, item in INTERVENTIONS.items() if not item.placeholders and not item.is_place
    }


def test_where_trials_run_is_no_kind_of_an_audit():
    with pytest.raises(UsageError, match="node is where trials run"):
        candidates(AuditRequest(command="true", only=("node",)))
    with pytest.raises(UsageError, match="link_order changes how a program is built") as caught:
        candidates(AuditRequest(command="true", only=("link_order",)))
    assert caught.value.hint.startswith('link_order = "random" in the [contexts] of a spec')


def test_an_audit_that_goes_on_in_a_longer_environment_says_so(audit_request, tmp_path, monkeypatch):
    audit_request = replace(audit_request, thorough=False)
    before = audit(audit_request, tmp_path, watch=silent, tell=silent)
    assert not [warning for warning in before.warnings if warning.kind == "note"]
    shutil.rmtree(tmp_path / "replication.lab")
    monkeypatch.setenv("NEIGHBOUR", "x" * 100)
    (note,) = [
        warning
        for warning in audit(audit_request, tmp_path, watch=silent, tell=silent).warnings
        if warning.kind == "note"
    ]
    text = note.fields["text"]
    assert text.startswith("the environment of the shell had not one length (bytes: pilot")
    assert text.endswith("; repeat the audit from one shell, into a new directory")


def test_an_audit_that_was_stopped_goes_on_and_finds_what_an_uninterrupted_one_finds(audit_request, tmp_path):
    result = audit(audit_request, tmp_path / "whole", watch=silent, tell=silent)

    def interrupt(at) -> None:
        if at.noun == "blocks of the screening" and at.blocks_done == 1:
            raise KeyboardInterrupt

    with pytest.raises(InterruptedRunError):
        audit(audit_request, tmp_path / "parts", watch=interrupt, tell=silent)
    with Record.open(tmp_path / "parts" / "screening.lab") as record:
        assert record.progress().blocks.get("complete", 0) == 1
    assert existing_seed(tmp_path / "parts" / "pilot.lab") == 5
    assert existing_seed(tmp_path / "nothing") is None
    continued = audit(audit_request, tmp_path / "parts", watch=silent, tell=silent)
    assert [item.verdict for item in continued.findings] == [finding.verdict for finding in result.findings]
    assert continued.runs == result.runs


def test_a_context_has_the_same_place_of_the_stack_in_screening_and_replication(faults, small_page, tmp_path):
    # A variable that only one of them had, or that was longer in one, would move every level.
    only = ("env_bytes", "argv0_bytes", "affinity")
    request = AuditRequest(
        command=str(faults), metric="minor_faults", only=only, thorough=True, max_time_s=0.1
    )
    result = audit(request, tmp_path, watch=silent, tell=silent)
    sizes: dict[str, dict[tuple, tuple[int, int]]] = {}
    for stage in ("screening", "replication"):
        with Record.open(tmp_path / f"{stage}.lab") as record:
            levels = {treatment.id: tuple(treatment.levels.items()) for treatment in record.treatments}
            sizes[stage] = {
                levels[item.treatment]: (item.argv_bytes, item.env_bytes)
                for _, item in record.stream_measurements()
            }
    shared = sizes["screening"].keys() & sizes["replication"].keys()
    assert len(shared) > 10
    assert {key: sizes["screening"][key] for key in shared} == {
        key: sizes["replication"][key] for key in shared
    }
    verdicts = {finding.context: finding.verdict for finding in result.findings}
    assert verdicts["env_bytes"] == "moves"
    assert verdicts["affinity"] != "moves"


# A machine whose CPUs are not alike, in page faults: three times as many where only the slow CPU may be used.
UNLIKE = r"""
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
int main(void) {
    cpu_set_t mine;
    sched_getaffinity(0, sizeof mine, &mine);
    int pages = CPU_COUNT(&mine) == 1 && CPU_ISSET(SLOW, &mine) ? 900 : 300;
    volatile char *memory = malloc((size_t)pages * 4096);
    for (int i = 0; i < pages; i++) memory[i * 4096] = 1;
    return 0;
}
"""


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one CPU, which is like itself")
def test_a_program_of_one_thread_is_tried_on_single_cpus_so_that_a_slow_one_is_found(tmp_path):
    slow = max(os.sched_getaffinity(0))
    (tmp_path / "unlike.c").write_text(UNLIKE)
    subprocess.run(["cc", "-O1", f"-DSLOW={slow}", "-o", "unlike", "unlike.c"], cwd=tmp_path, check=True)
    request = AuditRequest(
        command=str(tmp_path / "unlike"), metric="minor_faults", only=("affinity",), max_time_s=0.1
    )
    (finding,) = audit(request, tmp_path / "labs", watch=silent, tell=silent).findings
    assert (finding.context, finding.verdict, finding.typical) == ("affinity", "moves", ("none",))
    assert finding.extreme.level == str(slow)


# Three times as many page faults where the stack has no limit, or in a locale of UTF-8.
SURROUNDED = r"""
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
int main(void) {
    setlocale(LC_ALL, "");
    struct rlimit stack;
    getrlimit(RLIMIT_STACK, &stack);
    int more = LIMIT ? stack.rlim_cur == RLIM_INFINITY : strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    int pages = more ? 900 : 300;
    volatile char *memory = malloc((size_t)pages * 4096);
    for (int i = 0; i < pages; i++) memory[i * 4096] = 1;
    return 0;
}
"""


@pytest.mark.parametrize(("limit", "kind"), [(1, "stack_limit"), (0, "lc_all")])
def test_a_program_that_its_locale_or_the_limit_of_its_stack_slows_is_found(tmp_path, limit, kind):
    (tmp_path / "it.c").write_text(SURROUNDED)
    subprocess.run(["cc", "-O1", f"-DLIMIT={limit}", "-o", "it", "it.c"], cwd=tmp_path, check=True)
    request = AuditRequest(command=str(tmp_path / "it"), metric="minor_faults", only=(kind,), max_time_s=0.1)
    (finding,) = audit(request, tmp_path / "labs", watch=silent, tell=silent).findings
    assert (finding.context, finding.verdict) == (kind, "moves")
    assert 1.5 < max(finding.extreme.ratio, 1 / finding.extreme.ratio) < 4


def test_a_number_of_openmp_threads_is_varied_where_openmp_was_seen():
    among, _ = candidates(AuditRequest(command="true", only=("omp_num_threads", "env_bytes")))
    openmp, _ = place_threads(among, "openmp", requested=False)
    assert [kind.name for kind in openmp] == ["omp_num_threads", "env_bytes"]
    assert openmp[0].population[:2] == ("inherited", 1)
    item, left_out = place_threads(among, "one", requested=False)
    assert [kind.name for kind in item] == ["env_bytes"]
    assert left_out["omp_num_threads"] == "the program was not seen to use OpenMP"
    with pytest.raises(MachineError, match="omp_num_threads cannot be varied here"):
        place_threads(among, "one", requested=True)


def test_levels_of_affinity_are_single_cpus_names_or_none_by_what_the_program_does():
    among, _ = candidates(AuditRequest(command="true", only=("affinity", "env_bytes")))
    several = replace(among[0], population=("none", "0"))
    element, left_out = place_threads((several, among[1]), "one", requested=False)
    if len(os.sched_getaffinity(0)) > 1:
        assert set(element[0].population[1:]) <= set(map(str, os.sched_getaffinity(0)))
        assert not left_out
    openmp, _ = place_threads((several, among[1]), "openmp", requested=False)
    assert openmp[0].population[:2] == ("none", "compact")
    own, left_out = place_threads((several, among[1]), "own", requested=False)
    assert [item.name for item in own] == ["env_bytes"]
    assert left_out["affinity"].startswith("the program uses several CPUs at once")
    with pytest.raises(MachineError, match="affinity cannot be varied here"):
        place_threads((several, among[1]), "own", requested=True)


def test_openmp_is_recognised_by_its_runtime_and_other_threads_are_not(monkeypatch, tmp_path):
    # Whether several CPUs computed at once would depend on this machine's load.
    monkeypatch.setattr("steelyard.extensions.audit.stages.parallel", lambda *_: True)
    (tmp_path / "threads.c").write_text(
        'int main(void) {\n#pragma omp parallel\n  { __asm__ volatile(""); }\n  return 0;\n}\n'
    )
    for name, flag in (("openmp", "-fopenmp"), ("own", "-pthread")):
        subprocess.run(["cc", flag, "-o", name, "threads.c"], cwd=tmp_path, check=True)
        bench = Stages(AuditRequest(command=str(tmp_path / name)), tmp_path / f"{name}.labs", silent)
        bench.measure([{}], stage="pilot", blocks=2, discard=0)
        assert bench.threads() == name


def test_a_kind_of_context_that_there_is_none_of_is_a_usage_error_with_the_nearest(audit_request):
    with pytest.raises(UsageError, match="unknown kind of context 'env_byts'") as caught:
        candidates(AuditRequest(command="true", only=("env_byts",)))
    assert caught.value.hint == "did you mean env_bytes?"


def test_things_that_this_machine_lacks_are_left_out_with_the_reason_or_refused(monkeypatch, tmp_path):
    setting = tmp_path / "randomize_va_space"
    setting.write_text("0\n")
    monkeypatch.setitem(INTERVENTIONS, "aslr", Aslr(setting))
    among, left_out = candidates(AuditRequest(command="true"))
    assert "aslr" not in [item.name for item in among]
    assert left_out["aslr"].startswith("this system has address randomisation off")
    with pytest.raises(MachineError, match="aslr cannot be varied here") as caught:
        candidates(AuditRequest(command="true", only=("aslr",)))
    assert caught.value.exit_code == 4


def test_longer_programs_are_visited_in_fewer_contexts_and_thorough_ones_in_all():
    among, _ = candidates(AuditRequest(command="true", only=("env_bytes", "affinity")))
    plans = [effort(AuditRequest(command="true"), among, run_s) for run_s in (0.002, 0.1, 10.0)]
    assert [plan.levels["env_bytes"] for plan in plans] == sorted(
        (plan.levels["env_bytes"] for plan in plans), reverse=True
    )
    assert plans[0].levels["env_bytes"] == 256
    assert plans[2].levels["env_bytes"] == 16
    assert plans[2].seconds > 50
    assert effort(AuditRequest(command="true", thorough=True), among, 10.0).levels["env_bytes"] == 4096


def test_a_longer_time_is_used():
    among, _ = candidates(AuditRequest(command="true", only=("env_bytes", "affinity")))
    times = [
        effort(AuditRequest(command="true", max_time_s=max_time_s), among, 0.0005).blocks
        for max_time_s in (50, 100, 500)
    ]
    assert times == [30, 60, 300]


def test_a_limit_plans_fewer_levels_where_the_fewest_that_tell_would_take_longer():
    among, _ = candidates(AuditRequest(command="true"))
    free, limited = (
        effort(AuditRequest(command="true", max_time_s=8, limited=limited), among, 0.05)
        for limited in (False, True)
    )
    assert free.seconds > 20
    assert sum(limited.levels.values()) < sum(free.levels.values())
    assert limited.least_s < 8


class Clock:
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("steelyard.extensions.audit.stages.time", clock)
    return clock


LIMITED = AuditRequest(
    command="true", metric="minor_faults", only=("affinity",), max_time_s=600, limited=True
)


def test_the_stages_share_the_limit_and_an_audit_that_goes_on_keeps_what_they_had(clock, tmp_path):
    def tell(_: str) -> None:
        clock.now = 200.0

    result = audit(LIMITED, tmp_path, watch=silent, tell=tell)
    limits = {}
    for stage in ("pilot", "replication"):
        with Record.open(tmp_path / f"{stage}.lab") as record:
            limits[stage] = record.experiment.design.stop.max_time_s
    assert limits["pilot"] == 600
    assert 399 < limits["replication"] < 400
    clock.now = 0.0
    again = audit(LIMITED, tmp_path, watch=silent, tell=silent)
    assert (again.runs, again.blocks) == (result.runs, result.blocks)


def test_an_audit_whose_time_is_over_says_how_far_it_came_and_how_long_it_takes(clock, tmp_path):
    def tell(_: str) -> None:
        clock.now = 601.0

    with pytest.raises(UsageError, match="replication has 0 of at least 2 blocks") as caught:
        audit(LIMITED, tmp_path, watch=silent, tell=tell)
    assert caught.value.message.startswith("--max-time '600 s' is too short for an audit: ")
    assert caught.value.hint.startswith("--max-time '")


def test_an_audit_ends_early_with_the_blocks_that_it_has(clock, tmp_path):
    result = replace(LIMITED, command="sleep 0.02")

    def tell(_: str) -> None:
        clock.now = 597.0

    answer = audit(result, tmp_path, watch=silent, tell=tell)
    with Record.open(tmp_path / "replication.lab") as record:
        assert record.progress().blocks["complete"] == answer.blocks
        assert record.experiment.design.blocks > answer.blocks >= 2


VARYING = r"""
#include <stdlib.h>
#include <unistd.h>
int main(void) {
    int pages = 300 + (int)((unsigned)getpid() * 2654435761u >> 16) % 60;
    volatile char *memory = malloc((size_t)pages * 4096);
    for (int i = 0; i < pages; i++) memory[i * 4096] = 1;
    return 0;
}
"""


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one CPU, which is like itself")
def test_the_time_that_was_given_goes_into_more_blocks_until_all_is_decided(clock, tmp_path):
    (tmp_path / "varying.c").write_text(VARYING)
    subprocess.run(["cc", "-O1", "-o", "varying", "varying.c"], cwd=tmp_path, check=True)
    result = replace(LIMITED, command=str(tmp_path / "varying"), max_time_s=50)
    answer = audit(result, tmp_path / "labs", watch=silent, tell=silent)
    with Record.open(tmp_path / "labs" / "replication.lab") as record:
        first = record.extensions()[0].from_blocks
    assert (first, answer.findings[0].verdict) == (30, "within")
    assert answer.blocks in (60, 120, 240, 480, 960, 1920)
    # The clock stands still, so that it was decided and not stopped; going on finds the same.
    assert audit(result, tmp_path / "labs", watch=silent, tell=silent).findings == answer.findings


# Touches 300 pages more in the shell that a person starts it in, and in none of the contexts drawn for it.
AT_HOME = r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    char place[4096];
    int at_home = strlen(getcwd(place, sizeof place)) < 300 && !getenv("OMP_WAIT_POLICY");
    int pages = at_home ? 600 : 300;
    volatile char *memory = malloc((size_t)pages * 4096);
    for (int i = 0; i < pages; i++) memory[i * 4096] = 1;
    return 0;
}
"""


def audited_at_home(tmp_path, monkeypatch, *usual: str):
    (tmp_path / "home.c").write_text(AT_HOME)
    subprocess.run(["cc", "-O1", "-o", "home", "home.c"], cwd=tmp_path, check=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    monkeypatch.setattr("steelyard.extensions.audit.candidates.USUAL", usual)
    request = AuditRequest(command=str(tmp_path / "home"), metric="minor_faults", max_time_s=0.1)
    result = audit(request, tmp_path / "labs", watch=silent, tell=silent)
    return {finding.context: finding for finding in result.findings}


def test_the_context_that_the_user_is_in_is_tested_like_any_other(tmp_path, monkeypatch):
    findings = audited_at_home(tmp_path, monkeypatch, "omp_wait_policy", "transparent_huge_pages")
    assert findings[AS_STARTED].verdict == "moves"
    assert 1.4 < findings[AS_STARTED].extreme.ratio < 2
    # Of the kinds, the one that makes the difference.
    waiting = findings["omp_wait_policy"]
    assert (waiting.verdict, waiting.extreme.level) == ("moves", "inherited")
    assert findings["transparent_huge_pages"].verdict == "within"


def test_a_length_that_no_level_has_is_found_where_it_is_the_users_own(tmp_path, monkeypatch):
    if INTERVENTIONS["cwd_bytes"].missing(512):
        pytest.skip("showing a directory under another name needs root")
    findings = audited_at_home(tmp_path, monkeypatch, "cwd_bytes")
    assert findings["cwd_bytes"].verdict == "within"
    assert findings[AS_STARTED].verdict == "moves"


def test_kinds_that_are_asked_for_by_name_are_judged_alone(tmp_path):
    request = AuditRequest(command="true", metric="minor_faults", only=("omp_wait_policy",), max_time_s=0.1)
    result = audit(request, tmp_path, watch=silent, tell=silent)
    assert [finding.context for finding in result.findings] == ["omp_wait_policy"]


def test_a_metric_that_is_0_somewhere_is_refused(tmp_path):
    request = AuditRequest(command="true", metric="major_faults", only=("affinity",), max_time_s=0.1)
    with pytest.raises(UsageError, match="major_faults is 0 in some runs"):
        audit(request, tmp_path, watch=silent, tell=silent)


def test_time_is_cpu_time_for_a_program_of_one_thread_whatever_disturbs_it():
    wall, wait = np.array([0.010, 0.030, 0.012]), np.array([0.001, 0.018, 0.0])
    many = np.array([3.0, 40.0, 3.0])
    assert computes(wall, np.array([0.0089, 0.009, 0.009]), wait, many)
    # It waits for something else than a CPU; it has two threads.
    assert not computes(wall, np.array([0.001, 0.001, 0.001]), wait, many)
    assert not computes(wall, np.array([0.018, 0.018, 0.018]), wait, many)


def test_a_program_that_never_waits_is_known_by_that_where_every_run_was_disturbed():
    wall, cpu, no_wait = np.full(10, 0.030), np.full(10, 0.010), np.zeros(10)
    assert computes(wall, cpu, no_wait, np.array([1.0] * 9 + [2.0]))
    # One that sleeps once a run, and one of two threads that never wait for each other.
    assert not computes(wall, cpu, no_wait, np.array([2.0] * 9 + [1.0]))
    assert not computes(wall, np.full(10, 0.058), no_wait, np.ones(10))


def test_time_is_elapsed_time_for_a_program_that_waits(tmp_path):
    request = AuditRequest(command="sleep 0.02", only=("affinity",), max_time_s=0.1)
    assert audit(request, tmp_path, watch=silent, tell=silent).metric == "wall_s"


def test_where_addresses_cannot_be_fixed_lengths_say_nothing_and_are_left_out(monkeypatch):
    class Refusing(Aslr):
        def missing(self, level):
            return "the kernel refuses" if level == "off" else None

    monkeypatch.setitem(INTERVENTIONS, "aslr", Refusing())
    among, left_out = candidates(AuditRequest(command="true"))
    assert {"env_bytes", "argv0_bytes"} <= left_out.keys()
    assert left_out["env_bytes"] == "every run has a layout of its own, since the kernel refuses"
    assert "affinity" in [item.name for item in among]


def test_a_kind_of_context_in_which_the_program_fails_is_left_out_or_refused(tmp_path):
    picky = tmp_path / "picky"
    picky.write_text("#!/bin/sh\n[ ${#0} -lt 1000 ]\n")
    picky.chmod(0o755)
    request = AuditRequest(command=str(picky), metric="minor_faults", max_time_s=0.1)
    result = audit(request, tmp_path / "a", watch=silent, tell=silent)
    assert result.left_out["argv0_bytes"].endswith(
        "the program behaves differently: it ended with exit code 1"
    )
    with pytest.raises(ProgramError, match="argv0_bytes cannot be varied: at 3056"):
        audit(replace(request, only=("argv0_bytes",)), tmp_path / "b", watch=silent, tell=silent)
