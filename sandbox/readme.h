/* SPDX-License-Identifier: ISC */
/* What every sandbox has at /run/ward/README, for agents.  For frame.c. */
#ifndef WARD_SANDBOX_README_H
#define WARD_SANDBOX_README_H

/* Where it stands in the frame. */
#define WARD_README "run/ward/README"

extern const char ward_readme[];

#endif
