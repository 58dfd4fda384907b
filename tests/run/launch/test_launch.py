"""``Launch`` checks itself, so that the runner never gets what the kernel would read differently."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.run.launch.launch import Launch


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"path": "true"}, "path is not an absolute path: 'true'"),
        ({"cwd": "."}, "cwd is not an absolute path"),
        ({"stdout": "out.txt"}, "stdout is not an absolute path"),
        ({"metrics_path": "m"}, "metrics_path is not an absolute path"),
        ({"stdin": "/dev/nu\0ll"}, "stdin holds a NUL byte"),
        ({"argv": ("true", "a\0b")}, r"argv\[1\] holds a NUL byte"),
        ({"argv": ()}, "argv is empty"),
        ({"env": ("A",)}, r"env\[0\] is not of the form NAME=value: 'A'"),
        ({"timeout_ns": 0}, "timeout_ns is 0"),
        ({"nice": 20}, "nice is 20"),
        ({"affinity": ()}, "affinity names no CPU"),
        ({"affinity": (4096,)}, "a CPU of affinity is 4096"),
        ({"capture_limit_bytes": -1}, "capture_limit_bytes is -1"),
        ({"counters": ("warp_cores",)}, "unknown counter 'warp_cores'"),
        ({"counters": ("cycles:k",)}, "unknown counter 'cycles:k'"),
    ],
)
def test_a_launch_that_makes_no_sense_names_the_field_and_the_value(fields, text):
    inputs = {"path": "/bin/true", "argv": ("true",), "env": (), "cwd": "/"} | fields
    with pytest.raises(UsageError, match=text) as error:
        Launch(**inputs)
    assert error.value.hint


def test_hooks_have_no_hooks_and_are_not_without_number():
    plain = Launch("/bin/true", ("true",), (), "/")
    nested = Launch("/bin/true", ("true",), (), "/", prepare=(plain,))
    with pytest.raises(UsageError, match="prepare command has"):
        Launch("/bin/true", ("true",), (), "/", prepare=(nested,))
    with pytest.raises(UsageError, match="17 cleanup commands"):
        Launch("/bin/true", ("true",), (), "/", cleanup=(plain,) * 17)


def test_equal_launches_are_one_key():
    def launch() -> Launch:
        return Launch("/bin/true", ("true",), ("A=b",), "/", affinity=(0,), counters=("cycles",))

    assert {launch(): 1} == {launch(): 1}
