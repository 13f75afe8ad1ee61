/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enum_names.h - an enum and the names of its members from one list, so that neither lacks one:
 *
 *	#define COLOURS(X) \
 *		X(COLOUR_RED, "red") \
 *		X(COLOUR_SKY, "sky blue")
 *
 *	enum colour { COLOURS(KIND_MEMBER) N_COLOURS };
 *	static const char *const names[] = {COLOURS(KIND_NAME)};
 */
#ifndef BASE_ENUM_NAMES_H
#define BASE_ENUM_NAMES_H

/* The words of an enum as a function: NAMES(colour_name, enum colour, COLOURS(KIND_NAME)); */
#define NAMES(function, type, ...) \
	const char *function(type kind) \
	{ \
		static const char *const names[] = {__VA_ARGS__}; \
		return names[kind]; \
	} \
	const char *function(type kind)

#define KIND_MEMBER(member, name) member,
#define KIND_NAME(member, name) [member] = (name),

#endif
