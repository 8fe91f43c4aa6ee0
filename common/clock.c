/* SPDX-License-Identifier: ISC */
/* What time it is; neither clock can fail (clock_gettime(2)). */
#include "config.h"

#include <time.h>

#include "common/clock.h"

static int64_t
microseconds(clockid_t clock)
{
	struct timespec ts = { 0 };

	(void)clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int64_t
ward_now_us(void)
{
	return microseconds(CLOCK_MONOTONIC);
}

int64_t
ward_now_ms(void)
{
	return ward_now_us() / 1000;
}

int64_t
ward_wall_now(void)
{
	return microseconds(CLOCK_REALTIME);
}
