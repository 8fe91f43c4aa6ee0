/* SPDX-License-Identifier: ISC */
/* wardctl profile list and show: what the policy store holds. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/number.h"
#include "common/text.h"
#include "ctl/ctl.h"
#include "ctl/list.h"
#include "ctl/stores.h"
#include "db/policy.h"
#include "profiles/protect.h"
#include "profiles/schema.h"

enum { LIST_JSON, LIST_ALL };
enum { SHOW_EFFECTIVE, SHOW_SECCOMP, SHOW_REVISION, SHOW_JSON };

static const struct ward_list_column profile_columns[] = {
	{ "name", "NAME", false },
	{ "revision", "REVISION", false },
	{ "applied", "SINCE", true },
	{ "author", "BY", false },
	{ "retired", "RETIRED", false },
	{ "hash", NULL, false },
	{ "description", "DESCRIPTION", false },
};

static const struct ward_list_column setting_columns[] = {
	{ "key", "KEY", false },
	{ "value", "VALUE", false },
	{ "file", NULL, false },
	{ "line", NULL, false },
	{ NULL, "FROM", false },
};

/* --- list --- */

static void
add_hash(struct ward_list *list, const unsigned char *hash)
{
	char text[2 * WARD_SHA256_SIZE + 1];

	for (size_t i = 0; i < WARD_SHA256_SIZE; i++)
		(void)snprintf(text + 2 * i, 3, "%02x", hash[i]);
	ward_list_text(list, text);
}

static int
on_profile(void *context, const struct ward_policy_revision *revision)
{
	struct ward_list *list = context;

	ward_list_text(list, revision->profile);
	ward_list_number(list, revision->number);
	ward_list_number(list, revision->created);
	ward_list_text(list, revision->author);
	ward_list_flag(list, revision->retired);
	add_hash(list, revision->hash);
	ward_list_text(list, revision->description);
	return 0;
}

int
ward_ctl_profile_list(const struct ward_ctl_args *args)
{
	struct ward_policy *policy = NULL;
	struct err err = { 0 };
	struct ward_list *list = ward_list_new(profile_columns,
	    sizeof(profile_columns) / sizeof(profile_columns[0]));

	if (list == NULL)
		return ward_ctl_fail("no memory");
	int r = ward_stores_policy(WARD_POLICY_READ, &policy, &err);
	if (r == 0)
		r = ward_policy_each_profile(policy,
		    args->values[LIST_ALL] != NULL, on_profile, list, &err);
	ward_policy_close(policy);
	if (r != 0) {
		ward_list_free(list);
		return ward_ctl_fail_err(&err);
	}
	return ward_list_end(list, args->values[LIST_JSON] != NULL, false);
}

/* --- show --effective --- */

static void
add_origin(struct ward_list *list, const struct ward_origin *origin)
{
	if (origin == NULL) {
		ward_list_nothing(list);
		ward_list_nothing(list);
		ward_list_nothing(list);
		return;
	}
	ward_list_text(list, origin->file);
	ward_list_number(list, origin->line);
	if (origin->line == 0)
		ward_list_text(list, origin->file);
	else
		ward_list_format(list, "%s:%u", origin->file, origin->line);
}

static void
add_setting(struct ward_list *list, enum ward_key_id key, const char *value)
{
	ward_list_text(list, ward_keys[key].path);
	ward_list_text(list, value);
	add_origin(list, NULL);
}

static void
add_number(struct ward_list *list, enum ward_key_id key, uint64_t value)
{
	char text[32];

	if (value == WARD_UNLIMITED)
		(void)snprintf(text, sizeof(text), "unlimited");
	else
		(void)snprintf(text, sizeof(text), "%" PRIu64, value);
	add_setting(list, key, text);
}

static void
add_flag(struct ward_list *list, enum ward_key_id key, bool flag)
{
	add_setting(list, key, flag ? "true" : "false");
}

static int
by_kind_and_path(const void *a, const void *b)
{
	const struct ward_rule *one = *(const struct ward_rule *const *)a;
	const struct ward_rule *two = *(const struct ward_rule *const *)b;

	if (one->kind != two->kind)
		return one->kind < two->kind ? -1 : 1;
	return strcmp(one->path, two->path);
}

