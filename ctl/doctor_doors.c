/* SPDX-License-Identifier: ISC */
/* Other ways in: daemons, units, and what came in by one. */
#include "config.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/path.h"
#include "common/pids.h"
#include "ctl/doctor.h"
#include "ctl/outside.h"
#include "ctl/sshd.h"

/* --- daemons --- */

#define NO_PAM   "asks no PAM: what it starts as an account is on the host"
#define OWN_WAYS "has ways of its own to start programs as an account"

static const struct {
	const char *name;
	enum ward_health health;
	const char *why;
} daemons[] = {
	{ "cockpit-ws", WARD_HEALTH_WARN, OWN_WAYS },
	{ "code-server", WARD_HEALTH_WARN, OWN_WAYS },
	{ "dropbear", WARD_HEALTH_FAIL, NO_PAM },
	{ "etserver", WARD_HEALTH_FAIL, NO_PAM },
	{ "gotty", WARD_HEALTH_WARN, OWN_WAYS },
	{ "in.rlogind", WARD_HEALTH_FAIL, NO_PAM },
	{ "in.rshd", WARD_HEALTH_FAIL, NO_PAM },
	{ "in.telnetd", WARD_HEALTH_WARN, OWN_WAYS },
	{ "incrond", WARD_HEALTH_FAIL, NO_PAM },
	{ "inetd", WARD_HEALTH_WARN, OWN_WAYS },
	{ "mosh-server", WARD_HEALTH_WARN, OWN_WAYS },
	{ "shellinaboxd", WARD_HEALTH_WARN, OWN_WAYS },
	{ "smbd", WARD_HEALTH_WARN, OWN_WAYS },
	{ "tailscaled", WARD_HEALTH_WARN, OWN_WAYS },
	{ "telnetd", WARD_HEALTH_WARN, OWN_WAYS },
	{ "teleport", WARD_HEALTH_WARN, OWN_WAYS },
	{ "tinysshd", WARD_HEALTH_FAIL, NO_PAM },
	{ "ttyd", WARD_HEALTH_WARN, OWN_WAYS },
	{ "vsftpd", WARD_HEALTH_WARN, OWN_WAYS },
	{ "proftpd", WARD_HEALTH_WARN, OWN_WAYS },
	{ "xinetd", WARD_HEALTH_WARN, OWN_WAYS },
};

static void
look_at(struct ward_doctor *doctor, pid_t pid, const char *path)
{
	const char *program = ward_path_base(path);

	for (size_t i = 0; i < sizeof(daemons) / sizeof(daemons[0]); i++) {
		if (strcmp(program, daemons[i].name) != 0)
			continue;
		if (daemons[i].health == WARD_HEALTH_FAIL)
			ward_doctor_fail(doctor,
			    "end it, or see that it takes no agent account",
			    "%s (pid %d) %s", program, (int)pid,
			    daemons[i].why);
		else
			ward_doctor_warn(doctor,
			    "see that it takes no agent account",
			    "%s (pid %d) %s", program, (int)pid,
			    daemons[i].why);
	}
	if (ward_sshd_is_foreign(path))
		ward_doctor_fail(doctor,
		    "use the distribution's, or see that it takes no agent "
		    "account",
		    "%s (pid %d) is not the distribution's sshd: Ward refuses "
		    "its sessions, and sees none if it asks no PAM",
		    path, (int)pid);
}

void
ward_doctor_daemons(struct ward_doctor *doctor)
{
	char path[512];
	pid_t pid;
	DIR *proc = opendir("/proc");

	if (proc == NULL) {
		ward_doctor_warn(doctor, "see that /proc is mounted",
		    "what runs cannot be told");
		return;
	}
	while ((pid = ward_pids_next(proc)) != 0)
		if (ward_pids_program(pid, path, sizeof(path)) == 0)
			look_at(doctor, pid, path);
	(void)closedir(proc);
}

/* --- what is there now --- */

static void
on_outside(void *context, pid_t pid, const char *name,
    const struct ward_account *account)
{
	ward_doctor_fail(context,
	    "find out who started it, and end it: kill it by its number",
	    "%s (pid %d) of %s is in no sandbox", name, (int)pid,
	    account->name);
}

void
ward_doctor_outside(struct ward_doctor *doctor)
{
	struct err err = { 0 };

	if (ward_outside_each(&doctor->accounts, on_outside, doctor, &err) != 0)
		ward_doctor_fail(
		    doctor, "see that /proc is mounted", "%s", err.text);
}
