/* SPDX-License-Identifier: ISC */
/* Other programs' files, as doctor reads them; sudoers and sshd's options. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "ctl/conf.h"
#include "ctl/fence.h"
#include "ctl/sshd.h"
#include "ctl/sudoers.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct ward_conf_style hash = { .comments = "#" };
static const struct ward_conf_style both = { .comments = "#;" };
static const struct ward_conf_style indented = { .comments = "#",
	.indent = true };

/* --- lines --- */

static const struct {
	int line;
	const struct ward_conf_style *style;
	const char *text;
	const char *lines; /* "NUMBER[SECTION]text|" of each */
} files[] = {
	{ __LINE__, &hash, "", "" },
	{ __LINE__, &hash, "\n \n\t\n", "" },
	{ __LINE__, &hash, "a\n  b  \nc", "1[]a|2[]b|3[]c|" },
	{ __LINE__, &hash, "# a\n ; b\n", "2[]; b|" },
	{ __LINE__, &both, "# a\n ; b\n c", "3[]c|" },
	{ __LINE__, &hash, "a \\\n b \\\n c\nd", "1[]a    b    c|4[]d|" },
	{ __LINE__, &hash, "a \\\\\nd", "1[]a \\\\|2[]d|" },
	{ __LINE__, &hash, "a \\", "1[]a \\|" },
	/* a comment ends with its line, so that it can hide no other */
	{ __LINE__, &hash, "# a \\\nb", "2[]b|" },
	{ __LINE__, &ward_sudoers_style, "# a \\\nb", "1[]# a \\|2[]b|" },
	{ __LINE__, &both, "[one]\na\n[two] ; x\nb", "2[one]a|4[two]b|" },
	{ __LINE__, &hash, "[::1]:smtp inet\n[x", "1[][::1]:smtp inet|2[][x|" },
	{ __LINE__, &indented, "a: b,\n\tc\n d\ne", "1[]a: b, \tc  d|4[]e|" },
	{ __LINE__, &hash, "a\n b", "1[]a|2[]b|" },
	{ __LINE__, &hash, "a\r\nb\r\n", "1[]a|2[]b|" },
	{ __LINE__, &both,
	    "[0123456789012345678901234567890123456789012345678901234567890123]"
	    "\na",
	    "2[]a|" },
};

static void
lines_are_found(void **state)
{
	struct ward_conf conf;
	char text[256], got[256], *line;

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		size_t n = 0;
		(void)snprintf(text, sizeof(text), "%s", files[i].text);
		got[0] = '\0';
		ward_conf_begin(&conf, text, files[i].style);
		while ((line = ward_conf_line(&conf)) != NULL)
			n += (size_t)snprintf(got + n, sizeof(got) - n,
			    "%u[%s]%s|", conf.line, conf.section, line);
		if (strcmp(got, files[i].lines) != 0)
			fail_msg("%s:%d: %s", __FILE__, files[i].line, got);
	}
}

/* --- who is named --- */

