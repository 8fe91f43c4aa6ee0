-- SPDX-License-Identifier: ISC
-- The policy store's first schema.  Runs in one transaction of migrate.c.
-- Migrations only add: an older program goes on reading by column name.

-- "WPOL"
PRAGMA application_id = 1464880972;
PRAGMA user_version = 1;

CREATE TABLE profiles (
	name        TEXT PRIMARY KEY,
	description TEXT,
	current     INTEGER REFERENCES revisions (id),
	applied     INTEGER NOT NULL,  -- number of the apply that had it last
	retired     INTEGER            -- when it was gone
) STRICT, WITHOUT ROWID;

-- Sizes, counts and linger: NULL is unlimited.
CREATE TABLE revisions (
	id                INTEGER PRIMARY KEY AUTOINCREMENT,
	profile           TEXT NOT NULL REFERENCES profiles (name),
	number            INTEGER NOT NULL CHECK (number > 0),
	hash              BLOB NOT NULL CHECK (length(hash) = 32),
	author            TEXT NOT NULL,
	created           INTEGER NOT NULL,
	read_default      TEXT NOT NULL
	                  CHECK (read_default IN ('allow', 'deny')),
	read_default_file TEXT,
	read_default_line INTEGER NOT NULL,
	shell             TEXT,
	scope             TEXT NOT NULL CHECK (scope IN ('account', 'session')),
	linger            INTEGER,
	processes         INTEGER,
	files             INTEGER,
	file_size         INTEGER,
	memory            INTEGER,
	tmp               INTEGER,
	multilib          INTEGER NOT NULL,
	nested_userns     INTEGER NOT NULL,
	debug             INTEGER NOT NULL,
	observe           INTEGER NOT NULL,
	seal              BLOB NOT NULL,
	UNIQUE (profile, number)
) STRICT;

-- Apart, since it is long and the login path never reads it.
CREATE TABLE sources (
	revision INTEGER PRIMARY KEY REFERENCES revisions (id),
	source   TEXT NOT NULL
) STRICT;

CREATE TABLE rules (
	revision INTEGER NOT NULL REFERENCES revisions (id),
	position INTEGER NOT NULL,
	kind     TEXT NOT NULL CHECK (kind IN
	         ('read-allow', 'read-deny', 'write-allow', 'write-deny')),
	path     TEXT NOT NULL,
	file     TEXT,
	line     INTEGER NOT NULL,
	PRIMARY KEY (revision, position)
) STRICT, WITHOUT ROWID;

-- value is NULL where the variable is passed on.
CREATE TABLE environment (
	revision INTEGER NOT NULL REFERENCES revisions (id),
	position INTEGER NOT NULL,
	name     TEXT NOT NULL,
	value    TEXT,
	PRIMARY KEY (revision, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE services (
	revision INTEGER NOT NULL REFERENCES revisions (id),
	position INTEGER NOT NULL,
	name     TEXT NOT NULL,
	PRIMARY KEY (revision, position)
) STRICT, WITHOUT ROWID;

-- position is the order in which they count; name is '' for the default.
CREATE TABLE assignments (
	position INTEGER PRIMARY KEY,
	kind     TEXT NOT NULL CHECK (kind IN ('user', 'group', 'default')),
	name     TEXT NOT NULL,
	profile  TEXT NOT NULL REFERENCES profiles (name),
	file     TEXT,
	line     INTEGER NOT NULL,
	UNIQUE (kind, name)
) STRICT;
