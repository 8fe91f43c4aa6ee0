/* SPDX-License-Identifier: ISC */
/* One request and its response. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "egress/answer.h"
#include "egress/http.h"
#include "egress/http_exchange.h"

#define IN_MAX     WARD_HTTP_HEAD_MAX
/* A host may think about a request for so long, or a client about its body. */
#define EXCHANGE_S 600

static void on_host_readable(evutil_socket_t fd, short what, void *context);
static void on_host_writable(evutil_socket_t fd, short what, void *context);
static void on_client_writable(evutil_socket_t fd, short what, void *context);
static void push_down(struct ward_client *client);

static void
free_event(struct event **event)
{
	if (*event != NULL)
		event_free(*event);
	*event = NULL;
}

static bool
watch_host(struct ward_client *client, int host_fd)
{
	struct ward_http *http = client->http;
	struct event_base *base = client->egress->base;

	http->host_fd = host_fd;
	http->reused = http->deaf = false;
	http->host_readable = event_new(
	    base, host_fd, EV_READ | EV_PERSIST, on_host_readable, client);
	http->host_writable =
	    event_new(base, host_fd, EV_WRITE, on_host_writable, client);
	return http->host_readable != NULL && http->host_writable != NULL &&
	    event_add(http->host_readable, NULL) == 0;
}

bool
ward_http_new(struct ward_client *client, int host_fd)
{
	struct ward_http *http = calloc(1, sizeof(*http));
	struct event_base *base = client->egress->base;

	if (http == NULL) {
		if (host_fd >= 0)
			(void)close(host_fd);
		return false;
	}
	client->http = http;
	http->client = client;
	http->host_fd = -1;
	http->client_writable =
	    event_new(base, client->fd, EV_WRITE, on_client_writable, client);
	http->next = evtimer_new(base, ward_http_on_next, client);
	if (host_fd >= 0 && !watch_host(client, host_fd))
		return false;
	return http->client_writable != NULL && http->next != NULL;
}

void
ward_http_close_host(struct ward_client *client)
{
	struct ward_http *http = client->http;

	free_event(&http->host_readable);
	free_event(&http->host_writable);
	if (http->host_fd >= 0)
		(void)close(http->host_fd);
	http->host_fd = -1;
	free(http->in);
	http->in = NULL;
	http->n_in = 0;
}

void
ward_http_free(struct ward_http *http)
{
	if (http == NULL)
		return;
	ward_http_close_host(http->client);
	free_event(&http->client_writable);
	free_event(&http->next);
	ward_queue_free(&http->up);
	ward_queue_free(&http->down);
	ward_queue_free(&http->again);
	free(http);
}

int
ward_http_steal_host(struct ward_http *http)
{
	int host_fd = http->host_fd;

	http->host_fd = -1;
	ward_http_free(http);
	return host_fd;
}

/* --- the request --- */

static void
on_dialled(void *context, int fd)
{
	struct ward_client *client = context;

	client->dial = NULL;
	if (fd < 0) {
		ward_flow_told(&client->flow);
		if (client->http->state == WARD_HTTP_HEAD)
			ward_http_refuse(client);
		else
			ward_client_free(client, true);
		return;
	}
	if (!watch_host(client, fd)) {
		ward_client_free(client, true);
		return;
	}
	if (client->flow.id == 0)
		ward_flow_opened(&client->flow);
	if (client->http->state == WARD_HTTP_HEAD)
		ward_http_send(client);
	else
		ward_http_take_body(client); /* once more */
}

void
ward_http_dial(struct ward_client *client)
{
	client->dial = ward_dial_start(&client->flow, on_dialled, client);
	if (client->dial == NULL) {
		ward_flow_fail(&client->flow, WARD_CAUSE_CONNECT, ENOMEM, NULL);
		ward_flow_told(&client->flow);
		ward_http_refuse(client);
		return;
	}
	ward_client_settle(client, true);
	ward_client_wait(client, 0);
}

/* There will be no response, or no more of it. */
static void
fail_exchange(struct ward_client *client, int error)
{
	uint8_t answer[WARD_ANSWER_MAX];

	if (client->http->headed) {
		ward_client_free(client, true);
		return;
	}
	ward_flow_fail(&client->flow, WARD_CAUSE_CONNECT, error, NULL);
	ward_flow_told(&client->flow);
	ward_client_leave(client, answer,
	    ward_http_refusal(
		&client->flow, answer, true, client->http->is_head));
}

/*
 * A host may close a connection that it kept just as it is asked again; what
 * has no body is then asked once more over a new one (RFC 9112, 9.3.1).
 */
static void
lose_host(struct ward_client *client, int error)
{
	struct ward_http *http = client->http;

	if (!http->reused || http->headed || http->n_in > 0 ||
	    http->again.n == 0) {
		fail_exchange(client, error == 0 ? ECONNRESET : error);
		return;
	}
	ward_http_close_host(client);
	ward_queue_free(&http->up);
	http->up = http->again;
	http->again = (struct ward_queue){ .n = 0 };
	http->reused = false;
	ward_http_dial(client);
}

