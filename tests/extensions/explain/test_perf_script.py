"""What perf prints of a run is read as it is."""

from __future__ import annotations

from steelyard.extensions.explain.naming import name_profiles
from steelyard.extensions.explain.perf_script import Frame, drop_broken, read_perf_script

# perf 6.1, perf script -F comm,pid,tid,time,event,period,ip,sym,symoff,dso; middle samples left out.
OUTPUT = [
    "old prog 10721/10721 20756.505093:     200040 cpu-clock: ",
    "\t           153e0 update_active.constprop.0+0x270 (/usr/lib/ld-linux-x86-64.so.2)",
    "",
    "old prog 10721/10721 20756.505290:     200040 cpu-clock: ",
    "\tffffffff8160ed84 __mmap_region+0x74 ([kernel.kallsyms])",
    "\t           20ca3 mmap64+0x13 (/usr/lib/ld-linux-x86-64.so.2)",
    "\t    7f2310b378a8 [unknown] ([unknown])",
    "",
    "old prog 10721/10721 20756.505490:     200040 cpu-clock: ",
    "\t            11d0 ns::f(int, char (&) [3])+0x30 (/opt/old prog)",
    "\t           2724a __libc_start_call_main+0x7a (/usr/lib/libc.so.6)",
    "",
    "old prog 10721/10721 20756.505888:     200040 cpu-clock: ",
    "\t            11d0 ns::f(int, char (&) [3])+0x30 (/opt/old prog)",
    "\t           2724a __libc_start_call_main+0x7a (/usr/lib/libc.so.6)",
    "",
    "old prog 10721/10721 20756.506000: PERF_RECORD_LOST lost 12",
]


def test_samples_are_added_up_by_chain_and_what_was_lost_is_counted():
    profile = read_perf_script(OUTPUT)
    assert (profile.samples, profile.lost) == (4, 12)
    assert sorted(profile.weights.values()) == [200040, 200040, 400080]
    chain = next(frames for frames, weight in profile.weights.items() if weight == 400080)
    assert chain[0] == Frame("ns::f(int, char (&) [3])", "/opt/old prog", 0x11D0, 0x30)


def test_a_sample_without_frames_is_kept_as_unknown():
    profile = read_perf_script(["p 1/1 1.5:     1000 cpu-clock: ", ""])
    assert profile.weights == {(Frame("[unknown]", "[unknown]", 0),): 1000}


def test_callers_that_no_file_has_are_dropped_and_the_place_of_the_sample_never():
    unknown = Frame("[unknown]", "[unknown]", 9)
    assert drop_broken([unknown, unknown]) == (unknown,)


def test_names_are_those_of_the_program_of_its_libraries_and_of_the_kernel():
    named = name_profiles({7: read_perf_script(OUTPUT)}, {"old prog"})
    chains = {tuple((f.name, f.place) for f in chain) for chain in named[7].weights}
    assert (("__libc_start_call_main", "libc"), ("ns::f(int, char (&) [3])", "")) in chains
    assert (("mmap64", "ld-linux-x86-64"), ("__mmap_region", "kernel")) in chains


def test_what_the_interpreter_does_for_a_function_of_python_is_its_own_time():
    lines = [
        "python3 5/5 1.5:     1000 cpu-clock: ",
        "\t 1234 _PyEval_EvalFrameDefault+0x10 (/usr/bin/python3.12)",
        "\t 7f00 py::scan:/srv/app/words.py+0x9 (/tmp/perf-5.map)",
        "\t 1234 _PyEval_EvalFrameDefault+0x10 (/usr/bin/python3.12)",
        "\t 7f10 py::<module>:/srv/app/words.py+0x9 (/tmp/perf-5.map)",
        "\t 1300 Py_RunMain+0x10 (/usr/bin/python3.12)",
        "",
    ]
    named = name_profiles({1: read_perf_script(lines)}, {"python3.12"})
    (chain,) = named[1].weights
    assert [(f.name, f.place) for f in chain] == [
        ("Py_RunMain", ""),
        ("<module>", "words.py"),
        ("scan", "words.py"),
    ]
