/* SPDX-License-Identifier: ISC */
/*
 * Questions of wardsh and ward, from inside the sandbox: every byte here is the
 * account's, and it is told nothing but what is its own, from memory.  An
 * answer to each question; a client that says nothing, or does not read its
 * answers, only uses one of the few places there are.
 */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/fd.h"
#include "common/places.h"
#include "sandbox/brief.h"
#include "sandbox/explain.h"
#include "sandbox/process.h"
#include "sandbox/recent.h"
#include "sandbox/sandbox.h"

#define CLIENTS_MAX 64

struct ward_client {
	struct ward_watch watch; /* first: the callback casts back */
	struct ward_client *next;
	struct ward_sandbox *sandbox;
	/* of a connect that was notified; pid 0: ask who the peer is */
	pid_t pid;
	char session[32];
};

static void
client_free(struct ward_client *client)
{
	struct ward_client **at = &client->sandbox->clients;

	while (*at != client)
		at = &(*at)->next;
	*at = client->next;
	client->sandbox->n_clients--;
	ward_loop_remove(&client->sandbox->loop, &client->watch);
	/* with whatever it has been sent and nobody received */
	ward_brief_begin();
	(void)close(client->watch.fd);
	ward_brief_end();
	free(client);
}

/* Behind the n_lists bytes of lists that are used. */
static int
add_to(char *lists, uint32_t *n_lists, const char *text)
{
	size_t n = strlen(text) + 1;

	if (n > WARD_WIRE_LISTS_MAX - *n_lists)
		return -EMSGSIZE;
	memcpy(lists + *n_lists, text, n);
	*n_lists += (uint32_t)n;
	return 0;
}

static int
add_string(struct ward_wire_inside *m, const char *text)
{
	return add_to(m->lists, &m->n_lists, text);
}

/* What wardsh makes its environment of. */
static int
fill_inside(const struct ward_sandbox *s, const char *session,
    struct ward_wire_inside *m)
{
	const struct ward_profile *profile = s->policy.profile;
	const struct ward_variable *variables;
	size_t n;
	int r = 0;

	static const enum ward_tell tells[] = {
		[WARD_ANNOTATE_NEVER] = WARD_TELL_NEVER,
		[WARD_ANNOTATE_ON_FAILURE] = WARD_TELL_FAILED,
		[WARD_ANNOTATE_ALWAYS] = WARD_TELL_ALWAYS,
	};

	m->annotate = tells[profile->annotate];
	if (strlen(profile->shell) >= sizeof(m->shell))
		return -EMSGSIZE;
	(void)snprintf(m->session, sizeof(m->session), "%s",
	    session == NULL ? "" : session);
	(void)snprintf(
	    m->account, sizeof(m->account), "%s", s->account.account);
	(void)snprintf(m->home, sizeof(m->home), "%s", s->account.home);
	(void)snprintf(m->shell, sizeof(m->shell), "%s", profile->shell);
	for (size_t i = 0; r == 0 && i < profile->n_env_pass; i++, m->n_pass++)
		r = add_string(m, profile->env_pass[i]);
	for (size_t i = 0; r == 0 && i < profile->n_env_set; i++, m->n_set++) {
		r = add_string(m, profile->env_set[i].name);
		if (r == 0)
			r = add_string(m, profile->env_set[i].value);
	}
	/* last: of two settings of a name, wardsh takes the first */
	variables = ward_proxy_variables(ward_sandbox_network(s), &n);
	for (size_t i = 0; r == 0 && i < n; i++, m->n_set++) {
		r = add_string(m, variables[i].name);
		if (r == 0)
			r = add_string(m, variables[i].value);
	}
	return r;
}

/* The peer is the account's, and inside. */
static bool
is_inside(const struct ward_sandbox *s, int fd, pid_t *pid)
{
	struct ucred cred;
	socklen_t n = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &n) != 0 ||
	    cred.uid != s->account.uid)
		return false;
	*pid = cred.pid;
	return ward_process_same_namespace(cred.pid, s->container.init);
}

/* Who asks: false where nobody of the account's does.  *session may be NULL. */
static bool
find_asker(const struct ward_client *client, pid_t *pid, const char **session)
{
	*pid = client->pid;
	*session = client->session;
	if (client->pid != 0)
		return true;
	if (!is_inside(client->sandbox, client->watch.fd, pid))
		return false;
	*session = ward_session_of_process(client->sandbox, *pid);
	return true;
}

static bool
send_answer(const struct ward_client *client, const struct ward_wire *wire)
{
	return ward_fd_send(
		   client->watch.fd, wire->data, wire->size, NULL, 0) == 0;
}

