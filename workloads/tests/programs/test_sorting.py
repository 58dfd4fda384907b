"""``workloads/sorting``: every sort on every input, what it says, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

# A message a rank under way at a time, no acknowledgements, and no list of sends that nobody waits for: what
# the simulator is quick at.
QUICK = (
    "smpi/alltoallv:ring",
    "smpi/alltoall:bruck",
    "smpi/allgather:rdb",
    "smpi/allreduce:rdb",
    "network/crosstraffic:0",
    "smpi/send-is-detached-thresh:0",
)
ONCE = ("--repetitions", "1", "--warmup", "0", "--precision", "0", "--sync", "barrier", "--clocks", "one")


@pytest.mark.parametrize("ranks", range(1, 9))
def test_every_sort_agrees_with_the_standard_library_on_every_input(openmpi, ranks):
    # In one start: sorts and their ways × distributions × even, uneven and empty blocks, keys and records in
    # turns, and fewer keys than ranks. Exact splitting's and radix sort's loads must be exact.
    ended = openmpi("sorting_cases", ranks, "--keys-per-rank", "12", OMPI_MCA_mpi_yield_when_idle="1")
    assert ended.code == 0, ended.stdout + ended.stderr
    assert ended.stdout.endswith("cases, 0 failed\n")
    assert int(ended.stdout.split()[0]) > 300


@pytest.mark.parametrize("library", ["openmpi", "mpich"])
@pytest.mark.parametrize("ranks", range(1, 9))
def test_sorts_in_a_row_on_one_communicator_take_no_messages_of_each_other(start, library, ranks):
    # Sorts that differ in their messages, directly before every such sort: a rank begins the second one
    # while others have not ended the first. Of the 81 pairs those of radix sort with messages of its own are
    # all there; of the others, on many ranks, one in four.
    limit = {"MPIEXEC_TIMEOUT": "300", "OMPI_MCA_mpi_yield_when_idle": "1"}
    every = 1 if ranks <= 4 else 4
    ended = start(library, "sorting_cases", ranks, "--pairs", "--every", str(every), **limit)
    assert ended.code == 0, ended.stdout + ended.stderr
    assert ended.stdout.endswith("81 cases, 0 failed\n" if every == 1 else "35 cases, 0 failed\n")


@pytest.mark.parametrize(("ranks", "every"), [(1, 1), (16, 5), (64, 41)])
def test_every_sort_agrees_with_the_standard_library_on_simulated_ranks(simulated, ranks, every):
    # One case in so many, of other sorts, inputs and blocks each time: 64 ranks take .4 s of CPU a case.
    words = ("--keys-per-rank", "6", "--every", str(every))
    ended = simulated("sorting_cases", ranks, *words, configuration=QUICK)
    assert ended.code == 0, ended.stdout + ended.stderr
    assert ended.stdout.endswith("cases, 0 failed\n")
    assert int(ended.stdout.split()[0]) > 300 // every


@pytest.mark.parametrize("ranks", [16, 64])
def test_every_sort_is_right_on_many_simulated_ranks(simulated, ranks):
    for options in (
        ("sample", "--blocks", "uneven"),
        ("histogram", "--distribution", "few"),
        ("exact", "--distribution", "equal", "--blocks", "holes"),
        ("radix", "--digit-bits", "16", "--type", "f64", "--distribution", "gaussian"),
        ("mini", "--distribution", "zipf"),
        ("mini", "--groups", "comm_split"),
    ):
        keys = "1" if options[0] == "mini" else "20"
        ended = simulated(
            "psort", ranks, *ONCE, "--algorithm", *options, "--keys-per-rank", keys, configuration=QUICK
        )
        assert ended.code == 0, (options, ended.stderr)


def test_a_simulated_sort_repeats_to_the_bit_and_takes_time_to_compute(simulated):
    options = ("--algorithm", "sample", "--keys-per-rank", "100", *ONCE)
    first = simulated("psort", 4, *options, "--compute", "fixed")
    again = simulated("psort", 4, *options, "--compute", "fixed")
    assert first.code == 0, first.stderr
    assert first.lines == again.lines
    # 100 log2 100 comparisons of 1 ns, by definition of `fixed`.
    assert first.values("phase_s", phase="local_sort")[0] == pytest.approx(664e-9, rel=0.05)
    off = simulated("psort", 4, *options, "--compute", "off")
    # The simulated clock has steps of 10 ns.
    assert off.values("phase_s", phase="local_sort")[0] == pytest.approx(0, abs=2e-8)


def test_what_a_sort_says_of_itself_adds_up(openmpi):
    ended = openmpi("psort", 3, *ONCE, "--algorithm", "exact", "--keys-per-rank", "50", "--local", "pdq")
    if "built without" in ended.stderr:
        pytest.skip("psort is built without Boost's sorts")
    assert ended.code == 0, ended.stderr
    assert ended.values("load") == [1]
    assert ended.values("rounds")[0] >= 1
    # Each of 150 keys has been moved once; those that went to others are in messages of 8 bytes a key.
    assert ended.values("phase_operations", phase="exchange") == [150]
    assert 0 < ended.values("phase_bytes", phase="exchange")[0] <= 8 * (150 + 3 * 2)


def test_radix_sort_says_what_an_exchange_keeps_beside_the_items(openmpi):
    for bits in (1, 8, 16):
        options = ("--algorithm", "radix", "--digit-bits", str(bits), "--keys-per-rank", "100")
        together = openmpi("psort", 3, *ONCE, *options, "--exchange", "alltoallv").values("step_bytes")
        # Counts and slots of 2^k values, and where the pieces for and from three ranks begin and end.
        assert together == [8 * (2 * 2**bits + 2 * 4)]
        (alone,) = openmpi("psort", 3, *ONCE, *options, "--exchange", "p2p").values("step_bytes")
        assert alone > 16 * 2**bits
    sample = openmpi("psort", 3, *ONCE, "--algorithm", "sample", "--keys-per-rank", "100")
    assert "step_bytes" not in {line["metric"] for line in sample.lines}


def test_all_splitters_together_take_far_fewer_rounds_than_one_after_the_other(openmpi):
    rounds = {
        schedule: openmpi(
            "psort", 4, *ONCE, "--algorithm", "exact", "--schedule", schedule, "--keys-per-rank", "500"
        ).values("rounds")[0]
        for schedule in ("batched", "sequential")
    }
    assert rounds["batched"] < rounds["sequential"] / 1.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--algorithm", "mini", "--keys-per-rank", "2"), "exactly one key a rank"),
        (("--algorithm", "radix", "--digit-bits", "3"), "--digit-bits 3 does not divide 64"),
        (("--keys-per-rank", "0"), "--keys-per-rank"),
        (("--payload", "--local", "vqsort"), "--local vqsort"),
        (("--algorithm", "bubble"), "--algorithm"),
    ],
)
def test_what_cannot_be_sorted_is_refused_in_one_line_by_all_ranks(openmpi, options, message):
    ended = openmpi("psort", 3, *ONCE, *options)
    assert ended.code == 2
    (line,) = [item for item in ended.stderr.splitlines() if item.startswith("psort:")]
    assert message in line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1.5\nnan\n2\n", ":2: 'nan' is not a number that can be sorted"),
        ("1\n\n3\n", ":2: '' is not a number that can be sorted"),
        ("", "has no keys"),
        ("1\n2\n", "mini sort takes exactly one key a rank, not 0"),
    ],
)
def test_keys_of_a_file_that_cannot_be_sorted_are_refused_by_all_ranks(openmpi, tmp_path, text, message):
    path = tmp_path / "keys"
    path.write_text(text)
    algorithm = ("--algorithm", "mini") if "mini" in message else ("--algorithm", "sample")
    keys = ("--keys-per-rank", "1", "--type", "f64", "--keys", str(path))
    ended = openmpi("psort", 3, *ONCE, *algorithm, *keys)
    assert ended.code == 1
    (line,) = [item for item in ended.stderr.splitlines() if item.startswith("psort:")]
    assert message in line


def test_keys_of_a_file_are_sorted(openmpi, tmp_path):
    path = tmp_path / "keys"
    path.write_text("".join(f"{(i * 37) % 101 - 50}\n" for i in range(101)))
    ended = openmpi("psort", 3, *ONCE, "--type", "i64", "--keys", str(path))
    assert ended.code == 0, ended.stderr


@pytest.mark.parametrize("kind", ["u64", "i64", "f64"])
@pytest.mark.parametrize("ending", ["txt", "npy"])
def test_sorted_keys_can_be_taken_out_and_sorted_again(openmpi, tmp_path, kind, ending):
    drawn = np.random.default_rng(3).integers(0, 40, 101) - (0 if kind == "u64" else 20)
    keys = drawn / 8 if kind == "f64" else drawn
    (tmp_path / "keys").write_text("".join(f"{key}\n" for key in keys))
    out = tmp_path / f"sorted.{ending}"
    options = ("--type", kind, "--keys", str(tmp_path / "keys"), "--output", str(out))
    for algorithm in ("sample", "radix"):
        ended = openmpi("psort", 3, *ONCE, "--algorithm", algorithm, *options)
        assert ended.code == 0, ended.stderr
        result = np.load(out) if ending == "npy" else np.loadtxt(out)
        assert result.dtype == np.dtype(kind.replace("64", "8")) or ending == "txt"
        assert np.array_equal(result, np.sort(keys))
    if ending == "txt":
        again = openmpi("psort", 2, *ONCE, "--type", kind, "--keys", str(out))
        assert again.code == 0, again.stderr


def test_records_are_taken_out_with_their_payloads(openmpi, tmp_path):
    out = tmp_path / "sorted.npy"
    options = ("--distribution", "few", "--payload", "--algorithm", "radix", "--keys-per-rank", "50")
    ended = openmpi("psort", 3, *ONCE, *options, "--output", str(out))
    assert ended.code == 0, ended.stderr
    result = np.load(out)
    # Radix sort is stable, and payloads are the places that records had.
    assert np.array_equal(np.lexsort((result["payload"], result["key"])), np.arange(150))
    assert sorted(result["payload"]) == list(range(150))


def test_keys_that_do_not_fit_in_memory_are_refused_before_they_are_drawn(openmpi):
    ended = openmpi("psort", 4, *ONCE, "--keys-per-rank", str(2**31))
    assert ended.code == 1
    (line,) = [item for item in ended.stderr.splitlines() if item.startswith("psort:")]
    assert "the keys do not fit in memory on rank 0: 257 GiB are needed on this host" in line


def test_a_result_that_cannot_be_written_is_said_once(openmpi):
    ended = openmpi("psort", 3, *ONCE, "--output", "/nowhere/sorted")
    assert ended.code == 1
    (line,) = [item for item in ended.stderr.splitlines() if item.startswith("psort:")]
    assert "cannot write the result on rank 0: /nowhere/sorted: No such file or directory" in line
