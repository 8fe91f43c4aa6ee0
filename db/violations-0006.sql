-- SPDX-License-Identifier: ISC
-- What an account says of its request; and the order in which rows were sealed,
-- which is that of wardctl export: from then on a row does not change.
PRAGMA user_version = 6;

ALTER TABLE requests ADD COLUMN why TEXT;

-- NULL while the row's repeats are still counted.
ALTER TABLE violations ADD COLUMN sealed INTEGER;
UPDATE violations SET sealed = id WHERE link IS NOT NULL;
CREATE UNIQUE INDEX violations_by_seal ON violations (sealed)
	WHERE sealed IS NOT NULL;

-- The last number of all, since rows are removed and numbers never come again.
CREATE TABLE seals (last INTEGER NOT NULL) STRICT;
INSERT INTO seals SELECT coalesce(max(id), 0) FROM violations;
