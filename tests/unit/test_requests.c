/* SPDX-License-Identifier: ISC */
/* Requests: what is counted on one row, what bounds them, and their answers. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "db/requests.h"
#include "tests/unit/violations_sample.h"

static struct ward_violations *
open_filled(struct scratch *scratch)
{
	scratch_make(scratch);
	struct ward_violations *store =
	    open_store(scratch, WARD_VIOLATIONS_WRITE);
	start_sandbox(store, "b1", "bot", 1001, 1);
	start_session(store, "s1", "b1", "bot", 1001, 2);
	start_sandbox(store, "b2", "tob", 1002, 1);
	return store;
}

static void
ask(struct ward_violations *store, const char *account, const char *host,
    uint16_t port, int64_t when)
{
	bool is_bot = strcmp(account, "bot") == 0;
	const struct ward_violations_request request = {
		.sandbox = is_bot ? "b1" : "b2",
		.session = is_bot ? "s1" : NULL,
		.account = account,
		.host = host,
		.port = port,
		.when = when,
	};
	struct err err = { 0 };

	check_ok(ward_violations_request_add(store, &request, &err), &err);
}

static int
note_request(void *context, const struct ward_violations_request_row *row)
{
	static const char *const words[] = { "open", "approved", "refused" };
	struct lines *lines = context;
	size_t used = strlen(lines->text);

	(void)snprintf(lines->text + used, sizeof(lines->text) - used,
	    "%lld %s %s:%u x%lld %lld-%lld %s %s", (long long)row->id,
	    row->account, row->host, row->port, (long long)row->count,
	    (long long)row->first, (long long)row->last,
	    row->session == NULL ? "-" : row->session, words[row->answer]);
	used = strlen(lines->text);
	if (row->answered != 0)
		(void)snprintf(lines->text + used, sizeof(lines->text) - used,
		    " %lld %s %s %lld", (long long)row->answered, row->answerer,
		    row->reason == NULL ? "-" : row->reason,
		    (long long)row->grant);
	used = strlen(lines->text);
	(void)snprintf(lines->text + used, sizeof(lines->text) - used, "\n");
	return 0;
}

static void
expect(struct ward_violations *store, const char *account, bool open_only,
    const char *expected)
{
	const struct ward_violations_request_filter filter = {
		.account = account,
		.open_only = open_only,
	};
	struct lines lines = { "" };
	struct err err = { 0 };

	check_ok(ward_violations_each_request(
		     store, &filter, note_request, &lines, &err),
	    &err);
	assert_string_equal(lines.text, expected);
}

static int
note_why(void *context, const struct ward_violations_request_row *row)
{
	struct lines *lines = context;
	size_t used = strlen(lines->text);

	(void)snprintf(lines->text + used, sizeof(lines->text) - used, "%s ",
	    row->why == NULL ? "-" : row->why);
	return 0;
}

/* Whoever gives a reason has the last word; who gives none takes none away. */
static void
reasons(void **state)
{
	static const char *const said[] = { NULL, "first", NULL, "last", NULL };
	const struct ward_violations_request_filter all = { 0 };
	struct lines lines = { "" };
	struct scratch scratch;
	struct err err = { 0 };
	struct ward_violations *store = open_filled(&scratch);
	struct ward_violations_request request = {
		.sandbox = "b1",
		.account = "bot",
		.host = "a.example",
		.port = 443,
		.when = 10,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		request.why = said[i];
		check_ok(
		    ward_violations_request_add(store, &request, &err), &err);
		check_ok(ward_violations_each_request(
			     store, &all, note_why, &lines, &err),
		    &err);
	}
	assert_string_equal(lines.text, "- first first last last ");
	ward_violations_close(store);
	scratch_remove(&scratch);
}

static int
answer(struct ward_violations *store, int64_t id, enum ward_answer answer,
    int64_t when, struct err *err)
{
	const struct ward_violations_answer said = {
		.request = id,
		.answer = answer,
		.when = when,
		.who = "ann",
		.reason = answer == WARD_ANSWER_REFUSED ? "no" : NULL,
		.grant = answer == WARD_ANSWER_APPROVED ? 7 : 0,
	};

	*err = (struct err){ 0 };
	return ward_violations_request_answer(store, &said, err);
}

static void
repeats(void **state)
{
	struct scratch scratch;
	struct ward_violations *store = open_filled(&scratch);

	(void)state;
	ask(store, "bot", "a.example", 443, 10);
	ask(store, "bot", "a.example", 443, 30);
	ask(store, "bot", "a.example", 443, 20);
	ask(store, "bot", "a.example", 80, 40);
	ask(store, "tob", "a.example", 443, 50);
	expect(store, NULL, true,
	    "1 bot a.example:443 x3 10-30 s1 open\n"
	    "2 bot a.example:80 x1 40-40 s1 open\n"
	    "3 tob a.example:443 x1 50-50 - open\n");
	expect(store, "tob", true, "3 tob a.example:443 x1 50-50 - open\n");
	ward_violations_close(store);
	scratch_remove(&scratch);
}

