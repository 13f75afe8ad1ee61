/* SPDX-License-Identifier: Apache-2.0 */
/* Names of attention in one kernel, by whose it is. A tile is of queries by keys. */
#include "report/name/kernel_name_rules.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *pass_of(bool forward)
{
	return forward ? "attention" : "attention backward";
}

/* "fmha_cutlassF_bf16_aligned_64x128_rf_sm80(...": F forward, B backward; rf: the sums stay in
 * registers, gmem: they go through memory; k64: heads of at most that width. */
void decode_fmha(struct kernel_name *k, const char *at)
{
	static const char *const marks[] = {"aligned", "notaligned", "rf", "gmem", "dropout", NULL};
	struct word number[3], w;
	at += strlen("fmha_cutlass");
	if ((*at != 'F' && *at != 'B') || at[1] != '_')
		return;
	kernel_name_text(k, PART_OPERATION, pass_of(*at == 'F'));
	at += 2;
	while ((w = word_next(&at)).n) {
		if (word_is(w, "bf16") || word_is(w, "f16") || word_is(w, "f32"))
			kernel_name_add(k, PART_INPUT, w.text, w.n);
		else if (word_numbers(w, 0, number) == 2)
			kernel_name_add(k, PART_TILE, w.text, w.n);
		else if (word_starts(w, "sm"))
			kernel_name_add(k, PART_ARCHITECTURE, w.text, w.n);
		else if (word_starts(w, "k") && word_numbers(w, 1, number) == 1)
			kernel_name_add(k, PART_HEAD, w.text + 1, w.n - 1);
		else
			kernel_name_add(
				k, word_among(w, marks) ? PART_FLAG : PART_UNKNOWN, w.text, w.n);
	}
}

/* "flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, false, false,
 * cutlass::bfloat16_t, ...": width of a head, tile, warps. */
void decode_flash(struct kernel_name *k, const char *at)
{
	const char *traits = strstr(at, "kernel_traits<");
	int head, queries, keys, warps;
	char tile[KERNEL_VALUE_ROOM];
	kernel_name_text(k, PART_OPERATION, pass_of(!strncmp(at, "flash_fwd", 9)));
	if (!traits ||
		sscanf(traits, "kernel_traits<%d, %d, %d, %d", &head, &queries, &keys, &warps) != 4)
		return;
	if (strstr(traits, "bfloat16_t"))
		kernel_name_text(k, PART_INPUT, "bf16");
	else if (strstr(traits, "half_t"))
		kernel_name_text(k, PART_INPUT, "f16");
	snprintf(tile, sizeof tile, "%dx%d", queries, keys);
	kernel_name_text(k, PART_TILE, tile);
	snprintf(tile, sizeof tile, "%d", warps);
	kernel_name_text(k, PART_WARPS, tile);
	snprintf(tile, sizeof tile, "%d", head);
	kernel_name_text(k, PART_HEAD, tile);
}

/* A tile of three numbers has the width of a head for its last. */
static void cudnn_sizes(struct kernel_name *k, struct word w, const struct word number[3])
{
	if (kernel_name_part(k, PART_TILE)) {
		kernel_name_add(k, PART_WARPS, w.text, w.n);
		return;
	}
	kernel_name_add(k, PART_TILE, w.text, (size_t)(number[2].text - 1 - w.text));
	kernel_name_add(k, PART_HEAD, number[2].text, number[2].n);
}

/* "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x64_4x1x1_cga1x1x1_...":
 * fprop forward, bprop backward; f16 stands for bf16, too. */
void decode_cudnn(struct kernel_name *k, const char *at)
{
	struct word number[3], w;
	at += strlen("cudnn_generated_fort_native_sdpa_");
	while ((w = word_next(&at)).n) {
		if (word_is(w, "fprop") || word_is(w, "bprop"))
			kernel_name_text(k, PART_OPERATION, pass_of(*w.text == 'f'));
		else if (word_starts(w, "sm") && isdigit((unsigned char)w.text[2]))
			kernel_name_add(k, PART_ARCHITECTURE, w.text, w.n);
		else if (word_is(w, "wgmma") || word_is(w, "wmma"))
			kernel_name_add(k, PART_INSTRUCTION, w.text, w.n);
		else if (word_starts(w, "cga") && word_numbers(w, 3, number) == 3)
			kernel_name_add(k, PART_CLUSTER, w.text + 3, w.n - 3);
		else if (word_numbers(w, 0, number) == 3)
			cudnn_sizes(k, w, number);
	}
}
