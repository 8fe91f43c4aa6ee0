noinst_LTLIBRARIES += libdb.la
libdb_la_SOURCES = \
	db/chain.c db/chain.h \
	db/grants.c db/grants.h \
	db/migrate.c db/migrate.h \
	db/policy.c db/policy.h db/policy_store.h \
	db/policy_apply.c \
	db/policy_hash.c \
	db/policy_load.c \
	db/policy_network.c \
	db/query.c \
	db/requests.c db/requests.h \
	db/sqlite.c db/sqlite.h \
	db/violations.c db/violations.h db/violations_store.h \
	db/violations_chain.c \
	db/violations_prune.c \
	db/violations_read.c \
	db/violations_sql.c \
	db/violations_sum.c
nodist_libdb_la_SOURCES = db/migrations.c
libdb_la_CFLAGS = $(AM_CFLAGS) $(SQLITE_CFLAGS)
libdb_la_LIBADD = libprofiles.la $(SQLITE_LIBS)

# Every migration, those of one store together and in order.
db_migrations = \
	db/policy-0001.sql \
	db/policy-0002.sql \
	db/policy-0003.sql \
	db/policy-0004.sql \
	db/policy-0005.sql \
	db/policy-0006.sql \
	db/violations-0001.sql \
	db/violations-0002.sql \
	db/violations-0003.sql \
	db/violations-0004.sql \
	db/violations-0005.sql \
	db/violations-0006.sql

db/migrations.c: db/embed.awk $(db_migrations)
	$(AM_V_GEN)$(MKDIR_P) db && \
	(cd $(srcdir) && $(AWK) -f db/embed.awk $(db_migrations)) >$@.new && \
	mv -f $@.new $@

CLEANFILES += db/migrations.c db/migrations.c.new
EXTRA_DIST += db/embed.awk $(db_migrations)
