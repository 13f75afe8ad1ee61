/* SPDX-License-Identifier: Apache-2.0 */
/* Which conversions of a type are needed, and what goes with the others. */
#include "tests/unit/advising.h"

#define CASTS \
	"void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda>(int)"
#define SOFTMAX "void at::native::cunn_SoftMaxForward<4, float, float, float>(int)"

/* A conversion that takes the device 300 us of 1000 us, and a product of 600 us. */
struct cast {
	const char *by; /* the operator around it, NULL */
	const char *again; /* what that calls behind it */
	const char *node; /* in a backward pass behind all, NULL: there is none */
	const char *next; /* the kernel of 100 us behind the conversion */
};

static const struct finding *converted(struct world *w, const struct cast *of)
{
	if (of->by)
		made_add(&w->made, EVENT_OP, of->by, 0, 60, 0);
	made_add(&w->made, EVENT_OP, "aten::to", 1, 24, 0);
	made_add(&w->made, EVENT_OP, "aten::_to_copy", 2, 23, 0);
	operate(w, "aten::copy_", CASTS, 10, 30, 330);
	made_add(&w->made, EVENT_OP, of->again, 25, 59, 0);
	operate(w, "aten::_softmax", of->next, 30, 331, 431);
	operate(w, "aten::mm", HOPPER, 45, 432, 1030);
	if (of->node)
		made_add(&w->made, EVENT_OP, of->node, 80, 90, 0);
	seal(w);
	struct advice x = advise(w);
	const struct finding *told = find(&x, "rewrites");
	if (told)
		assert_string_equal(told->variant, "type");
	return told;
}

#define NODE "autograd::engine::evaluate_function: AddmmBackward0"

/* Weights change from step to step, and are converted in each. */
static void autocast_of_what_trains_is_needed(void **state)
{
	TEST_WORLD(w);
	assert_null(converted(&w, &(struct cast){"aten::linear", "aten::linear", NODE, POINTWISE}));
}

static void autocast_of_what_trains_nothing_is_not(void **state)
{
	TEST_WORLD(w);
	assert_non_null(
		converted(&w, &(struct cast){"aten::linear", "aten::linear", NULL, POINTWISE}));
}

/* An operator that calls another one has not been given another type by autocast. */
static void a_conversion_of_the_program_is_not(void **state)
{
	TEST_WORLD(w);
	assert_non_null(
		converted(&w, &(struct cast){"aten::linear", "aten::addmm", NODE, POINTWISE}));
}

/* 300 us, and half of the 100 us of a softmax beside it. */
static void a_softmax_needs_no_wide_numbers(void **state)
{
	(void)state;
	static const struct {
		const char *kernel;
		int64_t saved_us;
	} next[] = {{POINTWISE, 300}, {SOFTMAX, 350}};
	for (int i = 0; i < 2; i++) {
		struct world w = {0};
		const struct finding *told =
			converted(&w, &(struct cast){NULL, "aten::softmax", NODE, next[i].kernel});
		assert_non_null(told);
		assert_in_range(
			told->give_back_ns / 1000, next[i].saved_us - 5, next[i].saved_us + 5);
		world_release(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(autocast_of_what_trains_is_needed),
		cmocka_unit_test(autocast_of_what_trains_nothing_is_not),
		cmocka_unit_test(a_conversion_of_the_program_is_not),
		cmocka_unit_test(a_softmax_needs_no_wide_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
