/* SPDX-License-Identifier: ISC */
/* Chains: the bytes of a row, and what holding a chain against rows finds. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "db/chain.h"
#include "tests/unit/violations_sample.h"

static const struct ward_violations_sandbox sandbox = { .id = "b",
	.account = "bot",
	.uid = 1001,
	.profile = "builder",
	.revision = 3,
	.started = 1 };

static void
check_hash(const unsigned char hash[WARD_SHA256_SIZE], const char *expected)
{
	char hex[2 * WARD_SHA256_SIZE + 1];

	ward_sha256_hex(hex, hash);
	assert_string_equal(hex, expected);
}

/* Made by another program from what chain.h says. */
static void
known_bytes(void **state)
{
	const struct ward_violation row = violation_of("b", "s1", "/one", 11);
	unsigned char hash[WARD_SHA256_SIZE];

	(void)state;
	ward_chain_start(&sandbox, hash);
	check_hash(hash,
	    "a9986b1a59324b0fb83e91f4c29ce98cc0cd1b119a8fc01081312b34c7a5"
	    "216d");
	ward_chain_add(1, 17, &row, hash);
	check_hash(hash,
	    "76da3e6e63d74feee23f050be0b7e4fce44cd0d8ee0df85434186f2010a6"
	    "eefc");
}

/* Every field counts, and where one ends and the next begins. */
static void
every_field(void **state)
{
	const struct ward_violation plain = violation_of("b", "s1", "/one", 11);
	struct ward_violation rows[24];
	unsigned char hashes[COUNT(rows)][WARD_SHA256_SIZE];
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		rows[i] = plain;
	rows[++n].sandbox = "c";
	rows[++n].session = "s2";
	rows[++n].session = NULL;
	rows[++n].session = "";
	rows[++n].kind = "read";
	rows[++n].operation = "open";
	rows[++n].target = "/on";
	rows[++n].target = "/onee";
	rows[++n].pid = 98;
	rows[++n].program = "/usr/bin/touc";
	rows[++n].program = NULL;
	rows[++n].confirmed = true;
	rows[++n].errnum = EACCES;
	rows[++n].count = 2;
	rows[++n].first = 10;
	rows[++n].last = 12;
	rows[++n].profile = "base";
	rows[++n].revision = 4;
	rows[++n].rule_file = NULL;
	rows[++n].rule_line = 13;
	rows[++n].rule_text = "~";
	rows[++n].reason = "";
	n++;
	/* the same bytes, cut elsewhere */
	rows[n].kind = "writeo";
	rows[n++].operation = "penat";
	assert_int_equal(n, COUNT(rows));
	for (size_t i = 0; i < n; i++) {
		ward_chain_start(&sandbox, hashes[i]);
		ward_chain_add(1, 17, &rows[i], hashes[i]);
		for (size_t k = 0; k < i; k++)
			if (memcmp(hashes[i], hashes[k], sizeof(hashes[i])) ==
			    0)
				fail_msg("rows %zu and %zu", k, i);
	}
}

/* Two chains: b1 with five links and one open row, b2 that has ended. */
static void
fill_chains(struct ward_violations *store)
{
	struct err err = { 0 };

	start_sandbox(store, "b1", "bot", 1001, 1);
	start_sandbox(store, "b2", "amy", 1002, 2);
	start_session(store, "s1", "b1", "bot", 1001, 10);
	for (int i = 1; i <= 5; i++) {
		char target[16];
		(void)snprintf(target, sizeof(target), "/row%d", i);
		(void)add(store, "b1", i == 2 ? NULL : "s1", target, 10 + i);
	}
	check_ok(ward_violations_seal_open(store, "b1", &err), &err);
	(void)add(store, "b1", "s1", "/open", 20);
	(void)add(store, "b2", NULL, "/two", 21);
	check_ok(ward_violations_seal_open(store, "b2", &err), &err);
	check_ok(
	    ward_violations_sandbox_end(store, "b2", 30, "closed", &err), &err);
}

static const char *const words[] = { "changed", "removed", "cut", "unchained",
	"head" };

