"""Probes around, beside and inside of a program; metrics here are counts, not clocks."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from steelyard.core.errors import MachineError, ProgramError, UsageError
from steelyard.extensions.observe.observe import observe
from steelyard.extensions.observe.probes import INCLUDE, distinct, make_known_probe, option, variable, wrapper
from steelyard.extensions.observe.request import ObserveRequest
from steelyard.interventions import INTERVENTIONS

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <steelyard_probe.h>
int main(int argc, char **argv) {
    unsigned long sum = 0;
    steelyard_probe_begin();
    for (unsigned long i = 0; i < 20000; i++) { STEELYARD_COUNT(); sum = sum * 31 + i; STEELYARD_COUNT(); }
    steelyard_probe_end();
    printf("%lu %s\n", sum, getenv("CHATTY") && *getenv("CHATTY") ? "chatty" : "quiet");
    return getenv("FAILING") && *getenv("FAILING") ? 3 : 0;
}
"""
BUILD = "cc -std=c11 -O2 {probe} probed.c -o {build}/probed"
QUICK = {"metric": "minor_faults", "blocks": 4, "max_time_s": 60.0, "contexts": False, "within": 0.05}


@pytest.fixture
def source(tmp_path, monkeypatch) -> Path:
    (tmp_path / "probed.c").write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def silent(_: object) -> None:
    pass


def test_probes_inside_add_their_own_instructions_and_none_where_there_is_none(source):
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not found")
    request = ObserveRequest(
        command="{build}/probed",
        build=BUILD,
        probes=(
            option("-DSTEELYARD_SITES=0"),
            option("-DSTEELYARD_SITES=100"),
            option("-DSTEELYARD_SITES=5"),
        ),
        added=True,
        **QUICK,
    )
    result = observe(request, source / "records", watch=silent)
    added = {probe.name: probe.added for probe in result.probes}
    assert added["-DSTEELYARD_SITES=0"] == 0
    # Two increments in memory a round, among some 120,000 instructions of start and loop.
    assert 0.2 < added["-DSTEELYARD_SITES=100"] < 2
    assert 0 < added["-DSTEELYARD_SITES=5"] < added["-DSTEELYARD_SITES=100"]
    assert result.outputs_compared
    assert [change.metric.name for change in result.probes[0].changes] == ["minor_faults", "wall_s", "cpu_s"]
    assert all(probe.changes[0].blocks == result.blocks for probe in result.probes)


def test_a_wrapper_costs_what_it_is_and_the_program_itself_is_the_baseline(source):
    request = ObserveRequest(command="true", probes=(wrapper("sh -c '\"$@\"' sh"), wrapper("nice")), **QUICK)
    result = observe(request, source / "records", watch=silent)
    shell, nice = (probe.changes[0] for probe in result.probes)
    assert shell.metric.name == "minor_faults"
    assert shell.ratio > 1.1
    assert shell.perturbation == "perturbed"
    assert nice.ratio > 1.02
    assert result.typical["minor_faults"] > 1


def test_a_program_that_behaves_differently_under_a_probe_is_said_and_not_compared(source):
    request = ObserveRequest(
        command="{build}/probed",
        build=BUILD,
        probes=(variable("CHATTY=1"), variable("FAILING=yes"), variable("OTHER=1")),
        **QUICK,
    )
    result = observe(request, source / "records", watch=silent)
    chatty, failing, second = result.probes
    assert (
        chatty.differs == "it prints something else, from byte 20 on"
        or "prints something else" in chatty.differs
    )
    assert failing.differs == "it ended with exit code 3; without a probe it ended with exit code 0"
    assert (chatty.changes, failing.changes) == ((), ())
    assert second.differs is None
    assert second.changes


LATE = """#!/bin/sh
if [ -n "$PROBED" ]; then
    if [ -e seen ]; then echo wrong; exit 0; fi
    : > seen
fi
echo right
"""


def test_a_program_that_fails_from_its_second_probed_run_on_is_not_unperturbed(source):
    program = source / "late"
    program.write_text(LATE)
    program.chmod(0o755)
    probes = (variable("PROBED=1"), variable("OTHER=1"))
    request = ObserveRequest(command=str(program), probes=probes, **QUICK)
    probed, second = observe(request, source / "records", watch=silent).probes
    # The rehearsal was its first run; the discarded block is in no count.
    assert probed.differs.endswith("runs it writes something else or ends in another way")
    assert probed.changes == ()
    assert second.differs is None
    assert second.changes