static int
add_rules(struct ward_list *list, const struct ward_profile *profile)
{
	static const enum ward_key_id keys[] = {
		[WARD_READ_ALLOW] = WARD_KEY_READ_ALLOW,
		[WARD_READ_DENY] = WARD_KEY_READ_DENY,
		[WARD_WRITE_ALLOW] = WARD_KEY_WRITE_ALLOW,
		[WARD_WRITE_DENY] = WARD_KEY_WRITE_DENY,
		[WARD_SOCKET_ALLOW] = WARD_KEY_SOCKETS_ALLOW,
		[WARD_PROTECT] = WARD_KEY_PROTECT,
		[WARD_UNPROTECT] = WARD_KEY_PROTECT,
	};
	_cleanup_free_ const struct ward_rule **sorted =
	    calloc(profile->n_rules + 1, sizeof(*sorted));

	if (sorted == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < profile->n_rules; i++)
		sorted[i] = &profile->rules[i];
	qsort(sorted, profile->n_rules, sizeof(*sorted), by_kind_and_path);
	for (size_t i = 0; i < profile->n_rules; i++) {
		ward_list_text(list, ward_keys[keys[sorted[i]->kind]].path);
		ward_list_format(list, "%s%s",
		    sorted[i]->kind == WARD_UNPROTECT ? "!" : "",
		    sorted[i]->path);
		add_origin(list, &sorted[i]->origin);
	}
	return 0;
}

/* Names of the built-in list that hold, and that no rule gives as well. */
static void
add_protected(struct ward_list *list, const struct ward_profile *profile)
{
	const struct ward_origin built_in = { .file = (char[]){ "built-in" } };

	for (size_t i = 0; i < ward_n_protected_names; i++) {
		const char *name = ward_protected_names[i];

		if (ward_protect_find(profile, WARD_PROTECT, name) != NULL ||
		    ward_protect_find(profile, WARD_UNPROTECT, name) != NULL)
			continue;
		ward_list_text(list, ward_keys[WARD_KEY_PROTECT].path);
		ward_list_text(list, name);
		add_origin(list, &built_in);
	}
}

static void
add_endpoint(struct ward_list *list, enum ward_key_id key, const char *text,
    const struct ward_origin *origin)
{
	ward_list_text(list, ward_keys[key].path);
	ward_list_text(list, text);
	add_origin(list, origin);
}

/* Allows before denies, each as the profiles have them. */
static void
add_net_rules(struct ward_list *list, const struct ward_network *network,
    enum ward_net_list which, enum ward_key_id key)
{
	for (size_t i = 0; i < network->n_rules; i++)
		if (network->rules[i].list == which)
			add_endpoint(list, key, network->rules[i].text,
			    &network->rules[i].origin);
}

static void
add_network(struct ward_list *list, const struct ward_network *network)
{
	char upstream[WARD_UPSTREAM_TEXT_MAX];

	add_setting(list, WARD_KEY_NETWORK_MODE,
	    ward_keys[WARD_KEY_NETWORK_MODE]
		.choices[network->filtered ? WARD_CHOICE_FILTERED
					   : WARD_CHOICE_NO_NETWORK]);
	add_net_rules(list, network, WARD_NET_ALLOW, WARD_KEY_NETWORK_ALLOW);
	add_net_rules(list, network, WARD_NET_DENY, WARD_KEY_NETWORK_DENY);
	add_setting(list, WARD_KEY_NETWORK_UNLISTED,
	    ward_keys[WARD_KEY_NETWORK_UNLISTED]
		.choices[network->ask ? WARD_CHOICE_ASK : WARD_CHOICE_REFUSE]);
	for (size_t i = 0; i < network->n_reasons; i++) {
		ward_list_text(list, ward_keys[WARD_KEY_NETWORK_REASONS].path);
		ward_list_format(list, "%s: %s", network->reasons[i].text,
		    network->reasons[i].say);
		add_origin(list, &network->reasons[i].origin);
	}
	add_flag(list, WARD_KEY_NETWORK_PRIVATE, network->allow_private);
	for (size_t i = 0; i < network->n_denied; i++)
		add_endpoint(list, WARD_KEY_NETWORK_BLOCKS,
		    network->denied[i].text, &network->denied[i].origin);
	add_endpoint(list, WARD_KEY_NETWORK_UPSTREAM,
	    ward_upstream_text(&network->upstream, upstream),
	    network->upstream.host == NULL ? NULL : &network->upstream.origin);
	for (size_t i = 0; i < network->n_no_proxy; i++)
		add_endpoint(list, WARD_KEY_NETWORK_NO_PROXY,
		    network->no_proxy[i].text, &network->no_proxy[i].origin);
}

