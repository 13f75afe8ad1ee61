/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memrchr */
#include "report/name/kernel_class.h"

#include "report/name/kernel_rules.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- a name and its parts ---- */

static const char unnamed[] = "(anonymous namespace)";

static bool begins(const char *text, const char *word)
{
	return !strncmp(text, word, strlen(word));
}

/* Where words stand that are not what the kernels in there do. */
static const char *without_known_spaces(const char *own)
{
	static const char *const known[] = {"(anonymous namespace)::", "at::", "native::", "cuda::",
		"at_cuda_detail::", "cub::", "fbgemm_gpu::", "fbgemm::", "flashinfer::", "vllm::",
		"sgl_kernel::", "tensorrt_llm::", "kernels::", "torchvision::", "cudnn::", "ops::",
		"torch::", "transformer_engine::", "fused_attn::"};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (begins(own, known[i])) {
			own += strlen(known[i]);
			i = SIZE_MAX; /* from the first again */
		}
	return own;
}

static struct name_part part_between(const char *from, const char *to)
{
	return (struct name_part){from, (size_t)(to - from)};
}

/* _ZN2ck16tensor_operation4gemmI...: up to where something else than a name with its length stands.
 */
static struct kernel_words words_of_mangled(const char *name)
{
	const char *c = name + 2 + (name[2] == 'N'), *end = name + strlen(name), *own = c;
	while (isdigit((unsigned char)*c)) {
		char *behind;
		unsigned long n = strtoul(c, &behind, 10);
		own = behind;
		c = n > (size_t)(end - behind) ? end : behind + n;
	}
	return (struct kernel_words){
		part_between(own, c), part_between(name, c), part_between(c, end)};
}

/* What of a name is open while its characters are walked over. */
struct open_brackets {
	size_t angle, round;
};

static void bracket(struct open_brackets *o, char c)
{
	if (c == '(')
		o->round++;
	else if (c == ')' && o->round)
		o->round--;
	else if (!o->round && c == '<')
		o->angle++;
	else if (!o->round && c == '>' && o->angle)
		o->angle--;
}

static bool is_function(const char *name)
{
	return begins(name, "void ") || strpbrk(name, "<(");
}

struct kernel_words kernel_words_of(const char *name)
{
	struct open_brackets open = {0};
	const char *whole = name, *own = name, *c = name, *arguments = NULL, *own_end = NULL;
	bool function = is_function(name);
	if (begins(name, "_Z"))
		return words_of_mangled(name);
	for (; *c; bracket(&open, *c++)) {
		if (open.angle || open.round)
			continue;
		if (begins(c, unnamed)) {
			c += strlen(unnamed) - 1;
		} else if (*c == '(') {
			break;
		} else if (*c == '<') {
			arguments = arguments ? arguments : c;
			own_end = own_end ? own_end : c;
		} else if (begins(c, "::")) {
			own = c + 2;
			own_end = NULL;
		} else if (function && *c == ' ' && c[1] != '[') { /* its type is over */
			whole = own = c + 1;
			arguments = own_end = NULL;
		}
	}
	arguments = arguments ? arguments : c;
	whole = without_known_spaces(whole);
	return (struct kernel_words){part_between(own, own_end ? own_end : c),
		part_between(whole, arguments), part_between(arguments, c)};
}

/* ---- a name against a rule ---- */

static bool last_word_is(const char *text, size_t n, const char *word)
{
	size_t length = strlen(word);
	const char *last = text + n - length;
	return n >= length && !memcmp(last, word, length) && (n == length || last[-1] == ' ');
}

/* Is the whole word one that some rule "|x" wants? */
static bool is_ruled_word(const char *word, size_t n)
{
	for (const struct kernel_rule *r = kernel_rules; r->own[0] == '|'; r++)
		if (strlen(r->own) == n + 1 && !strncmp(r->own + 1, word, n))
			return true;
	return false;
}

static bool last_word_is_chain(const char *text, size_t n)
{
	const char *blank = memrchr(text, ' ', n), *word = blank ? blank + 1 : text;
	const char *end = text + n;
	if (!memchr(word, '*', (size_t)(end - word)))
		return false;
	for (;; word++) {
		const char *star = memchr(word, '*', (size_t)(end - word));
		const char *behind = star ? star : end;
		if (!is_ruled_word(word, (size_t)(behind - word)))
			return false;
		word = behind;
		if (word == end)
			return true;
	}
}

static bool begins_with(const struct lettered *l, const char *word)
{
	return l->length >= strlen(word) && begins(l->name, word);
}

static bool parts_words(char before, char behind)
{
	return !isalpha((unsigned char)before) || !isalpha((unsigned char)behind) ||
		(islower((unsigned char)before) && isupper((unsigned char)behind));
}

/* Between digits, underscores and the like, or from one capital to the next. */
static bool has_word(const struct lettered *own, const char *word)
{
	size_t n = strlen(word);
	if (!lettered_may_have(own, word))
		return false;
	for (const char *c = own->name, *end = c + own->length; c + n <= end; c++)
		if (!strncasecmp(c, word, n) && (c == own->name || parts_words(c[-1], *c)) &&
			(c + n == end || parts_words(c[n - 1], c[n])))
			return true;
	return false;
}

static bool own_fits(const char *pattern, const struct lettered *own)
{
	if (!strcmp(pattern, "|*"))
		return last_word_is_chain(own->name, own->length);
	if (pattern[0] == '|')
		return last_word_is(own->name, own->length, pattern + 1);
	if (pattern[0] == '^')
		return begins_with(own, pattern + 1);
	if (pattern[0] == '=')
		return has_word(own, pattern + 1);
	return !pattern[0] || lettered_has(own, pattern);
}

static bool fits(
	const struct kernel_rule *r, const struct lettered *own, const struct lettered *arguments)
{
	return own_fits(r->own, own) && (!r->also || lettered_has(own, r->also)) &&
		(!r->argument || lettered_has(arguments, r->argument));
}

/* The last rule of a table fits every name. */
static const struct kernel_rule *first_of(
	const struct kernel_rule *r, const struct lettered *own, const struct lettered *arguments)
{
	while (!fits(r, own, arguments))
		r++;
	return r;
}

enum event_class class_of_kernel(const char *name)
{
	struct kernel_words w = kernel_words_of(name);
	struct lettered arguments = lettered_of_part(w.arguments.text, w.arguments.length);
	struct lettered own = lettered_of_part(w.own.text, w.own.length);
	struct lettered whole = lettered_of_part(w.whole.text, w.whole.length);
	const struct kernel_rule *r = first_of(kernel_rules, &own, &arguments);
	return r->own[0] ? r->class : first_of(kernel_rules, &whole, &arguments)->class;
}

enum event_class classify_by_operator(const char *name)
{
	struct lettered own = lettered_of(name);
	return first_of(operator_rules, &own, &own)->class;
}
