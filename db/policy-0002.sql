-- SPDX-License-Identifier: ISC
-- Rules of more kinds: which ones there are is the program's to say.
PRAGMA user_version = 2;

CREATE TABLE rules_2 (
	revision INTEGER NOT NULL REFERENCES revisions (id),
	position INTEGER NOT NULL,
	kind     TEXT NOT NULL,
	path     TEXT NOT NULL,
	file     TEXT,
	line     INTEGER NOT NULL,
	PRIMARY KEY (revision, position)
) STRICT, WITHOUT ROWID;
INSERT INTO rules_2 (revision, position, kind, path, file, line)
	SELECT revision, position, kind, path, file, line FROM rules;
DROP TABLE rules;
ALTER TABLE rules_2 RENAME TO rules;
