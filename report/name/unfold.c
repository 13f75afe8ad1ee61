/* SPDX-License-Identifier: Apache-2.0 */
#include "report/name/unfold.h"

#include <setjmp.h>
#include <string.h>

/* Of libiberty's demangle.h, which every system keeps in another folder, and some in none. */
enum { DMGL_PARAMS = 1 << 0, DMGL_ANSI = 1 << 1, DMGL_NO_RECURSE_LIMIT = 1 << 18 };
typedef void demangled(const char *text, size_t n, void *to);
int cplus_demangle_v3_callback(const char *mangled, int options, demangled *part, void *to);

struct unfolding {
	struct unfolded *to;
	jmp_buf too_long;
};

static void take(const char *text, size_t n, void *unfolding)
{
	struct unfolding *u = unfolding;
	if (n > UNFOLD_ROOM - u->to->n)
		longjmp(u->too_long, 1);
	memcpy(u->to->text + u->to->n, text, n);
	u->to->n += n;
}

bool unfold(const char *mangled, struct unfolded *to)
{
	/* The callback form keeps everything on the stack, so nothing is lost when it is left
	 * early. Its own limit on recursion refuses templates of 1100 letters; demangle.h has
	 * another. */
	const int options = DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT;
	struct unfolding u = {.to = to};
	to->n = 0;
	if (setjmp(u.too_long))
		return false;
	return cplus_demangle_v3_callback(mangled, options, take, &u) && to->n;
}
