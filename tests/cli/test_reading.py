"""Commands that only read start no command of a stranger's spec or record, whatever key names it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "lab" / "merge"))

from simulated_machines import SPEC, machine

from steelyard.spec.tables.spec import SpecTable

COMMAND = '["/bin/sh", "-c", "touch VICTIM"]'
EVIL = "#!/bin/sh\ntouch VICTIM\n"
PROGRAM = '[program]\ncommands = { old = ["true"], new = ["false"] }\n'
TEMPLATE = """[launch]
kind = "template"
script = "job"
submit = ["true", "{script}"]
cancel = ["true", "{job}"]
"""


def of_program(line: str) -> str:
    return SPEC.replace("[design]", f"{line}\n[design]")


def of_launch(table: str) -> str:
    return f"{SPEC}\n{table}\n"


def with_word(word: str) -> str:
    return f'{COMMAND[:-1]}, "{word}"]'


SPECS = {
    "program.commands": SPEC.replace('["false"]', COMMAND),
    "program.shell": SPEC.replace('["true"]', '"true"').replace('["false"]', '"touch VICTIM"').replace(
        "[design]", "shell = true\n[design]"
    ),
    **{
        f"program.{key}": of_program(f"{key} = [{COMMAND}]")
        for key in (
            "prepare", "cleanup", "setup_once", "cleanup_once", "before_block", "after_block",
            "between_blocks",
        )
    },
    "program.env": of_program('env = { PATH = "{source}", LD_PRELOAD = "{source}/evil.so" }'),
    "program.between_treatments": of_program(f"between_treatments = [{COMMAND}]").replace(
        "blocks = 20", 'order = "nogueira-matias-2014"\nreplicates = 2\nblocks = 20'
    ),
    "metrics.source": of_program('env = { PATH = "{source}" }')
    + '\n[metrics]\nrefs = { source = "cachegrind", event = "instructions" }\n[analysis]\nmetric = "refs"\n',
    "build.command": SPEC.replace('["false"]', '["{build}/p"]') + f"\n[build]\ncommand = {COMMAND}\n",
    "build.env": SPEC.replace('["false"]', '["{build}/p"]')
    + '\n[build]\ncommand = ["make"]\nenv = { PATH = "{source}" }\n',
    "levels": SPEC + '\n[factors]\nmode = ["on", "off"]\n[[levels]]\nfactor = "mode"\nlevel = "on"\n'
    f"enter = {COMMAND}\nleave = {COMMAND}\n",
    "launch.ssh": of_launch(f'[launch]\nkind = "hosts"\nhosts = ["n1", "n2"]\nssh = {COMMAND}'),
    "launch.ssh, of one host": of_launch(f'[launch]\nkind = "hosts"\nhosts = ["n1"]\nssh = {COMMAND}'),
    "launch.ssh, a program beside the spec": of_launch(
        '[launch]\nkind = "hosts"\nhosts = ["n1"]\nstage = "copy"\nssh = ["{source}/evil", "-F", "x"]'
    ),
    "launch.submit": of_launch(TEMPLATE.replace('["true", "{script}"]', with_word("{script}"))),
    "launch.cancel": of_launch(TEMPLATE.replace('["true", "{job}"]', with_word("{job}"))),
    "launch.alive": of_launch(f"{TEMPLATE}alive = {with_word('{job}')}"),
    "launch.script": of_launch(TEMPLATE),
    "launch.mpirun": of_launch('[launch]\nkind = "mpi"\nranks = 2\nmpirun = "evil"'),
    "launch.arguments": of_launch(f'[launch]\nkind = "mpi"\nranks = 2\narguments = {COMMAND}'),
    "launch.options": of_launch(f'[launch]\nkind = "slurm"\nranks = 2\noptions = {COMMAND}'),
    "launch.platform": of_launch('[launch]\nkind = "smpi"\nranks = 2\nplatform = "evil"'),
}  # fmt: skip

NO_COMMAND = {
    # Options of a program of ours or of the system, names, patterns, files that are read, and labels.
    "program.inputs", "program.counters", "program.verify.files", "build.inputs", "build.objects",
    "launch.hosts", "launch.files", "launch.hand_on",
}  # fmt: skip


def keys(table: type, *above: str) -> Iterator[str]:
    """Keys whose value is a list of texts, which a command is."""
    for field in msgspec.structs.fields(table):
        names = (*above, field.encode_name)
        kind = msgspec.inspect.type_info(field.type)
        for part in kind.types if isinstance(kind, msgspec.inspect.UnionType) else (kind,):
            if isinstance(part, msgspec.inspect.StructType):
                yield from keys(part.cls, *names)
            elif isinstance(part, msgspec.inspect.VarTupleType):
                inner = part.item_type
                if isinstance(
                    inner, msgspec.inspect.StrType | msgspec.inspect.VarTupleType | msgspec.inspect.UnionType
                ):
                    yield ".".join(names)


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A file that exists once anything of the stranger's was started."""
    return tmp_path / "victim"


@pytest.fixture
def strange(tmp_path: Path, victim: Path):
    """Spec and record of a stranger, with programs of the names that are looked for in PATH beside them."""

    def write(text: str) -> Path:
        text = text.replace("VICTIM", str(victim))
        (tmp_path / "spec.toml").write_text(text)
        (tmp_path / "job").write_text(f"#!/bin/bash\ntouch {victim}\n{{run}}\n")
        for name in ("evil", "mpirun", "srun", "ssh", "make", "valgrind", "git", "sh", "c++", "perf"):
            (tmp_path / name).write_text(EVIL.replace("VICTIM", str(victim)))
            (tmp_path / name).chmod(0o755)
        return tmp_path / "spec.toml"

    return write


