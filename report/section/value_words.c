/* SPDX-License-Identifier: Apache-2.0 */
#include "report/section/value_words.h"

#include "base/number_format.h"
#include "report/name/shorten.h"

const char *value_in_words(struct arena *a, enum finding_unit unit, double number, const char *text)
{
	switch (unit) {
	case UNIT_SHARE:
		return format_share(a, number);
	case UNIT_RATIO:
		return format_ratio(a, number);
	case UNIT_COUNT:
		return number == (double)(int64_t)number ? format_count(a, (int64_t)number)
							 : arena_printf(a, "%.1f", number);
	case UNIT_NS:
		return format_time(a, number);
	case UNIT_BYTES:
		return format_si(a, number, "B");
	case UNIT_BYTES_PER_S:
		return format_si(a, number, "B/s");
	case UNIT_FLOP:
		return format_si(a, number, "FLOP");
	case UNIT_FLOP_PER_S:
		return format_si(a, number, "FLOP/s");
	default:
		return text ? brief_name(a, without_address(a, text)) : "–";
	}
}
