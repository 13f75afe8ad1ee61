# base <- experiments <- collect and base <- report: who may include whom, and whose libraries.
. tests/check/sources.sh
status=0
sources base experiments collect report | grep -E '\.(c|h|cu)$' | xargs -r awk '
BEGIN {
	may["base"] = "^base/"
	may["experiments"] = "^(base|experiments)/"
	may["collect"] = "^(base|experiments|collect)/"
	may["report"] = "^(base|report)/"
	# Libraries by their headers; what matches none is taken for the C library or the compiler.
	library["cjson"] = "^cjson/"
	library["onednn"] = "^(oneapi/)?dnnl"
	library["cuda"] = "^(cuda|cublas|cupti|nvrtc|nvml|nvtx)"
	library["drawing"] = "^(cairo|hpdf|ft2build|freetype|hb[-.]|harfbuzz)"
	library["zlib"] = "^zlib"
	library["cmocka"] = "^cmocka"
	uses["cjson"] = "^(base|experiments|collect|report)/"
	uses["onednn"] = "^experiments/host/"
	uses["cuda"] = "^(experiments/cuda|collect)/"
	uses["drawing"] = "^report/"
	uses["zlib"] = "^report/"
	uses["cmocka"] = "^tests/"
}
function complain(why) {
	printf "%s:%d: %s %s\n", FILENAME, FNR, $0, why
	bad = 1
}
match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]+"/) {
	split($0, part, "\"")
	layer = FILENAME
	sub(/\/.*/, "", layer)
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
code=$(sources templates | grep -E '\.(c|h|cu|cc|cpp|so|py|sh)$') || :
if [ -n "$code" ]; then
	echo "templates/ is data, but holds code: $code"
	status=1
fi
exit $status
