/* SPDX-License-Identifier: Apache-2.0 */
#include "base/word_list.h"

#include <stdio.h>
#include <string.h>

void words_add(struct words *list, const char *word)
{
	size_t n = strlen(list->text);
	snprintf(list->text + n, sizeof list->text - n, "%s%s", n ? ", " : "", word);
}
