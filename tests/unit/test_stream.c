/* SPDX-License-Identifier: ISC */
/* Which command lines speak a protocol. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shell/stream.h"

static const struct {
	const char *line;
	bool is_stream;
} rows[] = {
	{ "", false },
	{ "   ", false },
	{ "make", false },
	{ "scp -t .", true },
	{ "scp -r -p -d -t -- '/srv/a b'", true },
	{ "/usr/bin/scp -pf x", true },
	{ "scp a other:b", false },
	{ "/usr/lib/openssh/sftp-server", true },
	{ "/usr/libexec/sftp-server -e", true },
	{ "internal-sftp", true },
	{ "rsync --server -logDtpre.iLsfxCIvu . dir", true },
	{ "cd /srv && rsync --server --sender . x", true },
	{ "rsync -a a b", false },
	{ "git-upload-pack '/srv/r.git'", true },
	{ "git-receive-pack 'r.git'", true },
	{ "git upload-pack r.git", true },
	{ "'/opt/git/bin/git-upload-archive' r", true },
	{ "git push", false },
	{ "git commit -m git-like", false },
	{ "echo --server", false },
	{ "/", false },
	{ "a/ b", false },
	{ "a/ scp -t x", true },
};

static void
lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (ward_line_is_stream(rows[i].line) != rows[i].is_stream)
			fail_msg("\"%s\"", rows[i].line);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(lines) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
