from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.core.errors import SpecError
from steelyard.spec import Experiment, experiment, load, loads
from steelyard.spec.loading import LARGEST

WHOLE = """\
name = "O2 against O3"

[program]
command = ["{build}/nbody", "{n}"]
env = { OMP_NUM_THREADS = "{threads}" }

[build]
command = ["make", "CFLAGS=-{opt}", "OUT={build}"]

[factors]
opt = ["O2", "O3"]
n = [1000, 2000]
threads = [1, 2]
weak = { zip = ["nodes", "scale"], levels = [[1, 14], [2, 15]] }

[contexts]
env_bytes = "random"

[design]
blocks = 30

[metrics]
rate = { pattern = "rate=([0-9.]+)" }
per_scale = { derive = "rate / scale / nodes" }

[analysis]
baseline = { opt = "O2" }

[launch]
kind = "local"
"""

KEYWORDS = {
    "name": "O2 against O3",
    "program": {"command": ("{build}/nbody", "{n}"), "env": {"OMP_NUM_THREADS": "{threads}"}},
    "build": {"command": ["make", "CFLAGS=-{opt}", "OUT={build}"]},
    "factors": {
        "opt": ("O2", "O3"),
        "n": [1000, 2000],
        "threads": [1, 2],
        "weak": {"zip": ["nodes", "scale"], "levels": [(1, 14), (2, 15)]},
    },
    "contexts": {"env_bytes": "random"},
    "design": {"blocks": 30},
    "metrics": {"rate": {"pattern": "rate=([0-9.]+)"}, "per_scale": {"derive": "rate / scale / nodes"}},
    "analysis": {"baseline": {"opt": "O2"}},
    "launch": {"kind": "local"},
}


@pytest.fixture
def spec(tmp_path):
    def write(content):
        path = tmp_path / "study.toml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_toml_and_keyword_arguments_give_the_same_experiment():
    assert loads(WHOLE, source="/lab") == experiment(source="/lab", **KEYWORDS)


def test_a_file_gives_its_directory_and_a_name(spec, tmp_path):
    read = load(spec('[program]\ncommand = ["p"]'))
    assert (read.name, read.source) == ("study", str(tmp_path))


def test_a_relative_path_gives_an_absolute_directory(spec, tmp_path, monkeypatch):
    monkeypatch.chdir(spec('[program]\ncommand = ["p"]').parent)
    assert load("study.toml").source == str(tmp_path)
    assert loads('[program]\ncommand = ["p"]', source=".").source == str(tmp_path)
    assert experiment(program={"command": ["p"]}).source == str(tmp_path)


def test_a_mark_of_byte_order_and_windows_line_ends_are_read_over(spec):
    text = '[program]\r\ncommand = ["p"]\r\n'
    assert load(spec(b"\xef\xbb\xbf" + text.encode())).program.commands == {"": ("p",)}


def test_a_spec_is_read_from_a_pipe(tmp_path):
    read_end, write_end = os.pipe()
    os.write(write_end, b'[program]\ncommand = ["p"]')
    os.close(write_end)
    try:
        assert load(f"/dev/fd/{read_end}").program.commands == {"": ("p",)}
    finally:
        os.close(read_end)


HEAD = '[program]\ncommand = ["p"]\n'


