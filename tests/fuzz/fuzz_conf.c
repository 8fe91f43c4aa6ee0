/* SPDX-License-Identifier: ISC */
/*
 * Other programs' files: whatever the text, each line is read within it, no
 * line is longer than it, and numbers ascend.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/conf.h"
#include "ctl/fence.h"
#include "ctl/sshd.h"
#include "ctl/sudoers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_line(const char *line, unsigned form, size_t n)
{
	char *copy = strdup(line), *rest = NULL, path[64];

	if (copy == NULL)
		abort();
	const char *user = ward_conf_user(
	    copy, (enum ward_conf_form)(form % 4), "user", form % 7);
	if (user != NULL && (user < copy || user > copy + n))
		abort();
	if (user != NULL)
		(void)ward_conf_is_user(user, "agent", 1001);
	memcpy(copy, line, n + 1);
	switch (ward_sudoers_kind_of(copy, &rest)) {
	case WARD_SUDOERS_OTHER:
		break;
	case WARD_SUDOERS_DEFAULTS:
		(void)ward_sudoers_takes_away(copy, "pam_session", "agent");
		break;
	case WARD_SUDOERS_FILE:
	case WARD_SUDOERS_DIRECTORY:
		if (ward_sudoers_path(rest, "/etc/sudoers", "host.example",
			path, sizeof(path)) &&
		    strlen(path) >= sizeof(path))
			abort();
		break;
	}
	free(copy);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct ward_conf_style styles[] = {
		{ .comments = "#" },
		{ .comments = "#;", .indent = true },
		{ .comments = "" },
	};
	struct ward_sshd_options options;
	struct ward_conf conf;
	unsigned last = 0;
	uid_t uids[4];
	char *line, *text = calloc(size + 1, 1);

	if (text == NULL)
		abort();
	/* the first byte chooses; no file with a NUL is read */
	unsigned form = size > 0 ? data[0] : 0;
	for (size_t i = 1; i < size; i++)
		text[i - 1] = data[i] == '\0' ? ' ' : (char)data[i];
	(void)ward_fence_read(text, uids, 4);
	ward_conf_begin(&conf, text, &styles[form % 3]);
	while ((line = ward_conf_line(&conf)) != NULL) {
		size_t n = strlen(line);
		if (conf.line <= last || line < text || line + n > text + size)
			abort();
		last = conf.line;
		read_line(line, form, n);
		ward_sshd_read_options(line, &options);
		if (options.n > WARD_SSHD_SETTINGS)
			abort();
	}
	free(text);
	return 0;
}
