-- SPDX-License-Identifier: ISC
-- Requests for hosts, and their answers.
PRAGMA user_version = 2;

-- sandbox and session are those of the first.  grant_id is of policy.db.
CREATE TABLE requests (
	id       INTEGER PRIMARY KEY AUTOINCREMENT,
	account  TEXT NOT NULL,
	host     TEXT NOT NULL,
	port     INTEGER NOT NULL CHECK (port BETWEEN 1 AND 65535),
	count    INTEGER NOT NULL CHECK (count > 0),
	first_at INTEGER NOT NULL,
	last_at  INTEGER NOT NULL,
	sandbox  TEXT NOT NULL REFERENCES sandboxes (id),
	session  TEXT REFERENCES sessions (id),
	answer   TEXT CHECK (answer IN ('approved', 'refused')),
	answered INTEGER,
	answerer TEXT,
	reason   TEXT,
	grant_id INTEGER
) STRICT;
-- What is asked again counts on one row, and a refusal stands.
CREATE UNIQUE INDEX requests_standing ON requests (account, host, port)
	WHERE answer IS NULL OR answer = 'refused';
CREATE INDEX requests_open ON requests (account) WHERE answer IS NULL;

-- How many were not kept, since the account had too many open ones.
CREATE TABLE requests_dropped (
	account TEXT PRIMARY KEY,
	count   INTEGER NOT NULL,
	last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
