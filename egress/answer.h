/* SPDX-License-Identifier: ISC */
/*
 * What a refused client is told, in the words of the protocol that it speaks.
 * Pure; for the fronts.
 */
#ifndef WARD_EGRESS_ANSWER_H
#define WARD_EGRESS_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WARD_ANSWER_MAX 8192

/*
 * A whole response: said, one line of visible text, is its body and, as ASCII
 * and cut, its reason phrase; rule may be "".  close says so to the client.
 */
size_t ward_answer_http(uint8_t out[WARD_ANSWER_MAX], unsigned status,
    const char *said, const char *rule, bool close, bool no_body);

/* An SSH server's version and a message that ends it (RFC 4253, 11.1). */
size_t ward_answer_ssh(uint8_t out[WARD_ANSWER_MAX], const char *said);

#endif
