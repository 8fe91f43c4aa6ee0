/* SPDX-License-Identifier: ISC */
/* Does a command line speak a protocol? */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "shell/stream.h"

/* What stands between words, quotes too. */
#define BETWEEN " \t\n;&|()'\"\\"

struct word {
	const char *text;
	size_t n;
};

/* The next word, its directory left out; false at the end. */
static bool
next(const char **at, struct word *word)
{
	*at += strspn(*at, BETWEEN);
	const char *start = *at;
	word->text = start;
	word->n = strcspn(start, BETWEEN);
	*at += word->n;
	for (size_t i = word->n; i > 0; i--)
		if (word->text[i - 1] == '/') {
			word->text += i;
			word->n -= i;
			break;
		}
	return *at > start;
}

static bool
is(const struct word *word, const char *text)
{
	return strlen(text) == word->n &&
	    strncmp(word->text, text, word->n) == 0;
}

/* An option of one dash with this letter in it. */
static bool
has_letter(const struct word *word, const char *letters)
{
	if (word->n < 2 || word->text[0] != '-' || word->text[1] == '-')
		return false;
	for (size_t i = 1; i < word->n; i++)
		if (strchr(letters, word->text[i]) != NULL)
			return true;
	return false;
}

static bool
is_server(const struct word *word)
{
	static const char *const servers[] = { "sftp-server", "internal-sftp",
		"git-upload-pack", "git-receive-pack", "git-upload-archive",
		"git-lfs-transfer", "git-lfs-authenticate" };

	for (size_t i = 0; i < sizeof(servers) / sizeof(servers[0]); i++)
		if (is(word, servers[i]))
			return true;
	return false;
}

/* What makes a program that can be either speak a protocol. */
static bool
turns(const struct word *program, const struct word *word)
{
	if (is(program, "scp"))
		return has_letter(word, "tf");
	if (is(program, "rsync"))
		return is(word, "--server");
	return is(program, "git") &&
	    (is(word, "upload-pack") || is(word, "receive-pack") ||
		is(word, "upload-archive"));
}

bool
ward_line_is_stream(const char *line)
{
	struct word program = { "", 0 }, word;

	while (next(&line, &word)) {
		if (is_server(&word) || turns(&program, &word))
			return true;
		if (is(&word, "scp") || is(&word, "rsync") || is(&word, "git"))
			program = word;
	}
	return false;
}
