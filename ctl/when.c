/* SPDX-License-Identifier: ISC */
/* Points in time, as people give them. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "common/number.h"
#include "ctl/when.h"

#define SECOND INT64_C(1000000)

static int
parse_date(const char *text, int64_t *when)
{
	static const char *const formats[] = { "%Y-%m-%d", "%Y-%m-%dT%H:%M",
		"%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S" };

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		/* -1: whether summer time holds then is the zone's to say */
		struct tm tm = { .tm_isdst = -1 };
		const char *end = strptime(text, formats[i], &tm);
		if (end == NULL || *end != '\0')
			continue;
		int day = tm.tm_mday;
		time_t seconds = mktime(&tm);
		/* the 31st of a shorter month is none */
		if (seconds == (time_t)-1 || tm.tm_mday != day)
			return -EINVAL;
		*when = seconds * SECOND;
		return 0;
	}
	return -EINVAL;
}

int
ward_when_parse(const char *text, int64_t now, int64_t *when)
{
	uint64_t seconds;
	size_t n = strlen(text);

	/* a bare number could be meant as anything */
	if (n > 0 && !isdigit((unsigned char)text[n - 1]) &&
	    ward_number_parse_duration(text, &seconds) == 0) {
		if (seconds > (uint64_t)(now / SECOND))
			return -EINVAL;
		*when = now - (int64_t)seconds * SECOND;
		return 0;
	}
	/* strptime would take blanks and signs */
	if (strspn(text, "0123456789") != 4)
		return -EINVAL;
	return parse_date(text, when);
}
