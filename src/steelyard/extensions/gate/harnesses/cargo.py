"""``cargo bench``: criterion, divan, tango, zenbench, gungraun or libtest, whose programs are built once."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.errors import ProgramError
from steelyard.extensions.gate.harnesses.building import build
from steelyard.extensions.gate.harnesses.harness import (
    SHARE,
    Harness,
    HarnessProgram,
    NoBenchmarkError,
    Selection,
    Tree,
    add_missing,
    has_text,
    match_any,
    name_copy,
    read_failures,
)
from steelyard.files.plain import write_plain
from steelyard.spec.tables.metrics import Harness as Format

_VALUED: Final = frozenset(
    """--bench -p --package --exclude --features -F --profile --target --manifest-path -j --jobs --target-dir
    --config -Z --example --test --bin --color""".split()  # noqa: SIM905
)
"""Options of cargo whose value is the next word."""
_OF_ONE_TARGET: Final = frozenset(
    """--features -F --profile --target --manifest-path -j --jobs --config -Z --all-features
    --no-default-features --offline --locked --frozen""".split()  # noqa: SIM905
)
"""Options that stay where one target is linked again; others choose targets, or say what is printed."""

_AS_JSON: Final = "--message-format=json-render-diagnostics"
"""Messages for programs to read, but for errors of the compiler: people read those."""
_MARKS: Final[dict[bytes, Format]] = {
    b"CRITERION_HOME": "criterion",
    b"DIVAN_": "divan",
    b"tango_init": "tango",
    b"zenbench": "zenbench",
    b"gungraun": "gungraun",
    b"RUST_TEST_NOCAPTURE": "libtest",
}
"""In a program of each; libtest's last, since a target of another harness may have it, too."""


_OF_THREADS: Final = re.compile(r"::t=[0-9]+$")
_QUICK_S: Final = 1.0
"""That divan and tango take for one benchmark by their defaults."""


class _Target(msgspec.Struct, frozen=True):
    name: str
    kind: list[str]


class _Message(msgspec.Struct, frozen=True):
    executable: str = ""
    target: _Target = _Target("", [])
    manifest_path: str = ""
    package_id: str = ""


class _Artifact(msgspec.Struct, frozen=True):
    manifest_path: str = ""
    fresh: bool = False


class Cargo(Harness):
    """Programs with benchmarks, which cargo's messages name; a project may have several harnesses."""

    name = "cargo"
    source = "criterion"
    default_s = 8.5
    builds = True
    draws_layouts = True
    codes_of_failures = frozenset({101})

    def is_started_by(self, words: Sequence[str], tree: Path) -> bool:
        """``cargo bench``, with options of cargo before it."""
        return Path(words[0]).name == "cargo" and "bench" in words

    def find_programs(self, words: Sequence[str], tree: Tree) -> list[HarnessProgram]:
        """Build, and copy each program to a path that is as long for both trees."""
        of_cargo, of_bench = _split(words)
        command = [*of_cargo, "--no-run", _AS_JSON]
        printed, environment = _build_of_tree(command, tree)
        programs = []
        for built in _read_messages(printed.splitlines()):
            message = _link_anew(of_cargo, built, tree, environment) if tree.layout else built
            crate = Path(message.manifest_path).parent
            place = os.path.relpath(crate, tree.path.resolve())
            name = "/".join([*crate.relative_to(tree.root.resolve()).parts, message.target.name])
            source = _identify_source(Path(message.executable))
            copy = tree.output / name_copy(name)
            copy.unlink(missing_ok=True)
            shutil.copy2(message.executable, copy)
            trouble = None if source else f"{name} has none of {', '.join(_MARKS.values())} in it"
            words_of_program = (str(copy), "--bench", *of_bench)
            programs.append(HarnessProgram(name, words_of_program, source or self.source, place, trouble))
        if programs and all(entry.trouble for entry in programs):
            raise ProgramError(
                str(programs[0].trouble), hint="name the targets that have: cargo bench --bench NAME"
            )
        if not programs:
            raise NoBenchmarkError(
                "cargo built no program of benchmarks",
                hint="see: cargo bench --no-run; [[bench]] of Cargo.toml",
            )
        return sorted(programs, key=lambda entry: entry.name)

    def get_default_s(self, program: HarnessProgram) -> float:
        """Return the default time of criterion, or of what stops sooner."""
        return self.default_s if program.source == "criterion" else _QUICK_S

    def launch(self, program: HarnessProgram, selection: Selection) -> list[str]:
        """Return a short warm-up, few samples and no plots of criterion; of divan and tango, a short time."""
        words, names = program.words, selection.names
        if names:
            words = tuple(word for place, word in enumerate(words) if not _is_filter(words, place))
        if program.source == "tango":
            return _launch_tango(program.words, names)
        if program.source == "libtest":
            return [
                *words,
                "-Z",
                "unstable-options",
                "--format=json",
                *(["--exact", *names] if names else []),
            ]
        if program.source == "gungraun":
            return [*program.words, *add_missing(program.words, {"--output-format": "json"})]
        if program.source == "zenbench":
            return [*program.words, *add_missing(program.words, {"--format": "json"}), *_choose_group(names)]
        if program.source == "divan":
            short = {"--max-time": f"{0.5 / SHARE:g}", "--color": "never"}
            # Numbers of threads are no part of a path; a benchmark runs with all of its own.
            paths = dict.fromkeys(_OF_THREADS.sub("", name) for name in names)
            return [*words, *add_missing(words, short), *(match_any([path]) for path in paths)]
        short = {
            "--noplot": "",
            "--warm-up-time": "0.1",
            "--measurement-time": f"{5 / SHARE:g}",
            "--sample-size": "10",
            "--nresamples": "1000",
        }
        return [*words, *add_missing(words, short), *([match_any(names)] if names else [])]

    def find_failures(self, output: str, report: str) -> Mapping[str, str]:
        """Return the benchmarks of libtest that panicked, which goes on with the others."""
        return read_failures(output, "libtest")

    def make_environment(self, root: str, place: Path) -> Mapping[str, str]:
        """Results of criterion's own stay out of the tree."""
        return {"CRITERION_HOME": f"{root}.criterion"}


