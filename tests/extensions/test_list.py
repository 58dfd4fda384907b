"""The list of our extensions: in its order, and every entry stands for something."""

from __future__ import annotations

from importlib import import_module

from steelyard.core.extension import find_extensions, find_harness, load
from steelyard.extensions import EXTENSIONS
from steelyard.spec.tables.metrics import HARNESSES


def test_ours_come_first_and_in_the_order_of_their_list():
    find_extensions.cache_clear()
    assert find_extensions().usable[: len(EXTENSIONS)] == EXTENSIONS
    assert find_extensions().problems == ()


def test_every_entry_of_ours_can_be_loaded():
    for extension in EXTENSIONS:
        places = [command.place for command in extension.commands.values()]
        places += [place for kind in extension.claims.values() for place in (kind.struct, kind.judge)]
        for entries in (
            *(extension.parts, extension.sections, extension.pages, extension.readers, extension.places),
            *(extension.writers, extension.series, extension.harnesses),
            *(extension.launchers, extension.after_run),
        ):
            places += entries.values()
        places += filter(None, extension.state.values())
        places += [*extension.parts.values(), *extension.files.values(), *extension.pages.values()]
        places += filter(None, (kind.section for kind in extension.claims.values()))
        for protocol in extension.protocols.values():
            places += [protocol.struct, protocol.judge, protocol.section]
            assert callable(import_module(protocol.words).headline)
        if extension.predictor is not None:
            places += [extension.predictor.predict, extension.predictor.cross, extension.predictor.words]
        if extension.data is not None:
            places += [extension.data.options, extension.data.judge]
        assert all(map(load, places))


def test_every_harness_of_a_spec_has_an_extension_that_reads_its_reports():
    assert [name for name in HARNESSES if find_harness(name) is None] == []
    assert find_harness("stopwatch") is None
