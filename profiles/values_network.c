/* SPDX-License-Identifier: ISC */
/* The network's values in a profile, judged by their own readers. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "profiles/network.h"
#include "profiles/parse.h"

#define SHOWN 128

#define wrong(parser, setting, ...)                                            \
	ward_diagnostics_add((parser)->findings, WARD_ERROR,                   \
	    (parser)->profile->file, config_setting_source_line(setting),      \
	    __VA_ARGS__)

static int
check_proxy(const char *text, const char **why)
{
	struct ward_net_upstream upstream = { 0 };
	int r = ward_upstream_read(text, &upstream, why);

	free(upstream.host);
	return r;
}

static int
check_block(const char *text, const char **why)
{
	struct ward_block block;

	*why = "an entry is an address or a block with nothing behind its "
	       "prefix, such as \"10.20.0.0/16\"";
	return ward_block_read(text, strlen(text), &block);
}

/* As many characters as a client, a row and a page have room for. */
static int
check_words(const char *words, const char **why)
{
	const unsigned char *at = (const unsigned char *)words;
	size_t n = 0;

	*why = "say is one line of 1 to 500 characters, without control "
	       "characters";
	for (; *at != '\0'; n++) {
		uint32_t character;
		size_t length = ward_text_decode(at, &character);

		if (length == 0 || character < 0x20 || character == 0x7f)
			return -EINVAL;
		at += length;
	}
	return n == 0 || n > WARD_REASON_MAX ? -EINVAL : 0;
}

static int
check(
    enum ward_key_id id, const char *text, const char *words, const char **why)
{
	enum ward_key_type type = ward_keys[id].type;
	struct ward_endpoint endpoint;

	if (type == WARD_TYPE_PROXY)
		return check_proxy(text, why);
	if (type == WARD_TYPE_BLOCKS)
		return check_block(text, why);
	int r = ward_endpoint_read(
	    text, strlen(text), ward_key_takes_any(id), &endpoint, why);
	return r == 0 && words != NULL ? check_words(words, why) : r;
}

int
ward_value_check_network(struct ward_parser *parser, enum ward_key_id id,
    const config_setting_t *element, const char *text, const char *value)
{
	const char *why = "";
	char shown[SHOWN];
	int r = check(id, text, value, &why);

	if (r != -EINVAL)
		return r;
	return wrong(parser, element, "%s: \"%s\": %s", ward_keys[id].path,
	    ward_text_visible(shown, sizeof(shown), text), why);
}
