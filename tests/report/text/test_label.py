from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.report.text.label import (
    columns,
    elide_shared,
    join_names,
    pad,
    plural,
    printable,
    shorten,
    shorten_all,
    shorten_apart,
    wrap,
)


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("plain text, ünïcode and 测试", "plain text, ünïcode and 测试"),
        ("two\nlines\tand\rmore", "two\\nlines\\tand\\rmore"),
        ("\x1b[31mred\x00", "\\x1b[31mred\\x00"),
        ("\u202eright to left", "\\u202eright to left"),
        ("not utf-8: \udcff", "not utf-8: \\udcff"),
    ],
)
def test_what_a_terminal_would_obey_is_written_as_an_escape(text, output):
    assert printable(text) == output


@given(st.text())
def test_whatever_the_name_it_prints_on_one_line_and_moves_nothing(text):
    assert printable(text).isprintable()


@pytest.mark.parametrize(("text", "width"), [("abc", 3), ("测试", 4), ("e\u0301", 1), ("→", 1)])
def test_columns_are_those_of_a_terminal(text, width):
    assert columns(text) == width


@given(st.text(), st.integers(0, 30))
def test_a_shortened_text_never_exceeds_its_width_and_a_short_one_stays(text, width):
    text = printable(text)
    short = shorten(text, width)
    assert columns(short) <= width
    if columns(text) <= width:
        assert short == text


def test_the_middle_gives_way_and_both_ends_stay():
    assert shorten("/usr/local/bin/program", 11) == "/usr/…ogram"


@pytest.mark.parametrize(
    ("texts", "labels", "shared"),
    [
        (["command=ep, opt=O2, n=1", "command=ep, opt=O2, n=2"], ["n=1", "n=2"], "command=ep, opt=O2"),
        (["./prog --threads 1 -v", "./prog --threads 2 -v"], ["--threads 1", "--threads 2"], "./prog … -v"),
        (["build/bench/bfs", "build/bench/cc"], ["bfs", "cc"], "build/bench/…"),
        (["-O2 against -O0", "-O3 against -O0"], ["-O2", "-O3"], "… against -O0"),
        # Where the rest would be another list of levels, everything stays.
        (["lazy, p=1 against eager, p=1", "lazy, p=2 against eager, p=2"], None, ""),
        (["x (n=1, p=4)", "x (n=2, p=4)", "y (n=2, p=4)"], None, ""),
        (["x 1", "x"], None, ""),
        (["old", "new"], None, ""),
        (["-O2", "-O3"], None, ""),
        (["only one name"], None, ""),
    ],
)
def test_what_all_labels_share_is_said_once(texts, labels, shared):
    elided = elide_shared(texts)
    assert ([elided.labels[text] for text in texts], elided.shared) == (labels or texts, shared)


@given(st.lists(st.text(st.sampled_from("ab=, /-.()"), min_size=1, max_size=24), min_size=1, unique=True))
def test_labels_without_what_they_share_are_as_many_as_before(texts):
    labels = elide_shared(texts).labels
    assert labels.keys() == {*texts}
    assert len({*labels.values()}) == len(texts)


def test_names_that_shortening_would_make_equal_keep_what_tells_them_apart():
    texts = [
        f"./program --with=many --options --mode={mode} --input=/some/long/path" for mode in ("fast", "slow")
    ]
    assert shorten_all(texts, 20) == {texts[0]: "… --mode=fast …", texts[1]: "… --mode=slow …"}
    assert shorten_all(texts, 11) == {texts[0]: "--mode=fast", texts[1]: "--mode=slow"}
    assert shorten_all(texts, 6) == {texts[0]: "…fast…", texts[1]: "…slow…"}


def test_words_that_all_names_share_are_left_out_where_there_is_no_room():
    texts = [f"./sort --threads 4 --by {key} big.csv" for key in ("name", "size")]
    assert shorten_all(texts, 33)[texts[0]] == "… --threads 4 --by name big.csv"
    assert shorten_all(texts, 20)[texts[0]] == "… --by name big.csv"
    assert shorten_all(texts, 40) == {text: text for text in texts}