def _build_of_tree(command: Sequence[str], tree: Tree) -> tuple[bytes, dict[str, str]]:
    """Return what cargo prints of a build from the sources of this tree, and the variables of that build.

    Each side has a directory, since cargo names what it builds by paths relative to the workspace, and takes
    what it finds there for up to date by the age of files. Where it would take what was built of another
    tree, the tree has a directory of its own.
    """
    target = Path(os.environ.get("CARGO_TARGET_DIR") or tree.cache / "cargo", tree.output.name).absolute()
    root = str(tree.root.resolve())
    mark = target / "steelyard-tree"
    is_of_tree = mark.is_file() and mark.read_text() == root
    environment = {"CARGO_TARGET_DIR": str(target)}
    printed = build(command, tree, environment)
    if is_of_tree:
        return printed, environment
    if _is_of_another(printed.splitlines(), Path(root)):
        directory = target.with_name(f"{target.name}-{hashlib.sha256(root.encode()).hexdigest()[:16]}")
        environment = {"CARGO_TARGET_DIR": str(directory)}
        return build(command, tree, environment), environment
    target.mkdir(parents=True, exist_ok=True)
    write_plain(mark, root.encode())
    return printed, environment


def _is_of_another(lines: Iterable[bytes], root: Path) -> bool:
    """Whether cargo built nothing of a package of the tree, since the result seemed to be there."""
    decoder = msgspec.json.Decoder(_Artifact)
    artifacts = (decoder.decode(line) for line in lines if line.startswith(b"{") and b'"fresh":true' in line)
    return any(entry.fresh and Path(entry.manifest_path).is_relative_to(root) for entry in artifacts)


def _choose_group(names: Sequence[str]) -> list[str]:
    """Return the option of zenbench for the group of these benchmarks; it takes no more than one."""
    groups = {name.partition("/")[0] for name in names}
    return [f"--group={group}" for group in groups] if len(groups) == 1 else []


def _link_anew(
    of_cargo: Sequence[str], built: _Message, tree: Tree, environment: Mapping[str, str]
) -> _Message:
    """Link one target with its functions in the order of a layout, by lld; its dependencies stay."""
    bench = of_cargo.index("bench")
    options = _keep_options(of_cargo[bench + 1 :])
    profile = [] if any(word.startswith("--profile") for word in options) else ["--profile", "bench"]
    target = ["-p", built.package_id, "--bench", built.target.name, _AS_JSON]
    order = ["--", "-C", f"link-arg=-Wl,--shuffle-sections=.text*={tree.layout}"]
    printed = build([*of_cargo[:bench], "rustc", *options, *profile, *target, *order], tree, environment)
    (linked,) = _read_messages(printed.splitlines())
    return linked


def _keep_options(words: Sequence[str]) -> list[str]:
    """Return options that say how targets are built, with their values."""
    options: list[str] = []
    rest = iter(words)
    for word in rest:
        name, sign, _ = word.partition("=")
        value = [next(rest, "")] if name in _VALUED and not sign else []
        if name in _OF_ONE_TARGET:
            options += [word, *value]
    return options


def _launch_tango(words: Sequence[str], names: Sequence[str]) -> list[str]:
    """One program alone: what tango compares are two in one process, which is no trial of one of them."""
    first, rest = words[0], [word for word in words[1:] if word not in ("--bench", "solo")]
    time = [] if {"-t", "--time"} & {*rest} else ["-t", f"{1 / SHARE:g}"]
    alone = ["-f", f"{{{','.join(map(_escape_glob, names))}}}"] if names else []
    if alone and "-f" in rest:
        place = rest.index("-f")
        del rest[place : place + 2]
    return [first, "solo", *rest, *time, *alone]


def _escape_glob(name: str) -> str:
    """Return the name as a glob of itself alone."""
    return re.sub(r"([*?\[\]{},])", r"[\1]", name)


def _identify_source(program: Path) -> Format | None:
    """Return what a program reports, by a variable that its harness reads; ``None`` where that is unknown."""
    return next((source for mark, source in _MARKS.items() if has_text(program, (mark,))), None)


def _split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Words of cargo, and those of the programs, a filter among cargo's own too."""
    end = words.index("--") if "--" in words else len(words)
    of_cargo, of_bench = list(words[:end]), list(words[end + 1 :])
    after = of_cargo.index("bench") + 1
    filters = [place for place in range(after, end) if _is_plain(of_cargo, place)]
    of_bench = [of_cargo[place] for place in filters] + of_bench
    return [word for place, word in enumerate(of_cargo) if place not in filters], of_bench


def _is_plain(words: Sequence[str], place: int) -> bool:
    return not words[place].startswith("-") and words[place - 1] not in _VALUED


def _is_filter(words: Sequence[str], place: int) -> bool:
    """Whether a word of a program is one of its filters; an option may have a value behind it."""
    before = words[place - 1]
    return place > 1 and not words[place].startswith("-") and (before == "--bench" or before[:2] != "--")


def _read_messages(lines: Iterable[bytes]) -> Iterable[_Message]:
    decoder = msgspec.json.Decoder(_Message)
    for line in lines:
        # Libraries have the executable null.
        if line.startswith(b"{") and b'"executable":"' in line:
            message = decoder.decode(line)
            if "bench" in message.target.kind:
                yield message
