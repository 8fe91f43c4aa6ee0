-- SPDX-License-Identifier: ISC
-- Rows are links of their sandbox's chain: db/chain.h.

PRAGMA user_version = 4;

-- chain_head is NULL where an older warden began the sandbox: its rows are in
-- no chain.  The first chain_pruned links are gone, and chain_base is the hash
-- of the last of them.
ALTER TABLE sandboxes ADD COLUMN chain_head BLOB;
ALTER TABLE sandboxes ADD COLUMN chain_length INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sandboxes ADD COLUMN chain_base BLOB;
ALTER TABLE sandboxes ADD COLUMN chain_pruned INTEGER NOT NULL DEFAULT 0;

-- Both are NULL while the row's repeats are still counted.
ALTER TABLE violations ADD COLUMN link INTEGER;
ALTER TABLE violations ADD COLUMN hash BLOB;
CREATE INDEX violations_by_link ON violations (sandbox, link)
	WHERE link IS NOT NULL;
CREATE INDEX violations_unlinked ON violations (sandbox)
	WHERE link IS NULL;
