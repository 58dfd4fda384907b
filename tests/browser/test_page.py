"""Pages in headless Chromium: drawn with and without a script, usable by keyboard, sound by axe-core.

Skipped where Chromium is missing (``apt-get install chromium``; ``./dev test`` does that).
``STEELYARD_SCREENSHOTS=DIR`` keeps a picture of each page at each width, light and dark.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import sys
from array import array
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "report"))

from answers.histories import two_machines
from answers.pages import (
    in_contexts,
    many_runs,
    page_of,
    swept,
    two_treatments,
    weak_scaling,
    with_instances,
)
from answers.presentable import PRESENTABLE

from steelyard.extensions.page.document import render
from steelyard.extensions.page.sections import sections_of

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed")

CHROMIUM = shutil.which("chromium")
WIDTHS = (400, 800, 1600)
LIMIT_MS = 120_000

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed"),
]


class Visit:
    """A page that is open, and what went wrong on it."""

    def __init__(self, browser, file, *, width=800, scheme="light", script=True, policy=""):
        self.context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            reduced_motion="reduce",
            java_script_enabled=script,
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(LIMIT_MS)
        self.problems, self.requests = [], []
        self.page.on("console", lambda text: self.problems.append(text.text) if text.type in BAD else None)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda question: self.requests.append(question.url))
        if policy:
            # As a server of artifacts sends it.
            head = {"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy}
            self.page.route("**/*", lambda value: value.fulfill(body=file.read_bytes(), headers=head))
        self.page.goto("http://artifacts.test/" if policy else file.as_uri())
        if script and not policy:
            self.page.wait_for_selector("html[data-ready]", state="attached")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()


BAD = ("error", "warning")


@pytest.fixture(autouse=True, scope="module")
def _no_process_is_left(no_process_left):
    """Tests share a browser, which starts and keeps processes as it likes, until it is closed."""
    with no_process_left():
        yield


@pytest.fixture(scope="module")
def browser(_no_process_is_left):
    """Started once; a visit has a context of its own, with nothing of another's."""
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"], timeout=LIMIT_MS
        )
        yield opened
        opened.close()


def written(tmp_path, make_page):
    file = tmp_path / f"{make_page.__name__}.html"
    file.write_text(render([make_page()]), encoding="utf-8")
    return file


@pytest.mark.parametrize("make_page", PRESENTABLE, ids=lambda item: item.__name__)
def test_a_page_is_drawn_without_an_error_and_asks_for_nothing(browser, tmp_path, make_page):
    file = written(tmp_path, make_page)
    with Visit(browser, file) as visit:
        assert visit.problems == []
        assert visit.requests == [file.as_uri()]
        hold_charts_of(visit.page, make_page())


@pytest.mark.parametrize(
    "make_page",
    [two_treatments, in_contexts, swept, with_instances, weak_scaling, two_machines],
    ids=lambda item: item.__name__,
)
def test_a_page_fits_every_width_and_is_sound_by_axe(browser, tmp_path, make_page):
    file = written(tmp_path, make_page)
    for width in WIDTHS:
        with Visit(browser, file, width=width) as visit:
            for scheme in ("light", "dark"):
                # A style sheet alone makes the difference, so that the open page changes with it.
                visit.page.emulate_media(color_scheme=scheme)
                assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
                assert serious_findings(visit.page) == []
                if result := os.environ.get("STEELYARD_SCREENSHOTS"):
                    name = f"{make_page.__name__}-{width}-{scheme}.png"
                    visit.page.screenshot(path=Path(result, name), full_page=True)


def hold_charts_of(page, shown):
    """Each chart is to be seen once, at its width, and is as large as it says."""
    charts = [chart for section in sections_of(shown) for chart in section.charts if not chart.empty]
    assert page.locator(".chart").count() == len(charts)
    for chart in charts:
        visible = page.locator(f"#r1-{chart.name} svg").filter(visible=True)
        assert visible.count() == 1, chart.name
        box = visible.bounding_box()
        assert box["height"] > 40, chart.name
        assert box["width"] > 300, chart.name
        assert visible.locator("circle, line, rect, path").count() > 2, chart.name


