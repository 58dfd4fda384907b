"""Gates of real repositories, with processes of a made-up harness that reports what each commit says."""

from __future__ import annotations

import pytest

from steelyard.core.errors import InterruptedRunError, NoReportError, ProgramError, RecordError, UsageError
from steelyard.extensions.gate.gate import gate
from steelyard.extensions.gate.request import GateRequest
from steelyard.extensions.repository.repository import Repository

BLOCK_S = 0.2
"""Of ``steady``."""


def request_of(base, head, **changes):
    inputs = {"words": ("./bench",), "harness": "google-benchmark", "seed": 1, "max_time_s": 60.0}
    return GateRequest(base=base, head=head, **{**inputs, **changes})


def run(suites, tmp_path, request, name="found", **options):
    return gate(request, Repository(suites.path), tmp_path / name, **options)


def verdicts(found):
    return {item.name: item.verdict for item in found.benchmarks}


def test_each_benchmark_gets_a_verdict_and_trees_go(suites, tmp_path):
    base = suites.suite(sort=100, find=100, fill=100, old=5)
    head = suites.suite(sort=120, find=100, fill=80, new=5)
    result = run(suites, tmp_path, request_of(base, head))
    assert verdicts(result) == {
        "sort": "slower",
        "find": "equivalent",
        "fill": "faster",
        "old": "gone",
        "new": "new",
    }
    sort = result.benchmarks[0]
    assert sort.change == pytest.approx(0.2, abs=0.01)
    assert sort.ci95.low < 0.2 < sort.ci95.high
    assert (sort.base, sort.head) == (pytest.approx(100e-9, rel=0.01), pytest.approx(120e-9, rel=0.01))
    assert (result.metrics[0].name, result.metrics[0].unit, result.harness) == (
        "real_time_s",
        "s",
        "google-benchmark",
    )
    assert (result.base, result.head) == (base[:12], head[:12])
    assert result.exit_code(strict=False) == 1
    assert suites.git("worktree", "list").count("\n") == 0
    # The same again is read from the records.
    processes = len(suites.filters)
    assert run(suites, tmp_path, request_of(base, head)) == result
    assert len(suites.filters) == processes


@pytest.mark.usefixtures("steady")
def test_what_is_decided_runs_no_more(suites, tmp_path):
    base = suites.suite(sort=100, find=100)
    head = suites.suite(sort=200, find=103)
    result = run(suites, tmp_path, request_of(base, head, max_time_s=12 * BLOCK_S))
    assert verdicts(result) == {"sort": "slower", "find": "open"}
    assert result.out_of_time
    assert suites.filters[:2] == ["", ""]
    assert "^(sort|find)$" in suites.filters
    assert suites.filters[-1] == "^(find)$"
    assert result.benchmarks[0].blocks < result.benchmarks[1].blocks
    assert (result.exit_code(strict=False), result.exit_code(strict=True)) == (1, 1)


@pytest.mark.usefixtures("steady")
def test_what_there_is_no_time_to_decide_waits(suites, tmp_path):
    base = suites.suite(sort=100, find=100, fill=100)
    head = suites.suite(sort=104.12, find=103.98, fill=70)
    result = run(suites, tmp_path, request_of(base, head, margin=0.04, max_time_s=9 * BLOCK_S))
    assert verdicts(result) == {"sort": "open", "find": "open", "fill": "faster"}
    sort, find, _ = result.benchmarks
    assert find.blocks == 6 < sort.blocks
    assert suites.filters[-1] == "^(sort)$"


@pytest.mark.usefixtures("steady")
def test_an_interrupted_gate_goes_on_with_the_same_programs(suites, tmp_path):
    # At the margin, of which one may be decided by chance in the first batch, and hardly both.
    base, head = suites.suite(sort=100, find=100), suites.suite(sort=103, find=103)

    def stop_in_the_second_batch(_at):
        if (tmp_path / "found" / "002-1.lab").exists():
            raise KeyboardInterrupt

    request = request_of(base, head, seed=None, max_time_s=9 * BLOCK_S)
    with pytest.raises(InterruptedRunError, match="interrupted; measurements so far are in "):
        run(suites, tmp_path, request, watch=stop_in_the_second_batch)
    assert suites.filters[:2] == ["", ""]
    result = run(suites, tmp_path, request)
    assert suites.filters.count("") == 2
    assert max(benchmark.blocks for benchmark in result.benchmarks) > 6
    assert suites.git("worktree", "list").count("\n") == 0
    with pytest.raises(RecordError, match="is of another gate, or of other options"):
        run(suites, tmp_path, request_of(base, head, margin=0.1))


