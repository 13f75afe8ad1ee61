/* SPDX-License-Identifier: Apache-2.0 */
/* The grammars of libraries' matrix products. */
#include "report/name/kernel_name_rules.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void add_word(struct kernel_name *k, enum kernel_part part, struct word w)
{
	kernel_name_add(k, part, w.text, w.n);
}

/* Two or three numbers that word_numbers() took apart, as they stand in the name: joined by x. */
static void add_product(
	struct kernel_name *k, enum kernel_part part, const struct word *n, int count)
{
	kernel_name_add(
		k, part, n[0].text, (size_t)(n[count - 1].text - n[0].text) + n[count - 1].n);
}

/* ---- types ---- */

static const char *const types[] = {"bf16", "f16", "fp16", "tf32", "f32", "f64", "e4m3", "e5m2",
	"int8", "int32", "s8", "i8", "i32", "cf16", "cbf16", "cf32", "cf64", "ci8", "bool", NULL};

static bool is_type(struct word w)
{
	return word_among(w, types);
}

/* The type that a text starts with; longer names first where one begins another. */
static struct word leading_type(struct word w)
{
	struct word best = {w.text, 0};
	for (const char *const *type = types; *type; type++)
		if (strlen(*type) > best.n && word_starts(w, *type))
			best.n = strlen(*type);
	return best;
}

/* "e5m2e4m3f32" -> e5m2, e4m3, f32; 0 when a part is no type or there are more than `room`. */
static int split_types(struct word w, struct word *type, int room)
{
	int n = 0;
	while (w.n) {
		if (n == room)
			return 0;
		type[n] = leading_type(w);
		if (!type[n].n)
			return 0;
		w.text += type[n].n;
		w.n -= type[n].n;
		n++;
	}
	return n;
}

static void add_types(
	struct kernel_name *k, enum kernel_part part, struct word first, struct word second)
{
	char text[KERNEL_VALUE_ROOM];
	snprintf(text, sizeof text, "%.*s %.*s", (int)first.n, first.text, (int)second.n,
		second.text);
	kernel_name_text(k, part, text);
}

/* ---- words that several grammars know ---- */

static const char *const epilogues[] = {"bias", "relu", "gelu", "drelu", "dgelu", "bgrada",
	"bgradb", "relubias", "gelubias", "reluaux", "geluaux", "reluauxbias", "geluauxbias",
	"auxh", "auxt", NULL};

static bool is_layout(struct word w)
{
	return w.n == 2 && strchr("ntch", w.text[0]) && strchr("ntch", w.text[1]);
}

/* "16816" is a tensor core's m n k without the x between; there are few such shapes. */
static void add_instruction(struct kernel_name *k, struct word digits)
{
	static const char *const shapes[][2] = {{"16816", "16x8x16"}, {"1688", "16x8x8"},
		{"16832", "16x8x32"}, {"16864", "16x8x64"}, {"168128", "16x8x128"},
		{"168256", "16x8x256"}, {"1684", "16x8x4"}, {"8816", "8x8x16"}, {"8832", "8x8x32"},
		{"88128", "8x8x128"}, {"884", "8x8x4"}, {"161616", "16x16x16"},
		{"16168", "16x16x8"}, {"32816", "32x8x16"}, {"83216", "8x32x16"}};
	for (size_t i = 0; digits.n && i < sizeof shapes / sizeof *shapes; i++)
		if (word_is(digits, shapes[i][0])) {
			kernel_name_text(k, PART_INSTRUCTION, shapes[i][1]);
			return;
		}
	if (digits.n)
		add_word(k, PART_UNKNOWN, digits);
	else
		kernel_name_text(k, PART_INSTRUCTION, "ffma");
}

/* A word with a number behind a fixed start: "stage3", "ldg8". */
static bool numbered(struct kernel_name *k, struct word w, const char *start, enum kernel_part part)
{
	struct word n[3];
	if (!word_starts(w, start))
		return false;
	int count = word_numbers(w, strlen(start), n);
	if (!count)
		return false;
	add_product(k, part, n, count);
	return true;
}

/* ---- nvjet ---- */

/* One letter a type: operands, arithmetic, result. Five letters: a, b, c, arithmetic, d. */
static const char *type_of_letter(char letter)
{
	static const struct {
		char letter;
		const char *type;
	} letters[] = {{'t', "bf16"}, {'h', "f16"}, {'s', "f32"}, {'q', "e4m3"}, {'r', "e5m2"},
		{'o', "e2m1"}, {'b', "int8"}, {'i', "int32"}};
	for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
		if (letters[i].letter == letter)
			return letters[i].type;
	return NULL;
}

