/* SPDX-License-Identifier: ISC */
/* Whether sudo opens PAM sessions, as its files say. */
#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/conf.h"
#include "ctl/doctor.h"
#include "ctl/sudoers.h"

#define SUDOERS  "/etc/sudoers"
#define NSSWITCH "/etc/nsswitch.conf"

/* Files that are looked at; sudo itself gives up on 128 within each other. */
#define FILES_MAX 256
#define PATH_SIZE 512

/* Those that are named so far, in order; each is read once. */
struct files {
	struct ward_doctor *doctor;
	char host[256];
	char (*paths)[PATH_SIZE];
	size_t n;
	bool too_many;
};

static void
add_file(struct files *f, const char *path)
{
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->paths[i], path) == 0)
			return;
	if (f->n == FILES_MAX || strlen(path) >= PATH_SIZE)
		f->too_many = true;
	else
		(void)snprintf(f->paths[f->n++], PATH_SIZE, "%s", path);
}

static void
add_directory(struct files *f, const char *path)
{
	const struct dirent *entry;
	char file[2 * PATH_SIZE];
	DIR *directory = opendir(path);

	if (directory == NULL)
		return;
	while ((entry = readdir(directory)) != NULL) {
		if (entry->d_type == DT_DIR ||
		    ward_sudoers_is_skipped(entry->d_name))
			continue;
		(void)snprintf(
		    file, sizeof(file), "%s/%s", path, entry->d_name);
		add_file(f, file);
	}
	(void)closedir(directory);
}

static void
judge(struct files *f, const char *path, unsigned number, const char *line)
{
	const struct ward_accounts *accounts = &f->doctor->accounts;

	/* without an account, what would hold for the first */
	for (size_t i = 0; i < accounts->n || i == 0; i++) {
		const char *name =
		    accounts->n == 0 ? "" : accounts->list[i].name;
		if (!ward_sudoers_takes_away(line, "pam_session", name))
			continue;
		ward_doctor_fail(f->doctor, "take !pam_session out",
		    "%s:%u: sudo opens no PAM session: what it runs as an "
		    "agent account is on the host",
		    path, number);
		return;
	}
}

static void
look_at(struct files *f, const char *path)
{
	struct ward_conf conf;
	char *line, *rest = NULL, included[PATH_SIZE];
	char *text = ward_doctor_read(f->doctor, path);

	if (text == NULL)
		return;
	ward_conf_begin(&conf, text, &ward_sudoers_style);
	while ((line = ward_conf_line(&conf)) != NULL) {
		enum ward_sudoers_kind kind = ward_sudoers_kind_of(line, &rest);
		if (kind == WARD_SUDOERS_DEFAULTS)
			judge(f, path, conf.line, line);
		if (kind != WARD_SUDOERS_FILE && kind != WARD_SUDOERS_DIRECTORY)
			continue;
		if (!ward_sudoers_path(
			rest, path, f->host, included, sizeof(included)))
			f->too_many = true;
		else if (kind == WARD_SUDOERS_FILE)
			add_file(f, included);
		else
			add_directory(f, included);
	}
	free(text);
}

/* sudo may have rules from elsewhere, which only a directory server knows. */
static void
look_at_sources(struct ward_doctor *doctor)
{
	static const struct ward_conf_style style = { .comments = "#" };
	struct ward_conf conf;
	char *line, *word, *text = ward_doctor_read(doctor, NSSWITCH);

	if (text == NULL)
		return;
	ward_conf_begin(&conf, text, &style);
	while ((line = ward_conf_line(&conf)) != NULL) {
		char *sources = ward_conf_value(line, "sudoers");
		while (sources != NULL &&
		    (word = ward_conf_word(&sources, "")) != NULL)
			if (strcmp(word, "files") != 0 && word[0] != '[')
				ward_doctor_warn(doctor,
				    "see that it says !pam_session nowhere",
				    NSSWITCH ":%u: sudo also has rules from "
					     "%s, which are not looked at",
				    conf.line, word);
	}
	free(text);
}

void
ward_doctor_sudoers(struct ward_doctor *doctor)
{
	struct files f = { .doctor = doctor };

	f.paths = calloc(FILES_MAX, sizeof(*f.paths));
	if (f.paths == NULL || gethostname(f.host, sizeof(f.host) - 1) != 0) {
		doctor->no_memory = true;
		free(f.paths);
		return;
	}
	add_file(&f, SUDOERS);
	/* the list grows while it is read */
	for (size_t i = 0; i < f.n; i++)
		look_at(&f, f.paths[i]);
	if (f.too_many)
		ward_doctor_warn(doctor, "look into the others",
		    SUDOERS " includes more than %d files, or one with too "
			    "long a name",
		    FILES_MAX);
	free(f.paths);
	look_at_sources(doctor);
}