static void
answers(void **state)
{
	struct scratch scratch;
	struct err err = { 0 };
	struct ward_violations *store = open_filled(&scratch);

	(void)state;
	ask(store, "bot", "a.example", 443, 10);
	ask(store, "bot", "b.example", 443, 11);
	check_ok(answer(store, 1, WARD_ANSWER_APPROVED, 20, &err), &err);
	check_ok(answer(store, 2, WARD_ANSWER_REFUSED, 21, &err), &err);
	expect(store, NULL, true, "");
	/* after a grant was over it is asked for anew; a refusal stands */
	ask(store, "bot", "a.example", 443, 30);
	ask(store, "bot", "b.example", 443, 31);
	expect(store, NULL, false,
	    "1 bot a.example:443 x1 10-10 s1 approved 20 ann - 7\n"
	    "2 bot b.example:443 x2 11-31 s1 refused 21 ann no 0\n"
	    "3 bot a.example:443 x1 30-30 s1 open\n");
	check_error("approved twice",
	    answer(store, 1, WARD_ANSWER_APPROVED, 40, &err), &err, EALREADY,
	    "request 1 is answered already");
	check_error("approved and refused",
	    answer(store, 1, WARD_ANSWER_REFUSED, 40, &err), &err, EALREADY,
	    "request 1 is answered already");
	check_error("refused twice",
	    answer(store, 2, WARD_ANSWER_REFUSED, 40, &err), &err, EALREADY,
	    "request 2 is answered already");
	check_error("absent", answer(store, 9, WARD_ANSWER_REFUSED, 40, &err),
	    &err, ENOENT, "there is no request 9");
	/* somebody thinks again */
	check_ok(answer(store, 2, WARD_ANSWER_APPROVED, 50, &err), &err);
	ask(store, "bot", "b.example", 443, 60);
	expect(store, NULL, true,
	    "3 bot a.example:443 x1 30-30 s1 open\n"
	    "4 bot b.example:443 x1 60-60 s1 open\n");
	ward_violations_close(store);
	scratch_remove(&scratch);
}

static int64_t
dropped(struct ward_violations *store, const char *account)
{
	struct err err = { 0 };
	int64_t n = -1;

	check_ok(
	    ward_violations_requests_dropped(store, account, &n, &err), &err);
	return n;
}

static int
count_request(void *context, const struct ward_violations_request_row *row)
{
	(void)row;
	(*(size_t *)context)++;
	return 0;
}

static size_t
count(struct ward_violations *store, const char *account)
{
	const struct ward_violations_request_filter filter = { .account =
								   account };
	struct err err = { 0 };
	size_t n = 0;

	check_ok(ward_violations_each_request(
		     store, &filter, count_request, &n, &err),
	    &err);
	return n;
}

/* Names without end are rows with one. */
static void
flood(void **state)
{
	struct scratch scratch;
	struct err err = { 0 };
	struct ward_violations *store = open_filled(&scratch);
	char host[32];

	(void)state;
	check_ok(ward_violations_begin(store, &err), &err);
	for (int i = 0; i < WARD_REQUESTS_OPEN_MAX + 50; i++) {
		(void)snprintf(host, sizeof(host), "h%d.example", i);
		ask(store, "bot", host, 443, 10 + i);
	}
	ask(store, "tob", "a.example", 443, 10);
	ask(store, "bot", "h0.example", 443, 1000);
	check_ok(ward_violations_commit(store, &err), &err);
	assert_int_equal(count(store, "bot"), WARD_REQUESTS_OPEN_MAX);
	assert_int_equal(count(store, "tob"), 1);
	assert_int_equal(dropped(store, "bot"), 50);
	assert_int_equal(dropped(store, "tob"), 0);
	assert_int_equal(dropped(store, NULL), 50);
	/* an answer makes room, and the count begins anew */
	check_ok(answer(store, 1, WARD_ANSWER_REFUSED, 2000, &err), &err);
	assert_int_equal(dropped(store, NULL), 0);
	ask(store, "bot", "new.example", 443, 3000);
	assert_int_equal(count(store, "bot"), WARD_REQUESTS_OPEN_MAX + 1);
	ask(store, "bot", "newer.example", 443, 3000);
	assert_int_equal(count(store, "bot"), WARD_REQUESTS_OPEN_MAX + 1);
	assert_int_equal(dropped(store, "bot"), 1);
	ward_violations_close(store);
	scratch_remove(&scratch);
}

static void
never_announced(void **state)
{
	const struct ward_violations_request request = { .sandbox = "b9",
		.account = "bot",
		.host = "a.example",
		.port = 443,
		.when = 1 };
	struct scratch scratch;
	struct err err = { 0 };
	struct ward_violations *store = open_filled(&scratch);

	(void)state;
	assert_int_equal(
	    ward_violations_request_add(store, &request, &err), -ENOENT);
	assert_int_equal(count(store, NULL), 0);
	ward_violations_close(store);
	scratch_remove(&scratch);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repeats),
		cmocka_unit_test(reasons),
		cmocka_unit_test(answers),
		cmocka_unit_test(flood),
		cmocka_unit_test(never_announced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
