"""Traces of perf: what it writes is read as it is, and a program of two phases has two."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from steelyard.core.errors import MachineError, ProgramError, UsageError
from steelyard.extensions.observe.observe import observe
from steelyard.extensions.observe.probes import variable, wrapper
from steelyard.extensions.observe.request import ObserveRequest
from steelyard.extensions.observe.tracing import Tracing
from steelyard.run.measure.extract.missing import MissingValueError
from steelyard.run.measure.extract.pattern import Pattern
from steelyard.run.measure.measurement import Value
from steelyard.run.measure.output import Output
from steelyard.spec.experiment import Verify

# perf 6.1 with --log-fd -I 10 -x, of a shell that runs a program and then sleeps; middle rows left out.
CAPTURED = """\
     0.011989949,17.69,msec,task-clock,17689697,100.00,1.769,CPUs utilized
     0.011989949,7478,,page-faults,17689697,100.00,422.732,K/sec
     0.011989949,35175536,,instructions,17689697,100.00,,
     0.027997620,3.91,msec,task-clock,3912911,100.00,0.391,CPUs utilized
     0.027997620,6609,,page-faults,3912911,100.00,1.689,M/sec
     0.027997620,29791467,,instructions,3912911,100.00,,
     0.098096011,3.95,msec,task-clock,3946501,100.00,0.395,CPUs utilized
     0.098096011,0,,page-faults,3946501,100.00,0.000,/sec
     0.098096011,11573424,,instructions,3946501,100.00,,
     0.216141475,<not counted>,msec,task-clock,0,100.00,,
     0.216141475,<not counted>,,page-faults,0,100.00,,
     0.216141475,<not counted>,,instructions,0,100.00,,
     0.226869133,0.06,msec,task-clock,63790,100.00,0.006,CPUs utilized
     0.226869133,0,,page-faults,63790,100.00,0.000,/sec
     0.226869133,32184,,instructions,63790,100.00,,
