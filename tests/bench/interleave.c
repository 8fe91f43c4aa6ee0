/* SPDX-License-Identifier: ISC */
/*
 * interleave: runs two commands in turn and compares how long they take.
 *	interleave RUNS PAUSE_MS SAMPLES COMMAND-A COMMAND-B
 * A command is one argument, its words separated by single spaces.  Appends the
 * samples to a file, "a b" in ms a line; prints the medians: A, B, A - B, A /
 *B. For scripts/bench only.
 */
#include "config.h"

#include <err.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/number.h"

#define WORDS_MAX 64

static double
now_ms(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_MONOTONIC, &ts) != 0)
		err(1, "clock_gettime");
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void
split(char *text, char **words)
{
	size_t n = 0;
	char *word;

	if (text[0] == '\0')
		errx(2, "no command");
	while ((word = strsep(&text, " ")) != NULL) {
		if (n == WORDS_MAX - 1)
			errx(2, "too many words");
		words[n++] = word;
	}
	words[n] = NULL;
}

static double
run(char *const *words)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int status;

	if (posix_spawn_file_actions_init(&actions) != 0 ||
	    posix_spawn_file_actions_addopen(
		&actions, 0, "/dev/null", O_RDONLY, 0) != 0 ||
	    posix_spawn_file_actions_addopen(
		&actions, 1, "/dev/null", O_WRONLY, 0) != 0)
		errx(1, "posix_spawn_file_actions");
	double start = now_ms();
	if (posix_spawn(&pid, words[0], &actions, NULL, words, environ) != 0)
		errx(1, "cannot run %s", words[0]);
	if (waitpid(pid, &status, 0) != pid)
		err(1, "waitpid");
	double took = now_ms() - start;
	if (status != 0)
		errx(1, "%s: status 0x%x", words[0], (unsigned)status);
	(void)posix_spawn_file_actions_destroy(&actions);
	return took;
}

static void
pause_ms(uint64_t ms)
{
	const struct timespec ts = {
		.tv_sec = (time_t)(ms / 1000),
		.tv_nsec = (long)(ms % 1000) * 1000000,
	};

	(void)nanosleep(&ts, NULL);
}

static int
compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static double
median(double *samples, size_t n)
{
	qsort(samples, n, sizeof(*samples), compare);
	return n % 2 == 1 ? samples[n / 2]
			  : (samples[n / 2 - 1] + samples[n / 2]) / 2;
}

int
main(int argc, char **argv)
{
	char *words_a[WORDS_MAX], *words_b[WORDS_MAX];
	uint64_t runs, ms;

	if (argc != 6 || ward_number_parse(argv[1], 100000, &runs) != 0 ||
	    runs == 0 || ward_number_parse(argv[2], 60000, &ms) != 0)
		errx(2, "usage: interleave RUNS PAUSE_MS SAMPLES A B");
	split(argv[4], words_a);
	split(argv[5], words_b);
	double *a = calloc(runs, sizeof(*a)), *b = calloc(runs, sizeof(*b));
	FILE *samples = fopen(argv[3], "ae");
	if (a == NULL || b == NULL || samples == NULL)
		err(1, "%s", argv[3]);
	/* one of each that is not counted: caches, keys, the first sandbox */
	(void)run(words_a);
	(void)run(words_b);
	for (size_t i = 0; i < runs; i++) {
		pause_ms(ms);
		a[i] = run(words_a);
		pause_ms(ms);
		b[i] = run(words_b);
		(void)fprintf(samples, "%.3f %.3f\n", a[i], b[i]);
	}
	if (fclose(samples) != 0)
		err(1, "%s", argv[3]);
	double of_a = median(a, runs), of_b = median(b, runs);
	printf("%.2f %.2f %.2f %.2f\n", of_a, of_b, of_a - of_b, of_a / of_b);
	return 0;
}