def test_of_labels_of_factors_what_all_share_is_left_out_wherever_it_stands():
    texts = [f"command={c}, opt=O2, wait=active, threads={t}" for c in ("ep", "cg") for t in (1, 2)]
    assert shorten_all(texts, 24)[texts[1]] == "command=ep, threads=2"
    assert shorten_all(texts, 16)[texts[1]] == "ep, threads=2"
    assert len({*shorten_all(texts, 6).values()}) == 4


def test_labels_of_many_factors_never_look_alike():
    levels = itertools.product(["ep", "cg", "is"], ["O2", "O3"], [1, 2], ["compact", "scatter"], ["active"])
    texts = [f"command={c}, opt={o}, threads={n}, affinity={a}, wait={w}" for c, o, n, a, w in levels]
    short = shorten_apart(texts, 32, 64)
    assert len({*short.values()}) == len(texts)
    assert max(map(len, short.values())) <= 32
    assert short[texts[0]] == "ep, O2, threads=1, compact"


def test_names_that_stay_different_are_shortened_one_by_one():
    texts = ["a" * 30 + "1", "b" * 30 + "2"]
    assert shorten_all(texts, 9) == {texts[0]: "aaaa…aaa1", texts[1]: "bbbb…bbb2"}


@given(
    st.lists(st.text(alphabet="ab -=/", min_size=1, max_size=40), min_size=1, max_size=6), st.integers(4, 20)
)
def test_every_name_gets_a_short_one_within_the_width(texts, width):
    short = shorten_all(texts, width)
    assert set(short) == set(texts)
    assert all(columns(text) <= width for text in short.values())


@given(
    st.lists(st.text(alphabet="abc%×", min_size=1, max_size=12), min_size=1, max_size=30), st.integers(20, 80)
)
def test_wrapping_loses_no_word_and_keeps_every_line_within_the_width(words, width):
    lines = wrap(" ".join(words), width, first="- ", rest="  ")
    assert " ".join(" ".join(lines).split()) == " ".join(["-", *words])
    assert all(columns(line) <= width for line in lines)


def test_a_number_is_not_parted_from_its_unit():
    text = "the difference of the two was 2.4 % and that of the others 12 ms, at 95 % CI 1 to 2"
    for width in range(12, 60):
        for line in wrap(text, width):
            assert not line.startswith(("%", "ms", "CI"))


def test_padding_counts_columns_not_characters():
    assert pad("测", 4) + "|" == "测  |"
    assert pad("测", 4, right=True) == "  测"
    assert pad("toolong", 3) == "toolong"


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c", "d"], "a, b, c and d"),
        (["a", "b", "c", "d", "e", "f"], "a, b, c and 3 more"),
        (["a=1, b=2", "a=2, b=2"], "a=1, b=2; and a=2, b=2"),
        (["a=1, b=2", "b", "c", "d", "e"], "a=1, b=2; b; c; and 2 more"),
    ],
)
def test_names_are_listed_as_one_says_them(names, text):
    assert join_names(names) == text


def test_one_is_not_many():
    assert (plural(1, "run"), plural(0, "run"), plural(1200, "run")) == (
        "1 run",
        "0 runs",
        "1,200 runs",
    )


def test_names_that_no_short_text_tells_apart_get_more_room_as_far_as_there_is():
    texts = [f"opt={o}, size={n}, threads={t}" for o in ("O2", "O3") for n in (1000, 2000) for t in (1, 2)]
    assert len(set(shorten_all(texts, 12).values())) < len(texts)
    short = shorten_apart(texts, 12, 40)
    assert len(set(short.values())) == len(texts)
    assert max(map(columns, short.values())) < max(map(columns, texts))
    assert shorten_apart(texts, 12, 13) == shorten_all(texts, 12)
