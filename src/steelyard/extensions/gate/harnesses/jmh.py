"""JMH: a jar that lists its benchmarks, or its main class on a class path."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from steelyard.core.errors import UsageError
from steelyard.extensions.gate.harnesses.harness import Harness, HarnessProgram, Selection, Tree, match_any

_CLASS_PATH = frozenset({"-cp", "-classpath", "--class-path"})


class Jmh(Harness):
    """One fork is a trial, and it takes regular expressions."""

    name = "jmh"
    source = "jmh"
    reads_sources = True
    default_s = 100.0

    def is_started_by(self, words: Sequence[str], tree: Path) -> bool:
        """Recognise the harness by the list that JMH's processor leaves in the jar."""
        if Path(words[0]).name != "java":
            return False
        jars = (tree / word for word in words if word.endswith(".jar"))
        return any(
            zipfile.is_zipfile(jar) and "META-INF/BenchmarkList" in zipfile.ZipFile(jar).namelist()
            for jar in jars
        )

    def find_programs(self, words: Sequence[str], tree: Tree) -> list[HarnessProgram]:
        """Return the jars of the tree; class paths are relative to it as they are.

        Raises
        ------
        UsageError
            No jar and no class path; a jar that is not in the tree; a class path that is the same for both.
        """
        jars = [word for word in words if word.endswith(".jar") and ":" not in word]
        if not jars and not _CLASS_PATH & {*words}:
            raise UsageError(
                f"{' '.join(words)}: no jar and no class path, from which JMH would run",
                hint="java -jar target/benchmarks.jar, and how it is built: --build 'mvn -q package'",
            )
        for place in _list_class_path(words):
            if all(Path(entry).is_absolute() for entry in place.split(":") if entry):
                raise UsageError(
                    f"{place} is one class path for base and head, which would be compared with itself",
                    hint="give the path of the built classes in the tree, such as target/classes",
                )
        for jar in jars:
            if Path(jar).is_absolute():
                raise UsageError(
                    f"{jar} is one jar for base and head, which would be compared with itself",
                    hint="name it by its path in the tree, as in target/benchmarks.jar",
                )
            if not (tree.path / jar).is_file():
                raise UsageError(
                    f"{jar} is not in the tree",
                    hint="build it: --build 'mvn -q package', or correct its path",
                )
        in_tree = tuple(str(tree.path / word) if word in jars else word for word in words)
        return [HarnessProgram("", in_tree, self.source)]

    def launch(self, program: HarnessProgram, selection: Selection) -> list[str]:
        """One fork with short iterations; modes in which less is better."""
        words = list(program.words)
        options = ["-f", "1", "-wi", "2", "-w", "200ms", "-i", "3", "-r", "200ms", "-bm", "avgt", "-tu", "ns"]
        pairs = zip(options[::2], options[1::2], strict=True)
        short = [word for name, value in pairs if name not in words for word in (name, value)]
        # Parameters stand behind the name and are no part of what is matched.
        methods = dict.fromkeys(name.partition(" ")[0] for name in selection.names)
        names = [match_any([method]) for method in methods]
        return [*words, *short, "-rf", "json", "-rff", selection.metrics, *names]


def _list_class_path(words: Sequence[str]) -> list[str]:
    """Values of the options that name a class path."""
    return [after for word, after in pairwise(words) if word in _CLASS_PATH]
