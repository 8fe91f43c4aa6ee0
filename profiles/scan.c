/* SPDX-License-Identifier: ISC */
/* The words of a libconfig text, stricter than libconfig reads them. */
#include "config.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "common/text.h"
#include "profiles/scan.h"

#define wrong(scan, line, ...)                                                 \
	ward_diagnostics_add(                                                  \
	    (scan)->findings, WARD_ERROR, (scan)->file, line, __VA_ARGS__)

/* As libconfig's scanner has them, whatever the locale says. */
static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool
is_name_part(char c)
{
	return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '*';
}

/* The part of text that starts here, short and fit for a message. */
static const char *
shown(char *out, size_t size, const char *start, size_t length)
{
	char copy[41];

	if (length > sizeof(copy) - 1)
		length = sizeof(copy) - 1;
	memcpy(copy, start, length);
	copy[length] = '\0';
	return ward_text_visible(out, size, copy);
}

/*
 * libconfig ends an unclosed comment at the end of the text and says nothing:
 * what was meant to be policy would be gone.
 */
static int
skip_block_comment(struct ward_scan *scan)
{
	unsigned first = scan->line;

	for (scan->at += 2; *scan->at != '\0'; scan->at++) {
		if (*scan->at == '\n')
			scan->line++;
		if (scan->at[0] == '*' && scan->at[1] == '/') {
			scan->at += 2;
			return 0;
		}
	}
	return wrong(scan, first,
	    "the comment that begins here is never closed: end it with */");
}

static int
skip_blank(struct ward_scan *scan)
{
	for (;;) {
		const char *p = scan->at;

		if (*p == '\n') {
			scan->line++;
			scan->at++;
		} else if (*p == ' ' || *p == '\t' || *p == '\r' ||
		    *p == '\f') {
			scan->at++;
		} else if (*p == '#' || (*p == '/' && p[1] == '/')) {
			scan->at += strcspn(p, "\n");
		} else if (*p == '/' && p[1] == '*') {
			int r = skip_block_comment(scan);

			if (r != 0)
				return r;
		} else {
			return 0;
		}
	}
}

/* libconfig keeps the backslash of what it does not know. */
static int
wrong_escape(struct ward_scan *scan, const char *behind)
{
	char text[64];
	uint32_t c;
	size_t n = ward_text_decode((const unsigned char *)behind, &c);

	if (*behind == '\0' || *behind == '\n')
		n = 0;
	return wrong(scan, scan->line,
	    "\\%s is no escape: write a backslash as \\\\",
	    shown(text, sizeof(text), behind, n));
}

/* libconfig drops \x00, and takes half of a character as one. */
static int
scan_escape(struct ward_scan *scan, const char **at)
{
	const char *p = *at + 1;

	if (*p != '\0' && strchr("nrtf\\\"", *p) != NULL) {
		*at = p + 1;
		return 0;
	}
	if ((*p != 'x' && *p != 'X') || !is_hex(p[1]) || !is_hex(p[2]))
		return wrong_escape(scan, p);
	if (p[1] == '0' && p[2] == '0')
		return wrong(scan, scan->line,
		    "\\x00 ends a string for everything that would use it: "
		    "remove it");
	if (p[1] > '7')
		return wrong(scan, scan->line,
		    "\\x%.2s is half a character: write the character itself, "
		    "in UTF-8",
		    p + 1);
	*at = p + 3;
	return 0;
}

static int
scan_string(struct ward_scan *scan, struct ward_token *token)
{
	const char *p = scan->at + 1;

	token->kind = WARD_TOKEN_STRING;
	while (*p != '"') {
		unsigned char c = (unsigned char)*p;

		if (c == '\0' || c == '\n')
			return wrong(scan, scan->line,
			    "the string is not closed on its line: end it "
			    "with \"");
		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return wrong(scan, scan->line,
			    "control character \\x%02x in a string: remove it",
			    c);
		if (c == '\\') {
			int r = scan_escape(scan, &p);

			if (r != 0)
				return r;
		} else {
			p++;
		}
	}
	scan->at = p + 1;
	return 0;
}

