/* SPDX-License-Identifier: Apache-2.0 */
#include "report/read/parts.h"

#include <ctype.h>

/* Beginnings of files that are often taken for traces. */
static const struct {
	size_t at, n;
	const char *bytes, *looks;
} magics[] = {
	{0, 19, "version https://git-",
		"a pointer of Git LFS; `git lfs pull` fetches the file itself"},
	{0, 4, "PK\x03\x04", "a zip archive; unpack it and name the .json inside"},
	{0, 4, "\x28\xb5\x2f\xfd", "zstd compressed; unpack it with `zstd -d`"},
	{0, 6,
		"\xfd"
		"7zXZ\0",
		"xz compressed; unpack it with `xz -d`"},
	{0, 3, "BZh", "bzip2 compressed; unpack it with `bzip2 -d`"},
	{0, 2, "\x1f\x8b", "gzip inside gzip; unpack it once with `gzip -d`"},
	{0, 15, "SQLite format 3",
		"an SQLite database that is compressed or comes through a pipe; name the file itself"},
	{0, 2, "\xff\xfe", "UTF-16 text; convert it with `iconv -f UTF-16 -t UTF-8`"},
	{0, 2, "\xfe\xff", "UTF-16 text; convert it with `iconv -f UTF-16 -t UTF-8`"},
	{0, 4,
		"\x7f"
		"ELF",
		"a program, not a trace"},
	{0, 5, "%PDF-", "a PDF document"},
	{0, 4, "\x89PNG", "a PNG picture"},
	{0, 1, "<", "HTML or XML (an error page saved in place of the file?)"},
	{257, 5, "ustar", "a tar archive; unpack it and name the .json inside"},
};

static bool has(const struct reader *r, size_t at, size_t n, const char *bytes)
{
	return r->n_head >= at + n && !memcmp(r->head + at, bytes, n);
}

static const char *magic_of(const struct reader *r)
{
	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
		if (has(r, magics[i].at, magics[i].n, magics[i].bytes))
			return magics[i].looks;
	return NULL;
}

bool refuse_known(const struct reader *r)
{
	return magic_of(r);
}

static const char *looks_like(const struct reader *r)
{
	bool binary = false, graphic = false;
	for (size_t i = 0; i < r->n_head; i++) {
		unsigned char c = (unsigned char)r->head[i];
		binary |= c < ' ' && !isspace(c);
		graphic |= isgraph(c) != 0;
	}
	if (magic_of(r))
		return magic_of(r);
	if (binary)
		return has(r, 0, 1, "\n") ? "binary data (a damaged Perfetto trace?), not JSON"
					  : "binary data, not JSON";
	return graphic ? "text, not JSON" : "only blanks";
}

/* Well-known JSON that is no trace, by a member of its top level. */
static const char *known_json(const struct reader *r)
{
	static const struct {
		const char *key, *looks;
	} known[] = {
		{"$schema", "a speedscope file, or another one with a schema"},
		{"threads", "a Firefox profile"},
		{"libs", "a Firefox profile"},
		{"nodes", "a PyTorch execution trace, or a graph"},
		{"cells", "a notebook"},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (reader_member(r, known[i].key))
			return known[i].looks;
	return "some other JSON";
}

static int64_t events(const struct part *p)
{
	int64_t n = 0;
	for (int ph = 1; ph < 128; ph++)
		n += p->phases[ph];
	return n;
}

static bool ends_with(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);
	return n >= m && !strcmp(path + n - m, end);
}

int refuse(const struct reader *r, const char *path, struct err *err)
{
	const struct part *p = r->part;
	if (events(p) || (r->lists && !r->headless && !p->elements && !r->cut))
		return 0;
	if (!r->w.end_offset && source_compressed(r->w.source) &&
		!source_trouble(r->w.source, &(struct bad_members){0}))
		return fail(err, "%s: is empty: gzip data of no bytes", path);
	if (!r->w.end_offset && source_compressed(r->w.source))
		return fail(
			err, "%s: no trace: gzip data that are cut off at their beginning", path);
	if (!r->w.end_offset)
		return fail(err, "%s: is empty", path);
	if (source_trouble(r->w.source, &(struct bad_members){0}) == SOURCE_INFLATES)
		return fail(err,
			"%s: no trace: %lld bytes without an event, more than 100 times the file's "
			"size so far; what stands behind is not inflated",
			path, (long long)r->w.end_offset);
	if (!p->n_documents || r->headless)
		return fail(err, "%s: no trace: %s", path,
			ends_with(path, ".nsys-rep") || ends_with(path, ".qdrep")
				? "a report of Nsight Systems, which nsys alone reads; make a database of it "
				  "with nsys export --type sqlite, and name that"
				: looks_like(r));
	if (r->cut && r->lists)
		return fail(err, "%s: no trace: cut off before its first whole event", path);
	if (p->elements)
		return fail(err,
			"%s: no trace: a JSON list of %lld values without a `ph`, so not events",
			path, (long long)p->elements);
	if (r->cut)
		return fail(err, "%s: no trace: JSON that is cut off before any event", path);
	return fail(err, "%s: no trace: JSON without traceEvents (%s)", path, known_json(r));
}
