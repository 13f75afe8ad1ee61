# SPDX-License-Identifier: Apache-2.0
# What must not stand in a tracked file: paths of somebody's machine, functions that cannot be used
# safely, marks of unfinished work.
. tests/check/sources.sh
found=0
look() { # WHAT PATTERN FILES...
	what=$1 pattern=$2
	shift 2
	if sources "$@" | grep -v -e '^tests/data/' -e '^tests/golden/' | tr '\n' '\0' |
		xargs -0 grep -nIE -e "$pattern" -- /dev/null; then
		echo "^ $what"
		found=1
	fi
}
look 'a path of one machine' '(^|[^[:alnum:]_.~/-])/(home|root|Users|work|farm|tmp)/[[:alnum:]]' .
look 'banned: use snprintf, arena_printf, strtol with a check' \
	'(^|[^[:alnum:]_>.])(strcpy|strcat|sprintf|vsprintf|gets|atoi|atol|atoll|atof|strtok)[ \t]*\(' \
	'*.c' '*.h' '*.cu'
look 'unfinished' '(^|[^[:alnum:]_])(TO''DO|FIX''ME|XX''X|HA''CK)([^[:alnum:]_]|$)' \
	'*.c' '*.h' '*.cu' '*.sh' '*.py' Makefile
# A header is read where it stands: what it refers to is in the tree or public.
look 'a document that is not here' '(cheatsheet|curriculum|field|cuda|drawing|ingest|kineto-json|record|style|DESIGN)\.md' \
	'*.c' '*.h' '*.cu' '*.cuh'
# What a device is like it says itself (struct device_info, "is_gpu" of run.json); nothing is concluded
# from its name. The device's own folder may.
look 'a device told by its name' '(str(n|case|ncase)?cmp|strstr|fnmatch)[ \t]*\(.*"(cuda|host)"' \
	'base/*.[ch]' 'collect/*.[ch]' 'experiments/*.[ch]' 'report/*.[ch]' ':!experiments/cuda' ':!experiments/host'
# A comment that stands over something says in a sentence what the name below it does not say; one of a
# few words goes or grows. The marks of a file's parts (---- waits ----) are headings.
clipped=$(sources 'report/*.c' | xargs -r awk '
/^\/\* .* \*\/$/ && NF < 7 && !/ ---- | SPDX-| clang-format / { print FILENAME ":" FNR ":" $0 }')
if [ -n "$clipped" ]; then
	printf '%s\n^ %s\n' "$clipped" 'a comment of fewer than five words'
	found=1
fi
# What holds of one GPU need not of the next one.
look 'a claim about all GPUs' '([Nn]o|[Aa]ny|[Ee]very|[Aa]ll) [a-z]+ of (a|any) GPU|[Nn]o GPU (has|can)|[Ee]very GPU|[Aa]ll GPUs' \
	'experiments/*.json' 'experiments/recorded/*/run.json' 'templates/en/*.json'
# Each source file says its licence at its head; data, even that which looks like source, does not.
for source in $(sources '*.c' '*.h' '*.cu' '*.cuh' '*.cc' '*.sh' '*.py' Makefile); do
	case $source in tests/golden/* | experiments/recorded/*) continue ;; esac
	head -n 2 "$source" | grep -q 'SPDX-License-Identifier: Apache-2.0' && continue
	echo "$source: no line SPDX-License-Identifier: Apache-2.0 at its head"
	found=1
done
python3 tests/check/glossary.py --terms 40 || found=1
exit $found