/*
 * Sends what waits for the host; false where the client may be gone.  A host
 * that takes no more may have said why: its end is seen where it is read.
 */
static bool
push_up(struct ward_client *client)
{
	struct ward_http *http = client->http;

	if (http->deaf)
		return true;
	int r = ward_queue_send(&http->up, http->host_fd, &client->flow.up);
	if (r == -ENOMEM) {
		fail_exchange(client, ENOMEM);
		return false;
	}
	http->deaf = r != 0;
	if (http->deaf)
		ward_queue_free(&http->up);
	else if (http->up.n > 0)
		(void)event_add(http->host_writable, NULL);
	return true;
}

static int
on_request_body(http_parser *parser, const char *at, size_t n)
{
	struct ward_http *http = parser->data;

	ward_http_write_body(&http->up, http->head.chunked, at, n);
	return 0;
}

static int
on_request_end(http_parser *parser)
{
	struct ward_http *http = parser->data;

	http->asked = true;
	ward_http_write_end(&http->up, http->head.chunked);
	http_parser_pause(parser, 1);
	return 0;
}

void
ward_http_take_body(struct ward_client *client)
{
	static const http_parser_settings settings = {
		.on_body = on_request_body,
		.on_message_complete = on_request_end,
	};
	struct ward_http *http = client->http;

	/* nobody waits for the answer any more */
	if (client->ended && (http->asked || client->n_in == 0)) {
		ward_client_free(client, true);
		return;
	}
	if (http->deaf && !http->asked) {
		ward_client_used(client, client->n_in);
		return;
	}
	http->request.data = http;
	while (
	    !http->asked && client->n_in > 0 && http->up.n < WARD_QUEUE_FULL) {
		size_t n = http_parser_execute(&http->request, &settings,
		    (const char *)client->in, client->n_in);
		enum http_errno error = HTTP_PARSER_ERRNO(&http->request);
		if (error != HPE_OK && error != HPE_PAUSED) {
			ward_client_free(client, true);
			return;
		}
		ward_client_used(client, n);
	}
	(void)push_up(client);
}

void
ward_http_send(struct ward_client *client)
{
	struct ward_http *http = client->http;
	const struct ward_http_head *head = &http->head;

	http->asked = !head->chunked && head->length == 0;
	http->keep = head->keep_alive;
	http->old = head->minor == 0;
	http->is_head = ward_slice_is(head->method, "HEAD");
	http->wants_upgrade = head->upgrade;
	http->headed = http->answered = false;
	http->state = WARD_HTTP_EXCHANGE;
	client->flow.requests++;
	ward_queue_free(&http->again);
	if (http->reused && http->asked)
		ward_queue_add(
		    &http->again, http->up.bytes + http->up.at, http->up.n);
	ward_client_settle(client, true);
	ward_client_wait(client, EXCHANGE_S);
	ward_client_used(client, http->used);
	if (http->asked)
		(void)push_up(client);
	else
		ward_http_take_body(client);
}

static void
on_host_writable(evutil_socket_t fd, short what, void *context)
{
	struct ward_client *client = context;

	(void)fd;
	(void)what;
	if (push_up(client) && !client->http->asked && client->n_in > 0)
		ward_http_take_body(client);
}

/* --- the response --- */

static int
on_response_body(http_parser *parser, const char *at, size_t n)
{
	struct ward_http *http = parser->data;

	ward_http_write_body(
	    &http->down, http->framing == WARD_HTTP_CHUNKED, at, n);
	return 0;
}

static int
on_response_end(http_parser *parser)
{
	struct ward_http *http = parser->data;

	http->answered = true;
	ward_http_write_end(&http->down, http->framing == WARD_HTTP_CHUNKED);
	http_parser_pause(parser, 1);
	return 0;
}

static const http_parser_settings response_settings = {
	.on_body = on_response_body,
	.on_message_complete = on_response_end,
};

/* The response is whole, and with the client. */
static void
finish_exchange(struct ward_client *client)
{
	struct ward_http *http = client->http;

	if (!http->host_keeps || !http->asked || http->n_in > 0)
		ward_http_close_host(client);
	http->reused = true;
	free(http->in);
	http->in = NULL;
	if (!http->keep || !http->asked) {
		ward_client_leave(client, "", 0);
		return;
	}
	ward_http_next(client);
}

static void
push_down(struct ward_client *client)
{
	struct ward_http *http = client->http;

	if (ward_queue_send(&http->down, client->fd, &client->flow.down) != 0) {
		ward_client_free(client, true);
		return;
	}
	if (http->down.n > 0)
		(void)event_add(http->client_writable, NULL);
	if (http->host_readable != NULL && http->down.n >= WARD_QUEUE_FULL)
		(void)event_del(http->host_readable);
	else if (http->host_readable != NULL)
		(void)event_add(http->host_readable, NULL);
	if (http->answered && http->down.n == 0)
		finish_exchange(client);
}

