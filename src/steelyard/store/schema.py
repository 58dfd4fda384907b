"""The tables of a record. People and other tools read them too, so they carry their own comments.

History of the format
---------------------
1   the first
2   the table ``extension``; a record of version 1 gets it, and becomes one of version 2, when it is extended
3   the table ``link``; a record of version 1 or 2 stays without, since what it says cannot be proven any more
"""

from __future__ import annotations

from typing import Final

APPLICATION_ID: Final = int.from_bytes(b"Stly", "big")
"""In the header of the file, by which ``file`` and we know a record."""

VERSION: Final = 3
"""In the header of the file (``user_version``); a record of a newer version is refused."""

# What is frequent is checked first, and alone: for a list of more than two, SQLite refills a table with
# each row, which takes 1.2 µs of the 3.5 that storing a trial takes.
TABLES: Final = """
CREATE TABLE record (
    id          TEXT    NOT NULL,              -- 16 hexadecimal digits, drawn at random
    format      TEXT    NOT NULL,              -- steelyard/record
    version     INTEGER NOT NULL,
    created_ns  INTEGER NOT NULL,              -- Unix time
    experiment  TEXT    NOT NULL,              -- the checked spec (JSON)
    sha256      TEXT    NOT NULL,              -- of that JSON with sorted keys
    program     TEXT    NOT NULL               -- what was measured: paths, hashes, versions (JSON)
) STRICT;

CREATE TABLE run (                             -- one for each time that `steelyard run` worked on this record
    id          INTEGER PRIMARY KEY,
    started_ns  INTEGER NOT NULL,              -- Unix time
    ended_ns    INTEGER,                       -- NULL: going on, or died
    boot        TEXT    NOT NULL,              -- boot id of the host
    host        TEXT    NOT NULL,              -- facts of the host (JSON)
    state       TEXT    NOT NULL CHECK (state IN
                ('running', 'complete', 'precision_not_reached', 'interrupted', 'failed', 'died'))
) STRICT;

CREATE TABLE journal (                         -- how much of the runner's file is in these tables already
    name        TEXT    PRIMARY KEY,
    run         INTEGER NOT NULL REFERENCES run,
    moved_bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE treatment (
    id          INTEGER PRIMARY KEY,
    label       TEXT    NOT NULL,
    levels      TEXT    NOT NULL               -- factor to level (JSON)
) STRICT;

CREATE TABLE context (
    id          INTEGER PRIMARY KEY,
    settings    TEXT    NOT NULL               -- intervention to level (JSON)
) STRICT;

CREATE TABLE block (
    id          INTEGER PRIMARY KEY,           -- in the order of execution
    pass        INTEGER NOT NULL,
    context     INTEGER REFERENCES context,    -- NULL: the experiment declares no contexts
    discard     INTEGER NOT NULL,              -- 1: run and stored, used nowhere
    state       TEXT    NOT NULL CHECK (state = 'planned' OR state = 'complete' OR state = 'incomplete'
                OR state = 'discarded'),
    drawn       TEXT    NOT NULL,              -- treatments in the order of execution (JSON)
    first_trial INTEGER NOT NULL,
    trials      INTEGER NOT NULL               -- how many, from first_trial on
) STRICT;

CREATE TABLE trial (
    id          INTEGER PRIMARY KEY,           -- by place in the plan
    run         INTEGER NOT NULL REFERENCES run,
    block       INTEGER NOT NULL REFERENCES block,
    place       INTEGER NOT NULL,              -- in the block, from 1
    treatment   INTEGER NOT NULL REFERENCES treatment,
    status      TEXT    NOT NULL CHECK (status = 'ok' OR status IN
                ('failed', 'timed_out', 'spawn_failed', 'hook_failed')),
    start_ns    INTEGER NOT NULL,              -- Unix time
    wall_ns     INTEGER NOT NULL,
    user_us     INTEGER NOT NULL,              -- sampled at clock ticks; the sum with system_us is exact
    system_us   INTEGER NOT NULL,
    rss_bytes   INTEGER NOT NULL,              -- peak
    minor_faults         INTEGER NOT NULL,
    major_faults         INTEGER NOT NULL,
    voluntary_switches   INTEGER NOT NULL,
    involuntary_switches INTEGER NOT NULL,
    queue_wait_ns        INTEGER,              -- of the main thread; NULL here and below: not observed
    exit_code   INTEGER,
    signal      INTEGER,
    cpu         INTEGER,                       -- at the end
    argv_bytes  INTEGER NOT NULL,
    env_bytes   INTEGER NOT NULL,
    left_processes       INTEGER NOT NULL,     -- outlived the program and were ended
    reason      TEXT                           -- why it is not ok
) STRICT;

CREATE INDEX trial_not_ok ON trial (treatment, status, block) WHERE status <> 'ok';

CREATE VIEW counted AS                         -- trials that enter results: of complete blocks
    SELECT * FROM trial WHERE block NOT IN (SELECT id FROM block WHERE state <> 'complete');

CREATE VIEW attempted AS                       -- trials that enter shares of failure
    SELECT * FROM trial WHERE block NOT IN (SELECT id FROM block WHERE discard);

CREATE TABLE metric (
    id          INTEGER PRIMARY KEY,
    name        TEXT    NOT NULL UNIQUE,
    unit        TEXT    NOT NULL,              -- SI without prefix
    kind        TEXT    NOT NULL,              -- builtin: a column of trial; others: rows of value
    better      TEXT    NOT NULL,
    about       TEXT    NOT NULL,
    reduce      TEXT    NOT NULL               -- how the iterations of a trial become one observation
) STRICT;

CREATE TABLE labels (
    id          INTEGER PRIMARY KEY,
    labels      TEXT    NOT NULL UNIQUE        -- JSON with sorted keys
) STRICT;

CREATE TABLE value (
    trial       INTEGER NOT NULL REFERENCES trial,
    metric      INTEGER NOT NULL REFERENCES metric,
    labels      INTEGER NOT NULL REFERENCES labels,
    i           INTEGER NOT NULL,              -- iteration, from 0
    v           REAL    NOT NULL,
    PRIMARY KEY (trial, metric, labels, i)
) STRICT, WITHOUT ROWID;

CREATE TABLE look (                            -- what the stop rule saw
    block         INTEGER NOT NULL REFERENCES block,
    metric        TEXT    NOT NULL,
    at_ns         INTEGER NOT NULL,            -- Unix time
    blocks        INTEGER NOT NULL,            -- complete ones so far
    rel_halfwidth REAL,                        -- the widest of the contrasts; NULL: undefined yet
    wanted        REAL,                        -- NULL: only caps were given
    decision      TEXT    NOT NULL CHECK (decision IN ('continue', 'reached', 'capped')),
    PRIMARY KEY (block, metric)
) STRICT, WITHOUT ROWID;

CREATE TABLE extension (                       -- blocks that were asked for after the experiment had ended
    id          INTEGER PRIMARY KEY,
    after_run   INTEGER NOT NULL REFERENCES run,
    at_ns       INTEGER NOT NULL,              -- Unix time
    from_blocks INTEGER NOT NULL,              -- complete ones at that time
    to_blocks   INTEGER NOT NULL               -- complete ones wanted
) STRICT;

CREATE TABLE batch (                           -- load of the host while the runner worked on these trials
    first_trial  INTEGER PRIMARY KEY REFERENCES trial,
    last_trial   INTEGER NOT NULL REFERENCES trial,
    run          INTEGER NOT NULL REFERENCES run,
    steal_s      REAL,                         -- of all CPUs together
    psi_cpu_s    REAL,                         -- pressure stall totals: some task waited
    psi_memory_s REAL,
    psi_io_s     REAL,
    load_1min    REAL
) STRICT;

CREATE TABLE warning (
    id          INTEGER PRIMARY KEY,
    run         INTEGER REFERENCES run,
    at_ns       INTEGER NOT NULL,              -- Unix time
    kind        TEXT    NOT NULL,
    text        TEXT    NOT NULL
) STRICT;

CREATE TABLE link (                            -- the chain of digests
    id          INTEGER PRIMARY KEY,           -- from 1, without a gap
    kind        TEXT    NOT NULL,              -- what it is about
    key         TEXT    NOT NULL,              -- which of that kind
    digest      BLOB    NOT NULL               -- of what it is about, and of the link before
) STRICT;
"""

EXTENSION: Final = TABLES[TABLES.index("CREATE TABLE extension") : TABLES.index("CREATE TABLE batch")]
"""The table that version 2 added."""

TABLES_WITHOUT_CHAIN: Final = TABLES[: TABLES.index("CREATE TABLE link")]
"""Those of version 2."""

EXTENDED_VERSION: Final = 2
"""Of a record of version 1 that gets it."""
