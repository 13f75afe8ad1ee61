# SPDX-License-Identifier: Apache-2.0
# make cover: how many lines of the readers the kept corpora of the fuzzers reach (not what fuzzing
# learned meanwhile), by clang's own counting. Fails below 90 % of all of them.
set -eu
cd "$(dirname "$0")/../.."
build=out/cover
python3 tests/fuzz/seeds.py $build/seeds
rm -f $build/*.profraw
line_of() {
	sed -n "s,^/\\* $1: \\(.*\\) \\*/,\\1,p" "$2"
}
set --
files=
for source in tests/fuzz/fuzz_*.c; do
	area=${source#tests/fuzz/fuzz_}
	area=${area%.c}
	mkdir -p "$build/seeds/$area"
	# shellcheck disable=SC2046
	LLVM_PROFILE_FILE=$build/$area.profraw LC_ALL=C "$build/fuzz_$area" -runs=0 -verbosity=0 \
		-max_len=1000000 "$build/seeds/$area" $(line_of seeds "$source") 2>"$build/log.$area" || {
		tail -n 20 "$build/log.$area"
		echo "cover: $area broke on its own corpus"
		exit 1
	}
	set -- "$@" -object "$build/fuzz_$area"
	files="$files $(line_of of "$source")"
done
llvm-profdata merge -o $build/all.profdata $build/*.profraw
shift # llvm-cov takes the first program without -object
# shellcheck disable=SC2046,SC2086
llvm-cov report "$@" -instr-profile=$build/all.profdata \
	$(find $files -name '*.c' | sort -u | sed "s,^,$PWD/,") >$build/report
awk '/\.c / { printf "%-40s %5d of %5d lines\n", $1, $8 - $9, $8 }
	/^TOTAL/ { share = 100 * ($8 - $9) / $8; printf "cover: %d of %d lines of the readers: %.1f %%\n", $8 - $9, $8, share }
	END { exit share < 90 }' $build/report || { echo "cover: less than 90 %"; exit 1; }
