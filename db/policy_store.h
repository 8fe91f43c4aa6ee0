/* SPDX-License-Identifier: ISC */
/* What the files of the policy store share; for db/policy*.c only. */
#ifndef WARD_DB_POLICY_STORE_H
#define WARD_DB_POLICY_STORE_H

#include "db/policy.h"
#include "db/sqlite.h"

struct ward_policy {
	struct ward_sqlite *sqlite;
};

/* In the order of the table in policy.c. */
enum ward_policy_statement {
	POLICY_BEGIN,
	POLICY_BEGIN_WRITE,
	POLICY_COMMIT,
	POLICY_ROLLBACK,

	POLICY_ASSIGNED_USER,
	POLICY_ASSIGNED_REST,
	POLICY_REVISION_ID,
	POLICY_LOAD,
	POLICY_LOAD_RULES,
	POLICY_LOAD_NETWORK,
	POLICY_LOAD_ENVIRONMENT,
	POLICY_LOAD_SERVICES,
	POLICY_LOAD_SOURCE,

	POLICY_LIST_PROFILES,
	POLICY_LIST_REVISIONS,
	POLICY_LIST_ASSIGNMENTS,

	POLICY_NEXT_APPLY,
	POLICY_STATE,
	POLICY_PUT_PROFILE,
	POLICY_PUT_CURRENT,
	POLICY_PUT_REVISION,
	POLICY_PUT_SOURCE,
	POLICY_RENEW_DEFAULT,
	POLICY_DROP_RULES,
	POLICY_PUT_RULE,
	POLICY_DROP_NETWORK,
	POLICY_PUT_NETWORK,
	POLICY_PUT_ENVIRONMENT,
	POLICY_PUT_SERVICE,
	POLICY_RETIRE,
	POLICY_DROP_ASSIGNMENTS,
	POLICY_PUT_ASSIGNMENT,

	POLICY_PUT_GRANT,
	POLICY_HAS_GRANT,
	POLICY_REVOKE_GRANT,
	POLICY_REVOKE_GRANTS,
	POLICY_LIST_GRANTS,
	POLICY_N_STATEMENTS,
};

/* The words that stand in the columns, by their enum. */
extern const char *const ward_policy_rule_words[WARD_RULE_KINDS];
extern const char *const ward_policy_scope_words[2];
extern const char *const ward_policy_annotate_words[3];
extern const char *const ward_policy_assignee_words[3];

#define POLICY_COUNT(words) (sizeof(words) / sizeof((words)[0]))

/* The enum of a word, -1 if it is none of them or NULL. */
int ward_policy_word(const char *const *words, size_t n, const char *word);

/* Fills *found from the revision; on failure *found is clear. */
int ward_policy_load_revision(struct ward_policy *policy, int64_t revision_id,
    bool with_source, struct ward_policy_found *found, struct err *err);

/* policy_load.c: what cannot be is damage. */
void ward_policy_take_hash(
    struct ward_query *query, unsigned char hash[WARD_SHA256_SIZE]);
void *ward_policy_grow(void *array, size_t n, size_t size);
void
ward_policy_take_origin(struct ward_query *query, struct ward_origin *origin);

/* An entry of a network's lists, borrowed from it. */
struct ward_policy_entry {
	const char *kind;
	const char *text;
	const char *say; /* of reasons, else NULL */
	const struct ward_origin *origin;
};

/*
 * Everything that a network lists, and its proxy, written to upstream; *out is
 * the caller's.  -ENOMEM or 0.
 */
int ward_policy_network_entries(const struct ward_network *network,
    char upstream[WARD_UPSTREAM_TEXT_MAX], struct ward_policy_entry **out,
    size_t *n_out);

int ward_policy_put_network(struct ward_policy *policy,
    const struct ward_network *network, int64_t revision_id, struct err *err);
/* The same entries, which may stand elsewhere now. */
int ward_policy_renew_network(struct ward_policy *policy,
    const struct ward_network *network, int64_t revision_id, struct err *err);
int ward_policy_load_network(struct ward_policy *policy, int64_t revision_id,
    struct ward_network *network, struct err *err);

/*
 * What a profile does, as a number: equal for two that say the same in another
 * order, in other files, on other lines or with another description; and, in
 * rest, the same but for what a live sandbox can take.  -ENOMEM or 0.
 */
int ward_policy_hash(const struct ward_profile *profile,
    const struct ward_seal *seal, unsigned char hash[WARD_SHA256_SIZE],
    unsigned char rest[WARD_SHA256_SIZE]);

#endif
