#include "report/format.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Decimals that leave three significant digits. */
static int decimals_for(double value)
{
	double v = fabs(value);
	return v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2;
}

static const char *grouped(struct arena *a, const char *digits)
{
	static const char thin[] = "\xe2\x80\x89";
	size_t n = strlen(digits), sign = digits[0] == '-';
	size_t whole = strcspn(digits, ".");
	if (whole - sign < 5)
		return arena_strdup(a, digits);
	char *text = arena_alloc(a, n + (whole / 3 + 1) * 3 + 1), *to = text;
	for (size_t i = 0; i < n; i++) {
		if (i > sign && i < whole && (whole - i) % 3 == 0) {
			memcpy(to, thin, 3);
			to += 3;
		}
		*to++ = digits[i];
	}
	return text;
}

const char *format_time(struct arena *a, double ns)
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = {{1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}};
	int u = 0;
	while (u < 2 && fabs(ns) >= units[u + 1].ns * 0.9995)
		u++;
	double v = ns / units[u].ns;
	const char *digits = arena_printf(a, "%.*f", decimals_for(v), v);
	return arena_printf(a, "%s %s", grouped(a, digits), units[u].unit);
}

const char *format_count(struct arena *a, int64_t n)
{
	return grouped(a, arena_printf(a, "%" PRId64, n));
}

const char *format_share(struct arena *a, double share)
{
	if (!isfinite(share))
		return "n/a";
	double pct = share * 100;
	return arena_printf(a, "%.*f %%", pct >= 99.95 ? 0 : 1, pct);
}

const char *format_ratio(struct arena *a, double ratio)
{
	if (!isfinite(ratio))
		return "n/a";
	return arena_printf(
		a, "%s×", grouped(a, arena_printf(a, "%.*f", decimals_for(ratio), ratio)));
}

const char *format_si(struct arena *a, double value, const char *unit)
{
	static const char *const prefix[] = {"", "k", "M", "G", "T", "P"};
	int i = 0;
	while (i < 5 && fabs(value) >= 999.5) {
		value /= 1000;
		i++;
	}
	int decimals = i || value != rint(value) ? decimals_for(value) : 0;
	return arena_printf(a, "%.*f %s%s", decimals, value, prefix[i], unit);
}
