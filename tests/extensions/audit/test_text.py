"""What an audit says, whole."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from steelyard.extensions.audit.results import AS_STARTED, AUDIT, Audit, AuditedContext, Replicated, Screened
from steelyard.extensions.audit.text import lines
from steelyard.report.text.line import plain
from steelyard.results.interval import Interval

SLOW = Replicated(400, 7.292, Interval(7.24, 7.34), Interval(7.224, 7.362), 1e-60, 1e-59, moves=True)
FAST = Replicated(3552, 0.998, Interval(0.99, 1.01), Interval(0.979, 1.018), 1.0, 1.0, moves=False)
ON = Replicated("on", 1.34, Interval(1.1, 1.6), Interval(0.98, 1.82), 0.02, 0.08, moves=False)
SAME = Replicated("compact", 1.001, Interval(0.995, 1.007), Interval(0.99, 1.012), 1.0, 1.0, moves=False)
LEVELS = tuple(Screened(level, 7.3 if level == 400 else 1.0) for level in range(0, 4096, 64 + 16))


TEXT = """\
Environment size moves the time: 7.29 × slower (7.22 to 7.36) at 400 bytes.

./prog: CPU time, typically 2.00 ms; 1,090 runs, 3 passes of screening, 30
  blocks of replication, seed 7; intervals and verdicts together at 99 % on this
  machine, least effect 2 %
context    verdict       largest effect, replicated       where
env_bytes  moves it      7.29 × slower (7.22 to 7.36)     400 bytes
aslr       not resolved  1.34 × slower (0.98 to 1.82)     on against off
affinity   within 2 %    1.001 × slower (0.990 to 1.012)  compact against none
Within 2 % at the levels that were visited: affinity none, compact.

  7.30 ×|      .
  5.69 ×|
  4.44 ×|
  3.46 ×|
  2.70 ×|
  2.11 ×|
  1.64 ×|
  1.28 ×|
  1.00 ×|.....  ... .... ..... .... .... ..... .... .... ..... .... ....
        +----------------------------------------------------------------
         0                                                 env_bytes 4080

What to do
- Environment size changes run time 7.3 ×; 1.9 % of the levels visited stand
  out: randomise it (compare --contexts, or env_bytes = "random" in [contexts]),
  or align what lies across a line, a page or in a crowded cache set.
- Not resolved, with the largest effect that is not excluded: aslr (1.82 ×).
  More time resolves more: --max-time.

Not visited
- Environment size: 52 of 4,096 levels visited, so that a kind of up to 5.6 % of
  them could have been missed (95 % sure); --thorough visits every byte of a
  page.
- cwd_bytes: showing a directory under another name needs CAP_SYS_ADMIN (root).
- Link order and the layout of the code itself: a command is built already (code
  = "random" in the [contexts] of a spec draws them).
- In no audit: standard input, the contents of files, limits other than that of
  the stack, other machines.
