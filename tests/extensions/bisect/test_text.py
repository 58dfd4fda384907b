"""A bisection as text."""

from __future__ import annotations

from msgspec.structs import replace

from steelyard.core.units import BUILTIN
from steelyard.extensions.bisect.results import Bisection, Candidate, ComparedCommit, SkippedCommit
from steelyard.extensions.bisect.text import lines
from steelyard.report.text.change import SIGNS
from steelyard.report.text.line import plain
from steelyard.results.interval import Interval

IDS = [f"{place:02x}" * 20 for place in range(8)]
FOUND = Bisection(
    program="./prog input",
    metric=BUILTIN["wall_s"],
    good=IDS[0],
    bad=IDS[7],
    commits=7,
    error=0.05,
    ratio=1.0515,
    ci95=Interval(1.046, 1.0571),
    p=1e-9,
    direction="worse",
    end_blocks=40,
    candidates=(Candidate(IDS[3], "Sort before\x1b merging", 0.98),),
    probability=0.98,
    tested=(
        ComparedCommit(IDS[4], 5, 1.0521, 0.995, "bad"),
        ComparedCommit(IDS[2], 5, 1.0012, 0.005, "good"),
    ),
    skipped=(),
    no_change=0.001,
    several=0.01,
    between_builds=0.004,
    is_named=True,
)


def text(found, width=80):
    return plain(lines(found, width))


def test_bad_news_has_its_colour_and_what_is_not_named_that_of_open_questions():
    (first, *_), *_ = lines(FOUND)
    assert first.style == SIGNS["worse"][1] == "bad"
    (first, *_), *_ = lines(replace(FOUND, is_named=False))
    assert first.style == "open"


def test_one_commit_is_named_with_its_message_and_what_was_measured():
    assert text(FOUND) == (
        "✗ wall_s of ./prog input: 5.2 % more (95 % CI 4.6 to 5.7 %) from 0000000000 to\n"
        "  0707070707, 7 commits, of these two builds; 0303030303 made it (98 % sure, one\n"
        "  build each):\n"
        "  0303030303   98 %  Sort before\\x1b merging\n"
        "\n"
        "commit      blocks  × good  behaves\n"
        "0404040404       5   1.052  like bad\n"
        "0202020202       5   1.001  like good\n"
        "40 blocks of both ends, each commit in blocks with both\n"
        "\n"
        "- Builds of one source differ by about 0.4 %; that is allowed for, if they\n"
        "  differ as normal values do. If layout makes some fast and some slow: --build\n"
        "  with {layout} links each block anew.\n"
    )


def test_several_commits_are_named_together_with_those_that_were_skipped():
    result = replace(
        FOUND,
        candidates=(Candidate(IDS[3], "one", 0.5), Candidate(IDS[4], "other", 0.48)),
        skipped=(SkippedCommit(IDS[3], "its build ended with 2"),),
        tested=(*FOUND.tested, ComparedCommit(IDS[5], 5, 1.025, 0.5, "between")),
        ended_early=True,
    )
    words = text(result, 200)
    assert "one of these 2 commits made it (98 % sure, one build each):" in words
    assert "- 0303030303 is skipped: its build ended with 2\n" in words
    assert "- 0505050505: differs from both ends: more than one commit changed the program" in words
    assert "- The search ended before the answer was as small as it can get.\n" in words


def test_ends_that_are_alike_are_said_with_what_would_have_shown():
    result = replace(
        FOUND, candidates=(), tested=(), probability=0.0, ratio=1.001, ci95=Interval(0.998, 1.004), p=0.6,
        resolvable=0.0052, is_named=False,
    )  # fmt: skip
    words = " ".join(text(result).split())
    assert words.startswith(
        "? wall_s of ./prog input: 0707070707 is not seen to differ from 0000000000, 1.0010 ×"
    )
    assert "0.52 % would probably have been detected of these two builds. No search was made." in words


def test_ends_that_slow_runs_of_one_decide_are_said_not_to_be_judged():
    result = replace(FOUND, candidates=(), tested=(), resolvable=0.0052, is_named=False, refused=True, p=1e-6)
    words = " ".join(text(result).split())
    assert "0000000000 and 0707070707 are not judged, 1.052 × (95 % CI 1.046 to 1.057), 40 blocks:" in words
    assert "slow or failed runs of one, whose share is not known, decide. No search was made." in words


def test_ends_that_builds_of_one_source_could_differ_by_name_no_commit():
    alone = replace(FOUND, tested=(), is_named=False, no_change=0.23, commits=1)
    assert " ".join(text(alone).split()).startswith(
        "? wall_s of ./prog input: 5.2 % more (95 % CI 4.6 to 5.7 %) from 0000000000 to 0707070707, 1 commit,"
        " of these two builds;"
        " not resolved: no build between them shows how much builds of one source differ, so that no commit"
        " may have made it (23 % probable). If one did, this commit is suspected: 0303030303"
    )
    flat = replace(FOUND, candidates=(), is_named=False, no_change=0.99, between_builds=0.03)
    assert "no commit is named: builds of one source differ by about 3 % here." in text(flat, 300)


def test_where_each_block_is_linked_anew_the_answer_is_over_layouts():
    drawn = replace(FOUND, layouts=40, between_builds=None)
    words = " ".join(text(drawn).split())
    assert "0707070707, 7 commits, over 40 layouts; 0303030303 made it (98 % sure, over layouts):" in words
    assert "one build" not in words
    assert "{layout}" not in words
    open_ = " ".join(text(replace(drawn, is_named=False, no_change=0.2)).split())
    assert "not resolved: blocks with drawn layouts do not tell the commits apart" in open_
