/*
 * SPDX-License-Identifier: ISC
 * A main for a fuzz target in make check: runs it once on each file of its
 * corpus, tests/fuzz/corpus/NAME for the program fuzz_NAME, or on the files
 * of the command line, and prints a TAP row for each.  With the sanitizers a
 * finding ends the program, and the rows that the plan names are missing.
 */
#include "config.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 1 << 20 };

static int
replay(const char *path)
{
	FILE *file = fopen(path, "re");
	uint8_t *data;
	size_t size;
	int bad;

	if (file == NULL)
		return -1;
	data = malloc(INPUT_MAX);
	size = data == NULL ? 0 : fread(data, 1, INPUT_MAX, file);
	bad = data == NULL || ferror(file) != 0;
	(void)fclose(file);
	if (!bad) {
		/* Of its own size, so that a read past its end is seen. */
		uint8_t *input = malloc(size == 0 ? 1 : size);

		bad = input == NULL;
		if (!bad) {
			memcpy(input, data, size);
			(void)LLVMFuzzerTestOneInput(input, size);
		}
		free(input);
	}
	free(data);
	return bad ? -1 : 0;
}

static int
row(int number, const char *path)
{
	int r = replay(path);

	printf("%s %d - %s\n", r == 0 ? "ok" : "not ok", number, path);
	(void)fflush(stdout);
	return r;
}

static int
is_input(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Where automake ran us, srcdir is where the tree is. */
static int
corpus(const char *program, char *path, size_t size)
{
	const char *srcdir = getenv("srcdir");
	const char *name = strrchr(program, '/');
	int n;

	name = name == NULL ? program : name + 1;
	/* libtool's wrapper runs the program as lt-fuzz_NAME. */
	if (strncmp(name, "lt-", 3) == 0)
		name += 3;
	if (strncmp(name, "fuzz_", 5) != 0)
		return -1;
	n = snprintf(path, size, "%s/tests/fuzz/corpus/%s",
	    srcdir == NULL ? "." : srcdir, name + 5);
	return n < 0 || (size_t)n >= size ? -1 : 0;
}

static int
replay_directory(const char *directory)
{
	struct dirent **entries;
	int n = scandir(directory, &entries, is_input, alphasort);
	int bad = 0;

	if (n <= 0) {
		printf("1..1\nnot ok 1 - no corpus in %s\n", directory);
		return -1;
	}
	printf("1..%d\n", n);
	for (int i = 0; i < n; i++) {
		char path[4096];
		int length = snprintf(
		    path, sizeof(path), "%s/%s", directory, entries[i]->d_name);

		if (length < 0 || (size_t)length >= sizeof(path) ||
		    row(i + 1, path) != 0)
			bad = -1;
		free(entries[i]);
	}
	free(entries);
	return bad;
}

int
main(int argc, char **argv)
{
	char directory[4096];
	int bad = 0;

	if (argc < 2) {
		if (corpus(argv[0], directory, sizeof(directory)) != 0)
			return EXIT_FAILURE;
		return replay_directory(directory) == 0 ? EXIT_SUCCESS
							: EXIT_FAILURE;
	}
	printf("1..%d\n", argc - 1);
	for (int i = 1; i < argc; i++)
		if (row(i, argv[i]) != 0)
			bad = -1;
	return bad == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
