"""Lines of functions, by the debug information of a program that was compiled here."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from steelyard.extensions.explain.naming import name_profiles
from steelyard.extensions.explain.perf_script import Frame, RawProfile
from steelyard.extensions.explain.symbols import Segment, find_address, look_up, read_segments

SOURCE = """\
static inline __attribute__((always_inline)) int mix(int h)
{
    return h * 33 ^ h >> 3;
}
__attribute__((noinline)) int work(int h)
{
    for (int i = 0; i < 9; i++) h = mix(h);
    return h;
}
int main(int c, char **v) { return work(c) & 1; }
"""


def test_functions_of_go_have_the_lines_of_gos_own_table(tmp_path):
    if shutil.which("go") is None:
        pytest.skip("go is not installed")
    (tmp_path / "p.go").write_text(
        "package main\n\n//go:noinline\nfunc work(n int) int {\n\treturn n * 3\n}\n\n"
        "func main() {\n\tprintln(work(4))\n}\n"
    )
    subprocess.run(["go", "build", "-o", "p", "p.go"], cwd=tmp_path, check=True)
    done = subprocess.run(["nm", "p"], cwd=tmp_path, capture_output=True, text=True, check=True)
    address = next(int(line.split()[0], 16) for line in done.stdout.splitlines() if "T main.work" in line)
    (place,) = look_up(tmp_path / "p", {address, 1})[address]
    assert (place.name, place.file) == ("main.work", str(tmp_path / "p.go"))
    # A function without a frame begins with its first statement.
    assert place.line in (4, 5)
    assert look_up(tmp_path / "p", {1}) == {}


@pytest.fixture
def program(tmp_path):
    (tmp_path / "p.c").write_text(SOURCE)
    subprocess.run(["cc", "-g", "-O2", "p.c", "-o", "p"], cwd=tmp_path, check=True)
    return tmp_path / "p"


def offset_of(program, symbol):
    lines = subprocess.run(
        ["nm", str(program)], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    address = next(int(line.split()[0], 16) for line in lines if line.endswith(f" {symbol}"))
    segment = next(s for s in read_segments(program) if s.address <= address < s.address + s.length)
    return address - segment.address + segment.offset


def test_bytes_of_a_file_have_the_address_for_which_they_are_linked():
    segments = [Segment(0, 0x1000, 0x400000), Segment(0x1000, 0x500, 0x402000)]
    assert find_address(segments, 0x1010) == 0x402010
    assert find_address(segments, 0x9000) is None


def test_a_function_has_its_line_and_what_is_no_program_has_none(program, tmp_path):
    if shutil.which("addr2line") is None:
        pytest.skip("addr2line is not installed: apt-get install binutils")
    address = find_address(read_segments(program), offset_of(program, "work"))
    places = look_up(program, [address])[address]
    assert (places[-1].name, places[-1].file.endswith("p.c"), places[-1].line) == ("work", True, 6)
    assert read_segments(tmp_path / "p.c") == ()
    assert look_up(tmp_path / "p.c", [1]) == {}


def test_an_inlined_function_has_its_own_time_only_where_the_other_build_calls_it(program):
    if shutil.which("addr2line") is None:
        pytest.skip("addr2line is not installed: apt-get install binutils")
    start = offset_of(program, "work")
    segments = read_segments(program)
    inside = next(
        offset
        for offset in range(start, start + 60)
        if len(look_up(program, [find_address(segments, offset)])[find_address(segments, offset)]) > 1
    )
    frames = (Frame("work", str(program), inside, inside - start),)
    alone = name_profiles({1: RawProfile({frames: 1.0}, 1, 0)}, {"p"})
    assert [[f.name for f in chain] for chain in alone[1].weights] == [["work"]]
    called = (Frame("mix", "/opt/other/p", 0x10, 0),)
    both = name_profiles({1: RawProfile({frames: 1.0}, 1, 0), 2: RawProfile({called: 1.0}, 1, 0)}, {"p"})
    assert [[f.name for f in chain] for chain in both[1].weights] == [["work", "mix"]]
