/* SPDX-License-Identifier: ISC */
/*
 * The steps from an account that is there to an agent account, and back.  Each
 * looks at what it finds, so that it can be taken again after one that was
 * interrupted.  From the first to the last of them the account is locked.
 * ctl/ only.
 */
#ifndef WARD_CTL_ADOPT_STEPS_H
#define WARD_CTL_ADOPT_STEPS_H

#include "common/err.h"
#include "ctl/accounts.h"
#include "ctl/record.h"

struct ward_adoption {
	struct ward_account account; /* as passwd has it when wardctl begins */
	struct ward_record record;
	char *keys; /* that --key gives; NULL: those of its home */
};

/* Takes all of them; where one fails, all are taken back. */
int ward_adoption_take(struct ward_adoption *adoption, struct err *err);

/*
 * Takes all back.  Where one fails, it stays at that: the account is locked,
 * and this can be tried again.
 */
int ward_adoption_take_back(struct ward_adoption *adoption, struct err *err);

/* -EBUSY while the account has a process, of a subordinate id too. */
int ward_adoption_check_quiet(
    const struct ward_adoption *adoption, struct err *err);

/* What the account is now, before anything is changed. */
int ward_adoption_record(struct ward_adoption *adoption, struct err *err);

void ward_adoption_clear(struct ward_adoption *adoption);

#endif
