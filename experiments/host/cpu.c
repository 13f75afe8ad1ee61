/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/host/cpu.h"

#include "experiments/host/onednn.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

static void read_name(struct cpu *cpu)
{
	snprintf(cpu->name, sizeof cpu->name, "unknown CPU");
	FILE *f = fopen("/proc/cpuinfo", "re");
	if (!f)
		return;
	char line[256];
	while (fgets(line, sizeof line, f)) {
		char *colon = strstr(line, ": ");
		if (!colon || strncmp(line, "model name", 10))
			continue;
		snprintf(cpu->name, sizeof cpu->name, "%.*s", (int)strcspn(colon + 2, "\n"),
			colon + 2);
		break;
	}
	fclose(f);
}

void cpu_read(struct cpu *cpu)
{
	*cpu = (struct cpu){.threads = omp_get_max_threads()};
	const dnnl_version_t *v = dnnl_version();
	snprintf(
		cpu->runtime, sizeof cpu->runtime, "oneDNN %d.%d.%d", v->major, v->minor, v->patch);
	cpu->isa = onednn_isa(&cpu->bf16_native);
	read_name(cpu);
}
