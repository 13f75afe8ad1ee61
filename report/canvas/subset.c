/* SPDX-License-Identifier: Apache-2.0 */
#include "report/canvas/subset.h"

#include <hb-subset.h>
#include <stdlib.h>
#include <string.h>

static size_t slot_of(const struct used *used, uint32_t code)
{
	size_t mask = used->n_slots - 1, i = code * 2654435761u & mask;
	while (used->slots[i] && used->item[used->slots[i] - 1].code != code)
		i = (i + 1) & mask;
	return i;
}

static void grow(struct used *used)
{
	used->room = used->room ? used->room * 2 : 64;
	used->item = xrealloc(used->item, used->room, sizeof *used->item);
	free(used->slots);
	used->n_slots = used->room * 4;
	used->slots = xcalloc(used->n_slots, sizeof *used->slots);
	for (size_t i = 0; i < used->n; i++)
		used->slots[slot_of(used, used->item[i].code)] = (uint16_t)(i + 1);
}

/* The number of its code, where that may be new. */
static uint16_t number_of(struct used *used, uint32_t code)
{
	if (used->n == used->room)
		grow(used);
	size_t slot = slot_of(used, code);
	if (!used->slots[slot] && used->n < USED_MAX) {
		used->item[used->n++] = (struct used_code){.code = code, .kept = true};
		used->slots[slot] = (uint16_t)used->n;
	}
	return used->slots[slot];
}

uint16_t used_add(struct used *used, const struct glyph *glyph)
{
	uint16_t number = number_of(used, glyph->code);
	if (number && used->item[number - 1].kept)
		used->item[number - 1] = (struct used_code){.code = glyph->code,
			.id = glyph->id,
			.width = glyph->width,
			.replaced = glyph->replaced};
	return number;
}

void used_keep(struct used *used, uint32_t end)
{
	for (uint32_t code = 1; code < end; code++)
		number_of(used, code);
}

void used_release(struct used *used)
{
	free(used->item);
	free(used->slots);
	*used = (struct used){0};
}

static const char *const layout[] = {
	"GSUB", "GPOS", "GDEF", "BASE", "JSTF", "MATH", "kern", "gasp", "STAT", "meta", NULL};
static const char *const by_code[] = {"cmap", "name", "post", "OS/2", NULL};

static bool is_among(const char *const *names, hb_tag_t tag)
{
	while (*names && hb_tag_from_string(*names, -1) != tag)
		names++;
	return *names != NULL;
}

/* Of a PDF, which numbers the glyphs itself. */
static hb_blob_t *table_by_glyph(hb_face_t *face, hb_tag_t tag, void *whole)
{
	(void)face;
	return is_among(layout, tag) || is_among(by_code, tag)
		? hb_blob_get_empty()
		: hb_face_reference_table(whole, tag);
}

/* Without what is dropped anyway: HarfBuzz goes through every sign of a font that has them, to look
 * what the wanted glyphs stand for. */
static hb_face_t *face_for(const struct font_file *file, enum subset_for purpose)
{
	return purpose == SUBSET_PDF ? hb_face_create_for_tables(table_by_glyph, file->hb, NULL)
				     : hb_face_reference(file->hb);
}

static void drop_tables(hb_subset_input_t *input, const char *const *names)
{
	hb_set_t *drop = hb_subset_input_set(input, HB_SUBSET_SETS_DROP_TABLE_TAG);
	for (; *names; names++)
		hb_set_add(drop, hb_tag_from_string(*names, -1));
}

static hb_subset_input_t *wanted(const struct used *used, enum subset_for purpose)
{
	hb_subset_input_t *input = hb_subset_input_create_or_fail();
	if (!input)
		out_of_memory(sizeof *used);
	hb_subset_input_set_flags(
		input, HB_SUBSET_FLAGS_NO_HINTING | HB_SUBSET_FLAGS_NOTDEF_OUTLINE);
	drop_tables(input, layout);
	if (purpose == SUBSET_PDF)
		drop_tables(input, by_code);
	hb_set_t *names = hb_subset_input_set(input, HB_SUBSET_SETS_NAME_ID);
	hb_set_clear(names);
	hb_set_add(names, HB_OT_NAME_ID_COPYRIGHT);
	hb_set_add(names, HB_OT_NAME_ID_FONT_FAMILY);
	hb_set_add(names, HB_OT_NAME_ID_FONT_SUBFAMILY);
	hb_set_add(names, HB_OT_NAME_ID_POSTSCRIPT_NAME);
	hb_set_t *codes = hb_subset_input_unicode_set(input);
	hb_set_t *ids = hb_subset_input_glyph_set(input);
	for (size_t i = 0; i < used->n; i++)
		if (purpose == SUBSET_PDF)
			hb_set_add(ids, used->item[i].id);
		else if (!used->item[i].replaced && !used->item[i].kept)
			hb_set_add(codes, used->item[i].code);
	return input;
}

static uint16_t *new_ids(const struct used *used, hb_subset_plan_t *plan)
{
	const hb_map_t *map = hb_subset_plan_old_to_new_glyph_mapping(plan);
	uint16_t *id = xcalloc(used->n, sizeof *id);
	for (size_t i = 0; i < used->n; i++)
		id[i] = (uint16_t)hb_map_get(map, used->item[i].id);
	return id;
}

int subset_init(struct subset *subset, const struct font_file *file, const struct used *used,
	enum subset_for purpose, struct err *err)
{
	*subset = (struct subset){0};
	hb_subset_input_t *input = wanted(used, purpose);
	hb_face_t *whole = face_for(file, purpose);
	hb_subset_plan_t *plan = hb_subset_plan_create_or_fail(whole, input);
	hb_face_t *face = plan ? hb_subset_plan_execute_or_fail(plan) : NULL;
	if (face) {
		subset->blob = hb_face_reference_blob(face);
		subset->bytes = hb_blob_get_data(subset->blob, &subset->n);
		subset->id = purpose == SUBSET_PDF ? new_ids(used, plan) : NULL;
	}
	hb_face_destroy(face);
	hb_face_destroy(whole);
	hb_subset_plan_destroy(plan);
	hb_subset_input_destroy(input);
	if (!subset->n) {
		subset_release(subset);
		return fail(err, "%s cannot be subset: install its package again", file->path);
	}
	return 0;
}

void subset_release(struct subset *subset)
{
	hb_blob_destroy(subset->blob);
	free(subset->id);
	*subset = (struct subset){0};
}
