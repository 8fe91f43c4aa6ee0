/* SPDX-License-Identifier: ISC */
/*
 * The services that can carry a governed session at all, by PAM service name,
 * and the programs that are them.  Which of these a profile opens is the
 * warden's to say.  Only pam_ward.so uses this.
 */
#ifndef WARD_PAM_SERVICE_H
#define WARD_PAM_SERVICE_H

#include <stdbool.h>

/*
 * A service that is not here may be a long-lived daemon (systemd-user) or a
 * way in that becomes the account without forking: always refused.
 */
bool ward_service_is_known(const char *service);

/*
 * Whoever asks for this service is such a program, which goes on after an error
 * that may hide ours: sudo.
 */
bool ward_service_goes_on(const char *service);

/* The program (a path, as /proc/self/exe shows it) is one of the service's. */
bool ward_service_is_program(const char *service, const char *program);

#endif
