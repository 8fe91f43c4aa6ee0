/* SPDX-License-Identifier: ISC */
/* The two stores as commands open them, and who runs them. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/number.h"
#include "common/places.h"
#include "common/text.h"
#include "ctl/stores.h"

#define STORE_WAIT_MS 10000

int
ward_stores_policy(
    enum ward_policy_mode mode, struct ward_policy **policy, struct err *err)
{
	struct err why = { 0 };

	/* a writer would make it, and there would still be no policy */
	int r = mode == WARD_POLICY_WRITE && access(WARD_POLICY_DB, F_OK) != 0
	    ? -errno
	    : ward_policy_open(
		  WARD_POLICY_DB, mode, STORE_WAIT_MS, policy, &why);
	if (r == -ENOENT)
		return ward_err_set(err, ENOENT,
		    "no policy has been applied: run 'wardctl enable', or "
		    "'wardctl profile apply'");
	if (r != 0 && why.code == 0)
		return ward_err_sys(err, -r, WARD_POLICY_DB);
	return r == 0 ? 0 : ward_err_set(err, -r, "%s", why.text);
}

int
ward_stores_violations(enum ward_violations_mode mode,
    struct ward_violations **store, struct err *err)
{
	struct err why = { 0 };

	*store = NULL;
	if (access(WARD_VIOLATIONS_DB, F_OK) != 0 && errno == ENOENT)
		return 0;
	int r = ward_violations_open(
	    WARD_VIOLATIONS_DB, mode, STORE_WAIT_MS, store, &why);
	return r == 0 || r == -ENOENT ? 0
				      : ward_err_set(err, -r, "%s", why.text);
}

/* Whose login this is (audit(8)); sudo keeps it. */
static const char *
login_name(void)
{
	char text[16] = "";
	uint64_t uid;
	_cleanup_fd_ int fd = open("/proc/self/loginuid", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 ||
	    ward_number_parse(text, UINT32_MAX - 1, &uid) != 0)
		return NULL;
	const struct passwd *pw = getpwuid((uid_t)uid);
	return pw == NULL ? NULL : pw->pw_name;
}

/* The last two are what the caller says. */
const char *
ward_stores_author(char *out, size_t size)
{
	const char *name = login_name();

	if (name == NULL)
		name = getenv("SUDO_USER");
	if (name == NULL)
		name = getenv("LOGNAME");
	return ward_text_visible(out, size, name == NULL ? "root" : name);
}
