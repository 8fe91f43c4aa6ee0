/* SPDX-License-Identifier: ISC */
/* The uid fence and its boot unit, and wardctl fence. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <linux/netlink.h>
#include <nftables/libnftables.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/number.h"
#include "common/places.h"
#include "common/text.h"
#include "ctl/accounts.h"
#include "ctl/ctl.h"
#include "ctl/edit.h"
#include "ctl/fence.h"
#include "ctl/run.h"

#define UNIT       "ward-fence.service"
#define UNITS      "/etc/systemd/system"
#define WANTS      UNITS "/multi-user.target.wants"
#define WANTS_UNIT WANTS "/" UNIT
#define UNIT_FILE  WARD_UNITDIR "/" UNIT
#define SYSTEMCTL  "/usr/bin/systemctl"

/* --- the table --- */

/* libnftables ends the program where it cannot open one. */
static int
check_netlink(struct err *err)
{
	_cleanup_fd_ int fd =
	    socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);

	if (fd >= 0)
		return 0;
	return ward_err_set(
	    err, EOPNOTSUPP, "the kernel has no nftables: %s", strerror(errno));
}

/* What it prints goes to *output, malloc'd, if that is asked for. */
static int
run_nft(const char *text, char **output, struct err *err)
{
	char line[400];
	int r = check_netlink(err);

	if (r != 0)
		return r;
	struct nft_ctx *nft = nft_ctx_new(NFT_CTX_DEFAULT);
	if (nft == NULL || nft_ctx_buffer_error(nft) != 0 ||
	    nft_ctx_buffer_output(nft) != 0) {
		nft_ctx_free(nft);
		return ward_err_sys(err, ENOMEM, "nftables");
	}
	/* numbers, not names */
	nft_ctx_output_set_flags(nft, NFT_CTX_OUTPUT_NUMERIC_ALL);
	if (nft_run_cmd_from_buffer(nft, text) != 0) {
		const char *said = nft_ctx_get_error_buffer(nft);
		(void)ward_text_visible(
		    line, sizeof(line), said == NULL ? "" : said);
		/* the text is fixed: what fails is the kernel's part */
		r = ward_err_set(err, EOPNOTSUPP,
		    "the kernel does not take it: %.*s",
		    (int)strcspn(line, "\\"), line);
	}
	const char *printed = nft_ctx_get_output_buffer(nft);
	if (r == 0 && output != NULL) {
		*output = strdup(printed == NULL ? "" : printed);
		if (*output == NULL)
			r = ward_err_sys(err, ENOMEM, "nftables");
	}
	nft_ctx_free(nft);
	return r;
}

/* --- whom it is for --- */

struct uids {
	uid_t *list;
	size_t n;
};

static int
add_uid(struct uids *uids, uid_t uid)
{
	for (size_t i = 0; i < uids->n; i++)
		if (uids->list[i] == uid)
			return 0;
	uid_t *more = reallocarray(uids->list, uids->n + 1, sizeof(*more));
	if (more == NULL)
		return -ENOMEM;
	uids->list = more;
	more[uids->n++] = uid;
	return 0;
}

/* Accounts that have had a sandbox since the boot: NSS may list no others. */
static int
add_live(struct uids *uids)
{
	const struct dirent *entry;
	uint64_t uid;
	int r = 0;
	DIR *run = opendir(WARD_RUN);

	if (run == NULL)
		return 0;
	while (r == 0 && (entry = readdir(run)) != NULL) {
		struct ward_account account;
		if (ward_number_parse(entry->d_name, UINT32_MAX - 1, &uid) != 0)
			continue;
		const struct passwd *pw = getpwuid((uid_t)uid);
		if (pw == NULL ||
		    ward_account_find(pw->pw_name, &account, NULL) != 0)
			continue;
		r = add_uid(uids, account.uid);
		ward_account_clear(&account);
	}
	(void)closedir(run);
	return r;
}