static const struct {
	int line;
	const char *text;
	enum ward_conf_form form;
	const char *key;
	unsigned field;
	const char *user; /* NULL: none */
} users[] = {
	{ __LINE__, "user = agent", WARD_CONF_VALUE, "user", 0, "agent" },
	{ __LINE__, "user\t\t= agent", WARD_CONF_VALUE, "user", 0, "agent" },
	{ __LINE__, "user=agent", WARD_CONF_VALUE, "user", 0, "agent" },
	{ __LINE__, "User agent", WARD_CONF_VALUE, "user", 0, "agent" },
	{ __LINE__, "user agent;", WARD_CONF_VALUE, "user", 0, "agent" },
	{ __LINE__, "user \"agent\" ;", WARD_CONF_VALUE, "user", 0, "agent" },
	{ __LINE__, "User 'agent'", WARD_CONF_VALUE, "user", 0, "agent" },
	{ __LINE__, "user: agent", WARD_CONF_VALUE, "user", 0, "agent" },
	{ __LINE__, "users = agent", WARD_CONF_VALUE, "user", 0, NULL },
	{ __LINE__, "xuser = agent", WARD_CONF_VALUE, "user", 0, NULL },
	{ __LINE__, "user", WARD_CONF_VALUE, "user", 0, "" },
	{ __LINE__, "", WARD_CONF_VALUE, "user", 0, NULL },
	{ __LINE__, "force user = agent", WARD_CONF_VALUE, "force user", 0,
	    "agent" },
	{ __LINE__, "ForceUser=agent", WARD_CONF_VALUE, "force user", 0,
	    "agent" },
	{ __LINE__, "force  user agent", WARD_CONF_VALUE, "force user", 0,
	    "agent" },
	{ __LINE__, "export APACHE_RUN_USER=agent", WARD_CONF_WORD, "USER", 0,
	    "agent" },
	{ __LINE__, "x unix - n - pipe flags=R user=vmail:vmail argv=/b",
	    WARD_CONF_WORD, "user", 0, "vmail:vmail" },
	{ __LINE__, "X=\"a b\" Y_USER=\"agent\"", WARD_CONF_WORD, "user", 0,
	    "agent" },
	{ __LINE__, "WSGIDaemonProcess x user=agent group=g", WARD_CONF_WORD,
	    "user", 0, "agent" },
	{ __LINE__, "userx=agent USER agent", WARD_CONF_WORD, "user", 0, NULL },
	{ __LINE__, "ftp stream tcp nowait agent /b b", WARD_CONF_FIELD, NULL,
	    4, "agent" },
	{ __LINE__, "ftp stream tcp nowait agent.g /b b", WARD_CONF_FIELD,
	    ".:/", 4, "agent" },
	{ __LINE__, "ftp stream tcp nowait", WARD_CONF_FIELD, ".:/", 4, NULL },
	{ __LINE__, "* * * * * agent touch x", WARD_CONF_CRON, NULL, 0,
	    "agent" },
	{ __LINE__, "@daily agent touch x", WARD_CONF_CRON, NULL, 0, "agent" },
	{ __LINE__, "1 2 3 4 5 root X=agent", WARD_CONF_CRON, NULL, 0, "root" },
	{ __LINE__, "MAILTO = a b c d agent", WARD_CONF_CRON, NULL, 0, NULL },
	{ __LINE__, "MAILTO=a b c d agent", WARD_CONF_CRON, NULL, 0, NULL },
	{ __LINE__, "1 2 3 4 5", WARD_CONF_CRON, NULL, 0, NULL },
};

static void
users_are_found(void **state)
{
	char text[256];

	(void)state;
	for (size_t i = 0; i < COUNT(users); i++) {
		(void)snprintf(text, sizeof(text), "%s", users[i].text);
		const char *user = ward_conf_user(
		    text, users[i].form, users[i].key, users[i].field);
		if (user == NULL || users[i].user == NULL
			? user != users[i].user
			: strcmp(user, users[i].user) != 0)
			fail_msg("%s:%d: %s", __FILE__, users[i].line,
			    user == NULL ? "(none)" : user);
	}
}

static void
accounts_are_known(void **state)
{
	static const char *const its[] = { "agent", "agent:g", "agent,x",
		"agent ", "agent;", "1001", "#1001", "1001:1001" };
	static const char *const others[] = { "", "agen", "agentx", "agent.x",
		"xagent", "100", "10010", "#", "#agentx", "root" };

	(void)state;
	for (size_t i = 0; i < COUNT(its); i++)
		if (!ward_conf_is_user(its[i], "agent", 1001))
			fail_msg("%s", its[i]);
	for (size_t i = 0; i < COUNT(others); i++)
		if (ward_conf_is_user(others[i], "agent", 1001))
			fail_msg("%s", others[i]);
}

/* --- sudoers --- */

static const struct {
	int line;
	const char *text;
	enum ward_sudoers_kind kind;
	const char *path;
} includes[] = {
	{ __LINE__, "@include /a", WARD_SUDOERS_FILE, "/a" },
	{ __LINE__, "#include /a", WARD_SUDOERS_FILE, "/a" },
	{ __LINE__, "@includedir\t\"/a b\"", WARD_SUDOERS_DIRECTORY, "/a b" },
	{ __LINE__, "#includedir /a", WARD_SUDOERS_DIRECTORY, "/a" },
	{ __LINE__, "# include /a", WARD_SUDOERS_OTHER, NULL },
	{ __LINE__, "#includes /a", WARD_SUDOERS_OTHER, NULL },
	{ __LINE__, "@include", WARD_SUDOERS_OTHER, NULL },
	{ __LINE__, "include /a", WARD_SUDOERS_OTHER, NULL },
	{ __LINE__, "#1001 ALL=(ALL) ALL", WARD_SUDOERS_OTHER, NULL },
	{ __LINE__, "Defaults !pam_session", WARD_SUDOERS_DEFAULTS, NULL },
	{ __LINE__, "Defaults@h x", WARD_SUDOERS_DEFAULTS, NULL },
	{ __LINE__, "Defaults", WARD_SUDOERS_DEFAULTS, NULL },
	{ __LINE__, "Defaultsx", WARD_SUDOERS_OTHER, NULL },
	{ __LINE__, "agent ALL=(ALL) ALL", WARD_SUDOERS_OTHER, NULL },
};