/* Each of these: whether the client may ask more. */
static bool
answer_command(struct ward_client *client, const struct ward_wire *question)
{
	const struct ward_sandbox *s = client->sandbox;
	struct ward_wire_inside inside = { 0 };
	struct ward_wire_command command;
	struct ward_wire wire;
	const char *session;
	pid_t pid;

	if (ward_wire_get_command(question, &command) != 0 ||
	    !find_asker(client, &pid, &session) ||
	    fill_inside(s, session, &inside) != 0 ||
	    ward_wire_put_inside(&wire, &inside) != 0)
		return false;
	(void)send_answer(client, &wire);
	if (session != NULL)
		ward_recorder_command(s->recorder, session, pid, command.line);
	return false;
}

/* The home, what the profile opens, and what each sandbox has for itself. */
static void
fill_writable(const struct ward_sandbox *s, struct ward_wire_about_is *m)
{
	static const char *const own[] = { "/tmp", "/var/tmp", "/dev/shm" };
	const size_t n_own = sizeof(own) / sizeof(own[0]);
	const struct ward_plan *plan = s->plan;

	for (size_t i = 0; i < 1 + n_own + plan->n_entries; i++) {
		const struct ward_plan_entry *entry =
		    i > n_own ? &plan->entries[i - n_own - 1] : NULL;
		const char *path = entry != NULL ? entry->path
		    : i == 0                     ? plan->home
						 : own[i - 1];
		bool writable = entry != NULL ? entry->state == WARD_WRITABLE &&
			strcmp(path, plan->home) != 0
					      : i > 0 ||
			ward_plan_decide(plan, path).state == WARD_WRITABLE;
		if (!writable)
			continue;
		if (add_to(m->lists, &m->n_lists, path) == 0)
			m->n_writable++;
		else
			m->more++;
	}
}

static bool
answer_about(struct ward_client *client, const struct ward_wire *question)
{
	const struct ward_sandbox *s = client->sandbox;
	static struct ward_wire_about_is m;
	struct ward_wire wire;
	const char *session;
	pid_t pid;

	if (ward_wire_get_empty(question, WARD_WIRE_ABOUT) != 0 ||
	    !find_asker(client, &pid, &session))
		return false;
	m = (struct ward_wire_about_is){
		.revision = (uint64_t)s->policy.number,
		.since = (uint64_t)s->since,
		.ends = ward_admin_ends_at(s),
		/* by what is known: an account has nothing looked up */
		.state = s->ends_at_ms >= 0  ? WARD_SANDBOX_ENDING
		    : s->stale_since_ms >= 0 ? WARD_SANDBOX_STALE
					     : WARD_SANDBOX_CURRENT,
		.shared = s->policy.profile->scope == WARD_SCOPE_ACCOUNT,
		.network = ward_sandbox_network(s),
		.asks = s->asks,
	};
	(void)snprintf(m.account, sizeof(m.account), "%s", s->account.account);
	(void)snprintf(
	    m.session, sizeof(m.session), "%s", session == NULL ? "" : session);
	(void)snprintf(m.sandbox, sizeof(m.sandbox), "%s", s->rundir.id);
	(void)snprintf(
	    m.profile, sizeof(m.profile), "%s", s->policy.profile->name);
	fill_writable(s, &m);
	return ward_wire_put_about_is(&wire, &m) == 0 &&
	    send_answer(client, &wire);
}

static bool
answer_why(struct ward_client *client, const struct ward_wire *question)
{
	const struct ward_sandbox *s = client->sandbox;
	static struct ward_wire_why_is m;
	struct ward_wire_why why;
	struct ward_wire wire;
	const char *session;
	pid_t pid;

	if (ward_wire_get_why(question, &why) != 0 ||
	    !find_asker(client, &pid, &session))
		return false;
	/* what it has told already may be what is asked for */
	ward_egress_hear(s->egress);
	m = (struct ward_wire_why_is){ 0 };
	ward_observer_progress(s->observer, &m.seen, &m.judged);
	ward_recent_next(ward_recorder_recent(s->recorder), &why, session, &m);
	int r = ward_wire_put_why_is(&wire, &m);
	if (r == -EMSGSIZE) {
		/* all its strings are long: this one ends early */
		m.reason[1023] = '\0';
		r = ward_wire_put_why_is(&wire, &m);
	}
	return r == 0 && send_answer(client, &wire);
}

static bool
answer_explain(struct ward_client *client, const struct ward_wire *question)
{
	static struct ward_wire_explain_is m;
	static struct ward_wire_explain explain;
	struct ward_wire wire;
	const char *session;
	pid_t pid;

	return ward_wire_get_explain(question, &explain) == 0 &&
	    find_asker(client, &pid, &session) &&
	    ward_explain(client->sandbox, &explain, &m) == 0 &&
	    ward_wire_put_explain_is(&wire, &m) == 0 &&
	    send_answer(client, &wire);
}

