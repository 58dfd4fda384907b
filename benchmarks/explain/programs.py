"""Real programs to plant slow-downs in, from crates and sdists of registries, each with a driver of ours.

Lua, zlib, zstd and SQLite are in their crates, yyjson is in its sdist; Markdown and sqlparse are packages of
Python. C programs are compiled into objects, which are linked with and without a plant; packages are copied.
"""

from __future__ import annotations

import ast
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

CRATES = {
    "lua-src": "547.0.0",
    "libz-sys": "1.1.20",
    "libsqlite3-sys": "0.30.1",
    "zstd-sys": "2.1.3+zstd.1.5.7",
}
SDISTS = ("yyjson==4.0.6",)
WHEELS = ("markdown==3.11.3", "sqlparse==0.6.1", "py-spy==0.4.3")
FLAGS = ("-O2", "-g", "-fno-omit-frame-pointer", "-w")
LINK = "cc {objects} -o {program} -lm -lpthread"
LEAST_PERIOD = 1500
"""Turns of a planted loop at least, so that what runs beside its start and end is nothing against it."""

LUA = """\
#include "lua.h"
#include "lauxlib.h"
#include "lualib.h"
static const char script[] =
    "local words, out = {}, {}\\n"
    "for i = 1, 12000 do words[i] = 'w' .. (i * 7919 % 4001) end\\n"
    "for round = 1, 13 do\\n"
    "  local counts = {}\\n"
    "  for _, w in ipairs(words) do counts[w] = (counts[w] or 0) + 1 end\\n"
    "  local keys = {}\\n"
    "  for k in pairs(counts) do keys[#keys + 1] = k end\\n"
    "  table.sort(keys, function(a, b) return a < b end)\\n"
    "  local text = table.concat(keys, ' ')\\n"
    "  for a, b in text:gmatch('(%a)(%d+)') do out[#out + 1] = a .. b:reverse() end\\n"
    "  text = text:gsub('%d', function(d) return 9 - d end)\\n"
    "  out[1] = string.format('%s %d %5.2f', text:sub(1, 9), #out, #text / 7)\\n"
    "end\\n"
    "print(#out, out[1])\\n";
int main(void) {
    lua_State *state = luaL_newstate();
    luaL_openlibs(state);
    return luaL_dostring(state, script);
}
"""
TEXT = """\
#include <stdio.h>
#include <stdlib.h>
static unsigned char *make_text(unsigned long size) {
    unsigned char *text = malloc(size);
    unsigned state = 12345;
    for (unsigned long i = 0; i < size; i++) {
        state = state * 1103515245u + 12345u;
        text[i] = (state >> 16) % 7 ? "etaoin shrdlu cmfwyp"[(state >> 20) % 20] : text[i / 3];
    }
    return text;
}
"""
ZLIB = (
    TEXT
    + """\
#include "zlib.h"
int main(void) {
    uLong size = 1000000, packed, length;
    unsigned char *text = make_text(size), *out = malloc(compressBound(size)), *back = malloc(size);
    for (int level = 4; level <= 6; level += 2) {
        packed = compressBound(size);
        length = size;
        if (compress2(out, &packed, text, size, level) || uncompress(back, &length, out, packed)) return 1;
        for (int i = 0; i < 6; i++) length = crc32(length, back, size) ^ adler32(1, back, size);
        printf("%lu %lu\\n", packed, length);
    }
    return 0;
}
"""
)
ZSTD = (
    TEXT
    + """\
#include "zstd.h"
int main(void) {
    size_t size = 2000000, room = ZSTD_compressBound(size);
    unsigned char *text = make_text(size), *out = malloc(room), *back = malloc(size);
    for (int level = 2; level <= 6; level += 2) {
        size_t packed = ZSTD_compress(out, room, text, size, level);
        if (ZSTD_isError(packed)) return 1;
        for (int i = 0; i < 4; i++)
            if (ZSTD_decompress(back, size, out, packed) != size) return 2;
        printf("%zu\\n", packed);
    }
    return 0;
}
"""
)
SQLITE = """\
#include <stdio.h>
#include "sqlite3.h"
static int show(void *none, int count, char **values, char **names) {
    (void)none; (void)names;
    for (int i = 0; i < count; i++) printf("%s ", values[i] ? values[i] : "NULL");
    puts("");
    return 0;
}
int main(void) {
    sqlite3 *db;
    const char *steps[] = {
        "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, size REAL); CREATE INDEX i ON t(name);",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 36000)"
        " INSERT INTO t SELECT i, 'n' || (i * 7919 % 5003), i / 3.0 FROM n;",
        "SELECT count(*), sum(a.size) FROM t a JOIN t b ON a.name = b.name WHERE b.id % 3 = 0;",
        "SELECT name, count(*), avg(size) FROM t GROUP BY name ORDER BY 3 DESC LIMIT 3;",
        "SELECT count(*) FROM t WHERE name LIKE '%77%' AND upper(name) <> lower(name);",
        "UPDATE t SET size = size + 1 WHERE id % 2; DELETE FROM t WHERE id % 5 = 0;",
        "SELECT group_concat(name) IS NULL, total(size) FROM t;"};
    if (sqlite3_open(":memory:", &db)) return 1;
    for (int i = 0; i < 7; i++)
        if (sqlite3_exec(db, steps[i], show, 0, 0)) return 2;
    return sqlite3_close(db);
}
"""
YYJSON = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "yyjson.h"
int main(void) {
    char *text = malloc(4000000), *end = text;
    *end++ = '[';
    for (int i = 0; i < 6000; i++)
        end += sprintf(end,
                       "%s{\\"id\\":%d,\\"name\\":\\"n\\\\u00e4me %d\\","
                       "\\"x\\":%.6f,\\"tags\\":[true,null,%d]}",
                       i ? "," : "", i, i * 7919 % 4001, i / 7.0, i * i);
    *end++ = ']';
    unsigned long sum = 0;
    for (int round = 0; round < 40; round++) {
        size_t length = 0, index, most;
        yyjson_doc *doc = yyjson_read(text, end - text, 0);
        yyjson_val *entry;
        yyjson_arr_foreach(yyjson_doc_get_root(doc), index, most, entry) {
            yyjson_mut_doc *copy = yyjson_mut_doc_new(NULL);
            yyjson_mut_doc_set_root(copy, yyjson_val_mut_copy(copy, entry));
            char *one = yyjson_mut_write(copy, 0, &length);
            sum += length + yyjson_equals(entry, entry);
            free(one);
            yyjson_mut_doc_free(copy);
        }
        char *out = yyjson_write(doc, YYJSON_WRITE_PRETTY, &length);
        sum += length;
        free(out);
        yyjson_doc_free(doc);
    }
    printf("%lu\\n", sum);
    return 0;
}
"""
HEAD = "import sys\nsys.path.insert(0, sys.argv[1])\n"
MARKDOWN = (
    HEAD
    + """\