static void
sudoers_includes(void **state)
{
	char text[256], *path;

	(void)state;
	for (size_t i = 0; i < COUNT(includes); i++) {
		(void)snprintf(text, sizeof(text), "%s", includes[i].text);
		path = NULL;
		enum ward_sudoers_kind kind = ward_sudoers_kind_of(text, &path);
		bool has_path =
		    kind == WARD_SUDOERS_FILE || kind == WARD_SUDOERS_DIRECTORY;
		if (kind != includes[i].kind ||
		    (has_path && strcmp(path, includes[i].path) != 0))
			fail_msg("%s:%d: %d", __FILE__, includes[i].line, kind);
	}
}

static const struct {
	int line;
	const char *text;
	bool takes_away; /* for the account agent */
} defaults[] = {
	{ __LINE__, "Defaults !pam_session", true },
	{ __LINE__, "Defaults ! pam_session", true },
	{ __LINE__, "Defaults\t!!!pam_session", true },
	{ __LINE__, "Defaults !!pam_session", false },
	{ __LINE__, "Defaults pam_session", false },
	{ __LINE__, "Defaults !pam_sessions", false },
	{ __LINE__, "Defaults !pam_setcred", false },
	{ __LINE__, "Defaults !pam_setcred,!pam_session", true },
	{ __LINE__, "Defaults x=\"a, !pam_session\"", false },
	{ __LINE__, "Defaults x=\"a\\\", b\", !pam_session", true },
	{ __LINE__, "Defaults x # !pam_session", false },
	{ __LINE__, "Defaults x, y = z , !pam_session # ok", true },
	{ __LINE__, "Defaults env_keep += \"A B\", !pam_session", true },
	{ __LINE__, "Defaults:alice !pam_session", true },
	{ __LINE__, "Defaults:alice, bob !pam_session", true },
	{ __LINE__, "Defaults@host !pam_session", true },
	{ __LINE__, "Defaults!/bin/ls !pam_session", true },
	{ __LINE__, "Defaults>root !pam_session", false },
	{ __LINE__, "Defaults> root , www-data !pam_session", false },
	{ __LINE__, "Defaults>root,agent !pam_session", true },
	{ __LINE__, "Defaults>agent !pam_session", true },
	{ __LINE__, "Defaults>agents !pam_session", false },
	{ __LINE__, "Defaults>ALL !pam_session", true },
	{ __LINE__, "Defaults>SERVICES !pam_session", true },
	{ __LINE__, "Defaults>#1001 !pam_session", true },
	{ __LINE__, "Defaults>%users !pam_session", true },
	{ __LINE__, "Defaults>!root !pam_session", true },
	{ __LINE__, "Defaults>\"root\" !pam_session", true },
	{ __LINE__, "Defaults>root", false },
	{ __LINE__, "Defaults>", false },
	{ __LINE__, "Defaults", false },
};

static void
sudoers_defaults(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(defaults); i++)
		if (ward_sudoers_takes_away(defaults[i].text, "pam_session",
			"agent") != defaults[i].takes_away)
			fail_msg("%s:%d: %s", __FILE__, defaults[i].line,
			    defaults[i].text);
}

static void
sudoers_paths(void **state)
{
	char out[16];

	(void)state;
	assert_true(ward_sudoers_path("/a", "/etc/s", "h.x", out, 16));
	assert_string_equal(out, "/a");
	assert_true(ward_sudoers_path("a", "/etc/s", "h.x", out, 16));
	assert_string_equal(out, "/etc/a");
	assert_true(ward_sudoers_path("/a.%h", "/etc/s", "h.x", out, 16));
	assert_string_equal(out, "/a.h");
	assert_true(ward_sudoers_path("/a\\ b%", "/etc/s", "h.x", out, 16));
	assert_string_equal(out, "/a b%");
	assert_true(ward_sudoers_path("/34567890123456", "/", "h", out, 16));
	assert_false(ward_sudoers_path("/345678901234567", "/", "h", out, 16));
	assert_false(ward_sudoers_path("a", "/etc/sudoers.d/", "h", out, 14));
	assert_true(ward_sudoers_is_skipped("a.b"));
	assert_true(ward_sudoers_is_skipped("a~"));
	assert_true(ward_sudoers_is_skipped(".."));
	assert_false(ward_sudoers_is_skipped("a"));
}

