/* SPDX-License-Identifier: ISC */
/* /etc/ward/ward.conf: what it says holds, and what is wrong is said. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profiles/retention.h"

#define DAY UINT64_C(86400)
#define MIB (UINT64_C(1) << 20)

static const struct {
	const char *text;
	uint64_t age, size;
	const char *wrong; /* NULL: nothing */
} cases[] = {
	{ "", 90 * DAY, 1024 * MIB, NULL },
	{ "# nothing\n", 90 * DAY, 1024 * MIB, NULL },
	{ "retention: { };", 90 * DAY, 1024 * MIB, NULL },
	{ "retention: { age = \"7d\"; };", 7 * DAY, 1024 * MIB, NULL },
	{ "retention: { size = \"16M\"; };", 90 * DAY, 16 * MIB, NULL },
	{ "retention: { age = \"0\"; size = \"0\"; };", 0, 0, NULL },
	{ "retention: { age = 7; };", 0, 0,
	    "w:1: age wants a time, such as age = \"90d\"; or \"0\", for "
	    "ever" },
	{ "retention: { age = \"7y\"; };", 0, 0, "w:1: age wants a time" },
	{ "retention: { age = \"99999999d\"; };", 0, 0,
	    "w:1: age wants a time" },
	{ "\nretention: { size = \"15M\"; };", 0, 0,
	    "w:2: size wants 16M or more" },
	{ "retention: { size = \"x\"; };", 0, 0, "w:1: size wants" },
	{ "retention: { days = \"7d\"; };", 0, 0,
	    "w:1: unknown key days: retention has age and size" },
	{ "retention: { aeg = \"7d\"; };", 0, 0,
	    "w:1: unknown key aeg: did you mean age?" },
	{ "retentoin: { age = \"7d\"; };", 0, 0,
	    "w:1: unknown key retentoin: did you mean retention?" },
	{ "retention = \"7d\";", 0, 0, "w:1: retention wants a group" },
	{ "retention: { age = \"7d\" ", 0, 0, "w:1: " },
	{ "@include \"x\"\n", 0, 0, "w:1: " },
};

static void
parse(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ward_diagnostics findings = { 0 };
		struct ward_retention got = { 0 };
		struct err err = { 0 };

		int r = ward_retention_parse("w", cases[i].text,
		    strlen(cases[i].text), &got, &findings, &err);
		ward_diagnostics_clear(&findings);
		if (cases[i].wrong != NULL) {
			if (r != -EINVAL ||
			    strncmp(err.text, cases[i].wrong,
				strlen(cases[i].wrong)) != 0)
				fail_msg(
				    "%s: %d %s", cases[i].text, r, err.text);
			continue;
		}
		if (r != 0)
			fail_msg("%s: %s", cases[i].text, err.text);
		assert_int_equal(got.age, cases[i].age);
		assert_int_equal(got.size, cases[i].size);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