POLICIES = {
    "of Jenkins": "sandbox; default-src 'none'; img-src 'self'; style-src 'self'",
    "with styles": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
}


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@pytest.mark.parametrize(
    "make_page",
    [two_treatments, in_contexts, swept, with_instances, weak_scaling, two_machines],
    ids=lambda item: item.__name__,
)
def test_a_page_under_a_strict_policy_has_every_chart(browser, tmp_path, make_page, policy):
    file = written(tmp_path, make_page)
    for width in WIDTHS[:2]:
        with Visit(browser, file, width=width, policy=policy) as visit:
            hold_charts_of(visit.page, make_page())
            assert texts_on_lines(visit.page) == []


def test_where_no_style_is_allowed_charts_are_readable_in_dark_windows_too(browser, tmp_path):
    file = written(tmp_path, two_treatments)
    policy = POLICIES["of Jenkins"]
    with Visit(browser, file, scheme="dark", policy=policy) as visit:
        chart = visit.page.locator("#r1-effects svg").filter(visible=True)
        colours = (
            "chart => [...chart.querySelectorAll('rect, text')].map(each => getComputedStyle(each).fill)"
        )
        paper, *rest = chart.evaluate(colours)
        assert paper == "rgb(255, 255, 255)"
        assert "rgb(22, 25, 29)" in rest


@pytest.mark.parametrize("width", [400, 800])
def test_without_a_script_the_page_shows_charts_and_no_button_that_does_nothing(browser, tmp_path, width):
    with Visit(browser, written(tmp_path, in_contexts), width=width, script=False) as visit:
        assert visit.problems == []
        hold_charts_of(visit.page, in_contexts())
        assert visit.page.locator("button:visible").count() == 0
        assert (
            visit.page.locator("#r1-effects svg").filter(visible=True).locator("title").first.text_content()
        )


@pytest.mark.parametrize("width", [400, 1600])
@pytest.mark.parametrize("make_page", PRESENTABLE, ids=lambda item: item.__name__)
def test_no_text_of_a_chart_lies_on_a_line_or_on_another_text(browser, tmp_path, make_page, width):
    with Visit(browser, written(tmp_path, make_page), width=width) as visit:
        assert texts_on_lines(visit.page) == []


TEXTS_ON_LINES = Path(__file__).with_name("texts_on_lines.js").read_text(encoding="utf-8")


def texts_on_lines(page):
    """Texts that lines or other texts cross as the browser lays them out, and texts that are cut off."""
    return page.evaluate(TEXTS_ON_LINES)


def serious_findings(page):
    """What axe calls serious or critical: each rule, and the first places where it is broken."""
    return [
        (violation["id"], [node["target"] for node in violation["nodes"]][:3])
        for violation in axe.Axe().run(page).response["violations"]
        if violation["impact"] in ("serious", "critical")
    ]


def test_the_keyboard_reaches_and_works_everything(browser, tmp_path):
    with Visit(browser, written(tmp_path, two_treatments)) as visit:
        result = visit.page.locator("a, button:visible, summary, [tabindex='0']:visible").count()
        seen = set()
        for _ in range(result + 5):
            visit.page.keyboard.press("Tab")
            place = "document.activeElement"
            everything = "[...document.querySelectorAll('*')]"
            seen.add(visit.page.evaluate(f"{everything}.indexOf({place})"))
        assert len(seen) >= result
        button = visit.page.locator("button.pick:visible", has_text="new").first
        button.focus()
        visit.page.keyboard.press("Enter")
        assert button.get_attribute("aria-pressed") == "true"
        assert visit.page.locator(".filter").inner_text().startswith("Only new is shown.")
        assert visit.page.locator("tr[data-treatment='0']:visible").count() == 0
        visit.page.keyboard.press("Escape")
        assert visit.page.locator(".filter:visible").count() == 0
        assert visit.page.locator("tr[data-treatment='0']:visible").count() > 0


