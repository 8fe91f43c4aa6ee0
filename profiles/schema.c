/* SPDX-License-Identifier: ISC */
/* Every key that a profile may hold. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "common/landlock.h"
#include "common/number.h"
#include "profiles/profile.h"
#include "profiles/schema.h"

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)
#define PIB(n) ((uint64_t)(n) << 50)

/* clang-format off */
const struct ward_key ward_keys[WARD_KEY_COUNT] = {
[WARD_KEY_NAME] = { "name", WARD_TYPE_NAME,
    .example = "\"node-builder\"",
    .help = "What assignments and extends call the profile.  A lower-case "
	"letter, then up to 31 of a-z, 0-9 and -." },
[WARD_KEY_DESCRIPTION] = { "description", WARD_TYPE_TEXT,
    .example = "\"Builds Node.js projects\"",
    .help = "One line for people." },
[WARD_KEY_EXTENDS] = { "extends", WARD_TYPE_PARENTS,
    .example = "( \"base\" )",
    .help = "Profiles that this one begins with.  Its single values override "
	"theirs, its lists are added to theirs, and an entry with ! before it "
	"takes out what they gave." },

[WARD_KEY_FILESYSTEM] = { "filesystem", WARD_TYPE_GROUP,
    .help = "What the account sees and may change." },
[WARD_KEY_READ] = { "filesystem.read", WARD_TYPE_GROUP,
    .help = "What can be read." },
[WARD_KEY_READ_DEFAULT] = { "filesystem.read.default", WARD_TYPE_CHOICE,
    .choices = { "allow", "deny" }, .initial = "allow",
    .example = "\"deny\"",
    .help = "What holds for a path that no rule names." },
[WARD_KEY_READ_ALLOW] = { "filesystem.read.allow", WARD_TYPE_PATHS,
    .example = "( \"/srv/docs\" )",
    .help = "Opened for reading.  Of two rules for reads the more specific "
	"one wins, and allow on a tie." },
[WARD_KEY_READ_DENY] = { "filesystem.read.deny", WARD_TYPE_PATHS,
    .example = "( \"/srv/secrets\", \"~/.aws\" )",
    .help = "Hidden: a directory is empty, a file cannot be opened." },
[WARD_KEY_WRITE] = { "filesystem.write", WARD_TYPE_GROUP,
    .help = "What can be changed; nothing that is not allowed here." },
[WARD_KEY_WRITE_ALLOW] = { "filesystem.write.allow", WARD_TYPE_PATHS,
    .example = "( \"~\", \"/srv/build/${user}\" )",
    .help = "Opened for writing, and for reading with it." },
[WARD_KEY_WRITE_DENY] = { "filesystem.write.deny", WARD_TYPE_PATHS,
    .example = "( \"~/work/infra\" )",
    .help = "Closed for writing.  Wins over every allow, whether that is "
	"above or below." },
[WARD_KEY_PROTECT] = { "filesystem.protect", WARD_TYPE_PROTECTED,
    .initial = "the built-in list",
    .example = "( \".deploy.yml\", \"!.gitconfig\" )",
    .help = "Names that cannot be changed where they exist at the root of a "
	"writable place outside the home, or of a repository in it; in any "
	"letter case.  The built-in list holds as well, but for what an entry "
	"with ! takes out." },

[WARD_KEY_NETWORK] = { "network", WARD_TYPE_GROUP,
    .help = "What the account can reach." },
[WARD_KEY_NETWORK_MODE] = { "network.mode", WARD_TYPE_CHOICE,
    .choices = { "none", "filtered" }, .initial = "none",
    .example = "\"filtered\"",
    .help = "none: a loopback interface of its own and nothing else.  "
	"filtered: what the lists below let through, by a proxy of Ward's." },
[WARD_KEY_NETWORK_ALLOW] = { "network.allow", WARD_TYPE_ENDPOINTS,
    .example = "( \"packages.example.org:443\", \"*.example.com\" )",
    .help = "Hosts that can be reached; nothing that is not named here." },
[WARD_KEY_NETWORK_DENY] = { "network.deny", WARD_TYPE_ENDPOINTS,
    .example = "( \"gist.example.com\" )",
    .help = "Hosts that cannot be reached.  Wins over every allow and every "
	"grant." },
[WARD_KEY_NETWORK_UNLISTED] = { "network.unlisted", WARD_TYPE_CHOICE,
    .choices = { "deny", "ask" }, .initial = "deny",
    .example = "\"ask\"",
    .help = "What holds for a host that no rule names: it is refused, and "
	"with ask a request is filed for wardctl approve." },
[WARD_KEY_NETWORK_REASONS] = { "network.reasons", WARD_TYPE_REASONS,
    .members = { "match", "say" },
    .example = "( { match = \"forge.example.com:22\"; "
	"say = \"push over https\"; } )",
    .help = "What a refusal says beside its rule.  Of those that match, the "
	"most specific one speaks." },
[WARD_KEY_NETWORK_PRIVATE] = { "network.allow_private", WARD_TYPE_BOOLEAN,
    .initial = "false", .example = "true",
    .help = "An allowed name may stand for a private address." },
[WARD_KEY_NETWORK_BLOCKS] = { "network.deny_addresses", WARD_TYPE_BLOCKS,
    .example = "( \"10.20.0.0/16\", \"2001:db8::/32\" )",
    .help = "Addresses that are never dialled, whatever name they have." },
[WARD_KEY_NETWORK_UPSTREAM] = { "network.upstream", WARD_TYPE_PROXY,
    .initial = "none", .example = "\"http://proxy.example.org:3128\"",
    .help = "A proxy of the site's through which everything is dialled." },
[WARD_KEY_NETWORK_NO_PROXY] = { "network.no_proxy", WARD_TYPE_ENDPOINTS,
    .example = "( \"*.corp.example.org\" )",
    .help = "Hosts that are dialled without the upstream proxy." },

[WARD_KEY_UNIX_SOCKETS] = { "unix_sockets", WARD_TYPE_GROUP,
    .help = "Which Unix sockets the account can connect to." },
[WARD_KEY_SOCKETS_ALLOW] = { "unix_sockets.allow", WARD_TYPE_PATHS,
    .example = "( \"/var/lib/sss/pipes/nss\" )",
    .help = "Sockets of the host, or directories with sockets, that the "
	"account may connect to; nothing that is not named here.  Its own "
	"sockets, in places that it can write, need no rule." },

[WARD_KEY_LIMITS] = { "limits", WARD_TYPE_GROUP,
    .help = "What the account can use up." },
[WARD_KEY_PROCESSES] = { "limits.processes", WARD_TYPE_NUMBER,
    .least = 16, .most = 4194304, .may_be_unlimited = true,
    .initial = "4096", .example = "1024",
    .help = "Processes and threads of the account (RLIMIT_NPROC)." },
[WARD_KEY_FILES] = { "limits.files", WARD_TYPE_NUMBER,
    .least = 256, .most = 1048576, .may_be_unlimited = true,
    .initial = "unlimited", .example = "4096",
    .help = "Open files of one process (RLIMIT_NOFILE)." },
[WARD_KEY_FILE_SIZE] = { "limits.file_size", WARD_TYPE_SIZE,
    .least = KIB(4), .most = PIB(1), .may_be_unlimited = true,
    .initial = "unlimited", .example = "\"8G\"",
    .help = "Size of a file that is written (RLIMIT_FSIZE)." },
[WARD_KEY_MEMORY] = { "limits.memory", WARD_TYPE_SIZE,
    .least = MIB(16), .most = PIB(1), .may_be_unlimited = true,
    .initial = "unlimited", .example = "\"4G\"",
    .help = "Memory of all processes.  Accepted, but not enforced by this "
	"version." },
[WARD_KEY_TMP] = { "limits.tmp", WARD_TYPE_SIZE,
    .least = MIB(1), .most = PIB(1),
    .initial = "1G", .example = "\"1G\"",
    .help = "Size of the private temporary space.  It is memory of the host, "
	"so it always has a limit." },

[WARD_KEY_SESSION] = { "session", WARD_TYPE_GROUP,
    .help = "How sessions run." },
[WARD_KEY_SHELL] = { "session.shell", WARD_TYPE_SHELL,
    .initial = "/bin/bash", .example = "\"/bin/bash\"",
    .help = "The shell that wardsh runs." },
[WARD_KEY_SCOPE] = { "session.scope", WARD_TYPE_CHOICE,
    .choices = { "account", "session" }, .initial = "account",
    .example = "\"account\"",
    .help = "account: all sessions of an account share a sandbox.  session: "
	"each has its own." },
[WARD_KEY_LINGER] = { "session.linger", WARD_TYPE_DURATION,
    .least = 0, .most = (uint64_t)30 * 86400, .initial = "0",
    .example = "\"8h\"",
    .help = "How long a sandbox and what runs in it outlive its last "
	"session." },
[WARD_KEY_GRACE] = { "session.grace", WARD_TYPE_DURATION,
    .least = 0, .most = (uint64_t)30 * 86400, .may_be_unlimited = true,
    .initial = "unlimited", .example = "\"8h\"",
    .help = "How long a sandbox goes on that another profile, or another "
	"revision of its own, has made stale." },
[WARD_KEY_OBSERVE] = { "session.observe", WARD_TYPE_CHOICE,
    .choices = { "writes", "none" }, .initial = "writes",
    .example = "\"writes\"",
    .help = "writes: refused writes, and looks into hidden places, become "
	"rows of wardctl violations.  "
	"none: they are refused all the same, and nobody is told." },
[WARD_KEY_ANNOTATE] = { "session.annotate", WARD_TYPE_CHOICE,
    .choices = { "never", "on-failure", "always" }, .initial = "on-failure",
    .example = "\"always\"",
    .help = "When what was refused to a command is told on its standard error, "
	"behind all else: after one that failed, after each, or never." },

[WARD_KEY_ENVIRONMENT] = { "environment", WARD_TYPE_GROUP,
    .help = "What a shell's environment holds; it is made from nothing." },
[WARD_KEY_PASS] = { "environment.pass", WARD_TYPE_VARIABLES,
    .example = "( \"LANG\", \"LC_*\", \"TERM\" )",
    .help = "Variables that are kept from the session; with * at the end, "
	"all that begin so." },
[WARD_KEY_SET] = { "environment.set", WARD_TYPE_SETTINGS,
    .members = { "name", "value" },
    .example = "( { name = \"CI\"; value = \"1\"; } )",
    .help = "Variables with a value of the profile's." },

[WARD_KEY_SERVICES] = { "services", WARD_TYPE_SERVICES,
    .initial = "all that Ward knows",
    .example = "( \"sshd\", \"cron\" )",
    .help = "PAM services that may open sessions.  A profile that says "
	"nothing, nor its parents, has all of: sshd su su-l sudo sudo-i "
	"runuser runuser-l cron atd." },

[WARD_KEY_SEAL] = { "seal", WARD_TYPE_GROUP,
    .help = "What the system call filter lets through beyond the usual, and "
	"what the kernel must have." },
[WARD_KEY_MULTILIB] = { "seal.multilib", WARD_TYPE_BOOLEAN,
    .initial = "false", .example = "true",
    .help = "32-bit programs may run." },
[WARD_KEY_NESTED_USERNS] = { "seal.allow_nested_userns", WARD_TYPE_BOOLEAN,
    .initial = "false", .example = "true",
    .help = "Sandboxes within the sandbox may make user and mount "
	"namespaces.  This opens much of the kernel." },
[WARD_KEY_DEBUG] = { "seal.debug", WARD_TYPE_BOOLEAN,
    .initial = "true", .example = "false",
    .help = "Debuggers, strace and sanitizers work (ptrace)." },
[WARD_KEY_LANDLOCK] = { "seal.landlock", WARD_TYPE_NUMBER,
    .least = WARD_LANDLOCK_LEAST, .most = 1000, .initial = "2",
    .example = "3",
    .help = "The least ABI of the kernel's Landlock with which sessions open." },
};
/* clang-format on */