static bool nvjet_types(struct kernel_name *k, struct word w)
{
	const char *type[5];
	if (w.n != 3 && w.n != 5)
		return false;
	for (size_t i = 0; i < w.n; i++) {
		type[i] = type_of_letter(w.text[i]);
		if (!type[i])
			return false;
	}
	if (w.n == 3) {
		kernel_name_text(k, PART_INPUT, type[0]);
		kernel_name_text(k, PART_ACCUMULATE, type[1]);
		kernel_name_text(k, PART_OUTPUT, type[2]);
		return true;
	}
	char both[KERNEL_VALUE_ROOM];
	snprintf(both, sizeof both, "%s%s%s", type[0], strcmp(type[0], type[1]) ? " " : "",
		strcmp(type[0], type[1]) ? type[1] : "");
	kernel_name_text(k, PART_INPUT, both);
	kernel_name_text(k, PART_ACCUMULATE, type[3]);
	kernel_name_text(k, PART_OUTPUT, type[4]);
	return true;
}

/* "TNT": the operands' layouts, and a third letter whose meaning is not published. */
static bool nvjet_layout(struct kernel_name *k, struct word w)
{
	char operands[3];
	if (w.n < 3 || w.n > 4)
		return false;
	for (size_t i = 0; i < w.n; i++)
		if (w.text[i] != 'T' && w.text[i] != 'N')
			return false;
	operands[0] = (char)tolower((unsigned char)w.text[0]);
	operands[1] = (char)tolower((unsigned char)w.text[1]);
	operands[2] = '\0';
	kernel_name_text(k, PART_LAYOUT, operands);
	kernel_name_add(k, PART_UNKNOWN, w.text + 2, w.n - 2);
	return true;
}

/* Tile, k-step x stages, cluster: told apart by their order. Blackwell's consumer chips put the
 * k-step into the tile, the stages alone, and a warp's tile behind. */
static bool nvjet_numbers(struct kernel_name *k, struct word w, int *order)
{
	struct word n[3];
	int count = word_numbers(w, 0, n);
	if (!count)
		return false;
	if (*order == 0 && count > 1) {
		add_product(k, PART_TILE, n, 2);
		if (count == 3)
			add_word(k, PART_K_STEP, n[2]);
	} else if (*order == 1 && count == 2) {
		add_word(k, PART_K_STEP, n[0]);
		add_word(k, PART_STAGES, n[1]);
	} else if (*order == 1 && count == 1) {
		add_word(k, PART_STAGES, n[0]);
	} else if (*order == 2 && count == 2) {
		add_product(k, PART_CLUSTER, n, 2);
	} else {
		add_word(k, PART_UNKNOWN, w);
	}
	(*order)++;
	return true;
}

static void nvjet_word(struct kernel_name *k, struct word w, int *order)
{
	static const char *const flags[] = {
		"coopA", "coopB", "2cta", "ptrBatch", "Avec128", "Bvec128", "mma", NULL};
	if (nvjet_numbers(k, w, order) || nvjet_layout(k, w))
		return;
	if (word_is(w, "h") || word_is(w, "v"))
		add_word(k, PART_RASTER, w);
	else if (word_is(w, "splitK"))
		kernel_name_text(k, PART_SPLIT_K, "split");
	else if (word_among(w, epilogues))
		add_word(k, PART_EPILOGUE, w);
	else if (word_is(w, "bz") || word_is(w, "badd") || word_is(w, "bx"))
		add_word(k, PART_ADDEND, w);
	else if (word_is(w, "tf32"))
		add_word(k, PART_MULTIPLY, w);
	else
		add_word(k, word_among(w, flags) ? PART_FLAG : PART_UNKNOWN, w);
}

void decode_nvjet(struct kernel_name *k, const char *at)
{
	int order = 0;
	at += strlen("nvjet_");
	kernel_name_text(k, PART_OPERATION, "gemm");
	const char *before = at;
	struct word w = word_next(&at);
	if (word_starts(w, "sm"))
		add_word(k, PART_ARCHITECTURE, w);
	else
		at = before;
	w = word_next(&at);
	if (!nvjet_types(k, w))
		add_word(k, PART_UNKNOWN, w);
	while ((w = word_next(&at)).n)
		nvjet_word(k, w, &order);
}

/* ---- xmma ---- */

