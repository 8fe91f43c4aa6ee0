/* SPDX-License-Identifier: ISC */
/* A profile in memory: its end. */
#include "config.h"

#include <stdlib.h>

#include "profiles/profile.h"

static void
free_strings(char **strings, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(strings[i]);
	free(strings);
}

void
ward_profile_free(struct ward_profile *profile)
{
	if (profile == NULL)
		return;
	free(profile->name);
	free(profile->description);
	free(profile->read_default_origin.file);
	for (size_t i = 0; i < profile->n_rules; i++) {
		free(profile->rules[i].path);
		free(profile->rules[i].origin.file);
	}
	free(profile->rules);
	ward_network_clear(&profile->network);
	free(profile->shell);
	free_strings(profile->env_pass, profile->n_env_pass);
	for (size_t i = 0; i < profile->n_env_set; i++) {
		free(profile->env_set[i].name);
		free(profile->env_set[i].value);
	}
	free(profile->env_set);
	free_strings(profile->services, profile->n_services);
	free(profile);
}
