"""Platforms of SimGrid: hosts, cores, places of ranks."""

from __future__ import annotations

from pathlib import Path

import pytest

from steelyard.core.errors import UsageError
from steelyard.spec.platform import SimulatedHost, list_places, read_hosts


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / f"{abs(hash(text))}.xml"
    path.write_text(f'<?xml version="1.0"?><platform version="4.1">{text}</platform>')
    return path


def test_hosts_and_clusters_are_read_in_their_order(tmp_path):
    path = written(
        tmp_path,
        '<zone id="z"><host id="login" speed="1f"/></zone>'
        '<cluster id="c" prefix="n" suffix=".x" radical="0-1,7" core="2" speed="1f" bw="1" lat="1"/>',
    )
    assert read_hosts(path) == (
        SimulatedHost("login", 1),
        SimulatedHost("n0.x", 2),
        SimulatedHost("n1.x", 2),
        SimulatedHost("n7.x", 2),
    )


def test_the_cores_of_a_host_are_filled_before_the_next(tmp_path):
    path = written(tmp_path, '<cluster prefix="n" suffix="" radical="0-2" core="2"/>')
    assert list_places(path, 5) == ["n0", "n0", "n1", "n1", "n2"]


def test_scattered_hosts_are_drawn_from_all_and_filled_core_by_core(tmp_path):
    path = written(tmp_path, '<cluster prefix="n" suffix="" radical="0-99" core="4"/>')
    everywhere = list_places(path, 400)
    drawn = {seed: list_places(path, 40, scatter=seed) for seed in (1, 2)}
    assert drawn[1] != drawn[2]
    for hosts in drawn.values():
        assert set(hosts) <= set(everywhere)
        assert hosts == [host for host in hosts[::4] for _ in range(4)]
        assert len(set(hosts)) == 10
        # Ten of a hundred hosts by chance are the first ten once in 10^13.
        assert set(hosts) != set(everywhere[:40])
    # A larger job on the same machine on the same day gets what the smaller one got, and more.
    assert list_places(path, 80, scatter=1)[:40] == drawn[1]


def test_an_order_that_was_drawn_once_stays(tmp_path):
    path = written(tmp_path, '<cluster prefix="n" suffix="" radical="0-7"/>')
    # sha256sum of "1 n0" … "1 n7".
    assert list_places(path, 8, scatter=1) == ["n2", "n5", "n4", "n3", "n1", "n0", "n7", "n6"]


def test_more_ranks_than_cores_are_refused_with_both_numbers(tmp_path):
    path = written(tmp_path, '<cluster prefix="n" suffix="" radical="0-2" core="2"/>')
    with pytest.raises(UsageError, match=r"7 ranks are asked for.*6 cores on 3 hosts"):
        list_places(path, 7)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<a/>", "declares no <host>"),
        ('<cluster prefix="n" radical="0-x"/>', "must be a list of numbers"),
        ('<cluster prefix="n" radical="0-99999999"/>', "too many hosts"),
        ('<cluster prefix="n" radical="0" core="0"/>', "must be a number of cores"),
        ("<unclosed>", "is not valid XML"),
    ],
)
def test_what_is_no_platform_is_refused_by_name(tmp_path, text, message):
    with pytest.raises(UsageError, match=message):
        read_hosts(written(tmp_path, text))


@pytest.mark.parametrize("text", ['<host id="a&#10;b"/>', '<cluster prefix="a b" radical="0-1"/>'])
def test_a_host_whose_name_would_be_two_is_refused(tmp_path, text):
    with pytest.raises(UsageError, match="which no list of hosts can hold"):
        read_hosts(written(tmp_path, text))


def test_other_xml_and_missing_files_are_refused(tmp_path):
    page = tmp_path / "page.xml"
    page.write_text("<html/>")
    with pytest.raises(UsageError, match="starts with <html>"):
        read_hosts(page)
    with pytest.raises(UsageError, match="cannot be read"):
        read_hosts(tmp_path / "none.xml")
