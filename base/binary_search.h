/* SPDX-License-Identifier: Apache-2.0 */
/*
 * binary_search.h - looking something up in what is sorted, by halving.
 */
#ifndef BASE_BINARY_SEARCH_H
#define BASE_BINARY_SEARCH_H

/* The first i from `from` to before `to` for which `holds`, an expression with i in it; `to` where
 * it holds for none. It has to hold for all behind the first. i has the type of `to`. */
#define first_where(i, from, to, holds) \
	__extension__({ \
		__typeof__((to) + 0) low_ = (from), high_ = (to); \
		while (low_ < high_) { \
			__typeof__((to) + 0) i = low_ + (high_ - low_) / 2; \
			if (holds) \
				high_ = i; \
			else \
				low_ = i + 1; \
		} \
		low_; \
	})

#endif
