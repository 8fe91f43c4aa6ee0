-- SPDX-License-Identifier: ISC
-- The network part of a profile, and grants.
PRAGMA user_version = 4;

-- rest is the hash of what a live sandbox cannot take: all but the lists and
-- switches within the network.  NULL: hash is, since there were none.
ALTER TABLE revisions ADD COLUMN network TEXT NOT NULL DEFAULT 'none'
	CHECK (network IN ('none', 'filtered'));
ALTER TABLE revisions ADD COLUMN unlisted TEXT NOT NULL DEFAULT 'deny'
	CHECK (unlisted IN ('deny', 'ask'));
ALTER TABLE revisions ADD COLUMN allow_private INTEGER NOT NULL DEFAULT 0;
ALTER TABLE revisions ADD COLUMN rest BLOB
	CHECK (rest IS NULL OR length(rest) = 32);

-- Which kinds there are is the program's to say.  say: of reasons.
CREATE TABLE network_rules (
	revision INTEGER NOT NULL REFERENCES revisions (id),
	position INTEGER NOT NULL,
	kind     TEXT NOT NULL,
	entry    TEXT NOT NULL,  -- as written
	say      TEXT,
	file     TEXT,
	line     INTEGER NOT NULL,
	PRIMARY KEY (revision, position)
) STRICT, WITHOUT ROWID;

-- Kept for good: who let whom reach what, and when.  Microseconds since 1970.
CREATE TABLE grants (
	id      INTEGER PRIMARY KEY AUTOINCREMENT,
	account TEXT NOT NULL,
	entry   TEXT NOT NULL,  -- as written
	until   INTEGER NOT NULL,
	reason  TEXT,
	granted INTEGER NOT NULL,
	granter TEXT NOT NULL,
	request INTEGER,        -- of violations.db, which it answers
	revoked INTEGER,
	revoker TEXT
) STRICT;
CREATE INDEX grants_by_account ON grants (account, until);
