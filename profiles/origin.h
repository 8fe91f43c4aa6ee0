/* SPDX-License-Identifier: ISC */
/* Where a rule was written, for people.  Pure data; everything above uses it.
 */
#ifndef WARD_PROFILES_ORIGIN_H
#define WARD_PROFILES_ORIGIN_H

/* A file and line, or built-in, 0. */
struct ward_origin {
	char *file;
	unsigned line;
};

#endif
