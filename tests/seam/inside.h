/* SPDX-License-Identifier: ISC */
/* What tests/seam/inside says where it is inside and sealed. */
#ifndef WARD_SEAM_INSIDE_H
#define WARD_SEAM_INSIDE_H

/* nothing else may say this: a refusal names paths, the tool's own too */
#define SEAM_SAYS   "the seam says: "
#define SEAM_INSIDE SEAM_SAYS "EACCES EROFS "
/* and of the network, where there is one */
#define SEAM_LEAKS  "other.test answers"
#define SEAM_LOST   "allowed.test does not answer"

#endif
