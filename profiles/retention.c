/* SPDX-License-Identifier: ISC */
/* How long what was recorded is kept. */
#include "config.h"

#include <errno.h>
#include <libconfig.h>
#include <string.h>

#include "common/number.h"
#include "profiles/retention.h"
#include "profiles/text.h"

#define AGE_MOST   (UINT64_C(36500) * 86400)
#define SIZE_LEAST (UINT64_C(16) << 20) /* the newest have to have room */

struct reader {
	const char *file;
	struct ward_retention *out;
	struct ward_diagnostics *findings;
};

#define wrong(reader, setting, ...)                                            \
	ward_diagnostics_add((reader)->findings, WARD_ERROR, (reader)->file,   \
	    config_setting_source_line(setting), __VA_ARGS__)

static int
read_value(const struct reader *reader, const config_setting_t *setting)
{
	static const char *const keys[] = { "age", "size" };
	const char *name = config_setting_name(setting);
	const char *text = config_setting_get_string(setting);

	if (strcmp(name, "age") == 0) {
		uint64_t seconds = 0;

		if (text == NULL ||
		    ward_number_parse_duration(text, &seconds) != 0 ||
		    seconds > AGE_MOST)
			return wrong(reader, setting,
			    "age wants a time, such as age = \"90d\"; or "
			    "\"0\", for ever");
		reader->out->age = seconds;
	} else if (strcmp(name, "size") == 0) {
		uint64_t bytes = 0;

		if (text == NULL || ward_number_parse_size(text, &bytes) != 0 ||
		    (bytes > 0 && bytes < SIZE_LEAST))
			return wrong(reader, setting,
			    "size wants 16M or more, such as size = \"1G\"; "
			    "or \"0\", without limit");
		reader->out->size = bytes;
	} else {
		return ward_text_unknown_key(reader->findings, reader->file,
		    setting, keys, 2, "retention has age and size");
	}
	return 0;
}

/* Goes on after what is wrong, so that one run shows all of it. */
static int
read_tree(const struct reader *reader, const config_setting_t *root)
{
	static const char *const keys[] = { "retention" };
	int r = 0;

	for (int i = 0; r != -ENOMEM && i < config_setting_length(root); i++) {
		const config_setting_t *group =
		    config_setting_get_elem(root, (unsigned)i);

		if (strcmp(config_setting_name(group), "retention") != 0)
			r = ward_text_unknown_key(reader->findings,
			    reader->file, group, keys, 1,
			    "the file has retention");
		else if (!config_setting_is_group(group))
			r = wrong(reader, group,
			    "retention wants a group, such as retention: "
			    "{ age = \"90d\"; };");
		else
			for (int j = 0;
			     r != -ENOMEM && j < config_setting_length(group);
			     j++)
				r = read_value(reader,
				    config_setting_get_elem(
					group, (unsigned)j));
	}
	return r;
}

int
ward_retention_parse(const char *file, const char *text, size_t size,
    struct ward_retention *out, struct ward_diagnostics *findings,
    struct err *err)
{
	const struct reader reader = { file, out, findings };
	config_t config;

	*out = WARD_RETENTION_DEFAULT;
	int r = ward_text_read(file, text, size, &config, findings);
	if (r == 0) {
		r = read_tree(&reader, config_root_setting(&config));
		config_destroy(&config);
	}
	if (r == -ENOMEM)
		return ward_err_sys(err, ENOMEM, "%s", file);
	return ward_diagnostics_result(findings, err);
}
