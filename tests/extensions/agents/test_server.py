"""The server as a process, asked by the client of the SDK over stdio."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

import anyio
from mcp import Client, StdioServerParameters
from mcp.server.mcpserver.exceptions import ToolError

# For scratch_repository.
from scratch_repository import Suites

from steelyard.extensions.agents.process import MOST_BYTES, Outcome, run_command
from steelyard.extensions.agents.server import read_outcome


@pytest.fixture
def ask(tmp_path, steelyard_env):
    """Ask one server, several times; ``None`` asks for the tools."""

    def ask_server(*calls, options=()):
        async def talk():
            words = ["-m", "steelyard", "mcp", "--root", str(tmp_path / "repository"), *options]
            server = StdioServerParameters(
                command=sys.executable, args=words, env=steelyard_env, cwd=tmp_path
            )
            async with Client(server) as client:
                return [
                    await (client.list_tools() if call is None else client.call_tool(*call)) for call in calls
                ]

        return anyio.run(talk)

    return ask_server


@pytest.mark.extensions("gate")
def test_four_tools_are_offered_and_a_gate_is_judged(ask, tmp_path):
    suites = Suites(tmp_path / "repository")
    base, head = suites.suite(sort=100), suites.suite(sort=150)
    request = {"base": base, "head": head, "command": ["./bench"], "harness": "google-benchmark"}
    tools, gated, refused = ask(None, ("gate", request), ("gate", {**request, "command": ["sh", "-c", "x"]}))
    assert [tool.name for tool in tools.tools] == ["compare", "gate", "ratchet", "explain"]
    assert all(tool.description and tool.input_schema["properties"] for tool in tools.tools)
    assert not gated.is_error, gated.content
    content = gated.structured_content
    assert (content["exit_code"], content["meaning"]) == (1, "a benchmark is slower")
    assert [(benchmark["name"], benchmark["verdict"]) for benchmark in content["answer"]["benchmarks"]] == [
        ("sort", "slower")
    ]
    assert refused.is_error
    assert "'sh' is not a program that may be started here" in refused.content[0].text
    assert suites.git("status", "--porcelain") == ""


def test_commands_are_compared_and_the_record_explained(ask, tmp_path):
    root = tmp_path / "repository"
    root.mkdir()
    for name, kilobytes in (("small", 100), ("large", 9000)):
        file = root / name
        file.write_text(f"#!/bin/sh\nexec dd if=/dev/zero of=/dev/null bs={kilobytes}K count=1 status=none\n")
        file.chmod(0o755)
    (compared,) = ask(("compare", {"commands": [["./small"], ["./large"]], "max_time_s": 1.0}))
    assert not compared.is_error, compared.content
    (record,) = (root / ".steelyard/agents").glob("*-compare.lab")
    explained, outside = ask(
        ("explain", {"record": str(record.relative_to(root))}), ("explain", {"record": "../x.lab"})
    )
    assert "./large" in explained.structured_content["text"]
    assert outside.is_error


@pytest.mark.extensions("ratchet")
def test_a_ratchet_without_a_ledger_is_an_error_in_words(ask, tmp_path):
    Suites(tmp_path / "repository").suite(sort=1)
    (status,) = ask(("ratchet", {"action": "status"}))
    assert status.is_error
    assert "nothing was tried yet" in status.content[0].text


def test_a_command_ends_when_its_time_is_up(tmp_path):
    outcome = anyio.run(run_command, ("compare", "-o", "x.lab", "--", "sleep 60", "sleep 61"), tmp_path, 1.0)
    assert outcome.exit_code is None
    with pytest.raises(ToolError, match="not done within 1 s"):
        read_outcome("compare", outcome, 1.0, is_json=True)


def test_an_answer_that_is_too_long_or_no_json_is_an_error(tmp_path):
    for outcome, message in (
        (Outcome(0, "x" * MOST_BYTES, "", is_cut=True), "too long"),
        (Outcome(0, "not json", "", is_cut=False), "no answer: not json"),
        (Outcome(5, "", "error: a build fails", is_cut=False), "exit code 5: error: a build fails"),
    ):
        with pytest.raises(ToolError, match=message):
            read_outcome("compare", outcome, 1.0, is_json=True)


def test_long_output_is_cut_and_files_of_the_root_are_not_imported(tmp_path, monkeypatch):
    (tmp_path / "steelyard.py").write_text("print('theirs')")
    monkeypatch.setattr("steelyard.extensions.agents.process.MOST_BYTES", 100)
    outcome = anyio.run(run_command, ("--help",), tmp_path, 60.0)
    assert (outcome.exit_code, len(outcome.stdout), outcome.is_cut) == (0, 100, True)
    assert "theirs" not in outcome.stdout


def test_the_skill_is_shipped_and_names_every_tool(steelyard_cli):
    text = steelyard_cli("mcp", "--skill").stdout
    assert text.startswith("---\nname: steelyard\ndescription: ")
    assert all(f"`{tool}`" in text for tool in ("compare", "gate", "ratchet", "explain"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--root", "nosuch"), "nosuch"),
        (("--allow", "/bin/sh"), "not the name of an installed program"),
    ],
)
def test_mistakes_are_told_with_a_cure(steelyard_cli, words, message):
    done = steelyard_cli("mcp", *words)
    assert (done.returncode, message in done.stderr) == (2, True)


def test_without_the_extra_the_command_names_it(tmp_path):
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp" / "__init__.py").write_text("raise ImportError('none')\n")
    done = subprocess.run(
        [sys.executable, "-m", "steelyard", "mcp"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert (done.returncode, "pip install mcp" in done.stderr) == (4, True)
