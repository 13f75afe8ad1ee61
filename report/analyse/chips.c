/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analyse/chips.h"

#include "base/err.h"
#include "base/min_max.h"

#include <stdlib.h>
#include <string.h>

#define GEN3 16e9
#define GEN4 32e9
#define GEN5 64e9
#define A100 "NVIDIA A100 data sheet"

#define NVIDIA(name, units, ...) \
	{ \
		name, MAKE_NVIDIA, 0, units, __VA_ARGS__ \
	}
#define AMD(name, gfx, units, ...) \
	{ \
		name, MAKE_AMD, gfx, units, __VA_ARGS__ \
	}

/* The first that fits, so that longer names come first. */
static const struct chip chips[CHIPS] = {
	NVIDIA("B300", 148, "NVIDIA Blackwell Ultra data sheet", 2500e12, 1250e12, 80e12, 8e12,
		GEN5),
	NVIDIA("B200", 148, "NVIDIA DGX B200 data sheet", 2250e12, 1125e12, 75e12, 8e12, GEN5),
	NVIDIA("H200", 132, "NVIDIA H200 data sheet", 989e12, 495e12, 67e12, 4.8e12, GEN5),
	NVIDIA("H100 PCIe", 114, "NVIDIA H100 data sheet", 756e12, 378e12, 51e12, 2.0e12, GEN5),
	NVIDIA("H100", 132, "NVIDIA H100 data sheet", 989e12, 495e12, 67e12, 3.35e12, GEN5),
	NVIDIA("A100-SXM4-80GB", 108, A100, 312e12, 156e12, 19.5e12, 2.039e12, GEN4),
	NVIDIA("A100 80GB PCIe", 108, A100, 312e12, 156e12, 19.5e12, 1.935e12, GEN4),
	NVIDIA("A100", 108, A100, 312e12, 156e12, 19.5e12, 1.555e12, GEN4),
	NVIDIA("V100", 80, "NVIDIA V100 data sheet", 125e12, 0, 15.7e12, 0.9e12, GEN3),
	NVIDIA("Tesla T4", 40, "NVIDIA T4 data sheet", 65e12, 0, 8.1e12, 0.32e12, GEN3),
	NVIDIA("NVIDIA L4", 58, "NVIDIA L4 data sheet", 121e12, 60e12, 30.3e12, 0.3e12, GEN4),
	NVIDIA("RTX 4090", 128, "NVIDIA Ada GPU architecture", 165e12, 83e12, 82.6e12, 1.008e12,
		GEN4),
	NVIDIA("RTX A4000", 48, "NVIDIA RTX A4000 data sheet", 77e12, 38e12, 19.2e12, 0.448e12,
		GEN4),
	NVIDIA("RTX 2080 Ti", 68, "NVIDIA Turing GPU architecture", 54e12, 0, 13.4e12, 0.616e12,
		GEN3),
	/* one of the two dies of an MI250 is a device of its own */
	AMD("MI250", 90, 104, "AMD Instinct MI250 data sheet", 181e12, 0, 22.6e12, 1.6e12, GEN4),
	AMD("MI210", 90, 104, "AMD Instinct MI210 data sheet", 181e12, 0, 22.6e12, 1.6e12, GEN4),
	AMD("MI300A", 942, 228, "AMD Instinct MI300A data sheet", 981e12, 490e12, 123e12, 5.3e12,
		GEN5),
	AMD("MI300X", 942, 304, "AMD Instinct MI300X data sheet", 1307e12, 654e12, 163e12, 5.3e12,
		GEN5),
	AMD("MI325X", 942, 304, "AMD Instinct MI325X data sheet", 1307e12, 654e12, 163e12, 6e12,
		GEN5),
};

const struct chip *chip_named(const char *device)
{
	for (size_t i = 0; device && i < CHIPS; i++)
		if (strstr(device, chips[i].name))
			return &chips[i];
	return NULL;
}

const struct chip *chip_of(const struct trace *t)
{
	return t->n_devices ? chip_named(t->devices[0].name) : NULL;
}

