/* SPDX-License-Identifier: ISC */
/* A host in any spelling, made canonical. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <idn2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "profiles/host.h"

#define LABEL_MAX 63

static int
malformed(const char **why, const char *reason)
{
	*why = reason;
	return -EINVAL;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int
hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	c = lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* --- addresses --- */

static void
set_ipv4(uint32_t address, struct ward_host *out)
{
	memset(&out->address, 0, sizeof(out->address));
	out->address.s6_addr[10] = 0xff;
	out->address.s6_addr[11] = 0xff;
	for (unsigned i = 0; i < 4; i++)
		out->address.s6_addr[12 + i] =
		    (uint8_t)(address >> (24 - 8 * i));
	out->kind = WARD_HOST_IPV4;
	(void)snprintf(out->text, sizeof(out->text), "%u.%u.%u.%u",
	    address >> 24, address >> 16 & 0xff, address >> 8 & 0xff,
	    address & 0xff);
}

void
ward_host_from_address(const struct in6_addr *address, struct ward_host *out)
{
	const uint8_t *b = address->s6_addr;

	if (IN6_IS_ADDR_V4MAPPED(address)) {
		set_ipv4((uint32_t)b[12] << 24 | (uint32_t)b[13] << 16 |
			(uint32_t)b[14] << 8 | b[15],
		    out);
		return;
	}
	out->kind = WARD_HOST_IPV6;
	out->address = *address;
	/* it fits: INET6_ADDRSTRLEN is 46 */
	(void)inet_ntop(AF_INET6, address, out->text, sizeof(out->text));
}

static int
read_ipv6(
    const char *text, size_t size, struct ward_host *out, const char **why)
{
	char terminated[INET6_ADDRSTRLEN];
	struct in6_addr address;

	if (memchr(text, '%', size) != NULL)
		return malformed(why, "an address with a zone");
	if (size >= sizeof(terminated))
		return malformed(why, "not an IPv6 address");
	memcpy(terminated, text, size);
	terminated[size] = '\0';
	if (inet_pton(AF_INET6, terminated, &address) != 1)
		return malformed(why, "not an IPv6 address");
	ward_host_from_address(&address, out);
	return 0;
}

/* One part of an IPv4 address: decimal, octal with 0, hexadecimal with 0x. */
static bool
read_part(const char *text, size_t size, uint64_t *value)
{
	unsigned base = 10;

	if (size == 0)
		return false;
	if (size > 1 && text[0] == '0') {
		base = lower(text[1]) == 'x' ? 16 : 8;
		text += base == 16 ? 2 : 1;
		size -= base == 16 ? 2 : 1;
	}
	*value = 0; /* a bare 0x is 0, as some resolvers read it */
	for (size_t i = 0; i < size; i++) {
		int digit = hex_digit(text[i]);
		if (digit < 0 || (unsigned)digit >= base)
			return false;
		*value = *value * base + (unsigned)digit;
		if (*value > UINT32_MAX)
			return false;
	}
	return true;
}

/* One to four parts; the last fills all bytes that are left. */
static int
read_ipv4(const char *text, struct ward_host *out, const char **why)
{
	uint32_t address = 0;

	for (unsigned n = 0; n < 4; n++) {
		size_t size = strcspn(text, ".");
		bool last = text[size] == '\0';
		unsigned bits = last ? 32 - 8 * n : 8;
		uint64_t value;
		if (!read_part(text, size, &value) || value >> bits != 0)
			break;
		address |= (uint32_t)(value << (32 - 8 * n - bits));
		if (last) {
			set_ipv4(address, out);
			return 0;
		}
		text += size + 1;
	}
	return malformed(why, "it ends in a number and is no IPv4 address");
}

/* --- names --- */

/* What a resolver could take for an address, by the last label. */
static bool
ends_in_number(const char *name)
{
	const char *dot = strrchr(name, '.');
	const char *last = dot == NULL ? name : dot + 1;
	uint64_t value;

	return strspn(last, "0123456789") == strlen(last) ||
	    (last[0] == '0' && lower(last[1]) == 'x' &&
		(read_part(last, strlen(last), &value) ||
		    strspn(last + 2, "0123456789abcdefABCDEF") ==
			strlen(last + 2)));
}

