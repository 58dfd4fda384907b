"""What an agent may name, and what it may not."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError


@pytest.mark.parametrize(
    "words",
    [
        ("./bench",),
        ("build/bench", "--n=1"),
        ("sleep", "1"),
        ("cargo", "bench", "-p", "x", "a..b"),
        ("./b", "./f"),
    ],
)
def test_programs_inside_and_those_that_are_allowed_may_run(workplace, words):
    assert workplace.check_command(words) == words


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "the command is empty"),
        (("rm", "-rf", "."), "'rm' is not a program that may be started here"),
        (("/bin/sh", "-c", "x"), "'/bin/sh' is outside of"),
        (("../bench",), "'../bench' is outside of"),
        (("./bench", "/etc/passwd"), "'/etc/passwd' is outside of"),
        (("./bench", "--out=/etc/passwd"), "'/etc/passwd' is outside of"),
        (("./bench", "a/../../b"), "'a/../../b' is outside of"),
        (("./bench", "x\0y"), "control characters"),
        (("./bench", "x" * 5000), "a word of 5000 characters"),
        (("./bench", *["x"] * 300), "301 words"),
    ],
)
def test_others_are_refused_with_a_cure(workplace, words, message):
    with pytest.raises(UsageError) as error:
        workplace.check_command(words)
    assert message in error.value.message
    assert error.value.hint


@pytest.mark.parametrize(
    "word",
    [
        "-o/etc/x", "-o=/etc/x", "-o=/etc/../etc/x", "--output=/etc/x", "--output /etc/x", "@/etc/x",
        "X=y=/etc/x", "../..", "-o../../x", "-isystem../../x", "-isystem/etc", "-Wl,-rpath,/etc",
        "a:/etc/x", "file:///etc/x", "sub/../../x", "k={tree}/../../x", "{tree}/../../x", "~/x", "-o~/x",
        "X=~/x", "~root/x", "/", "//etc/x", "-c,open('/etc/x')", "cat </etc/x", "out", "out/x",
        "-oout/x", "-oin,out/x", "-o=out", "@out/x", "X=y=out/x", "sub/out", "-Dx=sub/out/x", "in,out/x",
        "https://h/@/etc/x", "https://h/?x=/etc/x", "circle/x",
    ],
)  # fmt: skip
def test_every_way_out_of_the_root_that_a_word_can_hold_is_refused(workplace, tmp_path, word):
    (workplace.root / "sub").mkdir()
    for link in ("out", "sub/out", "in,out"):
        (workplace.root / link).symlink_to(tmp_path)
    (workplace.root / "circle").symlink_to("circle")
    with pytest.raises(UsageError) as error:
        workplace.check_command(["./bench", word])
    assert error.value.message.startswith(repr(word))
    assert error.value.hint


@pytest.mark.parametrize(
    "word",
    [
        "-Isub/include", "-I.", "-I./sub", "-o", "sub/x", "--n=1", "-DN=1/2", "a..b", "-bench=Sort/n=10",
        "BM_x/8/16", "--filter=a/b|c/d", "-j8", "{tree}/build", "-B{tree}/build", "link", "-olink/x",
        "./sub/../sub/x", "x:y,z", "http://localhost:8080/a/b?c=1", "https://example.org", "1e-3", "-",
        "--", "a b", "^$", "[1, 2]", "x" * 4000, "-I" + "x" * 4000,
    ],
)  # fmt: skip
def test_words_that_stay_inside_may_stand_in_a_command(workplace, word):
    (workplace.root / "sub" / "include").mkdir(parents=True)
    (workplace.root / "link").symlink_to("sub")
    assert workplace.check_command(["./bench", word]) == ("./bench", word)


def test_an_absolute_path_inside_the_root_may_stand_behind_an_option(workplace):
    inside = str(workplace.root / "out.json")
    for word in (inside, f"-o{inside}", f"--out={inside}", f"@{inside}"):
        assert workplace.check_command(["./bench", word])


def test_a_link_that_leads_out_is_outside(workplace, tmp_path):
    (workplace.root / "out").symlink_to(tmp_path)
    for call in (lambda: workplace.check_path("out/x"), lambda: workplace.check_command(["out/prog"])):
        with pytest.raises(UsageError, match="is outside of"):
            call()
    assert workplace.check_path("new/record.lab") == workplace.root / "new/record.lab"


def test_a_revision_is_no_option(workplace):
    assert workplace.check_revision("v1.2~3") == "v1.2~3"
    for text in ("--junit=/x", "a b", ""):
        with pytest.raises(UsageError, match="is not a revision"):
            workplace.check_revision(text)
