/* SPDX-License-Identifier: ISC */
/* What adopting an account reads and writes as text. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/adopt_check.h"
#include "ctl/groups.h"
#include "ctl/old_keys.h"
#include "ctl/record.h"
#include "ctl/subids.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- records --- */

#define BEGINNING                                                              \
	"state adopting\nuid 1001\nhome /home/bob\nshell /bin/bash\n"          \
	"expires 22039\npassword yes\nagent no\nmasked no\nmade no\n"
#define REST "keys-given yes\nprofile base\nassigned \n"

static void
a_record_is_read_as_it_was_printed(void **state)
{
	struct ward_record one, other;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(ward_record_parse(BEGINNING REST
			     "subuid bob:100000:65536\nsubuid 1001:9:9\n",
			     &one, &err),
	    0);
	assert_int_equal(one.state, WARD_RECORD_ADOPTING);
	assert_int_equal(one.uid, 1001);
	assert_string_equal(one.home, "/home/bob");
	assert_string_equal(one.expires, "22039");
	assert_true(one.had_password && one.keys_given);
	assert_false(one.was_agent || one.was_masked || one.made);
	assert_string_equal(one.profile, "base");
	assert_string_equal(one.assigned, "");
	assert_string_equal(one.subuids, "bob:100000:65536\n1001:9:9\n");
	assert_string_equal(one.subgids, "");
	char *text = ward_record_print(&one);
	assert_non_null(text);
	assert_int_equal(ward_record_parse(text, &other, &err), 0);
	char *again = ward_record_print(&other);
	assert_non_null(again);
	assert_string_equal(text, again);
	assert_non_null(strstr(text, "\nsubuid 1001:9:9\n"));
	free(text);
	free(again);
	ward_record_clear(&one);
	ward_record_clear(&other);
}

/* What was cut, changed or doubled is not guessed at. */
static void
other_records_are_refused(void **state)
{
	static const char *const texts[] = {
		"",
		BEGINNING,
		BEGINNING REST "subuid",
		BEGINNING REST "subuid bob:1:1",
		BEGINNING REST "home /home/eve\n",
		BEGINNING REST "colour blue\n",
		BEGINNING REST "\n",
		"state open\nuid 1001\n",
		"state adopting\nuid -1\n",
		"state adopting\nuid 4294967295\n",
		"state adopting\npassword maybe\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct ward_record record;
		struct err err = { 0 };
		if (ward_record_parse(texts[i], &record, &err) != -EINVAL ||
		    strstr(err.text, "line ") == NULL)
			fail_msg("\"%s\" is accepted", texts[i]);
	}
}

/* --- subordinate ids --- */

struct split_case {
	const char *text, *its, *others;
};

static const struct split_case split_cases[] = {
	{ "", "", "" },
	{ "bob:100000:65536\n", "bob:100000:65536\n", "" },
	{ "eve:1:1\nbob:2:1\nann:3:1\n", "bob:2:1\n", "eve:1:1\nann:3:1\n" },
	{ "1001:5:1\nbob:2:1", "1001:5:1\nbob:2:1\n", "" },
	{ "bobby:1:1\n10011:1:1\nbo:1:1\n", "",
	    "bobby:1:1\n10011:1:1\nbo:1:1\n" },
	{ "# bob:1:1\n\nbob\n", "", "# bob:1:1\n\nbob\n" },
};

static void
subordinate_ids_are_split_by_owner(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(split_cases); i++) {
		const struct split_case *c = &split_cases[i];
		char *its, *others;
		assert_int_equal(
		    ward_subids_split(c->text, "bob", 1001, &its, &others), 0);
		if (strcmp(its, c->its) != 0 || strcmp(others, c->others) != 0)
			fail_msg(
			    "\"%s\": \"%s\" and \"%s\"", c->text, its, others);
		free(its);
		free(others);
	}
}

struct join_case {
	const char *text, *lines, *joined; /* NULL: refused */
};

static const struct join_case join_cases[] = {
	{ "", "", "" },
	{ "eve:1:1\n", "bob:2:1\n", "eve:1:1\nbob:2:1\n" },
	{ "eve:1:1", "bob:2:1\n", "eve:1:1\nbob:2:1\n" },
	{ "bob:2:1\n", "bob:2:1\n", "bob:2:1\n" },
	{ "eve:100000:65536\n", "bob:165536:65536\n",
	    "eve:100000:65536\nbob:165536:65536\n" },
	{ "eve:100000:65536\n", "bob:165535:65536\n", NULL },
	{ "eve:165536:65536\n", "bob:100000:65537\n", NULL },
	{ "eve:100000:65536\n", "bob:100000:65536\n", NULL },
	{ "eve:0:0\n", "bob:0:1\n", "eve:0:0\nbob:0:1\n" },
	{ "# a remark\nnonsense\n", "bob:1:1\n",
	    "# a remark\nnonsense\nbob:1:1\n" },
};

