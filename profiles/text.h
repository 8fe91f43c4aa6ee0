/* SPDX-License-Identifier: ISC */
/*
 * From the bytes of a policy file to libconfig's tree, with everything refused
 * on the way that libconfig would misread.  Profiles and assignments use it.
 *
 * libconfig 1.5 reads 9999999999 as 1410065407, drops \x00, obeys @include,
 * takes a comment or string that is never closed as the end of the text, makes
 * one string of two that miss their comma, and gives the string of a list the
 * line of what stands behind it.  So the text is checked first, grammar
 * included, and the lines are set right afterwards.
 */
#ifndef WARD_PROFILES_TEXT_H
#define WARD_PROFILES_TEXT_H

#include <libconfig.h>
#include <stddef.h>

#include "profiles/diagnostics.h"

#define WARD_TEXT_MAX   ((size_t)1 << 20) /* bytes of one file */
#define WARD_TEXT_DEPTH 16                /* brackets within brackets */
#define WARD_TEXT_KEYS  64                /* keys of one group */

/*
 * 0 with *config filled, for the caller to config_destroy; else -EINVAL with
 * one finding, or -ENOMEM, and nothing to destroy.
 */
int ward_text_read(const char *file, const char *text, size_t size,
    config_t *config, struct ward_diagnostics *findings);

/*
 * A finding for a setting whose key is none of these: the nearest one, or
 * known, which tells them.  As ward_diagnostics_add.
 */
int ward_text_unknown_key(struct ward_diagnostics *findings, const char *file,
    const config_setting_t *setting, const char *const *keys, size_t n_keys,
    const char *known);

#endif
