/* SPDX-License-Identifier: ISC */
/*
 * The manual pages against the tables that the programs are made of: every key
 * of a profile with its type, bounds and default, every refusal, every service,
 * and nothing beyond them.  wardctl(8) is test_man_wardctl.sh's.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/places.h"
#include "common/refusal.h"
#include "profiles/protect.h"
#include "profiles/schema.h"

#define PAGE_MAX 65536
#define ITEM_MAX 8192

static const char *const pages[] = { "pam_ward.8", "ward-assignments.5",
	"ward-profile.5", "ward.7", "wardctl.8", "warden.8", "wardsh.1",
	"ward.1" };
#define N_PAGES (sizeof(pages) / sizeof(pages[0]))

static char page[PAGE_MAX];

/* Into page. */
static void
load(const char *name)
{
	const char *top = getenv("srcdir");
	char path[4096];

	assert_true(snprintf(path, sizeof(path), "%s/man/%s",
			top == NULL ? "." : top, name) < (int)sizeof(path));
	FILE *file = fopen(path, "r");
	if (file == NULL)
		fail_msg("%s cannot be opened", path);
	size_t n = fread(page, 1, sizeof(page) - 1, file);
	assert_true(feof(file));
	assert_int_equal(fclose(file), 0);
	page[n] = '\0';
}

/* The next word of a line; 0 at its end. */
static size_t
next_word(const char **at, const char **word)
{
	while (**at == ' ')
		(*at)++;
	*word = *at;
	size_t n = strcspn(*at, " \n");
	*at += n;
	return n;
}

/* Every mdoc macro is of two letters, and no word of a page looks so. */
static bool
is_macro(const char *word, size_t n)
{
	return n == 2 && word[0] >= 'A' && word[0] <= 'Z' && word[1] >= 'a' &&
	    word[1] <= 'z' && strncmp(word, "At", 2) != 0 &&
	    strncmp(word, "If", 2) != 0 && strncmp(word, "It", 2) != 0;
}

/* One line as a reader sees it, behind what is in out. */
static void
add_line(const char *line, char *out)
{
	bool is_request = line[0] == '.';
	const char *word, *at = line;
	size_t n, used = strlen(out);

	if (is_request)
		(void)next_word(&at, &word);
	while ((n = next_word(&at, &word)) > 0) {
		if (is_request && is_macro(word, n))
			continue;
		assert_true(used + n + 2 < ITEM_MAX);
		if (used > 0)
			out[used++] = ' ';
		memcpy(out + used, word, n);
		used += n;
		out[used] = '\0';
	}
}

static const char *
next_line(const char *line)
{
	line += strcspn(line, "\n");
	return *line == '\n' ? line + 1 : line;
}