static int
note_chain(void *context, const struct ward_violations_chain_row *row,
    const struct ward_violations_fault *fault)
{
	struct lines *lines = context;
	size_t used = strlen(lines->text);
	char *to = lines->text + used;
	size_t size = sizeof(lines->text) - used;

	if (fault == NULL)
		(void)snprintf(to, size, "%s:%lld+%lld/%lld%s ", row->sandbox,
		    (long long)row->rows, (long long)row->unlinked,
		    (long long)row->length, row->is_chained ? "" : "?");
	else
		(void)snprintf(to, size, "%s:%s:%lld:%lld-%lld ", row->sandbox,
		    words[fault->fault], (long long)fault->row,
		    (long long)fault->first, (long long)fault->last);
	return 0;
}

static void
run_raw(const char *path, const char *sql)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void
check_chains(const struct scratch *scratch, const char *name, int64_t since,
    const char *expected)
{
	struct ward_violations *store =
	    open_store(scratch, WARD_VIOLATIONS_READ);
	struct lines lines = { "" };
	struct err err = { 0 };

	check_error(name,
	    ward_violations_verify(store, since, note_chain, &lines, &err),
	    &err, 0, NULL);
	if (strcmp(lines.text, expected) != 0)
		fail_msg("%s: %s, not %s", name, lines.text, expected);
	ward_violations_close(store);
}

struct tampering {
	const char *sql;
	const char *found;
};

#define REST "b2:1+0/1 "

