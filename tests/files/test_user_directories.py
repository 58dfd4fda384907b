from pathlib import Path

import pytest

from steelyard.core.errors import MachineError
from steelyard.files.user_directories import locate_cache, propose_record


@pytest.mark.parametrize(
    ("base", "directory"),
    [
        ("/base", "/base/steelyard"),
        ("relative", "/home/me/.cache/steelyard"),
        ("", "/home/me/.cache/steelyard"),
    ],
)
def test_the_cache_is_where_the_standard_says(base, directory):
    assert locate_cache({"HOME": "/home/me", "XDG_CACHE_HOME": base}) == Path(directory)


@pytest.mark.parametrize(
    ("environ", "below"),
    [
        ({"XDG_STATE_HOME": "/s", "HOME": "/h"}, "/s/steelyard/compare"),
        ({"XDG_STATE_HOME": "relative", "HOME": "/h"}, "/h/.local/state/steelyard/compare"),
        ({"HOME": "/h"}, "/h/.local/state/steelyard/compare"),
    ],
)
def test_records_without_a_spec_go_to_the_state_directory_of_the_user(environ, below):
    assert propose_record(environ, "compare").parent == Path(below)


def test_two_records_of_one_second_have_two_names():
    assert len({propose_record({"HOME": "/h"}, "demo") for _ in range(8)}) > 1


@pytest.mark.parametrize("home", [None, "", "relative"])
def test_without_a_home_in_the_environment_it_is_that_of_the_user(monkeypatch, home):
    """Never the working directory: records would lie wherever a command was given."""
    monkeypatch.delenv("HOME", raising=False)
    environ = {} if home is None else {"HOME": home}
    assert propose_record(environ, "compare").is_relative_to(Path("~").expanduser())
    assert locate_cache(environ).is_absolute()


def test_a_user_without_any_home_is_told_which_variable_helps(monkeypatch):
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    with pytest.raises(MachineError) as caught:
        propose_record({}, "compare")
    assert caught.value.hint == "export XDG_STATE_HOME=DIRECTORY, an absolute path"
