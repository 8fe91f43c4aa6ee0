/* SPDX-License-Identifier: ISC */
/*
 * What /proc tells of a process: evidence, and what the kernel says of a
 * process's own confinement.
 * sandbox/ only.
 */
#ifndef WARD_SANDBOX_PROCESS_H
#define WARD_SANDBOX_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The process of a thread and the name of its program (size >= 17 holds any
 * name that the kernel keeps); pid is the thread's own where it is gone. */
void ward_process_of_thread(pid_t tid, pid_t *pid, char *program, size_t size);
/* The same by a /proc that is open: for a thread that has another in its view.
 */
void ward_process_of_thread_at(
    int proc_dfd, pid_t tid, pid_t *pid, char *program, size_t size);

/* 0 where it is not known. */
pid_t ward_process_parent(pid_t pid);

/* Two processes are of one pid namespace. */
bool ward_process_same_namespace(pid_t a, pid_t b);

/* What a process lives under that cannot be taken off. */
struct ward_process_seal {
	bool is_dead; /* as a whole: no thread is left */
	bool no_new_privs;
	bool has_bounding_set;
	unsigned n_filters;
};
/* False where it is not known, or not all of its ids are uid. */
bool ward_process_seal(pid_t pid, uid_t uid, struct ward_process_seal *seal);
/* How many seccomp filters it has. */
unsigned ward_process_filters(pid_t pid);

struct ward_process_stat {
	unsigned terminal; /* the controlling one's device; 0: none */
	uint64_t started;  /* with the pid, this is one process only */
};
bool ward_process_stat(pid_t pid, struct ward_process_stat *stat);

#endif
