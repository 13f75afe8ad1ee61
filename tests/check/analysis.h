/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis.h - what clang-tidy cannot see across files: fail() always returns -1, so a caller that
 * was told of a failure never goes on; cJSON_IsArray(NULL) and its like are false. Included by
 * tests/check/static.sh, by nothing else.
 */
#ifndef TESTS_CHECK_ANALYSIS_H
#define TESTS_CHECK_ANALYSIS_H

#include "base/err.h"

#include <cjson/cJSON.h>

#define fail(...) ((fail)(__VA_ARGS__), -1)
#define fail_errno(...) ((fail_errno)(__VA_ARGS__), -1)
#define err_note(...) ((err_note)(__VA_ARGS__), -1)

#define cJSON_IsArray(item) ((item) && (cJSON_IsArray)(item))
#define cJSON_IsObject(item) ((item) && (cJSON_IsObject)(item))
#define cJSON_IsString(item) ((item) && (cJSON_IsString)(item))
#define cJSON_IsNumber(item) ((item) && (cJSON_IsNumber)(item))

#endif
