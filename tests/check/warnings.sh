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
if command -v clang >/dev/null 2>&1; then
	CHECK_FLAGS=$(${MAKE:-make} --no-print-directory READY=1 CC=clang flags 2>/dev/null)
	warnings clang -fsyntax-only
else
	echo "clang is not here, its part is left out: apt-get install clang"
fi
exit $status
