/* SPDX-License-Identifier: ISC */
/* The network part of a profile in the policy store. */
#include "config.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profiles/compile.h"
#include "tests/unit/policy_sample.h"

#define LISTS                                                                  \
	"unlisted = \"ask\"; allow_private = true;"                            \
	"allow = ( \"A.example\", \"*.x.example:443\" ); "                     \
	"deny = ( \"*:25\", \"[::1]\" );"                                      \
	"reasons = ( { match = \"*\"; say = \"no\"; } );"                      \
	"deny_addresses = ( \"10.20.0.0/16\" );"                               \
	"upstream = \"http://[2001:db8::1]:3128\";"                            \
	"no_proxy = ( \"*.corp.example\" );"

#define NET(mode, lists)                                                       \
	"profile: { name = \"a\"; network: { mode = \"" mode "\"; " lists      \
	" }; };"

/* The sample with another network; the texts are the compiled ones' own. */
static struct ward_compiled
set_network(struct sample *s, const char *text)
{
	const struct ward_profile_source source = { "a.conf", text,
		strlen(text) };
	struct ward_diagnostics findings = { 0 };
	struct ward_compiled compiled;
	struct err err = { 0 };

	check_ok(ward_profiles_compile(&source, 1, &compiled, &findings, &err),
	    &err);
	ward_diagnostics_clear(&findings);
	s->profile.network = compiled.profiles[0].profile->network;
	return compiled;
}

static void
round_trip(void **state)
{
	struct ward_policy_found found;
	struct ward_policy *policy;
	struct scratch scratch;
	struct sample s;

	(void)state;
	scratch_make(&scratch);
	make_sample(&s, "a");
	struct ward_compiled compiled = set_network(&s, NET("filtered", LISTS));
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	(void)apply_one(policy, &s);
	ward_policy_close(policy);
	policy = open_policy(&scratch, WARD_POLICY_READ);
	found = find(policy, "bot");
	same_profile(found.profile, &s.profile);
	assert_int_equal(found.profile->network.n_rules, 4);
	ward_policy_found_clear(&found);
	ward_policy_close(policy);
	ward_compiled_clear(&compiled);
	scratch_remove(&scratch);
}

/* What changes of it is a revision; is it one that a live sandbox can take? */
static const struct {
	const char *name;
	const char *was, *is;
	bool changed;
	bool rest_changed;
} changes[] = {
	{ "nothing", NET("filtered", LISTS), NET("filtered", LISTS), false,
	    false },
	{ "lines", NET("filtered", LISTS), "\n" NET("filtered", LISTS), false,
	    false },
	{ "order", NET("filtered", "allow = ( \"a.b\", \"c.d\" );"),
	    NET("filtered", "allow = ( \"c.d\", \"a.b\" );"), false, false },
	{ "mode", NET("none", ""), NET("filtered", ""), true, true },
	{ "mode, with lists", NET("none", LISTS), NET("filtered", LISTS), true,
	    true },
	{ "lists", NET("filtered", ""), NET("filtered", LISTS), true, false },
	{ "lists of none", NET("none", ""), NET("none", LISTS), true, false },
	{ "one more", NET("filtered", "allow = ( \"a.b\" );"),
	    NET("filtered", "allow = ( \"a.b\", \"c.d\" );"), true, false },
	{ "allow and deny", NET("filtered", "allow = ( \"a.b\" );"),
	    NET("filtered", "deny = ( \"a.b\" );"), true, false },
	{ "port", NET("filtered", "allow = ( \"a.b\" );"),
	    NET("filtered", "allow = ( \"a.b:1\" );"), true, false },
	{ "words",
	    NET("filtered", "reasons = ( { match = \"a.b\"; say = \"1\"; } );"),
	    NET("filtered", "reasons = ( { match = \"a.b\"; say = \"2\"; } );"),
	    true, false },
	{ "unlisted", NET("filtered", ""),
	    NET("filtered", "unlisted = \"ask\";"), true, false },
	{ "private", NET("filtered", ""),
	    NET("filtered", "allow_private = true;"), true, false },
	{ "upstream", NET("filtered", "upstream = \"http://a.b:1\";"),
	    NET("filtered", "upstream = \"http://a.b:2\";"), true, false },
};