OF_SPEC = (
    ("plan", "spec.toml"),
    ("check", "spec.toml", "--no-run"),
)
OF_RECORD = (
    ("status", "1.lab"),
    ("analyze", "1.lab", "2.lab"),
    ("check", "1.lab"),
    ("check", "1.lab", "--baseline-spec", "spec.toml"),
    ("report", "1.lab", "-o", "report"),
    ("export", "1.lab"),
    ("export", "1.lab", "2.lab", "--to", "lake"),
    ("analyze", "lake"),
    ("check", "lake"),
    ("merge", "1.lab", "2.lab", "-o", "both.lab"),
    ("history", "1.lab", "2.lab", "--check"),
    ("compare", "1.lab", "2.lab"),
    ("recover", "1.lab", "recovered.lab"),
)


def refuse_started(steelyard_cli, victim, commands) -> dict[str, int]:
    """Fail where one of the commands starts anything; return their exit codes."""
    codes = {}
    for words in commands:
        done = steelyard_cli(*words)
        assert not victim.exists(), f"{' '.join(words)}: {done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr
        codes[" ".join(words)] = done.returncode
    return codes


@pytest.mark.extensions("page", "plan")
@pytest.mark.parametrize("key", SPECS)
def test_no_command_that_reads_a_spec_starts_what_a_key_names(steelyard_cli, strange, victim, key):
    strange(SPECS[key])
    codes = refuse_started(steelyard_cli, victim, OF_SPEC)
    assert codes["plan spec.toml"] == 0


@pytest.mark.extensions("page", "plan")
@pytest.mark.parametrize("key", ["program.prepare", "launch.ssh", "launch.submit", "launch.mpirun"])
def test_no_command_that_reads_a_record_starts_what_a_key_names(
    steelyard_cli, strange, victim, tmp_path, key
):
    strange(SPECS[key])
    for number in (1, 2):
        text = SPECS[key].replace("VICTIM", str(victim))
        machine(tmp_path / f"{number}.lab", f"n{number}", 1.05, seed=1, spec=text)
    codes = refuse_started(steelyard_cli, victim, OF_RECORD)
    assert {words: code for words, code in codes.items() if code not in (0, 1)} == {}


def test_completion_starts_nothing(steelyard_cli, strange, victim):
    strange(SPECS["launch.ssh"])
    for words in ("analyze spec.toml --against ", "plan ", "plan sp", "run spec.toml --"):
        typed = f"steelyard {words}"
        env = {"_STEELYARD_COMPLETE": "bash_complete", "COMP_WORDS": typed}
        steelyard_cli(env=env | {"COMP_CWORD": str(typed.count(" "))})
    assert not victim.exists()


def test_every_key_that_can_hold_a_command_is_tried():
    named = {key.partition(",")[0].replace("levels", "levels.enter") for key in SPECS}
    lists = {key for key in keys(SpecTable) if key.split(".")[0] in ("program", "build", "launch")}
    assert lists - named - NO_COMMAND == set()


@pytest.mark.extensions("page", "plan")
def test_a_plan_says_which_hosts_were_not_asked_and_how_they_are(steelyard_cli, strange, victim):
    strange(SPECS["launch.ssh"])
    done = steelyard_cli("plan", "spec.toml")
    assert done.returncode == 0, done.stderr
    result = " ".join(done.stdout.split())
    assert (
        "Not asked - n1 and n2: a run asks before it measures. To ask now, by the ssh of the spec:"
        " steelyard plan SPEC --ask" in result
    )
    assert json.loads(steelyard_cli("plan", "spec.toml", "--json").stdout)["unasked"] == ["n1", "n2"]
    assert not victim.exists()
    document = json.loads(steelyard_cli("plan", "spec.toml", "--json", "--ask").stdout)
    assert victim.exists()
    assert (document["unasked"], len(document["refused"])) == ([], 1)


@pytest.mark.extensions("page", "plan")
def test_a_plan_asks_the_queue_of_the_user_and_hands_it_no_command_of_the_spec(steelyard_cli, tmp_path):
    """Commands of Slurm are those of the user's PATH; their words are ours, but for the partition's name."""
    commands, log = tmp_path / "commands", tmp_path / "log"
    commands.mkdir()
    for name in ("sbatch", "squeue", "scancel", "scontrol", "sinfo", "srun"):
        (commands / name).write_text(f'#!/bin/sh\necho {name} "$@" >>{log}\necho UP; echo "n1 idle all*"\n')
        (commands / name).chmod(0o755)
    launch = f'[launch]\nkind = "slurm"\nranks = 2\noptions = ["-p", "long", "--wrap", {COMMAND[1:-1]}]'
    (tmp_path / "spec.toml").write_text(f'{SPEC}\n{launch}\n[contexts]\nnode = "random"\n')
    env = {"PATH": f"{commands}:{os.environ['PATH']}"}
    assert steelyard_cli("plan", "spec.toml", env=env).returncode == 0
    keys = {
        "scontrol ping",
        "srun --mpi=list",
        "sinfo --noheader --Node --format %N %t %P --partition long",
    }
    assert set(log.read_text().splitlines()) <= keys
    assert log.read_text()
