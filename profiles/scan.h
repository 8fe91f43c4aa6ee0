/* SPDX-License-Identifier: ISC */
/*
 * The words of a libconfig text, read as libconfig reads them but stricter:
 * what libconfig takes silently for something else is refused here.  Only
 * profiles/text.c uses it.
 */
#ifndef WARD_PROFILES_SCAN_H
#define WARD_PROFILES_SCAN_H

#include <stddef.h>

#include "profiles/diagnostics.h"

enum ward_token_kind {
	WARD_TOKEN_END,
	WARD_TOKEN_NAME,
	WARD_TOKEN_EQUALS, /* = or : */
	WARD_TOKEN_COMMA,
	WARD_TOKEN_SEMICOLON,
	WARD_TOKEN_OPEN,  /* start is one of { [ ( */
	WARD_TOKEN_CLOSE, /* start is one of } ] ) */
	WARD_TOKEN_STRING,
	WARD_TOKEN_NUMBER,
	WARD_TOKEN_BOOLEAN,
};

struct ward_token {
	enum ward_token_kind kind;
	unsigned line;
	const char *start; /* into the text */
	size_t length;
};

struct ward_scan {
	const char *file;
	const char *at;     /* in a terminated text that is valid UTF-8 */
	unsigned line;      /* starts at 1 */
	unsigned last_line; /* of the last word; starts at 1 */
	struct ward_diagnostics *findings;
};

/* 0 with *token filled, or what ward_diagnostics_add returned. */
int ward_scan_next(struct ward_scan *scan, struct ward_token *token);

#endif
