/* SPDX-License-Identifier: ISC */
/* Every statement of the violation store, and how its file is opened. */
#include "config.h"

#include "db/violations_store.h"

/*
 * Parameters of a listing: account, session, sandbox, kind, since, limit, and
 * whether only what is open.  Each statement names all of them.
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
	    "?3") "AND " IS("v.kind", "?4") "AND ?7 IS NOT NULL "
/* CROSS JOIN fixes the order of the loops: the one that its index is for. */
#define VIOLATIONS_BY_TIME                                                     \
	"SELECT " VIOLATION_COLUMNS "FROM violations v CROSS JOIN "            \
	"sandboxes b ON b.id = v.sandbox " VIOLATION_FILTER
#define VIOLATIONS_BY_ACCOUNT                                                  \
	"SELECT " VIOLATION_COLUMNS "FROM sandboxes b CROSS JOIN "             \
	"violations v INDEXED BY violations_by_sandbox "                       \
	"ON v.sandbox = b.id " VIOLATION_FILTER "AND b.account = ?1 "
#define VIOLATIONS_BY_SESSION                                                  \
	"SELECT " VIOLATION_COLUMNS "FROM violations v INDEXED BY "            \
	"violations_by_session CROSS JOIN sandboxes b ON b.id = "              \
	"v.sandbox " VIOLATION_FILTER "AND v.session = ?2 "

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
	"g.count FROM gaps g CROSS JOIN sandboxes b ON b.id = g.sandbox "      \
	"WHERE " IS("b.account", "?1") "AND ?2 IS NULL AND " IS(               \
	    "g.sandbox", "?3") "AND ?4 IS NULL AND g.to_at >= ?5 "             \
			       "AND ?7 IS NOT NULL "

#define CONNECTIONS                                                            \
	"SELECT n.id, b.account, n.sandbox, n.session, n.front, n.host, "      \
	"n.port, n.address, n.verdict, n.rule_file, n.rule_line, "             \
	"n.rule_text, n.grant_id, n.up, n.down, n.started, n.duration, "       \
	"n.errno, n.pid, n.program FROM connections n CROSS JOIN sandboxes b " \
	"ON b.id = n.sandbox WHERE " IS("b.account", "?1") "AND " IS(          \
	    "n.session", "?2") "AND " IS("n.sandbox",                          \
	    "?3") "AND ?4 IS NULL AND n.started + n.duration >= ?5 "           \
		  "AND ?7 IS NOT NULL "

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
	[VIOLATIONS_SEAL] =
	    "UPDATE violations SET link = ?2, hash = ?3 WHERE id = ?1",
	[VIOLATIONS_SEALED] =
	    "UPDATE sandboxes SET chain_length = ?2, chain_head = ?3 "
	    "WHERE id = (SELECT sandbox FROM violations WHERE id = ?1)",
	[VIOLATIONS_CHAIN] =
	    "SELECT chain_length, chain_head FROM sandboxes WHERE id = ?",
	[VIOLATIONS_CHAINS] =
	    "SELECT id, account, uid, profile, revision, hash, started, ended, "
	    "chain_length, chain_head, chain_pruned, chain_base "
	    "FROM sandboxes WHERE ended >= ?1 OR ended IS NULL "
	    "ORDER BY started, id",
	[VIOLATIONS_LINKS] =
	    "SELECT " VIOLATION_COLUMNS ", v.link, v.hash "
	    "FROM violations v CROSS JOIN sandboxes b ON b.id = v.sandbox "
	    "WHERE v.sandbox = ? AND v.link IS NOT NULL ORDER BY v.link",
	[VIOLATIONS_LINK] =
	    /* the last that pruning took stands for itself */
	"SELECT hash FROM violations WHERE sandbox = ?1 AND link = ?2 "
	"UNION ALL SELECT chain_base FROM sandboxes "
	"WHERE id = ?1 AND chain_pruned = ?2 AND ?2 > 0",
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
	    "last_at = max(last_at, ?5) "
	    "WHERE account = ?1 AND host = ?2 AND port = ?3 "
	    "AND (answer IS NULL OR answer = 'refused')",
	[VIOLATIONS_REQUEST_ADD] =
	    "INSERT INTO requests (account, host, port, count, first_at, "
	    "last_at, sandbox, session) "
	    "SELECT ?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7 WHERE "
	    "(SELECT count(*) FROM requests WHERE account = ?1 "
	    "AND answer IS NULL) < ?8 "
	    "ON CONFLICT (account, host, port) "
	    "WHERE answer IS NULL OR answer = 'refused' "
	    "DO UPDATE SET count = count + excluded.count, "
	    "last_at = max(last_at, excluded.last_at)",
	[VIOLATIONS_REQUEST_DROP] =
	    "INSERT INTO requests_dropped (account, count, last_at) "
	    "VALUES (?1, ?4, ?5) ON CONFLICT (account) DO UPDATE SET "
	    "count = count + excluded.count, "
	    "last_at = max(last_at, excluded.last_at)",
	[VIOLATIONS_REQUESTS] =
	    "SELECT id, account, host, port, count, first_at, last_at, "
	    "sandbox, session, answer, answered, answerer, reason, grant_id "
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

	[VIOLATIONS_LIST] =
	    VIOLATIONS_BY_TIME "ORDER BY v.last_at, v.id LIMIT ?6",
	[VIOLATIONS_LIST_NEWEST] =
	    VIOLATIONS_BY_TIME "ORDER BY v.last_at DESC, v.id DESC LIMIT ?6",
	[VIOLATIONS_LIST_OF_ACCOUNT] =
	    VIOLATIONS_BY_ACCOUNT "ORDER BY v.last_at, v.id LIMIT ?6",
	[VIOLATIONS_LIST_OF_ACCOUNT_NEWEST] =
	    VIOLATIONS_BY_ACCOUNT "ORDER BY v.last_at DESC, v.id DESC LIMIT ?6",
	[VIOLATIONS_LIST_OF_SESSION] =
	    VIOLATIONS_BY_SESSION "ORDER BY v.last_at, v.id LIMIT ?6",
	[VIOLATIONS_LIST_OF_SESSION_NEWEST] =
	    VIOLATIONS_BY_SESSION "ORDER BY v.last_at DESC, v.id DESC LIMIT ?6",
	[VIOLATIONS_SESSIONS] = SESSIONS "ORDER BY x.started, x.id LIMIT ?6",
	[VIOLATIONS_SESSIONS_NEWEST] =
	    SESSIONS "ORDER BY x.started DESC, x.id DESC LIMIT ?6",
	[VIOLATIONS_COMMANDS] = COMMANDS "ORDER BY c.id LIMIT ?6",
	[VIOLATIONS_COMMANDS_NEWEST] = COMMANDS "ORDER BY c.id DESC LIMIT ?6",
	[VIOLATIONS_GAPS] = GAPS "ORDER BY g.id LIMIT ?6",
	[VIOLATIONS_GAPS_NEWEST] = GAPS "ORDER BY g.id DESC LIMIT ?6",
	[VIOLATIONS_CONNECTIONS] = CONNECTIONS "ORDER BY n.id LIMIT ?6",
	[VIOLATIONS_CONNECTIONS_NEWEST] =
	    CONNECTIONS "ORDER BY n.id DESC LIMIT ?6",
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