def test_directories_stand_for_revisions(suites, tmp_path):
    suites.suite(sort=100)
    (tmp_path / "copy").mkdir()
    for file in ("bench", "values"):
        content = (suites.path / file).read_text().replace("sort 100", "sort 150")
        (tmp_path / "copy" / file).write_text(content)
        (tmp_path / "copy" / file).chmod(0o755)
    request = request_of(str(suites.path), str(tmp_path / "copy"), are_directories=True)
    result = gate(request, None, tmp_path / "found")
    assert verdicts(result) == {"sort": "slower"}
    assert (tmp_path / "copy" / "bench").exists()


@pytest.mark.usefixtures("steady")
def test_a_gone_benchmark_has_an_exit_code_of_its_own_and_an_open_one_under_strict(suites, tmp_path):
    base = suites.suite(sort=100, find=100)
    result = run(suites, tmp_path, request_of(base, suites.suite(sort=100)))
    assert verdicts(result) == {"sort": "equivalent", "find": "gone"}
    assert result.exit_code(strict=False) == 6
    still_open = request_of(base, suites.suite(sort=103, find=103), max_time_s=8 * BLOCK_S)
    result = run(suites, tmp_path, still_open, name="open")
    assert "open" in verdicts(result).values()
    assert (result.exit_code(strict=False), result.exit_code(strict=True)) == (0, 3)


@pytest.mark.parametrize(
    ("bench", "error", "message"),
    [
        ("#!/bin/sh\n", NoReportError, "the harness ended well and printed nothing"),
        ("#!/bin/sh\necho hello\n", NoReportError, "its output: not a file of google-benchmark\n    hello"),
        ('#!/bin/sh\necho \'{"context": {}, "benchmarks": [{]}\'\n', NoReportError, "its output"),
        ("#!/bin/sh\necho oops >&2; exit 3\n", ProgramError, "it ended with 3\n    oops"),
        ("#!/bin/sh\nkill -SEGV $$\n", ProgramError, "it was killed by SIGSEGV"),
    ],
)
def test_a_suite_that_says_nothing_is_not_green(suites, tmp_path, bench, error, message):
    base, head = suites.suite(sort=100), suites.suite(sort=100, bench=bench)
    with pytest.raises(error) as caught:
        run(suites, tmp_path, request_of(base, head))
    assert caught.value.message.startswith(f"head {head[:12]}: ")
    assert message in caught.value.message
    # Trees stay, so that what failed can be run in them again.
    result = suites.git("worktree", "list").count("\n")
    assert result == 2


def test_a_build_that_fails_names_its_side_and_its_last_words(suites, tmp_path):
    base, head = suites.suite(sort=100), suites.suite(sort=100)
    request = request_of(base, head, build="sh -c 'echo no such header; exit 2'")
    with pytest.raises(ProgramError, match=r"base .*: its build ended with 2\n    no such header"):
        run(suites, tmp_path, request)


def test_no_common_benchmark_and_no_metric_are_refused(suites, tmp_path):
    base = suites.suite(sort=100)
    with pytest.raises(NoReportError, match="no benchmark is on both sides; base has sort"):
        run(suites, tmp_path, request_of(base, suites.suite(find=100)), name="a")
    equal = suites.suite(sort=100, find=1)
    with pytest.raises(UsageError, match="no benchmark reports cpu_time_s") as caught:
        run(suites, tmp_path, request_of(base, equal, metrics=("cpu_time_s",)), name="b")
    assert caught.value.hint == "--metric, one of: real_time_s"
    with pytest.raises(UsageError, match="not recognised as a harness of benchmarks"):
        run(suites, tmp_path, request_of(base, equal, harness=None), name="d")