const char *const ward_services[] = {
	"sshd",
	"su",
	"su-l",
	"sudo",
	"sudo-i",
	"runuser",
	"runuser-l",
	"cron",
	"atd",
};
const size_t ward_n_services = sizeof(ward_services) / sizeof(ward_services[0]);

bool
ward_key_is_list(enum ward_key_id id)
{
	return ward_keys[id].type >= WARD_TYPE_PARENTS &&
	    ward_keys[id].type <= WARD_TYPE_BLOCKS;
}

bool
ward_key_takes_any(enum ward_key_id id)
{
	return id == WARD_KEY_NETWORK_DENY || id == WARD_KEY_NETWORK_REASONS;
}

const char *
ward_key_name(enum ward_key_id id)
{
	const char *dot = strrchr(ward_keys[id].path, '.');

	return dot == NULL ? ward_keys[id].path : dot + 1;
}

enum ward_key_id
ward_key_find(const char *path)
{
	for (size_t i = 0; i < WARD_KEY_COUNT; i++)
		if (strcmp(ward_keys[i].path, path) == 0)
			return (enum ward_key_id)i;
	return WARD_KEY_COUNT;
}

static int
choice_number(const struct ward_key *key, const char *text, uint64_t *number)
{
	for (size_t i = 0; key->choices[i] != NULL; i++) {
		if (strcmp(key->choices[i], text) != 0)
			continue;
		*number = i;
		return 0;
	}
	return -EINVAL;
}

