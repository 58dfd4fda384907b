"""``workloads/runtime``: every execution on every transport, what it counts, and what it refuses."""

from __future__ import annotations

import subprocess

import pytest
from programs import ROOT, built

ONCE = ("--repetitions", "1", "--warmup", "0", "--precision", "0", "--sync", "barrier", "--clocks", "one")
EXECUTIONS = ("handler", "fibre", "coroutine")
TRANSPORTS = (("point-to-point",), ("ring",), ("ring", "--node-ranks", "2"))
COUNTED_LOOKS = ("smpi/test:1", "smpi/grow-injected-times:no")


@pytest.mark.parametrize("tree", ["tests", "sanitized"])
@pytest.mark.parametrize("tests", ["runtime_test", "global_test", "graph_test"])
def test_thousands_of_schedules_of_a_simulated_network_handle_everything_once(tree, tests):
    # And all that needs no MPI, under the sanitizers too: fibres, objects to wait for, delegates, orders.
    program = built(tree, f"tests/{tests}")
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


@pytest.mark.parametrize("library", ["openmpi", "mpich"])
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_updates_arrive_once_whatever_carries_and_runs_them(start, library, ranks):
    # The program itself holds the table to the updates that were drawn.
    arguments = (*ONCE, "--ops", "updates", "--updates", "5000")
    for transport in TRANSPORTS:
        for execution in EXECUTIONS:
            for length in ("0", "64", "4096"):
                options = ("--transport", *transport, "--execution", execution, "--buffer-bytes", length)
                ended = start(library, "runtime", ranks, *arguments, *options)
                assert ended.code == 0, (options, ended.stderr)
                assert ended.values("items") == ended.values("items_handled") == [5000 * ranks]
                assert ended.values("tasks") == [0 if execution == "handler" else 5000 * ranks]


@pytest.mark.parametrize("library", ["openmpi", "mpich"])
@pytest.mark.parametrize("kernel", ["gather", "permutation"])
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_reads_and_permutations_are_right_whatever_carries_and_runs_them(start, library, kernel, ranks):
    for transport in TRANSPORTS:
        for execution, length in zip(EXECUTIONS, ("0", "64", "4096"), strict=True):
            options = ("--transport", *transport, "--execution", execution, "--buffer-bytes", length)
            words = (*ONCE, "--ops", kernel, "--updates", "3000", *options)
            ended = start(library, "runtime", ranks, *words)
            assert ended.code == 0, (options, ended.stderr)
            # A question and an answer, or a dart that sticks and a place that it gets, at the least.
            assert ended.values("items")[0] >= 2 * 3000 * ranks


@pytest.mark.parametrize("library", ["openmpi", "mpich"])
@pytest.mark.parametrize(("ranks", "node_ranks"), [(3, "2"), (7, "3"), (8, "4"), (4, "1")])
def test_nodes_of_any_size_are_joined_by_messages_and_by_routes(start, library, ranks, node_ranks):
    options = (
        *ONCE,
        "--ops",
        "updates",
        "--updates",
        "2000",
        "--transport",
        "ring",
        "--node-ranks",
        node_ranks,
    )
    for route in ("direct", "grid", "node"):
        ended = start(
            library, "runtime", ranks, *options, "--route", route, "--ring-slots", "1", "--sends", "1"
        )
        assert ended.code == 0, (route, ended.stderr)
        forwarded = ended.values("items_forwarded")[0]
        assert ended.values("items_handled") == [2000 * ranks + forwarded]
        passes_on = route == "grid" or (route == "node" and node_ranks != "1")
        assert (forwarded > 0) == passes_on, route


def test_sixteen_simulated_ranks_read_and_permute(simulated):
    for kernel in ("gather", "permutation"):
        ended = simulated("runtime", 16, *ONCE, "--ops", kernel, "--updates", "200", "--compute", "fixed")
        assert ended.code == 0, ended.stderr
    blocking = ("--ops", "reads", "--execution", "fibre", "--in-flight", "20", "--reads", "5")
    ended = simulated("runtime", 16, *ONCE, *blocking, "--compute", "fixed")
    assert ended.code == 0, ended.stderr
    assert ended.values("delegates") == ended.values("suspensions") == [1600]


@pytest.mark.parametrize("idle", ["spin", "yield", "wait"])
def test_every_idle_policy_ends_with_one_message_on_its_way(openmpi, idle):
    options = (*ONCE, "--ops", "updates", "--updates", "500", "--buffer-bytes", "0", "--sends", "1")
    ended = openmpi("runtime", 3, *options, "--receives", "1", "--idle", idle)
    assert ended.code == 0, ended.stderr
    assert ended.values("flushes_single") == [1500]


