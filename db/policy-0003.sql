-- SPDX-License-Identifier: ISC
-- session.grace, in seconds: NULL is unlimited, as all were until now.
PRAGMA user_version = 3;

ALTER TABLE revisions ADD COLUMN grace INTEGER;
