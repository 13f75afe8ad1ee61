#include "report/sweep.h"

#include "report/format.h"
#include "report/plot.h"

#include <math.h>
#include <string.h>

const double sweep_height = 190;

static const double LEFT = 46, RIGHT = 100, TOP = 12, BOTTOM = 26, LABEL_H = 9, SAMPLE = 16;
static const double BAND_ALPHA = 0x28, LINE = 1.1;

static const struct style {
	const char *colour;
	double dash;
} styles[SWEEP_LINES] = {{"series_1", 0}, {"series_2", 5}, {"series_3", 1.6}, {"series_4", 9},
	{"series_5", 3}, {"series_6", 0.9}};

/* ---- finding ---- */

static struct sweep_line *line_of(struct sweep *s, struct arena *a, const char *name, int room)
{
	for (int i = 0; i < s->n; i++)
		if (!strcmp(s->line[i].name, name))
			return &s->line[i];
	if (s->n == SWEEP_LINES)
		return NULL;
	struct sweep_line *l = &s->line[s->n++];
	*l = (struct sweep_line){.name = name};
	double **const column[] = {&l->width, &l->low, &l->mid, &l->high};
	for (size_t i = 0; i < sizeof column / sizeof *column; i++)
		*column[i] = arena_array(a, (size_t)room, sizeof **column[i]);
	return l;
}

static void take_row(struct sweep *s, struct arena *a, const struct tsv *t, int row)
{
	const char *name = tsv_text(t, row, "kernel");
	double width = tsv_number(t, row, "width"), mid = tsv_number(t, row, "GB_per_s"),
	       low = tsv_number(t, row, "GB_per_s_20"), high = tsv_number(t, row, "GB_per_s_80");
	if (!*name || !(width > 0 && width < 1e9) || !(low > 0 && low <= mid) ||
		!(mid <= high && high < 1e9))
		return;
	struct sweep_line *l = line_of(s, a, name, t->n_rows);
	if (!l || (l->n && width <= l->width[l->n - 1]))
		return;
	l->width[l->n] = width;
	l->low[l->n] = low;
	l->mid[l->n] = mid;
	l->high[l->n++] = high;
	s->widest = fmax(s->widest, width);
	s->highest = fmax(s->highest, high);
}

bool sweep_of(struct sweep *s, struct arena *a, const struct tsv *t)
{
	int longest = 0;
	for (int row = 0; row < t->n_rows; row++)
		take_row(s, a, t, row);
	for (int i = 0; i < s->n; i++)
		longest = s->line[i].n > longest ? s->line[i].n : longest;
	return longest > 1;
}

/* ---- drawing ---- */

struct sweep_frame {
	struct plot p;
	struct box area;
	struct scale x, y;
};

static struct pt at(const struct sweep_frame *f, double width, double rate)
{
	return (struct pt){scale_at(&f->x, width), scale_at(&f->y, rate)};
}

/* Along the upper edge and back along the lower one. */
static void draw_band(const struct sweep_frame *f, const struct sweep_line *l, const char *colour)
{
	size_t n = (size_t)l->n;
	struct pt *pt = arena_array(f->p.a, 2 * n, sizeof *pt);
	char *ops = arena_array(f->p.a, 2 * n + 2, 1);
	for (size_t i = 0; i < n; i++) {
		pt[i] = at(f, l->width[i], l->high[i]);
		pt[2 * n - 1 - i] = at(f, l->width[i], l->low[i]);
	}
	memset(ops, 'L', 2 * n);
	ops[0] = 'M';
	ops[2 * n] = 'Z';
	rgba opaque = texts_colour(f->p.texts, colour);
	canvas_fill(f->p.c, &(struct path){ops, pt}, (opaque & 0xffffff00u) | (rgba)BAND_ALPHA);
}

