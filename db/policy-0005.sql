-- SPDX-License-Identifier: ISC
-- session.annotate.
PRAGMA user_version = 5;

ALTER TABLE revisions ADD COLUMN annotate TEXT NOT NULL DEFAULT 'on-failure'
	CHECK (annotate IN ('never', 'on-failure', 'always'));
