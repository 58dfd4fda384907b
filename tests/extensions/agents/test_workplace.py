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
