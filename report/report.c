/* SPDX-License-Identifier: Apache-2.0 */
#include "report/course/course.h"
#include "report/program.h"

int main(int argc, char **argv)
{
	return report_main(argc, argv, &matrix_course);
}