WRITING = """#!/bin/sh
byte=r
# The rehearsal is the first run under the probe, and right.
if [ -n "$PROBED" ]; then
    if [ -e seen ]; then byte=w; fi
    : > seen
fi
write() { head -c $2 /dev/zero; printf $byte; head -c $3 /dev/zero; }
case $1 in
    stdout) write "$@";;
    stderr) write "$@" >&2;;
    *) write "$@" > $1;;
esac
"""


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("stdout", 90_001, 10_000),
        ("stdout", 2_300_000, 0),
        ("stderr", 65_536, 1),
        ("result.bin", 90_001, 0),
        ("result.bin", 0, 2),
    ],
)
def test_one_wrong_byte_of_a_later_probed_run_is_found_wherever_it_is(source, name, before, after):
    program = source / "writing"
    program.write_text(WRITING)
    program.chmod(0o755)
    request = ObserveRequest(
        command=f"{program} {name} {before} {after}",
        probes=(variable("PROBED=1"), variable("OTHER=1")),
        **{**QUICK, "blocks": 2, "within": 0.5},
    )
    result = observe(request, source / "records", watch=silent)
    probed, second = result.probes
    assert probed.differs.endswith("runs it writes something else or ends in another way")
    assert (probed.changes, second.differs) == ((), None)
    assert set(result.compared) == {"stdout", "stderr", name}
    assert result.uncompared == {}


STALE = """#!/bin/sh
echo report
[ -n "$PROBED" ] || echo result > result.txt
date +%N > time.txt
mkdir -p deep/er && echo below > deep/er/file
echo line >> growing.log
"""


def test_a_file_that_a_probed_run_does_not_write_is_not_taken_from_the_run_before(source):
    program = source / "stale"
    program.write_text(STALE)
    program.chmod(0o755)
    request = ObserveRequest(
        command=str(program), probes=(variable("PROBED=1"), variable("OTHER=1")), **QUICK
    )
    result = observe(request, source / "records", watch=silent)
    probed, second = result.probes
    assert probed.differs == "it does not write result.txt"
    assert second.differs is None
    assert set(result.compared) == {"stdout", "stderr", "result.txt", "deep/er/file"}
    assert result.uncompared == dict.fromkeys(("growing.log", "time.txt"), "differs from run to run")