/* What a name gives away of the chip that runs it. */
struct clue {
	enum chip_make make;
	int gfx;
};

static int number_behind(const char *name, const char *word)
{
	const char *at = strstr(name, word);
	return at ? (int)strtol(at + strlen(word), NULL, 10) : 0;
}

static struct clue clue_of(const char *name)
{
	static const struct {
		const char *word;
		enum chip_make make;
	} known[] = {{"Cijk_", MAKE_AMD}, {"igemm_fwd_gtc", MAKE_AMD}, {"igemm_bwd_gtc", MAKE_AMD},
		{"igemm_wrw_gtc", MAKE_AMD}, {"aiter", MAKE_AMD}, {"ck_tile", MAKE_AMD},
		{"miopen", MAKE_AMD}, {"gfx9", MAKE_AMD}, {"cudnn", MAKE_NVIDIA},
		{"nvjet_", MAKE_NVIDIA}, {"sm80_xmma", MAKE_NVIDIA}, {"sm90_xmma", MAKE_NVIDIA},
		{"volta_", MAKE_NVIDIA}, {"turing_", MAKE_NVIDIA}, {"ampere_", MAKE_NVIDIA}};
	struct clue c = {0};
	for (size_t i = 0; i < sizeof known / sizeof *known && !c.make; i++)
		if (strstr(name, known[i].word))
			c.make = known[i].make;
	if (c.make == MAKE_AMD)
		c.gfx = number_behind(name, "_ISA") ?: number_behind(name, "gfx");
	return c;
}

/* Whose runtime a call is one of. */
static enum chip_make make_of_call(const char *name)
{
	static const struct {
		const char *begins;
		enum chip_make make;
	} known[] = {{"hip", MAKE_AMD}, {"cuda", MAKE_NVIDIA}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strncmp(name, known[i].begins, strlen(known[i].begins)))
			return known[i].make;
	return MAKE_UNKNOWN;
}

/* Of all names of kernels, or of the host's calls where those say nothing. */
static struct clue clues_of(const struct trace *t)
{
	struct clue sum = {0}, calls = {0};
	uint8_t *asked = xcalloc(t->names.n, 1);
	bool both = false;
	for (size_t i = 0; i < t->n && !both; i++) {
		bool kernel = t->kind[i] == EVENT_KERNEL, call = t->kind[i] == EVENT_RUNTIME;
		if ((!kernel && !call) || asked[t->name[i]])
			continue;
		asked[t->name[i]] = 1;
		const char *name = names_text(&t->names, t->name[i]);
		if (call && !calls.make)
			calls.make = make_of_call(name);
		struct clue one = kernel ? clue_of(name) : (struct clue){0};
		both = one.make && sum.make && one.make != sum.make;
		sum.make = sum.make ? sum.make : one.make;
		sum.gfx = sum.gfx ? sum.gfx : one.gfx;
	}
	free(asked);
	if (both)
		return (struct clue){0};
	return sum.make ? sum : calls;
}

struct chip_set chips_allowed(const struct trace *t)
{
	struct chip_set s = {0};
	const struct chip *own = chip_of(t);
	if (own || (t->n_devices && t->devices[0].name && t->devices[0].name[0])) {
		s.chip[0] = own;
		s.n = own != NULL;
		s.named = own != NULL;
		return s;
	}
	struct clue c = clues_of(t);
	for (size_t i = 0; i < CHIPS; i++)
		if ((!c.make || chips[i].make == c.make) && (!c.gfx || chips[i].gfx == c.gfx))
			s.chip[s.n++] = &chips[i];
	return s;
}

int chip_architecture(const struct trace *t)
{
	if (!t->n_devices || t->devices[0].major <= 0)
		return 0;
	return t->devices[0].major * 10 + max_int(t->devices[0].minor, 0);
}

bool chip_compiles(const struct trace *t)
{
	enum { TRITONS_LEAST = 70 };
	int architecture = chip_architecture(t);
	return !architecture || architecture >= TRITONS_LEAST;
}