def test_a_program_whose_runs_all_fail_after_the_first_is_an_error(suites, tmp_path):
    fails_later = suites.BENCH.format(runs=suites.runs).replace(
        "#!/bin/sh", "#!/bin/sh\n[ -e {0} ] && exit 9\n"
    )
    mark = tmp_path / "mark"
    base = suites.suite(sort=100)
    head = suites.suite(sort=100, bench=fails_later.replace("{0}", str(mark)) + f"touch {mark}\n")
    with pytest.raises(ProgramError, match="head: 3 trials in a row failed"):
        run(suites, tmp_path, request_of(base, head))


def fail_at_times(suites, which):
    """A harness that ends with 9 in each run whose number, among all of both sides, ``which`` takes."""
    return suites.BENCH.format(runs=suites.runs).replace(
        "awk -v", f"[ $(({which})) = 1 ] && exit 9\nawk -v", 1
    )


def test_a_change_that_fails_at_times_is_not_judged_by_the_runs_that_went_well(suites, tmp_path):
    base = suites.suite(sort=100)
    head = suites.suite(sort=100, bench=fail_at_times(suites, "runs == 4 || runs == 5"))
    message = (
        r"^1 of 8 processes of head failed, none of base; in block 2 of 001-1.lab: ended with exit code 9"
    )
    with pytest.raises(ProgramError, match=message) as error:
        run(suites, tmp_path, request_of(base, head))
    assert "--allow-failures 1 leaves out blocks" in error.value.hint
    assert suites.git("worktree", "list").count("\n") == 2
    # The records are there: the same again is no way around it.
    with pytest.raises(ProgramError, match="processes of head failed"):
        run(suites, tmp_path, request_of(base, head))


def test_failures_that_are_allowed_are_left_out_and_noted(suites, tmp_path):
    base = suites.suite(sort=100)
    head = suites.suite(sort=70, bench=fail_at_times(suites, "runs == 4 || runs == 5"))
    result = run(suites, tmp_path, request_of(base, head, allow_failures=1))
    assert verdicts(result) == {"sort": "faster"}
    assert result.benchmarks[0].blocks == 6
    # Of a busy machine, another note says so.
    assert [note for note in result.notes if "Other work" not in note] == [
        "1 of 8 processes of head failed; their blocks do not count. The first: ended with exit code 9",
    ]


def test_a_time_limit_that_only_quick_runs_keep_is_no_allowed_failure(suites, tmp_path):
    base = suites.suite(sort=100)
    late = fail_at_times(suites, "runs == 4 || runs == 5").replace("exit 9", "exec sleep 60")
    request = request_of(base, suites.suite(sort=100, bench=late), allow_failures=5, timeout_s=1.0)
    with pytest.raises(ProgramError, match="1 of 8 processes of head failed") as error:
        run(suites, tmp_path, request)
    assert "would hide a slowdown; raise --timeout" in error.value.hint


def test_a_benchmark_that_head_skips_at_times_is_not_judged_by_the_other_blocks(suites, tmp_path):
    skips = suites.BENCH.format(runs=suites.runs).replace(
        "$1 ~ filter", '$1 ~ filter && !($1 == "sort" && (runs == 4 || runs == 5))'
    )
    base = suites.suite(sort=100, find=100)
    with pytest.raises(NoReportError, match=r"^sort: head did not report it in 1 of 6 blocks"):
        run(suites, tmp_path, request_of(base, suites.suite(sort=100, find=100, bench=skips)))
    base = suites.suite(sort=100, find=100, bench=skips)
    (suites.path.parent / "runs").write_text("")
    result = run(suites, tmp_path, request_of(base, suites.suite(sort=100, find=100)), name="of base")
    assert verdicts(result) == {"sort": "equivalent", "find": "equivalent"}


def test_a_base_that_fails_at_times_is_noted(suites, tmp_path):
    base = suites.suite(sort=100, bench=fail_at_times(suites, "runs == 4 || runs == 5"))
    result = run(suites, tmp_path, request_of(base, suites.suite(sort=70)))
    assert verdicts(result) == {"sort": "faster"}
    assert any(
        note.startswith("1 of 8 processes of base failed; their blocks do not") for note in result.notes
    )


