/* SPDX-License-Identifier: ISC */
/* wardctl enable and disable: what Ward needs of the machine. */
#include "config.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/places.h"
#include "ctl/accounts.h"
#include "ctl/apply.h"
#include "ctl/ctl.h"
#include "ctl/edit.h"
#include "ctl/fence.h"
#include "ctl/pam_lines.h"
#include "ctl/run.h"
#include "ctl/services.h"
#include "ctl/sshd.h"
#include "profiles/schema.h"

enum { DISABLE_CHECK };

#define PAM_UPDATE "/usr/sbin/pam-auth-update"

static const char default_assignments[] =
    "# Which agent account has which profile.  Then: wardctl profile apply\n"
    "#\n"
    "# A user's line wins over groups, those over the default.  Of several\n"
    "# groups that an account is in, the first here counts.  An account that\n"
    "# nothing here names cannot log in.\n"
    "#\n"
    "# users:  ( { name = \"builder\"; profile = \"base\"; } );\n"
    "# groups: ( { name = \"agents\"; profile = \"strict\"; } );\n"
    "# default = \"strict\";\n";

/* Everything that the lines will call is installed. */
static int
check_installed(struct err *err)
{
	static const char *const files[] = { WARD_PAMDIR "/pam_ward.so",
		WARD_WARDEN, WARD_INIT, WARD_MASKS, WARD_SHELL };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (access(files[i], R_OK) != 0)
			return ward_err_sys(err, errno,
			    "%s: install Ward again, then run 'wardctl "
			    "enable'",
			    files[i]);
	return 0;
}

static int
make_group(struct err *err)
{
	const char *const argv[] = { "/usr/sbin/groupadd", "--system",
		WARD_GROUP, NULL };

	if (getgrnam(WARD_GROUP) != NULL)
		return 0;
	int r = ward_run_check(argv, err);
	if (r == 0)
		ward_ctl_say("made the group " WARD_GROUP);
	return r;
}

static int
make_user(struct err *err)
{
	const char *const argv[] = { "/usr/sbin/useradd", "--system",
		"--user-group", "--home-dir", "/nonexistent",
		"--no-create-home", "--shell", "/usr/sbin/nologin", WARD_USER,
		NULL };
	const struct passwd *pw = getpwnam(WARD_USER);

	if (pw != NULL && (pw->pw_uid == 0 || pw->pw_gid == 0))
		return ward_err_set(
		    err, EPERM, "the user " WARD_USER " is root: remove it");
	if (pw != NULL)
		return 0;
	int r = ward_run_check(argv, err);
	if (r == 0)
		ward_ctl_say("made the user " WARD_USER);
	return r;
}

static int
make_directories(struct err *err)
{
	static const struct {
		const char *path;
		mode_t mode;
	} directories[] = {
		{ WARD_ETC, 0755 },
		{ WARD_ETC_PROFILES, 0700 },
		{ WARD_AUTHORIZED_KEYS, 0755 },
		{ WARD_STATE, 0700 },
	};

	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]);
	     i++) {
		int r = ward_edit_make_directory(
		    directories[i].path, directories[i].mode, err);
		if (r != 0)
			return r;
	}
	if (access(WARD_ASSIGNMENTS, F_OK) == 0)
		return 0;
	int r =
	    ward_edit_write(WARD_ASSIGNMENTS, default_assignments, 0644, err);
	if (r == 0)
		ward_ctl_say("wrote " WARD_ASSIGNMENTS);
	return r;
}

static int
first_apply(struct err *err)
{
	return access(WARD_POLICY_DB, F_OK) == 0 ? 0 : ward_site_apply(err);
}

/*
 * It does nothing, and exits 0, where somebody edited common-session: what
 * came of it is seen by ward_services_verify.
 */
static int
update_pam(const char *what, struct err *err)
{
	const char *const argv[] = { PAM_UPDATE, "--package", what,
		"ward-close", "ward-open", NULL };

	if (!ward_run_is_there(PAM_UPDATE)) {
		ward_ctl_say(
		    "there is no " PAM_UPDATE ": the stacks are yours to edit");
		return 0;
	}
	int r = ward_run_check(argv, err);
	if (r == 0)
		ward_ctl_say(
		    "ran " PAM_UPDATE " %s ward-close ward-open", what);
	return r;
}

/* A stack that needs lines of its own, beside those of the common ones. */
struct stack {
	const char *path;
	bool open; /* it includes none of the common ones */
};

/*
 * sudo goes on after PAM_SESSION_ERR, and its stock stack has pam_limits before
 * the common one: a module of ours that is missing must be the first error.
 */