/*
 * Decimal, and what fits an int: libconfig 1.5 takes the low 32 bits of the
 * rest, other versions read hexadecimal and octal differently.
 */
static int
scan_number(struct ward_scan *scan, struct ward_token *token)
{
	const char *p = scan->at;
	const char *end;
	int64_t value = 0;
	char text[64];

	for (end = p; is_letter(*end) || is_digit(*end) ||
	     (*end != '\0' && strchr("_.+-", *end) != NULL);
	     end++)
		;
	token->kind = WARD_TOKEN_NUMBER;
	(void)shown(text, sizeof(text), p, (size_t)(end - p));
	if (*p == '+' || *p == '-')
		p++;
	if (p == end || (*p == '0' && p + 1 != end))
		return wrong(scan, scan->line,
		    "%s is no number here: write it in decimal, such as 1024",
		    text);
	for (; p < end; p++) {
		if (!is_digit(*p))
			return wrong(scan, scan->line,
			    "%s is no number here: write whole numbers in "
			    "decimal, such as 1024, and units in a string, "
			    "such as \"4G\"",
			    text);
		value = value * 10 + (*p - '0');
		if (value > INT_MAX)
			return wrong(scan, scan->line,
			    "%s does not fit into 32 bits: write it as a "
			    "string, such as \"10G\"",
			    text);
	}
	scan->at = end;
	return 0;
}

static void
scan_name(struct ward_scan *scan, struct ward_token *token)
{
	const char *end = scan->at;
	size_t n;

	while (is_name_part(*end))
		end++;
	n = (size_t)(end - scan->at);
	token->kind = WARD_TOKEN_NAME;
	if ((n == 4 && strncasecmp(scan->at, "true", n) == 0) ||
	    (n == 5 && strncasecmp(scan->at, "false", n) == 0))
		token->kind = WARD_TOKEN_BOOLEAN;
	scan->at = end;
}

static int
scan_mark(struct ward_scan *scan, struct ward_token *token)
{
	static const struct {
		char mark;
		enum ward_token_kind kind;
	} marks[] = {
		{ '=', WARD_TOKEN_EQUALS },
		{ ':', WARD_TOKEN_EQUALS },
		{ ',', WARD_TOKEN_COMMA },
		{ ';', WARD_TOKEN_SEMICOLON },
		{ '{', WARD_TOKEN_OPEN },
		{ '[', WARD_TOKEN_OPEN },
		{ '(', WARD_TOKEN_OPEN },
		{ '}', WARD_TOKEN_CLOSE },
		{ ']', WARD_TOKEN_CLOSE },
		{ ')', WARD_TOKEN_CLOSE },
	};
	char text[64];
	uint32_t c;
	size_t n;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (marks[i].mark != *scan->at)
			continue;
		token->kind = marks[i].kind;
		scan->at++;
		return 0;
	}
	if (*scan->at == '@')
		return wrong(scan, scan->line,
		    "@include and the like are not taken: a profile names "
		    "others with extends = ( \"name\" );");
	if (*scan->at == '\'')
		return wrong(
		    scan, scan->line, "' does not quote: write \"...\"");
	n = ward_text_decode((const unsigned char *)scan->at, &c);
	return wrong(scan, scan->line,
	    "%s cannot stand here: text is written in \"...\"",
	    shown(text, sizeof(text), scan->at, n));
}

int
ward_scan_next(struct ward_scan *scan, struct ward_token *token)
{
	int r = skip_blank(scan);

	if (r != 0)
		return r;
	token->start = scan->at;
	if (*scan->at == '\0') {
		/* what is missing there is missing behind the last word */
		token->kind = WARD_TOKEN_END;
		token->line = scan->last_line;
		token->length = 0;
		return 0;
	}
	token->line = scan->last_line = scan->line;
	if (*scan->at == '"')
		r = scan_string(scan, token);
	else if (is_letter(*scan->at) || *scan->at == '*')
		scan_name(scan, token);
	else if (is_digit(*scan->at) || strchr("+-.", *scan->at) != NULL)
		r = scan_number(scan, token);
	else
		r = scan_mark(scan, token);
	token->length = (size_t)(scan->at - token->start);
	return r;
}
