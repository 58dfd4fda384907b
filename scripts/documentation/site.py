"""The site: the pages of docs/ as HTML with a search, and every link in it followed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class HtmlPage(HTMLParser):
    """The anchors and the links of one HTML page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element is named, and what it leads to."""
        for key, value in attrs:
            if value is None:
                continue
            if key == "id":
                self.anchors.add(value)
            elif key == "src" or (key == "href" and tag in ("a", "link")):
                self.links.append(value)


def build(root: Path, to: Path) -> subprocess.CompletedProcess[str]:
    """Build the site of the checkout ``root`` with Sphinx, of which a warning is an error."""
    options = ["-W", "--keep-going", "-q", "-b", "html", "-d", str(to.with_name(f"{to.name}-trees"))]
    command = [sys.executable, "-m", "sphinx", *options, "docs", str(to)]
    return subprocess.run(command, cwd=root, capture_output=True, encoding="utf-8", check=False)


def broken_links(site: Path) -> Iterator[str]:
    """Links of a built site to a file or an anchor that it does not have; other links are not followed."""
    pages = {path: HtmlPage(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
            place = f"{path.relative_to(site)}: the link {link}"
            if not target.exists():
                yield f"{place} leads to no file"
            elif parts.fragment and target.suffix == ".html":
                anchors = pages[site / target.relative_to(site.resolve())].anchors
                if unquote(parts.fragment) not in anchors:
                    yield f"{place} leads to no place on that page"
