/* SPDX-License-Identifier: ISC */
/* What a profile does, as a number; declared in db/policy_store.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/landlock.h"
#include "db/policy_store.h"

/* Everything has a length before it, so that nothing can pass for its
 * neighbour. */
static void
add_int(struct ward_sha256 *sha, uint64_t value)
{
	unsigned char bytes[8];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(value >> (56 - 8 * i));
	ward_sha256_add(sha, bytes, sizeof(bytes));
}

static void
add_text(struct ward_sha256 *sha, const char *text)
{
	if (text == NULL) {
		add_int(sha, UINT64_MAX);
		return;
	}
	add_int(sha, strlen(text));
	ward_sha256_add(sha, text, strlen(text));
}

static int
compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int
compare_rules(const void *a, const void *b)
{
	const struct ward_rule *one = *(const struct ward_rule *const *)a;
	const struct ward_rule *two = *(const struct ward_rule *const *)b;

	if (one->kind != two->kind)
		return one->kind < two->kind ? -1 : 1;
	return strcmp(one->path, two->path);
}

/* A set: neither order nor a second mention changes it. */
static int
add_texts(struct ward_sha256 *sha, char *const *texts, size_t n)
{
	_cleanup_free_ const char **sorted = calloc(n + 1, sizeof(*sorted));

	if (sorted == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		sorted[i] = texts[i];
	qsort(sorted, n, sizeof(*sorted), compare_texts);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || strcmp(sorted[i - 1], sorted[i]) != 0)
			add_text(sha, sorted[i]);
	add_text(sha, NULL);
	return 0;
}

static int
add_rules(struct ward_sha256 *sha, const struct ward_rule *rules, size_t n)
{
	_cleanup_free_ const struct ward_rule **sorted =
	    calloc(n + 1, sizeof(*sorted));

	if (sorted == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		sorted[i] = &rules[i];
	qsort(sorted, n, sizeof(*sorted), compare_rules);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && compare_rules(&sorted[i - 1], &sorted[i]) == 0)
			continue;
		add_int(sha, sorted[i]->kind);
		add_text(sha, sorted[i]->path);
	}
	add_text(sha, NULL);
	return 0;
}

static void
add_settings(struct ward_sha256 *sha, const struct ward_profile *profile)
{
	const struct ward_limits *limits = &profile->limits;
	const struct ward_seal_options *seal = &profile->seal;

	add_int(sha, profile->read_default_allow);
	add_text(sha, profile->shell);
	add_int(sha, profile->scope);
	add_int(sha, profile->linger);
	add_int(sha, limits->processes);
	add_int(sha, limits->files);
	add_int(sha, limits->file_size);
	add_int(sha, limits->memory);
	add_int(sha, limits->tmp);
	add_int(sha, seal->multilib);
	add_int(sha, seal->nested_userns);
	add_int(sha, seal->debug);
	add_int(sha, seal->observe);
	if (profile->grace != WARD_UNLIMITED)
		add_int(sha, profile->grace);
	/* as above: what an older one says by saying nothing */
	if (profile->annotate != WARD_ANNOTATE_ON_FAILURE) {
		add_text(sha, "annotate");
		add_int(sha, profile->annotate);
	}
	if (profile->landlock != WARD_LANDLOCK_LEAST) {
		add_text(sha, "landlock");
		add_int(sha, profile->landlock);
	}
}

static int
compare_entries(const void *a, const void *b)
{
	const struct ward_policy_entry *one = a, *two = b;
	int r = strcmp(one->kind, two->kind);

	if (r == 0)
		r = strcmp(one->text, two->text);
	if (r == 0 && one->say != NULL && two->say != NULL)
		r = strcmp(one->say, two->say);
	return r;
}

/* A set, like the rules; what lists one endpoint twice says it once. */
static int
add_network(struct ward_sha256 *sha, const struct ward_network *network)
{
	char upstream[WARD_UPSTREAM_TEXT_MAX];
	struct ward_policy_entry *entries;
	size_t n;
	int r = ward_policy_network_entries(network, upstream, &entries, &n);

	if (r != 0)
		return r;
	add_int(sha, network->ask);
	add_int(sha, network->allow_private);
	qsort(entries, n, sizeof(*entries), compare_entries);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && compare_entries(&entries[i - 1], &entries[i]) == 0)
			continue;
		add_text(sha, entries[i].kind);
		add_text(sha, entries[i].text);
		add_text(sha, entries[i].say);
	}
	add_text(sha, NULL);
	free(entries);
	return 0;
}

/* Does it say anything of the network? */
static bool
has_network(const struct ward_network *network)
{
	return network->filtered || network->ask || network->allow_private ||
	    network->n_rules > 0 || network->n_reasons > 0 ||
	    network->n_denied > 0 || network->n_no_proxy > 0 ||
	    network->upstream.host != NULL;
}

/*
 * A form with more in it gets another first word.  What says nothing of the
 * more keeps its number: no sandbox gets stale by an upgrade.
 */
static const char *
form(const struct ward_profile *profile, bool network_too)
{
	if (network_too)
		return "ward-profile-3";
	return profile->grace == WARD_UNLIMITED ? "ward-profile-1"
						: "ward-profile-2";
}

static int
hash_profile(const struct ward_profile *profile, const struct ward_seal *seal,
    bool whole, unsigned char hash[WARD_SHA256_SIZE])
{
	const struct ward_network *network = &profile->network;
	bool network_too = whole ? has_network(network) : network->filtered;
	struct ward_sha256 sha;
	int r;

	ward_sha256_init(&sha);
	add_text(&sha, form(profile, network_too));
	add_text(&sha, profile->name);
	add_settings(&sha, profile);
	r = add_rules(&sha, profile->rules, profile->n_rules);
	if (r == 0)
		r = add_texts(&sha, profile->env_pass, profile->n_env_pass);
	if (r == 0)
		r = add_texts(&sha, profile->services, profile->n_services);
	if (r != 0)
		return r;
	/* in their order: of two values for one name the later counts */
	add_int(&sha, profile->n_env_set);
	for (size_t i = 0; i < profile->n_env_set; i++) {
		add_text(&sha, profile->env_set[i].name);
		add_text(&sha, profile->env_set[i].value);
	}
	add_int(&sha, seal->n_code);
	for (size_t i = 0; i < seal->n_code; i++) {
		add_int(&sha, seal->code[i].code);
		add_int(&sha, seal->code[i].jt);
		add_int(&sha, seal->code[i].jf);
		add_int(&sha, seal->code[i].k);
	}
	if (network_too)
		add_int(&sha, network->filtered);
	if (network_too && whole)
		r = add_network(&sha, network);
	ward_sha256_end(&sha, hash);
	return r;
}

int
ward_policy_hash(const struct ward_profile *profile,
    const struct ward_seal *seal, unsigned char hash[WARD_SHA256_SIZE],
    unsigned char rest[WARD_SHA256_SIZE])
{
	int r = hash_profile(profile, seal, true, hash);

	return r == 0 ? hash_profile(profile, seal, false, rest) : r;
}
