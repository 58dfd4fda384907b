"""Real programs to plant slow-downs in: Lua, zlib and SQLite as their crates have them, a driver each."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

CRATES = {"lua-src": "547.0.0", "libz-sys": "1.1.20", "libsqlite3-sys": "0.30.1"}
FLAGS = ("-O2", "-g", "-fno-omit-frame-pointer", "-w")

LUA = """\
#include "lua.h"
#include "lauxlib.h"
#include "lualib.h"
static const char script[] =
    "local words, out = {}, {}\\n"
    "for i = 1, 12000 do words[i] = 'w' .. (i * 7919 % 4001) end\\n"
    "for round = 1, 8 do\\n"
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
ZLIB = """\
#include <stdio.h>
#include <stdlib.h>
#include "zlib.h"
int main(void) {
    uLong size = 1500000, packed = compressBound(size), length;
    unsigned char *text = malloc(size), *out = malloc(packed), *back = malloc(size);
    unsigned state = 12345;
    for (uLong i = 0; i < size; i++) {
        state = state * 1103515245u + 12345u;
        text[i] = (state >> 16) % 7 ? "etaoin shrdlu cmfwyp"[(state >> 20) % 20] : text[i / 3];
    }
    for (int level = 4; level <= 6; level++) {
        packed = compressBound(size);
        length = size;
        if (compress2(out, &packed, text, size, level) || uncompress(back, &length, out, packed)) return 1;
        for (int i = 0; i < 6; i++) length = crc32(length, back, size) ^ adler32(1, back, size);
        printf("%lu %lu\\n", packed, length);
    }
    return 0;
}
"""
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
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)"
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


class Program(NamedTuple):
    """A program: its sources, its driver, and further options of the compiler."""

    name: str
    sources: tuple[Path, ...]
    include: Path
    driver: str
    options: tuple[str, ...] = ()


def fetch(directory: Path) -> list[Program]:
    """Fetch the sources by cargo, once."""
    vendor = directory / "vendor"
    if not vendor.exists():
        (directory / "src").mkdir(parents=True, exist_ok=True)
        (directory / "src/lib.rs").write_text("")
        pinned = "".join(f'{name} = "={version}"\n' for name, version in CRATES.items())
        head = '[package]\nname = "sources"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n'
        (directory / "Cargo.toml").write_text(head + pinned)
        subprocess.run(["cargo", "vendor", "-q"], cwd=directory, check=True, capture_output=True)
    lua, zlib = vendor / "lua-src/lua-5.4.7", vendor / "libz-sys/src/zlib"
    sqlite = vendor / "libsqlite3-sys/sqlite3"
    left_out = ("lua.c", "luac.c", "gzclose.c", "gzlib.c", "gzread.c", "gzwrite.c")

    def sources(place: Path) -> tuple[Path, ...]:
        return tuple(path for path in sorted(place.glob("*.c")) if path.name not in left_out)

    return [
        Program("lua", sources(lua), lua, LUA),
        Program("zlib", sources(zlib), zlib, ZLIB, ("-DHAVE_UNISTD_H",)),
        Program("sqlite", (sqlite / "sqlite3.c",), sqlite, SQLITE, ("-DSQLITE_OMIT_LOAD_EXTENSION", "-O1")),
    ]


def find_definition(text: str, function: str) -> re.Match[str] | None:
    """The head of a function's definition, up to and with its brace."""
    pattern = rf"^(?P<head>[A-Za-z_][\w \t\*]*?[\s\*]\(?{re.escape(function)}\)?\s*\([^;{{}}]*?\)\s*)\{{"
    return re.search(pattern, text, re.MULTILINE)


def build(
    program: Program, directory: Path, apart: Sequence[str], spins: Mapping[str, int], layout: int = 0
) -> Path:
    """Build a program.

    Parameters
    ----------
    apart : sequence of str
        Functions that are not inlined.
    spins : Mapping[str, int]
        Turns of an empty loop at the beginning of each call of these functions.
    layout : int
        Seed of the bytes before the code, which move it; 0: none.
    """
    directory.mkdir(parents=True, exist_ok=True)
    objects = []
    base = directory.parent / "shared"
    base.mkdir(exist_ok=True)
    for source in program.sources:
        text, is_changed = source.read_text(errors="replace"), False
        for function in apart:
            match = find_definition(text, function)
            if match is None:
                continue
            loop = ""
            if function in spins:
                is_changed = True
                loop = f" for (volatile unsigned spin = {spins[function]}u; spin; spin = spin - 1);"
            changed = f"__attribute__((noinline)) {match['head']}{{{loop}"
            text = text[: match.start()] + changed + text[match.end() :]
        place = directory if is_changed else base
        target = place / f"{program.name}-{source.stem}.o"
        if is_changed or not target.exists():
            copy = place / source.name
            copy.write_text(text)
            words = [
                "cc",
                *FLAGS,
                *program.options,
                "-I",
                str(program.include),
                "-c",
                str(copy),
                "-o",
                str(target),
            ]
            subprocess.run(words, check=True)
        objects.append(str(target))
    driver = directory / "driver.c"
    driver.write_text(program.driver)
    pad = directory / "pad.S"
    skipped = 16 * random.Random(layout).randrange(1, 256) if layout else 0
    pad.write_text(f'.section .note.GNU-stack,"",@progbits\n.text\n.skip {skipped}\n')
    out = directory / program.name
    words = ["cc", *FLAGS, "-I", str(program.include), str(pad), str(driver), *objects, "-o", str(out), "-lm"]
    subprocess.run(words, check=True)
    return out
