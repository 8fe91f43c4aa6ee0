/* SPDX-License-Identifier: ISC */
/*
 * The keeper: a thread of the warden that sees to it that what the plan hides
 * stays hidden while the host's files change under a view.
 *
 * The kernel detaches a mount when somebody on the host removes or renames over
 * the place that it stands on, and moves it along when the place is moved.  The
 * keeper learns of that (mountinfo, inotify), hides again what a simple mask
 * hid, also what appears only now at a path that is denied, and ends the
 * sandbox at once where that will not do.  What the host unmounts, it lets go
 * inside, too; what the host mounts where the account can write, it closes
 * (sandbox/guests.h).  Between the host's change and the keeper's there is a
 * moment: a deny should stand on a directory that nobody renames.
 */
#ifndef WARD_SANDBOX_KEEPER_H
#define WARD_SANDBOX_KEEPER_H

#include <sys/types.h>

#include "common/err.h"
#include "profiles/plan.h"
#include "sandbox/layout.h"
#include "sandbox/loop.h"
#include "sandbox/recorder.h"
#include "sandbox/walk.h"

struct ward_keeper;

/* All that it points to is borrowed, and alive until ward_keeper_stop. */
struct ward_keeper_setup {
	struct ward_loop *loop;
	struct ward_recorder *recorder;
	const struct ward_plan *plan;
	const struct ward_layout *layout;
	const struct ward_mounts *mounts; /* of which the layout was made */
	const struct ward_walk_account *account;
	const char *masks_device; /* sandbox/looks.h; or NULL */
	const char *name;         /* the account's */
	pid_t init;
	int init_pidfd;
	const char **ending; /* gets a static string when the sandbox ends */
};

int ward_keeper_start(const struct ward_keeper_setup *setup,
    struct ward_keeper **keeper, struct err *err);
/* After the sandbox's processes have ended, before the loop goes. */
void ward_keeper_stop(struct ward_keeper *keeper);

#endif
