/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protobuf.h - the wire format of protocol buffers: a message as its fields, one after the other.
 *
 * A field is a number, a kind, and a value: a varint or fixed bytes as a number, or a span of bytes
 * (a text, or a message again). Nothing is copied, and no field is known here: who reads a message
 * knows the numbers. Groups, which proto2 gave up, end a message as damage does.
 */
#ifndef REPORT_PARSE_PROTOBUF_H
#define REPORT_PARSE_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum proto_wire { PROTO_VARINT, PROTO_EIGHT, PROTO_BYTES, PROTO_FOUR = 5 };

enum { PROTO_VARINT_MOST = 10 }; /* bytes */

struct proto_message {
	const char *p, *end;
	bool broken; /* what is behind p is no field */
};

struct proto_field {
	uint32_t number;
	enum proto_wire wire;
	uint64_t value; /* of what is no span; of a span its length */
	const char *at; /* of a span: `value` bytes, lent by the message */
};

static inline struct proto_message proto_of(const char *at, size_t n)
{
	return (struct proto_message){.p = at, .end = at + n};
}

/* The message in a field; an empty one when it is no span. */
static inline struct proto_message proto_in(const struct proto_field *f)
{
	return f->wire == PROTO_BYTES ? proto_of(f->at, f->value) : proto_of("", 0);
}

/* One varint; false when the bytes end in it, or it is longer than any. */
static inline bool proto_varint(struct proto_message *m, uint64_t *value)
{
	uint64_t v = 0;
	const char *p = m->p;
	for (unsigned shift = 0; p < m->end && p - m->p < PROTO_VARINT_MOST; shift += 7) {
		unsigned char c = (unsigned char)*p++;
		v |= (uint64_t)(c & 127) << shift;
		if (c < 128) {
			m->p = p;
			*value = v;
			return true;
		}
	}
	return false;
}

static inline bool proto_fixed(struct proto_message *m, size_t n, uint64_t *value)
{
	uint64_t v = 0;
	if ((size_t)(m->end - m->p) < n)
		return false;
	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)(unsigned char)m->p[i] << 8 * i;
	m->p += n;
	*value = v;
	return true;
}

static inline bool proto_value(struct proto_message *m, struct proto_field *f)
{
	switch (f->wire) {
	case PROTO_VARINT:
		return proto_varint(m, &f->value);
	case PROTO_EIGHT:
		return proto_fixed(m, 8, &f->value);
	case PROTO_FOUR:
		return proto_fixed(m, 4, &f->value);
	case PROTO_BYTES:
		if (!proto_varint(m, &f->value) || f->value > (uint64_t)(m->end - m->p))
			return false;
		f->at = m->p;
		m->p += f->value;
		return true;
	}
	return false;
}

/* The next field; false at the end of the message, or where it is broken. */
static inline bool proto_next(struct proto_message *m, struct proto_field *f)
{
	const char *begin = m->p;
	uint64_t tag;
	if (m->p == m->end || m->broken)
		return false;
	if (proto_varint(m, &tag) && tag >> 3 && tag >> 3 <= UINT32_MAX) {
		*f = (struct proto_field){
			.number = (uint32_t)(tag >> 3), .wire = (enum proto_wire)(tag & 7)};
		if (proto_value(m, f))
			return true;
	}
	m->p = begin;
	m->broken = true;
	return false;
}

static inline int64_t proto_int(const struct proto_field *f)
{
	return (int64_t)f->value;
}

static inline double proto_double(const struct proto_field *f)
{
	double v;
	memcpy(&v, &f->value, sizeof v);
	return v;
}

#endif
