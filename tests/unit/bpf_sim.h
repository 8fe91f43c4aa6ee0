/* SPDX-License-Identifier: ISC */
/*
 * Runs a seccomp program as the kernel would, without the kernel: for the
 * table tests of the seal.  Pure.
 */
#ifndef WARD_TESTS_UNIT_BPF_SIM_H
#define WARD_TESTS_UNIT_BPF_SIM_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the kernel checks before it takes a program (bpf_check_classic and
 * seccomp_check_filter): 0, or the number of the first bad instruction + 1.
 */
size_t bpf_sim_check(const struct sock_filter *code, size_t n);

/* The program's answer.  The program must have passed the check. */
uint32_t bpf_sim_run(
    const struct sock_filter *code, size_t n, const struct seccomp_data *data);

/* How many instructions that took. */
size_t bpf_sim_cost(
    const struct sock_filter *code, size_t n, const struct seccomp_data *data);

/*
 * True if the kernel would see, when the program is loaded, that this call is
 * allowed whatever its arguments, and never run the program for it
 * (seccomp_is_const_allow).
 */
bool bpf_sim_is_const_allow(
    const struct sock_filter *code, size_t n, uint32_t arch, int nr);

#endif
