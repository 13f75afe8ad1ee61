/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number_format.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Decimals that leave three significant digits. */
static int decimals_for(double value)
{
	double v = fabs(value);
	return v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2;
}

/* A number with its thousands apart, a true minus, and none before a zero; then words. */
static const char *grouped(struct arena *a, const char *digits, const char *behind)
{
	static const char thin[] = "\xe2\x80\x89", minus[] = "−";
	bool negative = digits[0] == '-';
	digits += negative;
	size_t n = strlen(digits), whole = strcspn(digits, ".");
	char *text = arena_alloc(a, n * 4 + sizeof minus + strlen(behind)), *to = text;
	if (negative && digits[strspn(digits, "0.")])
		to = stpcpy(to, minus);
	for (size_t i = 0; i < n; i++) {
		if (i && i < whole && whole > 4 && (whole - i) % 3 == 0)
			to = stpcpy(to, thin);
		*to++ = digits[i];
	}
	stpcpy(to, behind);
	return text;
}

/* As printf() with "%.*f", in a tenth of the time; false, and nothing written, where what it would
 * do hangs on more digits than a product has, or there are many. */
static bool put_digits(char *to, double value, int decimals)
{
	static const double powers[] = {1, 10, 100, 1000}, MOST = 1e9, NEAR = 1e-6;
	if (decimals >= (int)(sizeof powers / sizeof *powers) ||
		!(fabs(value) < MOST / powers[decimals]))
		return false;
	double scaled = fabs(value) * powers[decimals], whole = floor(scaled);
	if (fabs(scaled - whole - 0.5) < NEAR)
		return false;
	uint32_t n = (uint32_t)whole + (scaled - whole > 0.5);
	char digits[16], *p = digits + sizeof digits;
	*--p = '\0';
	for (int i = 0; n || i <= decimals; i++, n /= 10) {
		if (i && i == decimals)
			*--p = '.';
		*--p = (char)('0' + n % 10);
	}
	if (signbit(value))
		*--p = '-';
	memcpy(to, p, (size_t)(digits + sizeof digits - p));
	return true;
}

static const char *number(struct arena *a, double value, int decimals, const char *behind)
{
	enum { OF_A_DOUBLE = 400 };
	char digits[OF_A_DOUBLE];
	if (!put_digits(digits, value, decimals))
		snprintf(digits, sizeof digits, "%.*f", decimals, value);
	return grouped(a, digits, behind);
}

/* Below, two decimals of a microsecond would say too little. */
static const double SMALL_NS = 99.5;

const char *format_time(struct arena *a, double ns)
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = {{1e3, " µs"}, {1e6, " ms"}, {1e9, " s"}};
	int u = 0;
	if (!isfinite(ns))
		return "n/a";
	if (ns != 0 && fabs(ns) < SMALL_NS)
		return number(a, ns, ns == rint(ns) ? 0 : 1, " ns");
	while (u < 2 && fabs(ns) >= units[u + 1].ns * 0.9995)
		u++;
	double v = ns / units[u].ns;
	return number(a, v, decimals_for(v), units[u].unit);
}

const char *format_count(struct arena *a, int64_t n)
{
	char digits[32];
	snprintf(digits, sizeof digits, "%" PRId64, n);
	return grouped(a, digits, "");
}

const char *format_share(struct arena *a, double share)
{
	if (!isfinite(share))
		return "n/a";
	double pct = share * 100;
	return number(a, pct, fabs(pct) >= 99.95 ? 0 : 1, " %");
}

const char *format_ratio(struct arena *a, double ratio)
{
	if (!isfinite(ratio))
		return "n/a";
	if (ratio > 0 && ratio < 0.005)
		return "< 0.01×";
	return number(a, ratio, decimals_for(ratio), "×");
}

const char *format_si(struct arena *a, double value, const char *unit)
{
	static const char *const prefix[] = {"", "k", "M", "G", "T", "P"};
	int i = 0;
	if (!isfinite(value))
		return "n/a";
	while (i < 5 && fabs(value) >= 999.5) {
		value /= 1000;
		i++;
	}
	int decimals = i || value != rint(value) ? decimals_for(value) : 0;
	return arena_printf(a, "%s%s%s", number(a, value, decimals, " "), prefix[i], unit);
}

const char *format_triple(struct arena *a, const int32_t n[3])
{
	if (n[2] > 1)
		return arena_printf(a, "%d×%d×%d", n[0], n[1], n[2]);
	return n[1] > 1 ? arena_printf(a, "%d×%d", n[0], n[1]) : arena_printf(a, "%d", n[0]);
}

const char *listed(struct arena *a, const char *list, const char *between, const char *part)
{
	enum { LONGEST = 8192 };
	static const char more[] = "…";
	size_t n = strlen(list);
	if (n > LONGEST && !strcmp(list + n - strlen(more), more))
		return list;
	return arena_printf(a, "%s%s%s", list, list[0] ? between : "", n > LONGEST ? more : part);
}
