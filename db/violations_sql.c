/* SPDX-License-Identifier: ISC */
/* Every statement of the violation store, and how its file is opened. */
#include "config.h"

#include "db/violations_store.h"

/*
 * Parameters of a listing: account, session, sandbox, kind, since, limit, and
 * whether only what is open; of violations also the first target and the first
 * beyond.  Each statement names all of them.
 */
#define IS(column, parameter)                                                  \
	"(" parameter " IS NULL OR " column " = " parameter ") "

#define VIOLATION_COLUMNS                                                      \
	"v.id, b.account, b.uid, v.sandbox, v.session, v.kind, v.operation, "  \
	"v.target, v.pid, v.program, v.confirmed, v.errno, v.count, "          \
	"v.first_at, v.last_at, v.profile, v.revision, v.rule_file, "          \
	"v.rule_line, v.rule_text, v.reason "
#define VIOLATION_FILTER                                                       \
	"WHERE v.last_at >= ?5 AND " IS("b.account", "?1") "AND " IS(          \
	    "v.session", "?2") "AND " IS("v.sandbox",                          \
	    "?3") "AND " IS("v.kind",                                          \
	    "?4") "AND ?7 IS NOT NULL "                                        \
		  "AND (?8 IS NULL OR (v.target >= ?8 AND v.target < ?9)) "
/* CROSS JOIN fixes the order of the loops: the one that its index is for. */
#define BY_TIME                                                                \
	"FROM violations v INDEXED BY violations_by_time CROSS JOIN "          \
	"sandboxes b ON b.id = v.sandbox " VIOLATION_FILTER
#define BY_ACCOUNT                                                             \
	"FROM sandboxes b INDEXED BY sandboxes_by_account CROSS JOIN "         \
	"violations v INDEXED BY violations_by_sandbox "                       \
	"ON v.sandbox = b.id " VIOLATION_FILTER "AND b.account = ?1 "
#define BY_SESSION                                                             \
	"FROM violations v INDEXED BY violations_by_session CROSS JOIN "       \
	"sandboxes b ON b.id = v.sandbox " VIOLATION_FILTER                    \
	"AND v.session = ?2 "
#define BY_TARGET                                                              \
	"FROM violations v INDEXED BY violations_by_target CROSS JOIN "        \
	"sandboxes b ON b.id = v.sandbox " VIOLATION_FILTER                    \
	"AND v.target >= ?8 AND v.target < ?9 "
#define BY_KIND                                                                \
	"FROM violations v INDEXED BY violations_by_kind CROSS JOIN "          \
	"sandboxes b ON b.id = v.sandbox " VIOLATION_FILTER "AND v.kind = ?4 "

/* By id, which is the order that they were written in. */
#define AFTER                                                                  \
	"SELECT " VIOLATION_COLUMNS "FROM violations v NOT INDEXED CROSS "     \
	"JOIN sandboxes b ON b.id = v.sandbox " VIOLATION_FILTER               \
	"AND v.id > ?10 ORDER BY v.id LIMIT ?6"

