"""``workloads/ping``: what arrives, what is counted, and what is refused."""

from __future__ import annotations

import pytest

ONCE = ("--repetitions", "1", "--warmup", "0", "--precision", "0", "--sync", "barrier", "--clocks", "one")


@pytest.mark.parametrize("library", ["openmpi", "mpich"])
@pytest.mark.parametrize("ranks", [2, 4])
def test_all_kinds_arrive_whole_at_every_payload(start, library, ranks):
    for payload in (8, 32, 4096):
        ended = start(library, "ping", ranks, *ONCE, "--payload", str(payload), "--count", "640")
        assert ended.code == 0, ended.stderr
        sent = [payload * 640 * ranks / 2]
        for kind in ("aggregated", "raw", "mpi"):
            assert ended.values("sent_bytes", op=kind) == sent
        assert ended.values("messages", op="raw") == [640 * ranks / 2]
        assert ended.values("messages", op="aggregated")[0] <= ended.values("messages", op="raw")[0]


def test_aggregation_makes_few_long_messages_of_many_short_ones(openmpi):
    ended = openmpi("ping", 2, *ONCE, "--payload", "32", "--count", "6400", "--buffer-bytes", "4096")
    assert ended.code == 0, ended.stderr
    assert ended.values("messages", op="aggregated")[0] == 50
    assert ended.values("items_by_bytes", op="aggregated", up_to=32) == [6400]
    assert ended.values("messages_by_bytes", op="aggregated", up_to=4096) == [50]
    assert ended.values("messages_by_bytes", op="raw", up_to=32) == [6400]


def test_beyond_4_kib_only_plain_mpi_is_measured(openmpi):
    ended = openmpi("ping", 2, *ONCE, "--payload", "65536", "--count", "64")
    assert ended.code == 0, ended.stderr
    assert {line["labels"].get("op") for line in ended.lines if line["metric"] == "time_s"} == {"mpi"}


def test_four_simulated_ranks_gain_by_aggregation_and_repeat_to_the_bit(simulated):
    options = (*ONCE, "--payload", "32", "--count", "1280", "--compute", "calibrated")
    first = simulated("ping", 4, *options)
    assert first.code == 0, first.stderr
    assert first.lines == simulated("ping", 4, *options).lines
    assert first.values("time_s", op="aggregated")[0] < first.values("time_s", op="raw")[0]


@pytest.mark.parametrize(
    ("ranks", "options", "message"),
    [
        (3, (), "an even number of ranks"),
        (2, ("--payload", "24"), "24 is not a power of 2"),
        (2, ("--payload", "-8"), "--payload"),
        (2, ("--count", "0"), "--count"),
        (2, ("--ops", "raw", "--payload", "8192"), "--ops raw needs --payload of at most 4096"),
        (2, ("--flush-age", "nan"), "--flush-age"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line_by_all_ranks(openmpi, ranks, options, message):
    ended = openmpi("ping", ranks, *ONCE, *options)
    assert ended.code == 2
    (line,) = [item for item in ended.stderr.splitlines() if item.startswith("ping:")]
    assert message in line