static void
revisions(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(changes); i++) {
		struct ward_policy_found found;
		struct ward_policy_now now = { 0 };
		struct ward_policy *policy;
		struct err err = { 0 };
		struct scratch scratch;
		struct sample s;

		scratch_make(&scratch);
		make_sample(&s, "a");
		policy = open_policy(&scratch, WARD_POLICY_WRITE);
		struct ward_compiled was = set_network(&s, changes[i].was);
		(void)apply_one(policy, &s);
		found = find(policy, "bot");
		struct ward_compiled is = set_network(&s, changes[i].is);
		struct ward_policy_result result = apply_one(policy, &s);
		if ((result.change == WARD_POLICY_CHANGED) !=
		    changes[i].changed)
			fail_msg(
			    "%s: change %d", changes[i].name, result.change);
		check_ok(ward_policy_current(
			     policy, "bot", in_none, NULL, &now, &err),
		    &err);
		if ((memcmp(now.rest, found.rest, sizeof(now.rest)) != 0) !=
		    changes[i].rest_changed)
			fail_msg("%s: rest", changes[i].name);
		ward_policy_found_clear(&found);
		/* unchanged or not, lines are those of the newest text */
		found = find(policy, "bot");
		if (strcmp(changes[i].name, "order") != 0)
			same_profile(found.profile, &s.profile);
		assert_memory_equal(now.rest, found.rest, sizeof(now.rest));
		ward_policy_found_clear(&found);
		ward_policy_close(policy);
		ward_compiled_clear(&was);
		ward_compiled_clear(&is);
		scratch_remove(&scratch);
	}
}

/* A rule that is not understood may be a deny. */
static const struct {
	const char *name;
	const char *sql;
} damages[] = {
	{ "kind", "UPDATE network_rules SET kind = 'x' WHERE kind = 'deny'" },
	{ "allow",
	    "UPDATE network_rules SET entry = 'a..b' "
	    "WHERE kind = 'allow'" },
	{ "allow everything",
	    "UPDATE network_rules SET entry = '*' "
	    "WHERE kind = 'allow'" },
	{ "deny", "UPDATE network_rules SET entry = '' WHERE kind = 'deny'" },
	{ "block",
	    "UPDATE network_rules SET entry = '10.0.0.1/8' "
	    "WHERE kind = 'deny-address'" },
	{ "words",
	    "UPDATE network_rules SET say = NULL "
	    "WHERE kind = 'reason'" },
	{ "proxy",
	    "UPDATE network_rules SET entry = 'none' "
	    "WHERE kind = 'upstream'" },
	{ "two proxies",
	    "UPDATE network_rules SET kind = 'upstream', "
	    "entry = 'http://a.example:1' "
	    "WHERE kind = 'reason'" },
	{ "line", "UPDATE network_rules SET line = -1" },
};

static void
damaged(void **state)
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
		struct ward_compiled compiled =
		    set_network(&s, NET("filtered", LISTS));
		policy = open_policy(&scratch, WARD_POLICY_WRITE);
		(void)apply_one(policy, &s);
		assert_int_equal(sqlite3_exec(policy->sqlite->db,
				     damages[i].sql, NULL, NULL, NULL),
		    SQLITE_OK);
		assert_int_not_equal(sqlite3_changes(policy->sqlite->db), 0);
		check_error(damages[i].name,
		    ward_policy_find(
			policy, "bot", in_none, NULL, &found, &err),
		    &err, EUCLEAN, "is damaged");
		assert_null(found.profile);
		ward_policy_close(policy);
		ward_compiled_clear(&compiled);
		scratch_remove(&scratch);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(revisions),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