static bool
begins(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

/* The text of the item whose head line this is. */
static void
read_item(const char *head, char *out)
{
	unsigned depth = 0;

	out[0] = '\0';
	for (const char *line = next_line(head); *line != '\0';
	     line = next_line(line)) {
		if (depth == 0 && (begins(line, ".It") || begins(line, ".El")))
			return;
		if (begins(line, ".Bl"))
			depth++;
		else if (begins(line, ".El"))
			depth--;
		add_line(line, out);
	}
	fail_msg("a list of the page does not end");
}

/* Its head line, which is the only one; NULL if there is none. */
static const char *
find_item(const char *head)
{
	const char *found = NULL;

	for (const char *line = page; *line != '\0'; line = next_line(line)) {
		if (!begins(line, head) || line[strlen(head)] != '\n')
			continue;
		if (found != NULL)
			fail_msg("\"%s\" is there twice", head);
		found = line;
	}
	return found;
}

static void
want(const char *what, const char *text, const char *words)
{
	if (strstr(text, words) == NULL)
		fail_msg("%s: \"%s\" is missing in \"%s\"", what, words, text);
}

static void
want_none(const char *what, const char *text, const char *words)
{
	if (strstr(text, words) != NULL)
		fail_msg("%s: \"%s\" is too much in \"%s\"", what, words, text);
}

/* A bound as people write it. */
static void
show_bound(enum ward_key_type type, uint64_t bound, char out[32])
{
	static const char units[] = "KMGT";
	size_t i = 0;

	if (type == WARD_TYPE_DURATION && bound >= 86400) {
		(void)snprintf(out, 32, "%ud", (unsigned)(bound / 86400));
		return;
	}
	if (type != WARD_TYPE_SIZE) {
		(void)snprintf(out, 32, "%u", (unsigned)bound);
		return;
	}
	for (bound >>= 10; bound >= 1024 && units[i + 1] != '\0'; i++)
		bound >>= 10;
	(void)snprintf(out, 32, "%u%c", (unsigned)bound, units[i]);
}

/* What the item of a key says of its type. */
static void
type_words(const struct ward_key *key, char *out, size_t size)
{
	static const char *const words[] = {
		[WARD_TYPE_NAME] = "Name of a profile",
		[WARD_TYPE_TEXT] = "One line of text",
		[WARD_TYPE_BOOLEAN] = "Boolean.",
		[WARD_TYPE_NUMBER] = "Number",
		[WARD_TYPE_SIZE] = "Size",
		[WARD_TYPE_DURATION] = "Duration",
		[WARD_TYPE_SHELL] = "An absolute path.",
		[WARD_TYPE_PARENTS] = "List of names of profiles",
		[WARD_TYPE_PATHS] = "List of paths",
		[WARD_TYPE_VARIABLES] = "List of variables",
		[WARD_TYPE_SETTINGS] = "List of groups",
		[WARD_TYPE_SERVICES] = "List of PAM services",
		[WARD_TYPE_PROTECTED] = "List of protected names",
		[WARD_TYPE_PROXY] = "A proxy",
		[WARD_TYPE_ENDPOINTS] = "List of hosts",
		[WARD_TYPE_REASONS] = "List of groups",
		[WARD_TYPE_BLOCKS] = "List of addresses",
	};
	char least[32], most[32];

	if (key->type == WARD_TYPE_CHOICE) {
		bool three = key->choices[2] != NULL;
		(void)snprintf(out, size, "One of %s%s%s and %s .",
		    key->choices[0], three ? " , " : "",
		    three ? key->choices[1] : "", key->choices[three ? 2 : 1]);
		return;
	}
	if (key->most == 0) {
		(void)snprintf(out, size, "%s", words[key->type]);
		return;
	}
	show_bound(key->type, key->least, least);
	show_bound(key->type, key->most, most);
	(void)snprintf(out, size, "%s from %s to %s%s", words[key->type], least,
	    most, key->may_be_unlimited ? ", or unlimited ." : ".");
}

static void
check_key(const struct ward_key *key)
{
	char head[128], text[ITEM_MAX], words[128];

	(void)snprintf(head, sizeof(head), ".It Ic %s", key->path);
	const char *item = find_item(head);
	if (item == NULL)
		fail_msg("ward-profile(5) does not have %s", key->path);
	read_item(item, text);
	type_words(key, words, sizeof(words));
	if (!begins(text, words))
		fail_msg("%s: \"%s\" does not begin with \"%s\"", key->path,
		    text, words);
	if (key->initial == NULL) {
		want_none(key->path, text, "Default:");
		return;
	}
	(void)snprintf(words, sizeof(words), "Default: %s", key->initial);
	want(key->path, text, words);
}

static void
test_keys(void **state)
{
	(void)state;
	load("ward-profile.5");
	for (size_t i = 0; i < WARD_KEY_COUNT; i++)
		if (ward_keys[i].type != WARD_TYPE_GROUP)
			check_key(&ward_keys[i]);
}

/* The built-in list, and no other name in it. */
static void
test_protected_names(void **state)
{
	char line[128];
	size_t n = 0;

	(void)state;
	load("ward-profile.5");
	const char *list = strstr(page, "The built-in list is:\n");
	assert_non_null(list);
	const char *end = strstr(list, ".Ed\n");
	assert_non_null(end);
	for (const char *at = list; at < end; at = next_line(at))
		n += begins(at, ".Pa ");
	assert_int_equal(n, ward_n_protected_names);
	for (size_t i = 0; i < ward_n_protected_names; i++) {
		(void)snprintf(
		    line, sizeof(line), "\n.Pa %s\n", ward_protected_names[i]);
		const char *found = strstr(list, line);
		if (found == NULL || found > end)
			fail_msg(
			    "%s is not in the list", ward_protected_names[i]);
	}
}

/* .Ic marks a key in every page, and nothing else. */
static void
check_key_names(const char *name, const char *line)
{
	const char *word, *at = line;
	bool marked = false;
	size_t n;

	while ((n = next_word(&at, &word)) > 0) {
		char key[128];
		bool is_request = word == line && *word == '.';
		if (is_request && n == 3) {
			word++;
			n--;
		}
		if (is_macro(word, n) || (is_request && n != 2)) {
			marked = n == 2 && strncmp(word, "Ic", n) == 0;
			continue;
		}
		if (!marked || n == 1)
			continue;
		assert_true(n < sizeof(key));
		memcpy(key, word, n);
		key[n] = '\0';
		if (ward_key_find(key) == WARD_KEY_COUNT)
			fail_msg("%s: there is no key %s", name, key);
	}
}

static void
test_no_other_key(void **state)
{
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < N_PAGES; i++) {
		load(pages[i]);
		for (const char *line = page; *line != '\0';
		     line = next_line(line)) {
			if (line[0] != '.' || strstr(line, "Ic ") == NULL)
				continue;
			check_key_names(pages[i], line);
			n++;
		}
	}
	assert_true(n >= WARD_KEY_COUNT / 2);
}