def test_counts_of_messages_add_up(openmpi):
    options = (*ONCE, "--ops", "updates", "--updates", "10000", "--buffer-bytes", "800")
    ended = openmpi("runtime", 2, *options)
    assert ended.code == 0, ended.stderr
    messages = ended.values("messages")[0] + ended.values("messages_to_self")[0]
    reasons = ("full", "single", "age", "idle", "asked", "last")
    assert messages == sum(ended.values(f"flushes_{reason}")[0] for reason in reasons)
    # 100 updates a message: some 200 of them are full, and few rest when nothing is left to do.
    assert ended.values("flushes_full")[0] >= 190
    assert messages <= 220
    assert ended.values("epochs") == [1]


def test_sixteen_simulated_ranks_repeat_to_the_bit(simulated):
    options = (*ONCE, "--ops", "updates", "--updates", "300", "--buffer-bytes", "256", "--compute", "fixed")
    first = simulated("runtime", 16, *options)
    again = simulated("runtime", 16, *options)
    assert first.code == 0, first.stderr
    assert first.lines == again.lines
    assert first.values("items_handled") == [16 * 300]


def test_a_simulated_rank_waits_for_its_messages_and_never_looks_for_them(simulated):
    # A look takes a second, and all else next to nothing: the time counts the looks of the slowest rank.
    options = (*ONCE, "--ops", "updates", "--updates", "400", "--runtime", "hpx-5")
    ended = simulated("runtime", 4, *options, configuration=COUNTED_LOOKS)
    assert ended.code == 0, ended.stderr
    assert ended.values("messages")[0] > 1000
    assert ended.values("time_s")[0] < 1


def test_a_simulated_message_has_its_place_until_it_is_received(simulated):
    # A rank sends all its updates before it looks for any: with room for two, it has to wait.
    options = (*ONCE, "--ops", "updates", "--updates", "400", "--runtime", "hpx-5", "--sends", "2")
    ended = simulated("runtime", 4, *options, "--receives", "2")
    assert ended.code == 0, ended.stderr
    assert ended.values("waits_for_room")[0] > 0.25 * ended.values("messages")[0]


def test_simulated_fibres_cost_more_than_coroutines_and_these_than_handlers(simulated):
    options = (*ONCE, "--ops", "updates", "--updates", "2000", "--compute", "calibrated")
    took = {
        execution: simulated("runtime", 4, *options, "--execution", execution).values("time_s")[0]
        for execution in EXECUTIONS
    }
    assert took["handler"] < took["coroutine"] < took["fibre"]


def test_the_preset_of_hpx_5_sends_parcels_one_by_one_to_tasks_with_stacks(simulated):
    options = (*ONCE, "--ops", "updates", "--updates", "100")
    hpx = simulated("runtime", 4, *options, "--runtime", "hpx-5")
    assert hpx.values("flushes_single") == hpx.values("tasks") == [400]
    am = simulated("runtime", 4, *options, "--runtime", "am++")
    assert am.values("flushes_single") == am.values("tasks") == [0]
    assert am.values("messages")[0] < hpx.values("messages")[0] / 5
    assert am.values("time_s")[0] < hpx.values("time_s")[0]


def test_tasks_that_let_each_other_go_first_all_go_on(openmpi):
    for execution in ("fibre", "coroutine"):
        options = ("--ops", "switches", "--execution", execution, "--live", "50", "--rounds", "20")
        ended = openmpi("runtime", 1, *ONCE, *options)
        assert ended.code == 0, ended.stderr
        assert ended.values("time_s", op="switches")


def test_spawned_tasks_all_run(openmpi):
    options = ("--ops", "spawns", "--execution", "fibre", "--live", "50", "--rounds", "20")
    ended = openmpi("runtime", 1, *ONCE, *options, "--active-tasks", "3")
    assert ended.code == 0, ended.stderr
    assert ended.values("time_s", op="spawns")


