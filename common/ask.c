/* SPDX-License-Identifier: ISC */
/* Asking the warden from inside its sandbox. */
#include "config.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/ask.h"
#include "common/clock.h"
#include "common/fd.h"
#include "common/places.h"

#define ANSWER_MS 5000
#define AGAIN_NS  5000000 /* before it is asked again whether all is known */

int
ward_ask_open(struct err *err)
{
	struct sockaddr_un address = {
		.sun_family = AF_UNIX,
		.sun_path = WARD_AGENT_SOCKET,
	};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return ward_err_sys(err, errno, "a socket");
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) ==
	    0)
		return fd;
	int r =
	    ward_err_set(err, errno, "no warden answers at " WARD_AGENT_SOCKET);
	(void)close(fd);
	return r;
}

int
ward_ask(int fd, struct ward_wire *wire, int64_t deadline_ms, struct err *err)
{
	int r = ward_fd_send(fd, wire->data, wire->size, NULL, 0);

	if (r != 0)
		return ward_err_set(err, -r, "the warden is not asked");
	ssize_t n = ward_fd_receive(
	    fd, wire->data, sizeof(wire->data), NULL, NULL, NULL, deadline_ms);
	wire->size = n > 0 ? (size_t)n : 0;
	if (n == -ETIMEDOUT)
		return ward_err_set(
		    err, ETIMEDOUT, "the warden does not answer");
	return n > 0 ? 0
		     : ward_err_set(err, n < 0 ? (int)-n : ECONNRESET,
			   "the warden does not know it");
}

int
ward_ask_explained(int fd, struct ward_wire *question,
    struct ward_wire_explain_is *answer, struct err *err)
{
	int r = ward_ask(fd, question, ward_now_ms() + ANSWER_MS, err);

	if (r == 0 && ward_wire_get_explain_is(question, answer) != 0)
		r = ward_err_set(err, EPROTO, "the warden says what is none");
	return r;
}

static int
ask_next(int fd, const struct ward_wire_why *question,
    struct ward_wire_why_is *answer, struct err *err)
{
	struct ward_wire wire;
	int r = ward_wire_put_why(&wire, question);

	if (r == 0)
		r = ward_ask(fd, &wire, ward_now_ms() + ANSWER_MS, err);
	if (r == 0 && ward_wire_get_why_is(&wire, answer) != 0)
		r = ward_err_set(err, EPROTO, "the warden says what is none");
	return r;
}

/* Until all that had been seen by the first answer has been judged. */
static int
wait_for_all(int fd, const struct ward_wire_why *question, int64_t until_ms,
    struct ward_wire_why_is *answer, struct err *err)
{
	int r = ask_next(fd, question, answer, err);
	const uint64_t seen = answer->seen;

	while (r == 0 && answer->judged < seen && ward_now_ms() < until_ms) {
		const struct timespec pause = { .tv_nsec = AGAIN_NS };
		(void)nanosleep(&pause, NULL);
		r = ask_next(fd, question, answer, err);
	}
	return r;
}

int
ward_ask_why(int fd, const struct ward_wire_why *question, int64_t wait_ms,
    ward_ask_on_refusal *on_refusal, void *context, struct err *err)
{
	struct ward_wire_why next = *question;
	static struct ward_wire_why_is answer;

	next.after = 0;
	int r = wait_for_all(fd, &next, ward_now_ms() + wait_ms, &answer, err);
	while (r == 0 && answer.serial != 0) {
		next.after = answer.serial;
		r = on_refusal(context, &answer);
		if (r == 0)
			r = ask_next(fd, &next, &answer, err);
	}
	return r;
}
