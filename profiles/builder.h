/* SPDX-License-Identifier: ISC */
/* A profile while it is merged; what build.c and build_network.c share. */
#ifndef WARD_PROFILES_BUILDER_H
#define WARD_PROFILES_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiles/extends.h"
#include "profiles/profile.h"

#define WARD_BUILDER_RULES_MAX 4096 /* of one profile, with its parents */

struct ward_builder {
	const struct ward_family *family;
	size_t member;
	struct ward_profile *profile;
	struct ward_diagnostics *findings;
};

int ward_builder_origin(
    struct ward_origin *origin, const char *file, unsigned line);

/* The setting that holds, or NULL: the built-in default does. */
int ward_builder_scalar(const struct ward_builder *builder, enum ward_key_id id,
    const struct ward_setting **setting, size_t *giver);
int ward_builder_number(
    const struct ward_builder *builder, enum ward_key_id id, uint64_t *out);
int ward_builder_boolean(
    const struct ward_builder *builder, enum ward_key_id id, bool *out);

/* build_network.c: the step for profile->network. */
int ward_builder_network(const struct ward_builder *builder);

#endif
