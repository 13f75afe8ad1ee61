# SPDX-License-Identifier: Apache-2.0
# One trace, every kind of output; the same bytes whatever the locale, the time zone and the day.
. "$TRACEBOOK_TOP/tests/cli/functions"
small_trace trace.json
gzip -kn trace.json

# Without an output option: report.pdf here, and not a word.
run 0 report trace.json
silent out err
head -c 5 report.pdf | grep -q '^%PDF-' || wrong 'report.pdf is no PDF'
pdftotext report.pdf text
says text gemm_of_step_0 aten::mm

# Who hears the pages gets all their words but the feet, as headings, paragraphs, tables, and pictures told in words.
cat >heard.py <<-'END'
	import collections, json, re, subprocess, sys
	run = lambda *c: subprocess.run(c, check=True, capture_output=True, text=True).stdout
	objects = json.loads(run("qpdf", "--json=2", "--json-key=qpdf", sys.argv[1]))["qpdf"][1]
	kinds = collections.Counter()
	for o in objects.values():
	    v = o.get("value")
	    if isinstance(v, dict) and "/S" in v and "/P" in v:
	        kinds[v["/S"]] += 1
	        if v["/S"] == "/Figure":
	            assert len(v["/Alt"].split()) > 3, v
	assert kinds["/H1"] == 1 and min(kinds["/" + k] for k in "P Figure Table TR TH TD".split()) > 0, kinds
	words = lambda text: collections.Counter(re.sub(r"\s+", "", text))
	heard = re.sub(r'^ *"|"$', "", "\n".join(l for l in run("pdfinfo", "-struct-text", sys.argv[1]).split("\n") if l.lstrip().startswith('"')), flags=re.M)
	pages = run("pdftotext", sys.argv[1], "-")
	left = words(pages) - words(heard)
	n = pages.count("\f")
	feet = words("tracebook %d / %d" % (n, n) * n) + words("0123456789/" * n)
	assert not left - feet, left - feet
END
python3 heard.py report.pdf

# Where we say, folders included, and nothing else.
rm report.pdf
run 0 report -o deep/er/r.pdf --svg svg --png png --markdown notes/r.md trace.json
silent out
absent report.pdf
head -c 5 deep/er/r.pdf | grep -q '^%PDF-' || wrong 'r.pdf is no PDF'
[ -n "$(ls svg)" ] && xmllint --noout svg/*.svg
[ -n "$(ls png)" ] || wrong 'no PNG'
for picture in png/*.png; do
	[ "$(head -c 4 "$picture" | tail -c 3)" = PNG ] || wrong "$picture is no PNG"
done
says notes/r.md gemm_of_step_0

# The same again in another place and time: the same bytes.
mkdir -p first again
write() { # FOLDER
	(cd "$1" && run 0 report -o r.pdf --svg svg --markdown r.md ../trace.json)
}
write first
for where in C.UTF-8 tr_TR.UTF-8 de_DE.UTF-8; do
	LC_ALL=$where TZ=Pacific/Kiritimati SOURCE_DATE_EPOCH=86400 write again
	diff -r -x out -x err first again
done
cmp deep/er/r.pdf again/r.pdf

# Data on stdout: the profiler table, and the stages as text. Durations of the trace, to the digit.
run 0 report --table trace.json
silent err
says out 'Self CPU %' '# of Calls' 'ProfilerStep*' 'aten::mm' gemm_of_step_1 'Self CPU time total' \
	'82.000us' '100.000us'
absent report.pdf
cp out table
run 0 report --table trace.json.gz
cmp out table
for stage in trace analysis document canvas; do
	run 0 report --dump $stage trace.json
	silent err
	[ -s out ] || wrong "--dump $stage says nothing"
done
run 0 report --dump trace trace.json
says out gemm_of_step_0 cudaLaunchKernel
absent report.pdf