"""
# Memory and then arithmetic, or the other way round where SWAPPED is set; 20,480 page faults either way.
PHASES = r"""
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
static unsigned long memory(void) {
    unsigned long pages = 0;
    for (int round = 0; round < 20; round++) {
        const size_t bytes = 4u << 20;
        char *place = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        madvise(place, bytes, MADV_NOHUGEPAGE);
        for (size_t i = 0; i < bytes; i += 4096, pages++) place[i] = 1;
        munmap(place, bytes);
    }
    return pages;
}
static double arithmetic(void) {
    double x = 1;
    for (long i = 0; i < 12000000; i++) x = x * 1.0000001 + 1e-9;
    return x;
}
int main(void) {
    const char *swapped = getenv("SWAPPED");
    unsigned long pages;
    double x;
    if (swapped && *swapped) { x = arithmetic(); pages = memory(); }
    else { pages = memory(); x = arithmetic(); }
    printf("%lu %f\n", pages, x);
}
"""
QUICK = {"metric": "minor_faults", "blocks": 6, "max_time_s": 60.0, "contexts": False, "within": 0.05}


def silent(_: object) -> None:
    pass


def values_of(tracing: Tracing, text: str) -> list[Value]:
    """As the conductor extracts them from what the runner captured."""
    request = ObserveRequest(command="true", probes=(wrapper("nice"),))
    spec_ = request.experiment(request.probes, verify=Verify(), scratch=Path("scratch"), library=None)
    output = Output("stderr", text.encode(), len(text))
    return [
        Value(metric.name, number, i)
        for metric in tracing.experiment(spec_, 2).metrics
        for i, number in enumerate(Pattern(metric.name, metric.pattern, "stderr").column(output)[()].numbers)
    ]


def test_what_perf_writes_is_read_and_intervals_without_the_program_are_left_out():
    tracing = Tracing(10, ("page-faults", "instructions"))
    (run,) = tracing.read_run("none", 3, values_of(tracing, CAPTURED))
    assert (run.level, run.block) == ("none", 3)
    assert run.cpu_s.tolist() == pytest.approx([0.017689697, 0.003912911, 0.003946501, 0.00006379])
    assert run.counts["page-faults"].tolist() == [7478, 6609, 0, 0]
    assert run.counts["instructions"].tolist() == [35175536, 29791467, 11573424, 32184]


def test_names_that_perf_gives_a_modifier_are_still_theirs_and_no_others():
    tracing = Tracing(10, ("instructions",))
    (run,) = tracing.read_run(
        "none", 1, values_of(tracing, CAPTURED.replace("instructions", "instructions:u"))
    )
    assert run.counts["instructions"][0] == 35175536
    with pytest.raises(MissingValueError, match="matches nothing"):
        values_of(tracing, CAPTURED.replace("instructions", "branch-instructions"))


def test_an_event_that_was_not_counted_while_the_program_ran_has_no_trace():
    tracing = Tracing(10, ("page-faults", "instructions"))
    text = CAPTURED.replace("0.027997620,29791467", "0.027997620,<not counted>")
    (run,) = tracing.read_run("none", 1, values_of(tracing, text))
    assert list(run.counts) == ["page-faults"]
    assert list(tracing.read_run("none", 1, [])) == []


def test_phases_differ_where_totals_do_not(tmp_path, monkeypatch):
    tracing = Tracing(2, ("page-faults",))
    try:
        tracing.refuse_missing()
    except MachineError as error:
        pytest.skip(f"no trace can be taken here: {error.message}")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "phases.c").write_text(PHASES)
    subprocess.run(["cc", "-O1", "phases.c", "-o", "phases"], check=True)
    request = ObserveRequest(command="./phases", probes=(variable("SWAPPED=1"),), trace=tracing, **QUICK)
    result = observe(request, tmp_path / "records", watch=silent)
    assert result.probes[0].changes[0].perturbation == "unperturbed"
    none, swapped = result.traces
    assert (none.level, swapped.level, none.event) == ("none", "SWAPPED=1", "page-faults")
    # Of a run on a crowded machine an interval may be missing, and then the run is in no trace.
    assert 2 <= swapped.blocks <= min(none.runs, swapped.runs)
    third = len(none.rates) // 3
    assert third >= 1
    assert sum(none.rates[:third]) > 3 * sum(none.rates[-third:])
    assert sum(swapped.rates[-third:]) > 3 * sum(swapped.rates[:third])
    # The first parts have fewer faults than without the variable, the last ones more.
    changes = [part.difference for part in swapped.differences]
    assert sum(changes[:third]) < 0 < sum(changes[-third:])
    assert result.trace_ms == 2


def test_a_run_that_takes_all_the_time_there_is_is_traced_all_the_same(tmp_path):
    tracing = Tracing(10, ("page-faults",))
    try:
        tracing.refuse_missing()
    except MachineError as error:
        pytest.skip(f"no trace can be taken here: {error.message}")
    hurried = QUICK | {"max_time_s": 0.001}
    request = ObserveRequest(command="sleep 0.05", probes=(variable("A=1"),), trace=tracing, **hurried)
    result = observe(request, tmp_path / "records", watch=silent)
    assert [(trace.level, trace.runs) for trace in result.traces] == [("none", 2), ("A=1", 2)]


def test_a_mistake_is_said_before_anything_runs():
    for events, message in (
        ((), "a trace needs an event"),
        (("cycles; rm x",), "not the name of an event"),
        (("cycles", "cycles"), "is traced twice"),
        (("task-clock",), "is traced twice"),
    ):
        with pytest.raises(UsageError, match=message):
            Tracing(10, events).refuse_missing()


def test_without_perf_it_is_named_with_exit_code_4(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    request = ObserveRequest(command="true", probes=(variable("A=1"),), trace=Tracing(10), **QUICK)
    with pytest.raises(MachineError, match="a trace needs perf, which is not found") as caught:
        observe(request, tmp_path / "records", watch=silent)
    assert (caught.value.exit_code, caught.value.hint) == (4, "apt-get install linux-perf")
    assert not (tmp_path / "records").exists()


def test_an_event_that_perf_cannot_count_is_named_with_exit_code_4(monkeypatch, tmp_path):
    perf = tmp_path / "perf"
    perf.write_text(
        '#!/bin/sh\ncase "$*" in *cycles*) echo "<not supported>,,cycles,0,100.00,,";;'
        ' *) echo "0.30,msec,task-clock,300000,100.00,,";; esac >&2\n'
    )
    perf.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(MachineError, match="perf cannot count the event cycles on this machine") as caught:
        Tracing(10, ("cycles",)).refuse_missing()
    assert caught.value.exit_code == 4


def test_a_traced_run_that_fails_is_said_to_be_one_with_what_may_cure_it(monkeypatch, tmp_path):
    # Stands for a perf whose readings are lost; the check before the first run sees them.
    perf = tmp_path / "perf"
    perf.write_text(
        '#!/bin/sh\ncase "$*" in *-I*) exit 0;; *) echo "0.30,msec,task-clock,1,100.00,,";'
        ' echo "3,,page-faults,1,100.00,,";; esac >&2\n'
    )
    perf.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    request = ObserveRequest(
        command="true", probes=(variable("A=1"),), trace=Tracing(10, ("page-faults",)), **QUICK
    )
    with pytest.raises(ProgramError, match=r"under perf stat, .*matches nothing") as caught:
        observe(request, tmp_path / "records", watch=silent)
    assert "a longer interval than --trace 10" in caught.value.hint
