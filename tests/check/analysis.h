/*
 * analysis.h - what clang-tidy cannot see across files: fail() always returns -1, so a caller that
 * was told of a failure never goes on. Included by tests/check/static.sh, by nothing else.
 */
#ifndef TESTS_CHECK_ANALYSIS_H
#define TESTS_CHECK_ANALYSIS_H

#include "base/err.h"

#define fail(...) ((fail)(__VA_ARGS__), -1)
#define fail_errno(...) ((fail_errno)(__VA_ARGS__), -1)
#define err_note(...) ((err_note)(__VA_ARGS__), -1)

#endif
