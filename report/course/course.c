/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/course.h"

#include "report/course/bandwidth.h"
#include "report/course/book_first_page.h"
#include "report/course/crossover.h"
#include "report/course/kernel_source.h"
#include "report/course/parts.h"
#include "report/course/questions.h"
#include "report/course/sheets.h"

static const struct course_section rows[] = {
	{"reading", section_reading},
	{"solutions", section_solutions},
	{"noise", section_noise},
	{"chapters", section_chapters},
	{"comparisons", section_comparisons},
	{"traces", section_traces},
	{"tables", section_tables},
	{"questions", section_questions},
	{"overview", section_overview},
	{0},
};

static bool is_point(const struct report_case *c, const char **figure, const char **key)
{
	bool width = c->work && bandwidth_plot_has(c->run, c);
	*figure = width ? "overview-widths" : "overview-crossover";
	*key = width ? "case.width" : "case.crossover";
	return width || (c->work && crossover_has(c->run, c));
}

const struct course matrix_course = {.sections = rows,
	.title = front_title,
	.add_sentences = add_front_sentences,
	.add_front = add_front,
	.add_questions_of = add_questions_of,
	.is_point = is_point,
	.add_sheet = add_sheet,
	.add_made_source = add_made_source};
