/* SPDX-License-Identifier: Apache-2.0 */
#ifdef __x86_64__
#pragma GCC target("avx2,bmi,bmi2,pclmul")

#include "report/parse/fast_event.h"

enum parsed event_parse_avx2(struct event_parser *parser, const char *p, const char *end, bool last,
	struct raw_event *raw)
{
	return parse_learned(parser, p, end, last, raw);
}

#endif
