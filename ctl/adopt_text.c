/* SPDX-License-Identifier: ISC */
/* What adopting reads out of other programs' texts.  Pure. */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/number.h"
#include "ctl/adopt_check.h"
#include "ctl/old_keys.h"

#define BLANKS  " \t\""
#define UID_MIN 1000

uid_t
ward_adopt_uid_min(const char *text)
{
	char value[16];
	uint64_t uid;

	for (const char *line = text; *line != '\0';) {
		const char *s = line + strspn(line, BLANKS);
		line += strcspn(line, "\n");
		line += *line == '\n';
		if (strncmp(s, "UID_MIN", 7) != 0 ||
		    strchr(BLANKS, s[7]) == NULL)
			continue;
		s += 7 + strspn(s + 7, BLANKS);
		size_t n = strcspn(s, BLANKS "\r\n");
		if (n == 0 || n >= sizeof(value))
			continue;
		memcpy(value, s, n);
		value[n] = '\0';
		if (ward_number_parse(value, UINT32_MAX - 1, &uid) == 0)
			return (uid_t)uid;
	}
	return UID_MIN;
}

static int
put_token(FILE *out, char token, const struct ward_account *account)
{
	switch (token) {
	case '%':
		return fputc('%', out) == EOF ? -ENOMEM : 0;
	case 'h':
		return fputs(account->home, out) == EOF ? -ENOMEM : 0;
	case 'u':
		return fputs(account->name, out) == EOF ? -ENOMEM : 0;
	case 'U':
		return fprintf(out, "%u", (unsigned)account->uid) < 0 ? -ENOMEM
								      : 0;
	default:
		return -EINVAL;
	}
}

char *
ward_old_keys_expand(
    const char *pattern, const struct ward_account *account, struct err *err)
{
	char *path = NULL;
	size_t size;
	int r = 0;
	FILE *out = open_memstream(&path, &size);

	if (out == NULL) {
		(void)ward_err_sys(err, ENOMEM, "keys");
		return NULL;
	}
	/* a path that is none from the root is one from the home */
	if (pattern[0] != '/' && strncmp(pattern, "%h", 2) != 0 &&
	    fprintf(out, "%s/", account->home) < 0)
		r = -ENOMEM;
	for (const char *s = pattern; r == 0 && *s != '\0'; s++)
		if (*s == '%')
			r = put_token(out, *++s, account);
		else if (fputc(*s, out) == EOF)
			r = -ENOMEM;
	if (fclose(out) != 0 && r == 0)
		r = -ENOMEM;
	if (r == 0)
		return path;
	free(path);
	(void)ward_err_set(err, -r,
	    "AuthorizedKeysFile %s: a token in it is not known", pattern);
	return NULL;
}
