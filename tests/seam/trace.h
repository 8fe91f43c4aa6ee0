/* SPDX-License-Identifier: ISC */
/*
 * Runs one login under ptrace(2), with all that it makes, counts the system
 * calls of each part of Ward, and does one thing to one of them.  Part of
 * tests/seam/seam.
 */
#ifndef WARD_SEAM_TRACE_H
#define WARD_SEAM_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Whose a process is, by how it came to be. */
enum seam_part {
	SEAM_LOGIN,     /* su's or sshd's own, as long as it is on the host */
	SEAM_MODULE,    /* pam_ward.so in it, until the warden's exec */
	SEAM_ENTER,     /* the fork handler in its child */
	SEAM_WARDEN,    /* all its threads */
	SEAM_INIT,      /* from its birth, so it builds the view */
	SEAM_CONNECTOR, /* from its birth */
	SEAM_EGRESS,    /* from its exec, and its resolver */
	SEAM_SESSION,   /* what was sealed, or has executed anything */
	SEAM_OTHER,
	SEAM_PARTS,
};

/* One thing that goes wrong at the n-th call. */
struct seam_fault {
	enum seam_part part; /* whose calls are counted; SEAM_PARTS: Ward's */
	bool is_named;       /* only calls of this number are: */
	uint64_t call;
	unsigned n; /* 0: nothing goes wrong */
	int error;  /* this call fails so, or else: */
	int signal; /* SIGKILL or SIGSTOP for... */
	enum seam_part victim;
};

/* What was seen of a login. */
struct seam_seen {
	unsigned counts[SEAM_PARTS];
	unsigned steps;    /* all of Ward's */
	bool done;         /* the fault was done */
	char call[80];     /* at which call */
	bool no_victim;    /* it was not there, or had ended */
	char outside[160]; /* "": nothing of the session ran outside */
	bool warden_died;  /* by a signal, so that it could log nothing */
	bool exited;
	int status; /* of the login, as waitpid's */
	int64_t began_ms, exited_ms, fault_ms, session_ended_ms;
	char said[16384]; /* what came to the login's said_fd */
};

/* What is to be traced. */
struct seam_login {
	void (*become)(void); /* executes it; returns where it cannot */
	int in_fd, out_fd;    /* borrowed */
	int said_fd;          /* a file, where its errors go; taken */
};

/* A child of the caller's that is not traced. */
struct seam_beside {
	pid_t pid;
	bool ended;
	int status;
};

/* The account, and the command that runs as it. */
void seam_trace_init(const char *module, uid_t uid);

/* Begins the login.  One at a time. */
void seam_trace_begin(const struct seam_login *login,
    const struct seam_fault *fault, struct seam_seen *seen);

/*
 * Lets it go on until done(context) or that time; false: it took too long.
 * done is asked after every stop, and at least every 10 ms.
 */
bool
seam_trace_run(bool (*done)(void *context), void *context, int64_t until_ms);

/* How many processes there are, of the session or of all, and whose. */
unsigned seam_trace_living(void);
void seam_trace_name_living(char *out, size_t size);
unsigned seam_trace_sessions(void);

/* Two at the most, each reaped by seam_trace_run. */
void seam_trace_beside(struct seam_beside *beside);

/* Reads what was said so far. */
bool seam_trace_has_said(const char *text);

/* Lets the stopped one go on. */
void seam_trace_continue(void);

/* Kills and reaps whatever is left, and reads what was said. */
void seam_trace_end(void);

#endif