import markdown
text = "\\n\\n".join(
    f"# Title {i}\\n\\nSome *text* with `code {i}` and [a link](http://x.y/{i}).\\n\\n"
    f"* item {i}\\n* **item** two\\n\\n> quote {i}\\n"
    for i in range(60)
)
for _ in range(10):
    markdown.markdown(text)
"""
)
SQLPARSE = (
    HEAD  # noqa: S608 -- text of a benchmark, which reaches no database
    + """\
import sqlparse
query = (
    "select a{0}, count(*) from t{0} join u on t{0}.x = u.y where z > {0} and (b or c)"
    " group by a{0} order by 2;"
)
text = " ".join(query.format(i) for i in range(12))
for _ in range(10):
    sqlparse.format(text, reindent=True, keyword_case="upper")
"""
)


class Program(NamedTuple):
    """A program in C: its sources, its driver, and further options of the compiler."""

    name: str
    sources: tuple[Path, ...]
    include: Path
    driver: str
    options: tuple[str, ...] = ()


class Package(NamedTuple):
    """A package of Python in a directory, and its driver."""

    name: str
    directory: Path
    driver: str


def fetch(directory: Path) -> list[Program | Package]:
    """Fetch the sources by cargo and pip, once."""
    vendor, sdists, library = (directory / name for name in ("vendor", "sdists", "library"))
    if not vendor.exists():
        (directory / "src").mkdir(parents=True, exist_ok=True)
        (directory / "src/lib.rs").write_text("")
        pinned = "".join(f'{name} = "={version}"\n' for name, version in CRATES.items())
        head = '[package]\nname = "sources"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n'
        (directory / "Cargo.toml").write_text(head + pinned)
        subprocess.run(["cargo", "vendor", "-q"], cwd=directory, check=True, capture_output=True)
    pip = [sys.executable, "-m", "pip"]
    if not sdists.exists():
        words = ["download", "-q", "--no-deps", "--no-binary", ":all:", "-d", str(sdists), *SDISTS]
        subprocess.run([*pip, *words], check=True)
        for archive in sdists.glob("*.tar.gz"):
            shutil.unpack_archive(archive, sdists, filter="data")
    if not library.exists():
        subprocess.run([*pip, "install", "-q", "--no-deps", "--target", str(library), *WHEELS], check=True)
    lua, zlib = vendor / "lua-src/lua-5.4.7", vendor / "libz-sys/src/zlib"
    sqlite, zstd = vendor / "libsqlite3-sys/sqlite3", vendor / "zstd-sys/zstd/lib"
    yyjson = next(sdists.glob("yyjson-*/yyjson"))
    left_out = ("lua.c", "luac.c", "gzclose.c", "gzlib.c", "gzread.c", "gzwrite.c")

    def sources(*places: Path) -> tuple[Path, ...]:
        return tuple(
            path for place in places for path in sorted(place.glob("*.c")) if path.name not in left_out
        )

    parts = sources(*(zstd / name for name in ("common", "compress", "decompress")))
    return [
        Program("lua", sources(lua), lua, LUA),
        Program("zlib", sources(zlib), zlib, ZLIB, ("-DHAVE_UNISTD_H",)),
        Package("markdown", library, MARKDOWN),
        Program("sqlite", (sqlite / "sqlite3.c",), sqlite, SQLITE, ("-DSQLITE_OMIT_LOAD_EXTENSION", "-O1")),
        Program(
            "zstd", parts, zstd, ZSTD, ("-DZSTD_DISABLE_ASM", "-DZSTD_NO_TRACE", "-I", str(zstd / "common"))
        ),
        Package("sqlparse", library, SQLPARSE),
        Program("yyjson", (yyjson / "yyjson.c",), yyjson, YYJSON),
    ]


class Plant(NamedTuple):
    """An empty loop in a function: ``turns`` of it in every ``period``-th call."""

    turns: int
    period: int

    @property
    def statement(self) -> str:
        """The loop in C."""
        loop = f"for (volatile unsigned spin = {self.turns}u; spin; spin = spin - 1);"
        if self.period == 1:
            return loop
        return f"static unsigned spins; if (++spins % {self.period}u == 0) {loop}"


def find_definition(text: str, function: str) -> re.Match[str] | None:
    """The head of a function's definition, up to and with its brace."""
    pattern = rf"^(?P<head>[A-Za-z_][\w \t\*]*?[\s\*]\(?{re.escape(function)}\)?\s*\([^;{{}}]*?\)\s*)\{{"
    return re.search(pattern, text, re.MULTILINE)