static const struct stack stacks[] = {
	{ WARD_PAM_DIRECTORY "/runuser", true },
	{ WARD_PAM_DIRECTORY "/sudo", false },
	{ WARD_PAM_DIRECTORY "/sudo-i", false },
};

static int
edit_stack(const struct stack *stack, bool add, struct err *err)
{
	size_t size;
	char *old = NULL;
	struct err absent = { 0 };

	int r = ward_edit_read(stack->path, &old, &size, &absent);
	_cleanup_free_ char *text = old;
	if (r == -ENOENT)
		return 0;
	if (r != 0)
		return ward_err_set(err, -r, "%s", absent.text);
	_cleanup_free_ char *made = add
	    ? ward_pam_lines_add(text, WARD_SHELL, stack->open)
	    : ward_pam_lines_remove(text);
	if (made == NULL)
		return ward_err_sys(err, ENOMEM, "%s", stack->path);
	if (strcmp(made, text) == 0)
		return 0;
	r = ward_edit_write(stack->path, made, 0644, err);
	if (r == 0)
		ward_ctl_say("%s %s",
		    add ? "put Ward's lines into" : "took Ward's lines out of",
		    stack->path);
	return r;
}

static int
edit_stacks(bool add, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(stacks) / sizeof(stacks[0]);
	     i++)
		r = edit_stack(&stacks[i], add, err);
	return r;
}

static void
say_reload(void)
{
	if (ward_sshd_is_running())
		ward_ctl_say("now: systemctl reload ssh");
}

static int
enable_sshd(struct err *err)
{
	bool there, changed;

	int r = ward_sshd_enable(&there, &changed, err);
	if (!there)
		ward_ctl_say("there is no sshd: nothing to configure");
	if (changed) {
		ward_ctl_say("wrote " WARD_SSHD_SNIPPET);
		say_reload();
	}
	return r;
}

static int
enable_fence(struct err *err)
{
	bool changed;
	int r = ward_fence_unit_enable(&changed, err);

	if (changed)
		ward_ctl_say("ward-fence.service is started at boot");
	return r == 0 ? ward_fence_keep(err) : r;
}

static int
enable(struct err *err)
{
	int r = check_installed(err);

	if (r == 0)
		r = make_group(err);
	if (r == 0)
		r = make_user(err);
	if (r == 0)
		r = make_directories(err);
	if (r == 0)
		r = first_apply(err);
	if (r == 0)
		r = update_pam("--enable", err);
	if (r == 0)
		r = edit_stacks(true, err);
	if (r == 0)
		r = enable_sshd(err);
	if (r == 0)
		r = enable_fence(err);
	return r == 0 ? ward_services_verify(err) : r;
}

int
ward_ctl_enable(const struct ward_ctl_args *args)
{
	struct err err = { 0 };

	(void)args;
	if (enable(&err) != 0)
		return ward_ctl_fail_err(&err);
	ward_ctl_say("enabled: every service that Ward opens has its lines");
	return ward_ctl_flush();
}

static int
disable(struct err *err)
{
	bool changed;

	/* without the lines, its cron, at and sftp would run on the host */
	int r = ward_accounts_check_none_open(err);
	if (r == 0)
		r = update_pam("--disable", err);
	if (r == 0)
		r = edit_stacks(false, err);
	if (r == 0)
		r = ward_sshd_disable(&changed, err);
	if (r == 0 && changed) {
		ward_ctl_say("removed " WARD_SSHD_SNIPPET);
		say_reload();
	}
	if (r == 0)
		r = ward_fence_unit_disable(err);
	return r == 0 ? ward_fence_remove(err) : r;
}

/* Whether Ward's files can go: lines that stay would name what is no more. */
static int
check_removable(struct err *err)
{
	int r = ward_accounts_check_none_open(err);

	if (r == 0 && access(WARD_SSHD_SNIPPET, F_OK) == 0)
		r = ward_err_set(err, EBUSY,
		    WARD_SSHD_SNIPPET " is there: 'wardctl disable' first");
	for (size_t i = 0; r == 0 && i < ward_n_services; i++)
		if (ward_service_is_there(ward_services[i]) &&
		    ward_service_has_ward(ward_services[i]))
			r = ward_err_set(err, EBUSY,
			    "the PAM stack of %s leads to Ward, or cannot be "
			    "read: 'wardctl disable' first",
			    ward_services[i]);
	return r;
}

int
ward_ctl_disable(const struct ward_ctl_args *args)
{
	struct err err = { 0 };
	bool check = args->values[DISABLE_CHECK] != NULL;

	if ((check ? check_removable(&err) : disable(&err)) != 0)
		return ward_ctl_fail_err(&err);
	if (check)
		return WARD_EXIT_OK;
	ward_ctl_say("disabled: policy, accounts and violations stay");
	return ward_ctl_flush();
}
