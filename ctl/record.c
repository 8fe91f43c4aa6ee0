/* SPDX-License-Identifier: ISC */
/* Records of adopted accounts, as files. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/cleanup.h"
#include "common/number.h"
#include "common/path.h"
#include "common/places.h"
#include "ctl/edit.h"
#include "ctl/record.h"

#define DAY ((uint64_t)24 * 60 * 60)

int
ward_record_read(const char *name, struct ward_record *record, struct err *err)
{
	size_t size;
	char *text;
	struct err why = { 0 };
	_cleanup_free_ char *path = ward_path_join(WARD_ADOPTED, name);

	*record = (struct ward_record){ 0 };
	if (path == NULL)
		return ward_err_sys(err, ENOMEM, "%s", name);
	int r = ward_edit_read(path, &text, &size, err);
	if (r != 0)
		return r;
	r = ward_record_parse(text, record, &why);
	free(text);
	return r == 0 ? 0
		      : ward_err_set(err, -r,
			    "%s: %s; it says what %s was before it was adopted",
			    path, why.text, name);
}

int
ward_record_write(
    const char *name, const struct ward_record *record, struct err *err)
{
	_cleanup_free_ char *path = ward_path_join(WARD_ADOPTED, name);
	_cleanup_free_ char *text = ward_record_print(record);

	if (path == NULL || text == NULL)
		return ward_err_sys(err, ENOMEM, "%s", name);
	int r = ward_edit_make_directory(WARD_ADOPTED, 0700, err);
	return r == 0 ? ward_edit_write(path, text, 0600, err) : r;
}

int
ward_record_remove(const char *name, struct err *err)
{
	_cleanup_free_ char *path = ward_path_join(WARD_ADOPTED, name);

	if (path == NULL)
		return ward_err_sys(err, ENOMEM, "%s", name);
	return ward_edit_remove(path, err);
}

bool
ward_record_is_expired(const struct ward_record *record)
{
	uint64_t day;

	return ward_number_parse(record->expires, INT64_MAX, &day) == 0 &&
	    (uint64_t)time(NULL) / DAY >= day;
}

int
ward_record_expiry(
    const char *name, char days[WARD_RECORD_DAYS], struct err *err)
{
	struct ward_record record;
	struct err why = { 0 };

	days[0] = '\0';
	int r = ward_record_read(name, &record, &why);
	if (r == -ENOENT)
		return 0;
	if (r != 0)
		return ward_err_set(err, -r, "%s", why.text);
	if (!ward_record_is_expired(&record))
		(void)snprintf(days, WARD_RECORD_DAYS, "%s", record.expires);
	ward_record_clear(&record);
	return 0;
}

static int
pending(const char *name, const struct ward_record *record, struct err *err)
{
	switch (record->state) {
	case WARD_RECORD_ADOPTED:
		return 0;
	case WARD_RECORD_ADOPTING:
		return ward_err_set(err, EBUSY,
		    "the adoption of %s was interrupted: 'wardctl account "
		    "adopt %s' finishes it, 'wardctl account release %s' "
		    "takes it back",
		    name, name, name);
	case WARD_RECORD_RELEASING:
		return ward_err_set(err, EBUSY,
		    "the release of %s was interrupted: 'wardctl account "
		    "release %s' finishes it, 'wardctl account adopt %s' "
		    "takes it back",
		    name, name, name);
	}
	return 0;
}

int
ward_record_check_settled(const char *name, struct err *err)
{
	struct ward_record record;
	struct err why = { 0 };

	int r = ward_record_read(name, &record, &why);
	if (r == -ENOENT)
		return 0;
	if (r != 0)
		return ward_err_set(err, -r, "%s", why.text);
	r = pending(name, &record, err);
	ward_record_clear(&record);
	return r;
}

int
ward_record_each_pending(
    ward_record_visit *visit, void *context, struct err *err)
{
	const struct dirent *entry;
	DIR *directory = opendir(WARD_ADOPTED);

	if (directory == NULL)
		return errno == ENOENT ? 0
				       : ward_err_sys(err, errno, WARD_ADOPTED);
	while ((entry = readdir(directory)) != NULL) {
		struct ward_record record;
		struct err why = { 0 };
		/* also a half-written one */
		if (entry->d_name[0] == '.')
			continue;
		if (ward_record_read(entry->d_name, &record, &why) != 0) {
			visit(context, entry->d_name, NULL, why.text);
			continue;
		}
		if (pending(entry->d_name, &record, &why) != 0)
			visit(context, entry->d_name, &record, why.text);
		ward_record_clear(&record);
	}
	(void)closedir(directory);
	return 0;
}
