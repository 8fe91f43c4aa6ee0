/* SPDX-License-Identifier: ISC */
/*
 * pam_ward.so: places every session of a governed account in its sandbox.
 * Loaded by sshd, su, sudo, runuser, cron and atd; links libpam and libc only.
 *
 * It stands twice in a stack: first with "close", last with "open", since
 * libpam runs the close phase in the order of the open phase.  See pam_ward(8).
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <shadow.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#define PAM_SM_SESSION
#include <security/pam_ext.h>
#include <security/pam_modules.h>
#include <security/pam_modutil.h>

#include "common/cleanup.h"
#include "common/err.h"
#include "common/group.h"
#include "common/number.h"
#include "common/places.h"
#include "common/refusal.h"
#include "pam/arm.h"
#include "pam/caller.h"
#include "pam/join.h"
#include "pam/poison.h"
#include "pam/service.h"

/* The two symbols that libpam looks for; everything else stays hidden. */
#define EXPORT __attribute__((visibility("default")))

enum place {
	PLACE_NONE,
	PLACE_OPEN,
	PLACE_CLOSE,
};

static enum place
place_of(int argc, const char **argv)
{
	if (argc == 1 && strcmp(argv[0], "open") == 0)
		return PLACE_OPEN;
	if (argc == 1 && strcmp(argv[0], "close") == 0)
		return PLACE_CLOSE;
	return PLACE_NONE;
}

/* A string item of PAM's, cut to what the request holds. */
static void
copy_item(pam_handle_t *pamh, int item, char *out, size_t size)
{
	const void *value = NULL;

	out[0] = '\0';
	if (pam_get_item(pamh, item, &value) == PAM_SUCCESS && value != NULL)
		(void)snprintf(out, size, "%s", (const char *)value);
}

/*
 * Says why, to the user where the caller can show it and to the log, and makes
 * sure that nothing runs.  Never PAM_SESSION_ERR, which sudo ignores.
 */
static int
refuse(pam_handle_t *pamh, const struct ward_wire_open *request,
    enum ward_refusal code, const char *detail)
{
	char line[1024];

	ward_refusal_line(line, sizeof(line), code, request->account, detail);
	pam_syslog(pamh, LOG_ERR, "%s [%s]", line, request->service);
	(void)pam_error(pamh, "%s", line);
	if (ward_caller_is_brief(request->service)) {
		int r = ward_poison_self();
		if (r != 0)
			pam_syslog(pamh, LOG_ERR,
			    "ward: cannot refuse execve "
			    "in this process: %s",
			    strerrordesc_np(-r));
	}
	return PAM_PERM_DENIED;
}

/*
 * The account is governed if its passwd shell is wardsh, and by nothing else.
 * 1, 0, or -1 where the account does not exist.
 */
static int
is_governed(pam_handle_t *pamh, const struct passwd **pw)
{
	const char *user = NULL;

	if (pam_get_user(pamh, &user, NULL) != PAM_SUCCESS || user == NULL)
		return -1;
	*pw = pam_modutil_getpwnam(pamh, user);
	if (*pw == NULL)
		return -1;
	return (*pw)->pw_uid != 0 && strcmp((*pw)->pw_shell, WARD_SHELL) == 0;
}

static uint32_t
audit_session(void)
{
	char text[16] = "";
	uint64_t value;
	_cleanup_fd_ int fd =
	    open("/proc/self/sessionid", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 ||
	    ward_number_parse(text, UINT32_MAX, &value) != 0)
		return UINT32_MAX;
	return (uint32_t)value;
}

static int
fill_groups(struct ward_wire_open *request, struct err *err)
{
	gid_t groups[WARD_WIRE_GROUPS_MAX];
	size_t n = WARD_WIRE_GROUPS_MAX;

	int r = ward_group_list(request->account, request->gid, groups, &n);
	if (r == -E2BIG)
		return ward_err_set(err, E2BIG, "it is in more than %d groups",
		    WARD_WIRE_GROUPS_MAX);
	if (r != 0)
		return ward_err_sys(err, -r, "its groups");
	request->n_groups = (uint32_t)n;
	for (size_t i = 0; i < n; i++)
		request->groups[i] = groups[i];
	return 0;
}

static int
fill_request(pam_handle_t *pamh, const struct passwd *pw,
    struct ward_wire_open *request, struct err *err)
{
	copy_item(
	    pamh, PAM_SERVICE, request->service, sizeof(request->service));
	copy_item(pamh, PAM_TTY, request->tty, sizeof(request->tty));
	copy_item(pamh, PAM_RHOST, request->rhost, sizeof(request->rhost));
	copy_item(pamh, PAM_RUSER, request->ruser, sizeof(request->ruser));
	request->uid = pw->pw_uid;
	request->gid = pw->pw_gid;
	request->audit_session = audit_session();
	if (strlen(pw->pw_name) >= sizeof(request->account) ||
	    strlen(pw->pw_dir) >= sizeof(request->home))
		return ward_err_set(err, ENAMETOOLONG, "name or home");
	(void)snprintf(
	    request->account, sizeof(request->account), "%s", pw->pw_name);
	(void)snprintf(request->home, sizeof(request->home), "%s", pw->pw_dir);
	return fill_groups(request, err);
}

/*
 * A lock is a past date of expiry.  runuser has no account phase and sudo asks
 * for the invoking user only, so it is looked at here too; as pam_unix does.
 * NONE, or why not.
 */