static void xmma_types(struct kernel_name *k, struct word operands, struct word math)
{
	struct word type[3], m[3];
	int n = split_types(operands, type, 3), n_math = split_types(math, m, 3);
	if (n < 2 || n_math < 2) {
		add_word(k, PART_UNKNOWN, operands);
		add_word(k, PART_UNKNOWN, math);
		return;
	}
	if (n == 3)
		add_types(k, PART_INPUT, type[0], type[1]);
	else
		add_word(k, PART_INPUT, type[0]);
	bool same = m[0].n == type[0].n && !strncmp(m[0].text, type[0].text, m[0].n);
	if (!same)
		add_word(k, PART_MULTIPLY, m[0]);
	add_word(k, PART_ACCUMULATE, m[n_math - 1]);
	add_word(k, PART_OUTPUT, type[n - 1]);
}

/* "execute_split_k", "execute_segment_k_off": the word after "execute" and what follows it. */
static void xmma_execution(struct kernel_name *k, const char **at)
{
	const char *before = *at;
	struct word how = word_next(at);
	if (!word_is(how, "split") && !word_is(how, "segment") && !word_is(how, "stream")) {
		*at = before;
		return;
	}
	word_next(at); /* k */
	before = *at;
	struct word state = word_next(at);
	if (!word_is(state, "on") && !word_is(state, "off"))
		*at = before;
	if (!word_is(state, "off"))
		add_word(k, PART_SPLIT_K, how);
}

/* "bias_f32", "aux_bool": the word and its type. */
static void xmma_epilogue(struct kernel_name *k, struct word w, const char **at)
{
	const char *before = *at;
	struct word type = word_next(at);
	if ((word_is(w, "aux") || word_is(w, "bias")) && is_type(type)) {
		add_types(k, PART_EPILOGUE, w, type);
		return;
	}
	*at = before;
	add_word(k, PART_EPILOGUE, w);
}

static bool xmma_tile(struct kernel_name *k, struct word w)
{
	struct word n[3];
	if (!word_starts(w, "tilesize") || word_numbers(w, strlen("tilesize"), n) != 3)
		return false;
	add_product(k, PART_TILE, n, 2);
	add_word(k, PART_K_STEP, n[2]);
	return true;
}

static void xmma_word(struct kernel_name *k, struct word w, const char **at)
{
	static const char *const cores[] = {"ffma", "dfma", "hfma", NULL};
	/* how the library was built */
	static const char *const build[] = {"kernel", "5x", "cublas", NULL};
	if (xmma_tile(k, w) || numbered(k, w, "cgasize", PART_CLUSTER) ||
		numbered(k, w, "stage", PART_STAGES) ||
		numbered(k, w, "warpgroupsize", PART_WARPGROUPS) ||
		numbered(k, w, "warpsize", PART_WARPS) ||
		numbered(k, w, "tensor", PART_INSTRUCTION) || word_among(w, build))
		return;
	if (word_is(w, "execute"))
		xmma_execution(k, at);
	else if (word_among(w, cores))
		add_word(k, PART_INSTRUCTION, w);
	else if (word_starts(w, "aligna") || word_starts(w, "alignc"))
		kernel_name_add(k, PART_ALIGNMENT, w.text + 5, w.n - 5);
	else if (word_is(w, "aux") || word_among(w, epilogues))
		xmma_epilogue(k, w, at);
	else if (word_is(w, "gaussian"))
		add_word(k, PART_FLAG, w);
	else
		add_word(k, PART_UNKNOWN, w);
}

static bool word_follows(const char *at)
{
	return isalnum((unsigned char)*at) || *at == '_';
}

void decode_xmma(struct kernel_name *k, const char *at)
{
	add_word(k, PART_ARCHITECTURE, word_next(&at));
	word_next(&at); /* xmma */
	struct word operation = word_next(&at), w = word_next(&at);
	add_word(k, PART_OPERATION, operation);
	if (word_is(w, "gaussian")) {
		add_word(k, PART_FLAG, w);
		w = word_next(&at);
	}
	if (word_is(operation, "gemm")) {
		struct word math = word_next(&at);
		xmma_types(k, w, math);
		w = word_next(&at);
		add_word(k, is_type(w) ? PART_SCALE : PART_UNKNOWN, w);
		w = word_next(&at);
		add_word(k, is_layout(w) ? PART_LAYOUT : PART_UNKNOWN, w);
		word_next(&at); /* the result's layout: always in columns */
	} else {
		xmma_word(k, w, &at);
	}
	/* "kernel__5x": an empty word between two underscores */
	while (word_follows(at)) {
		w = word_next(&at);
		if (w.n)
			xmma_word(k, w, &at);
	}
}

