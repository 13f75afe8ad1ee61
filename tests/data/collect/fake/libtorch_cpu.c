/* SPDX-License-Identifier: Apache-2.0 */
/* As much of PyTorch's library as a recorder meets: a level of its log, and callbacks of operators.
 */
#include <stdint.h>
#include <stdio.h>

int _ZN9libkineto6Logger14severityLevel_E = 4;

struct callback {
	void *(*start)(void **context, const void *function);
	void (*end)(const void *function, void *context);
	double share;
	unsigned char kinds[7], wants[3];
};
static struct callback in_place;

uint64_t _ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE(struct callback c)
{
	in_place = c;
	return 7;
}

void _ZN2at14removeCallbackEm(uint64_t handle)
{
	if (handle == 7)
		in_place = (struct callback){0};
}

/* The ranges of autograd beside them are no operators. */
void run(int operators)
{
	struct callback c = in_place;
	for (int kind = 0; kind < 2; kind++)
		for (int i = 0; i < operators; i++)
			if (c.kinds[kind] && c.share == 1 && !c.start && c.end)
				c.end(&c, NULL);
}

/* Is anybody still called? */
int called(void)
{
	return in_place.end != NULL;
}
