/* SPDX-License-Identifier: ISC */
/*
 * The plan without memory: each allocation fails once.  Linked with --wrap for
 * the functions below; what the resolver allocates does not count.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profiles/plan.h"
#include "tests/unit/plan_setting.h"

static bool counts;
static unsigned left; /* allocations until one fails */

static bool
fails(void)
{
	if (!counts)
		return false;
	if (left > 0) {
		left--;
		return false;
	}
	counts = false;
	errno = ENOMEM;
	return true;
}

/* The linker's names. */
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_reallocarray(void *pointer, size_t n, size_t size);
void *__wrap_reallocarray(void *pointer, size_t n, size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__real_strndup(const char *text, size_t n);
char *__wrap_strndup(const char *text, size_t n);
FILE *__real_open_memstream(char **text, size_t *size);
FILE *__wrap_open_memstream(char **text, size_t *size);
char *__real_ward_path_join(const char *directory, const char *name);
char *__wrap_ward_path_join(const char *directory, const char *name);

void *
__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *
__wrap_reallocarray(void *pointer, size_t n, size_t size)
{
	return fails() ? NULL : __real_reallocarray(pointer, n, size);
}

char *
__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

char *
__wrap_strndup(const char *text, size_t n)
{
	return fails() ? NULL : __real_strndup(text, n);
}

FILE *
__wrap_open_memstream(char **text, size_t *size)
{
	return fails() ? NULL : __real_open_memstream(text, size);
}

char *
__wrap_ward_path_join(const char *directory, const char *name)
{
	return fails() ? NULL : __real_ward_path_join(directory, name);
}

static int
resolve(
    void *context, const char *path, struct ward_place *place, struct err *err)
{
	bool counted = counts;
	int r;

	counts = false;
	r = fake_fs_resolve(context, path, place, err);
	counts = counted;
	return r;
}

static int
list(void *context, const char *directory, char ***names, size_t *n_names,
    struct err *err)
{
	bool counted = counts;
	int r;

	counts = false;
	r = fake_fs_list(context, directory, names, n_names, err);
	counts = counted;
	return r;
}

static int
protect(void *context, const char *place, const struct ward_rule *const *names,
    size_t n_names, struct ward_protected_list *found, struct err *err)
{
	bool counted = counts;
	int r;

	counts = false;
	r = fake_fs_protect(context, place, names, n_names, found, err);
	counts = counted;
	return r;
}

static void
test_each_allocation(void **state)
{
	static const struct ward_plan_account account = { "agent", "/h/agent" };
	struct plan_setting s;
	struct ward_plan *plan = NULL;
	unsigned n = 0;

	(void)state;
	plan_setting_init(&s,
	    "l /h home l /bin usr/bin u /srv/l /etc p /opt/fifo "
	    "x /srv/closed l /opt/up / d /var/log d /srv/link/k "
	    "f /srv/agent/.envrc u /srv/agent/.vscode dots d /srv/agent/dots",
	    "closed;ra /bin;wa ~;rd ~/.aws;wd ~;wa /srv/*/k;rd /srv/closed/x;"
	    "wa /opt/*;ra /none;pr .x;un .idea;wa /srv/${user};rd /srv/*/*/b");
	const struct ward_resolver resolver = { resolve, list, protect, &s.fs };
	for (;; n++) {
		struct err err = { 0 };

		left = n;
		counts = true;
		int r = ward_plan_compile(
		    &s.profile, &account, &resolver, &plan, &err);
		/* still set: nothing failed */
		if (counts) {
			counts = false;
			assert_int_equal(r, 0);
			break;
		}
		if (r != -ENOMEM || plan != NULL || err.code != ENOMEM)
			fail_msg("allocation %u: %d, %s", n, r, err.text);
	}
	/* so the wraps did wrap */
	assert_true(n > 100);
	ward_plan_free(plan);
	plan_setting_clear(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_allocation),
	};

	return cmocka_run_group_tests_name("plan_memory", tests, NULL, NULL);
}