/* ---- ampere_... and its elders, cutlass ---- */

/* "s16816gemm", "sgemm", "s1688tf32gemm", "gcgemm": how it sums, with what instruction. */
static bool gemm_word(struct kernel_name *k, struct word w)
{
	static const struct {
		const char *letter, *type;
	} sums[] = {{"s", "f32"}, {"h", "f16"}, {"i", "int32"}, {"d", "f64"}, {"c", "cf32"},
		{"z", "cf64"}, {"gc", "cf32"}, {"gz", "cf64"}};
	if (w.n < 5 || strncmp(w.text + w.n - 4, "gemm", 4))
		return false;
	size_t letters = 0;
	while (letters < w.n - 4 && isalpha((unsigned char)w.text[letters]))
		letters++;
	struct word letter = {w.text, letters}, digits = {w.text + letters, 0};
	while (isdigit((unsigned char)digits.text[digits.n]))
		digits.n++;
	struct word type = {digits.text + digits.n, w.n - 4 - letters - digits.n};
	kernel_name_text(k, PART_OPERATION, "gemm");
	for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
		if (word_is(letter, sums[i].letter))
			kernel_name_text(k, PART_ACCUMULATE, sums[i].type);
	if (type.n)
		add_word(k, is_type(type) ? PART_MULTIPLY : PART_UNKNOWN, type);
	add_instruction(k, digits);
	return true;
}

static bool pair(
	struct kernel_name *k, struct word w, enum kernel_part first, enum kernel_part second)
{
	struct word n[3];
	if (word_numbers(w, 0, n) != 2)
		return false;
	if (first == second) {
		add_product(k, first, n, 2);
	} else {
		add_word(k, first, n[0]);
		add_word(k, second, n[1]);
	}
	return true;
}

/* What stands between the chip and the tile is the same for both families: result type, gemm word,
 * marks, operand type. */
static void gemm_head_word(struct kernel_name *k, struct word w)
{
	static const char *const marks[] = {"wmma", "simt", "planar", "complex", NULL};
	if (is_type(w))
		add_word(k, kernel_name_part(k, PART_OPERATION) ? PART_INPUT : PART_OUTPUT, w);
	else if (gemm_word(k, w))
		return;
	else if (word_among(w, epilogues))
		add_word(k, PART_EPILOGUE, w);
	else if (word_among(w, marks))
		add_word(k, PART_FLAG, w);
	else if (!word_is(w, "tensorop"))
		add_word(k, PART_UNKNOWN, w);
}

static void cublas_word(struct kernel_name *k, struct word w, const char **at)
{
	if (word_is(w, "stages")) {
		struct word slab = word_next(at);
		if (!pair(k, slab, PART_K_STEP, PART_STAGES))
			add_word(k, PART_UNKNOWN, slab);
	} else if (word_starts(w, "sliced") && w.n > 8) {
		/* sliced1x2: the warps of a block share k */
		kernel_name_add(k, PART_SPLIT_K, w.text + 8, w.n - 8);
	} else if (word_is(w, "f2f") || word_is(w, "upper") || word_is(w, "lower")) {
		add_word(k, PART_FLAG, w);
	} else if (is_layout(w)) {
		add_word(k, PART_LAYOUT, w);
	} else if (!numbered(k, w, "ldg", PART_VECTOR) && !pair(k, w, PART_TILE, PART_TILE)) {
		gemm_head_word(k, w);
	}
}

void decode_cublas(struct kernel_name *k, const char *at)
{
	struct word w = word_next(&at);
	add_word(k, PART_ARCHITECTURE, w);
	while ((w = word_next(&at)).n)
		cublas_word(k, w, &at);
}

static void cutlass_word(struct kernel_name *k, struct word w)
{
	bool tile = kernel_name_part(k, PART_TILE) != NULL;
	if (is_layout(w))
		add_word(k, PART_LAYOUT, w);
	else if (numbered(k, w, "align", PART_ALIGNMENT))
		return;
	else if (!pair(k, w, tile ? PART_K_STEP : PART_TILE, tile ? PART_STAGES : PART_TILE))
		gemm_head_word(k, w);
}

void decode_cutlass(struct kernel_name *k, const char *at)
{
	at += strlen("cutlass_");
	struct word w = word_next(&at);
	char chip[KERNEL_VALUE_ROOM];
	snprintf(chip, sizeof chip, "sm%.*s", (int)w.n, w.text);
	kernel_name_text(k, PART_ARCHITECTURE, chip);
	while ((w = word_next(&at)).n)
		cutlass_word(k, w);
}
