/* SPDX-License-Identifier: ISC */
/* From the bytes of a policy file to libconfig's tree. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/text.h"
#include "profiles/nearest.h"
#include "profiles/scan.h"
#include "profiles/text.h"

struct key {
	const char *start; /* into the text */
	size_t length;
	unsigned line;
};

/* An open bracket; the bottom one is the file itself. */
struct level {
	char open; /* { [ ( */
	unsigned line;
	size_t n_elements;         /* of [ and ( */
	enum ward_token_kind kind; /* of the first element of [ */
	struct key keys[WARD_TEXT_KEYS];
	size_t n_keys;
};

struct checker {
	struct ward_scan scan;
	struct ward_token token; /* looked at next */
	struct level levels[WARD_TEXT_DEPTH + 1];
	size_t depth;
	/* lines of the plain elements of lists, in the order of the text */
	unsigned *lines;
	size_t n_lines;
};

#define wrong(checker, line, ...)                                              \
	ward_diagnostics_add((checker)->scan.findings, WARD_ERROR,             \
	    (checker)->scan.file, line, __VA_ARGS__)

static int
advance(struct checker *checker)
{
	return ward_scan_next(&checker->scan, &checker->token);
}

static char
closing(char open)
{
	if (open == '{')
		return '}';
	return (char)(open == '[' ? ']' : ')');
}

static bool
is_list(const struct level *level)
{
	return level->open != '{';
}

/* "the end of the file" or the token as it is written. */
static int
wrong_token(struct checker *checker, const char *wanted)
{
	const struct ward_token *token = &checker->token;
	int n = token->length > 40 ? 40 : (int)token->length;
	char copy[48], text[200];

	if (token->kind == WARD_TOKEN_END)
		return wrong(checker, token->line,
		    "the file ends where %s should be", wanted);
	memcpy(copy, token->start, (size_t)n);
	copy[n] = '\0';
	return wrong(checker, token->line, "%s stands where %s should be",
	    ward_text_visible(text, sizeof(text), copy), wanted);
}

static int
push(struct checker *checker)
{
	struct level *level;

	if (checker->depth == WARD_TEXT_DEPTH)
		return wrong(checker, checker->token.line,
		    "more than %d brackets within each other: no setting "
		    "needs that",
		    WARD_TEXT_DEPTH);
	level = &checker->levels[++checker->depth];
	level->open = *checker->token.start;
	level->line = checker->token.line;
	level->n_elements = 0;
	level->n_keys = 0;
	return advance(checker);
}

static int
pop(struct checker *checker)
{
	const struct level *level = &checker->levels[checker->depth];
	char found = *checker->token.start;

	if (checker->depth == 0)
		return wrong(checker, checker->token.line,
		    "%c closes nothing: remove it", found);
	if (found != closing(level->open))
		return wrong(checker, checker->token.line,
		    "%c stands where %c should be, for the %c of line %u",
		    found, closing(level->open), level->open, level->line);
	checker->depth--;
	return advance(checker);
}

static int
remember_key(struct checker *checker)
{
	struct level *level = &checker->levels[checker->depth];
	const struct ward_token *token = &checker->token;

	for (size_t i = 0; i < level->n_keys; i++) {
		const struct key *key = &level->keys[i];

		if (key->length == token->length &&
		    memcmp(key->start, token->start, key->length) == 0)
			return wrong(checker, token->line,
			    "%.*s is given twice, first on line %u: keep one",
			    token->length > 64 ? 64 : (int)token->length,
			    token->start, key->line);
	}
	if (level->n_keys == WARD_TEXT_KEYS)
		return wrong(checker, token->line,
		    "more than %d keys in one group: no group has as many",
		    WARD_TEXT_KEYS);
	level->keys[level->n_keys++] = (struct key){
		.start = token->start,
		.length = token->length,
		.line = token->line,
	};
	return 0;
}

static int
remember_line(struct checker *checker, unsigned line)
{
	unsigned *lines = checker->lines;

	/* grows by doubling, whenever the count is a power of two */
	if ((checker->n_lines & (checker->n_lines - 1)) == 0) {
		size_t room = checker->n_lines == 0 ? 1 : checker->n_lines * 2;

		lines = reallocarray(lines, room, sizeof(*lines));
		if (lines == NULL)
			return -ENOMEM;
		checker->lines = lines;
	}
	lines[checker->n_lines++] = line;
	return 0;
}

/* A plain element of a list, or an opening bracket within one. */
static int
check_element(struct checker *checker)
{
	struct level *level = &checker->levels[checker->depth];
	enum ward_token_kind kind = checker->token.kind;

	if (level->open == '[') {
		if (kind == WARD_TOKEN_OPEN)
			return wrong(checker, checker->token.line,
			    "[ ] holds plain values only: write ( ) around "
			    "what has brackets of its own");
		if (level->n_elements > 0 && kind != level->kind)
			return wrong(checker, checker->token.line,
			    "the values of [ ] are all of one type: write "
			    "( ) around a mixture");
		level->kind = kind;
	}
	level->n_elements++;
	if (kind == WARD_TOKEN_OPEN)
		return 0;
	return remember_line(checker, checker->token.line);
}

