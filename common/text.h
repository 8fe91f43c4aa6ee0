/* SPDX-License-Identifier: ISC */
/*
 * The one encoder for what an agent can name (paths, hosts, command lines) on
 * its way to a terminal, a log or a page.  Everyone may use it.
 */
#ifndef WARD_COMMON_TEXT_H
#define WARD_COMMON_TEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Decodes one UTF-8 character of a terminated string; returns its length in
 * bytes, or 0 for bytes that are none (overlong forms, surrogates and the like
 * included).
 */
size_t ward_text_decode(const unsigned char *text, uint32_t *character);

/*
 * Writes text into out as visible UTF-8: control characters, bidirectional
 * and zero-width marks and bytes that are no UTF-8 become \xNN or \u{NNNN},
 * a backslash becomes two.  Always terminated; cut at a whole character, with
 * "..." at the end, where size is too small (size >= 4).  Returns out.
 */
char *ward_text_visible(char *out, size_t size, const char *text);

#endif
