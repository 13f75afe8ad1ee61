# SPDX-License-Identifier: Apache-2.0
# Who may include whom, and whose libraries: base <- experiments <- collect, base <- report, and inside
# report/ the rooms in the order of the flow, each by the rooms that stand before it. `layers.sh map`
# prints the table of the rooms: room, what it may include.
. tests/check/sources.sh
status=0
rooms='
trace
name     trace
parse    trace
read     trace name parse
analyse  trace name
replay   trace name analyse
rules    trace name analyse replay
tables   trace name analyse replay rules
judge    trace name analyse replay rules
run      trace name read analyse replay rules judge
compare  trace name analyse replay rules judge run
canvas
page     canvas
figure   trace name analyse replay rules judge run compare canvas page
section  trace name analyse replay rules tables judge run compare canvas page figure
course   trace name analyse replay rules judge run compare canvas page figure section
'
if [ "${1-}" = map ]; then
	echo "$rooms" | sed '/^$/d'
	exit
fi
sources base experiments collect report tracebook | grep -E '\.(c|h|cu)$' | ROOMS=$rooms xargs -r awk '
BEGIN {
	may["base"] = "^base/"
	may["experiments"] = "^(base|experiments)/"
	may["collect"] = "^(base|experiments|collect)/"
	may["tracebook"] = "^base/"
	may["report"] = "^(base|report)/"
	n = split(ENVIRON["ROOMS"], line, "\n")
	for (i = 1; i <= n; i++) {
		m = split(line[i], word, " ")
		if (!m)
			continue
		list = word[1]
		for (k = 2; k <= m; k++)
			list = list "|" word[k]
		may["report/" word[1]] = "^(base|report/(" list "))/"
	}
	# Libraries by their headers; what matches none is taken for the C library or the compiler.
	library["cjson"] = "^cjson/"
	library["onednn"] = "^(oneapi/)?dnnl"
	library["cuda"] = "^(cuda|cublas|cupti|nvrtc|nvml|nvtx)"
	library["drawing"] = "^(cairo|hpdf|ft2build|freetype|hb[-.]|harfbuzz|fribidi)"
	library["sqlite"] = "^sqlite3"
	library["gzip"] = "^(zlib|isa-l)"
	library["cmocka"] = "^cmocka"
	uses["cjson"] = "^(base|experiments|collect|report)/"
	uses["onednn"] = "^experiments/host/"
	uses["cuda"] = "^(experiments/cuda|collect)/"
	uses["drawing"] = "^report/canvas/"
	uses["sqlite"] = "^report/read/"
	uses["gzip"] = "^report/(parse/|canvas/pdf_save)"
	uses["cmocka"] = "^tests/"
}
function complain(why) {
	printf "%s:%d: %s %s\n", FILENAME, FNR, $0, why
	bad = 1
}
# The first folder, and the room behind report/; a room that the table does not know may include nothing.
function layer_of(path, part, n) {
	n = split(path, part, "/")
	return part[1] == "report" && n > 2 ? part[1] "/" part[2] : part[1]
}
FNR == 1 { layer = layer_of(FILENAME) }
!(layer in may) { if (FNR == 1) complain("(no room of the table: " layer ")"); next }
match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]+"/) {
	split($0, part, "\"")
	if (part[2] ~ /^report\/course\// && layer == "report" && FILENAME != "report/report.c")
		complain("(all but report.c links without the course: section/course.h)")
	if (part[2] !~ may[layer])
		complain("(" layer " may include " may[layer] " only, by the path from the top)")
}
match($0, /^[ \t]*#[ \t]*include[ \t]*<[^>]+>/) {
	header = $0
	sub(/^[^<]*</, "", header)
	sub(/>.*/, "", header)
	for (l in library)
		if (header ~ library[l] && FILENAME !~ uses[l])
			complain("(" l " is for " uses[l] ")")
}
END { exit bad }' || status=1
raw=$(sources report | grep -v '^report/run/' | xargs -r grep -nE '\braw_(entry|manifest)\b') || :
if [ -n "$raw" ]; then
	echo "the JSON of run.json is read in report/run/ alone (run/manifest.h): $raw"
	status=1
fi
code=$(sources templates | grep -E '\.(c|h|cu|cc|cpp|so|py|sh)$') || :
if [ -n "$code" ]; then
	echo "templates/ is data, but holds code: $code"
	status=1
fi
exit $status
