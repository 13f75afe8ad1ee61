/* SPDX-License-Identifier: Apache-2.0 */
#include "experiments/host/cpu.h"

#include <dnnl.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

static const struct {
	dnnl_cpu_isa_t isa;
	const char *name;
	bool bf16_native;
} isas[] = {
	{dnnl_cpu_isa_sse41, "sse41", false},
	{dnnl_cpu_isa_avx, "avx", false},
	{dnnl_cpu_isa_avx2, "avx2", false},
	{dnnl_cpu_isa_avx2_vnni, "avx2_vnni", false},
	{dnnl_cpu_isa_avx512_mic, "avx512_mic", false},
	{dnnl_cpu_isa_avx512_mic_4ops, "avx512_mic_4ops", false},
	{dnnl_cpu_isa_avx512_core, "avx512_core", false},
	{dnnl_cpu_isa_avx512_core_vnni, "avx512_core_vnni", false},
	{dnnl_cpu_isa_avx512_core_bf16, "avx512_core_bf16", true},
	{dnnl_cpu_isa_avx512_core_amx, "avx512_core_amx", true},
};

static void read_isa(struct cpu *cpu)
{
	dnnl_cpu_isa_t isa = dnnl_get_effective_cpu_isa();
	cpu->isa = "generic";
	for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
		if (isas[i].isa == isa) {
			cpu->isa = isas[i].name;
			cpu->bf16_native = isas[i].bf16_native;
		}
	}
}

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
	read_isa(cpu);
	read_name(cpu);
}
