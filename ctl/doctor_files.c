/* SPDX-License-Identifier: ISC */
/*
 * Other programs' files that name an agent account: what is started as it
 * without PAM is on the host.
 */
#include "config.h"

#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/path.h"
#include "ctl/conf.h"
#include "ctl/doctor.h"

/* Files that one pattern may find. */
#define FILES_MAX 512

static const struct ward_conf_style hash = { .comments = "#" };
static const struct ward_conf_style both = { .comments = "#;" };
static const struct ward_conf_style indented = { .comments = "#",
	.indent = true };

#define STARTS "programs are started as it, without PAM"
#define FILES  "files of the host are read and written as it"
#define MAIL   "mail starts programs as it, without PAM"

/* Where a user is named, and what for. */
struct place {
	const char *pattern; /* of files: glob(7) */
	const struct ward_conf_style *style;
	enum ward_conf_form form;
	const char *key;
	unsigned field;
	enum ward_health health;
	const char *what;
};

/*
 * Not here: udev's RUN, incron's tables of the system and init scripts, all of
 * which are root's own programs; what they name besides is no setting.
 */
static const struct place places[] = {
	{ "/etc/inetd.conf", &hash, WARD_CONF_FIELD, ".:/", 4, WARD_HEALTH_FAIL,
	    STARTS },
	{ "/etc/inetd.d/*", &hash, WARD_CONF_FIELD, ".:/", 4, WARD_HEALTH_FAIL,
	    STARTS },
	{ "/etc/xinetd.conf", &hash, WARD_CONF_VALUE, "user", 0,
	    WARD_HEALTH_FAIL, STARTS },
	{ "/etc/xinetd.d/*", &hash, WARD_CONF_VALUE, "user", 0,
	    WARD_HEALTH_FAIL, STARTS },
	{ "/etc/php*/fpm/pool.d/*.conf", &both, WARD_CONF_VALUE, "user", 0,
	    WARD_HEALTH_FAIL, STARTS },
	{ "/etc/php/*/fpm/pool.d/*.conf", &both, WARD_CONF_VALUE, "user", 0,
	    WARD_HEALTH_FAIL, STARTS },
	{ "/etc/php-fpm.d/*.conf", &both, WARD_CONF_VALUE, "user", 0,
	    WARD_HEALTH_FAIL, STARTS },
	{ "/etc/apache2/*.conf", &hash, WARD_CONF_VALUE, "User", 0,
	    WARD_HEALTH_FAIL, STARTS },
	{ "/etc/apache2/envvars", &hash, WARD_CONF_WORD, "USER", 0,
	    WARD_HEALTH_FAIL, STARTS },
	{ "/etc/apache2/*-enabled/*", &hash, WARD_CONF_VALUE, "SuexecUserGroup",
	    0, WARD_HEALTH_FAIL, STARTS },
	{ "/etc/apache2/*-enabled/*", &hash, WARD_CONF_VALUE, "AssignUserID", 0,
	    WARD_HEALTH_FAIL, STARTS },
	{ "/etc/apache2/*-enabled/*", &hash, WARD_CONF_WORD, "user", 0,
	    WARD_HEALTH_FAIL, STARTS },
	{ "/etc/httpd/conf*/*.conf", &hash, WARD_CONF_VALUE, "User", 0,
	    WARD_HEALTH_FAIL, STARTS },
	{ "/etc/httpd/conf*/*.conf", &hash, WARD_CONF_VALUE, "SuexecUserGroup",
	    0, WARD_HEALTH_FAIL, STARTS },
	{ "/etc/nginx/nginx.conf", &hash, WARD_CONF_VALUE, "user", 0,
	    WARD_HEALTH_FAIL, STARTS },
	{ "/etc/uwsgi/*-enabled/*", &both, WARD_CONF_VALUE, "uid", 0,
	    WARD_HEALTH_FAIL, STARTS },
	{ "/etc/supervisor/supervisord.conf", &both, WARD_CONF_VALUE, "user", 0,
	    WARD_HEALTH_FAIL, STARTS },
	{ "/etc/supervisor/conf.d/*.conf", &both, WARD_CONF_VALUE, "user", 0,
	    WARD_HEALTH_FAIL, STARTS },
	{ "/etc/default/*", &hash, WARD_CONF_WORD, "user", 0, WARD_HEALTH_WARN,
	    STARTS },
	{ "/etc/postfix/master.cf", &hash, WARD_CONF_WORD, "user", 0,
	    WARD_HEALTH_FAIL, MAIL },
	{ "/etc/postfix/main.cf", &hash, WARD_CONF_VALUE, "default_privs", 0,
	    WARD_HEALTH_FAIL, MAIL },
	{ "/etc/exim4/exim4.conf*", &hash, WARD_CONF_VALUE, "user", 0,
	    WARD_HEALTH_FAIL, MAIL },
	{ "/etc/exim4/conf.d/*/*", &hash, WARD_CONF_VALUE, "user", 0,
	    WARD_HEALTH_FAIL, MAIL },
	{ "/etc/dovecot/conf.d/*", &hash, WARD_CONF_VALUE, "user", 0,
	    WARD_HEALTH_FAIL, MAIL },
	{ "/etc/rsyncd.conf", &both, WARD_CONF_VALUE, "uid", 0,
	    WARD_HEALTH_FAIL, FILES },
	{ "/etc/rsyncd.d/*", &both, WARD_CONF_VALUE, "uid", 0, WARD_HEALTH_FAIL,
	    FILES },
	{ "/etc/samba/*.conf", &both, WARD_CONF_VALUE, "force user", 0,
	    WARD_HEALTH_FAIL, FILES },
	{ "/etc/vsftpd*.conf", &hash, WARD_CONF_VALUE, "guest_username", 0,
	    WARD_HEALTH_FAIL, FILES },
	{ "/etc/proftpd/*.conf", &hash, WARD_CONF_VALUE, "User", 0,
	    WARD_HEALTH_FAIL, FILES },
	{ "/etc/logrotate.conf", &hash, WARD_CONF_VALUE, "su", 0,
	    WARD_HEALTH_WARN, FILES },
	{ "/etc/logrotate.d/*", &hash, WARD_CONF_VALUE, "su", 0,
	    WARD_HEALTH_WARN, FILES },
};

