# SPDX-License-Identifier: Apache-2.0
# Every header compiles alone, and twice, and all of report/ compile together: no name means two things.
# Those of the cuda device need the CUDA toolkit.
. tests/check/sources.sh
check_flags
compile() { # what is on stdin
	# shellcheck disable=SC2086 # the options are words of their own
	${CC:-gcc} $CHECK_FLAGS -Werror "$@" -x c -fsyntax-only -
}
cuda=${CUDA:-/usr/local/cuda}/include
status=0
for h in $(sources '*.h'); do
	case $h in
	experiments/cuda/*)
		if [ ! -f "$cuda/cupti.h" ]; then
			echo "$h left out: no CUDA toolkit here"
			continue
		fi
		;;
	esac
	printf '#include "%s"\n#include "%s"\n' "$h" "$h" |
		compile -isystem "$cuda" ||
		{ echo "$h does not compile alone"; status=1; }
done
sources 'report/*.h' | sed 's/.*/#include "&"/' |
	compile ||
	{ echo "the headers of report/ do not compile together"; status=1; }
exit $status
