/* SPDX-License-Identifier: Apache-2.0 */
#include "report/tables/parts.h"

#include <math.h>

static double roof_share(const struct purpose *x)
{
	double share = over(x->roof_ns, (double)x->device_ns);
	return share > 1 ? 1 : share; /* caches are faster than memory */
}

void tables_purposes(struct result_table *t, const struct tables_source *s)
{
	const struct trace *trace = s->a->trace;
	const struct purposes *p = &s->breakdown->purposes;
	for (uint32_t i = 0; i < p->n; i++) {
		const struct purpose *x = &p->group[i];
		uint32_t op = x->op_row;
		bool inputs = op != NO_ROW && trace->side[op] != NO_ROW;
		put_text(t, device_use_name(device_use_of((enum device_why)x->why)));
		put_text(t, device_why_name((enum device_why)x->why));
		put_text(t, phase_name((enum phase)x->phase));
		put_text(t, names_text(&trace->names, x->op));
		put_text(t, names_text(&trace->names, x->module));
		put_text(t,
			inputs ? names_text(&trace->names, trace->inputs[trace->side[op]].dims)
			       : "");
		put_text(t, trace_row_name(trace, s->a->device_rows[x->event]));
		put_number(t, x->n);
		put_number(t, (double)x->ns);
		put_number(t, (double)x->rest_ns);
		put_number(t, (double)x->window_ns);
		put_number(t, (double)x->window_rest_ns);
		put_number(t, (double)x->device_ns);
		put_number(t, roof_share(x));
	}
}

/* The reasons, those with most of the window's time first. */
void tables_uses(struct result_table *t, const struct tables_source *s)
{
	const struct trace *trace = s->a->trace;
	const struct purposes *p = &s->breakdown->purposes;
	int64_t busy = 0;
	bool told[DEVICE_WHYS] = {0};
	for (int i = 0; i < DEVICE_WHYS; i++)
		busy += p->window.ns[i];
	for (int n = 0; n < DEVICE_WHYS; n++) {
		int most = -1;
		for (int i = 0; i < DEVICE_WHYS; i++)
			if (!told[i] && p->whole.ns[i] &&
				(most < 0 || p->window.ns[i] > p->window.ns[most]))
				most = i;
		if (most < 0)
			return;
		told[most] = true;
		const struct purpose *x = purposes_largest(p, (enum device_why)most);
		put_text(t, device_use_name(device_use_of((enum device_why)most)));
		put_text(t, device_why_name((enum device_why)most));
		put_number(t, (double)p->window.ns[most]);
		put_number(t, over((double)p->window.ns[most], (double)busy));
		put_number(t, (double)p->whole.ns[most]);
		put_text(t,
			x && x->op  ? names_text(&trace->names, x->op)
				: x ? trace_row_name(trace, s->a->device_rows[x->event])
				    : "");
		put_text(t, x ? phase_name((enum phase)x->phase) : "");
		put_text(t, x ? names_text(&trace->names, x->module) : "");
		put_number(t, x ? roof_share(x) : (double)NAN);
	}
}
