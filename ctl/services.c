/* SPDX-License-Identifier: ISC */
/* The PAM stacks of the services that Ward can open, as they are. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/places.h"
#include "ctl/edit.h"
#include "ctl/services.h"
#include "ctl/stack.h"
#include "profiles/schema.h"

/* Where libpam looks, in its order. */
static const char *const directories[] = { WARD_PAM_DIRECTORY,
	"/usr/lib/pam.d" };

static int
read_file(void *context, const char *name, char **text)
{
	size_t size;

	(void)context;
	if (name[0] == '/')
		return ward_edit_read(name, text, &size, NULL);
	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]);
	     i++) {
		char *path = NULL;
		if (asprintf(&path, "%s/%s", directories[i], name) < 0)
			return -ENOMEM;
		int r = ward_edit_read(path, text, &size, NULL);
		free(path);
		if (r != -ENOENT)
			return r;
	}
	return -ENOENT;
}

bool
ward_service_is_there(const char *service)
{
	char path[128];

	int n =
	    snprintf(path, sizeof(path), "%s/%s", WARD_PAM_DIRECTORY, service);
	return n > 0 && (size_t)n < sizeof(path) && access(path, F_OK) == 0;
}

static int
verify(const char *service, struct ward_diagnostics *findings)
{
	struct ward_stack stack;
	struct err err = { 0 };

	int r = ward_stack_load(service, read_file, NULL, &stack, &err);
	if (r != 0)
		return ward_diagnostics_add(findings, WARD_ERROR,
		    WARD_PAM_DIRECTORY, 0, "%s: %s", service, err.text);
	r = ward_stack_check(&stack, service, WARD_SHELL, findings);
	ward_stack_clear(&stack);
	return r;
}

int
ward_services_verify(struct err *err)
{
	struct ward_diagnostics findings = { 0 };
	size_t n_wrong = 0, n = 0;

	if (access(WARD_PAM_DIRECTORY, X_OK) != 0)
		return ward_err_sys(err, errno,
		    WARD_PAM_DIRECTORY ": Ward knows no other form of PAM's "
				       "configuration");
	for (size_t i = 0; i < ward_n_services; i++) {
		if (!ward_service_is_there(ward_services[i]))
			continue;
		n++;
		if (verify(ward_services[i], &findings) != 0)
			n_wrong++;
	}
	(void)fflush(stdout);
	(void)ward_diagnostics_print(&findings, stderr);
	ward_diagnostics_clear(&findings);
	if (n_wrong > 0)
		return ward_err_set(err, EINVAL,
		    "the PAM stacks of %zu of %zu services are not as they "
		    "must be, see above: no account can be let in until they "
		    "are",
		    n_wrong, n);
	return 0;
}
