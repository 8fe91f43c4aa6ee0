/* SPDX-License-Identifier: ISC */
/* A violation as a line of the host's log.  Pure. */
#include "config.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

#include "common/text.h"
#include "sandbox/journal.h"

/* journalctl MESSAGE_ID=... finds all of them; for good. */
#define MESSAGE_ID "5b1e4e0a2d6f4c0f9e3a7c41d8b2a967"

struct text {
	char *at, *end;
};

static void __attribute__((format(printf, 2, 3)))
add(struct text *text, const char *format, ...)
{
	size_t room = (size_t)(text->end - text->at);
	va_list args;

	va_start(args, format);
	int n = vsnprintf(text->at, room, format, args);
	va_end(args);
	/* the limits of the values keep it from being cut */
	if (n > 0)
		text->at += (size_t)n < room ? (size_t)n : room - 1;
}

struct field {
	const char *name;
	const char *text; /* NULL: a number, or nothing where that is 0 */
	int64_t number;
	size_t most; /* of the encoded text */
	bool is_flag;
};

#define FIELDS 18

/* One table makes both, of what there is. */
static size_t
fields_of(struct field *fields, int64_t id, const char *account, uint32_t uid,
    const struct ward_violation *v)
{
	const size_t most = WARD_JOURNAL_VALUE;
	const struct field all[] = {
		{ .name = "id", .number = id },
		{ .name = "account", .text = account, .most = most },
		{ .name = "uid", .number = uid },
		{ .name = "sandbox", .text = v->sandbox, .most = most },
		{ .name = "session", .text = v->session, .most = most },
		{ .name = "kind", .text = v->kind, .most = most },
		{ .name = "operation", .text = v->operation, .most = most },
		{ .name = "target",
		    .text = v->target,
		    .most = WARD_JOURNAL_TARGET },
		{ .name = "program", .text = v->program, .most = most },
		{ .name = "pid", .number = v->pid },
		{ .name = "confirmed",
		    .number = v->confirmed,
		    .is_flag = true },
		{ .name = "error",
		    .text = v->errnum == 0 ? NULL : strerrorname_np(v->errnum),
		    .most = most },
		{ .name = "profile", .text = v->profile, .most = most },
		{ .name = "revision", .number = v->revision },
		{ .name = "rule", .text = v->rule_text, .most = most },
		{ .name = "rule_file", .text = v->rule_file, .most = most },
		{ .name = "rule_line", .number = v->rule_line },
		{ .name = "reason", .text = v->reason, .most = most },
	};

	_Static_assert(sizeof(all) / sizeof(all[0]) == FIELDS, "all of them");
	size_t n = 0;
	for (size_t i = 0; i < FIELDS; i++)
		if (all[i].text != NULL || all[i].number != 0 || all[i].is_flag)
			fields[n++] = all[i];
	return n;
}

/* For people. */
static void
add_message(
    struct text *text, const char *account, const struct ward_violation *v)
{
	char target[WARD_JOURNAL_TARGET], program[WARD_JOURNAL_VALUE];
	char visible[WARD_JOURNAL_VALUE];

	add(text, "ward: violation of %s: %s %s %s, by %s",
	    ward_text_visible(visible, sizeof(visible), account), v->kind,
	    v->operation, ward_text_visible(target, sizeof(target), v->target),
	    ward_text_visible(program, sizeof(program),
		v->program == NULL ? "an unknown program" : v->program));
}

size_t
ward_journal_native(char *out, size_t size, int64_t id, const char *account,
    uint32_t uid, const struct ward_violation *violation)
{
	struct text text = { out, out + size };
	struct field fields[FIELDS];
	size_t n = fields_of(fields, id, account, uid, violation);

	add(&text, "MESSAGE=");
	add_message(&text, account, violation);
	add(&text,
	    "\nMESSAGE_ID=" MESSAGE_ID "\nPRIORITY=%d\nSYSLOG_FACILITY=%d\n"
	    "SYSLOG_IDENTIFIER=ward\n",
	    LOG_NOTICE, LOG_FAC(LOG_AUTHPRIV));
	for (size_t i = 0; i < n; i++) {
		const struct field *f = &fields[i];
		char visible[WARD_JOURNAL_TARGET], name[32];
		size_t c;

		for (c = 0; f->name[c] != '\0'; c++)
			name[c] = (char)toupper((unsigned char)f->name[c]);
		name[c] = '\0';
		/* what is visible has no line's end, and needs no length */
		if (f->text != NULL)
			add(&text, "WARD_%s=%s\n", name,
			    ward_text_visible(visible, f->most, f->text));
		else
			add(&text, "WARD_%s=%" PRId64 "\n", name, f->number);
	}
	return (size_t)(text.at - out);
}

/* Visible text: of what JSON escapes there are these two left. */
static void
add_string(struct text *text, const char *visible)
{
	add(text, "\"");
	for (; *visible != '\0'; visible++)
		add(text, *visible == '"' || *visible == '\\' ? "\\%c" : "%c",
		    *visible);
	add(text, "\"");
}

size_t
ward_journal_cee(char *out, size_t size, int64_t id, const char *account,
    uint32_t uid, const struct ward_violation *violation)
{
	struct text text = { out, out + size };
	struct field fields[FIELDS];
	size_t n = fields_of(fields, id, account, uid, violation);

	add(&text, "@cee:{\"event\":\"violation\"");
	for (size_t i = 0; i < n; i++) {
		const struct field *f = &fields[i];
		char visible[WARD_JOURNAL_TARGET];

		add(&text, ",\"%s\":", f->name);
		if (f->text != NULL)
			add_string(&text,
			    ward_text_visible(visible, f->most, f->text));
		else if (f->is_flag)
			add(&text, f->number != 0 ? "true" : "false");
		else
			add(&text, "%" PRId64, f->number);
	}
	add(&text, "}");
	return (size_t)(text.at - out);
}
