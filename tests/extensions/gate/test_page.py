"""The page of a gate, read as text and in headless Chromium."""

from __future__ import annotations

import re
import shutil

import pytest
from gate_answers import make_answer

from steelyard.extensions.gate.page import render, render_error
from steelyard.extensions.gate.results import ExplainedFunction, GatedBenchmark, Reason
from steelyard.results.interval import Interval

CHROMIUM = shutil.which("chromium")
WIDTHS = (320, 380, 600, 900, 1400)
LONG = "benches/" + "a_very_long_name_of_a_benchmark::" * 4 + "<script>alert(1)</script>"


@pytest.fixture(autouse=True, scope="module")
def _no_process_is_left(no_process_left):
    """The browser keeps processes as it likes, until it is closed."""
    with no_process_left():
        yield


@pytest.fixture
def answer():
    reason = Reason(
        "sampling made OLD 1 % slower", (ExplainedFunction("f", "s.c:3", 0.05, Interval(0.04, 0.06)),)
    )
    slower = GatedBenchmark(
        *(LONG, "slower", 6, 1e-7, 1.2e-7, 0.2, Interval(0.19, 0.21), 0.0, 1.0, 1.0),
        reason=reason,
        metric="real_time_s",
        margin=0.03,
    )
    return make_answer(slower, notes=("Benchmarks elsewhere were not run: " + "x" * 200,))


def test_the_page_has_the_line_the_values_the_reason_and_the_notes(answer):
    page = render(answer, strict=False)
    text = " ".join(re.sub(r"<style>.*?</style>|<[^>]*>", " ", page, flags=re.DOTALL).split())
    for words in ("1 of 1 slower, by 20 %", "+20.0 %", "100.0 ns", "f, s.c:3", "xxx", "not qualified"):
        assert words in text
    assert "<script" not in page


@pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed")
def test_the_page_fits_every_width_with_a_benchmark_of_a_long_name(answer, tmp_path):
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    pages = {"answer": render(answer, strict=False), "error": render_error("y" * 300, "cd " + "z" * 300)}
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        for name, page in pages.items():
            file = tmp_path / f"{name}.html"
            file.write_text(page, encoding="utf-8")
            for width in WIDTHS:
                tab = browser.new_page(viewport={"width": width, "height": 800})
                tab.goto(file.as_uri())
                assert tab.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
                tab.close()
        browser.close()