def compile_objects(
    program: Program, directory: Path, apart: Sequence[str], plants: Mapping[str, Plant], layout: int = 0
) -> Path:
    """Compile a program into objects, in a directory that is returned.

    Parameters
    ----------
    apart : sequence of str
        Functions that are not inlined.
    plants : Mapping[str, Plant]
        By function.
    layout : int
        Seed of the bytes of an object that does nothing but move others; 0: none.
    """
    place = directory / "objects"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    base = directory.parent / ("shared" if apart else "inlined")
    base.mkdir(exist_ok=True)
    for source in program.sources:
        text, is_changed = source.read_text(errors="replace"), False
        for function in apart:
            match = find_definition(text, function)
            if match is None:
                continue
            is_changed |= function in plants
            loop = f" {plants[function].statement}" if function in plants else ""
            head = re.sub(
                r"\b(FORCE_INLINE_TEMPLATE|FORCE_INLINE_ATTR|static_inline|MEM_STATIC)\b",
                "static",
                match["head"],
            )
            changed = f"__attribute__((noinline)) {head}{{{loop}"
            text = text[: match.start()] + changed + text[match.end() :]
        target = (place if is_changed else base) / f"{source.stem}.o"
        if is_changed or not target.exists():
            copy = target.with_suffix(".c")
            copy.write_text(text)
            includes = ["-I", str(program.include), "-I", str(source.parent)]
            words = ["cc", *FLAGS, *program.options, *includes, "-c", str(copy), "-o", str(target)]
            subprocess.run(words, check=True)
        if not is_changed:
            shutil.copyfile(target, place / target.name)
    driver, pad = directory / "driver.c", directory / "pad.S"
    driver.write_text(program.driver)
    skipped = 16 * random.Random(layout).randrange(1, 256) if layout else 0
    pad.write_text(f'.section .note.GNU-stack,"",@progbits\n.text\n.skip {skipped}\n')
    for source in (driver, pad):
        words = ["cc", *FLAGS, "-I", str(program.include), "-c", str(source)]
        subprocess.run([*words, "-o", str(place / f"{source.stem}.o")], check=True)
    return place


def link(program: Program, objects: Path) -> Path:
    """Link objects as they are listed."""
    out = objects.parent / program.name
    files = " ".join(map(str, sorted(objects.glob("*.o"))))
    subprocess.run(LINK.format(objects=files, program=out).split(), check=True)
    return out


def copy_package(package: Package, directory: Path, plants: Mapping[str, Plant]) -> Path:
    """Copy a package with a loop in some functions, which are named as py-spy names them."""
    target = directory / "library"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    shutil.copytree(package.directory / package.name, target / package.name)
    (directory / "driver.py").write_text(package.driver)
    for name, plant in plants.items():
        file, definition = next(iter(find_functions(target / package.name, name)))
        first = definition.body[0]
        lines = file.read_text().splitlines(keepends=True)
        indent = " " * first.col_offset
        lines.insert(first.lineno - 1, f"{indent}for _spin in range({plant.turns}): pass\n")
        file.write_text("".join(lines))
    # What is changed would be compiled in every run where nothing may be written, and only once elsewhere.
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(target)], check=True)
    return target


def find_functions(directory: Path, name: str) -> list[tuple[Path, ast.FunctionDef]]:
    """The definitions of a function, by its qualified name."""
    return [
        (file, definition)
        for file in sorted(directory.rglob("*.py"))
        for qualified, definition in _walk(ast.parse(file.read_text()), "")
        if qualified == name
    ]


def _walk(tree: ast.AST, prefix: str) -> list[tuple[str, ast.FunctionDef]]:
    definitions: list[tuple[str, ast.FunctionDef]] = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            definitions.append((f"{prefix}{node.name}", node))
        elif isinstance(node, ast.ClassDef):
            definitions += _walk(node, f"{prefix}{node.name}.")
    return definitions
