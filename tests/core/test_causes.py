"""Lines that say why a program failed, in the words of languages and tools."""

from __future__ import annotations

import pytest

from steelyard.core.causes import find_cause, join_cause

RUST = """
thread 'main' panicked at benches/b.rs:3:97:
index out of bounds: the len is 0
stack backtrace:
   0: rust_begin_unwind
note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace."""


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (
            RUST,
            "thread 'main' panicked at benches/b.rs:3:97: index out of bounds: the len is 0",
        ),
        ("ok\npanic: no mesh\n\ngoroutine 1 [running]:\nmain.main()", "panic: no mesh"),
        (
            'Exception in thread "main" java.lang.IllegalStateException: no mesh\n\tat A.main(A.java:1)',
            'Exception in thread "main" java.lang.IllegalStateException: no mesh',
        ),
        ("/x/a.js:1\nthrow 1\nError: no mesh\n    at a (/x/a.js:1:7)\n\nNode.js v20", "Error: no mesh"),
        ("terminate called after throwing\n  what():  no mesh\nAborted", "terminate called after throwing"),
        ("a: a.c:3: main: Assertion `n > 0' failed.\nAborted", "a: a.c:3: main: Assertion `n > 0' failed."),
        ("a.c:3:1: error: unknown type\n    3 | x\n1 error generated.", "a.c:3:1: error: unknown type"),
        ("error[E0425]: cannot find value\n --> a.rs:1", "error[E0425]: cannot find value"),
        ("    def test_a():\nE   ImportError: no mesh\na.py:3: ImportError", "E   ImportError: no mesh"),
        ("gcc a.c\nmake: *** [a] Error 1", "make: *** [a] Error 1"),
        (
            "ld: m.o:\nm.c:(.text+9): undefined reference to `work'\ncollect2: error: ld returned 1 exit",
            "m.c:(.text+9): undefined reference to `work'",
        ),
    ],
)
def test_the_line_that_says_why_is_found_before_stacks_and_advice(text, cause):
    lines = text.splitlines()
    place = find_cause(lines)
    assert place is not None
    assert join_cause(lines, place) == cause


@pytest.mark.parametrize("text", ["", "0 errors", "running 3 benches", "error rate 3 %", "TypeErrors: 0"])
def test_a_plain_line_is_no_cause(text):
    assert find_cause(text.splitlines()) is None
