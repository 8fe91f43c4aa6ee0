/* SPDX-License-Identifier: ISC */
/* The policy store: what is refused or broken changes and opens nothing. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "tests/unit/policy_sample.h"

/* A line of assignments.conf. */
struct line {
	enum ward_assignee kind;
	const char *name;
	const char *profile;
	unsigned line;
};

#define CONF "/etc/ward/assignments.conf"

/* What is refused, and that it changed nothing. */
struct refused {
	const char *name;
	int n_items; /* of a, b, b again */
	int n_assignments;
	struct line assignments[2];
	int errnum;
	const char *fragment;
};

static const struct refused refused_table[] = {
	{ "profile twice", 3, 0, { { 0 } }, EINVAL,
	    "profile b: is there twice" },
	{ "no such profile", 2, 1, { { WARD_ASSIGNEE_USER, "u", "nope", 4 } },
	    EINVAL, CONF ":4: there is no profile nope" },
	{ "retired profile", 1, 1, { { WARD_ASSIGNEE_USER, "u", "b", 4 } },
	    EINVAL, CONF ":4: there is no profile b" },
	{ "user twice", 2, 2,
	    { { WARD_ASSIGNEE_USER, "u", "a", 4 },
		{ WARD_ASSIGNEE_USER, "u", "b", 5 } },
	    EINVAL, CONF ":5: user u has a profile already, by " CONF ":4" },
	{ "default twice", 2, 2,
	    { { WARD_ASSIGNEE_DEFAULT, NULL, "a", 4 },
		{ WARD_ASSIGNEE_DEFAULT, "x", "a", 5 } },
	    EINVAL, CONF ":5: default" },
	{ "nameless group", 2, 1, { { WARD_ASSIGNEE_GROUP, "", "a", 6 } },
	    EINVAL, CONF ":6: a group without a name" },
	{ "no profile at all", 2, 1, { { WARD_ASSIGNEE_USER, "u", NULL, 7 } },
	    EINVAL, CONF ":7: there is no profile" },
};

static void
refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(refused_table); i++) {
		const struct refused *row = &refused_table[i];
		struct ward_policy_result results[3];
		struct ward_policy_item items[3];
		struct ward_assignment assignments[2];
		struct ward_policy *policy;
		struct lines lines = { "" };
		struct err err = { 0 };
		struct scratch scratch;
		struct sample a, b;

		scratch_make(&scratch);
		for (size_t k = 0; k < COUNT(row->assignments); k++)
			assignments[k] = assign(row->assignments[k].kind,
			    row->assignments[k].name,
			    row->assignments[k].profile,
			    row->assignments[k].line);
		make_sample(&a, "a");
		make_sample(&b, "b");
		policy = open_policy(&scratch, WARD_POLICY_WRITE);
		items[0] = item(&b);
		check_ok(ward_policy_apply(
			     policy, items, 1, NULL, 0, "ann", results, &err),
		    &err);
		items[0] = item(&a);
		items[1] = item(&b);
		items[2] = item(&b);
		check_error(row->name,
		    ward_policy_apply(policy, items, (size_t)row->n_items,
			assignments, (size_t)row->n_assignments, "eve", results,
			&err),
		    &err, row->errnum, row->fragment);
		check_profiles(policy, true, "b 1 current ann\n");
		err.code = 0;
		check_ok(ward_policy_each_assignment(
			     policy, note_assignment, &lines, &err),
		    &err);
		assert_string_equal(lines.text, "");
		ward_policy_close(policy);
		scratch_remove(&scratch);
	}
}

