-- SPDX-License-Identifier: ISC
-- Ways to what an admin asks for: by kind, by target, by account, and what is
-- missing by time; and when what was old was removed.

PRAGMA user_version = 5;

-- has all that grouping by target reads
CREATE INDEX violations_by_target ON violations (target, last_at, count);
CREATE INDEX violations_by_kind ON violations (kind, last_at);
CREATE INDEX sandboxes_by_account ON sandboxes (account);
CREATE INDEX gaps_by_time ON gaps (to_at);
CREATE INDEX connections_by_end ON connections (started + duration);

CREATE TABLE prunings (
	id     INTEGER PRIMARY KEY AUTOINCREMENT,
	at     INTEGER NOT NULL,
	rows   INTEGER NOT NULL, -- that were removed
	bytes  INTEGER NOT NULL  -- that the rest takes
) STRICT;
