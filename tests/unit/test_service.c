/* SPDX-License-Identifier: ISC */
/* Services: which may carry a session at all, and by which programs. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/places.h"
#include "pam/service.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static void
known(void **state)
{
	static const char *const yes[] = { "sshd", "su", "su-l", "sudo",
		"sudo-i", "runuser", "runuser-l", "cron", "atd" };
	static const char *const no[] = { "", "SSHD", "sshd ", "sshd\n", "ssh",
		"su-", "sul", "systemd-user", "login", "gdm-password", "other",
		"polkit-1", "crond", "/etc/pam.d/sshd", "../sshd", "su-ll" };

	(void)state;
	for (size_t i = 0; i < N(yes); i++)
		if (!ward_service_is_known(yes[i]))
			fail_msg("%s is not known", yes[i]);
	for (size_t i = 0; i < N(no); i++)
		if (ward_service_is_known(no[i]))
			fail_msg("\"%s\" is known", no[i]);
}

static void
programs(void **state)
{
	static const struct {
		const char *service, *program;
		bool is;
	} rows[] = {
		{ "sshd", "/usr/sbin/sshd", true },
		{ "sshd", "/usr/lib/openssh/sshd-session", true },
		{ "su", "/usr/bin/su", true },
		{ "su-l", "/usr/bin/su", true },
		{ "sudo", "/usr/bin/sudo", true },
		{ "sudo-i", "/usr/bin/sudo", true },
		{ "runuser", "/usr/sbin/runuser", true },
		{ "runuser-l", "/usr/sbin/runuser", true },
		{ "cron", "/usr/sbin/cron", true },
		{ "atd", "/usr/sbin/atd", true },
		/* root's own trial of a stack is pam/caller.c's to allow */
		{ "sshd", WARD_CTL, false },
		{ "cron", WARD_CTL, false },
		/* another service's program */
		{ "sshd", "/usr/bin/su", false },
		{ "su", "/usr/sbin/sshd", false },
		{ "cron", "/usr/sbin/atd", false },
		{ "sudo", "/usr/bin/su", false },
		/* another file of that name */
		{ "su", "/bin/su", false },
		{ "su", "/usr/local/bin/su", false },
		{ "su", "su", false },
		{ "su", "/usr/bin/su2", false },
		{ "su", "/usr/bin/s", false },
		{ "su", "/usr/bin/../bin/su", false },
		{ "su", "", false },
		{ "sshd", "/usr/sbin/sshd (deleted)", false },
		/* no service */
		{ "systemd-user", "/usr/lib/systemd/systemd", false },
		{ "systemd-user", WARD_CTL, false },
		{ "", WARD_CTL, false },
		{ "login", "/usr/bin/login", false },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		if (ward_service_is_program(rows[i].service, rows[i].program) !=
		    rows[i].is)
			fail_msg("service \"%s\", program \"%s\"",
			    rows[i].service, rows[i].program);
}

static void
who_goes_on(void **state)
{
	static const char *const no[] = { "", "sshd", "su", "su-l", "runuser",
		"cron", "atd", "sudoedit", "doas" };

	(void)state;
	assert_true(ward_service_goes_on("sudo"));
	assert_true(ward_service_goes_on("sudo-i"));
	for (size_t i = 0; i < N(no); i++)
		if (ward_service_goes_on(no[i]))
			fail_msg("%s goes on", no[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known),
		cmocka_unit_test(programs),
		cmocka_unit_test(who_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