static enum ward_refusal
check_lock(pam_handle_t *pamh, const struct passwd *pw, struct err *err)
{
	const struct spwd *shadow = pam_modutil_getspnam(pamh, pw->pw_name);
	long today = (long)(time(NULL) / (24L * 60 * 60));

	/* passwd(5): with an x its entry is in the other file */
	if (shadow == NULL && strcmp(pw->pw_passwd, "x") == 0) {
		ward_err_set(err, ENOENT, "its shadow entry cannot be read");
		return WARD_REFUSED_ACCOUNT;
	}
	return shadow != NULL && shadow->sp_expire >= 0 &&
		today >= shadow->sp_expire
	    ? WARD_REFUSED_LOCKED
	    : WARD_REFUSED_NONE;
}

/*
 * For what never runs wardsh: cron, at, sudo, a command of sshd's subsystem.
 * Without them a session still has what is steered.
 */
static void
tell_proxy(pam_handle_t *pamh, uint32_t network)
{
	size_t n;
	const struct ward_variable *variables =
	    ward_proxy_variables((enum ward_net_kind)network, &n);
	char text[256];

	for (size_t i = 0; i < n; i++) {
		(void)snprintf(text, sizeof(text), "%s=%s", variables[i].name,
		    variables[i].value);
		if (pam_putenv(pamh, text) != PAM_SUCCESS)
			pam_syslog(pamh, LOG_WARNING, "ward: %s cannot be set",
			    variables[i].name);
	}
}

static int
open_session(pam_handle_t *pamh, const struct passwd *pw)
{
	struct ward_wire_open request = { 0 };
	struct ward_caller caller = { 0 };
	struct ward_joined joined;
	struct err err = { 0 };

	(void)snprintf(
	    request.account, sizeof(request.account), "%s", pw->pw_name);
	if (fill_request(pamh, pw, &request, &err) != 0)
		return refuse(pamh, &request, WARD_REFUSED_ACCOUNT, err.text);
	if (!ward_service_is_known(request.service))
		return refuse(
		    pamh, &request, WARD_REFUSED_SERVICE, request.service);
	if (ward_caller_check(request.service, &caller, &err) != 0)
		return refuse(pamh, &request, WARD_REFUSED_CALLER, err.text);
	enum ward_refusal code =
	    caller.is_wardctl ? WARD_REFUSED_NONE : check_lock(pamh, pw, &err);
	if (code != WARD_REFUSED_NONE)
		return refuse(pamh, &request, code, err.text);
	if (ward_arm_is_armed())
		return refuse(pamh, &request, WARD_REFUSED_ARM,
		    "the process has a session already");
	if (ward_caller_keep_descriptors(&err) != 0)
		return refuse(
		    pamh, &request, WARD_REFUSED_DESCRIPTOR, err.text);
	code = ward_join(&request, &joined, &err);
	if (code != WARD_REFUSED_NONE)
		return refuse(pamh, &request, code, err.text);
	/* there is a warden now, which records why not */
	const uint32_t network = joined.opened.network;
	if (ward_caller_check_descriptors(&err) != 0)
		code = WARD_REFUSED_DESCRIPTOR;
	else if (ward_arm_take(&joined, &err) != 0)
		code = WARD_REFUSED_ARM;
	if (code != WARD_REFUSED_NONE) {
		ward_joined_refuse(&joined, code, err.text);
		return refuse(pamh, &request, code, err.text);
	}
	tell_proxy(pamh, network);
	return PAM_SUCCESS;
}

/* This session was, in the module's other place. */
static const char refused_name[] = "ward_refused";

static bool
was_refused(const pam_handle_t *pamh)
{
	const void *data = NULL;

	return pam_get_data(pamh, refused_name, &data) == PAM_SUCCESS;
}

/*
 * Nobody knows whether it is governed: as if it were.  Said once, though the
 * module stands twice in the stack, and known where it is asked again.
 */
static int
refuse_unknown(pam_handle_t *pamh)
{
	struct ward_wire_open request = { 0 };

	if (was_refused(pamh))
		return PAM_PERM_DENIED;
	if (pam_set_data(pamh, refused_name, (void *)(uintptr_t)refused_name,
		NULL) != PAM_SUCCESS)
		pam_syslog(pamh, LOG_ERR, "ward: pam_set_data");
	copy_item(pamh, PAM_USER, request.account, sizeof(request.account));
	copy_item(pamh, PAM_SERVICE, request.service, sizeof(request.service));
	return refuse(pamh, &request, WARD_REFUSED_ACCOUNT,
	    "it has no passwd entry, or none that can be read");
}

EXPORT int
pam_sm_open_session(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
	const struct passwd *pw = NULL;

	(void)flags;
	switch (is_governed(pamh, &pw)) {
	case 0:
		return PAM_IGNORE;
	case 1:
		break;
	default:
		return refuse_unknown(pamh);
	}
	switch (place_of(argc, argv)) {
	case PLACE_CLOSE:
		/* a missing module is then the first error of the stack */
		return PAM_SUCCESS;
	case PLACE_OPEN:
		return was_refused(pamh) ? PAM_PERM_DENIED
					 : open_session(pamh, pw);
	case PLACE_NONE:
		break;
	}
	struct ward_wire_open request = { 0 };
	(void)fill_request(pamh, pw, &request, NULL);
	return refuse(pamh, &request, WARD_REFUSED_STACK,
	    "pam_ward.so stands without \"open\" or \"close\"");
}

EXPORT int
pam_sm_close_session(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
	struct err err = { 0 };

	(void)flags;
	/* a sealed child that closes, or a session that is not ours */
	if (place_of(argc, argv) != PLACE_CLOSE || !ward_arm_is_armed())
		return PAM_IGNORE;
	if (ward_disarm(&err) == 0)
		return PAM_SUCCESS;
	pam_syslog(pamh, LOG_ERR, "ward: %s", err.text);
	return PAM_SYSTEM_ERR;
}