static const struct tampering tamperings[] = {
	{ "SELECT 1", "b1:5+1/5 " REST },
	/* every column */
	{ "UPDATE violations SET session = NULL WHERE link = 3",
	    "b1:changed:3:3-3 " REST },
	{ "UPDATE violations SET kind = 'x' WHERE id = 5",
	    "b1:changed:5:5-5 " REST },
	{ "UPDATE violations SET operation = 'x' WHERE id = 1",
	    "b1:changed:1:1-1 " REST },
	{ "UPDATE violations SET target = '/other' WHERE id = 2",
	    "b1:changed:2:2-2 " REST },
	{ "UPDATE violations SET pid = 1 WHERE id = 2",
	    "b1:changed:2:2-2 " REST },
	{ "UPDATE violations SET program = 'x' WHERE id = 2",
	    "b1:changed:2:2-2 " REST },
	{ "UPDATE violations SET confirmed = 1 WHERE id = 2",
	    "b1:changed:2:2-2 " REST },
	{ "UPDATE violations SET errno = 1 WHERE id = 2",
	    "b1:changed:2:2-2 " REST },
	{ "UPDATE violations SET count = 2 WHERE id = 2",
	    "b1:changed:2:2-2 " REST },
	{ "UPDATE violations SET first_at = 1 WHERE id = 2",
	    "b1:changed:2:2-2 " REST },
	{ "UPDATE violations SET last_at = 99 WHERE id = 2",
	    "b1:changed:2:2-2 " REST },
	{ "UPDATE violations SET profile = 'x' WHERE id = 2",
	    "b1:changed:2:2-2 " REST },
	{ "UPDATE violations SET revision = 4 WHERE id = 2",
	    "b1:changed:2:2-2 " REST },
	{ "UPDATE violations SET rule_file = NULL WHERE id = 2",
	    "b1:changed:2:2-2 " REST },
	{ "UPDATE violations SET rule_line = 1 WHERE id = 2",
	    "b1:changed:2:2-2 " REST },
	{ "UPDATE violations SET rule_text = 'x' WHERE id = 2",
	    "b1:changed:2:2-2 " REST },
	{ "UPDATE violations SET reason = 'x' WHERE id = 2",
	    "b1:changed:2:2-2 " REST },
	{ "UPDATE violations SET id = 99 WHERE id = 2",
	    "b1:changed:99:2-2 " REST },
	/* two at once are two */
	{ "UPDATE violations SET target = '/x' WHERE id IN (2, 4)",
	    "b1:changed:2:2-2 b1:changed:4:4-4 " REST },
	/* its hash: then the next one does not follow */
	{ "UPDATE violations SET hash = zeroblob(32) WHERE id = 2",
	    "b1:changed:2:2-2 b1:changed:3:3-3 " REST },
	{ "UPDATE violations SET hash = x'00' WHERE id = 2",
	    "b1:changed:2:2-2 " REST },
	/* removed: one, several, the first, the last, all */
	{ "DELETE FROM violations WHERE id = 2", "b1:removed:3:2-2 " REST },
	{ "DELETE FROM violations WHERE id IN (2, 3)",
	    "b1:removed:4:2-3 " REST },
	{ "DELETE FROM violations WHERE id = 1", "b1:removed:2:1-1 " REST },
	{ "DELETE FROM violations WHERE id = 5", "b1:cut:0:5-5 " REST },
	{ "DELETE FROM violations WHERE id IN (4, 5)", "b1:cut:0:4-5 " REST },
	{ "DELETE FROM violations WHERE link IS NOT NULL",
	    "b1:cut:0:1-5 b2:cut:0:1-1 " },
	/* moved */
	{ "UPDATE violations SET link = -1 WHERE id = 2;"
	  "UPDATE violations SET link = 2 WHERE id = 3;"
	  "UPDATE violations SET link = 3 WHERE id = 2",
	    "b1:changed:3:2-2 b1:changed:2:3-3 b1:changed:4:4-4 " REST },
	/* to another sandbox */
	{ "UPDATE violations SET sandbox = 'b2', link = 2 WHERE id = 5",
	    "b1:cut:0:5-5 b2:changed:5:2-2 b2:head:0:1-2 " },
	/* put in */
	{ "INSERT INTO violations (sandbox, kind, operation, target, "
	  "confirmed, count, first_at, last_at, profile, revision, rule_line, "
	  "link, hash) VALUES ('b1', 'write', 'open', '/x', 1, 1, 1, 1, 'x', "
	  "1, 1, 6, zeroblob(32))",
	    "b1:changed:8:6-6 b1:head:0:5-6 " REST },
	{ "INSERT INTO violations (sandbox, kind, operation, target, "
	  "confirmed, count, first_at, last_at, profile, revision, rule_line) "
	  "VALUES ('b2', 'write', 'open', '/x', 1, 1, 1, 1, 'x', 1, 1)",
	    "b1:5+1/5 b2:unchained:8:0-0 " },
	/* taken out of the chain */
	{ "UPDATE violations SET link = NULL, hash = NULL WHERE id = 2",
	    "b1:removed:3:2-2 " REST },
	/* the sandbox's own row */
	{ "UPDATE sandboxes SET account = 'amy' WHERE id = 'b1'",
	    "b1:changed:1:1-1 " REST },
	{ "UPDATE sandboxes SET chain_head = zeroblob(32) WHERE id = 'b1'",
	    "b1:head:0:5-5 " REST },
	{ "UPDATE sandboxes SET chain_length = 4 WHERE id = 'b1'",
	    "b1:head:0:4-5 " REST },
	{ "UPDATE sandboxes SET chain_head = NULL WHERE id = 'b1'",
	    "b1:head:0:1-5 " REST },
	{ "UPDATE sandboxes SET chain_pruned = 2 WHERE id = 'b1'",
	    "b1:changed:1:1-1 " REST },
	/* what pruning does, and what only looks like it */
	{ "UPDATE sandboxes SET chain_pruned = 2, chain_base = (SELECT hash "
	  "FROM violations WHERE sandbox = 'b1' AND link = 2) "
	  "WHERE id = 'b1'; DELETE FROM violations "
	  "WHERE sandbox = 'b1' AND link <= 2",
	    "b1:3+1/5 " REST },
	{ "UPDATE sandboxes SET chain_pruned = 2, chain_base = zeroblob(32) "
	  "WHERE id = 'b1'; DELETE FROM violations "
	  "WHERE sandbox = 'b1' AND link <= 2",
	    "b1:changed:3:3-3 " REST },
	/* an older warden's */
	{ "INSERT INTO sandboxes (id, account, uid, profile, revision, "
	  "started, ended) VALUES ('b0', 'bot', 1001, 'x', 1, 0, 9); "
	  "UPDATE violations SET sandbox = 'b0' WHERE link IS NULL",
	    "b0:0+1/0? b1:5+0/5 " REST },
};

