"""What is quoted of a command that failed."""

from __future__ import annotations

from steelyard.extensions.repository.red_builds import quote_end


def quote(tmp_path, lines):
    log = tmp_path / "log"
    log.write_text("\n".join(lines) + "\n")
    return quote_end(log)


def test_the_last_20_lines_are_quoted(tmp_path):
    lines = [f"line {i}" for i in range(30)]
    assert quote(tmp_path, lines) == lines[10:]
    assert quote(tmp_path, lines[:3]) == lines[:3]


def test_a_cause_before_a_long_stack_is_quoted_before_the_end(tmp_path):
    cause = ["thread 'main' panicked at benches/b.rs:3:97:", "index out of bounds"]
    stack = [f"  {i}: frame" for i in range(60)]
    quoted = quote(tmp_path, ["running", *cause, *stack])
    assert quoted[:2] == cause
    assert quoted[5:] == ["…", *stack[-20:]]
    assert quote(tmp_path, ["running", *cause, *stack[:20]]) == [*cause, *stack[:20]]
