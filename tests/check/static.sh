# What cppcheck and clang-tidy see without running the code. gcc -fanalyzer is left out: gcc 12 takes
# values for uninitialised that a loop has just set.
. tests/check/sources.sh
status=0
ran=
code=$(sources base experiments collect report | grep '\.c$' | grep -v '^experiments/cuda/') || :

if command -v cppcheck >/dev/null 2>&1; then
	ran=yes
	echo "$code" | xargs -r cppcheck -q -j 2 --std=c11 -I. --library=tests/check/cppcheck.cfg \
		--enable=warning,performance,portability --inline-suppr --error-exitcode=1 ||
		status=1
else
	echo "cppcheck is not here, its part is left out: apt-get install cppcheck"
fi

# The va_list checks of clang 14 complain about every va_start; insecureAPI wants Annex K.
checks='-*,clang-analyzer-core.*,clang-analyzer-deadcode.*,clang-analyzer-unix.*'
checks=$checks',clang-analyzer-security.FloatLoopCounter,cert-err34-c,misc-redundant-expression'
checks=$checks',bugprone-assert-side-effect,bugprone-infinite-loop,bugprone-integer-division'
checks=$checks',bugprone-macro-repeated-side-effects,bugprone-misplaced-widening-cast'
checks=$checks',bugprone-sizeof-expression,bugprone-suspicious-memset-usage'
checks=$checks',bugprone-suspicious-semicolon,bugprone-terminating-continue'
checks=$checks',bugprone-too-small-loop-variable,bugprone-undefined-memory-manipulation'
if command -v clang-tidy >/dev/null 2>&1; then
	ran=yes
	flags=
	for flag in ${CHECK_FLAGS--std=gnu11 -I.}; do
		case $flag in
		-I* | -D* | -std=* | -isystem | /*) flags="$flags $flag" ;;
		esac
	done
	echo "$code" | xargs -r -n 4 -P 2 sh -c 'flags=$1 checks=$2; shift 2
		clang-tidy --quiet --checks="$checks" --warnings-as-errors="*" "$@" -- $flags 2>/dev/null ||
			{ echo "clang-tidy complains about one of: $*"; exit 1; }
	' sh "$flags" "$checks" || status=1
else
	echo "clang-tidy is not here, its part is left out: apt-get install clang-tidy"
fi

[ -n "$ran" ] || exit 77
exit $status
