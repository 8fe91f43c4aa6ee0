/* SPDX-License-Identifier: ISC */
/*
 * How the account logs in: what is traced of it, and the next login, which is
 * not.  Part of tests/seam/seam.
 */
#ifndef WARD_SEAM_LOGIN_H
#define WARD_SEAM_LOGIN_H

#include <stdbool.h>
#include <sys/types.h>

#include "tests/seam/trace.h"

/*
 * By "su ACCOUNT -c COMMAND"; by runuser where the account is locked, which
 * asks nobody about that; or by ssh, with a directory that has an ssh_config,
 * and an sshd_config for the login that is traced: the next one asks the sshd
 * that there is. The strings stay the caller's, and must stay.
 */
struct seam_way {
	const char *account, *command;
	bool is_locked;
	const char *ssh_directory; /* NULL: not by ssh */
};

void seam_login_init(const struct seam_way *way);

/* A login that began; the fd and the client are the caller's to end. */
struct seam_begun {
	int input_fd;              /* the session's input */
	struct seam_beside client; /* pid 0: there is none */
};

/*
 * Begins the login that is traced.  By ssh that is "sshd -i", the process in
 * which the module runs, and its client is beside it.
 */
void seam_login_begin(struct seam_begun *begun, const struct seam_fault *fault,
    struct seam_seen *seen);

/* Begins the next login, without any input, beside the other. */
void seam_login_next(struct seam_beside *next, int output_fd);

#endif
