/* SPDX-License-Identifier: ISC */
/*
 * The nf_tables side of strays (strays.h): names that its two ends share, and
 * the program that sets it up in a sandbox's net namespace.
 */
#ifndef WARD_SANDBOX_REFUSE_H
#define WARD_SANDBOX_REFUSE_H

#include <stdbool.h>

#include "common/err.h"
#include "sandbox/program.h"

#define WARD_STRAYS_TABLE   "ward_strays"
#define WARD_STRAYS_COUNTER "strays"
#define WARD_STRAYS_GROUP   1  /* of nfnetlink_log, in that namespace */
#define WARD_STRAYS_BYTES   96 /* of each packet: its heads */
#define WARD_STRAYS_SECOND  20 /* that are told */
#define WARD_STRAYS_BURST   100

/* The arguments of the program, for ward_program_start; all are constant. */
void ward_refuse_program(struct ward_program *program, int net_nsfd, bool ipv6);

/* Waits for it: for wardctl, which tries it.  0 or -errno. */
int ward_refuse_strays(int net_nsfd, bool ipv6, struct err *err);

#endif
