/* SPDX-License-Identifier: Apache-2.0 */
/* The program as it is without the objects of report/course. */
#include "report/program.h"

#include <stddef.h>

int main(int argc, char **argv)
{
	return report_main(argc, argv, NULL);
}
