/* SPDX-License-Identifier: Apache-2.0 */
#include "report/name/roles.h"

#include <string.h>

static const struct operator_role rows[] = {
	{"matmul", ROLE_MATMUL, 0},
	{"mm", ROLE_MM, 0},
	{"bmm", ROLE_BMM, 0},
	{"baddbmm", ROLE_BMM, 1},
	{"baddbmm_", ROLE_BMM, 1},
	{"addmm", ROLE_ADDMM, 1},
	{"addmm_", ROLE_ADDMM, 1},
	{"addmm_epilogue", ROLE_ADDMM, 1},
	{"_addmm_activation", ROLE_ADDMM, 1},
	{"linear", ROLE_LINEAR, 0},
	{"add", ROLE_ADD, 0},
	{"add_", ROLE_ADD, 0},
	{"copy_", ROLE_COPYING, 0},
	{"_copy_from", ROLE_COPYING, 0},
	{"clone", ROLE_COPYING, 0},
	{"contiguous", ROLE_COPYING, 0},
	{"to", ROLE_COPYING, 0},
	{"_to_copy", ROLE_COPYING, 0},
	{"copy", ROLE_COPYING, 0},
	{"cat", ROLE_COPYING, 0},
	{"stack", ROLE_COPYING, 0},
	{"repeat", ROLE_COPYING, 0},
	{"item", ROLE_COPYING, 0},
	{"_local_scalar_dense", ROLE_COPYING, 0},
	{"t", ROLE_VIEW, 0},
	{"transpose", ROLE_VIEW, 0},
	{"permute", ROLE_VIEW, 0},
	{"reshape", ROLE_VIEW, 0},
	{"view", ROLE_VIEW, 0},
	{"_unsafe_view", ROLE_VIEW, 0},
	{"_reshape_alias", ROLE_VIEW, 0},
	{"as_strided", ROLE_VIEW, 0},
	{"expand", ROLE_VIEW, 0},
	{"expand_as", ROLE_VIEW, 0},
	{"view_as", ROLE_VIEW, 0},
	{"select", ROLE_VIEW, 0},
	{"slice", ROLE_VIEW, 0},
	{"narrow", ROLE_VIEW, 0},
	{"squeeze", ROLE_VIEW, 0},
	{"unsqueeze", ROLE_VIEW, 0},
	{"detach", ROLE_VIEW, 0},
	{"alias", ROLE_VIEW, 0},
	{"split", ROLE_VIEW, 0},
	{"split_with_sizes", ROLE_VIEW, 0},
	{"chunk", ROLE_VIEW, 0},
	{"unbind", ROLE_VIEW, 0},
	{"flatten", ROLE_VIEW, 0},
	{"movedim", ROLE_VIEW, 0},
	{"swapaxes", ROLE_VIEW, 0},
	{"numpy_T", ROLE_VIEW, 0},
};

const struct operator_role *operator_role(const char *name)
{
	size_t space = !strncmp(name, "aten::", 6) ? 6 : !strncmp(name, "tb::", 4) ? 4 : 0;
	name += space;
	for (size_t i = 0; space && i < sizeof rows / sizeof *rows; i++)
		if (rows[i].name[0] == name[0] && !strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

enum role role_of_name(const char *name)
{
	const struct operator_role *r = operator_role(name);
	return r ? r->role : ROLE_NONE;
}
