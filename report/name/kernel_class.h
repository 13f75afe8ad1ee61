/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_class.h - what a kernel does, by its own name or by its operator's; private to the room.
 */
#ifndef REPORT_NAME_KERNEL_CLASS_H
#define REPORT_NAME_KERNEL_CLASS_H

#include "report/name/classify.h"

#include <stddef.h>

/* A kernel's name, cut where its parts end:
 *
 *   void fbgemm_gpu::split_embedding_kernel<float, 2ul>(float*, fbgemm_gpu::FixedDivisor)
 *
 * own: split_embedding_kernel; whole: with the name spaces around it, but those which tell
 * something else than their kernels do, as fbgemm_gpu does; arguments: of templates, not the
 * parameters behind them. A name of the linker's that no tool could make readable is cut where its
 * arguments begin; one that is no function's name at all is an own name as a whole. Lent from the
 * name. */
struct kernel_words {
	struct name_part {
		const char *text;
		size_t length;
	} own, whole, arguments;
};
struct kernel_words kernel_words_of(const char *name);

/* CLASS_KERNEL for a name that says nothing. */
enum event_class class_of_kernel(const char *name);

#endif