@pytest.mark.parametrize(
    ("content", "cure"),
    [
        ('program = "./p"', 'write [program], and command = "./p" below it'),
        (HEAD + "verify = 'done'", 'write verify = { stdout = "done" }'),
        (HEAD + "env = 'A=1'", "write a table"),
        (HEAD + "verify = ['done']", "write a table"),
    ],
)
def test_a_value_in_place_of_a_table_is_shown_under_the_key_that_it_fits(spec, content, cure):
    with pytest.raises(SpecError, match="must be a table") as caught:
        load(spec(content))
    assert caught.value.hint == cure


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[program\n", ":1:9: Expected ']' at the end of a table declaration"),
        ("a = 1\na = 2\n", ":2:6: Cannot overwrite a value"),
        ("a = 01", ":1:6: Expected newline or end of document after a statement"),
        ('a = "x', ": at its end: Unterminated string"),
        (b"[program]\ncommand = ['\xff']", ":2: byte 0xff is not UTF-8"),
        (b"\x7fELF\x02\x01\x01\x00\x80", ":1: byte 0x80 is not UTF-8"),
        ("a = " + "[" * 2000, ": values are nested too deeply"),
        ("a = " + "9" * 5000, ": Exceeds the limit"),
        ("a" + ".a" * 400_000 + " = 1", ": values are nested too deeply"),
        ("", ": the key program is missing"),
        ("name = 3\n" + HEAD, ":1: name: must be text in quotes, got 3"),
        ('nam = "x"\n' + HEAD, ":1: nam: unknown key"),
        ('program = ["p"]', ":1: program: must be a table, got a list of 1"),
        ("[[program]]\ncommand = ['p']", ":1: program: must be a table, got a list of 1"),
        (HEAD + "[clams]\n", ":3: clams: unknown key"),
        (HEAD + '"a`b" = 1\n', ':3: program."a`b": unknown key'),
        (HEAD + '[launch]\nkind = "cloud"', ':4: launch.kind: must be "local"'),
        ("a.b.c.d = 1\n", ":1: a: unknown key"),
        (
            "[program]\ncommand = ['p', {a = 1}]",
            ":2: program.command[2]: must be text in quotes, got a table",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_file_line_and_cure(spec, content, message):
    path = spec(content)
    with pytest.raises(SpecError) as caught:
        load(path)
    assert caught.value.message.startswith(f"{path}{message}")
    assert caught.value.hint


def test_a_mistake_in_the_syntax_shows_the_line_to_correct(spec):
    with pytest.raises(SpecError) as caught:
        load(spec("[program]\ncommand = ['a' 'b']\n"))
    assert caught.value.hint == "correct this line: command = ['a' 'b']"


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        (
            "[analysis]\nbaseline = { opt = O1 }\n",
            "strings need quotes; correct this line: baseline = { opt = O1 }",
        ),
        ("[factors]\nn = [1, =]\n", "correct this line: n = [1, =]"),
        (
            "[claims]\nbest = 'n'\n[claims]\nbest = 'm'\n",
            "write each table once; one of several, as of claims, is [[claims]]",
        ),
        (
            "[[claims]]\nbest = 'n'\n[claims]\nbest = 'm'\n",
            "write each table once; one of several, as of claims, is [[claims]]",
        ),
    ],
)
def test_the_hint_names_what_the_syntax_wants(spec, content, hint):
    with pytest.raises(SpecError) as caught:
        load(spec(content))
    assert caught.value.hint == hint


def test_a_file_of_ten_megabytes_is_refused(spec):
    path = spec("# " + "x" * 10_000_000)
    with pytest.raises(SpecError, match="is larger than 1,000,000 bytes"):
        load(path)
    with pytest.raises(SpecError, match=r"^spec: is larger than 1,000,000 bytes"):
        loads("#" * (LARGEST + 1), source="/")


def test_a_file_without_an_end_is_refused():
    with pytest.raises(SpecError, match=r"^/dev/zero: a device or a socket, not a file"):
        load("/dev/zero")


def test_a_file_of_a_megabyte_is_read(spec):
    text = '[program]\ncommand = ["p"]\n#'
    assert load(spec(text + "x" * (LARGEST - len(text)))).name == "study"


def test_a_file_that_is_not_there_is_told_and_so_is_a_directory(tmp_path):
    with pytest.raises(SpecError) as caught:
        load(tmp_path / "none.toml")
    assert caught.value.message == f"{tmp_path}/none.toml: cannot be read: No such file or directory"
    assert caught.value.hint == "give the path of a TOML file, saved as UTF-8"
    with pytest.raises(SpecError) as caught:
        load(tmp_path)
    assert caught.value.message == f"{tmp_path}: a directory, not a file"
    assert caught.value.hint == "give the path of a TOML file, saved as UTF-8"


