/* SPDX-License-Identifier: ISC */
/*
 * The mark is a breakpoint on the landing pad (endbr64) that stands at the
 * head of each function that is called by its address; the pad does nothing,
 * so that it is simply jumped over.  While the function runs, its return
 * address is that of the mark, which so tells of the return as well.
 */
#include "config.h"

#include <elf.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <unistd.h>

#include "tests/seam/marks.h"

#define PAD 0xfa1e0ff3u /* endbr64 */

static const char *const names[SEAM_MARKS] = {
	[SEAM_MARK_OPEN] = "pam_sm_open_session",
	[SEAM_MARK_CLOSE] = "pam_sm_close_session",
	[SEAM_MARK_PREPARE] = "before_fork",
	[SEAM_MARK_PARENT] = "after_fork_in_parent",
	[SEAM_MARK_CHILD] = "after_fork_in_child",
};

static uint64_t offsets[SEAM_MARKS];

static void
take_symbols(const char *image, const Elf64_Shdr *table, const char *strings)
{
	const Elf64_Sym *symbols = (const void *)(image + table->sh_offset);

	for (size_t i = 0; i < table->sh_size / sizeof(*symbols); i++)
		for (int mark = 0; mark < SEAM_MARKS; mark++)
			if (strcmp(strings + symbols[i].st_name, names[mark]) ==
			    0)
				offsets[mark] = symbols[i].st_value;
}

void
seam_marks_load(const char *module)
{
	struct stat st;
	int fd = open(module, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) != 0)
		err(2, "%s", module);
	const char *image =
	    mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (image == MAP_FAILED)
		err(2, "%s", module);
	const Elf64_Ehdr *head = (const void *)image;
	const Elf64_Shdr *sections = (const void *)(image + head->e_shoff);
	for (size_t i = 0; i < head->e_shnum; i++)
		if (sections[i].sh_type == SHT_SYMTAB)
			take_symbols(image, &sections[i],
			    image + sections[sections[i].sh_link].sh_offset);
	for (int mark = 0; mark < SEAM_MARKS; mark++)
		if (offsets[mark] == 0)
			errx(2, "%s: no symbol %s", module, names[mark]);
	(void)munmap((void *)(uintptr_t)image, (size_t)st.st_size);
	(void)close(fd);
}

/* Both: false where the process has been killed meanwhile. */
static bool
peek(pid_t tid, uint64_t at, uint64_t *word)
{
	errno = 0;
	long got = ptrace(PTRACE_PEEKDATA, tid, at, NULL);
	if (got == -1 && errno != 0 && errno != ESRCH)
		err(2, "peek at %#lx", at);
	*word = (uint64_t)got;
	return got != -1 || errno == 0;
}

static bool
poke(pid_t tid, uint64_t at, uint64_t word)
{
	if (ptrace(PTRACE_POKEDATA, tid, at, word) == 0)
		return true;
	if (errno != ESRCH)
		err(2, "poke at %#lx", at);
	return false;
}

/* Where the file is mapped from its beginning; 0: nowhere. */
static uint64_t
base_of(pid_t pid)
{
	char path[64], line[512];
	uint64_t base = 0;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	FILE *maps = fopen(path, "re");
	if (maps == NULL)
		err(2, "%s", path);
	while (base == 0 && fgets(line, sizeof(line), maps) != NULL)
		/* "FROM-TO MODES OFFSET ...", proc_pid_maps(5) */
		if (strstr(line, "/pam_ward.so") != NULL &&
		    strstr(line, " 00000000 ") != NULL)
			base = strtoull(line, NULL, 16);
	(void)fclose(maps);
	return base;
}

void
seam_marks_set(pid_t pid, struct seam_marks *marks)
{
	uint64_t base = base_of(pid);

	if (base == 0 || marks->at[SEAM_MARK_OPEN] != 0)
		return;
	for (int mark = 0; mark < SEAM_MARKS; mark++) {
		uint64_t word, at = base + offsets[mark];
		if (!peek(pid, at, &word))
			return;
		if ((uint32_t)word != PAD)
			errx(2, "%s has no landing pad", names[mark]);
		if (!poke(pid, at, (word & ~UINT64_C(0xff)) | 0xcc))
			return;
		marks->at[mark] = at;
	}
	marks->inside = SEAM_MARK_NONE;
}

bool
seam_marks_hit(pid_t tid, struct seam_marks *marks, enum seam_mark *left)
{
	struct user_regs_struct regs;
	int mark = 0;

	*left = SEAM_MARK_NONE;
	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) != 0)
		return false;
	while (mark < SEAM_MARKS && marks->at[mark] != regs.rip - 1)
		mark++;
	if (mark == SEAM_MARKS || marks->at[mark] == 0)
		return false;
	if (marks->inside == (enum seam_mark)mark &&
	    regs.rsp == marks->back_sp + 8) {
		*left = marks->inside;
		marks->inside = SEAM_MARK_NONE;
		regs.rip = marks->back;
	} else {
		if (marks->inside != SEAM_MARK_NONE)
			errx(2, "%s inside %s", names[mark],
			    names[marks->inside]);
		marks->inside = (enum seam_mark)mark;
		if (!peek(tid, regs.rsp, &marks->back) ||
		    !poke(tid, regs.rsp, marks->at[mark]))
			return false;
		marks->back_sp = regs.rsp;
		regs.rip = marks->at[mark] + 4;
	}
	return ptrace(PTRACE_SETREGS, tid, NULL, &regs) == 0;
}
