/* SPDX-License-Identifier: ISC */
/*
 * One merged profile out of a family of texts.  Pure; only profiles/compile.c
 * uses it.
 */
#ifndef WARD_PROFILES_BUILD_H
#define WARD_PROFILES_BUILD_H

#include "profiles/extends.h"
#include "profiles/profile.h"

/* 0, -EINVAL with findings, or -ENOMEM. */
int ward_profile_build(const struct ward_family *family, size_t member,
    struct ward_profile **out, struct ward_diagnostics *findings);

#endif
