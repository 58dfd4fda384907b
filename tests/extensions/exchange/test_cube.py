"""CUBE profiles, written here byte by byte after the format's description, read through pycubexr."""

from __future__ import annotations

import io
import json
import struct
import tarfile
from xml.etree import ElementTree as ET

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.cube import run_of
from steelyard.extensions.exchange.files import read_series
from steelyard.extensions.growth.algebra import Growth
from steelyard.extensions.growth.scaling import model

pytestmark = pytest.mark.extensions("growth")

REGIONS = ["main", "solve", "MPI_Allreduce"]
TREE = (
    """<cnode id="0" calleeId="0"><cnode id="1" calleeId="1"><cnode id="2" calleeId="2"/></cnode></cnode>"""
)


def anchor(locations):
    metrics = "".join(
        f'<metric id="{id_}" type="{kind}"><disp_name>{name}</disp_name><uniq_name>{name}</uniq_name>'
        f"<dtype>{dtype}</dtype><uom>{unit}</uom><url/><descr/></metric>"
        for id_, name, kind, dtype, unit in (
            (0, "visits", "EXCLUSIVE", "UINT64", "occ"),
            (1, "time", "INCLUSIVE", "DOUBLE", "sec"),
            (2, "lost", "EXCLUSIVE", "DOUBLE", "sec"),
        )
    )
    regions = "".join(
        f'<region id="{i}" mod="app" begin="1" end="2"><name>{name}</name></region>'
        for i, name in enumerate(REGIONS)
    )
    threads = "".join(
        f'<locationgroup Id="{i}"><name>{i}</name><rank>{i}</rank><type>process</type>'
        f'<location Id="{i}"><name>{i}</name><rank>0</rank><type>thread</type></location></locationgroup>'
        for i in range(locations)
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><cube version="4.8"><metrics>{metrics}</metrics>'
        f"<program>{regions}{TREE}</program><system>"
        f'<systemtreenode Id="0" class="machine"><name>m</name>{threads}</systemtreenode></system></cube>'
    ).encode()


def write(path, visits, times):
    """A profile whose ``visits`` (exclusive) and ``times`` (inclusive) are one row a call path; ``lost`` has
    no data, as where a metric was not measured.
    """
    files = {"anchor.xml": anchor(len(times[0]))}
    for id_, rows, code in ((0, visits, "Q"), (1, times, "d")):
        flat = [value for row in rows for value in row]
        index = struct.pack("<ihb", 1, 0, 1) + struct.pack(f"<i{len(rows)}i", len(rows), *range(len(rows)))
        files[f"{id_}.index"] = b"CUBEX.INDEX" + index
        files[f"{id_}.data"] = b"CUBEX.DATA" + struct.pack(f"<{len(flat)}{code}", *flat)
    path.parent.mkdir(parents=True)
    with tarfile.open(path, "w") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))


@pytest.fixture
def profiles(tmp_path):
    """Six process counts, two runs each; solve takes 1 + 0.01 p itself, main and the reduction 0.5 each."""
    for p in (4, 8, 16, 32, 64, 128):
        for run in (1, 2):
            solve = (1 + 0.01 * p) * (1.001 if run == 1 else 0.999)
            times = [[0.5 + solve + 0.5] * 2, [solve + 0.4, solve + 0.6], [0.4, 0.6]]
            write(tmp_path / "app" / f"app.p{p}.r{run}" / "profile.cubex", [[1, 1], [p, p], [2, 4]], times)
    return tmp_path / "app"


def test_each_call_path_and_metric_is_a_series_of_what_it_itself_cost_per_process(profiles):
    series = {(item.name, item.metric): item for item in read_series(profiles)}
    assert set(series) == {
        (path, metric)
        for path in ("main", "main->solve", "main->solve->MPI_Allreduce")
        for metric in ("visits", "time")
    }
    time = series["main->solve", "time"]
    assert (time.parameters, time.unit) == (("p",), "s")
    assert time.points[0].at == (4.0,)
    assert time.points[0].values == pytest.approx((1.04 * 1.001, 1.04 * 0.999))
    assert series["main->solve->MPI_Allreduce", "visits"].points[0].values == (3.0, 3.0)
    assert series["main->solve", "visits"].counts


def test_profiles_are_modelled(profiles):
    series = {(item.name, item.metric): item for item in read_series(profiles)}
    assert model(series["main->solve", "time"]).lead == (Growth.make(1),)
    assert model(series["main->solve", "visits"]).lead == (Growth.make(1),)
    assert model(series["main", "time"]).lead == (Growth(),)


def test_the_command_models_a_directory_of_profiles(steelyard_cli, profiles):
    done = steelyard_cli("model", str(profiles), "--metric", "time", "--expect", "main->solve=O(p)", "--json")
    assert done.returncode == 0, done.stderr
    result = {m["name"]: m for m in json.loads(done.stdout)["models"]}
    assert (result["main->solve"]["growth"], result["main->solve"]["rank"]) == ("O(p)", "match")


@pytest.mark.parametrize(
    ("name", "parameters", "at"),
    [
        ("app.p64.r1", ("p",), (64.0,)),
        ("app.p64.n1000.r12", ("p", "n"), (64.0, 1000.0)),
        ("app.x0,25.r1", ("x",), (0.25,)),
        ("p4", ("p",), (4.0,)),
    ],
)
def test_the_name_of_a_directory_says_the_point(tmp_path, name, parameters, at):
    run = run_of(tmp_path / name / "profile.cubex")
    assert (run.parameters, run.at) == (parameters, at)


@pytest.mark.parametrize("name", ["app", "app.r1", "app.p1.p2"])
def test_a_name_that_says_no_point_is_an_error_that_shows_how_to_name_it(tmp_path, name):
    with pytest.raises(UsageError, match="its name says") as caught:
        run_of(tmp_path / name / "profile.cubex")
    assert "app.p64.n1000.r1" in caught.value.hint


def test_what_is_no_profile_or_has_other_parameters_is_refused(tmp_path, profiles):
    write(profiles / "app.n4.r1" / "profile.cubex", [[1], [1], [1]], [[1.0], [1.0], [1.0]])
    with pytest.raises(UsageError, match="its parameters are"):
        read_series(profiles)
    for content in (b"", b"no tar", ET.tostring(ET.Element("cube"))):
        broken = tmp_path / "broken" / "app.p1.r1" / "profile.cubex"
        broken.parent.mkdir(parents=True, exist_ok=True)
        broken.write_bytes(content)
        with pytest.raises(UsageError, match="not a CUBE profile"):
            read_series(tmp_path / "broken")
    with pytest.raises(UsageError, match=r"no .* in it"):
        read_series(tmp_path)