static int
find_uids(struct uids *uids, struct err *err)
{
	struct ward_accounts accounts;
	int r = ward_accounts_read(&accounts, err);

	if (r != 0)
		return r;
	for (size_t i = 0; r == 0 && i < accounts.n; i++)
		r = add_uid(uids, accounts.list[i].uid);
	if (r == 0)
		r = add_live(uids);
	ward_accounts_clear(&accounts);
	return r == 0 ? 0 : ward_err_sys(err, -r, "accounts");
}

int
ward_fence_apply(size_t *n, struct err *err)
{
	struct uids uids = { 0 };
	int r = find_uids(&uids, err);
	_cleanup_free_ uid_t *list = uids.list;

	if (r != 0)
		return r;
	if (n != NULL)
		*n = uids.n;
	_cleanup_free_ char *text = ward_fence_text(list, uids.n);
	if (text == NULL)
		return ward_err_sys(err, ENOMEM, "the uid fence");
	return run_nft(text, NULL, err);
}

int
ward_fence_listed(uid_t *uids, size_t max, size_t *n, struct err *err)
{
	_cleanup_free_ char *listing = NULL;
	int r = run_nft("list set inet ward accounts\n", &listing, err);

	*n = listing == NULL ? 0 : ward_fence_read(listing, uids, max);
	return r;
}

int
ward_fence_keep(struct err *err)
{
	struct err why = { 0 };
	int r = ward_fence_apply(NULL, &why);

	if (r == -EOPNOTSUPP) {
		(void)ward_ctl_fail("warning: there is no uid fence: %s; what "
				    "starts without PAM has the network",
		    why.text);
		return 0;
	}
	return r == 0 ? 0 : ward_err_set(err, -r, "%s", why.text);
}

int
ward_fence_remove(struct err *err)
{
	struct err why = { 0 };
	_cleanup_free_ char *text = ward_fence_text(NULL, 0);

	if (text == NULL)
		return ward_err_sys(err, ENOMEM, "the uid fence");
	int r = run_nft(text, NULL, &why);
	return r == 0 || r == -EOPNOTSUPP
	    ? 0
	    : ward_err_set(err, -r, "%s", why.text);
}

/* --- the unit --- */

bool
ward_fence_unit_is_enabled(void)
{
	return access(WANTS_UNIT, R_OK) == 0;
}

/*
 * A running manager learns of it, so that it follows nftables.service from now
 * on.  Not waited for: it would wait for the lock that this wardctl holds.
 */
static int
start_unit(struct err *err)
{
	const char *const reload[] = { SYSTEMCTL, "daemon-reload", NULL };
	const char *const start[] = { SYSTEMCTL, "--no-block", "start", UNIT,
		NULL };

	if (access("/run/systemd/system", F_OK) != 0 ||
	    !ward_run_is_there(SYSTEMCTL))
		return 0;
	int r = ward_run_check(reload, err);
	return r == 0 ? ward_run_check(start, err) : r;
}

int
ward_fence_unit_enable(bool *changed, struct err *err)
{
	*changed = false;
	if (access(UNITS, F_OK) != 0 || ward_fence_unit_is_enabled())
		return 0;
	int r = ward_edit_make_directory(WANTS, 0755, err);
	if (r == 0)
		/* one that leads nowhere is of an earlier installation */
		r = ward_edit_remove(WANTS_UNIT, err);
	if (r != 0)
		return r;
	if (symlink(UNIT_FILE, WANTS_UNIT) != 0)
		return ward_err_sys(err, errno, WANTS_UNIT);
	*changed = true;
	return start_unit(err);
}

int
ward_fence_unit_disable(struct err *err)
{
	return ward_edit_remove(WANTS_UNIT, err);
}

/* --- the command --- */

int
ward_ctl_fence_apply(const struct ward_ctl_args *args)
{
	struct err err = { 0 };
	size_t n;

	(void)args;
	if (ward_fence_apply(&n, &err) != 0)
		return ward_ctl_fail_err(&err);
	if (n == 0)
		ward_ctl_say("there is no agent account: no fence is needed");
	else
		ward_ctl_say("the uid fence stands for %zu account%s", n,
		    n == 1 ? "" : "s");
	return ward_ctl_flush();
}