/* --- sshd --- */

static const struct {
	int line;
	const char *text;
	const char *options; /* the file and each setting, "|" behind each */
} command_lines[] = {
	{ __LINE__, "", "/etc/ssh/sshd_config|" },
	{ __LINE__, "/usr/sbin/sshd -D", "/etc/ssh/sshd_config|" },
	{ __LINE__, "sshd: /usr/sbin/sshd -D -f /a [listener] 0 of 10-100",
	    "/a|" },
	{ __LINE__, "sshd -f/a -p 22 -f /b", "/b|" },
	{ __LINE__, "sshd -Df /a", "/a|" },
	{ __LINE__, "sshd -p -f", "/etc/ssh/sshd_config|" },
	{ __LINE__, "sshd -o UsePAM=no -oPort=3 -ddo 'UsePAM no'",
	    "/etc/ssh/sshd_config|UsePAM=no|Port=3|UsePAM no|" },
	{ __LINE__, "sshd -o UsePAM no -f /a", "/a|UsePAM=no|" },
	{ __LINE__, "sshd -o UsePAM [listener]",
	    "/etc/ssh/sshd_config|UsePAM|" },
	{ __LINE__, "sshd -o", "/etc/ssh/sshd_config|" },
	{ __LINE__, "sshd -o UsePAM", "/etc/ssh/sshd_config|UsePAM|" },
	{ __LINE__, "sshd -o a= -o b= -o c= -o d= -o e= -o f= -o g= -o h= -o i",
	    "/etc/ssh/sshd_config|a=|b=|c=|d=|e=|f=|g=|h=|too many" },
};

static void
options_of_sshd(void **state)
{
	struct ward_sshd_options options;
	char text[256], got[512];

	(void)state;
	for (size_t i = 0; i < COUNT(command_lines); i++) {
		(void)snprintf(text, sizeof(text), "%s", command_lines[i].text);
		ward_sshd_read_options(text, &options);
		int n = snprintf(got, sizeof(got), "%s|", options.file);
		for (size_t k = 0; k < options.n; k++)
			n += snprintf(got + n, sizeof(got) - (size_t)n, "%s|",
			    options.settings[k]);
		(void)snprintf(got + n, sizeof(got) - (size_t)n, "%s",
		    options.too_many ? "too many" : "");
		if (strcmp(got, command_lines[i].options) != 0)
			fail_msg(
			    "%s:%d: %s", __FILE__, command_lines[i].line, got);
	}
	assert_false(ward_sshd_is_foreign("/usr/sbin/sshd"));
	assert_true(ward_sshd_is_foreign("/usr/local/sbin/sshd"));
	assert_false(ward_sshd_is_foreign("/usr/bin/ssh"));
}

/* --- the fence's set --- */

static void
uids_of_the_fence(void **state)
{
	uid_t uids[2] = { 0 };

	(void)state;
	assert_int_equal(ward_fence_read("", uids, 2), 0);
	assert_int_equal(ward_fence_read("set a {\ntype uid\n}", uids, 2), 0);
	assert_int_equal(
	    ward_fence_read("table inet ward {\n\tset accounts {\n\t\ttype uid"
			    "\n\t\telements = { 1000, 1001,\n\t\t\t     7 }"
			    "\n\t}\n}\n",
		uids, 2),
	    3);
	assert_int_equal(uids[0], 1000);
	assert_int_equal(uids[1], 1001);
	assert_int_equal(
	    ward_fence_read("elements = { 99999999999999999999 } 5", uids, 2),
	    0);
	assert_int_equal(ward_fence_read("elements = { 12", uids, 2), 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_found),
		cmocka_unit_test(users_are_found),
		cmocka_unit_test(accounts_are_known),
		cmocka_unit_test(sudoers_includes),
		cmocka_unit_test(sudoers_defaults),
		cmocka_unit_test(sudoers_paths),
		cmocka_unit_test(options_of_sshd),
		cmocka_unit_test(uids_of_the_fence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