static void
look_at_place(
    struct ward_doctor *doctor, const struct place *place, const char *path)
{
	static const char remedy[] =
	    "name another user: an agent's own work is started through PAM, "
	    "such as from cron";
	struct ward_conf conf;
	char *line, *text = ward_doctor_read(doctor, path);

	if (text == NULL)
		return;
	ward_conf_begin(&conf, text, place->style);
	while ((line = ward_conf_line(&conf)) != NULL) {
		const char *user =
		    ward_conf_user(line, place->form, place->key, place->field);
		const struct ward_account *a =
		    user == NULL ? NULL : ward_doctor_account(doctor, user);
		if (a == NULL)
			continue;
		if (place->health == WARD_HEALTH_FAIL)
			ward_doctor_fail(doctor, remedy, "%s:%u names %s: %s",
			    path, conf.line, a->name, place->what);
		else
			ward_doctor_warn(doctor, remedy, "%s:%u names %s: %s",
			    path, conf.line, a->name, place->what);
	}
	free(text);
}

typedef void look(struct ward_doctor *doctor, void *context, const char *path);

/* Each regular file that the pattern finds. */
static void
each_file(struct ward_doctor *doctor, const char *pattern, look *look_at,
    void *context)
{
	struct stat st;
	glob_t found;
	int r = glob(pattern, GLOB_NOSORT, NULL, &found);

	if (r == GLOB_NOMATCH)
		return;
	if (r != 0) {
		ward_doctor_warn(doctor, "look into them",
		    "%s: the files cannot be listed", pattern);
		return;
	}
	for (size_t i = 0; i < found.gl_pathc && i < FILES_MAX; i++)
		if (stat(found.gl_pathv[i], &st) == 0 && S_ISREG(st.st_mode))
			look_at(doctor, context, found.gl_pathv[i]);
	if (found.gl_pathc > FILES_MAX)
		ward_doctor_warn(doctor, "look into the others",
		    "%s: more than %d files", pattern, FILES_MAX);
	globfree(&found);
}

static void
on_place(struct ward_doctor *doctor, void *context, const char *path)
{
	look_at_place(doctor, context, path);
}

