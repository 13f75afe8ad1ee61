/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/chips.h"

#include <string.h>

#define GEN3 16e9
#define GEN4 32e9
#define GEN5 64e9

/* The first that fits, so that longer names come first. */
static const struct chip chips[] = {
	{"B300", "NVIDIA Blackwell Ultra data sheet", 2500e12, 1250e12, 80e12, 8e12, GEN5},
	{"B200", "NVIDIA DGX B200 data sheet", 2250e12, 1125e12, 75e12, 8e12, GEN5},
	{"H200", "NVIDIA H200 data sheet", 989e12, 495e12, 67e12, 4.8e12, GEN5},
	{"H100 PCIe", "NVIDIA H100 data sheet", 756e12, 378e12, 51e12, 2.0e12, GEN5},
	{"H100", "NVIDIA H100 data sheet", 989e12, 495e12, 67e12, 3.35e12, GEN5},
	{"A100-SXM4-80GB", "NVIDIA A100 data sheet", 312e12, 156e12, 19.5e12, 2.039e12, GEN4},
	{"A100 80GB PCIe", "NVIDIA A100 data sheet", 312e12, 156e12, 19.5e12, 1.935e12, GEN4},
	{"A100", "NVIDIA A100 data sheet", 312e12, 156e12, 19.5e12, 1.555e12, GEN4},
	{"V100", "NVIDIA V100 data sheet", 125e12, 0, 15.7e12, 0.9e12, GEN3},
	{"Tesla T4", "NVIDIA T4 data sheet", 65e12, 0, 8.1e12, 0.32e12, GEN3},
	{"NVIDIA L4", "NVIDIA L4 data sheet", 121e12, 60e12, 30.3e12, 0.3e12, GEN4},
	{"RTX 4090", "NVIDIA Ada GPU architecture", 165e12, 83e12, 82.6e12, 1.008e12, GEN4},
	{"RTX A4000", "NVIDIA RTX A4000 data sheet", 77e12, 38e12, 19.2e12, 0.448e12, GEN4},
	{"RTX 2080 Ti", "NVIDIA Turing GPU architecture", 54e12, 0, 13.4e12, 0.616e12, GEN3},
	/* one of the two dies of an MI250 is a device of its own */
	{"MI250", "AMD Instinct MI250 data sheet", 181e12, 0, 22.6e12, 1.6e12, GEN4},
	{"MI210", "AMD Instinct MI210 data sheet", 181e12, 0, 22.6e12, 1.6e12, GEN4},
	{"MI300X", "AMD Instinct MI300X data sheet", 1307e12, 654e12, 163e12, 5.3e12, GEN5},
};

const struct chip *chip_of(const struct trace *t)
{
	for (size_t i = 0; t->n_devices && i < sizeof chips / sizeof *chips; i++)
		if (t->devices[0].name && strstr(t->devices[0].name, chips[i].name))
			return &chips[i];
	return NULL;
}

int chip_architecture(const struct trace *t)
{
	if (!t->n_devices || t->devices[0].major <= 0)
		return 0;
	return t->devices[0].major * 10 + (t->devices[0].minor > 0 ? t->devices[0].minor : 0);
}

bool chip_compiles(const struct trace *t)
{
	enum { TRITONS_LEAST = 70 };
	int architecture = chip_architecture(t);
	return !architecture || architecture >= TRITONS_LEAST;
}
