-- SPDX-License-Identifier: ISC
-- The violation store's first schema.  Runs in one transaction of migrate.c.
-- Migrations only add: an older warden goes on writing by column name, so a
-- later column needs a default or may be NULL.  Row numbers are never used
-- again (AUTOINCREMENT): a cursor of an export outlives pruning, and a chain
-- of hashes can name them.  Times are microseconds since 1970, UTC.

-- "WVIO"
PRAGMA application_id = 1465272655;
PRAGMA user_version = 1;

CREATE TABLE sandboxes (
	id       TEXT PRIMARY KEY,
	account  TEXT NOT NULL,
	uid      INTEGER NOT NULL,
	profile  TEXT NOT NULL,
	revision INTEGER NOT NULL,
	hash     BLOB,             -- of the revision: policy.db may be made anew
	started  INTEGER NOT NULL,
	ended    INTEGER,
	reason   TEXT
) STRICT;
CREATE INDEX sandboxes_open ON sandboxes (uid) WHERE ended IS NULL;

CREATE TABLE sessions (
	id            TEXT PRIMARY KEY,
	sandbox       TEXT REFERENCES sandboxes (id),
	account       TEXT NOT NULL,
	uid           INTEGER NOT NULL,
	service       TEXT,
	tty           TEXT,
	rhost         TEXT,
	ruser         TEXT,
	opener_pid    INTEGER NOT NULL,
	audit_session INTEGER,
	started       INTEGER NOT NULL,
	ended         INTEGER,
	reason        TEXT,
	refusal       TEXT,
	status        INTEGER
) STRICT;
CREATE INDEX sessions_by_sandbox ON sessions (sandbox);
CREATE INDEX sessions_by_time ON sessions (started);

CREATE TABLE commands (
	id      INTEGER PRIMARY KEY AUTOINCREMENT,
	session TEXT NOT NULL REFERENCES sessions (id),
	pid     INTEGER NOT NULL,
	argv    TEXT NOT NULL,
	started INTEGER NOT NULL,
	ended   INTEGER,
	status  INTEGER
) STRICT;
CREATE INDEX commands_by_session ON commands (session);

CREATE TABLE violations (
	id        INTEGER PRIMARY KEY AUTOINCREMENT,
	sandbox   TEXT NOT NULL REFERENCES sandboxes (id),
	session   TEXT REFERENCES sessions (id),
	kind      TEXT NOT NULL,
	operation TEXT NOT NULL,
	target    TEXT NOT NULL,
	pid       INTEGER,
	program   TEXT,
	confirmed INTEGER NOT NULL CHECK (confirmed IN (0, 1)),
	errno     INTEGER,
	count     INTEGER NOT NULL CHECK (count > 0),
	first_at  INTEGER NOT NULL,
	last_at   INTEGER NOT NULL,
	profile   TEXT NOT NULL,
	revision  INTEGER NOT NULL,
	rule_file TEXT,
	rule_line INTEGER NOT NULL,
	rule_text TEXT
) STRICT;
CREATE INDEX violations_by_time ON violations (last_at);
CREATE INDEX violations_by_sandbox ON violations (sandbox);
CREATE INDEX violations_by_session ON violations (session)
	WHERE session IS NOT NULL;

-- What is not there, and that it is not: count is NULL where nobody knows.
CREATE TABLE gaps (
	id      INTEGER PRIMARY KEY AUTOINCREMENT,
	sandbox TEXT NOT NULL REFERENCES sandboxes (id),
	what    TEXT NOT NULL,
	from_at INTEGER NOT NULL,
	to_at   INTEGER NOT NULL,
	count   INTEGER
) STRICT;
CREATE INDEX gaps_by_sandbox ON gaps (sandbox);
