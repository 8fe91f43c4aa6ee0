/* SPDX-License-Identifier: ISC */
/* What tests/seam/inside says where it is inside and sealed. */
#ifndef WARD_SEAM_INSIDE_H
#define WARD_SEAM_INSIDE_H

#define SEAM_SAYS   "seam: "
#define SEAM_INSIDE SEAM_SAYS "EACCES EROFS "

#endif