/* What is filed is the recorder's: how many are kept is limited there. */
static bool
answer_request(struct ward_client *client, const struct ward_wire *question)
{
	const struct ward_sandbox *s = client->sandbox;
	static struct ward_wire_explain_is m;
	static struct ward_wire_request request;
	struct ward_host host;
	struct ward_wire wire;
	const char *session;
	pid_t pid;

	if (ward_wire_get_request(question, &request) != 0 ||
	    !find_asker(client, &pid, &session) ||
	    ward_explain_request(s, &request, &m, &host) != 0 ||
	    ward_wire_put_explain_is(&wire, &m) != 0)
		return false;
	if (m.asks)
		ward_recorder_request(s->recorder,
		    session == NULL ? "" : session, host.text,
		    (uint16_t)request.port, request.reason);
	return send_answer(client, &wire);
}

static bool
answer(struct ward_client *client, const struct ward_wire *question)
{
	switch (ward_wire_type(question)) {
	case WARD_WIRE_COMMAND:
		return answer_command(client, question);
	case WARD_WIRE_ABOUT:
		return answer_about(client, question);
	case WARD_WIRE_WHY:
		return answer_why(client, question);
	case WARD_WIRE_EXPLAIN:
		return answer_explain(client, question);
	case WARD_WIRE_REQUEST:
		return answer_request(client, question);
	default:
		return false;
	}
}

static void
on_client(struct ward_watch *watch, uint32_t events)
{
	/* the watch is the first member */
	struct ward_client *client = (struct ward_client *)(void *)watch;
	struct ward_wire wire;

	(void)events;
	/* descriptors that it sends are let go here */
	ward_brief_begin();
	ssize_t n = ward_fd_receive(
	    watch->fd, wire.data, sizeof(wire.data), NULL, NULL, NULL, -1);
	ward_brief_end();
	if (n == -EAGAIN)
		return;
	wire.size = n > 0 ? (size_t)n : 0;
	if (!answer(client, &wire))
		client_free(client);
}

/* The one that has waited longest makes room. */
static void
drop_oldest(struct ward_sandbox *s)
{
	struct ward_client *client = s->clients;

	while (client->next != NULL)
		client = client->next;
	client_free(client);
}

/* NULL, with fd closed, where it cannot be had. */
static struct ward_client *
client_add_take(struct ward_sandbox *s, int fd)
{
	struct ward_client *client = calloc(1, sizeof(*client));

	if (client == NULL) {
		(void)close(fd);
		return NULL;
	}
	if (s->n_clients >= CLIENTS_MAX)
		drop_oldest(s);
	client->watch.fd = fd;
	client->watch.callback = on_client;
	client->sandbox = s;
	if (ward_loop_add(&s->loop, &client->watch, EPOLLIN, NULL) != 0) {
		(void)close(fd);
		free(client);
		return NULL;
	}
	client->next = s->clients;
	s->clients = client;
	s->n_clients++;
	return client;
}

static int
accept_client(const struct ward_sandbox *s)
{
	return accept4(
	    s->agent_watch.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

static void
on_agent(struct ward_watch *watch, uint32_t events)
{
	struct ward_sandbox *s = (struct ward_sandbox *)((char *)watch -
	    offsetof(struct ward_sandbox, agent_watch));

	(void)events;
	int fd = accept_client(s);
	if (fd >= 0)
		(void)client_add_take(s, fd);
}

/* The connect was this process's. */
static bool
is_own(int fd)
{
	struct ucred cred = { .pid = -1 };
	socklen_t n = sizeof(cred);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &n) == 0 &&
	    cred.pid == getpid();
}

int
ward_agent_connect(void *context, int socket_fd, const char *session, pid_t pid)
{
	struct ward_sandbox *s = context;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	/* an empty queue: connecting does not wait */
	while ((fd = accept_client(s)) >= 0)
		(void)client_add_take(s, fd);
	(void)snprintf(address.sun_path, sizeof(address.sun_path),
	    "/proc/%d/root" WARD_AGENT_SOCKET, (int)s->container.init);
	if (connect(socket_fd, (const struct sockaddr *)&address,
		sizeof(address)) != 0)
		return errno;
	while ((fd = accept_client(s)) >= 0) {
		bool own = is_own(fd);
		struct ward_client *client = client_add_take(s, fd);
		if (!own)
			continue;
		if (client != NULL) {
			client->pid = pid;
			(void)snprintf(client->session, sizeof(client->session),
			    "%s", session);
		}
		break;
	}
	return 0;
}

int
ward_agent_listen(struct ward_sandbox *sandbox, struct err *err)
{
	sandbox->agent_watch = (struct ward_watch){
		.fd = sandbox->container.agent_fd,
		.callback = on_agent,
	};
	return ward_loop_add(
	    &sandbox->loop, &sandbox->agent_watch, EPOLLIN, err);
}

void
ward_agent_stop(struct ward_sandbox *sandbox)
{
	while (sandbox->clients != NULL)
		client_free(sandbox->clients);
}