@pytest.mark.parametrize("library", ["openmpi", "mpich"])
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_blocking_reads_return_what_is_there_whatever_carries_them(start, library, ranks):
    # The program itself holds each value to the one that its place has.
    options = (*ONCE, "--ops", "reads", "--execution", "fibre", "--in-flight", "50", "--reads", "20")
    few, short = ("--active-tasks", "7"), ("--buffer-bytes", "0", "--sends", "1")
    for transport in TRANSPORTS:
        for limits in (few, short, ("--stack-pages", "huge")):
            ended = start(library, "runtime", ranks, *options, "--transport", *transport, *limits)
            assert ended.code == 0, (limits, ended.stderr)
            reads = 1000 * ranks
            counts = [0] if ranks == 1 else [reads]
            assert ended.values("delegates") == counts
            if limits is not short:  # There, an answer may come while its question waits for room.
                assert ended.values("suspensions") == counts
            assert ended.values("delegates_here") == [reads - counts[0]]
            assert ended.values("most_live_tasks")[0] <= (7 if limits is few else 50)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--transport", "ring", "--idle", "wait"), "--idle wait is MPI's"),
        (("--node-ranks", "-1"), "--node-ranks"),
        (("--execution", "thread"), "--execution"),
        (("--runtime", "charm"), "--runtime"),
        (("--buffer-bytes", "-2"), "--buffer-bytes"),
        (("--stack-bytes", "100"), "--stack-bytes"),
        (("--sends", "0"), "--sends"),
        (("--active-tasks", "-1"), "--active-tasks"),
        (("--stack-pages", "tiny"), "--stack-pages"),
        (("--trace-tasks", "nan"), "--trace-tasks"),
        (("--ops", "reads", "--execution", "handler"), "--ops reads needs --execution fibre"),
        (("--ops", "spawns", "--execution", "coroutine"), "--ops spawns needs --execution fibre"),
        (("--ops", "switches", "--execution", "handler"), "--ops switches needs --execution fibre or"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_by_all_ranks(openmpi, options, message):
    ended = openmpi("runtime", 2, *ONCE, *options)
    assert ended.code == 2
    (line,) = [item for item in ended.stderr.splitlines() if item.startswith("runtime:")]
    assert message in line


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--ops", "updates", "--updates", str(2**30)), "fewer --updates or --table-bits"),
        (("--ops", "gather", "--updates", str(2**30)), "fewer --updates or --table-bits"),
        (("--ops", "permutation", "--updates", str(2**30)), "fewer --updates or --table-bits"),
        (("--ops", "reads", "--execution", "fibre", "--table-bits", "40"), "--table-bits"),
        (("--ops", "switches", "--execution", "fibre", "--live", str(2**24)), "fewer --live"),
    ],
)
def test_what_does_not_fit_in_memory_is_refused_before_it_is_made(openmpi, options, message):
    ended = openmpi("runtime", 8, *ONCE, *options)
    assert ended.code in {1, 2}
    (line,) = [item for item in ended.stderr.splitlines() if item.startswith("runtime:")]
    assert message in line


CONSUMER = """
#include "runtime/control_objects.hpp"
#include "runtime/tasks.hpp"
#include <cstdio>
using namespace goodsyard::runtime;
struct Unwound {
    ~Unwound() { std::puts("unwound"); }
};
int main() {
    Counters counters;
    {
        Tasks tasks(65536, counters);
        Future<int> never(tasks);
        tasks.run_fibre([&] {
            Unwound unwound;
            never.wait();
            std::puts("went on");
        });
        std::puts("waits");
    }
    std::puts("ends");
}
"""


@pytest.mark.parametrize("flags", [(), ("-DNDEBUG", "-O2")])
def test_a_program_may_be_compiled_otherwise_than_the_library(tmp_path, flags):
    # A fibre that waits when the program ends is unwound, by code of the library and of the program.
    library = built("plain", "lib/libworkloads_runtime.a").parent
    (tmp_path / "consumer.cpp").write_text(CONSUMER)
    names = ("runtime", "runtime_options", "harness", "machine", "text")
    archives = [str(library / f"libworkloads_{name}.a") for name in names]
    words = [
        "c++",
        "-std=c++20",
        *flags,
        f"-I{ROOT / 'workloads'}",
        str(tmp_path / "consumer.cpp"),
        *archives,
    ]
    done = subprocess.run(
        [*words, "-lboost_context", "-o", str(tmp_path / "consumer")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    done = subprocess.run([str(tmp_path / "consumer")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "waits\nunwound\nends\n"), done.stderr


def test_no_header_of_the_runtime_includes_boost():
    headers = [*(ROOT / "workloads").rglob("*.hpp")]
    assert len(headers) > 100
    assert [header for header in headers if "<boost/" in header.read_text()] == []


def test_simulated_tasks_of_loops_take_the_time_of_tasks(simulated):
    # On one rank nothing waits for a message: a search with a task an edge and one with a task for all
    # differ by what their tasks cost, 1 ns each by definition of `fixed`.
    options = ("bfs", "--scale", "7", "--blocking", "--compute", "fixed", "--loop-threshold")
    item, few = (simulated("graph", 1, *options, threshold) for threshold in ("1", "1000000"))
    assert item.code == few.code == 0, item.stderr
    tasks, fewer = (ended.values("tasks", source=1)[0] for ended in (item, few))
    assert tasks > fewer + 500
    taken_s, less_s = (ended.values("time_s", source=1)[0] for ended in (item, few))
    assert taken_s - less_s >= 0.95e-9 * (tasks - fewer)


def test_simulated_ranks_share_no_memory(simulated):
    ended = simulated("runtime", 2, *ONCE, "--transport", "ring")
    assert ended.code == 2
    assert "simulated ranks share no memory" in ended.stderr