static void
add_session(struct ward_list *list, const struct ward_profile *p)
{
	add_setting(list, WARD_KEY_SHELL, p->shell);
	add_setting(list, WARD_KEY_SCOPE,
	    ward_keys[WARD_KEY_SCOPE]
		.choices[p->scope == WARD_SCOPE_ACCOUNT ? WARD_CHOICE_ACCOUNT
							: WARD_CHOICE_SESSION]);
	add_number(list, WARD_KEY_LINGER, p->linger);
	add_number(list, WARD_KEY_GRACE, p->grace);
	add_setting(list, WARD_KEY_OBSERVE,
	    ward_keys[WARD_KEY_OBSERVE]
		.choices[p->seal.observe ? WARD_CHOICE_WRITES
					 : WARD_CHOICE_NOTHING]);
	add_setting(list, WARD_KEY_ANNOTATE,
	    ward_keys[WARD_KEY_ANNOTATE].choices[p->annotate]);
	for (size_t i = 0; i < p->n_env_pass; i++)
		add_setting(list, WARD_KEY_PASS, p->env_pass[i]);
	for (size_t i = 0; i < p->n_env_set; i++) {
		ward_list_text(list, ward_keys[WARD_KEY_SET].path);
		ward_list_format(
		    list, "%s=%s", p->env_set[i].name, p->env_set[i].value);
		add_origin(list, NULL);
	}
	for (size_t i = 0; i < p->n_services; i++)
		add_setting(list, WARD_KEY_SERVICES, p->services[i]);
}

static int
add_effective(struct ward_list *list, const struct ward_profile *p)
{
	add_setting(list, WARD_KEY_NAME, p->name);
	add_setting(list, WARD_KEY_DESCRIPTION, p->description);
	ward_list_text(list, ward_keys[WARD_KEY_READ_DEFAULT].path);
	ward_list_text(list,
	    ward_keys[WARD_KEY_READ_DEFAULT]
		.choices[p->read_default_allow ? WARD_CHOICE_ALLOW
					       : WARD_CHOICE_DENY]);
	add_origin(list, &p->read_default_origin);
	int r = add_rules(list, p);
	add_protected(list, p);
	add_network(list, &p->network);
	add_number(list, WARD_KEY_PROCESSES, p->limits.processes);
	add_number(list, WARD_KEY_FILES, p->limits.files);
	add_number(list, WARD_KEY_FILE_SIZE, p->limits.file_size);
	add_number(list, WARD_KEY_MEMORY, p->limits.memory);
	add_number(list, WARD_KEY_TMP, p->limits.tmp);
	add_session(list, p);
	add_flag(list, WARD_KEY_MULTILIB, p->seal.multilib);
	add_flag(list, WARD_KEY_NESTED_USERNS, p->seal.nested_userns);
	add_flag(list, WARD_KEY_DEBUG, p->seal.debug);
	add_number(list, WARD_KEY_LANDLOCK, p->landlock);
	return r;
}

static int
show_effective(const struct ward_policy_found *found, bool json)
{
	struct ward_list *list = ward_list_new(setting_columns,
	    sizeof(setting_columns) / sizeof(setting_columns[0]));

	if (list == NULL || add_effective(list, found->profile) != 0) {
		ward_list_free(list);
		return ward_ctl_fail("no memory");
	}
	return ward_list_end(list, json, false);
}

/* --- show --- */

static int
show(const struct ward_policy_found *found, const struct ward_ctl_args *args)
{
	if (args->values[SHOW_EFFECTIVE] != NULL)
		return show_effective(found, args->values[SHOW_JSON] != NULL);
	if (args->values[SHOW_SECCOMP] != NULL) {
		if (ward_seal_print(&found->seal, stdout) != 0)
			return ward_ctl_fail("the filter cannot be printed");
		return ward_ctl_flush();
	}
	(void)fputs(found->source == NULL ? "" : found->source, stdout);
	return ward_ctl_flush();
}

static int
check_show(const struct ward_ctl_args *args, uint64_t *revision)
{
	const char *number = args->values[SHOW_REVISION];
	char visible[64];

	if (args->values[SHOW_EFFECTIVE] != NULL &&
	    args->values[SHOW_SECCOMP] != NULL)
		return ward_ctl_misuse(
		    "show: --effective and --seccomp exclude each other");
	if (args->values[SHOW_JSON] != NULL &&
	    args->values[SHOW_EFFECTIVE] == NULL)
		return ward_ctl_misuse("show: --json goes with --effective");
	*revision = 0;
	if (number != NULL &&
	    (ward_number_parse(number, INT64_MAX, revision) != 0 ||
		*revision == 0))
		return ward_ctl_misuse("--revision %s: not a number from 1 on",
		    ward_text_visible(visible, sizeof(visible), number));
	return WARD_EXIT_OK;
}

int
ward_ctl_profile_show(const struct ward_ctl_args *args)
{
	struct ward_policy *policy = NULL;
	struct ward_policy_found found = { 0 };
	struct err err = { 0 };
	uint64_t revision = 0;

	int status = check_show(args, &revision);
	if (status != WARD_EXIT_OK)
		return status;
	int r = ward_stores_policy(WARD_POLICY_READ, &policy, &err);
	if (r == 0)
		r = ward_policy_load(
		    policy, args->operands[0], (int64_t)revision, &found, &err);
	ward_policy_close(policy);
	if (r != 0) {
		ward_policy_found_clear(&found);
		return ward_ctl_fail_err(&err);
	}
	status = show(&found, args);
	ward_policy_found_clear(&found);
	return status;
}