/* Found only while it is written: the transaction takes all of it back. */
static void
refused_half_way(void **state)
{
	struct ward_policy_result results[2];
	struct ward_policy_item items[2];
	struct ward_policy *policy;
	struct err err = { 0 };
	struct scratch scratch;
	struct sample a, b;

	(void)state;
	scratch_make(&scratch);
	make_sample(&a, "a");
	make_sample(&b, "b");
	items[0] = item(&a);
	items[1] = item(&b);
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	b.profile.limits.tmp = (uint64_t)INT64_MAX + 1;
	check_error("too large",
	    ward_policy_apply(policy, items, 2, NULL, 0, "eve", results, &err),
	    &err, ERANGE, "profile b: tmp is too large");
	check_profiles(policy, true, "");
	err.code = 0;
	b.profile.limits.tmp = 1;
	b.seal.n_code = 0;
	check_error("no seal",
	    ward_policy_apply(policy, items, 2, NULL, 0, "eve", results, &err),
	    &err, EINVAL, "profile b: its seal has 0 instructions");
	err.code = 0;
	b.seal.n_code = 3;
	b.rules[2].path = NULL;
	check_error("no path",
	    ward_policy_apply(policy, items, 2, NULL, 0, "eve", results, &err),
	    &err, EINVAL, "NOT NULL");
	check_profiles(policy, true, "");
	err.code = 0;
	b.rules[2].path = text("~");
	check_ok(
	    ward_policy_apply(policy, items, 2, NULL, 0, "ann", results, &err),
	    &err);
	ward_policy_close(policy);
	scratch_remove(&scratch);
}

static void
full_disk(void **state)
{
	struct ward_policy_result result;
	struct ward_policy_item items[1];
	struct ward_policy *policy;
	struct err err = { 0 };
	struct scratch scratch;
	struct sample s;
	char *long_source = malloc(1 << 20);

	(void)state;
	assert_non_null(long_source);
	memset(long_source, '#', 1 << 20);
	long_source[(1 << 20) - 1] = '\0';
	scratch_make(&scratch);
	make_sample(&s, "a");
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	(void)apply_one(policy, &s);
	assert_int_equal(sqlite3_exec(policy->sqlite->db,
			     "PRAGMA max_page_count = 40", NULL, NULL, NULL),
	    SQLITE_OK);
	bend_shell(&s);
	s.source = long_source;
	items[0] = item(&s);
	check_error("full",
	    ward_policy_apply(policy, items, 1, NULL, 0, "eve", &result, &err),
	    &err, ENOSPC, "no space left for it");
	check_profiles(policy, true, "a 1 current root\n");
	/* and it works again when there is room */
	s.source = "short";
	assert_int_equal(apply_one(policy, &s).number, 2);
	ward_policy_close(policy);
	free(long_source);
	scratch_remove(&scratch);
}

struct damage {
	const char *name;
	const char *sql;
};

static const struct damage damages[] = {
	{ "seal's length", "UPDATE revisions SET seal = x'00112233'" },
	{ "seal's last instruction",
	    "UPDATE revisions SET seal = x'001122334455667788'" },
	{ "no seal", "UPDATE revisions SET seal = x''" },
	{ "hash", "UPDATE revisions SET hash = x'00'" },
	{ "scope", "UPDATE revisions SET scope = 'galaxy'" },
	{ "read_default", "UPDATE revisions SET read_default = ''" },
	{ "kind", "UPDATE rules SET kind = 'read-perhaps'" },
	{ "line", "UPDATE rules SET line = -1" },
	{ "line beyond", "UPDATE rules SET line = 4294967296" },
};

/* What Ward would not have written is no profile. */
static void
damaged_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(damages); i++) {
		struct ward_policy_found found;
		struct ward_policy *policy;
		struct err err = { 0 };
		struct scratch scratch;
		struct sample s;

		scratch_make(&scratch);
		make_sample(&s, "a");
		policy = open_policy(&scratch, WARD_POLICY_WRITE);
		(void)apply_one(policy, &s);
		assert_int_equal(sqlite3_exec(policy->sqlite->db,
				     "PRAGMA ignore_check_constraints = ON",
				     NULL, NULL, NULL),
		    SQLITE_OK);
		assert_int_equal(sqlite3_exec(policy->sqlite->db,
				     damages[i].sql, NULL, NULL, NULL),
		    SQLITE_OK);
		check_error(damages[i].name,
		    ward_policy_find(
			policy, "bot", in_none, NULL, &found, &err),
		    &err, EUCLEAN, "is damaged");
		assert_null(found.profile);
		assert_null(found.seal.code);
		ward_policy_close(policy);
		scratch_remove(&scratch);
	}
}

