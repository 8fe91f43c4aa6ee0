/* SPDX-License-Identifier: ISC */
/* wardctl profile check, apply. */
#include "config.h"

#include <stdio.h>
#include <unistd.h>

#include "common/places.h"
#include "ctl/apply.h"
#include "ctl/ctl.h"

int
ward_ctl_profile_check(const struct ward_ctl_args *args)
{
	struct ward_site site = { 0 };
	struct err err = { 0 };
	/* root's alone; everybody else checks against what is shipped */
	bool is_root = geteuid() == 0;

	int r = ward_site_read(&site, is_root ? WARD_ETC_PROFILES : "",
	    args->operands, args->n_operands, &err);
	(void)ward_diagnostics_print(&site.findings, stderr);
	size_t n_errors = site.findings.n_errors;
	size_t n_findings = site.findings.n + site.findings.n_dropped;
	size_t n = site.loaded.n;
	ward_site_clear(&site);
	if (r != 0)
		/* an error with a line has been printed with it */
		return n_errors > 0 ? WARD_EXIT_FAILED
				    : ward_ctl_fail_err(&err);
	ward_ctl_say("%zu profiles, %zu warnings%s", n, n_findings,
	    is_root ? ""
		    : "; " WARD_ETC_PROFILES
		      " and assignments are root's, and were not read");
	return n_findings > 0 ? WARD_EXIT_FAILED : ward_ctl_flush();
}

int
ward_ctl_profile_apply(const struct ward_ctl_args *args)
{
	struct err err = { 0 };

	(void)args;
	if (ward_site_apply(&err) != 0)
		return ward_ctl_fail_err(&err);
	return ward_ctl_flush();
}