static int
check_labels(const char *name, const char **why)
{
	for (;;) {
		size_t size = strcspn(name, ".");
		if (size == 0)
			return malformed(why, "it has an empty label");
		if (size > LABEL_MAX)
			return malformed(
			    why, "it has a label of over 63 characters");
		/* programs would read it as an option */
		if (name[0] == '-')
			return malformed(
			    why, "it has a label that begins with -");
		if (name[size] == '\0')
			return 0;
		name += size + 1;
	}
}

/* name is ASCII. */
static int
read_ascii(const char *name, struct ward_host *out, const char **why)
{
	size_t size = strlen(name);

	if (size > 0 && name[size - 1] == '.')
		size--;
	if (size == 0)
		return malformed(why, "it is empty");
	if (size > WARD_HOST_TEXT_MAX)
		return malformed(why, "it has over 253 characters");
	for (size_t i = 0; i < size; i++) {
		char c = lower(name[i]);
		if (!is_digit(c) && !(c >= 'a' && c <= 'z') && c != '.' &&
		    c != '_' && c != '-')
			return malformed(
			    why, "it has a character that no host name has");
		out->text[i] = c;
	}
	out->text[size] = '\0';
	int r = check_labels(out->text, why);
	if (r != 0)
		return r;
	if (ends_in_number(out->text)) {
		char text[WARD_HOST_TEXT_MAX + 1];
		memcpy(text, out->text, size + 1);
		return read_ipv4(text, out, why);
	}
	out->kind = WARD_HOST_NAME;
	memset(&out->address, 0, sizeof(out->address));
	return 0;
}

/*
 * UTS 46 may make ASCII of what was not (full-width digits and dots), so its
 * result is read as if it had been spelt so.
 */
static int
read_unicode(const char *name, struct ward_host *out, const char **why)
{
	uint8_t *ascii = NULL;
	int r = idn2_lookup_u8((const uint8_t *)name, &ascii,
	    IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);

	if (r == IDN2_MALLOC)
		return -ENOMEM;
	if (r != IDN2_OK)
		return malformed(why, "it is no internationalised name");
	r = read_ascii((const char *)ascii, out, why);
	idn2_free(ascii);
	return r;
}

int
ward_host_read(
    const char *spelt, size_t size, struct ward_host *out, const char **why)
{
	char name[WARD_HOST_SPELT_MAX + 1];
	bool ascii = true;

	if (size == 0)
		return malformed(why, "it is empty");
	if (size > WARD_HOST_SPELT_MAX)
		return malformed(why, "it has over 255 characters");
	for (size_t i = 0; i < size; i++) {
		if ((unsigned char)spelt[i] <= ' ' || spelt[i] == 0x7f)
			return malformed(
			    why, "it has a space or a control character");
		ascii = ascii && (unsigned char)spelt[i] < 0x80;
	}
	if (spelt[0] == '[') {
		if (spelt[size - 1] != ']')
			return malformed(why, "a bracket is not closed");
		return read_ipv6(spelt + 1, size - 2, out, why);
	}
	if (memchr(spelt, ':', size) != NULL)
		return read_ipv6(spelt, size, out, why);
	if (memchr(spelt, '%', size) != NULL)
		return malformed(why, "it has a zone");
	memcpy(name, spelt, size);
	name[size] = '\0';
	return ascii ? read_ascii(name, out, why)
		     : read_unicode(name, out, why);
}

bool
ward_host_equal(const struct ward_host *a, const struct ward_host *b)
{
	return a->kind == b->kind && strcmp(a->text, b->text) == 0;
}

bool
ward_host_is_below(const struct ward_host *host, const struct ward_host *zone)
{
	size_t whole = strlen(host->text), part = strlen(zone->text);

	return host->kind == WARD_HOST_NAME && zone->kind == WARD_HOST_NAME &&
	    whole > part + 1 && host->text[whole - part - 1] == '.' &&
	    strcmp(host->text + whole - part, zone->text) == 0;
}