static void
subordinate_ids_are_given_back_unless_taken(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(join_cases); i++) {
		const struct join_case *c = &join_cases[i];
		char *joined = NULL;
		struct err err = { 0 };
		int r = ward_subids_join(c->text, c->lines, &joined, &err);
		if (r != (c->joined == NULL ? -EEXIST : 0) ||
		    (r == 0 && strcmp(joined, c->joined) != 0))
			fail_msg("case %zu: %d, \"%s\" %s", i, r,
			    joined == NULL ? "" : joined, err.text);
		free(joined);
	}
}

static void
ranges_are_those_that_can_be_read(void **state)
{
	struct ward_id_range ranges[2];

	(void)state;
	assert_int_equal(ward_subids_ranges("bob:7:3\nbob:x:3\nbob:9\n"
					    "bob:4294967296:1\nbob:8:0\n",
			     ranges, 2),
	    2);
	assert_int_equal(ranges[0].first, 7);
	assert_int_equal(ranges[0].n, 3);
	assert_int_equal(ranges[1].first, 8);
	assert_int_equal(
	    ward_subids_ranges("b:1:1\nb:2:1\nb:3:1\n", ranges, 2), 2);
}

/* --- login.defs, AuthorizedKeysFile, groups --- */

static void
uid_min_is_that_of_login_defs(void **state)
{
	static const struct {
		const char *text;
		uid_t uid;
	} cases[] = {
		{ "", 1000 },
		{ "UID_MIN 500\n", 500 },
		{ "  UID_MIN\t\t\"2000\"\nUID_MIN 3\n", 2000 },
		{ "#UID_MIN 500\nSYS_UID_MIN 100\nUID_MINI 7\n", 1000 },
		{ "UID_MIN", 1000 },
		{ "UID_MIN\nUID_MAX 60000\n", 1000 },
		{ "UID_MIN -5\nUID_MIN 0x10\n", 1000 },
		{ "UID_MIN 99999999999999999999\n", 1000 },
		{ "UID_MAX 60000\nUID_MIN 100 # low", 100 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		if (ward_adopt_uid_min(cases[i].text) != cases[i].uid)
			fail_msg("\"%s\": %u", cases[i].text,
			    (unsigned)ward_adopt_uid_min(cases[i].text));
}

static void
keys_are_where_sshd_reads_them(void **state)
{
	static const struct {
		const char *pattern, *path; /* NULL: not known */
	} cases[] = {
		{ ".ssh/authorized_keys", "/home/bob/.ssh/authorized_keys" },
		{ "%h/.ssh/keys", "/home/bob/.ssh/keys" },
		{ "/etc/ssh/keys/%u", "/etc/ssh/keys/bob" },
		{ "/etc/keys/%U/100%%", "/etc/keys/1001/100%" },
		{ "keys-%u", "/home/bob/keys-bob" },
		{ "/etc/%x", NULL },
		{ "/etc/%", NULL },
	};
	char name[] = "bob", home[] = "/home/bob";
	const struct ward_account account = {
		.name = name,
		.uid = 1001,
		.home = home,
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = { 0 };
		char *path =
		    ward_old_keys_expand(cases[i].pattern, &account, &err);
		if ((path == NULL) != (cases[i].path == NULL) ||
		    (path == NULL) != (err.code != 0) ||
		    (path != NULL && strcmp(path, cases[i].path) != 0))
			fail_msg("%s: %s", cases[i].pattern,
			    path == NULL ? err.text : path);
		free(path);
	}
}

static void
groups_of_power_are_known(void **state)
{
	static const struct {
		const char *name;
		gid_t gid;
		enum ward_group_power power;
	} cases[] = {
		{ "users", 100, WARD_GROUP_ORDINARY },
		{ "docke", 990, WARD_GROUP_ORDINARY },
		{ "docker", 990, WARD_GROUP_ROOT },
		{ "anything", 0, WARD_GROUP_ROOT },
		{ "adm", 4, WARD_GROUP_READS },
		{ "", 77, WARD_GROUP_ORDINARY },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(ward_group_power(cases[i].name, cases[i].gid),
		    cases[i].power);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_is_read_as_it_was_printed),
		cmocka_unit_test(other_records_are_refused),
		cmocka_unit_test(subordinate_ids_are_split_by_owner),
		cmocka_unit_test(subordinate_ids_are_given_back_unless_taken),
		cmocka_unit_test(ranges_are_those_that_can_be_read),
		cmocka_unit_test(uid_min_is_that_of_login_defs),
		cmocka_unit_test(keys_are_where_sshd_reads_them),
		cmocka_unit_test(groups_of_power_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
