/* SPDX-License-Identifier: ISC */
/*
 * wardctl doctor: looks at the machine and says what would let an agent account
 * out, or keep it out of its own sandbox.  Each check is one function of one
 * table; it reads, and changes nothing.  ctl/ only.
 */
#ifndef WARD_CTL_DOCTOR_H
#define WARD_CTL_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "ctl/accounts.h"

enum ward_health {
	WARD_HEALTH_PASS,
	WARD_HEALTH_WARN,
	WARD_HEALTH_FAIL,
};

struct ward_finding {
	const char *check; /* of the table */
	enum ward_health health;
	char *detail;
	char *remedy; /* NULL for what passes */
};

struct ward_doctor {
	struct ward_accounts accounts;
	const char *check; /* the one at work */
	struct ward_finding *findings;
	size_t n;
	bool no_memory;
};

/* The account that a name or number in some file means; NULL: none of them. */
const struct ward_account *
ward_doctor_account(const struct ward_doctor *doctor, const char *user);

/*
 * A file that a check looks into, malloc'd; NULL if there is none.  One that is
 * there and cannot be read is told: it has not passed.
 */
char *ward_doctor_read(struct ward_doctor *doctor, const char *path);

/* What a check found; a check that says nothing has passed. */
void ward_doctor_pass(struct ward_doctor *doctor, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void ward_doctor_warn(struct ward_doctor *doctor, const char *remedy,
    const char *format, ...) __attribute__((format(printf, 3, 4)));
void ward_doctor_fail(struct ward_doctor *doctor, const char *remedy,
    const char *format, ...) __attribute__((format(printf, 3, 4)));

typedef void ward_doctor_check(struct ward_doctor *doctor);

/* --- doctor_kernel.c --- */
ward_doctor_check ward_doctor_kernel;
ward_doctor_check ward_doctor_sysctls;
ward_doctor_check ward_doctor_terminals;
ward_doctor_check ward_doctor_fence;

/* --- doctor_network.c --- */
ward_doctor_check ward_doctor_network;

/* --- doctor_machine.c --- */
ward_doctor_check ward_doctor_installed;
ward_doctor_check ward_doctor_places;
ward_doctor_check ward_doctor_stores;
ward_doctor_check ward_doctor_profiles;
ward_doctor_check ward_doctor_stacks;
ward_doctor_check ward_doctor_other_stacks;
ward_doctor_check ward_doctor_shells;

/* --- doctor_sudoers.c --- */
ward_doctor_check ward_doctor_sudoers;

/* --- doctor_sshd.c --- */
ward_doctor_check ward_doctor_sshd;
ward_doctor_check ward_doctor_sshrc;

/* --- doctor_accounts.c --- */
ward_doctor_check ward_doctor_policy;
ward_doctor_check ward_doctor_passwords;
ward_doctor_check ward_doctor_groups;
ward_doctor_check ward_doctor_homes;
ward_doctor_check ward_doctor_managers;
ward_doctor_check ward_doctor_jobs;
ward_doctor_check ward_doctor_adoptions;

ward_doctor_check ward_doctor_subids;

/* --- doctor_files.c --- */
ward_doctor_check ward_doctor_files;
ward_doctor_check ward_doctor_mail;
ward_doctor_check ward_doctor_crontabs;

/* --- doctor_units.c --- */
ward_doctor_check ward_doctor_units;

/* --- doctor_doors.c --- */
ward_doctor_check ward_doctor_daemons;
ward_doctor_check ward_doctor_outside;

#endif