static void
test_services(void **state)
{
	char text[ITEM_MAX], words[64];

	(void)state;
	load("ward-profile.5");
	const char *item = find_item(".It Ic services");
	assert_non_null(item);
	read_item(item, text);
	for (size_t i = 0; i < ward_n_services; i++) {
		(void)snprintf(words, sizeof(words), " %s %s", ward_services[i],
		    i + 1 < ward_n_services ? "," : ".");
		want("services", text, words);
	}
}

static void
test_refusals(void **state)
{
	char head[32], text[ITEM_MAX];
	unsigned n = 0;

	(void)state;
	load("ward.7");
	for (unsigned code = 0; code < 1000; code++) {
		const struct ward_refusal_text *refusal =
		    ward_refusal_find(code);
		(void)snprintf(head, sizeof(head), ".It W%03u", code);
		const char *item = find_item(head);
		if ((item == NULL) != (refusal == NULL))
			fail_msg("W%03u: %s", code,
			    item == NULL ? "ward(7) does not have it"
					 : "there is no such code");
		if (item == NULL || refusal == NULL)
			continue;
		n++;
		read_item(item, text);
		/* each is a sentence there: past its first letter */
		want(head, text, refusal->meaning + 1);
		want(head, text, refusal->remedy + 1);
	}
	assert_true(n > 10);
}

/* Codes that a page names in passing. */
static void
test_codes_elsewhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_PAGES; i++) {
		load(pages[i]);
		for (const char *at = page; (at = strchr(at, 'W')) != NULL;
		     at++) {
			if (strspn(at + 1, "0123456789") != 3)
				continue;
			unsigned code = (unsigned)strtoul(at + 1, NULL, 10);
			if (ward_refusal_find(code) == NULL)
				fail_msg("%s: there is no code W%03u", pages[i],
				    code);
		}
	}
}

static void
test_places(void **state)
{
	static const char *const places[] = { WARD_ETC_PROFILES,
		WARD_ASSIGNMENTS, WARD_AUTHORIZED_KEYS, WARD_POLICY_DB,
		WARD_VIOLATIONS_DB, WARD_RUN };
	char head[128];

	(void)state;
	load("ward.7");
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		(void)snprintf(head, sizeof(head), ".It Pa %s", places[i]);
		want("ward.7", page, head);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_protected_names),
		cmocka_unit_test(test_no_other_key),
		cmocka_unit_test(test_services),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_codes_elsewhere),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
