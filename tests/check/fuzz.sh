# SPDX-License-Identifier: Apache-2.0
# make fuzz: fuzz.sh SECONDS [NAME...] runs libFuzzer on tests/fuzz/fuzz_*.c, each for so long, under
# ASan and UBSan. Seeds: the folders of its line "seeds:", tests/fuzz/seeds/<area>/ and
# tests/data/<area>/; what it learns stays in
# out/fuzz/corpus/<area>/, what breaks the code in out/fuzz/found/<area>-*.
set -eu
cd "$(dirname "$0")/../.."
. tests/check/sources.sh
seconds=$1
shift
if ! command -v clang >/dev/null 2>&1; then
	echo "make fuzz needs clang with libFuzzer: apt-get install clang" >&2
	exit 1
fi
build=out/fuzz
sanitize=-fsanitize=address,undefined
mkdir -p $build/obj $build/found

# shellcheck disable=SC2086 # the options are words of their own
compile() { # SOURCE...: objects that are older than any header or than their source are made again
	newest=$(sources '*.h' | xargs -r ls -t | head -n 1)
	for source in "$@"; do
		object=$build/obj/$source.o
		if [ ! "$object" -nt "$source" ] || [ ! "$object" -nt "$newest" ]; then
			mkdir -p "$(dirname "$object")"
			echo "$source"
		fi
	done | xargs -r -P 2 -I SOURCE clang ${CHECK_FLAGS--std=gnu11 -I.} -Wno-error -w -g -O1 \
		-fno-omit-frame-pointer -fno-sanitize-recover=all \
		-fsanitize=fuzzer-no-link $sanitize -c -o $build/obj/SOURCE.o SOURCE
}

wanted() { # NAME WORD...: is one of the words in the name? No word: yes.
	name=$1
	shift
	[ $# -gt 0 ] || return 0
	for word in "$@"; do
		case $name in *"$word"*) return 0 ;; esac
	done
	return 1
}

shared=$(sources base report collect experiments | grep -E '^report/|^(base|collect|experiments)/[^/]*$' | grep '\.c$' |
	grep -v '/main\.c$')
# shellcheck disable=SC2086 # the files are words of their own
compile $shared $(sources tests/fuzz | grep '\.c$')
objects=
for source in $shared; do objects="$objects $build/obj/$source.o"; done

ran=0
broken=
for source in $(sources tests/fuzz | grep '/fuzz_[^/]*\.c$'); do
	name=$(basename "$source" .c)
	wanted "$name" "$@" || continue
	area=${name#fuzz_}
	# shellcheck disable=SC2086 # the objects and libraries are words of their own
	clang -fsanitize=fuzzer $sanitize -pthread -o "$build/$name" "$build/obj/$source.o" $objects \
		${LIBS--lcjson -lz -lm} -ldl
	mkdir -p "$build/corpus/$area"
	seeds=
	for folder in $(sed -n 's,^/\* seeds: \(.*\) \*/,\1,p' "$source") "tests/fuzz/seeds/$area" "tests/data/$area"; do
		if [ -d "$folder" ]; then seeds="$seeds $folder"; fi
	done
	ran=$((ran + 1))
	echo "$name: $seconds s"
	# shellcheck disable=SC2086 # the folders are words of their own
	LC_ALL=C "$build/$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -verbosity=0 \
		-print_final_stats=1 -artifact_prefix="$build/found/$area-" "$build/corpus/$area" $seeds ||
		broken="$broken $name"
done
if [ -n "$broken" ]; then
	echo "fuzz: broken:$broken (inputs in $build/found)"
	exit 1
elif [ $ran = 0 ]; then
	echo "fuzz: nothing to run"
	exit 1
fi
echo "fuzz: $ran ran for $seconds s each, all held"
