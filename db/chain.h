/* SPDX-License-Identifier: ISC */
/*
 * The chain of a sandbox's violations: each row's hash covers the row and the
 * hash before it, and the first one's covers the sandbox.  Pure.
 *
 * A hash is SHA-256 of a label, the hash before and the fields in the order of
 * chain.c, each with its type: 'i' and eight bytes, the highest first; 't' or
 * 'b', the length as such eight bytes, and the bytes; 'n' for what is absent.
 * So no two rows have the same bytes.  To change this, change the label.
 * For db/ and its tests.
 */
#ifndef WARD_DB_CHAIN_H
#define WARD_DB_CHAIN_H

#include <stdint.h>

#include "common/sha256.h"
#include "db/violations.h"

/* Where the chain of a sandbox begins. */
void ward_chain_start(const struct ward_violations_sandbox *sandbox,
    unsigned char hash[WARD_SHA256_SIZE]);

/* From the hash before a row to its own; link is its place, from 1. */
void
ward_chain_add(int64_t link, int64_t id, const struct ward_violation *violation,
    unsigned char hash[WARD_SHA256_SIZE]);

#endif