P = {"command": ["p"]}


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({}, "the key program is missing"),
        ({"program": P, "factor": {}}, "factor: unknown key"),
        ({"program": {"command": ["p", 1]}}, "program.command[2]: must be text in quotes, got 1"),
        ({"program": {"command": {"p"}}}, "program.command: is of type set, which a spec cannot hold"),
        ({"program": P, "factors": {"n": {1, 2}}}, "factors.n: is of type set"),
        ({"program": P, "factors": {1: [2]}}, "factors: the key 1 must be text"),
        ({"program": P, "factors": {"n": [b"x"]}}, "factors.n[1]: is of type bytes"),
        (
            {"program": {"command": ["\ud800"]}},
            "program.command: word 1 of the command cannot be encoded",
        ),
        ({"program": Path("p")}, "program: is of type PosixPath"),
        ({"name": 3, "program": P}, "name: must be text in quotes, got 3"),
        ({"program": P, "design": {"seed": 10**5000}}, "design.seed: must be an integer"),
    ],
)
def test_keyword_arguments_are_checked_as_a_spec_is(tables, message):
    with pytest.raises(SpecError) as caught:
        experiment(**tables)
    assert caught.value.message.startswith(f"experiment(): {message}")
    assert caught.value.hint


def test_none_is_the_same_as_leaving_a_key_out():
    assert experiment(program={"command": ["p"], "cwd": None}, build=None, contexts=None) == experiment(
        program={"command": ["p"]}
    )


