/* SPDX-License-Identifier: ISC */
/* The plan: what an account may see and write. */
#include "config.h"

#include <stdlib.h>

#include "profiles/plan.h"

void
ward_place_clear(struct ward_place *place)
{
	free(place->path);
	for (size_t i = 0; i < place->n_links; i++) {
		free(place->links[i].at);
		free(place->links[i].text);
	}
	free(place->links);
	*place = (struct ward_place){ 0 };
}