/* The pair of a way in. */
#define LISTED(which, from)                                                    \
	[which] = "SELECT " VIOLATION_COLUMNS from                             \
		  "ORDER BY v.last_at, v.id LIMIT ?6",                         \
	[which##_NEWEST] = "SELECT " VIOLATION_COLUMNS from                    \
			   "ORDER BY v.last_at DESC, v.id DESC LIMIT ?6"

/* In the order of enum ward_violations_column, of a way in. */
#define GROUPED_BY(column, from)                                               \
	"SELECT " column ", count(*), sum(v.count), max(v.last_at) " from      \
	"GROUP BY 1 ORDER BY 3 DESC, 1 LIMIT ?6"
#define AT(way, column) (VIOLATIONS_GROUPS + (way)*WARD_N_COLUMNS + (column))
#define GROUPED(way, from)                                                     \
	[AT(way, WARD_BY_ACCOUNT)] = GROUPED_BY("b.account", from),            \
		 [AT(way, WARD_BY_SESSION)] = GROUPED_BY("v.session", from),   \
		 [AT(way, WARD_BY_SANDBOX)] = GROUPED_BY("v.sandbox", from),   \
		 [AT(way, WARD_BY_KIND)] = GROUPED_BY("v.kind", from),         \
		 [AT(way, WARD_BY_OPERATION)] =                                \
		     GROUPED_BY("v.operation", from),                          \
		 [AT(way, WARD_BY_TARGET)] = GROUPED_BY("v.target", from),     \
		 [AT(way, WARD_BY_PROGRAM)] = GROUPED_BY("v.program", from),   \
		 [AT(way, WARD_BY_PROFILE)] = GROUPED_BY("v.profile", from),   \
		 [AT(way, WARD_BY_RULE)] = GROUPED_BY(                         \
		     "coalesce(v.rule_file || iif(v.rule_line > 0, "           \
		     "':' || v.rule_line, ''), v.rule_text)",                  \
		     from)

#define SESSIONS                                                               \
	"SELECT x.id, x.sandbox, x.account, x.uid, x.service, x.tty, "         \
	"x.rhost, x.ruser, x.opener_pid, x.audit_session, x.started, "         \
	"x.ended, x.reason, x.refusal, x.status, b.profile, b.revision, "      \
	"(SELECT count(*) FROM commands c WHERE c.session = x.id), "           \
	"(SELECT count(*) FROM violations v WHERE v.session = x.id) "          \
	"FROM sessions x LEFT JOIN sandboxes b ON b.id = x.sandbox "           \
	"WHERE " IS("x.account", "?1") "AND " IS("x.id", "?2") "AND " IS(      \
	    "x.sandbox", "?3") "AND ?4 IS NULL "                               \
			       "AND (x.ended IS NULL OR x.ended >= ?5) "       \
			       "AND (x.ended IS NULL OR NOT ?7) "

#define COMMANDS                                                               \
	"SELECT c.id, c.session, x.account, c.pid, c.argv, c.started, "        \
	"c.ended, c.status FROM commands c CROSS JOIN sessions x "             \
	"ON x.id = c.session WHERE " IS("x.account", "?1") "AND " IS(          \
	    "c.session", "?2") "AND " IS("x.sandbox",                          \
	    "?3") "AND ?4 IS NULL AND (c.ended IS NULL OR c.ended >= ?5) "     \
		  "AND (c.ended IS NULL OR NOT ?7) "

#define GAPS                                                                   \
	"SELECT g.id, b.account, g.sandbox, g.what, g.from_at, g.to_at, "      \
	"g.count FROM gaps g INDEXED BY gaps_by_time "                         \
	"CROSS JOIN sandboxes b ON b.id = g.sandbox "                          \
	"WHERE " IS("b.account", "?1") "AND ?2 IS NULL AND " IS(               \
	    "g.sandbox", "?3") "AND ?4 IS NULL AND g.to_at >= ?5 "             \
			       "AND ?7 IS NOT NULL "

#define CONNECTION_COLUMNS                                                     \
	"SELECT n.id, b.account, n.sandbox, n.session, n.front, n.host, "      \
	"n.port, n.address, n.verdict, n.rule_file, n.rule_line, "             \
	"n.rule_text, n.grant_id, n.up, n.down, n.started, n.duration, "       \
	"n.errno, n.pid, n.program FROM connections n "
#define CONNECTION_FILTER                                                      \
	"CROSS JOIN sandboxes b ON b.id = n.sandbox "                          \
	"WHERE n.started + n.duration >= ?5 AND " IS("b.account",              \
	    "?1") "AND " IS("n.session", "?2") "AND " IS("n.sandbox",          \
	    "?3") "AND ?4 IS NULL AND ?7 IS NOT NULL "
#define CONNECTIONS                                                            \
	CONNECTION_COLUMNS "INDEXED BY connections_by_end " CONNECTION_FILTER
#define CONNECTIONS_OF_SESSION                                                 \
	CONNECTION_COLUMNS                                                     \
	"INDEXED BY connections_by_session " CONNECTION_FILTER                 \
	"AND n.session = ?2 "
#define BY_END        "ORDER BY n.started + n.duration, n.id LIMIT ?6"
#define BY_END_NEWEST "ORDER BY n.started + n.duration DESC, n.id DESC LIMIT ?6"

#define CHAIN_COLUMNS                                                          \
	"id, account, uid, profile, revision, hash, started, ended, "          \
	"chain_length, chain_head, chain_pruned, chain_base "

/*
 * What a session did: what, id, when it began and was over, text, detail,
 * count, pid, program, error, rule's file, line and text, reason, status.  A
 * gap is of the whole sandbox, as far as the session was there.
 */
#define TIMELINE                                                               \
	"SELECT 'command', c.id, c.started AS at, c.ended, c.argv, NULL, "     \
	"NULL, c.pid, NULL, NULL, NULL, 0, NULL, NULL, c.status "              \
	"FROM commands c INDEXED BY commands_by_session "                      \
	"WHERE c.session = ?1 "                                                \
	"UNION ALL SELECT 'connection', n.id, n.started, "                     \
	"n.started + n.duration, "                                             \
	"iif(instr(n.host, ':') > 0, '[' || n.host || ']', n.host) || ':' "    \
	"|| n.port, n.verdict, NULL, n.pid, n.program, n.errno, "              \
	"n.rule_file, n.rule_line, "                                           \
	"coalesce('grant ' || n.grant_id, n.rule_text), NULL, NULL "           \
	"FROM connections n INDEXED BY connections_by_session "                \
	"WHERE n.session = ?1 "                                                \
	"UNION ALL SELECT 'violation', v.id, v.first_at, v.last_at, "          \
	"v.target, v.operation, v.count, v.pid, v.program, v.errno, "          \
	"v.rule_file, v.rule_line, v.rule_text, v.reason, NULL "               \
	"FROM violations v INDEXED BY violations_by_session "                  \
	"WHERE v.session = ?1 "                                                \
	"UNION ALL SELECT 'gap', g.id, g.from_at, g.to_at, g.what, NULL, "     \
	"g.count, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL "                \
	"FROM sessions x CROSS JOIN gaps g INDEXED BY gaps_by_sandbox "        \
	"ON g.sandbox = x.sandbox WHERE x.id = ?1 "                            \
	"AND g.to_at >= x.started "                                            \
	"AND (x.ended IS NULL OR g.from_at <= x.ended) "                       \
	"ORDER BY at, 1, 2"

static const char *const statements[VIOLATIONS_N_STATEMENTS] = {
	[VIOLATIONS_BEGIN] = "BEGIN IMMEDIATE",
	[VIOLATIONS_BEGIN_READ] = "BEGIN",
	[VIOLATIONS_COMMIT] = "COMMIT",
	[VIOLATIONS_ROLLBACK] = "ROLLBACK",

	[VIOLATIONS_SANDBOX_START] =
	    "INSERT INTO sandboxes (id, account, uid, profile, revision, "
	    "hash, started, chain_head) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
	    "ON CONFLICT (id) DO NOTHING",
	[VIOLATIONS_SANDBOX_END] =
	    "UPDATE sandboxes SET reason = iif(ended IS NULL, ?3, reason), "
	    "ended = coalesce(ended, ?2) WHERE id = ?1",
	[VIOLATIONS_SESSION_START] =
	    "INSERT INTO sessions (id, sandbox, account, uid, service, tty, "
	    "rhost, ruser, opener_pid, audit_session, started) "
	    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
	    "ON CONFLICT (id) DO NOTHING",
	[VIOLATIONS_SESSION_END] =
	    "UPDATE sessions SET reason = iif(ended IS NULL, ?3, reason), "
	    "refusal = iif(ended IS NULL, ?4, refusal), "
	    "status = iif(ended IS NULL, ?5, status), "
	    "ended = coalesce(ended, ?2) WHERE id = ?1",
	[VIOLATIONS_COMMAND_START] =
	    "INSERT INTO commands (session, pid, argv, started) "
	    "VALUES (?, ?, ?, ?)",
	[VIOLATIONS_COMMAND_END] =
	    "UPDATE commands SET status = iif(ended IS NULL, ?3, status), "
	    "ended = coalesce(ended, ?2) WHERE id = ?1",
	[VIOLATIONS_ADD] =
	    "INSERT INTO violations (sandbox, session, kind, operation, "
	    "target, pid, program, confirmed, errno, count, first_at, "
	    "last_at, profile, revision, rule_file, rule_line, rule_text, "
	    "reason) "
	    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[VIOLATIONS_REPEAT] = "UPDATE violations SET count = count + ?2, "
			      "last_at = max(last_at, ?3) "
			      "WHERE id = ?1 AND link IS NULL",
	[VIOLATIONS_GAP] =
	    "INSERT INTO gaps (sandbox, what, from_at, to_at, count) "
	    "VALUES (?, ?, ?, ?, ?)",

	[VIOLATIONS_UNSEALED] =
	    "SELECT " VIOLATION_COLUMNS ", b.chain_length, b.chain_head "
	    "FROM violations v CROSS JOIN sandboxes b ON b.id = v.sandbox "
	    "WHERE v.id = ? AND v.link IS NULL AND length(b.chain_head) = 32",
	[VIOLATIONS_FIRST_UNSEALED] =
	    "SELECT v.id FROM violations v INDEXED BY violations_unlinked "
	    "CROSS JOIN sandboxes b ON b.id = v.sandbox WHERE v.sandbox = ? "
	    "AND v.link IS NULL "
	    "AND length(b.chain_head) = 32 ORDER BY v.id LIMIT 1",
	[VIOLATIONS_SEAL] = "UPDATE violations SET link = ?2, hash = ?3, "
			    "sealed = (SELECT last FROM seals) WHERE id = ?1",
	[VIOLATIONS_COUNT_SEAL] = "UPDATE seals SET last = last + 1",
	[VIOLATIONS_SEALED] =
	    "UPDATE sandboxes SET chain_length = ?2, chain_head = ?3 "
	    "WHERE id = (SELECT sandbox FROM violations WHERE id = ?1)",
	[VIOLATIONS_CHAIN] =
	    "SELECT chain_length, chain_head FROM sandboxes WHERE id = ?",
	[VIOLATIONS_CHAINS] =
	    "SELECT " CHAIN_COLUMNS
	    "FROM sandboxes WHERE ended >= ?1 OR ended IS NULL "
	    "ORDER BY started, id",
	[VIOLATIONS_LINKS] =
	    "SELECT " VIOLATION_COLUMNS ", v.link, v.hash "
	    "FROM violations v CROSS JOIN sandboxes b ON b.id = v.sandbox "
	    "WHERE v.sandbox = ? AND v.link IS NOT NULL ORDER BY v.link",
	[VIOLATIONS_LINK] =
	    /* the last that pruning took stands for itself; of those before it
	     * nothing can be said */
	"SELECT hash, 0 FROM violations WHERE sandbox = ?1 AND link = ?2 "
	"UNION ALL SELECT iif(chain_pruned = ?2, chain_base, NULL), "
	"chain_pruned FROM sandboxes "
	"WHERE id = ?1 AND chain_pruned >= ?2 AND ?2 > 0",
	[VIOLATIONS_COUNT_UNLINKED] =
	    "SELECT count(*), coalesce(min(id), 0) FROM violations "
	    "WHERE sandbox = ? AND link IS NULL",

	[VIOLATIONS_CONNECTION] =
	    "INSERT INTO connections (sandbox, session, front, host, port, "
	    "address, verdict, rule_file, rule_line, rule_text, grant_id, up, "
	    "down, started, duration, errno, pid, program) "
	    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	/* account, host, port, count, when; to add also: sandbox, session,
	 * how many there may be */
	[VIOLATIONS_REQUEST_REPEAT] =
	    "UPDATE requests SET count = count + ?4, "
	    "last_at = max(last_at, ?5), why = coalesce(?6, why) "
	    "WHERE account = ?1 AND host = ?2 AND port = ?3 "
	    "AND (answer IS NULL OR answer = 'refused')",
	[VIOLATIONS_REQUEST_ADD] =
	    "INSERT INTO requests (account, host, port, count, first_at, "
	    "last_at, why, sandbox, session) "
	    "SELECT ?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8 WHERE "
	    "(SELECT count(*) FROM requests WHERE account = ?1 "
	    "AND answer IS NULL) < ?9 "
	    "ON CONFLICT (account, host, port) "
	    "WHERE answer IS NULL OR answer = 'refused' "
	    "DO UPDATE SET count = count + excluded.count, "
	    "last_at = max(last_at, excluded.last_at), "
	    "why = coalesce(excluded.why, why)",
	[VIOLATIONS_REQUEST_DROP] =
	    "INSERT INTO requests_dropped (account, count, last_at) "
	    "VALUES (?1, ?4, ?5) ON CONFLICT (account) DO UPDATE SET "
	    "count = count + excluded.count, "
	    "last_at = max(last_at, excluded.last_at)",
	[VIOLATIONS_REQUESTS] =
	    "SELECT id, account, host, port, count, first_at, last_at, "
	    "sandbox, session, answer, answered, answerer, reason, grant_id, "
	    "why "
	    "FROM requests WHERE " IS("account",
		"?1") "AND (?2 = 0 OR "
		      "id = ?2) AND (answer IS NULL OR NOT ?3) ORDER BY id",
	[VIOLATIONS_REQUESTS_DROPPED] =
	    "SELECT coalesce(sum(count), 0) FROM requests_dropped WHERE " IS(
		"account", "?1"),
	[VIOLATIONS_REQUEST_HAS] = "SELECT 1 FROM requests WHERE id = ?",
	[VIOLATIONS_REQUEST_ANSWER] =
	    "UPDATE requests SET answer = ?2, answered = ?3, answerer = ?4, "
	    "reason = ?5, grant_id = ?6 WHERE id = ?1 AND "
	    "(answer IS NULL OR (answer = 'refused' AND ?2 = 'approved'))",
	[VIOLATIONS_REQUEST_ROOM] =
	    "DELETE FROM requests_dropped WHERE account = "
	    "(SELECT account FROM requests WHERE id = ?)",

	[VIOLATIONS_OPEN_SANDBOXES] =
	    "SELECT id FROM sandboxes WHERE uid = ? AND ended IS NULL",
	[VIOLATIONS_LAST_KNOWN] =
	    "SELECT max(b.started, "
	    "coalesce((SELECT max(v.last_at) FROM violations v "
	    "WHERE v.sandbox = b.id), 0), "
	    "coalesce((SELECT max(g.to_at) FROM gaps g "
	    "WHERE g.sandbox = b.id), 0), "
	    "coalesce((SELECT max(x.started, coalesce(x.ended, 0)) "
	    "FROM sessions x WHERE x.sandbox = b.id "
	    "ORDER BY 1 DESC LIMIT 1), 0), "
	    "coalesce((SELECT max(c.started, coalesce(c.ended, 0)) "
	    "FROM sessions x JOIN commands c ON c.session = x.id "
	    "WHERE x.sandbox = b.id ORDER BY 1 DESC LIMIT 1), 0)) "
	    "FROM sandboxes b WHERE b.id = ?",
	[VIOLATIONS_LOSE_COMMANDS] =
	    "UPDATE commands SET ended = ?2 WHERE ended IS NULL AND session "
	    "IN (SELECT id FROM sessions WHERE sandbox = ?1)",
	[VIOLATIONS_LOSE_SESSIONS] =
	    "UPDATE sessions SET ended = ?2, reason = 'lost' "
	    "WHERE ended IS NULL AND sandbox = ?1",

	LISTED(VIOLATIONS_LIST, BY_TIME),
	LISTED(VIOLATIONS_LIST_OF_ACCOUNT, BY_ACCOUNT),
	LISTED(VIOLATIONS_LIST_OF_SESSION, BY_SESSION),
	LISTED(VIOLATIONS_LIST_OF_TARGET, BY_TARGET),
	LISTED(VIOLATIONS_LIST_OF_KIND, BY_KIND),

	GROUPED(WARD_WAY_TIME, BY_TIME),
	GROUPED(WARD_WAY_ACCOUNT, BY_ACCOUNT),
	GROUPED(WARD_WAY_SESSION, BY_SESSION),
	GROUPED(WARD_WAY_TARGET, BY_TARGET),
	GROUPED(WARD_WAY_KIND, BY_KIND),
	/* of everything: in the index's own order, and never the rows */
	[VIOLATIONS_ALL_TARGETS] =
	    "SELECT v.target, count(*), sum(v.count), max(v.last_at) "
	    "FROM violations v INDEXED BY violations_by_target "
	    "WHERE ?1 IS NULL AND ?2 IS NULL AND ?3 IS NULL AND ?4 IS NULL "
	    "AND ?5 = 0 AND ?7 IS NOT NULL "
	    "GROUP BY 1 ORDER BY 3 DESC, 1 LIMIT ?6",
	[VIOLATIONS_SESSION_COUNTS] =
	    "SELECT x.account, count(*), sum(x.ended IS NULL), "
	    "sum(x.refusal IS NOT NULL), max(x.started) "
	    "FROM sessions x INDEXED BY sessions_by_time "
	    "WHERE x.started >= ?2 AND " IS(
		"x.account", "?1") "GROUP BY 1 ORDER BY 2 DESC, 1",
	[VIOLATIONS_AFTER] = AFTER,
	[VIOLATIONS_SEALED_AFTER] =
	    "SELECT " VIOLATION_COLUMNS ", v.sealed FROM violations v "
	    "INDEXED BY violations_by_seal CROSS JOIN sandboxes b "
	    "ON b.id = v.sandbox WHERE v.sealed > ?1 ORDER BY v.sealed "
	    "LIMIT ?2",
	[VIOLATIONS_GAPS_AFTER] =
	    "SELECT g.id, b.account, g.sandbox, g.what, g.from_at, g.to_at, "
	    "g.count FROM gaps g NOT INDEXED CROSS JOIN sandboxes b "
	    "ON b.id = g.sandbox WHERE g.id > ?1 ORDER BY g.id LIMIT ?2",
	[VIOLATIONS_LAST_ID] = "SELECT coalesce(max(id), 0) FROM violations",
	[VIOLATIONS_TIMELINE] = TIMELINE,

	[VIOLATIONS_OLD_SANDBOXES] =
	    "SELECT DISTINCT sandbox FROM violations "
	    "INDEXED BY violations_by_time WHERE last_at < ?",
	[VIOLATIONS_CHAIN_OF] =
	    "SELECT " CHAIN_COLUMNS "FROM sandboxes WHERE id = ?",
	[VIOLATIONS_NEXT_LINKS] =
	    "SELECT " VIOLATION_COLUMNS ", v.link, v.hash "
	    "FROM violations v INDEXED BY violations_by_link "
	    "CROSS JOIN sandboxes b ON b.id = v.sandbox "
	    "WHERE v.sandbox = ? AND v.link IS NOT NULL "
	    "ORDER BY v.link LIMIT ?",
	[VIOLATIONS_PRUNE_LINKS] =
	    "DELETE FROM violations WHERE sandbox = ?1 AND link <= ?2 "
	    "AND link IS NOT NULL",
	[VIOLATIONS_PRUNED_TO] =
	    "UPDATE sandboxes SET chain_pruned = ?2, chain_base = ?3 "
	    "WHERE id = ?1",
	[VIOLATIONS_PRUNE_UNCHAINED] =
	    "DELETE FROM violations WHERE id IN (SELECT v.id "
	    "FROM violations v INDEXED BY violations_by_time "
	    "CROSS JOIN sandboxes b ON b.id = v.sandbox "
	    "WHERE v.last_at < ?1 AND v.link IS NULL "
	    "AND b.chain_head IS NULL LIMIT ?2)",
	[VIOLATIONS_PRUNE_CONNECTIONS] =
	    "DELETE FROM connections WHERE id IN (SELECT id FROM connections "
	    "INDEXED BY connections_by_end "
	    "WHERE started + duration < ?1 LIMIT ?2)",
	[VIOLATIONS_PRUNE_GAPS] =
	    "DELETE FROM gaps WHERE id IN (SELECT id FROM gaps "
	    "INDEXED BY gaps_by_time WHERE to_at < ?1 LIMIT ?2)",
	[VIOLATIONS_PRUNE_COMMANDS] =
	    "DELETE FROM commands WHERE id IN (SELECT c.id FROM sessions x "
	    "INDEXED BY sessions_by_time CROSS JOIN commands c "
	    "INDEXED BY commands_by_session ON c.session = x.id "
	    "WHERE x.started < ?1 AND x.ended < ?1 LIMIT ?2)",
	/* those that nothing is left of; of requests there are few */
	[VIOLATIONS_PRUNE_SESSIONS] =
	    "DELETE FROM sessions WHERE id IN (SELECT x.id FROM sessions x "
	    "INDEXED BY sessions_by_time "
	    "WHERE x.started < ?1 AND x.ended < ?1 "
	    "AND NOT EXISTS (SELECT 1 FROM violations v "
	    "WHERE v.session = x.id) "
	    "AND NOT EXISTS (SELECT 1 FROM connections n "
	    "WHERE n.session = x.id) "
	    "AND NOT EXISTS (SELECT 1 FROM commands c "
	    "WHERE c.session = x.id) "
	    "AND x.id NOT IN (SELECT session FROM requests "
	    "WHERE session IS NOT NULL) LIMIT ?2)",
	[VIOLATIONS_BYTES] =
	    "SELECT (page_count - freelist_count) * page_size "
	    "FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
	[VIOLATIONS_OLDEST] =
	    "SELECT min(coalesce((SELECT last_at FROM violations "
	    "INDEXED BY violations_by_time ORDER BY last_at "
	    "LIMIT 1 OFFSET ?1), 9223372036854775807), "
	    "coalesce((SELECT started + duration FROM connections "
	    "INDEXED BY connections_by_end ORDER BY started + duration "
	    "LIMIT 1 OFFSET ?1), 9223372036854775807))",
	[VIOLATIONS_PRUNED] =
	    "INSERT INTO prunings (at, rows, bytes) VALUES (?, ?, ?)",
	[VIOLATIONS_PRUNE_DUE] =
	    "SELECT 1 WHERE coalesce((SELECT at FROM prunings "
	    "ORDER BY id DESC LIMIT 1), (SELECT started FROM sandboxes "
	    "ORDER BY rowid LIMIT 1)) < ?",

	[VIOLATIONS_SESSIONS] = SESSIONS "ORDER BY x.started, x.id LIMIT ?6",
	[VIOLATIONS_SESSIONS_NEWEST] =
	    SESSIONS "ORDER BY x.started DESC, x.id DESC LIMIT ?6",
	[VIOLATIONS_COMMANDS] = COMMANDS "ORDER BY c.id LIMIT ?6",
	[VIOLATIONS_COMMANDS_NEWEST] = COMMANDS "ORDER BY c.id DESC LIMIT ?6",
	[VIOLATIONS_GAPS] = GAPS "ORDER BY g.to_at, g.id LIMIT ?6",
	[VIOLATIONS_GAPS_NEWEST] =
	    GAPS "ORDER BY g.to_at DESC, g.id DESC LIMIT ?6",
	[VIOLATIONS_CONNECTIONS] = CONNECTIONS BY_END,
	[VIOLATIONS_CONNECTIONS_NEWEST] = CONNECTIONS BY_END_NEWEST,
	[VIOLATIONS_CONNECTIONS_OF_SESSION] = CONNECTIONS_OF_SESSION BY_END,
	[VIOLATIONS_CONNECTIONS_OF_SESSION_NEWEST] =
	    CONNECTIONS_OF_SESSION BY_END_NEWEST,
};

const struct ward_sqlite_kind ward_violations_kind = {
	.application_id = 0x5756494f, /* "WVIO" */
	.migrations = &ward_violations_migrations,
	.journal = "PRAGMA journal_mode = WAL",
	/* a WAL that a long reader let grow is cut back */
	.pragmas = "PRAGMA synchronous = NORMAL;"
		   "PRAGMA journal_size_limit = 4194304",
	.sql = statements,
	.n_sql = VIOLATIONS_N_STATEMENTS,
};