def test_specs_load_without_numpy_and_what_only_errors_need():
    code = (
        "import steelyard.spec, sys; from steelyard.spec import loads\n"
        "loads('[program]\\ncommand = [\"p\"]', source='/')\n"
        "print(sorted({'numpy', 'scipy', 'difflib', 'click'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def refusal(build):
    """The error with which an experiment is refused; none where it is accepted."""
    try:
        assert isinstance(build(), Experiment)
    except SpecError as error:
        return error
    return None


LINES = st.sampled_from([line for line in WHOLE.splitlines() if line])


@given(lines=st.lists(LINES, max_size=25), cut=st.integers(0, 40))
def test_any_lines_of_a_spec_are_an_experiment_or_an_error_with_a_cure(lines, cut):
    text = "\n".join(lines)
    error = refusal(lambda: loads(text[: len(text) - cut], source="/"))
    assert error is None or (error.hint and error.message.startswith("spec:") and error.message.isprintable())


@given(st.text())
def test_any_text_is_an_experiment_or_an_error_with_a_cure(text):
    with pytest.raises(SpecError) as caught:
        loads(text, source="/")
    assert caught.value.hint


JSON_LIKE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(
    section=st.sampled_from(
        ["program", "build", "factors", "contexts", "design", "metrics", "analysis", "launch"]
    ),
    key=st.sampled_from(
        ["command", "commands", "n", "env", "exclude", "stop", "verify", "baseline", "levels", "aslr"]
    ),
    value=JSON_LIKE,
)
def test_any_value_of_a_key_is_accepted_or_refused_with_a_cure(section, key, value):
    tables = {"program": {"command": ["p", "{n}"]}, "factors": {"n": [1, 2]}, section: {key: value}}
    error = refusal(lambda: experiment(**tables))
    assert error is None or (error.hint and error.message.isprintable())


@pytest.mark.parametrize(
    "lines",
    [
        "[[claims]]\nfaster = {{ n = {0} }}\nthan = {{ n = 1 }}",
        "[[claims]]\nfaster = {0}\nthan = {{ n = 1 }}",
        "[[claims]]\nfaster = {{ n = 2 }}\nthan = {{ n = 1 }}\nn = {0}",
        "[[claims]]\nn = {0}",
        "[analysis]\nbaseline = {{ n = {0} }}",
        "[design]\nexclude = [{{ n = {0} }}]",
        "[design]\nstop = {0}",
        "[contexts]\nenv_bytes = {0}",
        "env = {0}",
    ],
)
def test_a_number_of_more_digits_than_python_writes_is_refused_like_any_other(tmp_path, lines):
    spec = '[program]\ncommand = ["p", "{n}"]\n[factors]\nn = [1, 2]\n' + lines.format(hex(16**5000 - 1))
    with pytest.raises(SpecError) as refused:
        loads(spec, source=tmp_path)
    assert len(refused.value.message) + len(refused.value.hint) < 400


def errors(text):
    with pytest.raises(SpecError) as caught:
        loads(text, source="/")
    return [item.message for item in (caught.value, *caught.value.further)]


def test_all_values_of_a_wrong_type_and_all_unknown_keys_are_told_at_once():
    result = errors(
        '[program]\ncommand = ["true"]\ntimout = 3\nnoise = 1\n[factors]\nn = 3\n[design]\nblocks = "x"\n'
    )
    assert sorted(item.split(": ")[1] for item in result) == [
        "design.blocks", "factors.n", "program.noise", "program.timout"
    ]  # fmt: skip


def test_all_factors_metrics_and_tables_that_are_wrong_are_told_at_once():
    result = errors('[program]\ncommand = []\n[factors]\n"1a" = [1, 2]\nn = [1, 1]\n')
    assert [item.split(": ")[1] for item in result] == ["program.command", "factors.1a", "factors.n[2]"]
    result = errors(
        '[program]\ncommand = ["echo", "{n}"]\n[factors]\nn = [1, 2]\n[metrics]\n'
        'wall_s = { pattern = "(x)" }\nn = { pattern = "(x)" }\n[design]\nstop = { max_blocks = 3 }\n'
    )
    assert [element.split(": ")[1] for element in result] == ["metrics.wall_s", "metrics.n", "design.stop"]


def test_what_uses_a_wrong_factor_is_not_told_again():
    (only,) = errors(
        '[program]\ncommand = ["echo", "{n}"]\n[factors]\nn = [1, 1]\n[analysis]\nbaseline = { n = 3 }\n'
    )
    assert "factors.n[2]" in only


def test_several_claims_that_are_wrong_are_told_at_once():
    result = errors(
        '[program]\ncommand = ["echo", "{n}"]\n[factors]\nn = [1, 2]\n[[claims]]\nfastr = { n = 1 }\n'
        '[[claims]]\nlimit = "wall_s"\n'
    )
    assert [item.split(": ")[1][:9] for item in result] == ["claims[1]", "claims[2]"]


def test_all_that_is_wrong_within_a_table_is_told_at_once():
    result = errors(
        '[program]\ncommand = ["echo", "{n}"]\ntimeout = "1 parsec"\nstdin = ""\nenv = { "a b" = 1 }\n'
        "[factors]\nn = [1, 2]\n"
    )
    assert sorted(element.split(": ")[1] for element in result) == [
        'program.env."a b"', "program.stdin", "program.timeout"
    ]  # fmt: skip
    result = errors(
        '[program]\ncommand = ["echo", "{n}"]\n[factors]\nn = [1, 2]\n'
        "[design]\nexclude = [{ m = 1 }]\nstop = { max_blocks = 3 }\n"
    )
    assert [item.split(": ")[1] for item in result] == ["design.exclude[1].m", "design.stop"]
    result = errors(
        '[program]\ncommand = ["echo", "{n}"]\n[factors]\nn = [1, 2]\n'
        '[analysis]\nmetric = "wal_s"\nstrata = ["m"]\nbaseline = { n = 5 }\nfailures = "as-limit"\n'
    )
    assert sorted(element.split(": ")[1] for element in result) == [
        "analysis.baseline.n", "analysis.failures", "analysis.metric", "analysis.strata[1]"
    ]  # fmt: skip
