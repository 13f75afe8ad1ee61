/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kineto_vendor_fields.h - the fields of a trace that only a vendor's recorder can fill.
 *
 * Spelling and order are Kineto's, so that tools made for PyTorch's
 * traces find what they look for. What is our own stands last, in an object "tracebook".
 */
#ifndef COLLECT_KINETO_VENDOR_FIELDS_H
#define COLLECT_KINETO_VENDOR_FIELDS_H

#include "base/json_out.h"
#include "experiments/device.h"

/* "deviceProperties": of n devices. */
void kineto_write_properties(struct json_out *j, const struct device_properties *p, size_t n);

/* `args` of a call: between "External id" and the end. */
void kineto_write_call(struct json_out *j, const struct span *s);

/* `args` of device work with facts, after "External id". */
void kineto_write_work(struct json_out *j, const struct span *s);

/* All `args` of a SPAN_WAIT with facts. */
void kineto_write_wait(struct json_out *j, const struct span *s);

/* "bytes" and, if it took time, "memory bandwidth (GB/s)", which counts every byte once. */
void kineto_write_bytes(struct json_out *j, const struct span *s);

#endif