def test_files_that_are_named_are_compared_wherever_they_are_and_no_others(source, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "{result}"
    program = source / "writing"
    program.write_text(f"#!/bin/sh\necho $PROBED > '{elsewhere}'\necho $PROBED > unnamed\n")
    program.chmod(0o755)
    probes = (variable("PROBED=1"), variable("OTHER=1"))
    request = ObserveRequest(command=str(program), probes=probes, files=(str(elsewhere),), **QUICK)
    result = observe(request, source / "records", watch=silent)
    assert [probe.differs for probe in result.probes] == [f"it writes something else to {elsewhere}", None]
    assert result.compared == ("stdout", "stderr", str(elsewhere))
    absent = ObserveRequest(command=str(program), probes=probes, files=("nothing",), **QUICK)
    with pytest.raises(UsageError, match="the program does not write 'nothing'"):
        observe(absent, source / "others", watch=silent)


def test_stderr_is_not_compared_where_a_tool_reports_there_and_that_is_said(source):
    request = ObserveRequest(
        command="echo right",
        probes=(wrapper("sh -c 'echo 3 s >&2; exec \"$@\"' sh"), wrapper("nice")),
        **QUICK,
    )
    result = observe(request, source / "records", watch=silent)
    assert [probe.differs for probe in result.probes] == [None, None]
    assert result.compared == ("stdout",)
    assert result.uncompared["stderr"].endswith("where a tool may report")


PAGES = r"""
#include <stdlib.h>
int main(void) {
    int probed = getenv("PROBED") && *getenv("PROBED"), pages = probed ? UNDER : ALONE;
    volatile char *memory = malloc((size_t)pages * 4096);
    for (int i = 0; i < pages; i++) memory[i * 4096] = 1;
    return 0;
}
"""


def test_a_probe_that_turns_round_which_of_two_programs_is_better_is_found(source):
    (source / "pages.c").write_text(PAGES)
    for name, alone, under in (("few", 300, 900), ("many", 500, 500)):
        flags = [f"-DALONE={alone}", f"-DUNDER={under}"]
        subprocess.run(["cc", "-O1", *flags, "-o", name, "pages.c"], cwd=source, check=True)
    request = ObserveRequest(
        command=str(source / "few"),
        versus=str(source / "many"),
        probes=(variable("PROBED=1"), variable("OTHER=1")),
        **QUICK,
    )
    alone, probed, second = observe(request, source / "records", watch=silent).contests
    assert (alone.probe, alone.reversed, probed.reversed, second.reversed) == ("none", False, True, False)
    assert alone.ratio > 1.3
    assert probed.ratio < 0.8
    assert probed.p_holm < 0.05 < second.p_holm


def test_a_program_that_does_not_repeat_itself_later_is_refused(source):
    program = source / "counting"
    program.write_text("#!/bin/sh\necho x >> runs\n[ $(wc -l < runs) -lt 5 ] && echo few || echo many\n")
    program.chmod(0o755)
    request = ObserveRequest(command=str(program), probes=(variable("OTHER=1"),), **QUICK)
    with pytest.raises(ProgramError, match="does not do the same each time"):
        observe(request, source / "records", watch=silent)


def test_the_preloaded_library_counts_and_leaves_the_program_as_it_is(source):
    request = ObserveRequest(command="ls /", probes=(make_known_probe("preload"),), **QUICK)
    (probe,) = observe(request, source / "records", watch=silent).probes
    assert probe.differs is None
    assert probe.changes[0].ratio > 1


def test_what_profilers_write_is_not_left_behind(source):
    request = ObserveRequest(
        command="{build}/probed", build=BUILD, probes=(option("-pg"), option("--coverage")), **QUICK
    )
    before = set(source.rglob("*.gc*")) | set(source.glob("gmon*"))
    observe(request, source / "records", watch=silent)
    written = {path for path in source.rglob("*") if path.suffix == ".gcda" or path.name.startswith("gmon")}
    assert written == before
    assert not (source / "records" / "written-by-probes").exists()


def test_counters_of_the_header_are_reported_by_the_line_protocol(source):
    flags = ["-DSTEELYARD_PROBES=2", "-DSTEELYARD_PROBE_SOFTWARE", "-DSTEELYARD_SITES=100"]
    warnings = [
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Wconversion",
        "-Wshadow",
        "-Werror",
        "-Wno-unused-parameter",
    ]
    command = ["cc", "-std=gnu11", "-O2", *warnings, f"-I{INCLUDE}", *flags, "probed.c", "-o", "probed"]
    subprocess.run(command, check=True, cwd=source)
    metrics = source / "metrics"
    done = subprocess.run(
        [source / "probed"],
        env={"STEELYARD_METRICS": str(metrics)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 4:
        assert done.stderr.startswith("steelyard_probe: the counter cpu_clock is not available: ")
        pytest.skip("the kernel refuses software counters here")
    lines = metrics.read_text().splitlines()
    assert [line.split('"')[5] for line in lines] == ["probe_cpu_clock", "probe_task_clock", "probe_sites"]
    assert lines[-1].endswith('"values":[40000]}')


@pytest.mark.parametrize(
    ("name", "cure"),
    [
        (
            "strace -c -o /dev/null",
            "a command of your own is --wrap 'strace -c -o /dev/null'; --probe strace is known",
        ),
        ("time -p", "a command of your own is --wrap 'time -p'"),
        ("sh", "a command of your own is --wrap sh"),
        ("LD_PRELOAD=a.so", "a variable is --variable LD_PRELOAD=a.so"),
        ("-pg", "a word of the build is --option=-pg, with --build"),
    ],
)
def test_what_is_no_name_of_a_probe_is_told_the_option_that_it_belongs_to(name, cure):
    with pytest.raises(UsageError, match="unknown probe") as caught:
        make_known_probe(name)
    assert caught.value.hint == cure


def test_mistakes_and_missing_tools_are_said_before_anything_runs(monkeypatch, tmp_path):
    with pytest.raises(UsageError, match="unknown probe 'strce'") as caught:
        make_known_probe("strce")
    assert caught.value.hint == "did you mean strace?"
    with pytest.raises(UsageError, match="not of the form NAME=VALUE"):
        variable("NOVALUE")
    with pytest.raises(UsageError, match="not one word"):
        option("-a -b")
    with pytest.raises(UsageError, match="no probe is given"):
        distinct(())
    with pytest.raises(UsageError, match="given twice"):
        distinct((option("-pg"), option("-pg")))
    with pytest.raises(UsageError, match="no build is given"):
        observe(
            ObserveRequest(command="true", probes=(option("-pg"),), **QUICK), tmp_path / "a", watch=silent
        )
    with pytest.raises(ProgramError, match="the program without a probe was ended by SIGKILL"):
        observe(
            ObserveRequest(command="sh -c 'kill -9 $$'", probes=(wrapper("nice"),), **QUICK),
            tmp_path / "b",
            watch=silent,
        )
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MachineError, match="needs ltrace, which is not found") as lacks:
        make_known_probe("ltrace")
    assert lacks.value.exit_code == 4
    with pytest.raises(MachineError, match="needs mytool, which is not found"):
        wrapper("mytool -x")


def test_contexts_that_cannot_be_held_are_said_with_what_measures_all_the_same(monkeypatch, tmp_path):
    class Refusing:
        def missing(self, level):
            return "the kernel refuses"

    monkeypatch.setitem(INTERVENTIONS, "aslr", Refusing())
    request = ObserveRequest(command="true", probes=(wrapper("nice"),))
    with pytest.raises(MachineError, match="contexts cannot be held on this machine") as caught:
        observe(request, tmp_path, watch=silent)
    assert caught.value.hint == "--one-context measures without drawing contexts"


def test_counters_that_this_machine_lacks_end_with_exit_code_4_whoever_wants_them(monkeypatch, tmp_path):
    lacking = "echo 'steelyard_probe: the counter cycles is not available: No such file' >&2; exit 4"
    request = ObserveRequest(
        command=f"sh -c 'test -z \"$WANTS\" || {{ {lacking.replace(chr(39), chr(34))}; }}'",
        probes=(variable("WANTS=1"),),
        **QUICK,
    )
    with pytest.raises(
        MachineError, match="the probe WANTS=1: the counter cycles is not available: No such file"
    ):
        observe(request, tmp_path / "a", watch=silent)
    monkeypatch.setattr(
        "steelyard.extensions.observe.observe.capabilities",
        lambda: {"counters_missing": "cycles,instructions"},
    )
    request = ObserveRequest(command="true", probes=(wrapper("nice"),), counters=("cycles:u",), **QUICK)
    with pytest.raises(MachineError, match="the counter cycles:u is not available on this machine"):
        observe(request, tmp_path / "b", watch=silent)


def test_a_seed_draws_other_sites_and_as_many(tmp_path):
    # Site n is passed n² times: sums tell which sites count, beside how many.
    sites = "\n".join(f"for (int i = 0; i < {n * n}; i++) STEELYARD_COUNT();" for n in range(100))
    source = tmp_path / "sites.c"
    source.write_text(f"#include <steelyard_probe.h>\nint main(void) {{ {sites} steelyard_probe_end(); }}\n")
    sums = {}
    for seed in (0, 1, 12, 39):
        for share in (30, 100):
            options = [f"-DSTEELYARD_SITES={share}", f"-DSTEELYARD_SITES_SEED={seed}"]
            program = tmp_path / f"sites-{seed}-{share}"
            subprocess.run(["cc", f"-I{INCLUDE}", *options, source, "-o", program], check=True)
            metrics = tmp_path / f"metrics-{seed}-{share}"
            subprocess.run([program], env={"STEELYARD_METRICS": str(metrics)}, check=True)
            sums[seed, share] = json.loads(metrics.read_text())["values"][0]
    assert {total for (_, share), total in sums.items() if share == 100} == {sum(n * n for n in range(100))}
    drawn = [total for (_, share), total in sums.items() if share == 30]
    assert len(set(drawn)) == len(drawn)


def test_a_program_whose_calls_are_not_made_is_the_other_one_but_for_a_byte(source):
    programs = []
    for calls in (0, 1):
        options = ["-DSTEELYARD_PROBES=3", "-DSTEELYARD_PROBE_SOFTWARE", f"-DSTEELYARD_PROBE_CALLS={calls}"]
        program = source / "same"
        subprocess.run(
            ["cc", "-O2", "-Wl,--build-id=none", f"-I{INCLUDE}", *options, "probed.c", "-o", program],
            check=True,
        )
        programs.append(program.read_bytes())
        metrics = source / f"metrics-{calls}"
        done = subprocess.run(
            [program], env={"STEELYARD_METRICS": str(metrics)}, capture_output=True, check=False
        )
        if done.returncode == 4:
            pytest.skip("the kernel refuses software counters here")
        assert metrics.exists() == (calls == 1)
    assert len(programs[0]) == len(programs[1])
    assert sum(a != b for a, b in zip(*programs, strict=True)) == 1
