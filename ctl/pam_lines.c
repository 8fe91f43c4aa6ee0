/* SPDX-License-Identifier: ISC */
/* Ward's lines in the text of a PAM stack. */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/pam_lines.h"

#define BEGIN "# begin ward: made by 'wardctl enable'"
#define END   "# end ward"

static size_t
line_length(const char *line)
{
	size_t n = strcspn(line, "\n");

	return line[n] == '\n' ? n + 1 : n;
}

static bool
begins_with(const char *line, const char *words)
{
	return strncmp(line, words, strlen(words)) == 0;
}

static bool
is_session(const char *line)
{
	line += strspn(line, " \t");
	if (*line == '-')
		line++;
	return strncasecmp(line, "session", strlen("session")) == 0 ||
	    begins_with(line, "@include");
}

static void
put_block(FILE *out, const char *place, const char *shell)
{
	(void)fprintf(out,
	    BEGIN
	    "\n"
	    "session\t[success=2 default=ignore]\tpam_succeed_if.so quiet uid "
	    "= 0\n"
	    "session\t[success=1 default=ignore]\tpam_succeed_if.so quiet "
	    "shell != %s\n"
	    "session\trequired\tpam_ward.so %s\n" END "\n",
	    shell, place);
}

/* A block without its end is left alone: what follows may be the admin's. */
static const char *
behind_block(const char *line)
{
	const char *end = strstr(line, "\n" END "\n");

	return end == NULL ? NULL : end + strlen("\n" END "\n");
}

/* shell NULL: only takes the blocks out. */
static char *
rewrite(const char *text, const char *shell, bool open)
{
	char *made = NULL;
	size_t size = 0;
	bool placed = shell == NULL, ends = true;
	FILE *out = open_memstream(&made, &size);

	if (out == NULL)
		return NULL;
	for (const char *line = text; *line != '\0';) {
		const char *behind =
		    begins_with(line, BEGIN) ? behind_block(line) : NULL;
		if (behind != NULL) {
			line = behind;
			continue;
		}
		if (!placed && is_session(line)) {
			put_block(out, "close", shell);
			placed = true;
		}
		size_t n = line_length(line);
		(void)fwrite(line, 1, n, out);
		ends = line[n - 1] == '\n';
		line += n;
	}
	if (shell != NULL) {
		if (!ends)
			(void)fputc('\n', out);
		if (!placed)
			put_block(out, "close", shell);
		if (open)
			put_block(out, "open", shell);
	}
	if (fclose(out) != 0) {
		free(made);
		return NULL;
	}
	return made;
}

char *
ward_pam_lines_add(const char *text, const char *shell, bool open)
{
	return rewrite(text, shell, open);
}

char *
ward_pam_lines_remove(const char *text)
{
	return rewrite(text, NULL, false);
}
