/* SPDX-License-Identifier: Apache-2.0 */
#include "report/name/kernel_name_rules.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

NAMES(kernel_family_key, enum kernel_family, FAMILY_LIST(KIND_NAME));

NAMES(kernel_part_key, enum kernel_part, PART_LIST(KIND_NAME));

/* ---- rows and words ---- */

void kernel_name_add(struct kernel_name *k, enum kernel_part part, const char *value, size_t length)
{
	if (k->n == KERNEL_NAME_ROOM || !length)
		return;
	k->row[k->n].part = part;
	snprintf(k->row[k->n++].value, KERNEL_VALUE_ROOM, "%.*s", (int)length, value);
}

void kernel_name_text(struct kernel_name *k, enum kernel_part part, const char *value)
{
	kernel_name_add(k, part, value, strlen(value));
}

const char *kernel_name_part(const struct kernel_name *k, enum kernel_part part)
{
	for (int i = 0; i < k->n; i++)
		if (k->row[i].part == part)
			return k->row[i].value;
	return NULL;
}

struct word word_next(const char **at)
{
	struct word w = {*at, 0};
	while (isalnum((unsigned char)w.text[w.n]))
		w.n++;
	*at = w.text + w.n + (w.text[w.n] == '_');
	return w;
}

bool word_is(struct word w, const char *text)
{
	return w.n == strlen(text) && !strncmp(w.text, text, w.n);
}

bool word_starts(struct word w, const char *prefix)
{
	size_t n = strlen(prefix);
	return w.n >= n && !strncmp(w.text, prefix, n);
}

bool word_among(struct word w, const char *const *list)
{
	for (; *list; list++)
		if (word_is(w, *list))
			return true;
	return false;
}

int word_numbers(struct word w, size_t skip, struct word number[3])
{
	int n = 0;
	size_t at = skip;
	while (n < 3 && at < w.n && isdigit((unsigned char)w.text[at])) {
		number[n].text = w.text + at;
		number[n].n = 0;
		while (at < w.n && isdigit((unsigned char)w.text[at])) {
			number[n].n++;
			at++;
		}
		n++;
		if (at == w.n)
			return n;
		if (w.text[at++] != 'x')
			return 0;
	}
	return 0;
}

/* ---- which family ---- */

/* Where a family's grammar begins: the first place in the name where `start` stands. */
static const struct family_rule {
	const char *start;
	enum kernel_family family;
	void (*decode)(struct kernel_name *k, const char *at);
} rules[] = {
	{"fmha_cutlass", FAMILY_FMHA, decode_fmha},
	{"flash_fwd_kernel<", FAMILY_FLASH, decode_flash},
	{"flash_bwd_", FAMILY_FLASH, decode_flash},
	{"cudnn_generated_fort_native_sdpa_", FAMILY_CUDNN, decode_cudnn},
	{"nvjet_", FAMILY_NVJET, decode_nvjet},
	{"splitKreduce_kernel", FAMILY_SPLITK, decode_splitk},
	{"cutlass_", FAMILY_CUTLASS, decode_cutlass},
	{"tracebook_", FAMILY_TRACEBOOK, decode_tracebook},
	{"triton_", FAMILY_TRITON, decode_triton},
	{"at::native::", FAMILY_ATEN, decode_aten},
	{"gemvNSP_kernel", FAMILY_VECTOR, decode_vector},
	{"gemv2T_kernel", FAMILY_VECTOR, decode_vector},
	{"gemv2N_kernel", FAMILY_VECTOR, decode_vector},
	{"gemvx::kernel", FAMILY_VECTOR, decode_vector},
	{"gemmSN_", FAMILY_VECTOR, decode_vector},
	{"gemmk1_kernel", FAMILY_VECTOR, decode_vector},
	{"dot_kernel", FAMILY_VECTOR, decode_vector},
	{"reduce_1Block_kernel", FAMILY_VECTOR, decode_vector},
};

/* "ampere_..." and "sm90_xmma_..." stand at the beginning of a name only. */
static const char *const chips[] = {"ampere_", "turing_", "volta_", "maxwell_", NULL};

static bool is_xmma(const char *name)
{
	size_t digits = !strncmp(name, "sm", 2) ? strspn(name + 2, "0123456789") : 0;
	return digits && !strncmp(name + 2 + digits, "_xmma_", 6);
}

static bool is_cublas(const char *name)
{
	for (const char *const *chip = chips; *chip; chip++)
		if (!strncmp(name, *chip, strlen(*chip)))
			return true;
	return false;
}

static const char *without_void(const char *name)
{
	return strncmp(name, "void ", 5) ? name : name + 5;
}

bool kernel_name_decode(struct kernel_name *k, const char *name)
{
	k->family = FAMILY_NONE;
	k->n = 0;
	name = without_void(name);
	if (is_xmma(name)) {
		k->family = FAMILY_XMMA;
		decode_xmma(k, name);
		return true;
	}
	if (is_cublas(name)) {
		k->family = FAMILY_CUBLAS;
		decode_cublas(k, name);
		return true;
	}
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		const char *at = strstr(name, rules[i].start);
		if (!at)
			continue;
		k->family = rules[i].family;
		rules[i].decode(k, at);
		return true;
	}
	return false;
}

bool kernel_name_is_gemm(const struct kernel_name *k)
{
	const char *operation = kernel_name_part(k, PART_OPERATION);
	return operation && !strcmp(operation, "gemm");
}