static void
tampered(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(tamperings); i++) {
		struct ward_violations *store;
		struct scratch scratch;

		scratch_make(&scratch);
		store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
		fill_chains(store);
		ward_violations_close(store);
		run_raw(scratch.path, tamperings[i].sql);
		check_chains(
		    &scratch, tamperings[i].sql, 0, tamperings[i].found);
		scratch_remove(&scratch);
	}
}

/* A sealed row does not change, and sealing it again changes nothing. */
static void
sealed(void **state)
{
	unsigned char head[WARD_SHA256_SIZE], again[WARD_SHA256_SIZE];
	struct ward_violations *store;
	struct err err = { 0 };
	struct scratch scratch;
	int64_t length = 0;

	(void)state;
	scratch_make(&scratch);
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	fill_chains(store);
	check_ok(ward_violations_repeat(store, 6, 1, 99, &err), &err);
	check_error("a sealed one",
	    ward_violations_repeat(store, 3, 1, 99, &err), &err, ENOENT, NULL);
	err = (struct err){ 0 };
	check_ok(ward_violations_chain(store, "b1", &length, head, &err), &err);
	assert_int_equal(length, 5);
	check_ok(ward_violations_seal(store, 3, &err), &err);
	check_ok(
	    ward_violations_chain(store, "b1", &length, again, &err), &err);
	assert_int_equal(length, 5);
	assert_memory_equal(head, again, sizeof(head));
	check_ok(ward_violations_seal(store, 6, &err), &err);
	check_ok(
	    ward_violations_chain(store, "b1", &length, again, &err), &err);
	assert_int_equal(length, 6);
	assert_int_equal(ward_violations_was(store, "b1", 5, head, &err), 1);
	assert_int_equal(ward_violations_was(store, "b1", 5, again, &err), 0);
	assert_int_equal(ward_violations_was(store, "b1", 6, again, &err), 1);
	assert_int_equal(ward_violations_was(store, "b1", 7, again, &err), 0);
	assert_int_equal(ward_violations_was(store, "none", 1, head, &err), 0);
	check_error("no chain",
	    ward_violations_chain(store, "none", &length, head, &err), &err,
	    ENOENT, "has no chain");
	ward_violations_close(store);
	check_chains(&scratch, "since", 31, "b1:6+0/6 ");
	scratch_remove(&scratch);
}

static bool
nobody_lives(void *context, const char *id)
{
	(void)context;
	(void)id;
	return false;
}

/* What a dead warden left open is sealed by who closes it. */
static void
lost(void **state)
{
	struct ward_violations *store;
	struct err err = { 0 };
	struct scratch scratch;

	(void)state;
	scratch_make(&scratch);
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	fill_chains(store);
	check_ok(ward_violations_close_lost(
		     store, 1001, nobody_lives, NULL, 50, NULL, &err),
	    &err);
	ward_violations_close(store);
	check_chains(&scratch, "lost", 0, "b1:6+0/6 " REST);
	scratch_remove(&scratch);
}

/* Whoever damages the chain of a sandbox that lives stops no recording. */
static void
damaged(void **state)
{
	static const char *const sql[] = {
		"UPDATE sandboxes SET chain_head = x'00' WHERE id = 'b1'",
		"UPDATE sandboxes SET chain_length = 2 WHERE id = 'b1'",
		"UPDATE sandboxes SET chain_length = 9 WHERE id = 'b1'",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(sql); i++) {
		struct ward_violations *store;
		struct lines lines = { "" };
		struct err err = { 0 };
		struct scratch scratch;

		scratch_make(&scratch);
		store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
		fill_chains(store);
		run_raw(scratch.path, sql[i]);
		check_error(sql[i],
		    ward_violations_seal_open(store, "b1", &err), &err, 0,
		    NULL);
		check_ok(
		    ward_violations_verify(store, 0, note_chain, &lines, &err),
		    &err);
		if (strncmp(lines.text, "b1:5", 4) == 0)
			fail_msg("%s: %s", sql[i], lines.text);
		ward_violations_close(store);
		scratch_remove(&scratch);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_bytes),
		cmocka_unit_test(every_field),
		cmocka_unit_test(tampered),
		cmocka_unit_test(sealed),
		cmocka_unit_test(lost),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
