/* SPDX-License-Identifier: ISC */
/* A refusal in words, for the agent that met it. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "common/told.h"

#define PART_SIZE (WARD_TOLD_MAX / 2)

enum sort {
	SORT_WRITE,
	SORT_READ,
	SORT_UNIX,
	SORT_NETWORK,
	SORT_SYSCALL,
	SORT_OTHER,
};

static const struct {
	const char *kind, *verb, *why, *instead;
} sorts[] = {
	[SORT_WRITE] = { "write", "write",
	    "nothing in the profile opens it for writing",
	    "write to what 'ward status' lists as writable, or ask whoever "
	    "runs this machine to open it" },
	[SORT_READ] = { "read", "read", "it is hidden from this account",
	    "go on without it, or ask whoever runs this machine" },
	[SORT_UNIX] = { "unix", "connect",
	    "nothing in the profile opens this socket",
	    "go on without it, or ask whoever runs this machine" },
	[SORT_NETWORK] = { "network", "connect",
	    "nothing in the profile allows this host",
	    "use what the profile allows, or ask for it: ward request "
	    "HOST:PORT --reason WHY" },
	[SORT_SYSCALL] = { "syscall", "call",
	    "this sandbox does not allow this system call",
	    "go on without it, or ask whoever runs this machine" },
	[SORT_OTHER] = { "", "", "this sandbox does not allow it",
	    "go on without it, or ask whoever runs this machine" },
};

static enum sort
sort_of(const struct ward_wire_why_is *m)
{
	enum sort sort = SORT_WRITE;

	while (sort < SORT_OTHER && strcmp(sorts[sort].kind, m->kind) != 0)
		sort++;
	return sort;
}

const char *
ward_told_verb(const struct ward_wire_why_is *m)
{
	enum sort sort = sort_of(m);

	return sort == SORT_OTHER ? m->kind : sorts[sort].verb;
}

bool
ward_told_stands(const struct ward_wire_why_is *m)
{
	return sort_of(m) != SORT_OTHER && !m->asked && !m->passing;
}

char *
ward_told_why(const struct ward_wire_why_is *m, char *out, size_t size)
{
	char rule[PART_SIZE], file[PART_SIZE];

	if (m->reason[0] != '\0')
		return ward_text_visible(out, size, m->reason);
	(void)ward_text_visible(rule, sizeof(rule), m->rule);
	(void)ward_text_visible(file, sizeof(file), m->rule_file);
	/* those that every profile has say nothing by their text */
	if (m->rule_line == 0)
		(void)snprintf(out, size, "%s", sorts[sort_of(m)].why);
	else
		(void)snprintf(out, size, "by the rule \"%s\" (%s:%" PRIu32 ")",
		    rule, file, m->rule_line);
	return out;
}

const char *
ward_told_instead(const struct ward_wire_why_is *m)
{
	if (m->asked)
		return "whoever runs this machine is asked by this, and may "
		       "approve it: go on without it until then";
	if (m->passing)
		return "do less at once, and try again later";
	return sorts[sort_of(m)].instead;
}

/* What is no letter of the text, but may be a tag around it. */
static void
take_tags(char *out, size_t size, const char *text)
{
	size_t used = 0;

	for (; *text != '\0' && used + sizeof("\\x3c") <= size; text++) {
		bool tag = *text == '<' || *text == '>';
		used += (size_t)snprintf(out + used, size - used,
		    tag ? "\\x%02x" : "%c", (unsigned char)*text);
	}
	out[used] = '\0';
}

char *
ward_told_line(
    const struct ward_wire_why_is *m, uint64_t count, char *out, size_t size)
{
	char visible[PART_SIZE], target[PART_SIZE], why[PART_SIZE];
	char clean[PART_SIZE], times[32] = "";

	(void)ward_text_visible(visible, sizeof(visible), m->target);
	take_tags(target, sizeof(target), visible);
	take_tags(clean, sizeof(clean), ward_told_why(m, why, sizeof(why)));
	if (count > 1)
		(void)snprintf(
		    times, sizeof(times), " %" PRIu64 " times", count);
	(void)snprintf(out, size, "%s %s: refused%s: %s; %s%s",
	    ward_told_verb(m), target, times, clean, ward_told_instead(m),
	    ward_told_stands(m) ? "; will not succeed by retrying" : "");
	return out;
}