/* Behind a string: another one would be glued to it. */
static int
check_strings(struct checker *checker)
{
	const struct level *level = &checker->levels[checker->depth];
	int r = 0;

	while (r == 0 && checker->token.kind == WARD_TOKEN_STRING) {
		if (is_list(level))
			return wrong(checker, checker->token.line,
			    "two strings without a comma between them would "
			    "be one: write the comma");
		r = advance(checker);
	}
	return r;
}

/* A word without quotes: the tokens of other languages among them. */
static int
wrong_word(struct checker *checker)
{
	static const char *const booleans[] = { "yes", "no", "on", "off" };
	const struct ward_token *token = &checker->token;
	int n = token->length > 40 ? 40 : (int)token->length;

	for (size_t i = 0; i < sizeof(booleans) / sizeof(booleans[0]); i++)
		if (strlen(booleans[i]) == token->length &&
		    strncmp(booleans[i], token->start, token->length) == 0)
			return wrong(checker, token->line,
			    "%s is no value: write true or false", booleans[i]);
	return wrong(checker, token->line, "%.*s is not quoted: write \"%.*s\"",
	    n, token->start, n, token->start);
}

/* A value: plain ones are read to their end, brackets only entered. */
static int
check_value(struct checker *checker)
{
	struct level *level = &checker->levels[checker->depth];
	enum ward_token_kind kind = checker->token.kind;
	int r;

	switch (kind) {
	case WARD_TOKEN_STRING:
	case WARD_TOKEN_NUMBER:
	case WARD_TOKEN_BOOLEAN:
	case WARD_TOKEN_OPEN:
		break;
	case WARD_TOKEN_NAME:
		return wrong_word(checker);
	case WARD_TOKEN_END:
	case WARD_TOKEN_EQUALS:
	case WARD_TOKEN_COMMA:
	case WARD_TOKEN_SEMICOLON:
	case WARD_TOKEN_CLOSE:
	default:
		return wrong_token(checker, "a value");
	}
	if (is_list(level)) {
		r = check_element(checker);
		if (r != 0)
			return r;
	}
	if (kind == WARD_TOKEN_OPEN)
		return push(checker);
	r = advance(checker);
	if (r != 0 || kind != WARD_TOKEN_STRING)
		return r;
	return check_strings(checker);
}

/* In a group, or the file itself: NAME = value [;,] */
static int
check_in_group(struct checker *checker)
{
	char wanted[100];
	int r;

	if (checker->token.kind == WARD_TOKEN_CLOSE)
		return pop(checker);
	if (checker->token.kind == WARD_TOKEN_COMMA ||
	    checker->token.kind == WARD_TOKEN_SEMICOLON)
		return wrong(checker, checker->token.line,
		    "%c ends nothing here: remove it", *checker->token.start);
	if (checker->token.kind != WARD_TOKEN_NAME)
		return wrong_token(checker, "the name of a setting");
	r = remember_key(checker);
	if (r != 0)
		return r;
	(void)snprintf(wanted, sizeof(wanted), "the = of %.*s",
	    checker->token.length > 40 ? 40 : (int)checker->token.length,
	    checker->token.start);
	r = advance(checker);
	if (r != 0)
		return r;
	if (checker->token.kind != WARD_TOKEN_EQUALS)
		return wrong_token(checker, wanted);
	r = advance(checker);
	return r != 0 ? r : check_value(checker);
}

static int
check_in_list(struct checker *checker)
{
	const struct level *level = &checker->levels[checker->depth];
	int r;

	if (checker->token.kind == WARD_TOKEN_CLOSE)
		return pop(checker);
	if (level->n_elements == 0)
		return check_value(checker);
	if (checker->token.kind != WARD_TOKEN_COMMA) {
		char wanted[] = "a comma or )";

		wanted[sizeof(wanted) - 2] = closing(level->open);
		return wrong_token(checker, wanted);
	}
	r = advance(checker);
	if (r != 0)
		return r;
	if (checker->token.kind == WARD_TOKEN_CLOSE)
		return wrong(checker, checker->token.line,
		    "no comma before %c: libconfig takes none there",
		    *checker->token.start);
	return check_value(checker);
}

/* Behind a value in a group stands one separator or none. */
static int
check_separator(struct checker *checker)
{
	if (is_list(&checker->levels[checker->depth]))
		return 0;
	if (checker->token.kind != WARD_TOKEN_SEMICOLON &&
	    checker->token.kind != WARD_TOKEN_COMMA)
		return 0;
	return advance(checker);
}

static int
check_grammar(struct checker *checker)
{
	int r = advance(checker);

	while (r == 0) {
		const struct level *level = &checker->levels[checker->depth];
		size_t depth = checker->depth;

		if (checker->token.kind == WARD_TOKEN_END) {
			if (depth == 0)
				return 0;
			return wrong(checker, level->line,
			    "the %c of this line is never closed: end it "
			    "with %c",
			    level->open, closing(level->open));
		}
		r = is_list(level) ? check_in_list(checker)
				   : check_in_group(checker);
		/* a bracket that was just opened has no value before it */
		if (r == 0 && checker->depth <= depth)
			r = check_separator(checker);
	}
	return r;
}

