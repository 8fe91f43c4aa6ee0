/* SPDX-License-Identifier: ISC */
/* The uid fence, as nft(8) reads it. */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/fence.h"

/* The second line fails where there is no table, but for the first. */
static const char head[] = "add table inet ward\n"
			   "delete table inet ward\n";

/*
 * In front of every other chain, and of the host's address translation.  The
 * refusal comes at once, so that a program fails instead of waiting.
 */
static const char rules[] =
    "  chain output {\n"
    "    type filter hook output priority raw; policy accept;\n"
    "    meta skuid @accounts meta l4proto tcp reject with tcp reset\n"
    "    meta skuid @accounts reject with icmpx type admin-prohibited\n"
    "  }\n";

char *
ward_fence_text(const uid_t *uids, size_t n)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	(void)fputs(head, out);
	if (n > 0) {
		(void)fputs("table inet ward {\n"
			    "  set accounts {\n"
			    "    type uid; elements = {",
		    out);
		for (size_t i = 0; i < n; i++)
			(void)fprintf(
			    out, "%s %u", i == 0 ? "" : ",", (unsigned)uids[i]);
		(void)fprintf(out, " }\n  }\n%s}\n", rules);
	}
	bool failed = ferror(out) != 0;
	if (fclose(out) != 0 || failed) {
		free(text);
		return NULL;
	}
	return text;
}

size_t
ward_fence_read(const char *listing, uid_t *uids, size_t max)
{
	size_t n = 0;
	const char *s = strstr(listing, "elements");

	s = s == NULL ? NULL : strchr(s, '{');
	if (s == NULL)
		return 0;
	for (s++; *s != '\0' && *s != '}'; s++) {
		unsigned long value = 0;
		size_t digits = strspn(s, "0123456789");
		if (digits == 0)
			continue;
		for (size_t i = 0; i < digits && value <= UINT32_MAX; i++)
			value = value * 10 + (unsigned long)(s[i] - '0');
		if (value < UINT32_MAX) {
			if (n < max)
				uids[n] = (uid_t)value;
			n++;
		}
		s += digits - 1;
	}
	return n;
}