static void draw_line(
	const struct sweep_frame *f, const struct sweep_line *l, const struct style *style)
{
	size_t n = (size_t)l->n;
	struct pt *pt = arena_array(f->p.a, n, sizeof *pt);
	char *ops = arena_array(f->p.a, n + 1, 1);
	for (size_t i = 0; i < n; i++)
		pt[i] = at(f, l->width[i], l->mid[i]);
	memset(ops, 'L', n);
	ops[0] = 'M';
	canvas_stroke(f->p.c, &(struct path){ops, pt},
		&(struct stroke){.colour = texts_colour(f->p.texts, style->colour),
			.width = LINE,
			.dash = style->dash,
			.gap = style->dash ? fmax(style->dash * 0.6, 1.6) : 0});
}

/* By where the lines end, the highest first. */
static int order_of(const struct sweep *s, int order[SWEEP_LINES])
{
	int n = 0;
	for (int i = 0; i < s->n; i++) {
		if (!s->line[i].n)
			continue;
		int k = n++;
		double end = s->line[i].mid[s->line[i].n - 1];
		for (; k && s->line[order[k - 1]].mid[s->line[order[k - 1]].n - 1] < end; k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
	return n;
}

static void draw_labels(const struct sweep_frame *f, const struct sweep *s)
{
	int order[SWEEP_LINES], n = order_of(s, order);
	double centre[SWEEP_LINES], height[SWEEP_LINES], right = f->area.x + f->area.w + 4;
	for (int i = 0; i < n; i++) {
		const struct sweep_line *l = &s->line[order[i]];
		centre[i] = scale_at(&f->y, l->mid[l->n - 1]);
		height[i] = LABEL_H;
	}
	keep_apart(centre, height, n, f->area.y, f->area.y + f->area.h);
	for (int i = 0; i < n; i++) {
		const struct style *style = &styles[order[i]];
		canvas_line(f->p.c, (struct pt){right, centre[i]},
			(struct pt){right + SAMPLE, centre[i]},
			&(struct stroke){.colour = texts_colour(f->p.texts, style->colour),
				.width = LINE,
				.dash = style->dash,
				.gap = style->dash ? fmax(style->dash * 0.6, 1.6) : 0});
		plot_text(&f->p, right + SAMPLE + 4, centre[i] + 2.2, FACE_SANS, plot_small, "ink",
			ANCHOR_START, s->line[order[i]].name);
	}
}

static const char *format_number(struct arena *a, double value)
{
	return format_count(a, (int64_t)value);
}

void sweep_draw(struct canvas *c, struct box box, const void *sweep)
{
	const struct sweep *s = sweep;
	struct arena scratch = {0};
	struct sweep_frame f = {.p = {c, s->texts, s->fonts, &scratch},
		.area = {box.x + LEFT, box.y + TOP, box.w - LEFT - RIGHT, box.h - TOP - BOTTOM}};
	double bottom = f.area.y + f.area.h, right = f.area.x + f.area.w;
	f.x = (struct scale){.high = s->widest, .at = f.area.x, .length = f.area.w};
	f.y = (struct scale){.high = s->highest * 1.04, .at = bottom, .length = -f.area.h};
	plot_y_axis(&f.p, &f.y, f.area.x, right, 5, format_number);
	plot_x_axis(&f.p, &f.x, f.area.y, bottom, 7, format_number);
	for (int i = 0; i < s->n; i++)
		if (s->line[i].n > 1)
			draw_band(&f, &s->line[i], styles[i].colour);
	for (int i = 0; i < s->n; i++)
		if (s->line[i].n > 1)
			draw_line(&f, &s->line[i], &styles[i]);
	draw_labels(&f, s);
	plot_text(&f.p, right, box.y + box.h - 3, FACE_SANS, plot_small, "secondary", ANCHOR_END,
		texts_find(s->texts, "sweep.width"));
	plot_text(&f.p, box.x, box.y + 5, FACE_SANS, plot_small, "secondary", ANCHOR_START,
		texts_find(s->texts, "sweep.rate"));
	arena_release(&scratch);
}