/* Every page but the first is junk: an answer, no crash, no profile. */
static void
damaged_pages(void **state)
{
	struct ward_policy_found found;
	struct ward_policy *policy = NULL;
	struct err err = { 0 };
	struct scratch scratch;
	struct sample s;
	struct stat st;
	int fd;
	int r;

	(void)state;
	scratch_make(&scratch);
	make_sample(&s, "a");
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	(void)apply_one(policy, &s);
	ward_policy_close(policy);
	fd = open(scratch.path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(fstat(fd, &st), 0);
	for (off_t at = 4096; at < st.st_size; at += 4)
		assert_int_equal(pwrite(fd, "\xde\xad\xbe\xef", 4, at), 4);
	assert_int_equal(close(fd), 0);
	policy = NULL;
	r = ward_policy_open(
	    scratch.path, WARD_POLICY_READ, 100, &policy, &err);
	if (r == 0)
		r = ward_policy_find(
		    policy, "bot", in_none, NULL, &found, &err);
	check_error("junk", r, &err, EUCLEAN, "is damaged");
	ward_policy_close(policy);
	scratch_remove(&scratch);
}

/* A writer that died in the middle leaves a journal: the next reader rolls it
 * back, since it may be a login. */
static void
crashed_writer(void **state)
{
	struct ward_policy_found found;
	struct ward_policy *policy;
	struct scratch scratch;
	struct stat st;
	struct sample s;
	char journal[320];
	int status = -1;
	pid_t child;

	(void)state;
	scratch_make(&scratch);
	make_sample(&s, "a");
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	(void)apply_one(policy, &s);
	ward_policy_close(policy);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		sqlite3 *db = NULL;

		/* more than the cache holds, so that pages are written */
		if (sqlite3_open(scratch.path, &db) != SQLITE_OK ||
		    sqlite3_exec(db,
			"PRAGMA cache_size = 1; PRAGMA cache_spill = 1;"
			"BEGIN; UPDATE revisions SET shell = '/bad';"
			"DELETE FROM rules; DELETE FROM assignments;"
			"UPDATE sources SET source = "
			"hex(zeroblob(500000));",
			NULL, NULL, NULL) != SQLITE_OK)
			_exit(1);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	(void)snprintf(journal, sizeof(journal), "%s-journal", scratch.path);
	assert_int_equal(stat(journal, &st), 0);
	assert_true(st.st_size > 512);
	policy = open_policy(&scratch, WARD_POLICY_READ);
	found = find(policy, "bot");
	same_profile(found.profile, &s.profile);
	ward_policy_found_clear(&found);
	assert_int_not_equal(stat(journal, &st), 0);
	ward_policy_close(policy);
	scratch_remove(&scratch);
}

/* A schema from the future: it has more, and what is known is there. */
static void
newer_schema(void **state)
{
	struct ward_policy_found found;
	struct ward_policy *policy;
	struct scratch scratch;
	struct sample s;

	(void)state;
	scratch_make(&scratch);
	make_sample(&s, "a");
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	(void)apply_one(policy, &s);
	assert_int_equal(sqlite3_exec(policy->sqlite->db,
			     "ALTER TABLE rules ADD COLUMN reason TEXT;"
			     "ALTER TABLE revisions ADD COLUMN signature BLOB;"
			     "CREATE TABLE signers (id INTEGER) STRICT;"
			     "PRAGMA user_version = 9",
			     NULL, NULL, NULL),
	    SQLITE_OK);
	ward_policy_close(policy);
	policy = open_policy(&scratch, WARD_POLICY_READ);
	found = find(policy, "bot");
	same_profile(found.profile, &s.profile);
	ward_policy_found_clear(&found);
	ward_policy_close(policy);
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	bend_shell(&s);
	assert_int_equal(apply_one(policy, &s).number, 2);
	ward_policy_close(policy);
	scratch_remove(&scratch);
}

static void
not_there(void **state)
{
	struct ward_policy *policy = NULL;
	struct err err = { 0 };
	struct scratch scratch;

	(void)state;
	scratch_make(&scratch);
	check_error("missing",
	    ward_policy_open(
		scratch.path, WARD_POLICY_READ, 100, &policy, &err),
	    &err, ENOENT, scratch.path);
	assert_null(policy);
	ward_policy_close(policy);
	scratch_remove(&scratch);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused),
		cmocka_unit_test(refused_half_way),
		cmocka_unit_test(full_disk),
		cmocka_unit_test(damaged_rows),
		cmocka_unit_test(damaged_pages),
		cmocka_unit_test(crashed_writer),
		cmocka_unit_test(newer_schema),
		cmocka_unit_test(not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
