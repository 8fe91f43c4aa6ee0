/* SPDX-License-Identifier: ISC */
/* What time it is.  Everyone may use it. */
#ifndef WARD_COMMON_CLOCK_H
#define WARD_COMMON_CLOCK_H

#include <stdint.h>

/* Monotonic time in milliseconds, for deadlines; in microseconds, to measure.
 */
int64_t ward_now_ms(void);
int64_t ward_now_us(void);

/* Microseconds since 1970, UTC: what rows and wires have. */
int64_t ward_wall_now(void);

#endif
