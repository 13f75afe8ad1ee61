/* SPDX-License-Identifier: Apache-2.0 */
#include "report/canvas/libraries.h"

#include "base/arena.h"
#include "base/program_version.h"

#include <cairo.h>
#include <cjson/cJSON.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include <fribidi.h>
#include <hb.h>
#include <hpdf.h>

static const char *freetype_version(struct arena *a)
{
	FT_Library library;
	FT_Int major = 0, minor = 0, patch = 0;
	if (FT_Init_FreeType(&library))
		return "does not start";
	FT_Library_Version(library, &major, &minor, &patch);
	FT_Done_FreeType(library);
	return arena_printf(a, "%d.%d.%d", major, minor, patch);
}

void libraries_print(FILE *f)
{
	struct arena a = {0};
	const struct {
		const char *name, *version;
	} libraries[] = {
		{"libharu", HPDF_GetVersion()},
		{"cairo", cairo_version_string()},
		{"FreeType", freetype_version(&a)},
		{"HarfBuzz", hb_version_string()},
		{"FriBidi", FRIBIDI_VERSION}, /* it says it to the compiler only */
		{"cJSON", cJSON_Version()},
	};
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
		program_print_library(f, libraries[i].name, libraries[i].version);
	arena_release(&a);
}
