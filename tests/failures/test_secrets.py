"""Values of the caller's environment are stored nowhere; levels reach no shell and no path."""

from __future__ import annotations

import json

import killing
import pytest

SECRET = "hunter2-correct-horse-battery"  # noqa: S105 -- planted, to be looked for

SPEC = """
[program]
commands = {{ a = ["/bin/sh", "-c", "{script}"], b = ["/bin/true"] }}
{more}
[build]
command = ["/bin/sh", "-c", "echo built > {{build}}/done"]
inputs = ["input"]
[design]
blocks = 2
discard = 0
"""


def everything_below(directory):
    """The bytes of all files, and their names."""
    for path in directory.rglob("*"):
        yield path.name.encode()
        if path.is_file():
            yield path.read_bytes()


@pytest.mark.parametrize(
    ("script", "more", "code"),
    [
        ("true", "inherit = true", 0),
        ("exit 3", "", 5),
        ("kill -9 $PPID", "inherit = true", 5),
    ],
    ids=["succeeds", "fails", "kills the runner"],
)
def test_a_secret_in_the_environment_is_in_no_record_journal_log_or_output(
    tmp_path, steelyard_cli, script, more, code
):
    (tmp_path / "input").touch()
    (tmp_path / "a.toml").write_text(SPEC.format(script=script, more=more))
    env = {"API_TOKEN": SECRET, f"{SECRET}_AS_A_NAME": "1", "STEELYARD_SECRET": SECRET}
    ran = steelyard_cli("run", "a.toml", "--json", env=env)
    assert ran.returncode == code, ran.stderr
    questions = [["status", "a.lab", "--json"]]
    if code == 0:
        questions += [
            ["analyze", "a.lab", "--json"],
            ["export", "a.lab"],
            ["plan", "a.toml"],
            ["doctor", "--json"],
        ]
    text = [ran, *(steelyard_cli(*question, env=env) for question in questions)]
    for item in text:
        assert SECRET not in item.stdout + item.stderr
    # Build logs and the cache lie in the home that the tests give to the command.
    for content in everything_below(tmp_path):
        assert SECRET.encode() not in content


# What would do harm or get lost if anything but argv saw it.
NAMES = [
    "../../escaped",
    "/etc/passwd",
    "a b\tc",
    "$(touch hacked)`touch hacked`",
    "; touch hacked #",
    "'\"\\",
    "two\nlines",
    "🧪 emoji é",
    "-rf",
    "{not a placeholder",
    "%s%n",
    "\u202ebidi",
    "'; DROP TABLE trial; --",
]


@pytest.mark.parametrize(
    "command",
    [
        'command = ["/usr/bin/printf", "%s", "{what}"]',
        "shell = true\ncommand = 'printf %s {what}'",
    ],
    ids=["words", "shell"],
)
def test_levels_reach_the_program_as_they_are_and_neither_a_shell_nor_a_path(
    tmp_path, steelyard_cli, command
):
    # The strings of JSON are strings of TOML.
    levels = json.dumps(NAMES, ensure_ascii=False)
    (tmp_path / "a.toml").write_text(
        f"[program]\n{command}\nverify = {{ stdout = '^(?s:.)' }}\n[factors]\nwhat = {levels}\n"
        "[design]\nblocks = 2\ndiscard = 0\n"
    )
    before = {path.name for path in tmp_path.iterdir()}
    ran = steelyard_cli("run", "a.toml")
    assert ran.returncode == 0, ran.stderr
    assert {path.name for path in tmp_path.iterdir()} == before | {"a.lab"}
    assert not list(tmp_path.rglob("hacked"))
    assert not (tmp_path.parent / "escaped").exists()
    assert steelyard_cli("export", "a.lab").returncode == 0
    stored = {
        json.loads(row)["what"] for (row,) in killing.rows(tmp_path / "a.lab", "SELECT levels FROM treatment")
    }
    assert stored == set(NAMES)
    assert killing.rows(tmp_path / "a.lab", "SELECT DISTINCT status FROM trial") == [("ok",)]


def test_output_for_a_terminal_shows_what_would_move_its_cursor_as_text(tmp_path, steelyard_cli):
    (tmp_path / "a.toml").write_text(
        '[program]\ncommand = ["/bin/echo", "{what}"]\n[factors]\nwhat = ["\\u001b[2Jone", "two\\u202E"]\n'
        "[design]\nblocks = 2\ndiscard = 0\n"
    )
    for arguments in (["plan", "a.toml"], ["run", "a.toml"], ["status", "a.lab"], ["analyze", "a.lab"]):
        done = steelyard_cli(*arguments)
        assert done.returncode == 0, done.stderr
        assert "\x1b" not in done.stdout + done.stderr
        assert "\u202e" not in done.stdout + done.stderr


def test_a_nul_cannot_be_a_level(tmp_path, steelyard_cli):
    (tmp_path / "a.toml").write_text(
        '[program]\ncommand = ["/bin/echo", "{what}"]\n[factors]\nwhat = ["a\\u0000b", "c"]\n'
    )
    refused = steelyard_cli("run", "a.toml")
    assert refused.returncode == 2
    assert "a.toml" in refused.stderr
    assert "hint: " in refused.stderr
    assert not (tmp_path / "a.lab").exists()
