# SPDX-License-Identifier: Apache-2.0
# No compiler warns: gcc over every source as the build compiles it, and clang, where it is, over the same. Users'
# builds only print warnings, since theirs may be another compiler.
. tests/check/sources.sh
check_flags
cuda=${CUDA:-/usr/local/cuda}/include
code=$(sources base experiments collect report tracebook tests | grep '\.c$') || :
[ -f "$cuda/cupti.h" ] || code=$(echo "$code" | grep -v '^experiments/cuda/\|^tests/data/cuda/\|^tests/gpu/') || :
status=0

warnings() { # COMPILER FLAG...
	compiler=$1
	shift
	omp=-fopenmp
	echo '#include <omp.h>' | $compiler -fopenmp -E -x c - >/dev/null 2>&1 || omp=
	for source in $code; do
		case $source in
		experiments/host/* | tests/bench/bench_spans.c) [ -n "$omp" ] || continue ;;
		esac
		echo "$source"
	done | xargs -r -n 1 -P "$(nproc)" sh -c '
		'"$compiler $CHECK_FLAGS -O2 -Werror $omp $*"' -isystem "$0" -Iexperiments/cuda/shim \
			-o /dev/null "$1"' "$cuda" || status=1
}

warnings "${CC:-gcc}" -c
# Left out is what clang alone calls a slip: a number taken for true, an enum for an int, a float passed on as a
# double, a row of a table without its last members (they are 0), a format handed on by a function that is itself
# checked, two literals in one line of an array, gcc's own pragmas (event_avx2.c; clang takes the plain way there).
if command -v clang >/dev/null 2>&1; then
	warnings clang -fsyntax-only -Wno-float-conversion -Wno-sign-conversion -Wno-double-promotion \
		-Wno-format-nonliteral -Wno-string-concatenation -Wno-unknown-pragmas -Wno-missing-field-initializers
else
	echo "clang is not here, its part is left out: apt-get install clang"
fi
exit $status
