"""A moving picture of a terminal, as SVG: a command with its real output, which is then typed anew.

It begins with the answer drawn, so that whatever shows a still of it (a preview, a printer) shows that; then
the screen is cleared, the command typed, and its output appears line by line. Without motion, it stays as it
begins. ``python scripts/documentation/terminal_picture.py`` draws docs/pictures/compare.svg and gate.svg from
the output that the README and the page on gates show.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
PICTURES: Final = ROOT / "docs" / "pictures"
SESSIONS: Final = {
    "compare": ("README.md", "steelyard compare"),
    "gate": ("docs/gate.md", "steelyard gate"),
}
"""Of each picture, the page that shows its session, and how the command begins."""
CHARACTER: Final = 8.4
"""Width of a character of 14 pixels, as monospaced fonts have it."""
LINE: Final = 19.0
MARGIN: Final = 16.0
KEY_S: Final = 0.03
PAUSE_S: Final = 0.8
"""Time that the run is shown to take, whatever it took."""
ROW_S: Final = 0.08
REST_S: Final = 6.0
"""Time that the answer stands before it is cleared."""
STYLE: Final = """\
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d6deeb;white-space:pre}
.c{fill:#7fdbca}.f{font-weight:700;fill:#fff}
"""


def draw_terminal(command: str, output: Sequence[str]) -> str:
    """Draw the command and its output; the first line of output is the finding, and is bold."""
    typed_s = REST_S + KEY_S * len(command)
    total_s = typed_s + PAUSE_S + ROW_S * len(output)
    columns = max(len(line) for line in (f"$ {command}", *output))
    width, height = columns * CHARACTER + 2 * MARGIN, (len(output) + 1) * LINE + 2 * MARGIN
    cleared = 100 * REST_S / total_s
    hidden, visible = "clip-path:inset(0 100% 0 0)", "clip-path:inset(0)"
    rules, rows = [], []
    for number, text in enumerate((f"$ {command}", *output)):
        y = MARGIN + (number + 1) * LINE - 5
        kind = "c" if number == 0 else "f" if number == 1 else ""
        rows.append(f'<text class="{kind} r{number}" x="{MARGIN:g}" y="{y:g}">{escape(text)}</text>')
        until, steps = 100 * typed_s / total_s, len(command)
        if number > 0:
            until, steps = 100 * (typed_s + PAUSE_S + ROW_S * number) / total_s, 1
        rules.append(
            f"@keyframes k{number}{{0%,{cleared:.2f}%{{{visible}}}{cleared + 0.01:.2f}%{{{hidden}}}"
            f"{until:.2f}%,100%{{{visible}}}}}"
            f".r{number}{{animation:k{number} {total_s:.2f}s steps({steps}) infinite}}"
        )
    motion = "@media (prefers-reduced-motion:no-preference){" + "".join(rules) + "}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">'
        f"<title>{escape(command)}</title><style>{STYLE}{motion}</style>"
        f'<rect width="{width:g}" height="{height:g}" rx="8" fill="#011627"/>{"".join(rows)}</svg>\n'
    )


def read_session(page: str, command: str) -> tuple[str, list[str]]:
    """Read the first ``$ command …`` of a page that printed something, and the lines that it printed, without
    the last, which has the place of the record.

    Raises
    ------
    ValueError
        The page shows no output of such a command.
    """
    for block in page.split("```")[1::2]:
        _, prompt, rest = block.partition(f"$ {command} ")
        arguments, *output = rest.splitlines() or [""]
        output = [line for line in output if not line.startswith(("record: ", "records: ", "$ "))]
        while output and not output[-1]:
            output.pop()
        if prompt and output:
            return f"{command} {arguments}", output
    raise ValueError(f"no output of {command} is shown")


def main() -> None:
    """Draw the sessions that the pages show, which were recorded in real runs."""
    for name, (page, command) in SESSIONS.items():
        text = (ROOT / page).read_text(encoding="utf-8")
        (PICTURES / f"{name}.svg").write_text(draw_terminal(*read_session(text, command)), encoding="utf-8")


if __name__ == "__main__":
    main()
