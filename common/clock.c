/* SPDX-License-Identifier: ISC */
/* What time it is; neither clock can fail (clock_gettime(2)). */
#include "config.h"

#include <time.h>

#include "common/clock.h"

int64_t
ward_now_ms(void)
{
	struct timespec ts = { 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int64_t
ward_wall_now(void)
{
	struct timespec ts = { 0 };

	(void)clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}