/* Its own table: incrond runs what stands there as the account. */
static void
look_at_incron(struct ward_doctor *doctor)
{
	char path[512];

	for (size_t i = 0; i < doctor->accounts.n; i++) {
		const char *name = doctor->accounts.list[i].name;
		(void)snprintf(
		    path, sizeof(path), "/var/spool/incron/%s", name);
		if (access(path, F_OK) == 0)
			ward_doctor_fail(doctor, "incrontab -u NAME -r",
			    "%s has a table of incron: %s", name, STARTS);
	}
}

void
ward_doctor_files(struct ward_doctor *doctor)
{
	if (doctor->accounts.n == 0)
		return;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		each_file(doctor, places[i].pattern, on_place,
		    (void *)(uintptr_t)&places[i]);
	look_at_incron(doctor);
}

/* --- mail --- */

/* ":include:FILE": a mailer runs the commands in it as the file's owner. */
static void
look_at_include(struct ward_doctor *doctor, const char *aliases,
    unsigned number, char *target)
{
	static const char mark[] = ":include:";
	struct stat st;

	if (strncmp(target, mark, strlen(mark)) != 0)
		return;
	const char *path = target + strlen(mark);
	bool is_there = stat(path, &st) == 0;
	for (size_t i = 0; i < doctor->accounts.n; i++) {
		const struct ward_account *a = &doctor->accounts.list[i];
		if (!(is_there && st.st_uid == a->uid) &&
		    !ward_path_is_below(path, a->real_home) &&
		    !ward_path_is_below(path, a->home))
			continue;
		ward_doctor_fail(doctor,
		    "have root own the list, outside of the account's home",
		    "%s:%u: %s is %s's: its commands are run on the host as "
		    "whoever owns it",
		    aliases, number, path, a->name);
	}
}

static void
look_at_alias(struct ward_doctor *doctor, const char *aliases, unsigned number,
    char *line)
{
	char *target;
	const char *name = ward_conf_word(&line, ":");
	const struct ward_account *a =
	    name == NULL ? NULL : ward_doctor_account(doctor, name);

	while ((target = ward_conf_word(&line, ",")) != NULL) {
		if (target[0] == '|' && a != NULL)
			ward_doctor_warn(doctor,
			    "send its mail elsewhere: '%s: /dev/null'",
			    "%s:%u: mail for %s starts a program on the host",
			    aliases, number, a->name);
		look_at_include(doctor, aliases, number, target);
	}
}

static void
on_aliases(struct ward_doctor *doctor, void *context, const char *path)
{
	struct ward_conf conf;
	char *line, *text = ward_doctor_read(doctor, path);

	(void)context;
	if (text == NULL)
		return;
	ward_conf_begin(&conf, text, &indented);
	while ((line = ward_conf_line(&conf)) != NULL)
		look_at_alias(doctor, path, conf.line, line);
	free(text);
}

void
ward_doctor_mail(struct ward_doctor *doctor)
{
	static const char *const patterns[] = { "/etc/aliases",
		"/etc/mail/aliases", "/etc/postfix/aliases" };

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		each_file(doctor, patterns[i], on_aliases, NULL);
}

/* --- cron's tables of the system --- */

static void
on_crontab(struct ward_doctor *doctor, void *context, const char *path)
{
	struct ward_conf conf;
	char *line, *text = ward_doctor_read(doctor, path);

	(void)context;
	if (text == NULL)
		return;
	ward_conf_begin(&conf, text, &hash);
	while ((line = ward_conf_line(&conf)) != NULL) {
		const char *user =
		    ward_conf_user(line, WARD_CONF_CRON, NULL, 0);
		const struct ward_account *a =
		    user == NULL ? NULL : ward_doctor_account(doctor, user);
		if (a != NULL)
			ward_doctor_pass(doctor,
			    "%s:%u is a job of %s's: it runs inside, if the "
			    "profile opens cron",
			    path, conf.line, a->name);
	}
	free(text);
}

void
ward_doctor_crontabs(struct ward_doctor *doctor)
{
	each_file(doctor, "/etc/crontab", on_crontab, NULL);
	each_file(doctor, "/etc/cron.d/*", on_crontab, NULL);
}
