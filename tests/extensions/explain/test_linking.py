"""Objects of both programs: which are taken, which are refused, and that layouts are drawn for each block."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.extensions.explain.linking import FILE, SIDE, copy_objects, discard_programs, read_linking
from steelyard.extensions.explain.request import NEW, OLD, ExplainRequest, list_words
from steelyard.extensions.explain.sampling import Perf
from steelyard.files.user_directories import locate_cache
from steelyard.run.build import Builder

LINK = "cc {objects} -o {program}"
PARTS = {
    "parse.c": """
        unsigned parse(unsigned n, unsigned h) {
            for (unsigned i = 0; i < n * TIMES; i++) { h += i * h; h ^= h >> 3; h *= 33; }
            return h;
        }
    """,
    "lib/insert.c": """
        static volatile unsigned table[1024];
        unsigned insert(unsigned n) {
            for (unsigned i = 0; i < n; i++) table[i * 16777619u & 1023]++;
            return n;
        }
    """,
    "main.c": """
        #include <stdio.h>
        unsigned parse(unsigned, unsigned), insert(unsigned);
        int main(void) {
            unsigned sum = 0;
            for (int i = 0; i < 20; i++) { sum += parse(50000, sum); sum += insert(50000); }
            printf("%u\\n", sum);
        }
    """,
}


def compile_side(directory, **options):
    for name, text in PARTS.items():
        target = (directory / name).with_suffix(".o")
        target.parent.mkdir(parents=True, exist_ok=True)
        source = target.with_suffix(".c")
        source.write_text(text)
        flags = [f"-D{key}={value}" for key, value in options.items()]
        words = ["cc", "-g", "-O2", "-fno-omit-frame-pointer", *flags, "-c", str(source), "-o", str(target)]
        subprocess.run(words, check=True)
    return directory


@pytest.fixture
def sides(tmp_path):
    return compile_side(tmp_path / "old", TIMES=1), compile_side(tmp_path / "new", TIMES=3)


def request_of(linking):
    return ExplainRequest(old=("./old/prog", "x y"), new=("./new/prog", "{z}"), blocks=12, linking=linking)


def test_a_directory_and_a_pattern_name_the_same_objects(sides, tmp_path):
    old, new = sides
    linking = read_linking((str(old), str(new)), LINK)
    assert linking.names == ("lib/insert.o", "main.o", "parse.o")
    assert linking.new["parse.o"] == str(new / "parse.o")
    patterns = read_linking((f"{tmp_path}/old/**/*.o", f"{tmp_path}/new/**/*.o"), LINK)
    assert patterns == linking


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("cc -o {program}", "does not name {objects}"),
        ("cc {objects}", "does not name {program}"),
        ("make", "does not name {objects} and {program}"),
    ],
)
def test_a_build_without_its_placeholders_is_refused(sides, command, message):
    with pytest.raises(UsageError, match=message) as caught:
        read_linking(tuple(map(str, sides)), command)
    assert "{objects} -o {program}" in caught.value.hint


def test_what_no_linker_takes_is_refused_by_its_name(sides, tmp_path):
    old, new = sides
    (tmp_path / "none").mkdir()
    with pytest.raises(UsageError, match="no object in"):
        read_linking((str(tmp_path / "none"), str(new)), LINK)
    with pytest.raises(UsageError, match="have no object of one name"):
        read_linking((str(old), str(new / "lib")), LINK)
    with pytest.raises(UsageError, match=r"main\.c is no object to link") as caught:
        read_linking((f"{old}/*.c", f"{new}/*.c"), LINK)
    assert "compile each source with -c" in caught.value.hint


def test_an_object_that_one_program_lacks_is_nothing_in_it(sides, tmp_path):
    old, new = sides
    (new / "more.c").write_text("int more;\n")
    subprocess.run(["cc", "-c", str(new / "more.c"), "-o", str(new / "more.o")], check=True)
    linking = read_linking((str(old), str(new)), LINK)
    assert "more.o" in linking.names
    copy_objects(linking, {OLD: linking.old, NEW: linking.new}, tmp_path / "copies")
    builder = Builder(linking.make_build(tmp_path / "copies"), tmp_path, root=tmp_path / "cache")
    for side in (OLD, NEW):
        built = builder.build({SIDE: side, FILE: "prog", "code": 7})
        assert subprocess.run([built.directory / "prog"], check=True, capture_output=True).stdout


def test_both_programs_of_a_block_share_a_layout_and_blocks_differ(sides, tmp_path):
    linking = read_linking(tuple(map(str, sides)), LINK)
    experiment = request_of(linking).experiment(Perf(), tmp_path, tmp_path / "copies")
    assert experiment.contexts.settings["code"] == "random"
    assert [row[1] for row in experiment.zips[0].levels] == [OLD, NEW, OLD, NEW]
    copy_objects(linking, {OLD: linking.old, NEW: linking.old}, tmp_path / "copies")
    builder = Builder(experiment.build, tmp_path, root=tmp_path / "cache")

    def code(side, layout):
        built = builder.build({SIDE: side, FILE: "prog", "code": layout}).directory / "prog"
        listed = subprocess.run(["nm", built], check=True, capture_output=True, text=True).stdout
        return [line for line in listed.splitlines() if line.endswith(("parse", "insert", "main"))]

    assert code(OLD, 3) == code(NEW, 3)
    assert len({tuple(code(OLD, layout)) for layout in range(1, 6)}) > 3


def test_programs_of_a_record_are_removed_from_the_cache_and_no_others(sides, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    linking = read_linking(tuple(map(str, sides)), LINK)
    copy_objects(linking, {OLD: linking.old}, tmp_path / "copies")
    builder = Builder(linking.make_build(tmp_path / "copies"), tmp_path)
    directories, used = (
        builder.build({SIDE: OLD, FILE: "prog", "code": layout}).directory for layout in (1, 2)
    )
    (tmp_path / "x.lab/build").mkdir(parents=True)
    (tmp_path / f"x.lab/build/{used.name}.log").write_text("")
    discard_programs(tmp_path / "x.lab")
    assert directories.is_dir()
    assert not used.exists()


def test_programs_that_are_linked_keep_their_names_and_words(sides, tmp_path):
    request = request_of(read_linking(tuple(map(str, sides)), LINK))
    experiment = request.experiment(Perf(), tmp_path, tmp_path)
    assert list_words(experiment, OLD) == ["prog", "x y"]
    assert list_words(experiment, NEW) == ["prog", "{z}"]
    plain = replace(request, linking=None).experiment(Perf(), tmp_path, tmp_path)
    assert list_words(plain, OLD) == ["./old/prog", "x y"]
    assert plain.build is None


def test_a_difference_is_measured_over_layouts_and_put_to_the_test(perf, sides, steelyard_cli, tmp_path):
    old, new = sides
    words = ("--objects", str(old), str(new), "--build", LINK, "--validate", "-m", "12", "--json")
    done = steelyard_cli("explain", *words, "-o", "x.lab", "old/prog", "new/prog")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["layouts"] == document["blocks"] == 12
    names = {entry["name"]: entry for entry in document["contributions"]}
    assert names["parse"]["file"].endswith("parse.c")
    for test in document["validations"]:
        # Which functions are named is for the machine to say; each is tested by the object that defines it.
        assert test["object"] == f"{'lib/' if 'insert' in test['functions'] else ''}{test['functions'][0]}.o"
        assert test["blocks"] == 12 or test["reason"]
    assert json.loads(steelyard_cli("explain", "x.lab", "--json").stdout) == document
    # Programs of one block are of no more use, nor are the copies of the objects.
    logs = [log.stem for log in (tmp_path / "x.lab/build").glob("*.log")]
    assert len(logs) >= 24
    builds = locate_cache(os.environ) / "build"
    assert not [name for name in logs if (builds / name).exists()]
    assert not (tmp_path / "x.lab-objects").exists()
    # The same call goes on with its record; with other objects it would mix two programs.
    compile_side(new, TIMES=2)
    done = steelyard_cli("explain", *words, "-o", "x.lab", "old/prog", "new/prog")
    assert done.returncode != 0
    assert "x.lab was begun with other objects" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--objects", "old", "new", "old/prog", "new/prog"), "--build how: one is not enough"),
        (("--build", LINK, "old/prog", "new/prog"), "--build how: one is not enough"),
        (("--validate", "true", "true"), "--validate puts parts of OLD into NEW"),
        (("-m", "11", "true", "true"), "fewer than 12 blocks"),
    ],
)
def test_half_of_what_a_link_needs_is_refused_with_the_rest(steelyard_cli, arguments, message):
    done = steelyard_cli("explain", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "hint: " in done.stderr
