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

/* The same, sought from `near` on in steps that double: for questions of which each is close to the
 * one before. */
#define first_near(i, from, to, near, holds) \
	__extension__({ \
		__typeof__((to) + 0) least_ = (from), most_ = (to), near_ = (near), step_ = 1; \
		near_ = near_ < least_ ? least_ : near_ > most_ ? most_ : near_; \
		__typeof__((to) + 0) upto_ = near_; \
		while (upto_ < most_) { \
			__typeof__((to) + 0) i = \
				most_ - upto_ < step_ ? most_ - 1 : upto_ + step_ - 1; \
			if (holds) { \
				most_ = i; \
				break; \
			} \
			upto_ = i + 1; \
			step_ *= 2; \
		} \
		if (upto_ != near_) { \
			least_ = upto_; \
		} else { \
			most_ = near_; \
			step_ = 1; \
			while (least_ < most_) { \
				__typeof__((to) + 0) i = \
					most_ - least_ < step_ ? least_ : most_ - step_; \
				if (!(holds)) { \
					least_ = i + 1; \
					break; \
				} \
				most_ = i; \
				step_ *= 2; \
			} \
		} \
		first_where(i, least_, most_, holds); \
	})

#endif