static int
boolean_number(const char *text, uint64_t *number)
{
	*number = strcmp(text, "true") == 0;
	return *number == 1 || strcmp(text, "false") == 0 ? 0 : -EINVAL;
}

int
ward_key_number(enum ward_key_id id, const char *text, uint64_t *number)
{
	const struct ward_key *key = &ward_keys[id];
	int r = -EINVAL;

	if (key->may_be_unlimited && strcmp(text, "unlimited") == 0) {
		*number = WARD_UNLIMITED;
		return 0;
	}
	if (key->type == WARD_TYPE_CHOICE)
		return choice_number(key, text, number);
	if (key->type == WARD_TYPE_BOOLEAN)
		return boolean_number(text, number);
	if (key->type == WARD_TYPE_NUMBER)
		r = ward_number_parse(text, UINT64_MAX, number);
	else if (key->type == WARD_TYPE_SIZE)
		r = ward_number_parse_size(text, number);
	else if (key->type == WARD_TYPE_DURATION)
		r = ward_number_parse_duration(text, number);
	if (r == 0 && (*number < key->least || *number > key->most))
		r = -ERANGE;
	return r;
}

bool
ward_profile_name_is_valid(const char *name)
{
	size_t n = strlen(name);

	return n > 0 && n <= WARD_PROFILE_NAME_MAX && name[0] >= 'a' &&
	    name[0] <= 'z' &&
	    strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == n;
}
