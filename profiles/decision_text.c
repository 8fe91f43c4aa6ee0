/* SPDX-License-Identifier: ISC */
/* A network decision in words. */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "profiles/decision_text.h"

/* What is said before it is made visible. */
struct words {
	char text[4096];
	size_t used;
};

static void __attribute__((format(printf, 2, 3)))
say(struct words *words, const char *format, ...)
{
	size_t room = sizeof(words->text) - words->used;
	va_list args;

	va_start(args, format);
	int n = vsnprintf(words->text + words->used, room, format, args);
	va_end(args);
	if (n > 0)
		words->used += (size_t)n < room ? (size_t)n : room - 1;
}

static void
say_host(struct words *words, const struct ward_decision *d)
{
	bool six = d->host.kind == WARD_HOST_IPV6;

	say(words, "%s%s%s:%u", six ? "[" : "", d->host.text, six ? "]" : "",
	    d->port);
}

static void
say_origin(struct words *words, const struct ward_origin *origin)
{
	if (origin->file != NULL && origin->line != 0)
		say(words, "%s:%u", origin->file, origin->line);
	else
		say(words, "built-in");
}

static void
say_rule(struct words *words, const struct ward_net_rule *rule)
{
	say(words, "\"%s %s\" (",
	    rule->list == WARD_NET_DENY ? "deny" : "allow", rule->text);
	say_origin(words, &rule->origin);
	say(words, ")");
}

static const char *
address_name(const struct ward_decision *d)
{
	return d->own ? "an address of this machine's own"
		      : ward_address_class_name(d->class);
}

static void
say_verdict(struct words *words, const struct ward_decision *d)
{
	switch (d->ground) {
	case WARD_GROUND_NO_NETWORK:
		say(words,
		    "this sandbox has no network: network.mode of its "
		    "profile is none");
		return;
	case WARD_GROUND_MALFORMED:
		say(words, "this names no host and port: %s", d->why);
		return;
	case WARD_GROUND_DENY:
		say_host(words, d);
		say(words, " is refused by ");
		say_rule(words, d->rule);
		return;
	case WARD_GROUND_ALLOW:
		say_host(words, d);
		say(words, " is allowed by ");
		say_rule(words, d->rule);
		return;
	case WARD_GROUND_GRANT:
		say_host(words, d);
		say(words, " is allowed by grant %" PRId64, d->grant->id);
		return;
	case WARD_GROUND_UNLISTED:
		say_host(words, d);
		say(words, " is refused: no rule allows it");
		return;
	case WARD_GROUND_DENIED_BLOCK:
		say_host(words, d);
		say(words,
		    " is refused: its address is in \"deny_addresses %s\" (",
		    d->block->text);
		say_origin(words, &d->block->origin);
		say(words, ")");
		return;
	case WARD_GROUND_ADDRESS:
		say_host(words, d);
		say(words, " is refused: it is %s", address_name(d));
		return;
	}
}

/* What the reader can do, which is never to try again at once. */
static void
say_next(struct words *words, const struct ward_decision *d)
{
	if (d->allowed || d->ground == WARD_GROUND_NO_NETWORK)
		return;
	if (d->ground == WARD_GROUND_MALFORMED)
		say(words, "; correct the spelling");
	else if (d->ask)
		say(words,
		    "; a request was filed for it: try again once the "
		    "admin has approved it");
	else if (d->ground == WARD_GROUND_UNLISTED)
		say(words,
		    "; trying again will not succeed: ask the admin to "
		    "allow it");
	else if (d->ground == WARD_GROUND_ADDRESS)
		say(words,
		    "; trying again will not succeed: only a rule that "
		    "names the address opens it");
	else
		say(words, "; trying again will not succeed");
}

char *
ward_decision_text(const struct ward_decision *decision, char *out, size_t size)
{
	struct words words = { .used = 0 };

	say_verdict(&words, decision);
	if (decision->reason != NULL)
		say(&words, ": %s", decision->reason);
	say_next(&words, decision);
	return ward_text_visible(out, size, words.text);
}

static void
say_short(struct words *words, const struct ward_decision *d)
{
	switch (d->ground) {
	case WARD_GROUND_NO_NETWORK:
		say(words, "network.mode none");
		return;
	case WARD_GROUND_MALFORMED:
		say(words, "malformed");
		return;
	case WARD_GROUND_DENY:
	case WARD_GROUND_ALLOW:
		say_origin(words, &d->rule->origin);
		say(words, ": %s %s",
		    d->rule->list == WARD_NET_DENY ? "deny" : "allow",
		    d->rule->text);
		return;
	case WARD_GROUND_GRANT:
		say(words, "grant %" PRId64, d->grant->id);
		return;
	case WARD_GROUND_UNLISTED:
		say(words, "unlisted");
		return;
	case WARD_GROUND_DENIED_BLOCK:
		say_origin(words, &d->block->origin);
		say(words, ": deny_addresses %s", d->block->text);
		return;
	case WARD_GROUND_ADDRESS:
		say(words, "%s", address_name(d));
		return;
	}
}

char *
ward_decision_rule(const struct ward_decision *decision, char *out, size_t size)
{
	struct words words = { .used = 0 };

	say_short(&words, decision);
	(void)ward_text_visible(out, size, words.text);
	/* a header and its readers take ASCII only */
	for (char *at = out; *at != '\0'; at++)
		if ((unsigned char)*at >= 0x80)
			*at = '?';
	return out;
}