SKIPS = """#!/bin/sh
for word; do case $word in --benchmark_out=*) out=${word#*=} ;; esac; done
cat values > "$out"
"""
RUNS = '{"context": {}, "benchmarks": [{"name": "sort", "real_time": 5}, %s]}'


@pytest.mark.parametrize(
    ("base", "head", "notes"),
    [
        (True, True, ["find failed or was skipped on both sides and is not judged: no AVX"]),
        (False, True, ["find failed or was skipped on head and is not judged: no AVX"]),
    ],
)
def test_what_the_harness_skips_is_mentioned(suites, tmp_path, base, head, notes):
    commits = []
    for is_skipped in (base, head):
        fate = '"error_occurred": true, "error_message": "no AVX"' if is_skipped else '"real_time": 5'
        suites.suite(bench=SKIPS)
        (suites.path / "values").write_text(RUNS % f'{{"name": "find", {fate}}}')
        commits.append(suites.commit("values"))
    result = run(suites, tmp_path, request_of(*commits))
    assert [note for note in result.notes if "skipped" in note] == notes
    assert ("find" in verdicts(result)) == (not base)
    assert result.exit_code(strict=False) == (0 if base else 6)


def test_a_suite_that_is_skipped_as_a_whole_is_not_green(suites, tmp_path):
    suites.suite(bench=SKIPS)
    text = '{"context": {}, "benchmarks": [{"name": "sort", "skipped": true, "skip_message": "no AVX"}]}'
    (suites.path / "values").write_text(text)
    head = suites.commit("values")
    with pytest.raises(NoReportError, match="every benchmark failed or was skipped; sort: no AVX"):
        run(suites, tmp_path, request_of(head, suites.commit()))


def test_one_installed_program_for_both_sides_is_noted(suites, tmp_path):
    base, head = suites.suite(sort=100), suites.suite(sort=120)
    result = run(suites, tmp_path, request_of(base, head, words=("sh", "./bench")))
    assert verdicts(result) == {"sort": "slower"}
    assert result.notes[0].startswith("sh is installed, and one program for base and head")


def test_each_block_has_a_layout_of_its_own_that_both_sides_share(suites, tmp_path):
    base, head = suites.suite(sort=100), suites.suite(sort=150)
    log = tmp_path / "layouts"
    build = f"echo '# {{layout}}' >> bench; echo {{layout}} >> {log}"
    request = request_of(base, head, build=build, layout=True)
    result = run(suites, tmp_path, request)
    assert verdicts(result) == {"sort": "slower"}
    layouts = log.read_text().split()
    # As written for both sides, which are looked at first; then a pair for each block.
    assert layouts[:2] == ["0", "0"]
    drawn = list(zip(layouts[2::2], layouts[3::2], strict=True))
    assert len(drawn) == result.benchmarks[0].blocks
    assert all(first == second != "0" for first, second in drawn)
    assert len({first for first, _ in drawn}) == len(drawn)
    assert "Both sides were linked anew for each block, in an order drawn for it." in result.notes
    assert run(suites, tmp_path, request) == result
    assert log.read_text().split() == layouts


def test_equal_sides_that_are_qualified_have_each_a_layout_of_its_own(suites, tmp_path):
    head = suites.suite(sort=100)
    log = tmp_path / "layouts"
    build = f"echo '# {{layout}}' >> bench; echo {{layout}} >> {log}"
    request = request_of(head, head, build=build, layout=True, is_null=True, max_time_s=9 * BLOCK_S)
    run(suites, tmp_path, request)
    layouts = log.read_text().split()[2:]
    assert len(layouts) >= 6
    assert len(set(layouts)) == len(layouts)


def test_layouts_that_nothing_draws_or_that_change_nothing_are_refused(suites, tmp_path):
    base, head = suites.suite(sort=100), suites.suite(sort=150)
    with pytest.raises(UsageError, match=r"--layout: google-benchmark has no order of code to draw"):
        run(suites, tmp_path, request_of(base, head, layout=True), name="a")
    request = request_of(base, head, layout=True, build="true {layout}")
    with pytest.raises(ProgramError, match="base: --layout: the build makes the same program"):
        run(suites, tmp_path, request, name="b")


