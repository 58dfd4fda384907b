from steelyard.extensions.page.latex_table import LONGEST, format_latex_table
from steelyard.report.text.line import Span
from steelyard.report.text.table import Column


def column(title, *cells, right=True):
    return Column(title, [Span(cell) for cell in cells], right=right)


def row(text, place):
    return [line.strip() for line in text.splitlines() if line.endswith(r" \\")][place]


def test_a_table_has_rules_a_caption_and_a_label_with_signs_escaped():
    text = format_latex_table("50 % & more", (column("a_name", "x|y & 50 %", right=False),), "effects")
    assert r"\caption{50 \% \& more}\label{tab:effects}" in text
    assert r"\begin{tabular}{l}" in text
    assert row(text, 1) == r"x\textbar{}y \& 50 \% \\"
    assert [rule in text for rule in (r"\toprule", r"\midrule", r"\bottomrule")] == [True] * 3


def test_numbers_are_aligned_at_their_marker_and_have_no_thousands_separators():
    text = format_latex_table("t", (column("runs", "1,234.5", "-0.25", "–"),), "t")
    assert r"\begin{tabular}{S[table-format=+4.2]}" in text
    assert [row(text, place) for place in range(4)] == [
        r"{runs} \\",
        r"1234.5 \\",
        r"-0.25 \\",
        r"{--} \\",
    ]


def test_the_unit_that_all_numbers_share_stands_in_the_head():
    text = format_latex_table("t", (column("CV", "13 %", "+4.2 %"), column("mean", "87.6 ms", "3 ms")), "t")
    assert r"{S[table-format=+2.1, retain-explicit-plus]S[table-format=2.1]}" in text
    assert row(text, 0) == r"{CV (\%)} & {mean (ms)} \\"
    assert row(text, 2) == r"+4.2 & 3 \\"


def test_quantities_of_several_units_stay_text():
    text = format_latex_table("t", (column("mean", "87.6 ms", "13.7 MB"),), "t")
    assert r"\begin{tabular}{r}" in text
    assert row(text, 1) == r"87.6 ms \\"


def test_a_hyphen_before_a_number_in_a_text_is_a_minus_sign_and_one_in_a_name_is_not():
    text = format_latex_table("t", (column("a", "-3 to -1 %", "x-2", right=False),), "t")
    assert row(text, 1) == r"$-$3 to $-$1 \% \\"
    assert row(text, 2) == r"x-2 \\"


def test_a_table_longer_than_a_page_is_a_longtable_whose_head_repeats():
    numbers = [str(place) for place in range(LONGEST + 1)]
    text = format_latex_table("t", (column("run", *numbers),), "t")
    assert r"\begin{longtable}{S[table-format=2.0]}" in text
    assert text.index(r"\endhead") < text.index(r"\endfoot") < text.index("  0 ")
    assert r"\begin{table}" not in text
    assert "longtable" not in format_latex_table("t", (column("run", *numbers[1:]),), "t")
