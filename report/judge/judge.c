/* SPDX-License-Identifier: Apache-2.0 */
#include "report/judge/judge.h"

#include "report/judge/parts.h"

#include <math.h>
#include <string.h>

NAMES(verdict_state_name, enum verdict_state, "kept", "broken", "open", "noise");

NAMES(open_reason_name, enum open_reason, OPEN_LIST(KIND_NAME));

static const struct judgement {
	const char *key;
	judge_function *judge;
} judgements[] = {
	{"step", judge_step},
	{"kernels", judge_kernels},
	{"copies", judge_copies},
	{"launches", judge_launches},
	{"syncs", judge_syncs},
	{"queries", judge_queries},
	{"kernel_names", judge_kernel_names},
	{"regime", judge_regime},
	{"first_step", judge_first_step},
	{"setup_share_first_step", judge_setup_share},
	{"first_step_us", judge_first_time},
	{"first_step_ratio", judge_first_ratio},
	{"widest_step", judge_widest},
	{"cpu_step_us", judge_cpu_step},
	{"device_step_us", judge_device_step},
	{"device_busy", judge_device_busy},
	{"fewer_kernels_than", judge_fewer_kernels},
	{"same_gemm_as", judge_same_gemm},
	{"other_gemm_than", judge_other_gemm},
	{"same_kernels_as", judge_same_kernels},
	{"recompiles", judge_recompiles},
	{"step_time_ratio", judge_step_time},
	{"device_time_ratio", judge_device_time},
	{"same_kernel_every_step", judge_same_kernel},
	{"must_fire", judge_must_fire},
	{"must_not_fire", judge_must_not_fire},
};

/* What differs from the list is no news where that was predicted. */
static void forget_place(struct verdict *v)
{
	v->step = v->element = v->at = NO_ROW;
	v->wanted = v->saw = NULL;
}

static struct verdict judge_member(struct judging *c, const cJSON *member)
{
	struct verdict v = {.key = member->string,
		.sentence = NO_SENTENCE,
		.expected = judge_nothing,
		.observed = judge_nothing,
		.min = -(double)INFINITY,
		.max = (double)INFINITY,
		.step = NO_ROW,
		.element = NO_ROW,
		.at = NO_ROW};
	for (size_t i = 0; i < sizeof judgements / sizeof *judgements; i++) {
		if (strcmp(judgements[i].key, member->string) != 0)
			continue;
		if (c->seen->analysis->trace->ends_early) {
			leave_open(&v, OPEN_CUT);
			return v;
		}
		judgements[i].judge(c, &v, member);
		if (v.state == VERDICT_BROKEN)
			v.at = v.at == NO_ROW && v.n_evidence ? v.evidence[0] : v.at;
		else
			forget_place(&v);
		return v;
	}
	leave_open(&v, OPEN_UNKNOWN);
	return v;
}

struct verdicts judge(struct arena *arena, const cJSON *expect, const struct judged *seen,
	const struct judge_sources *sources)
{
	struct verdicts all = {0};
	int n = cJSON_IsObject(expect) ? cJSON_GetArraySize(expect) : 0;
	if (!n)
		return all;
	struct judging c = {arena, seen->analysis, view_of(arena, seen), sources, seen};
	all.verdict = arena_array(arena, (size_t)n, sizeof *all.verdict);
	const cJSON *member;
	cJSON_ArrayForEach(member, expect)
	{
		struct verdict v = judge_member(&c, member);
		all.kept += v.state == VERDICT_KEPT;
		all.broken += v.state == VERDICT_BROKEN;
		all.open += v.state == VERDICT_OPEN;
		all.noise += v.state == VERDICT_NOISE;
		all.verdict[all.n++] = v;
	}
	return all;
}