def test_a_gate_starts_at_the_same_place_of_each_tree(suites, tmp_path):
    place = suites.path / "sub"
    place.mkdir()
    for value in (100, 150):
        (place / "bench").write_text(suites.BENCH.format(runs=suites.runs))
        (place / "bench").chmod(0o755)
        (place / "values").write_text(f"inner {value}\n")
        suites.suite(outer=100)
        commit = suites.commit("sub")
    base = suites.git("rev-parse", f"{commit}~2")
    build = "test -e bench && touch built && test {tree} = $(git rev-parse --show-toplevel)"
    request = request_of(base, commit, build=build)
    result = gate(request, Repository(place), tmp_path / "found")
    assert verdicts(result) == {"inner": "slower"}


def test_a_place_that_base_does_not_have_is_named(suites, tmp_path):
    base = suites.suite(sort=100)
    (suites.path / "sub").mkdir()
    (suites.path / "sub" / "file").touch()
    head = suites.commit("sub")
    with pytest.raises(ProgramError, match="sub is not a directory of this commit") as caught:
        gate(request_of(base, head), Repository(suites.path / "sub"), tmp_path / "found")
    assert caught.value.message.startswith(f"base {base[:12]}: ")


@pytest.mark.parametrize(
    ("build", "words"),
    [
        ("make nosuch", "make: *** No rule to make target 'nosuch'"),
        ("nosuch-compiler -O2", "ended with 127"),
        ("echo out; echo err >&2; false", "\n    out\n    err\n"),
        ("seq 1 50; exit 7", "\n    31\n    32\n"),
    ],
)
def test_a_red_build_quotes_its_end_and_says_how_to_see_it_again(suites, tmp_path, build, words):
    base, head = suites.suite(sort=100), suites.suite(sort=120)
    with pytest.raises(ProgramError) as caught:
        run(suites, tmp_path, request_of(base, head, build=build))
    assert words in caught.value.message
    assert "\n    30\n" not in caught.value.message
    tree = tmp_path / "found" / "trees" / "base" / base[:12]
    assert f"cd {tree} && {build}\n" in caught.value.hint
    assert tree.is_dir()
    assert str(tree.with_suffix(".log")) in caught.value.message or "ended with 127" not in words


def test_a_second_gate_in_a_directory_is_refused_and_the_first_goes_on(suites, tmp_path):
    request = request_of(suites.suite(sort=100), suites.suite(sort=200))
    refused = []

    def begin_another(_):
        if not refused:
            with pytest.raises(RecordError, match="a gate runs there already") as error:
                run(suites, tmp_path, request)
            refused.append(error)

    assert verdicts(run(suites, tmp_path, request, tell=begin_another)) == {"sort": "slower"}
    assert refused


def with_nan(suites, where):
    """A harness whose benchmark ``sort`` has NaN in place of its time, where a condition holds."""
    chosen = f'if ($1 == "sort" && ({where})) time = "NaN"'
    return suites.BENCH.format(runs=suites.runs).replace(
        'printf "\\"real_time\\": %.6f,', f'{chosen}\n        printf "\\"real_time\\": %s,'
    )


def test_a_benchmark_whose_value_is_nan_is_named_with_it_and_the_others_are_judged(suites, tmp_path):
    both = suites.suite(sort=100, find=100, bench=with_nan(suites, "1"))
    head = suites.suite(sort=100, find=120, bench=with_nan(suites, "1"))
    result = run(suites, tmp_path, request_of(both, head))
    assert verdicts(result) == {"find": "slower"}
    assert any(
        "sort is not judged by real_time_s: real_time_s is nan, which is no number on" in note
        for note in result.notes
    )


def test_values_that_become_nan_are_named_with_the_failure(suites, tmp_path):
    base = suites.suite(sort=100)
    head = suites.suite(sort=100, bench=with_nan(suites, "runs >= 2"))
    with pytest.raises(ProgramError, match=r"head: 3 trials in a row failed; .*sort has the value nan in"):
        run(suites, tmp_path, request_of(base, head))