/* Before anything reads words: what no text may hold. */
static int
check_bytes(const char *file, const char *text, size_t size,
    struct ward_diagnostics *findings)
{
	const char *nul = memchr(text, '\0', size);
	const unsigned char *p = (const unsigned char *)text;
	unsigned line = 1;

	if (nul == NULL && strncmp(text, "\xef\xbb\xbf", 3) == 0)
		return ward_diagnostics_add(findings, WARD_ERROR, file, 1,
		    "the file begins with a byte order mark: save it without "
		    "one");
	while (p < (const unsigned char *)text + size) {
		uint32_t c;
		size_t n = ward_text_decode(p, &c);

		if (*p == '\0')
			return ward_diagnostics_add(findings, WARD_ERROR, file,
			    line, "NUL byte: this is no text file");
		if (n == 0)
			return ward_diagnostics_add(findings, WARD_ERROR, file,
			    line,
			    "byte \\x%02x is not UTF-8: save the file "
			    "in UTF-8",
			    *p);
		if (*p == '\n')
			line++;
		p += n;
	}
	return 0;
}

/*
 * The tree and the list of lines have the same order.  A tree as deep as the
 * check allows fits the stack.
 */
static int
correct_lines(config_t *config, const unsigned *lines, size_t n_lines)
{
	struct {
		config_setting_t *setting;
		int next;
	} stack[WARD_TEXT_DEPTH + 1] = { { config_root_setting(config), 0 } };
	size_t depth = 0, used = 0;

	for (;;) {
		config_setting_t *parent = stack[depth].setting;
		config_setting_t *child = NULL;

		if (stack[depth].next < config_setting_length(parent))
			child = config_setting_get_elem(
			    parent, (unsigned)stack[depth].next++);
		if (child == NULL) {
			if (depth == 0)
				break;
			depth--;
		} else if (config_setting_is_aggregate(child)) {
			if (depth == WARD_TEXT_DEPTH)
				return -EINVAL;
			stack[++depth].setting = child;
			stack[depth].next = 0;
		} else if (!config_setting_is_group(parent)) {
			if (used == n_lines)
				return -EINVAL;
			child->line = lines[used++];
		}
	}
	return used == n_lines ? 0 : -EINVAL;
}

static int
read_checked(const char *file, const char *text, const unsigned *lines,
    size_t n_lines, config_t *config, struct ward_diagnostics *findings)
{
	config_init(config);
	if (config_read_string(config, text) != CONFIG_TRUE) {
		int line = config_error_line(config);
		const char *why = config_error_text(config);
		int r = ward_diagnostics_add(findings, WARD_ERROR, file,
		    line < 0 ? 0 : (unsigned)line, "libconfig: %s",
		    why == NULL ? "unreadable" : why);

		config_destroy(config);
		return r;
	}
	if (correct_lines(config, lines, n_lines) != 0) {
		config_destroy(config);
		return ward_diagnostics_add(findings, WARD_ERROR, file, 0,
		    "libconfig read another text than was checked");
	}
	return 0;
}

int
ward_text_read(const char *file, const char *text, size_t size,
    config_t *config, struct ward_diagnostics *findings)
{
	_cleanup_free_ struct checker *checker = NULL;
	_cleanup_free_ unsigned *lines = NULL;
	_cleanup_free_ char *copy = NULL;
	int r;

	if (size > WARD_TEXT_MAX)
		return ward_diagnostics_add(findings, WARD_ERROR, file, 0,
		    "the file is too large: %zu bytes, and %zu are the limit",
		    size, WARD_TEXT_MAX);
	/* libconfig knows a comment of # or // by its newline only */
	copy = malloc(size + 2);
	checker = calloc(1, sizeof(*checker));
	if (copy == NULL || checker == NULL)
		return -ENOMEM;
	memcpy(copy, text, size);
	copy[size] = '\n';
	copy[size + 1] = '\0';
	r = check_bytes(file, copy, size, findings);
	if (r != 0)
		return r;
	checker->scan = (struct ward_scan){
		.file = file,
		.at = copy,
		.line = 1,
		.last_line = 1,
		.findings = findings,
	};
	checker->levels[0].open = '{';
	r = check_grammar(checker);
	lines = checker->lines;
	if (r != 0)
		return r;
	return read_checked(
	    file, copy, lines, checker->n_lines, config, findings);
}

int
ward_text_unknown_key(struct ward_diagnostics *findings, const char *file,
    const config_setting_t *setting, const char *const *keys, size_t n_keys,
    const char *known)
{
	const char *name = config_setting_name(setting);
	const char *near = ward_nearest(name, keys, n_keys);
	unsigned line = config_setting_source_line(setting);

	if (near != NULL)
		return ward_diagnostics_add(findings, WARD_ERROR, file, line,
		    "unknown key %.100s: did you mean %s?", name, near);
	return ward_diagnostics_add(findings, WARD_ERROR, file, line,
	    "unknown key %.100s: %s", name, known);
}
