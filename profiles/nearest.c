/* SPDX-License-Identifier: ISC */
/* What somebody probably meant. */
#include "config.h"

#include <string.h>

#include "profiles/nearest.h"

#define LONGEST 128

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Optimal string alignment; three rows are enough. */
static unsigned
distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
	unsigned rows[3][LONGEST + 1];

	for (size_t j = 0; j <= n_b; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= n_a; i++) {
		unsigned *row = rows[i % 3];
		const unsigned *above = rows[(i + 2) % 3];
		const unsigned *second = rows[(i + 1) % 3];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= n_b; j++) {
			unsigned change = a[i - 1] != b[j - 1];

			row[j] = least(above[j - 1] + change,
			    least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				row[j] = least(row[j], second[j - 2] + 1);
		}
	}
	return rows[n_a % 3][n_b];
}

const char *
ward_nearest(const char *written, const char *const *names, size_t n_names)
{
	const char *best = NULL;
	size_t n_written = strlen(written);
	unsigned best_distance = 0;

	if (n_written > LONGEST)
		return NULL;
	for (size_t i = 0; i < n_names; i++) {
		size_t n = names[i] == NULL ? 0 : strlen(names[i]);
		unsigned d;

		if (n == 0 || n > LONGEST)
			continue;
		d = distance(written, n_written, names[i], n);
		/* a third of it wrong is still a slip; more is another word */
		if (d > 1 + n / 4)
			continue;
		if (best == NULL || d < best_distance) {
			best = names[i];
			best_distance = d;
		}
	}
	return best;
}