static void
on_client_writable(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	push_down(context);
}

/* The host speaks another protocol from now on: a tunnel like any other. */
static void
switch_protocol(
    struct ward_client *client, const struct ward_http_head *head, size_t used)
{
	struct ward_http *http = client->http;
	struct ward_queue first = http->down;

	http->down = (struct ward_queue){ .n = 0 };
	ward_http_write_response(&first, head, WARD_HTTP_NO_BODY, true, true);
	ward_queue_add(&first, http->in + used, http->n_in - used);
	int host_fd = ward_http_steal_host(http);
	client->http = NULL;
	if (first.failed) {
		(void)close(host_fd);
		ward_client_free(client, true);
	} else {
		ward_client_relay(
		    client, host_fd, first.bytes + first.at, first.n, false);
	}
	ward_queue_free(&first);
}

/* How the body is told the client, whatever the host's way was. */
static enum ward_http_framing
choose_framing(const struct ward_http *http, const struct ward_http_head *head)
{
	if (http->is_head || head->status == 204 || head->status == 304)
		return WARD_HTTP_NO_BODY;
	if (head->has_length)
		return WARD_HTTP_LENGTH;
	return http->old ? WARD_HTTP_TO_END : WARD_HTTP_CHUNKED;
}

/* 1 goes on reading, 0 waits, -1: the client may be gone. */
static int
take_head(struct ward_client *client)
{
	struct ward_http *http = client->http;
	struct ward_http_head head;
	const char *why = "";
	size_t used;

	switch (ward_http_response_read((const char *)http->in, http->n_in,
	    http->is_head, &used, &http->response, &head, &why)) {
	case WARD_HTTP_MORE:
		return 0;
	case WARD_HTTP_BAD:
	case WARD_HTTP_TOO_LARGE:
		fail_exchange(client, EPROTO);
		return -1;
	case WARD_HTTP_DONE:
		break;
	}
	if (head.status == 101 && http->wants_upgrade && http->asked) {
		switch_protocol(client, &head, used);
		return -1;
	}
	if (head.status == 101) {
		fail_exchange(client, EPROTO);
		return -1;
	}
	if (head.status >= 200) {
		http->framing = choose_framing(http, &head);
		http->keep = http->keep && http->asked &&
		    http->framing != WARD_HTTP_TO_END;
		http->host_keeps = head.keep_alive;
		http->headed = true;
		http->answered = http->framing == WARD_HTTP_NO_BODY ||
		    (head.has_length && head.length == 0);
		ward_http_write_response(
		    &http->down, &head, http->framing, http->keep, false);
	} else if (!http->old) {
		ward_http_write_response(
		    &http->down, &head, WARD_HTTP_NO_BODY, true, false);
	}
	http->n_in -= used;
	memmove(http->in, http->in + used, http->n_in);
	return 1;
}

/* What is in in; false where the client may be gone. */
static bool
take_response(struct ward_client *client)
{
	struct ward_http *http = client->http;

	while (http->n_in > 0 && !http->headed) {
		int r = take_head(client);
		if (r <= 0)
			return r == 0;
	}
	if (http->n_in == 0 || http->answered)
		return true;
	http->response.data = http;
	size_t n = http_parser_execute(&http->response, &response_settings,
	    (const char *)http->in, http->n_in);
	enum http_errno error = HTTP_PARSER_ERRNO(&http->response);
	if (error != HPE_OK && error != HPE_PAUSED) {
		fail_exchange(client, EPROTO);
		return false;
	}
	http->n_in -= n;
	memmove(http->in, http->in + n, http->n_in);
	return true;
}

static void
end_of_host(struct ward_client *client)
{
	struct ward_http *http = client->http;

	if (http->state == WARD_HTTP_HEAD) {
		ward_http_close_host(client);
		return;
	}
	if (http->headed && !http->answered) {
		http->response.data = http;
		(void)http_parser_execute(
		    &http->response, &response_settings, "", 0);
	}
	if (!http->answered) {
		lose_host(client, 0);
		return;
	}
	http->host_keeps = false;
	ward_http_close_host(client);
	push_down(client);
}

static void
on_host_readable(evutil_socket_t fd, short what, void *context)
{
	struct ward_client *client = context;
	struct ward_http *http = client->http;

	(void)what;
	if (http->in == NULL)
		http->in = malloc(IN_MAX);
	if (http->in == NULL) {
		ward_client_free(client, true);
		return;
	}
	ssize_t n =
	    recv(fd, http->in + http->n_in, IN_MAX - http->n_in, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0 && http->state == WARD_HTTP_EXCHANGE) {
		lose_host(client, errno);
		return;
	}
	/* unasked, it can only be the end */
	if (n <= 0 || http->state == WARD_HTTP_HEAD) {
		end_of_host(client);
		return;
	}
	http->n_in += (size_t)n;
	if (take_response(client))
		push_down(client);
}
