/* SPDX-License-Identifier: ISC */
/* Numbers from text: each edge, and nothing that is not wholly a number. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/number.h"

#define N(array)  (sizeof(array) / sizeof((array)[0]))
#define UNTOUCHED UINT64_C(0x7777)
#define MOST      "18446744073709551615"

struct row {
	const char *text;
	int result;
	uint64_t value;
};

static void
check(const struct row *row, int result, uint64_t value)
{
	uint64_t wanted = row->result == 0 ? row->value : UNTOUCHED;

	if (result != row->result || value != wanted)
		fail_msg(
		    "\"%s\": %d, %ju", row->text, result, (uintmax_t)value);
}

static void
plain(void **state)
{
	static const struct {
		struct row row;
		uint64_t max;
	} rows[] = {
		{ { "0", 0, 0 }, 0 },
		{ { "1", -ERANGE, 0 }, 0 },
		{ { "00000000000000000000000000007", 0, 7 }, 7 },
		{ { "65535", 0, 65535 }, 65535 },
		{ { "65536", -ERANGE, 0 }, 65535 },
		{ { "4294967295", 0, UINT32_MAX }, UINT32_MAX },
		{ { "4294967296", -ERANGE, 0 }, UINT32_MAX },
		{ { MOST, 0, UINT64_MAX }, UINT64_MAX },
		{ { "18446744073709551616", -ERANGE, 0 }, UINT64_MAX },
		{ { "18446744073709551620", -ERANGE, 0 }, UINT64_MAX },
		{ { "99999999999999999999999", -ERANGE, 0 }, UINT64_MAX },
		{ { "", -EINVAL, 0 }, UINT64_MAX },
		{ { " 1", -EINVAL, 0 }, UINT64_MAX },
		{ { "1 ", -EINVAL, 0 }, UINT64_MAX },
		{ { "1\n", -EINVAL, 0 }, UINT64_MAX },
		{ { "+1", -EINVAL, 0 }, UINT64_MAX },
		{ { "-1", -EINVAL, 0 }, UINT64_MAX },
		{ { "0x10", -EINVAL, 0 }, UINT64_MAX },
		{ { "1.0", -EINVAL, 0 }, UINT64_MAX },
		{ { "1e3", -EINVAL, 0 }, UINT64_MAX },
		{ { "1K", -EINVAL, 0 }, UINT64_MAX },
		{ { "/", -EINVAL, 0 }, UINT64_MAX },
		{ { ":", -EINVAL, 0 }, UINT64_MAX },
		{ { "\xd9\xa1", -EINVAL, 0 }, UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		uint64_t value = UNTOUCHED;
		int r =
		    ward_number_parse(rows[i].row.text, rows[i].max, &value);

		check(&rows[i].row, r, value);
	}
}

static void
sizes(void **state)
{
	static const struct row rows[] = {
		{ "0", 0, 0 },
		{ "512", 0, 512 },
		{ "1K", 0, 1024 },
		{ "1M", 0, UINT64_C(1) << 20 },
		{ "1G", 0, UINT64_C(1) << 30 },
		{ "1T", 0, UINT64_C(1) << 40 },
		{ "0T", 0, 0 },
		{ MOST, 0, UINT64_MAX },
		{ "18014398509481983K", 0, UINT64_MAX - 1023 },
		{ "18014398509481984K", -ERANGE, 0 },
		{ "16777215T", 0, UINT64_C(16777215) << 40 },
		{ "16777216T", -ERANGE, 0 },
		{ MOST "K", -ERANGE, 0 },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ "K", -EINVAL, 0 },
		{ "1k", -EINVAL, 0 },
		{ "1KB", -EINVAL, 0 },
		{ "1KK", -EINVAL, 0 },
		{ "1 K", -EINVAL, 0 },
		{ "1s", -EINVAL, 0 },
		{ "1P", -EINVAL, 0 },
		{ "-1K", -EINVAL, 0 },
		{ "1.5G", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		uint64_t value = UNTOUCHED;
		int r = ward_number_parse_size(rows[i].text, &value);

		check(&rows[i], r, value);
	}
}

static void
durations(void **state)
{
	static const struct row rows[] = {
		{ "0", 0, 0 },
		{ "90", 0, 90 },
		{ "90s", 0, 90 },
		{ "2m", 0, 120 },
		{ "8h", 0, 28800 },
		{ "1d", 0, 86400 },
		{ "213503982334601d", 0, UINT64_C(213503982334601) * 86400 },
		{ "213503982334602d", -ERANGE, 0 },
		{ MOST "m", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ "h", -EINVAL, 0 },
		{ "1M", -EINVAL, 0 },
		{ "1H", -EINVAL, 0 },
		{ "1ms", -EINVAL, 0 },
		{ "1h30m", -EINVAL, 0 },
		{ "1w", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		uint64_t value = UNTOUCHED;
		int r = ward_number_parse_duration(rows[i].text, &value);

		check(&rows[i], r, value);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),
		cmocka_unit_test(sizes),
		cmocka_unit_test(durations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