"""


@pytest.fixture
def audit() -> Audit:
    env = AuditedContext("env_bytes", "cpu_s", "moves", (0, 80), LEVELS, (SLOW, FAST), 0.57, 4096, 0.056)
    aslr = AuditedContext("aslr", "cpu_s", "not_resolved", ("off",), (), (ON,), None, 2, 0.0)
    affinity = AuditedContext("affinity", "cpu_s", "within", ("none",), (), (SAME,), None, 2, 0.0)
    left_out = {"cwd_bytes": "showing a directory under another name needs CAP_SYS_ADMIN (root)"}
    return Audit(
        command="./prog",
        metric="cpu_s",
        unit="s",
        typical=0.002,
        alpha=0.01,
        least=0.02,
        thorough=False,
        passes=3,
        blocks=30,
        runs=1090,
        seed=7,
        findings=(env, aslr, affinity),
        left_out=left_out,
    )


def test_the_text_says_what_moves_the_time_shows_it_and_says_what_to_do(audit):
    assert plain(lines(audit)) == TEXT


def test_without_an_effect_nothing_is_called_equal(audit):
    quiet = Audit(
        **{**{name: getattr(audit, name) for name in audit.__slots__}, "findings": audit.findings[1:]}
    )
    text = plain(lines(quiet))
    assert text.startswith("No context that was varied is shown to move the time by 2 % or more.\n")
    rare = replace(audit.findings[2], context="aslr", unseen=0.095)
    assert "or more; one rarer than 9.5 % of its kind would not be seen." in plain(
        lines(replace(quiet, findings=(rare,)), 120)
    )
    assert "not excluded: aslr (1.82 ×)" in text


def test_a_kind_that_makes_a_program_wait_is_judged_by_elapsed_time(
    audit,
):
    dropped = Replicated("dropped", 4.36, None, None, 1e-9, 1e-9, moves=True)
    cache = AuditedContext(
        "file_cache", "wall_s", "moves", ("warm",), (), (dropped,), None, 2, 0.0, cpu={"dropped": 1.51}
    )
    text = " ".join(plain(lines(replace(audit, findings=(cache,)))).split())
    assert "By elapsed time, since waiting takes no CPU time: file_cache (CPU time alone: 1.51 ×)." in text
    alike = replace(cache, cpu={"dropped": 4.36})
    assert "CPU time alone" not in plain(lines(replace(audit, findings=(alike,))))


def test_within_says_of_how_many_levels_and_names_what_was_not_varied(audit):
    drawn = replace(audit.findings[2], context="aslr", unseen=0.095)
    text = plain(lines(replace(audit, findings=(drawn,), not_varied=("heap_offset", "nice")), 120))
    assert "within 2 % at 90 % of levels" in text
    assert "each run draws a layout, so that a kind of up to 9.5 % of layouts" in text
    assert "- Only where --only names them: heap_offset, nice." in text


def test_the_context_of_the_users_own_shell_is_said_first_and_needs_no_level(audit):
    replicated = Replicated("as_started", 1.38, None, Interval(1.36, 1.40), 1e-9, 1e-9, moves=True)
    shell = AuditedContext(AS_STARTED, "cpu_s", "moves", ("typical",), (), (replicated,), None, 1, 0.0)
    text = plain(lines(replace(audit, findings=(shell, *audit.findings)), 120))
    assert text.startswith(
        "The context of your shell is 1.380 × slower (1.360 to 1.400) than the typical one; environment"
    )
    assert "- The context of your shell is 1.380 × slower" in text


def test_levels_that_were_visited_are_named_where_nothing_moves(audit):
    text = plain(lines(audit))
    assert "Within 2 % at the levels that were visited: affinity none, compact." in text
    numbers = replace(audit.findings[0], verdict="within", unseen=0.0)
    assert "visited: env_bytes 0 to 4,080." in plain(lines(replace(audit, findings=(numbers,))))


def test_no_line_is_wider_than_the_terminal(audit):
    for width in (60, 80, 120):
        assert max(map(len, plain(lines(audit, width)).splitlines())) <= width


def test_the_document_holds_everything_by_name(audit):
    document = json.loads(AUDIT.text(audit))
    assert (document["format"], document["version"]) == ("steelyard/audit", 1)
    env, aslr, affinity = document["findings"]
    assert (env["context"], env["verdict"], env["visited"], env["population"]) == (
        "env_bytes",
        "moves",
        52,
        4096,
    )
    assert env["effect"]["ratio"] == 7.292
    assert env["effect"]["ci_family"] == [7.224, 7.362]
    assert aslr["verdict"] == "not_resolved"
    assert affinity["effect"]["level"] == "compact"
    assert document["left_out"]["cwd_bytes"].startswith("showing")


def test_the_headline_is_bad_where_a_context_moves_the_time_and_good_where_none_does(audit):
    quiet = replace(audit, findings=audit.findings[1:])
    assert [{span.style for span in lines(each)[0]} for each in (audit, quiet)] == [{"bad"}, {"good"}]
