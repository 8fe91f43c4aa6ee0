/* SPDX-License-Identifier: ISC */
/*
 * Numbers, sizes and durations from text that may be hostile.  Everyone may
 * use it.  Each takes the whole string or fails: -EINVAL for what is no number
 * and -ERANGE for one that does not fit; *value is left alone then.
 */
#ifndef WARD_COMMON_NUMBER_H
#define WARD_COMMON_NUMBER_H

#include <stdint.h>

/* Decimal digits only: no sign, no space, no base prefix. */
int ward_number_parse(const char *text, uint64_t max, uint64_t *value);

/* The same with one optional K, M, G or T (powers of 1024); in bytes. */
int ward_number_parse_size(const char *text, uint64_t *bytes);

/* The same with one optional s, m, h or d; in seconds. */
int ward_number_parse_duration(const char *text, uint64_t *seconds);

#endif