def test_hovering_says_which_run_a_dot_is_and_clicking_chooses_its_treatment(browser, tmp_path):
    with Visit(browser, written(tmp_path, two_treatments)) as visit:
        dot = visit.page.locator("#r1-distribution circle[data-i]:visible").first
        dot.scroll_into_view_if_needed()
        dot.hover(force=True)
        tip = visit.page.locator("#tip:visible")
        tip.wait_for()
        result = tip.inner_text()
        assert all(word in result for word in ("run", "block", "treatment", "value"))
        dot.click(force=True)
        visit.page.locator(".filter:visible").wait_for()


def test_a_disturbed_run_leads_to_what_is_known_of_it(browser, tmp_path):
    with Visit(browser, written(tmp_path, two_treatments)) as visit:
        diamond = visit.page.locator("#r1-course path[data-i]:visible").first
        diamond.scroll_into_view_if_needed()
        diamond.click(force=True)
        row = visit.page.locator("tr:focus")
        assert row.get_attribute("data-run") == "7"
        assert "31 %" in row.inner_text()


def test_100000_runs_are_drawn_and_a_chosen_treatment_shows_all_of_its_runs(browser, tmp_path):
    def many():
        return page_of(many_runs(40, 2500))

    file = written(tmp_path, many)
    assert file.stat().st_size <= 3_000_000
    with Visit(browser, file) as visit:
        assert visit.problems == []
        visit.page.locator("summary").first.click()
        visit.page.locator("button.pick").nth(5).click()
        visit.page.wait_for_function(
            "document.querySelectorAll('#r1-distribution svg.wide circle:not([opacity])').length >= 2500"
        )


def test_runs_that_the_script_adds_lie_where_python_places_those_that_it_draws(browser, tmp_path):
    def many():
        return page_of(many_runs(6, 600))

    file = written(tmp_path, many)
    values = json.loads(re.search(r'id="page-data">(.*?)</script>', file.read_text(), re.DOTALL)[1])
    packed = values["records"][0]["runs"]["value"]["data"]
    of_runs = array("d", base64.b64decode(packed))
    places = """([chart, field]) => [...document.querySelectorAll(`#r1-${chart} svg.wide circle[data-t="2"]`)]
        .map(dot => [+dot.dataset.i, +dot.getAttribute(field), "other" in dot.dataset])"""
    with Visit(browser, file) as visit:
        visit.page.locator("summary").first.click()
        visit.page.locator("button.pick").nth(1).click()
        for chart, field, number in (
            ("distribution", "cx", of_runs.__getitem__),
            ("course", "cx", float),
        ):
            dots = visit.page.evaluate(places, [chart, field])
            assert len(dots) == 600
            drawn = sorted((number(i), place) for i, place, other in dots if not other)
            (low, start), (high, end) = drawn[0], drawn[-1]
            added = [(number(i), place) for i, place, other in dots if other]
            assert len(added) > 400
            for value, place in added:
                assert abs(place - (start + (end - start) * (value - low) / (high - low))) < 0.3


def test_a_name_that_is_a_script_is_not_run(browser, tmp_path):
    from answers.pages import hostile

    file = written(tmp_path, hostile)
    with Visit(browser, file) as visit:
        question = []
        visit.page.on("dialog", lambda dialog: (question.append(dialog.message), dialog.dismiss()))
        visit.page.locator("summary").first.click()
        visit.page.locator("button.pick:visible").first.click()
        assert "\\x1b[31mred" in visit.page.locator(".filter").inner_text()
        assert (question, visit.problems) == ([], [])


def test_paper_is_white_with_every_table_open(browser, tmp_path):
    with Visit(browser, written(tmp_path, in_contexts), scheme="dark") as visit:
        visit.page.emulate_media(media="print", color_scheme="dark")
        colour = visit.page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert colour == "rgb(255, 255, 255)"
        visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert visit.page.locator("details:not([open])").count() == 0
