/* SPDX-License-Identifier: ISC */
/* The chain of a sandbox's violations. */
#include "config.h"

#include <string.h>

#include "db/chain.h"

static void
add_number(struct ward_sha256 *sha, char type, int64_t value)
{
	unsigned char bytes[9] = { (unsigned char)type };

	for (int i = 0; i < 8; i++)
		bytes[1 + i] = (unsigned char)((uint64_t)value >> (56 - 8 * i));
	ward_sha256_add(sha, bytes, sizeof(bytes));
}

static void
add_bytes(struct ward_sha256 *sha, char type, const void *data, size_t size)
{
	if (data == NULL) {
		ward_sha256_add(sha, "n", 1);
		return;
	}
	add_number(sha, type, (int64_t)size);
	ward_sha256_add(sha, data, size);
}

static void
add_text(struct ward_sha256 *sha, const char *text)
{
	add_bytes(sha, 't', text, text == NULL ? 0 : strlen(text));
}

void
ward_chain_start(const struct ward_violations_sandbox *sandbox,
    unsigned char hash[WARD_SHA256_SIZE])
{
	struct ward_sha256 sha;

	ward_sha256_init(&sha);
	add_text(&sha, "ward sandbox 1");
	add_text(&sha, sandbox->id);
	add_text(&sha, sandbox->account);
	add_number(&sha, 'i', sandbox->uid);
	add_text(&sha, sandbox->profile);
	add_number(&sha, 'i', sandbox->revision);
	add_bytes(&sha, 'b', sandbox->hash, WARD_SHA256_SIZE);
	add_number(&sha, 'i', sandbox->started);
	ward_sha256_end(&sha, hash);
}

void
ward_chain_add(int64_t link, int64_t id, const struct ward_violation *violation,
    unsigned char hash[WARD_SHA256_SIZE])
{
	const struct ward_violation *v = violation;
	struct ward_sha256 sha;

	ward_sha256_init(&sha);
	add_text(&sha, "ward violation 1");
	add_bytes(&sha, 'b', hash, WARD_SHA256_SIZE);
	add_number(&sha, 'i', link);
	add_number(&sha, 'i', id);
	add_text(&sha, v->sandbox);
	add_text(&sha, v->session);
	add_text(&sha, v->kind);
	add_text(&sha, v->operation);
	add_text(&sha, v->target);
	add_number(&sha, 'i', v->pid);
	add_text(&sha, v->program);
	add_number(&sha, 'i', v->confirmed);
	add_number(&sha, 'i', v->errnum);
	add_number(&sha, 'i', v->count);
	add_number(&sha, 'i', v->first);
	add_number(&sha, 'i', v->last);
	add_text(&sha, v->profile);
	add_number(&sha, 'i', v->revision);
	add_text(&sha, v->rule_file);
	add_number(&sha, 'i', v->rule_line);
	add_text(&sha, v->rule_text);
	add_text(&sha, v->reason);
	ward_sha256_end(&sha, hash);
}
