-- SPDX-License-Identifier: ISC
-- What an account says of its request.
PRAGMA user_version = 6;

ALTER TABLE requests ADD COLUMN why TEXT;
