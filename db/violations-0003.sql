-- SPDX-License-Identifier: ISC
-- What went through egress, and what was said of a refusal beside its rule.

PRAGMA user_version = 3;

ALTER TABLE violations ADD COLUMN reason TEXT;

-- One row for each connection that is over.  What was refused by a rule is a
-- violation instead; verdict is allowed, failed (nobody answered) or lost (with
-- the egress that had it).  pid, program and session are NULL where it is not
-- known whose it was.
CREATE TABLE connections (
	id        INTEGER PRIMARY KEY AUTOINCREMENT,
	sandbox   TEXT NOT NULL REFERENCES sandboxes (id),
	session   TEXT REFERENCES sessions (id),
	front     TEXT NOT NULL,
	host      TEXT NOT NULL,
	port      INTEGER NOT NULL,
	address   TEXT,             -- that was dialled
	verdict   TEXT NOT NULL,
	rule_file TEXT,
	rule_line INTEGER NOT NULL,
	rule_text TEXT,
	grant_id  INTEGER,
	up        INTEGER NOT NULL, -- bytes from the client
	down      INTEGER NOT NULL, -- and to it
	started   INTEGER NOT NULL,
	duration  INTEGER NOT NULL, -- microseconds
	errno     INTEGER,
	pid       INTEGER,
	program   TEXT
) STRICT;
CREATE INDEX connections_by_sandbox ON connections (sandbox);
CREATE INDEX connections_by_time ON connections (started);
CREATE INDEX connections_by_session ON connections (session)
	WHERE session IS NOT NULL;
