#include "report/judge.h"

#include "report/judge_parts.h"

#include <math.h>
#include <string.h>

const char *open_reason_name(enum open_reason reason)
{
	static const char *const names[] = {
		[OPEN_NOT] = "",
		[OPEN_NO_STEPS] = "no-steps",
		[OPEN_ONE_STEP] = "one-step",
		[OPEN_NO_DEVICE] = "no-device",
		[OPEN_NO_CASE] = "no-case",
		[OPEN_NO_GEMM] = "no-gemm",
		[OPEN_UNKNOWN] = "unknown",
		[OPEN_MALFORMED] = "malformed",
	};
	return names[reason];
}

static const struct judgement {
	const char *key;
	judge_function *judge;
} judgements[] = {
	{"step", judge_step},
	{"kernels", judge_kernels},
	{"copies", judge_copies},
	{"launches", judge_launches},
	{"regime", judge_regime},
	{"first_step", judge_first_step},
	{"fewer_kernels_than", judge_fewer_kernels},
	{"same_gemm_as", judge_same_gemm},
	{"recompiles", judge_recompiles},
	{"step_time_ratio", judge_step_time},
	{"device_time_ratio", judge_device_time},
	{"same_kernel_every_step", judge_same_kernel},
};

static struct verdict judge_member(struct court *c, const cJSON *member)
{
	struct verdict v = {.key = member->string,
		.expected = judge_nothing,
		.observed = judge_nothing,
		.min = -(double)INFINITY,
		.max = (double)INFINITY,
		.step = NO_ROW,
		.element = NO_ROW};
	for (size_t i = 0; i < sizeof judgements / sizeof *judgements; i++) {
		if (strcmp(judgements[i].key, member->string) != 0)
			continue;
		judgements[i].judge(c, &v, member);
		return v;
	}
	leave_open(&v, OPEN_UNKNOWN);
	return v;
}

struct verdicts judge(struct arena *arena, const cJSON *expect, const struct analysis *analysis,
	const struct analysis *(*find)(void *context, const char *id), void *context)
{
	struct verdicts all = {0};
	struct court c = {arena, analysis, find, context};
	int n = cJSON_IsObject(expect) ? cJSON_GetArraySize(expect) : 0;
	if (!n)
		return all;
	all.verdict = arena_array(arena, (size_t)n, sizeof *all.verdict);
	const cJSON *member;
	cJSON_ArrayForEach(member, expect)
	{
		struct verdict v = judge_member(&c, member);
		all.kept += v.state == VERDICT_KEPT;
		all.broken += v.state == VERDICT_BROKEN;
		all.open += v.state == VERDICT_OPEN;
		all.verdict[all.n++] = v;
	}
	return all;
}
