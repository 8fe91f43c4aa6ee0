-- SPDX-License-Identifier: ISC
-- seal.landlock.
PRAGMA user_version = 6;

ALTER TABLE revisions ADD COLUMN landlock INTEGER NOT NULL DEFAULT 2
	CHECK (landlock >= 0);
