"""Names of functions and places, the same for two builds."""

from __future__ import annotations

import pytest

from steelyard.extensions.explain.names import (
    NO_SYMBOL,
    clean_symbol,
    match_functions,
    name_place,
    shorten_signature,
)
from steelyard.extensions.explain.profiles import Function


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("parse.constprop.0", "parse"),
        ("parse.part.3.cold", "parse"),
        ("update.isra.0.constprop.1", "update"),
        ("memcpy@@GLIBC_2.14", "memcpy"),
        ("crate::scan::h0123456789abcdef", "crate::scan"),
        ("ns::parse(int)", "ns::parse(int)"),
        ("[unknown]", NO_SYMBOL),
        ("_ZN3foo3barEv.llvm.1234567", "_ZN3foo3barEv"),
        ("coldstart", "coldstart"),
    ],
)
def test_what_compilers_add_to_a_symbol_is_left_out(symbol, name):
    assert clean_symbol(symbol) == name


@pytest.mark.parametrize(
    ("file", "place"),
    [
        ("/opt/old/bin/prog-1.2", ""),
        ("/run/perf-5982.map", "compiled at run time"),
        ("//anon", "compiled at run time"),
        ("[JIT] tid 77", "compiled at run time"),
        ("/run/x/jitted-77-3.so", "compiled at run time"),
        ("/opt/perf-7.map.so", "perf-7.map"),
        ("/usr/lib/x86_64-linux-gnu/libc.so.6", "libc"),
        ("/usr/lib/libz.so.1.2.13", "libz"),
        ("/usr/lib/libfoo-1.4.so", "libfoo"),
        ("[kernel.kallsyms]", "kernel"),
        ("[ext4]", "kernel"),
        ("[vdso]", "vdso"),
        ("/srv/prog-1.3 (deleted)", ""),
    ],
)
def test_a_place_is_the_library_without_its_version(file, place):
    assert name_place(file, {"prog-1.2", "prog-1.3"}) == place


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("void ns::f<int, std::pair<int, int> >(int) const", "ns::f"),
        ("f(int)", "f"),
        ("std::vector<int>::operator[](unsigned long)", "std::vector::operator[]"),
        ("a::operator()(int)", "a::operator()"),
        ("plain", "plain"),
    ],
)
def test_overloads_and_instances_of_a_template_share_a_short_name(name, short):
    assert shorten_signature(name).startswith(short.partition("operator")[0])
    assert ("operator" in name) == ("operator" in shorten_signature(name))


def test_functions_of_one_name_in_two_files_are_told_apart():
    old = [Function("init", file="a/x.c", line=3), Function("init", file="a/y.c", line=5)]
    new = [Function("init", file="b/y.c", line=9), Function("init", file="b/x.c", line=4)]
    assert match_functions(old, new) == {new[0]: old[1], new[1]: old[0]}


def test_a_changed_signature_and_a_changed_name_are_found_and_nothing_ambiguous_is():
    old = [Function("f(int)"), Function("g", file="s.c", line=7), Function("h<int>()"), Function("h<long>()")]
    new = [Function("f(long)"), Function("g2", file="s.c", line=7), Function("h<char>()")]
    assert match_functions(old, new) == {new[0]: old[0], new[1]: old[1]}


def test_functions_of_different_libraries_are_never_matched():
    assert match_functions([Function("copy", "libc")], [Function("copy", "")]) == {}
