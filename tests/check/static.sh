# SPDX-License-Identifier: Apache-2.0
# What cppcheck and clang-tidy see without running the code. gcc -fanalyzer is left out: gcc 12 takes
# values for uninitialised that a loop has just set; so are the files that need the CUDA toolkit.
. tests/check/sources.sh
check_flags
status=0
ran=
code=$(sources base experiments collect report tracebook | grep '\.c$' | grep -v '^experiments/cuda/\|^collect/inject/cuda\.c$') || :

if command -v cppcheck >/dev/null 2>&1; then
	ran=yes
	# varFuncNullUB: NULL is a pointer in C, and say() ends with one. arrayIndexThenCheck takes
	# the order of two indices for a limit.
	echo "$code" | xargs -r cppcheck -q -j 2 --std=c11 -I. --library=tests/check/cppcheck.cfg \
		--enable=warning,performance,portability --suppress=varFuncNullUB \
		--suppress=arrayIndexThenCheck --inline-suppr --error-exitcode=1 ||
		status=1
else
	echo "cppcheck is not here, its part is left out: apt-get install cppcheck"
fi

# Left out: the va_list checks of clang 14 complain about every va_start, insecureAPI wants Annex K,
# sizeof-expression takes `sizeof *array_of_pointers` for a slip.
checks='-*,clang-analyzer-core.*,clang-analyzer-deadcode.*,clang-analyzer-unix.*'
checks=$checks',misc-redundant-expression,bugprone-assert-side-effect,bugprone-infinite-loop'
checks=$checks',bugprone-macro-repeated-side-effects,bugprone-suspicious-memset-usage'
checks=$checks',bugprone-suspicious-semicolon,bugprone-terminating-continue'
checks=$checks',bugprone-too-small-loop-variable,bugprone-undefined-memory-manipulation'
if command -v clang-tidy >/dev/null 2>&1; then
	ran=yes
	flags=
	for flag in $CHECK_FLAGS; do
		case $flag in
		-I* | -D* | -std=* | -isystem | /*) flags="$flags $flag" ;;
		esac
	done
	# err.c has the functions themselves; libiberty, of unfold.c, another xrealloc().
	echo "$code" | xargs -r -n 1 -P 2 sh -c 'checks=$1 flags=$2 source=$3
		case $source in
		base/err.c | report/name/unfold.c) ;;
		*) flags="$flags -include tests/check/analysis.h" ;;
		esac
		clang-tidy --quiet --checks="$checks" --warnings-as-errors="*" "$source" -- $flags \
			2>/dev/null || { echo "clang-tidy complains about $source"; exit 1; }
	' sh "$checks" "$flags" || status=1
else
	echo "clang-tidy is not here, its part is left out: apt-get install clang-tidy"
fi

[ -n "$ran" ] || exit 77
exit $status
