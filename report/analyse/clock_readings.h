/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock_readings.h - clock rates, temperature, power and what held the clocks back, as counters of
 * a trace.
 *
 * The cuda device writes them under the names of experiments/cuda/clocks.h; a trace of anybody's
 * has none.
 */
#ifndef REPORT_ANALYSE_CLOCK_READINGS_H
#define REPORT_ANALYSE_CLOCK_READINGS_H

#include "base/enum_names.h"
#include "report/analyse/analysis.h"

#define CLOCK_LIST(X) \
	X(CLOCK_SM, "SM clock (MHz)") \
	X(CLOCK_MEMORY, "memory clock (MHz)") \
	X(CLOCK_CELSIUS, "temperature (C)") \
	X(CLOCK_POWER, "power (mW)") \
	X(CLOCK_HELD, "throttle reasons") /* bits of nvmlClocksEventReasons */
enum clock_series { CLOCK_LIST(KIND_MEMBER) CLOCK_SERIES };
const char *clock_series_name(enum clock_series series); /* that of its counter */

struct clock_readings {
	int n[CLOCK_SERIES];
	double low[CLOCK_SERIES], high[CLOCK_SERIES];
	uint32_t held; /* all bits seen */
	uint32_t steps; /* in which a reading fell */
};

bool clocks_any(const struct trace *t);
struct clock_readings clock_readings_of(const struct analysis *a);

#endif
