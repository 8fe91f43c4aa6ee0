/* SPDX-License-Identifier: ISC */
/* The PAM stacks of the services that Ward can open, as they are. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "common/places.h"
#include "ctl/edit.h"
#include "ctl/services.h"
#include "ctl/stack.h"
#include "profiles/schema.h"

/* Where libpam looks, in its order. */
static const char *const directories[] = { WARD_PAM_DIRECTORY,
	"/usr/lib/pam.d" };

const char *const *
ward_service_directories(size_t *n)
{
	*n = sizeof(directories) / sizeof(directories[0]);
	return directories;
}

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
ward_services_check(struct ward_diagnostics *findings, size_t *n,
    size_t *n_wrong, struct err *err)
{
	*n = *n_wrong = 0;
	if (access(WARD_PAM_DIRECTORY, X_OK) != 0)
		return ward_err_sys(err, errno,
		    WARD_PAM_DIRECTORY ": Ward knows no other form of PAM's "
				       "configuration");
	for (size_t i = 0; i < ward_n_services; i++) {
		if (!ward_service_is_there(ward_services[i]))
			continue;
		(*n)++;
		if (verify(ward_services[i], findings) != 0)
			(*n_wrong)++;
	}
	return 0;
}

int
ward_services_verify(struct err *err)
{
	struct ward_diagnostics findings = { 0 };
	size_t n_wrong, n;

	int r = ward_services_check(&findings, &n, &n_wrong, err);
	(void)fflush(stdout);
	(void)ward_diagnostics_print(&findings, stderr);
	ward_diagnostics_clear(&findings);
	if (r == 0 && n_wrong > 0)
		return ward_err_set(err, EINVAL,
		    "the PAM stacks of %zu of %zu services are not as they "
		    "must be, see above: no account can be let in until they "
		    "are",
		    n_wrong, n);
	return r;
}

static bool
is_module(const struct ward_stack_line *line, const char *name)
{
	return !line->is_substack &&
	    strcmp(ward_path_base(line->module), name) == 0;
}

bool
ward_service_has_ward(const char *service)
{
	struct ward_stack stack;
	bool found = false;

	/* a stack that cannot be read opens nothing */
	if (ward_stack_load(service, read_file, NULL, &stack, NULL) != 0)
		return true;
	for (size_t i = 0; i < stack.n; i++)
		found = found || is_module(&stack.lines[i], "pam_ward.so");
	ward_stack_clear(&stack);
	return found;
}

bool
ward_service_reads_home_early(const char *service)
{
	struct ward_stack stack;
	bool reads = false, early = false;

	if (ward_stack_load(service, read_file, NULL, &stack, NULL) != 0)
		return false;
	for (size_t i = 0; i < stack.n; i++) {
		const struct ward_stack_line *line = &stack.lines[i];
		if (is_module(line, "pam_systemd.so"))
			early = early || reads;
		if (!is_module(line, "pam_env.so"))
			continue;
		for (size_t a = 0; a < line->n_args; a++)
			reads = reads ||
			    strcmp(line->args[a], "user_readenv=1") == 0;
	}
	ward_stack_clear(&stack);
	return early;
}
